"""A button was renamed: a second planner repairs the run, and after two repairs the procedure knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent.agent.guard import Policy, PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.computers.browser import BrowserComputer
from gui_agent.core.actions import Click
from gui_agent.core.observation import Words
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.planners.cascade import CascadePlanner
from gui_agent.planners.commands import PlainPlanner
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.library.evidence import deciders, note_run
from gui_agent.procedures.library.memory import Memory
from gui_agent.procedures.library.recognise import recognise
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.testing import ScriptedPlanner, do

PAGE = (Path(__file__).parents[1] / "pages" / "messages.html").as_uri()
COMMANDS = 'type "Ada" into "To", type "hi" into "Text", click "Send"'


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserComputer]:
    with BrowserComputer() as computer:
        yield computer


def run(browser: BrowserComputer, planner: Planner, text: str, address: str) -> Trajectory:
    guard = PolicyGuard(Policy(default="allow", unknown="allow", repeat="allow"))
    agent = Agent(browser, planner, guard=guard, limits=Limits(patience=0.5), picture=False)
    return agent.run(Task(text, address)).trajectory


@pytest.mark.nightly
def test_two_repairs_make_a_procedure_that_needs_no_repair(browser: BrowserComputer, tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.db", embedder="lexical")
    shown = from_trajectory(run(browser, PlainPlanner(), COMMANDS, PAGE))
    from dataclasses import replace

    memory.keep(replace(shown, task="Send 'hi' to Ada"), "send-to")
    renamed = f"{PAGE}?send=Post"
    first = recognise(Task("Send 'see you' to Grace", renamed), memory)
    assert first.choice is not None
    repairing = ScriptedPlanner([do(Click(Words("Post")))])
    planner = CascadePlanner([DemonstrationPlanner(first.programs), repairing])
    trajectory = run(browser, planner, first.task.text, renamed)
    assert deciders(trajectory) == ("demonstration", "scripted")
    assert "Click the button" in repairing.situations[0].advice[1]
    note_run(memory, first.choice.procedure, trajectory, programs=first.programs)
    # The proposal is a way to be tried: nobody has to help the second time.
    second = recognise(Task("Send 'all is well' to Alan", renamed), memory)
    assert second.choice is not None
    trajectory = run(browser, DemonstrationPlanner(second.programs), second.task.text, renamed)
    repair = note_run(memory, second.choice.procedure, trajectory, programs=second.programs)
    assert repair is not None
    assert repair.promoted
    found = recognise(Task("Send 'again' to Ken", renamed), memory)
    trajectory = run(browser, DemonstrationPlanner(found.programs), found.task.text, renamed)
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done"
    assert any(element.name == "Sent to Ken: again" for element in trajectory.steps[-1].after.elements)
