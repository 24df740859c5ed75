"""Recordings and runs of the fake computer, with the constructs of the domain switched on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gui_agent.procedures.language.constructs import use
from tests.unit.procedures.conftest import no_waiting
from tests.unit.procedures.induction.conftest import record, run

__all__ = ["no_waiting", "record", "run"]


@pytest.fixture(autouse=True)
def switched_on() -> Iterator[None]:
    """What is switched on belongs to the process, so it is switched off again."""
    use(["miniwob"])
    yield
    use([])
