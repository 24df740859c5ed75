"""Runs of the loop on a small form, for the tests of what it does."""

from __future__ import annotations

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.protocols import Guard
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    checkbox,
    field,
    screen,
    text,
    when,
)
from gui_agent.testing.scripted import Line

QUICK = Limits(patience=0.05)


def contact() -> FakeComputer:
    return FakeComputer(
        {
            "form": screen(
                field("Name"), checkbox("I agree"), button("Send"), button("Idle"), title="Contact"
            ),
            "thanks": screen(text("Thank you"), title="Thanks"),
        },
        [when("click", "Send", go="thanks")],
    )


def run(
    *lines: Line,
    computer: FakeComputer | None = None,
    task: Task | str = "contact",
    guard: Guard | None = None,
    limits: Limits = QUICK,
    **options: object,
) -> tuple[Trajectory, FakeComputer, ScriptedPlanner]:
    computer = computer or contact()
    planner = ScriptedPlanner(lines)
    agent = Agent(
        computer,
        planner,
        grounder=ExactGrounder(),
        guard=guard or OpenGuard(),
        limits=limits,
        **options,  # type: ignore[arg-type]
    )
    return agent.run(task).trajectory, computer, planner
