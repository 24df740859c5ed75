"""What is not where it was shown is looked for, or got past with a helper's hand; nothing is done wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click
from gui_agent.core.observation import Words
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Demonstration, Trajectory
from gui_agent.planners.cascade import CascadePlanner
from gui_agent.planners.commands import PlainPlanner
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.testing import ScriptedPlanner, do

pytestmark = pytest.mark.nightly

PAGE = (Path(__file__).parents[2] / "pages" / "members.html").as_uri()
SHOWN = 'click "Ada Lovelace", click "Write", type "hello" into "Text", click "Submit"'
COVER = """() => document.body.insertAdjacentHTML('beforeend',
  '<div role="dialog" aria-label="Cookies" style="position:fixed;inset:0;background:#fff">'
  + '<button onclick="this.parentNode.remove()">Understood</button></div>')"""


def run(computer: PageComputer, planner: Planner, task: str) -> Trajectory:
    guard = PolicyGuard.default(yes=True)
    return (
        Agent(computer, planner, guard=guard, limits=Limits(patience=0.5), picture=False).run(task).trajectory
    )


def sent(computer: PageComputer) -> list[str]:
    return list(computer.evaluate("sent"))


@pytest.fixture(scope="module")
def known() -> list[Demonstration]:
    """One demonstration, on the page as it once was."""
    with PageComputer(PAGE) as browser:
        shown = from_trajectory(run(browser, PlainPlanner(), SHOWN), "browser")
    return [Demonstration("Write 'hello' to Ada Lovelace", shown.steps)]


@pytest.mark.parametrize("how", ["by=pages", "by=pages&gap=2000", "by=more", "by=more&gap=1500", "by=scroll"])
def test_a_name_further_on_is_found(computer: PageComputer, known: list[Demonstration], how: str) -> None:
    computer.start(f"{PAGE}?{how}")
    done = run(computer, DemonstrationPlanner(known), "Write 'see you' to Niklaus Wirth")
    assert done.ending is not None and done.ending.kind == "done", done.ending
    assert sent(computer) == ["Niklaus Wirth: see you"]


@pytest.mark.parametrize("how", ["by=pages", "by=pages&gap=2000"])
def test_a_name_that_is_nowhere_leaves_the_page_as_it_was(
    computer: PageComputer, known: list[Demonstration], how: str
) -> None:
    computer.start(f"{PAGE}?{how}")
    done = run(computer, DemonstrationPlanner(known), "Write 'see you' to Edsger Dijkstra")
    assert done.ending is not None and done.ending.kind == "not_done"
    assert "3 pages were looked at" in done.ending.reason
    assert computer.evaluate("page") == 0
    assert sent(computer) == []


def test_a_renamed_button_on_a_later_page_takes_one_hand(
    computer: PageComputer, known: list[Demonstration]
) -> None:
    computer.start(f"{PAGE}?write=Compose")
    helper = ScriptedPlanner([do(Click(Words("Compose")))])
    planner = CascadePlanner([DemonstrationPlanner(known), helper])
    done = run(computer, planner, "Write 'see you' to Tim Berners")
    assert done.ending is not None and done.ending.kind == "done", done.ending
    assert len(helper.situations) == 1
    assert sent(computer) == ["Tim Berners: see you"]


@pytest.mark.parametrize("name", ["Compose", "Block", "Rewrite history"])
def test_without_a_helper_a_renamed_button_is_not_pressed(
    computer: PageComputer, known: list[Demonstration], name: str
) -> None:
    computer.start(f"{PAGE}?write={name}")
    done = run(computer, DemonstrationPlanner(known), "Write 'see you' to Alan Turing")
    assert done.ending is not None and done.ending.kind == "not_done"
    assert name in done.ending.reason
    assert computer.evaluate("!document.getElementById('record').hidden")


def test_a_dialog_over_the_page_is_taken_away_by_the_helper_and_the_rest_goes_on(
    computer: PageComputer, known: list[Demonstration]
) -> None:
    computer.start(PAGE)
    computer.evaluate(COVER)
    helper = ScriptedPlanner([do(Click(Words("Understood")))])
    planner = CascadePlanner([DemonstrationPlanner(known), helper])
    done = run(computer, planner, "Write 'see you' to Alan Turing")
    assert done.ending is not None and done.ending.kind == "done", done.ending
    assert len(helper.situations) == 1
    assert sent(computer) == ["Alan Turing: see you"]
