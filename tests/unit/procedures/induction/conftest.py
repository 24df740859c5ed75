"""Demonstrations recorded on the fake computer, and runs of what was learned from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from gui_agent.agent.guard import Policy, PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import AnyAction, Check, Choose, Click, TypeText
from gui_agent.core.aiming import aim, places
from gui_agent.core.observation import Element, Observation
from gui_agent.core.trajectory import Demonstration, DemoStep, Task, Trajectory
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.recordings.from_run import postconditions, screen_of
from gui_agent.scene.fingerprints import fingerprint
from gui_agent.testing import FakeComputer


@dataclass
class Recording:
    """A person at the fake computer whose acts are recorded."""

    computer: FakeComputer
    steps: list[DemoStep] = field(default_factory=list)

    def look(self) -> Observation:
        return self.computer.observe(picture=False)

    def named(self, name: str, nth: int = 1) -> Element:
        return [e for e in self.look().controls if name in (e.name, e.description)][nth - 1]

    def act(self, action: AnyAction[Element]) -> None:
        before = self.look()
        elements = places(action)
        self.computer.perform(aim(action, {name: e.box.center for name, e in elements.items()}))
        self.computer.settle()
        own = elements["at"].id if "at" in elements else 0
        expect = postconditions(before, self.look(), own)
        recorded = aim(action, {name: fingerprint(e, before) for name, e in elements.items()})
        self.steps.append(DemoStep(recorded, screen_of(before), own, expect=expect))

    def click(self, name: str, nth: int = 1) -> None:
        self.act(Click(self.named(name, nth)))

    def type(self, name: str, text: str) -> None:
        self.act(TypeText(text, self.named(name), replace=True))

    def choose(self, name: str, option: str) -> None:
        self.act(Choose(self.named(name), option))

    def tick(self, name: str) -> None:
        self.act(Check(self.named(name)))

    def demonstration(self, task: str) -> Demonstration:
        return Demonstration(task, tuple(self.steps), platform="fake", final=screen_of(self.look()))


Record = Callable[[FakeComputer, str, Callable[[Recording], None]], Demonstration]
Run = Callable[..., Trajectory]


@pytest.fixture(scope="session")
def record() -> Record:
    """Record what a script does on a computer."""

    def recorded(computer: FakeComputer, task: str, script: Callable[[Recording], None]) -> Demonstration:
        recording = Recording(computer)
        script(recording)
        return recording.demonstration(task)

    return recorded


@pytest.fixture
def run() -> Run:
    """Run what demonstrations taught on a computer."""

    def ran(
        computer: FakeComputer, known: Sequence[Demonstration | Program], task: str, **values: str
    ) -> Trajectory:
        guard = PolicyGuard(Policy(default="allow", unknown="allow", repeat="allow"))
        planner = DemonstrationPlanner(known)
        agent = Agent(computer, planner, guard=guard, limits=Limits(patience=0.0), picture=False)
        return agent.run(Task(task, values=values)).trajectory

    return ran


def acted_on(trajectory: Trajectory, role: str = "") -> list[str]:
    """The names of the things that were acted on, in order; with a role only of those."""
    found = [step.found["at"].element for step in trajectory.steps if "at" in step.found]
    return [e.name for e in found if e is not None and e.role == (role or e.role)]
