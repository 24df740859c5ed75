"""Real pages, and a service on this machine that speaks a provider's wire format."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from guiagent_eval.miniwob import MiniWob

from tests.contract.models.conftest import Service


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.close()


@pytest.fixture(scope="session")
def pages() -> Iterator[MiniWob]:
    miniwob = MiniWob(slowness=10)
    miniwob.setup()
    yield miniwob
    miniwob.teardown()
