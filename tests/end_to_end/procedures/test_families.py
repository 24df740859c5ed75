"""Procedures learned from at most three demonstrations do their task on pages that look different."""

from __future__ import annotations

import statistics

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent.core.trajectory import DemoStep
from gui_agent.elements.abstraction import relevant
from gui_agent.planners.demonstration import DemonstrationPlanner
from tests.end_to_end.procedures import bed

REPRESENTATIVE = ("ticks", "pages", "mail", "lookup", "quantity", "everyone", "rename", "wizard", "drawn")
"""One family for each kind of structure; `bed.py` as a script measures all of them."""
QUICK = ("mail",)


@pytest.mark.parametrize(
    "family",
    [pytest.param(one, marks=() if one in QUICK else pytest.mark.nightly) for one in REPRESENTATIVE],
)
def test_a_family_is_learned(computer: PageComputer, family: str) -> None:
    runs = bed.measure(computer, family, bed.seeds_for(family), (1000, 1001))
    assert [str(run) for run in runs if run.wrong] == []
    assert [str(run) for run in runs if not run.right] == []
    assert all(turn.decision.calls == 0 for run in runs for turn in run.trajectory.turns)


@pytest.mark.nightly
def test_what_is_acted_on_stays_in_the_abstract_of_the_screen(computer: PageComputer) -> None:
    for family in ("mail", "calendar", "pages", "scrolled", "tree", "copied"):
        shown = bed.demonstrate(computer, family, bed.seeds_for(family)[0])
        # A scroll acts on whatever happens to be under the pointer.
        acted = [step for step in shown.steps if step.action.kind != "scroll"]
        lost = [step.action for step in acted if not _stays(step, shown.task)]
        assert lost == [], family


def _stays(step: DemoStep, task: str) -> bool:
    targets = {number for number in (step.element, step.to_element) if number}
    return step.screen is None or targets <= {one.id for one in relevant(step.screen, task)}


def test_an_instruction_that_was_never_shown_touches_nothing(computer: PageComputer) -> None:
    planner = DemonstrationPlanner(
        [bed.demonstrate(computer, "mail", seed) for seed in bed.seeds_for("mail")]
    )
    bed.open_page(computer, "mail", 1000)
    trajectory = bed.agent(computer, planner).run("Archive the mail from Ada Wirth")
    assert trajectory.ending is not None and trajectory.ending.kind == "not_done"
    assert computer.evaluate("window.__result().finals") == []


@pytest.mark.nightly
def test_a_long_form_is_replayed_from_one_demonstration(computer: PageComputer) -> None:
    planner = DemonstrationPlanner([bed.demonstrate(computer, "register", 1)])
    seconds = [bed.replay(computer, planner, seed) for seed in range(1000, 1003)]
    assert statistics.median(seconds) < 5.0  # other tests share the machine; the bar itself is in bed.py
