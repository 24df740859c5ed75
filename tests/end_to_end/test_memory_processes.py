"""Many processes on one memory: nothing that was acknowledged is lost, and searches see it all."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gui_agent.core.trajectory import Demonstration, Trajectory
from gui_agent.memory.entry import Entry
from gui_agent.memory.exemplars import ExemplarMemory
from gui_agent.memory.store import Store

SCRIPT = Path(__file__).parents[2] / "eval" / "bench" / "memory_processes.py"


@pytest.fixture(scope="module")
def processes() -> ModuleType:
    spec = importlib.util.spec_from_file_location("memory_processes", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_eight_processes_that_write_at_once_lose_nothing(processes: ModuleType, tmp_path: Path) -> None:
    """They begin with a file that does not exist yet, so the making of the tables is raced for too."""
    assert processes.lost_by_parallel_writers(tmp_path / "memory.db", writers=8, each=25) == 0
    assert Store(tmp_path / "memory.db").stats().entries == 200


def test_a_killed_writer_loses_nothing_that_it_had_acknowledged(
    processes: ModuleType, tmp_path: Path
) -> None:
    assert processes.lost_after_kills(tmp_path / "memory.db", kills=4) == 0


def test_scores_of_many_processes_add_up(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    id = Store(path).add([Entry("a")])[0].id
    code = (
        "import sys; from gui_agent.memory.store import Store\n"
        "from gui_agent.memory.entry import now\n"
        "store = Store(sys.argv[1])\n"
        "for _ in range(25): store.note([sys.argv[2]], won=True, now=now())"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), id]) for _ in range(4)]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    assert Store(path).entry(id).wins == pytest.approx(100, abs=0.01)


def test_a_search_sees_what_other_processes_have_written(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    memory = ExemplarMemory(path, embedder="lexical")
    assert memory.why("send a letter to Ada") == []
    code = (
        "import sys; from gui_agent.memory.store import Store; from gui_agent.memory.entry import Entry\n"
        "Store(sys.argv[1]).add([Entry('send a letter to Grace')])"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert [match.entry.task for match in memory.why("send a letter to Ada")] == ["send a letter to Grace"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_opens_the_file_anew(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.db")
    store.add([Entry("parent")])
    child = os.fork()
    if child == 0:
        code = 1
        try:
            store.add([Entry("child")])
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.add([Entry("parent again")])
    assert {entry.task for entry in store.entries()} == {"parent", "child", "parent again"}
    assert store.check() == []


def _never(_: Trajectory) -> Demonstration:
    raise AssertionError("no run is remembered here")
