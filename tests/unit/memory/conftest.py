"""An empty store and an empty memory for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent.memory.exemplars import ExemplarMemory
from gui_agent.memory.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "memory.db")
    yield opened
    opened.close()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[ExemplarMemory]:
    opened = ExemplarMemory(tmp_path / "memory.db", embedder="lexical")
    yield opened
    opened.close()
