"""One adb server for all tests of phones in a process, and a phone for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.phone import SimulatedPhone
from guiagent_platforms.android.computer import AndroidComputer
from phones import adb_server, any_adb, phone_at_hand


@pytest.fixture(scope="module")
def adb() -> Iterator[int]:
    with adb_server(any_adb()) as port:
        yield port


@pytest.fixture
def at_hand(adb: int, tmp_path: Path) -> Iterator[tuple[SimulatedPhone, AndroidComputer]]:
    with phone_at_hand(tmp_path) as both:
        yield both
