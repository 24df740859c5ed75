"""Walks without a task: what they touch, what they leave alone, and the tasks that they prove to be there."""

from __future__ import annotations

import tomllib
from pathlib import Path

from guiagent_eval.practice.explore import Nobody, Walked, as_toml, explore, propose

from gui_agent import wiring
from gui_agent.agent.loop import Agent
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.planners.commands import PlainPlanner
from gui_agent.settings import Settings
from gui_agent.testing import FakeComputer, button, checkbox, field, screen, text, when


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
    def __init__(self) -> None:
        self.computers: list[FakeComputer] = []
        self.runs: list[Trajectory] = []

    def agent_of(self, planner: Planner) -> Agent:
        self.computers.append(shop())
        guard = wiring.make_guard(Settings(), Nobody())
        return Agent(self.computers[-1], planner, guard=guard, observers=[self], picture=False)

    def ended(self, trajectory: Trajectory) -> None:
        self.runs.append(trajectory)

    def walk(self, steps: int, seed: int) -> Walked:
        return explore(self.agent_of, Task("", "shop"), steps, seed)

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


def test_tasks_are_a_file_for_the_benchmark_of_listed_tasks(tmp_path: Path) -> None:
    from guiagent_eval.task_list import TaskList

    walks = Walks()
    walks.walk(30, seed=3)
    file = tmp_path / "tasks.toml"
    file.write_text(as_toml(propose(walks.runs)))
    listed = TaskList(str(file)).tasks("all")
    assert len(listed) == len(tomllib.loads(file.read_text())) > 3
