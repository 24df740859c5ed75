"""Walks without a task: what they touch, what they leave alone, and the tasks that they prove to be there."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from guiagent_eval.practice.explore import (
    Walked,
    WalkGuard,
    Writes,
    as_toml,
    explore,
    propose,
    with_words_once,
)

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Navigate
from gui_agent.core.errors import Forbidden
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse
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


def test_proposed_tasks_are_false_without_acting_and_true_when_done_again() -> None:
    walks = Walks()
    walks.walk(60, seed=3)
    tasks = list(propose(walks.runs))
    assert {1, 2, 3} <= {one.steps for one in tasks}
    assert any("Brass, 40 cm high" in one.check for one in tasks)
    for one in tasks:
        for doing in (True, False):
            computer = shop()
            if doing:
                assert Agent(computer, PlainPlanner(waits=(0.0,)), picture=False).run(one.task).ok, one
            held = Agent(computer, PlainPlanner(waits=(0.0,)), picture=False).run(one.check).ok
            assert held == doing, one


def test_each_goal_is_said_once_in_words_that_are_no_commands() -> None:
    walks = Walks()
    walks.walk(60, seed=3)
    tasks = list(with_words_once(propose(walks.runs)))
    words = [one.words for one in tasks if one.words]
    assert len(words) == len(set(words)) < len(tasks)
    assert 'Get to where it says "Brass, 40 cm high"' in words and "Gift ought to be ticked" in words
    assert any(one.startswith("The field Name ought to hold ") for one in words)
    assert all(isinstance(parse(one), Unparsed) for one in words)
    assert [one.steps for one in tasks] == sorted(one.steps for one in tasks)


def test_what_did_nothing_is_no_part_of_a_task_and_a_complaint_no_goal() -> None:
    walks = Walks(
        lambda: FakeComputer(
            {
                "shop": screen(widget("row", "Record 7"), field("Note"), button("Create")),
                "bad": screen(field("Note"), text("What is new"), widget("alert", "A name is required")),
            },
            [when("click", "Create", go="bad")],
        )
    )
    walks.walk(40, seed=1)
    tasks = propose(walks.runs)
    assert any("Record 7" in one for one in walks.acts) and any("Create" in one for one in walks.acts)
    assert any('into "Note"' in one.task for one in tasks)
    assert not [one for one in tasks if "Record 7" in one.task or one.task.endswith('click "Create" button')]


def test_a_goal_is_a_text_without_digits_that_no_walk_found_at_its_beginning() -> None:
    began = itertools.count()
    walks = Walks(
        lambda: FakeComputer(
            {
                "shop": screen(button("Open"), *[text("Sometimes")] * (next(began) % 2)),
                "in": screen(text("14:05:59"), text("Sometimes"), text("Inside"), button("Open")),
            },
            [when("click", "Open", go="in")],
        )
    )
    walks.walk(10, seed=1)
    assert len(walks.runs) > 1
    assert propose(walks.runs)[0].check == 'check "Inside" is shown'


def test_tasks_are_a_file_for_the_benchmark_of_listed_tasks(tmp_path: Path) -> None:
    from guiagent_eval.task_list import TaskList

    walks = Walks()
    walks.walk(30, seed=3)
    file = tmp_path / "tasks.toml"
    file.write_text(as_toml(propose(walks.runs)))
    listed = TaskList(str(file)).tasks("all")
    assert len(listed) == len(tomllib.loads(file.read_text())) > 3


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
