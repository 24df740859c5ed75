"""Lessons: a task is shown by hand on a page, recorded, and done again by the agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from guiagent_eval.page_computer import PageComputer

from gui_agent.agent.guard import Policy, PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.computers.browser.recording import BrowserRecorder
from gui_agent.computers.recording.secrets import Secrecy
from gui_agent.core.codec import encode
from gui_agent.core.trajectory import Demonstration, Task, Trajectory
from gui_agent.elements.describe import describe
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.recordings.from_run import from_trajectory

OPEN_POLICY = Policy(default="allow", unknown="allow", repeat="allow")


@dataclass
class Lesson:
    """A page in a browser, on which a task is shown by hand and done again by the agent."""

    computer: PageComputer
    address: str

    def open(self, page: str) -> None:
        self.computer.start(page if "://" in page else f"{self.address}/{page}")
        self.computer.settle()

    def show(
        self, page: str, act: Callable[..., Awaitable[Any]], task: str = "Do it", **options: Any
    ) -> Demonstration:
        """Open a page, let `act(page)` use it with real input, and give what was recorded."""
        self.open(page)
        recorder = BrowserRecorder(self.computer, Secrecy(**options))
        self.computer.call(act)
        self.computer.settle()
        return from_trajectory(recorder.stop(Task(task, recorder.start)), "browser", origin="teach")

    def run(
        self, demonstration: Demonstration, page: str, task: str = "", secrets: dict[str, str] | None = None
    ) -> Trajectory:
        """Let the agent do it on a fresh page."""
        self.open(page)
        agent = Agent(
            self.computer,
            DemonstrationPlanner([demonstration]),
            guard=PolicyGuard(OPEN_POLICY),
            limits=Limits(patience=10.0),
            picture=False,
            secrets=secrets or {},
        )
        trajectory = agent.run(Task(task or demonstration.task)).trajectory
        assert trajectory.ending is not None
        assert trajectory.ending.kind == "done", f"{trajectory.ending.reason}; recorded {said(demonstration)}"
        return trajectory

    def js(self, script: str) -> Any:
        return self.computer.evaluate(script)


def said(demonstration: Demonstration) -> list[str]:
    """The recorded actions in words."""
    return [describe(step.action) for step in demonstration.steps]


def written(demonstration: Demonstration) -> str:
    """What would stand in the file."""
    return encode(demonstration).decode()
