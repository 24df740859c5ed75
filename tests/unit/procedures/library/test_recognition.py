"""Which procedure an instruction asks for, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gui_agent.core.trajectory import Demonstration, Task
from gui_agent.procedures.language.program import Program, SlotParameter
from gui_agent.procedures.library.evidence import joining
from gui_agent.procedures.library.memory import Memory, given_procedures
from gui_agent.procedures.library.recognise import among, recognise


@pytest.fixture
def taught(memory: Memory, shown: Callable[..., Demonstration]) -> Memory:
    """A memory that knows how to send messages."""
    demonstration = shown("Ada", "hi", app="mail.example")
    memory.keep(demonstration, joining(demonstration, memory).family)
    return memory


def test_an_instruction_of_the_sort_is_recognised_with_its_values(taught: Memory) -> None:
    found = recognise(Task("Send 'see you at 5' to Grace"), taught)
    assert found.choice is not None
    assert (found.choice.procedure.name, found.choice.score) == ("send-to", 1.0)
    assert found.choice.values == {"text": "see you at 5", "to": "Grace"}
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
    assert found.choice is None
    assert why in found.reason
    assert found.lines()[0].startswith("No procedure would run")


def test_a_reason_that_holds_for_all_is_told_once(
    taught: Memory, shown: Callable[..., Demonstration]
) -> None:
    taught.keep(shown("Ada", "hi", task="Forward 'hi' to Ada", app="mail.example"), "forward")
    found = recognise(Task("Archive the message of Grace"), taught)
    told = found.because(f"it is no plain command; as a task, {found.reason}").lines()
    assert "\n".join(told).count("no demonstration fits") == 1
    assert [line.split()[1] for line in told[2:]] == ["send-to:", "forward:"]


def test_an_empty_memory_says_so_and_stays_unmade(memory: Memory) -> None:
    found = recognise(Task("Send 'hi' to Ada"), memory)
    assert "no similar procedure has been learned" in found.reason
    assert not memory.exists


def test_what_was_shown_at_one_place_is_not_run_at_another(taught: Memory) -> None:
    task = "Send 'hi' to Grace"
    assert recognise(Task(task, "https://mail.example/new"), taught).choice is not None
    found = recognise(Task(task, "https://bank.example/"), taught)
    assert found.choice is None
    assert found.reason == "the procedure was demonstrated at mail.example, not at bank.example"


def test_an_unknown_slot_is_named(taught: Memory) -> None:
    found = recognise(Task("Send 'hi' to Grace", values={"colour": "red"}), taught)
    assert 'no slot "colour"' in found.reason


@pytest.fixture
def two_ways(taught: Memory, shown: Callable[..., Demonstration]) -> Memory:
    """A memory that knows a second way of sending messages, without saying to whom."""
    other = shown("Ada", "hi", app="mail.example")
    taught.keep(Demonstration(other.task, other.steps[1:], origin="other"), "other-way")
    return taught


def test_between_two_that_fit_equally_well_the_screen_is_to_choose(two_ways: Memory) -> None:
    found = recognise(Task("Send 'see you' to Ada"), two_ways)
    assert found.choice is None
    assert "equally well" in found.reason
    assert {one.procedure.name for one in found.fitting} == {"send-to", "other-way"}
    assert found.programs == tuple(one.program for one in found.fitting)
    assert not any(one.refused for one in found.considered)
    told = found.lines()
    assert told[0].startswith("The screen will decide among these procedures: two procedures fit equally")
    assert len([line for line in told if line.startswith("Procedure ")]) == 2


def test_the_screen_cannot_choose_when_nobody_says_which_screen(
    memory: Memory, shown: Callable[..., Demonstration]
) -> None:
    one = shown("Ada", "hi", app="mail.example")
    memory.keep(replace(one, start="https://mail.example/new"), "send-to")
    other = Demonstration(one.task, one.steps[1:], "https://mail.example/quick", origin="other")
    memory.keep(other, "other-way")
    found = recognise(Task("Send 'see you' to Ada"), memory)
    assert found.fitting == ()
    assert "send-to begins at https://mail.example/new" in found.reason
    assert "other-way begins at https://mail.example/quick" in found.reason
    assert found.reason.endswith(": say where to begin with --url")
    begun = Task("Send 'see you' to Ada", "https://mail.example/quick")
    assert len(recognise(begun, memory).fitting) == 2
    assert recognise(begun, memory).task_from_start == begun


def test_what_was_shown_in_the_very_words_says_where_to_begin(
    memory: Memory, shown: Callable[..., Demonstration]
) -> None:
    one = shown("Ada", "hi", task="Send the usual letter")
    memory.keep(replace(one, start="https://mail.example/new"), "usual")
    other = shown("Ada", "hi", task="Send the hi letter")
    memory.keep(replace(other, steps=other.steps[1:], start="https://mail.example/quick"), "any")
    found = recognise(Task("Send the usual letter"), memory)
    assert [one.procedure.name for one in found.fitting] == ["usual", "any"]
    assert found.task_from_start.start == "https://mail.example/new"


def test_what_is_asked_for_in_words_of_ones_own_is_left_to_the_screen() -> None:
    program = Program("forward", ("Forward the letter to {to}",), (), (SlotParameter("to"),), own_words=True)
    known = given_procedures([program])
    found = among(Task("Please relay it, Grace should have a look"), known)
    assert found.choice is None
    assert found.programs == (program,)
    assert 'Procedure forward: "Forward the letter to {to}" (matched in your own words)' in found.lines()
    assert among(Task("Please water the plants, Grace"), known).fitting == ()


def test_what_is_in_quarantine_or_forgotten_is_not_used(taught: Memory) -> None:
    store = taught.exemplars.store
    entry = store.entries()[0]
    store.quarantine(entry.id, "looks odd")
    assert recognise(Task("Send 'hi' to Grace"), taught).choice is None
    store.quarantine(entry.id, "")
    assert recognise(Task("Send 'hi' to Grace"), taught).choice is not None
    store.forget(entry.id)
    assert recognise(Task("Send 'hi' to Grace"), taught).choice is None


def test_without_the_search_of_the_memory_it_is_found_all_the_same(
    taught: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "gui_agent.memory.recall", None)
    taught.exemplars._search = None
    assert recognise(Task("Send 'hi' to Grace"), taught).choice is not None
