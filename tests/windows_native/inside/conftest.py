"""Fixtures of the tests that run inside Windows' own Python."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

import pytest

collect_ignore_glob = [] if sys.platform == "win32" else ["*"]

if sys.platform == "win32":
    import programs
    from guiagent_platforms.windows.computer import WindowsComputer

    @pytest.fixture(autouse=True)
    def scratch() -> Iterator[None]:
        """An empty folder, and none of the programs running before and after."""
        shutil.rmtree(programs.SCRATCH, ignore_errors=True)
        programs.SCRATCH.mkdir()
        programs.end(*programs.PROGRAMS)
        yield
        programs.end(*programs.PROGRAMS)

    @pytest.fixture
    def computer() -> Iterator[WindowsComputer]:
        with WindowsComputer(observe="tree", reading=3.0) as made:
            yield made
