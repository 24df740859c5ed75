"""Remembered runs as text for a prompt."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from memory_samples import demonstration

from gui_agent.core.actions import Proposal, TypeText, Wait
from gui_agent.core.codec import decode
from gui_agent.core.demonstration import Demonstration, DemoStep
from gui_agent.core.targets import Fingerprint, Words
from gui_agent.memory.entry import Entry
from gui_agent.memory.exemplars import CHARACTERS_PER_TOKEN, entry_of, outline, pack, proposal, turns, whole

TASK = "Send 'hi' to Ada"


def test_steps_on_one_screen_form_one_turn() -> None:
    [turn] = turns(demonstration(TASK))
    assert turn.seen.splitlines() == [
        "mail.example - Mail",
        'textbox "To"',
        'textbox "Message"',
        'button "Send"',
    ]
    assert [json.loads(line)["kind"] for line in turn.done] == ["type", "type", "click"]


def test_the_actions_are_in_the_form_a_planner_answers_in() -> None:
    action = decode(Proposal, turns(demonstration(TASK))[0].done[0])
    assert action == TypeText("words", Words("To", "textbox"))
    assert proposal(Wait(1.0, "done")) == Wait(1.0, "done")


def test_a_new_screen_begins_a_new_turn() -> None:
    first, second = demonstration("a", "Next"), demonstration("a", "Finish")
    both = Demonstration("a", (*first.steps, *second.steps))
    assert [len(turn.done) for turn in turns(both)] == [1, 1]


def test_an_element_without_a_name_is_told_by_its_neighbour() -> None:
    step = DemoStep(TypeText("5", Fingerprint("textbox", "", neighbours=("Total", "EUR"), rank=2)))
    [turn] = turns(Demonstration("a", (step,)))
    assert decode(Proposal, turn.done[0]) == TypeText("5", Words("", "textbox", 2, "Total"))
    assert turn.seen == "(not recorded)"


def test_a_field_with_a_label_of_its_own_is_not_counted_among_those_with_others() -> None:
    step = DemoStep(TypeText("x", Fingerprint("textbox", "", label="Password", rank=2)))
    [turn] = turns(Demonstration("a", (step,)))
    assert decode(Proposal, turn.done[0]) == TypeText("x", Words("Password", "textbox"))


def test_the_outline_has_one_line_for_each_step() -> None:
    assert outline(entry_of(demonstration(TASK))).splitlines() == [
        "Task: Send 'hi' to Ada",
        '1. Type "words" into textbox "To"',
        '2. Type "words" into textbox "Message"',
        '3. Click button "Send"',
    ]


def test_the_nearest_are_whole_and_the_others_outlines() -> None:
    entries = [entry_of(demonstration(f"Send '{number}'")) for number in range(4)]
    texts = [text for _, text in pack(entries, most_whole=2)]
    assert ["Screen:" in text for text in texts] == [True, True, False, False]


def test_an_entry_without_a_demonstration_is_shown_as_its_outline() -> None:
    entry = Entry("a", outlines=('Click button "Go"',))
    assert whole(entry) == 'Task: a\n1. Click button "Go"'


@given(st.integers(0, 1500), st.integers(0, 5))
def test_the_budget_is_kept(budget: int, count: int) -> None:
    names = tuple(f"Button {number}" for number in range(30))
    entries = [entry_of(demonstration(f"Send '{number}'", *names)) for number in range(count)]
    packed = pack(entries, budget)
    assert sum(len(text) for _, text in packed) <= budget * CHARACTERS_PER_TOKEN
    order = [entry.task for entry, _ in packed]
    assert order == sorted(order)
