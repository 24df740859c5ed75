"""On a page that changed since the demonstration a task is done or refused, never done wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.loop import Agent
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Trajectory
from gui_agent.planners.commands import PlainPlanner
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.recordings.from_run import from_trajectory

pytestmark = pytest.mark.nightly

PAGE = (Path(__file__).parents[2] / "pages" / "messages.html").as_uri()
COVER = """() => document.body.insertAdjacentHTML('beforeend',
  '<div role="dialog" aria-label="Cookies" style="position:fixed;inset:0;background:#fff">'
  + '<p>We use cookies</p><button onclick="this.parentNode.remove()">Close</button></div>')"""


def run(computer: PageComputer, planner: Planner, task: str) -> Trajectory:
    return Agent(computer, planner, guard=PolicyGuard.default(yes=True), picture=False).run(task).trajectory


def sent(computer: PageComputer) -> list[str]:
    script = "() => [...document.querySelectorAll('#sent li')].map((line) => line.textContent)"
    return list(computer.evaluate(script))


@pytest.fixture
def planner(computer: PageComputer) -> DemonstrationPlanner:
    """What is learned from doing it once."""
    computer.start(PAGE)
    shown = run(
        computer,
        PlainPlanner(),
        'type "Ada" into "To", type "hi there" into "Text", click "Send", check "Sent to Ada" is shown',
    )
    recorded = from_trajectory(shown, "browser")
    return DemonstrationPlanner([type(recorded)("Send 'hi there' to Ada", recorded.steps)])


def test_fields_that_changed_places_are_found(computer: PageComputer, planner: DemonstrationPlanner) -> None:
    computer.start(f"{PAGE}?order=other")
    again = run(computer, planner, "Send 'see you' to Grace")
    assert again.ending is not None and again.ending.kind == "done", again.ending
    assert sent(computer) == ["Sent to Grace: see you"]


def test_a_button_with_another_name_is_found_or_refused(
    computer: PageComputer, planner: DemonstrationPlanner
) -> None:
    computer.start(f"{PAGE}?send=Post")
    again = run(computer, planner, "Send 'see you' to Grace")
    assert again.ending is not None
    done = again.ending.kind == "done"
    assert sent(computer) == (["Sent to Grace: see you"] if done else [])
    assert done or "Send" in again.ending.reason


def test_what_lies_under_a_dialog_is_not_clicked(
    computer: PageComputer, planner: DemonstrationPlanner
) -> None:
    computer.start(PAGE)
    computer.evaluate(COVER)
    again = run(computer, planner, "Send 'see you' to Grace")
    assert again.ending is not None
    assert again.ending.kind == "not_done"
    assert sent(computer) == []
    assert computer.evaluate("() => document.getElementById('To').value") == ""


def test_a_page_that_does_not_confirm_is_not_called_done(
    computer: PageComputer, planner: DemonstrationPlanner
) -> None:
    computer.start(f"{PAGE}?broken=1")
    again = run(computer, planner, "Send 'see you' to Grace")
    assert again.ending is not None
    assert again.ending.kind == "not_done"
    assert sent(computer) == []
