"""Demonstrations without recorded screens, written by hand or imported, are learned like any others."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Fingerprint, Size
from gui_agent.core.trajectory import Demonstration, DemoStep, Screen
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.wording import step_in_words
from gui_agent.procedures.recordings.from_run import complete

NAME = Fingerprint("textbox", "Name")
EMAIL = Fingerprint("textbox", "", label="Email", neighbours=("needed",))
BY_HAND = Demonstration(
    "Contact us as Ada",
    (
        DemoStep(TypeText("Ada", NAME)),
        DemoStep(TypeText("ada@x.org", EMAIL)),
        DemoStep(Click(Fingerprint("button", "Next"))),
    ),
    slots={"person": "Ada"},
)


def test_every_step_gets_the_element_that_its_fingerprint_describes() -> None:
    steps = complete(BY_HAND).steps
    seen = [(step.screen and step.screen.elements[0].role, step.element) for step in steps]
    assert [role for role, _ in seen] == ["textbox", "textbox", "button"]
    assert len({number for _, number in seen}) == 3
    assert steps[1].screen is not None
    assert [element.name for element in steps[1].screen.elements] == ["", "Email", "needed"]


def test_the_same_field_is_the_same_element_in_all_steps() -> None:
    twice = replace(BY_HAND, steps=(DemoStep(TypeText("A", NAME)), DemoStep(TypeText("da", NAME))))
    assert len({step.element for step in complete(twice).steps}) == 1


def test_recorded_screens_and_bare_points_stay_as_they_are() -> None:
    screen = Screen(Size(10, 10))
    kept = replace(
        BY_HAND,
        steps=(
            DemoStep(TypeText("Ada", NAME), screen=screen, element=7),
            DemoStep(Click(Fingerprint("", ""))),
        ),
    )
    assert complete(kept) is kept


def test_a_procedure_is_learned_with_the_names_that_the_recording_gives() -> None:
    (program,) = learn([BY_HAND])
    assert program.templates == ("Contact us as {person}",)
    assert {parameter.name: parameter.default for parameter in program.parameters} == {
        "person": None,
        "email": "ada@x.org",
    }
    assert [step_in_words(step) for step in program.steps] == [
        'Type {person} in the textbox "Name".',
        'Type {email} in the textbox "email".',
        'Click the button "Next".',
    ]
