"""What was typed to look for an option is the value that is meant; what a recording misses is named."""

from __future__ import annotations

import pytest

from gui_agent.core.actions import Choose, Click, TypeText
from gui_agent.core.conditions import TextShown, ValueIs
from gui_agent.core.observation import Fingerprint
from gui_agent.core.trajectory import Demonstration, DemoStep
from gui_agent.memory.exemplars import turns
from gui_agent.procedures.importers import import_playwright
from gui_agent.procedures.importers.imported import (
    in_place_of,
    missing_values,
    typed_values,
    with_search_texts,
)

FIELD = Fingerprint("combobox", "Country")


def searched(task: str, typed: str, option: str) -> str:
    typing = DemoStep(TypeText(typed, FIELD), expect=(ValueIs(FIELD, typed), TextShown(option)))
    shown = Demonstration(task, (typing, DemoStep(Click(Fingerprint("option", option)))))
    step = with_search_texts(shown).steps[0]
    assert isinstance(step.action, TypeText)
    kept = step.action.text == typed
    assert step.expect == (typing.expect if kept else (TextShown(option),))
    return step.action.text


@pytest.mark.parametrize(
    ("task", "typed", "option", "meant"),
    [
        ("Ship it to Norway", "Norw", "Norway", "Norway"),
        ("Invite Eva Lind to the call", "ev", "Eva Lind (eva@example.org)", "Eva Lind"),
        ("Fly to Oslo on Monday", "Os", "Oslo, Norway (OSL)", "Oslo"),
        ("Ship it to Norway", "Norway", "Norway", "Norway"),
        ("Ship it to Norway", "wa", "Norway", "wa"),
        ("Ship it", "Norw", "Norway", "Norw"),
        ("Tell Norwegians of it", "Norw", "Norway", "Norw"),
        ("Ship it to Norway", "Norw", "Search", "Norw"),
    ],
)
def test_a_beginning_typed_to_look_for_an_option_is_the_value_that_the_task_names(
    task: str, typed: str, option: str, meant: str
) -> None:
    assert searched(task, typed, option) == meant


def test_a_recorded_script_types_the_whole_value_too() -> None:
    script = (
        'page.get_by_role("combobox", name="Country").fill("Norw")\n'
        'page.get_by_role("option", name="Norway").click()\n'
    )
    first = import_playwright(script, "Ship it to Norway").demonstration.steps[0].action
    assert isinstance(first, TypeText)
    assert first.text == "Norway"


def test_a_secret_is_never_taken_for_a_search() -> None:
    assert searched("Ship it to ${secret:PIN} place", "${secret:PIN}", "${secret:PIN}") == "${secret:PIN}"


def test_names_and_numbers_that_stand_nowhere_in_the_recording_are_found() -> None:
    step = DemoStep(Click(Fingerprint("button", "Delete", rank=3)))
    shown = Demonstration("Delete the row of Dan Berg. It is number 42, of May", (step,))
    assert missing_values(shown) == ("Dan Berg", "42", "May")
    named = DemoStep(Click(Fingerprint("button", "Delete", neighbours=("Dan  berg", "42"))))
    assert missing_values(Demonstration("Delete the row of Dan Berg, number 42", (named,))) == ()
    assert missing_values(Demonstration("Delete the last row", (step,))) == ()


def test_a_value_that_the_recording_words_differently_is_put_in_its_place() -> None:
    shown = Demonstration(
        "Ship it to Norway", (DemoStep(Choose(FIELD, "no")), DemoStep(TypeText("no", FIELD)))
    )
    assert typed_values(shown) == ("no",)
    worded = in_place_of(shown, "no", "Norway")
    assert typed_values(worded) == ("Norway",)
    assert missing_values(worded) == ()


def test_a_reason_given_for_a_step_is_shown_with_it_in_exemplars() -> None:
    step = DemoStep(Click(Fingerprint("button", "Save")), why="the draft is complete")
    (turn,) = turns(Demonstration("Save it", (step,)))
    assert turn.done[0].startswith("Why: the draft is complete\n{")
