"""Walks without a task: what they touch, what they leave alone, and the screens that they reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from guiagent_eval.practice.explore import (
    Walked,
    WalkGuard,
    Writes,
    explore,
    ways_in,
)

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Navigate
from gui_agent.core.errors import Forbidden
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.settings import Settings
from gui_agent.testing import FakeComputer, button, checkbox, field, screen, text, when, widget


def shop() -> FakeComputer:
    first = [field("Name"), checkbox("Gift"), button("Details"), button("Delete account"), text("Lamps")]
    return FakeComputer(
        {
            "shop": screen(*first, title="Shop"),
            "more": screen(text("Brass, 40 cm high"), button("Back"), title="Details"),
            "gone": screen(text("Your account is gone")),
        },
        [
            when("click", "Details", go="more"),
            when("click", "Back", go="shop"),
            when("click", "Delete account", go="gone"),
        ],
    )


class Walks:
    def __init__(self, place: Callable[[], FakeComputer] = shop) -> None:
        self.place = place
        self.computers: list[FakeComputer] = []
        self.runs: list[Trajectory] = []

    @contextmanager
    def begin(self, number: int, planner: Planner) -> Iterator[tuple[Agent, Task]]:
        self.computers.append(self.place())
        guard = WalkGuard(Settings(), "shop", Writes())
        yield (
            Agent(self.computers[-1], planner, guard=guard, observers=[self], picture=False),
            Task("", "shop"),
        )

    def ended(self, trajectory: Trajectory) -> None:
        self.runs.append(trajectory)

    def walk(self, steps: int, seed: int) -> Walked:
        return explore(self.begin, steps, seed)

    @property
    def acts(self) -> list[str]:
        return [str(one.planned.action) for run in self.runs for one in run.steps]


def test_a_walk_meets_what_is_there_the_same_with_the_same_seed_and_does_nothing_that_needs_a_yes() -> None:
    one, again, other = Walks(), Walks(), Walks()
    found = one.walk(40, seed=1)
    again.walk(40, seed=1)
    other.walk(40, seed=2)
    assert one.acts == again.acts != other.acts
    assert found.steps >= 40 and found.things == 5 and found.refused == 1
    assert all(computer.world.current != "gone" for computer in one.computers)


def test_screens_are_reached_by_the_fewest_clicks_whatever_was_typed_on_the_way() -> None:
    walks = Walks()
    walks.walk(60, seed=3)
    ways = {screen.place.title: way for way, screen in ways_in(walks.runs)}
    assert ways == {"Shop": (), "Details": ('click "Details" button',)}
    assert any("TypeText" in one for one in walks.acts)


def office() -> FakeComputer:
    """Rooms behind one another, each with one way on among records of which nothing comes."""
    rows = [widget("row", f"Record {number}") for number in range(12)]
    rooms = {f"room {n}": screen(*rows, button(f"Door {n}"), title=f"Room {n}") for n in range(7)}
    doors = [when("click", f"Door {n}", go=f"room {n + 1}") for n in range(6)]
    return FakeComputer({"shop": rooms.pop("room 0"), **rooms}, doors)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_walk_gets_behind_lists_and_goes_back_to_what_it_left_untried(seed: int) -> None:
    walks = Walks(office)
    walks.walk(120, seed)
    assert any("'Door 5'" in one for one in walks.acts)


def test_things_of_one_name_and_things_further_down_are_tried_as_well() -> None:
    walks = Walks(
        lambda: FakeComputer(
            {
                "shop": screen(*[button("Edit") for _ in range(30)], button("Next")),
                "edit": screen(field("Title"), title="Edit"),
            },
            [when("click", "Edit", go="edit")],
        )
    )
    found = walks.walk(40, seed=1)
    assert {"Edit", "Title", "Next"} <= {one.split("text='")[-1].split("'")[0] for one in walks.acts}
    assert found.things == 4, "these, and what is further down"


def test_a_walk_stays_on_the_host_where_it_begins() -> None:
    guard = WalkGuard(Settings(), "https://shop.example/lamps", Writes())
    here = screen(button("Lamp"), url="https://shop.example/lamps")
    guard.check(Navigate("https://shop.example/about"), {}, here)
    with pytest.raises(Forbidden):
        guard.check(Navigate("https://elsewhere.example/"), {}, here)
