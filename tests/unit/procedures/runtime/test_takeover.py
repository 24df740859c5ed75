"""What a procedure cannot do somebody else does; the procedure goes on with the rest and repeats nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Box, Words
from gui_agent.core.trajectory import Demonstration, Trajectory
from gui_agent.planners.cascade import CascadePlanner
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.testing import (
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    World,
    button,
    checkbox,
    do,
    field,
    screen,
    text,
    when,
)
from gui_agent.testing.scripted import Line
from tests.unit.procedures.induction.conftest import Record, Recording

TASK = 'Order "tea" for Ada'
Office = Callable[..., tuple[Trajectory, FakeComputer, ScriptedPlanner]]


def shop(what: str = "What", go: str = "Next", order: str = "Order", *, cover: bool = False) -> FakeComputer:
    """What is ordered, then for whom, then it is ordered; the controls may have other names."""
    screens = {
        "cover": screen(text("We use cookies"), button("Close")),
        "what": screen(field(what), checkbox("Gift"), button(go)),
        "who": screen(field("Who"), button(order)),
        "end": screen(text("Thank you")),
    }
    if not cover:
        del screens["cover"]
    rules = [
        when("click", "Close", go="what"),
        when("click", go, go="who"),
        when("click", order, go="end"),
    ]
    return FakeComputer(screens, rules)


def ordering(hand: Recording) -> None:
    hand.type("What", "tea")
    hand.click("Next")
    hand.type("Who", "Ada")
    hand.click("Order")


@pytest.fixture
def repaired(record: Record) -> Office:
    """Runs the order on a changed shop, where somebody with a script helps out."""
    shown: Demonstration = record(shop(), TASK, ordering)

    def ran(computer: FakeComputer, *lines: Line) -> tuple[Trajectory, FakeComputer, ScriptedPlanner]:
        helper = ScriptedPlanner(lines)
        planner = CascadePlanner([DemonstrationPlanner([shown]), helper])
        agent = Agent(computer, planner, guard=OpenGuard(), limits=Limits(patience=0.0), picture=False)
        return agent.run('Order "coffee" for Grace').trajectory, computer, helper

    return ran


def deciders(trajectory: Trajectory) -> list[str]:
    """Who decided, in order, without repetitions in a row."""
    said = [turn.decision.planner for turn in trajectory.turns]
    return [name for place, name in enumerate(said) if place == 0 or said[place - 1] != name]


def finished(trajectory: Trajectory) -> bool:
    return trajectory.ending is not None and trajectory.ending.kind == "done"


def test_a_renamed_button_is_pressed_by_the_helper_and_the_rest_goes_on(repaired: Office) -> None:
    trajectory, computer, helper = repaired(shop(go="Proceed"), do(Click(Words("Proceed"))))
    assert finished(trajectory)
    assert deciders(trajectory) == ["demonstration", "scripted", "demonstration"]
    assert len(helper.situations) == 1
    assert computer.world.content_of("Who") == "Grace"
    assert sum(action.kind == "click" for action in computer.performed) == 2


def test_the_helper_is_told_what_is_left(repaired: Office) -> None:
    _, _, helper = repaired(shop(go="Proceed"), do(Click(Words("Proceed"))))
    advice = " ".join(helper.situations[0].advice)
    assert "Next" in advice
    assert '3. Click the button "Order"' in advice
    assert "it continues once the rest" in advice


def test_a_renamed_field_filled_by_the_helper_is_not_filled_again(repaired: Office) -> None:
    trajectory, computer, _ = repaired(shop(what="Article"), do(TypeText("coffee", Words("Article"))))
    assert finished(trajectory)
    assert [a.text for a in computer.performed if isinstance(a, TypeText)] == ["coffee", "Grace"]


def test_what_covers_the_page_is_removed_and_the_procedure_begins(repaired: Office) -> None:
    trajectory, computer, _ = repaired(shop(cover=True), do(Click(Words("Close"))))
    assert finished(trajectory)
    assert computer.world.content_of("What") == "coffee"


def test_two_repairs_in_one_run_are_possible_and_nothing_is_done_twice(repaired: Office) -> None:
    trajectory, computer, helper = repaired(
        shop(go="Proceed", order="Buy"), do(Click(Words("Proceed"))), do(Click(Words("Buy")))
    )
    assert finished(trajectory)
    assert len(helper.situations) == 2
    assert [action.kind for action in computer.performed] == ["type", "click", "type", "click"]


def test_what_the_helper_did_beyond_the_missing_step_is_not_done_again(repaired: Office) -> None:
    both = do(Click(Words("Proceed")), TypeText("Grace", Words("Who")), Click(Words("Order")))
    trajectory, computer, _ = repaired(shop(go="Proceed"), both)
    assert finished(trajectory)
    assert [action.kind for action in computer.performed] == ["type", "click", "type", "click"]


def test_a_helper_in_the_middle_of_its_way_is_not_interrupted(repaired: Office) -> None:
    """Ticking a box is no press of the button; the helper keeps the lead."""
    trajectory, _, helper = repaired(
        shop(go="Proceed"), do(Click(Words("Gift"))), do(Click(Words("Proceed")))
    )
    assert finished(trajectory)
    assert len(helper.situations) == 2


def test_a_helper_who_leads_nowhere_gets_no_blind_continuation(repaired: Office) -> None:
    trajectory, computer, _ = repaired(shop(go="Proceed"), do(Click(Words("Gift"))))
    assert not finished(trajectory)
    assert all(getattr(action, "text", "") != "Grace" for action in computer.performed)


def test_a_repair_holds_for_the_later_rounds_of_a_loop(record: Record) -> None:
    """The button of every round has another name; the helper is asked once."""

    def page(add: str) -> FakeComputer:
        def added(world: World) -> None:
            line = 200 + 40 * len(world.screen.elements)
            world.add(text(f"Added {world.content_of('Name')}", box=Box(20, line, 200, 24)))

        return FakeComputer(screen(field("Name"), button(add)), [when("click", add, go=added)])

    def adding(hand: Recording) -> None:
        for name in ("Ada", "Alan"):
            hand.type("Name", name)
            hand.click("Add")

    shown = record(page("Add"), "Invite these: Ada, Alan", adding)
    helper = ScriptedPlanner([do(Click(Words("Put on the list")))])
    planner = CascadePlanner([DemonstrationPlanner([shown]), helper])
    computer = page("Put on the list")
    agent = Agent(computer, planner, guard=OpenGuard(), limits=Limits(patience=0.0), picture=False)
    trajectory = agent.run("Invite these: Grace, Ken, Tim").trajectory
    assert finished(trajectory)
    assert len(helper.situations) == 1
    assert [a.text for a in computer.performed if isinstance(a, TypeText)] == ["Grace", "Ken", "Tim"]
    assert sum(action.kind == "click" for action in computer.performed) == 3
