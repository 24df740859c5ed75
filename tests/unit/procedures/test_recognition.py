"""Which procedure an instruction asks for, and why."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.core.demonstration import Demonstration
from gui_agent.core.trajectory import Task
from gui_agent.procedures.learning import family_for
from gui_agent.procedures.memory import Memory
from gui_agent.procedures.recognition import recognise


@pytest.fixture
def taught(memory: Memory, shown: Callable[..., Demonstration]) -> Memory:
    """A memory that knows how to send messages."""
    demonstration = shown("Ada", "hi", app="mail.example")
    memory.keep(demonstration, family_for(demonstration, memory))
    return memory


def test_an_instruction_of_the_sort_is_recognised_with_its_values(taught: Memory) -> None:
    found = recognise(Task("Send 'see you at 5' to Grace"), taught)
    assert found.chosen is not None
    assert (found.chosen.procedure.name, found.chosen.score) == ("send-to", 1.0)
    assert found.chosen.values == {"text": "see you at 5", "to": "Grace"}
    told = "\n".join(found.lines())
    for said in ("Procedure send-to", "to = Grace", '1. Type {to} in the textbox "To".', "run Ada"):
        assert said in told


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("Do not send 'hi' to Grace", "no demonstration fits"),
        ("Archive the message of Grace", "no demonstration fits"),
    ],
)
def test_another_task_is_not_guessed_at_and_the_nearest_is_told(taught: Memory, task: str, why: str) -> None:
    found = recognise(Task(task), taught)
    assert found.chosen is None
    assert why in found.reason
    assert found.lines()[0].startswith("Nothing would be done")


def test_an_empty_memory_says_so_and_stays_unmade(memory: Memory) -> None:
    found = recognise(Task("Send 'hi' to Ada"), memory)
    assert "nothing that resembles it has been learned" in found.reason
    assert not memory.exists


def test_what_was_shown_at_one_place_is_not_run_at_another(taught: Memory) -> None:
    task = "Send 'hi' to Grace"
    assert recognise(Task(task, "https://mail.example/new"), taught).chosen is not None
    found = recognise(Task(task, "https://bank.example/"), taught)
    assert found.chosen is None
    assert found.reason == "what fits was shown at mail.example, not at bank.example"


def test_an_unknown_slot_is_named(taught: Memory) -> None:
    found = recognise(Task("Send 'hi' to Grace", values={"colour": "red"}), taught)
    assert 'no slot "colour"' in found.reason


def test_two_that_fit_equally_well_are_not_chosen_between(
    taught: Memory, shown: Callable[..., Demonstration]
) -> None:
    other = shown("Ada", "hi")
    taught.keep(Demonstration(other.task, other.steps[1:], origin="other"), "other-way")
    found = recognise(Task("Send 'see you' to Ada"), taught)
    assert found.chosen is None
    assert "equally well" in found.reason


def test_what_is_in_quarantine_or_forgotten_is_not_used(taught: Memory) -> None:
    store = taught.exemplars.store
    entry = store.entries()[0]
    store.quarantine(entry.id, "looks odd")
    assert recognise(Task("Send 'hi' to Grace"), taught).chosen is None
    store.quarantine(entry.id, "")
    assert recognise(Task("Send 'hi' to Grace"), taught).chosen is not None
    store.forget(entry.id)
    assert recognise(Task("Send 'hi' to Grace"), taught).chosen is None


def test_without_the_search_of_the_memory_it_is_found_all_the_same(
    taught: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "gui_agent.memory.vectors", None)
    taught.exemplars._search = None
    assert recognise(Task("Send 'hi' to Grace"), taught).chosen is not None
