"""What of an interrupted run still stands on the screen, what is done again, and where it has to end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Place, Words
from gui_agent.core.trajectory import Ending, Planned, Trajectory
from gui_agent.testing import (
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    do,
    field,
    give_up,
    screen,
    text,
    when,
)

FORM = screen(field("Name"), field("City"), button("Send"), button("Next"), title="Form")
QUICK = Limits(patience=0.0)


def run(computer: FakeComputer, planner: ScriptedPlanner, begun: Trajectory | None = None) -> Trajectory:
    return Agent(computer, planner, guard=OpenGuard(), limits=QUICK, picture=False).run("x", begun).trajectory


def typed(what: str, where: str) -> TypeText[Words]:
    return TypeText(what, Words(where), replace=True)


def begun(computer: FakeComputer, *actions: object) -> Trajectory:
    """A run of these actions, one decision for each, that broke off."""
    planner = ScriptedPlanner([*(do(action) for action in actions), give_up()])  # type: ignore[arg-type]
    done = run(computer, planner)
    assert all(step.outcome.good for step in done.steps)
    return replace(done, turns=tuple(turn for turn in done.turns if turn.steps), ending=None)


def taken_up(computer: FakeComputer, earlier: Trajectory) -> tuple[list[Planned], Ending | None, str]:
    """The steps that a planner is told of when the run goes on, how it ends, and the advice it gets."""
    planner = ScriptedPlanner([give_up()])
    ending = run(computer, planner, earlier).ending
    told = planner.situations[0] if planner.situations else None
    steps = [step.planned for turn in told.turns for step in turn.steps] if told else []
    return steps, ending, " ".join(told.advice) if told else ""


def form() -> FakeComputer:
    return FakeComputer({"form": FORM})


def test_on_the_screen_as_it_was_left_nothing_is_done_again() -> None:
    computer = form()
    earlier = begun(computer, typed("Ada", "Name"), typed("Rome", "City"))
    steps, _, told = taken_up(computer, earlier)
    assert [step.action for step in steps] == [typed("Ada", "Name"), typed("Rome", "City")]
    assert "as it was left" in told


def test_an_action_that_was_decided_and_of_which_nothing_is_known_is_decided_anew() -> None:
    computer = form()
    earlier = begun(computer, typed("Ada", "Name"), typed("Rome", "City"))
    cut = replace(earlier, turns=(earlier.turns[0], replace(earlier.turns[1], steps=())))
    blank = form()
    begun(blank, typed("Ada", "Name"))
    planner = ScriptedPlanner([give_up()])
    run(blank, planner, cut)
    assert planner.situations[0].turns == cut.turns[:1]


def test_on_a_form_that_was_emptied_its_fields_are_filled_in_again() -> None:
    earlier = begun(form(), typed("Ada", "Name"), typed("Rome", "City"))
    steps, _, told = taken_up(form(), earlier)
    assert steps == []
    assert "is undone" in told and '"Ada"' in told


def test_what_outlasted_the_break_is_kept_up_to_the_first_field_that_did_not() -> None:
    earlier = begun(form(), typed("Ada", "Name"), typed("Rome", "City"))
    half = form()
    begun(half, typed("Ada", "Name"))
    steps, *_ = taken_up(half, earlier)
    assert [step.action for step in steps] == [typed("Ada", "Name")]


def test_a_page_of_the_same_address_that_was_reached_by_a_button_is_not_taken_for_the_first_one() -> None:
    pages = {"form": FORM, "second": screen(field("Street"), button("Finish"), title="Form")}
    there = FakeComputer(pages, [when("click", "Next", go="second")])
    earlier = begun(there, typed("Ada", "Name"), Click(Words("Next")))
    again = FakeComputer(pages, [when("click", "Next", go="second")])
    assert taken_up(again, earlier)[0] == []


@pytest.mark.parametrize("left", ["form", "thanks"])
def test_a_step_that_may_have_sent_something_is_never_done_again_by_itself(left: str) -> None:
    pages = {"form": FORM, "thanks": screen(text("Thank you"), title="Form")}
    rules = [when("click", "Send", go="thanks")]
    earlier = begun(FakeComputer(pages, rules), typed("Ada", "Name"), Click(Words("Send")))
    steps, ending, _ = taken_up(FakeComputer({"form": pages[left]}), earlier)
    assert ending is not None and ending.kind == "not_done"
    if left == "thanks":
        assert len(steps) == 2  # as it was left: the planner goes on
    else:
        assert 'Click button "Send", must not be done a second time' in ending.reason
        assert 'textbox "name" was not there and now is' in ending.reason


def test_another_place_with_the_same_form_is_not_taken_for_the_one_that_was_left() -> None:
    earlier = begun(form(), typed("Ada", "Name"))
    elsewhere = FakeComputer({"form": replace(FORM, place=Place("other", "Form"))})
    _, ending, _ = taken_up(elsewhere, earlier)
    assert ending is not None and "other is shown in place of" in ending.reason
