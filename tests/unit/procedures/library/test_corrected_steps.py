"""Steps that a user corrected: which run, which can be used again, and whose are trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Demonstration
from gui_agent.memory.exchange import export_jsonl, import_jsonl
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.library.memory import Memory


@pytest.fixture
def taught(memory: Memory, shown: Callable[..., Demonstration]) -> Memory:
    memory.keep(shown("Ada", "hi"), "send-to")
    return memory


def shorter(memory: Memory, steps: int) -> Program:
    program = memory.procedure("send-to").programs[0]
    return replace(program, steps=program.steps[:steps])


def test_the_newest_correction_runs_and_an_older_one_can_be_used_again(taught: Memory) -> None:
    learned = taught.procedure("send-to").programs
    one, two = shorter(taught, 1), shorter(taught, 2)
    taught.correct(taught.procedure("send-to"), two)
    taught.correct(taught.procedure("send-to"), one)
    assert [len(program.steps) for program in taught.procedure("send-to").programs] == [1]
    first = taught.procedure("send-to").corrections[-1]
    taught.use_version(taught.procedure("send-to"), first.id)
    assert [len(program.steps) for program in taught.procedure("send-to").programs] == [2]
    taught.use_version(taught.procedure("send-to"), "")
    again = taught.procedure("send-to")
    assert again.programs == learned and len(again.corrections) == 3


def test_a_renamed_procedure_keeps_its_steps_and_takes_no_other_name(taught: Memory) -> None:
    taught.correct(taught.procedure("send-to"), shorter(taught, 1))
    taught.rename(taught.procedure("send-to"), "tell")
    assert taught.procedure("tell").programs[0].name == "tell" and taught.procedure_called("send-to") is None
    with pytest.raises(ConfigError, match="in use"):
        taught.rename(taught.procedure("tell"), "tell")


def test_a_correction_in_a_file_of_somebody_else_is_not_used(taught: Memory, tmp_path: Path) -> None:
    taught.correct(taught.procedure("send-to"), shorter(taught, 1))
    export_jsonl(taught.exemplars.store, tmp_path / "memory.jsonl")
    for trusted, steps in ((False, None), (True, 1)):
        other = Memory(tmp_path / f"{trusted}.db", embedder="lexical")
        import_jsonl(other.exemplars.store, tmp_path / "memory.jsonl", trusted=trusted)
        for entry in other.exemplars.store.entries(kind="demonstration"):
            other.exemplars.store.quarantine(entry.id, "")
        count = len(other.procedure("send-to").programs[0].steps)
        assert (count == steps) if steps else count > 1
