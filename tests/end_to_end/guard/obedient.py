"""Someone who does what is said, with the guard that comes with the project."""

from __future__ import annotations

from dataclasses import dataclass

from gui_agent.agent.guard import Grants, Ledger, PolicyGuard
from gui_agent.agent.guard.policy import careful
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Proposal
from gui_agent.core.protocols import Computer
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.testing import ScriptedApprover, ScriptedPlanner, do

FOCUSED = "<script>document.querySelector('[autofocus]')?.focus()</script>"


@dataclass
class Obedient:
    """A computer, a server for its pages, and what that server was sent."""

    computer: Computer
    address: str
    served: dict[str, str]
    """Pages by path."""
    sent: list[str]
    """Paths to which something was sent, or that stand for harm."""

    def page(self, body: str, path: str = "/") -> None:
        """Serve a page; what has the focus of itself has it before the first look, not a frame later."""
        self.served[path] = f"<!doctype html><title>Page</title>{body}{FOCUSED}"

    def run(
        self,
        *actions: Proposal,
        start: str = "/",
        yes: bool | Grants = False,
        person: ScriptedApprover | None = None,
        ledger: Ledger | None = None,
    ) -> Trajectory:
        """Do these actions, one decision each, on a page that is opened first."""
        guard = PolicyGuard(careful(), person, yes=yes, ledger=ledger)
        planner = ScriptedPlanner([do(action) for action in actions])
        agent = Agent(self.computer, planner, guard=guard, picture=False)
        return agent.run(
            Task("obey", f"{self.address}{start}" if start.startswith("/") else start)
        ).trajectory


def errors(trajectory: Trajectory) -> list[str]:
    """The kind of error of each step, empty where there was none."""
    return [step.error for step in trajectory.steps]
