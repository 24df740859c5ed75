"""Sentences of a procedure that a person edited: what they mean, and what is said of the others."""

from __future__ import annotations

import pytest

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Fingerprint
from gui_agent.integrations.corrections import EditedLine, Misread, corrected_program
from gui_agent.procedures.language.program import (
    After,
    Aim,
    Captioned,
    Const,
    DoStep,
    Expected,
    HasRole,
    Program,
    Selector,
    Slot,
    SlotParameter,
)
from gui_agent.procedures.language.wording import sentences, step_in_words

FIELD = Selector((HasRole("textbox"), After(Selector((Captioned(Const("Guest")),)))))
"""An element that plain commands cannot describe."""
TYPING = DoStep(TypeText("Ada", Fingerprint("textbox", "")), Aim((FIELD,)), text=Slot("name"))
SAVING = DoStep(
    Click(Fingerprint("button", "Save")),
    Aim((Selector((HasRole("button"), Captioned(Const("Save")))),)),
    expect=(Expected("shown", Const("Saved")),),
)
PROGRAM = Program("note", ("Note {name}",), (TYPING, SAVING), (SlotParameter("name"), SlotParameter("city")))


def edited(*lines: tuple[str, int]) -> Program:
    return corrected_program(PROGRAM, [EditedLine(text, was) for text, was in lines])


def test_untouched_sentences_keep_their_steps_and_their_order_may_change() -> None:
    typing, saving = map(step_in_words, PROGRAM.steps)
    assert edited((saving, 1), (typing, 0), ("", -1)).steps == (SAVING, TYPING)


def test_a_changed_sentence_keeps_the_place_that_it_still_names() -> None:
    told = step_in_words(TYPING).replace("{name}", "{city}")
    (step,) = edited((told, 0)).steps
    assert isinstance(step, DoStep) and step.at == TYPING.at and step.text == Slot("city")
    told = step_in_words(SAVING).replace("Click", "Double-click")
    (step,) = edited((told, 1)).steps
    assert isinstance(step, DoStep) and step.at == SAVING.at and step.expect == SAVING.expect


def test_new_sentences_are_plain_commands_with_values_in_braces() -> None:
    steps = edited(
        ('type "{city} (home)" into the field "City"', -1),
        ('click "Open" in the row of "{name}"', -1),
        ('check "Opened {name}" is shown', -1),
        ('read "Total" as total', -1),
        ('type {total} into "Sum"', -1),
        ("press enter", -1),
    )
    assert sentences(steps) == [
        '1. Type {city} + " (home)" in the textbox "City".',
        '2. Click the element "Open" on the line of the element {name}; then "Opened " + {name} is shown.',
        '3. Remember the text of the element "Total" as {total}.',
        '4. Type {total} in the element "Sum".',
        "5. Press enter.",
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Frobnicate it", "write it as click"),
        ('type {street} into "Street"', "its values: {name}, {city}"),
        ('click "A", click "B"', "one step on a line"),
        ('click "A" below "B"', "its own name"),
        ("click 10,10", "in quotes"),
        ('check "Saved" is shown', "write it as click"),
    ],
)
def test_what_is_no_step_is_said_beside_its_line(line: str, said: str) -> None:
    with pytest.raises(Misread) as caught:
        edited((step_in_words(SAVING) if "check" not in line else "", 1), (line, -1))
    assert list(caught.value.faults) == [1] and said in caught.value.faults[1]


def test_a_procedure_needs_a_step() -> None:
    with pytest.raises(Misread) as caught:
        edited(("", 0), (" ", 1))
    assert "needs a step" in caught.value.faults[0]
