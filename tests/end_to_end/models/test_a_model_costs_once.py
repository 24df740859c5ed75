"""What a model did once on a real application, and was verified, is done with other values without a call.

The applications are those of `guiagent eval apps`, judged by their own data; they are installed on demand:

    python -m pytest -n 0 -m slow -s tests/end_to_end/models/test_a_model_costs_once.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.app_catalogue import task_called
from guiagent_eval.app_server import cache_folder, install
from guiagent_eval.apps import Apps
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.recipe import open_policy
from guiagent_eval.model_path.service import AnswerService
from guiagent_eval.model_path.solver import script

from gui_agent import run
from gui_agent.core.trajectory import Result
from gui_agent.settings import load

TASKS = ("django.add-author", "django.change-price", "django.search-and-note")
FIRST, OTHER = 0, 3
"""Episodes with the first values and with others."""


@pytest.fixture(scope="module")
def apps() -> Iterator[Apps]:
    made = Apps(goal=True)
    yield made
    made.teardown()


def run_task(
    task: str, episode: int, apps: Apps, service: AnswerService, folder: Path
) -> tuple[Result, bool, int]:
    """What came of a task, whether the data are right, and how often a model was asked."""
    settings = load(
        usual={
            "guard": open_policy(),
            "limits": {"seconds": 120, "steps": 40},
            "model": {"name": service.name},
            "memory": {"path": str(folder / "memory.db"), "learn": "verified", "embedder": "lexical"},
            "trace": {"folder": str(folder / "runs")},
        }
    )
    with apps.episode(Case(task, episode)) as begun:
        service.script = script(Case(task, episode), begun.names)
        result = run(begun.task, computer=begun.computer, settings=settings)
        calls = sum(turn.decision.calls for turn in result.trajectory.turns)
        return result, begun.grade().success, calls


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("task", os.environ.get("TASKS", "").split() or TASKS)
def test_a_verified_run_of_a_model_is_done_again_with_other_values_and_no_call(
    task: str, apps: Apps, tmp_path: Path
) -> None:
    install(task_called(task)[0], cache_folder(), print)
    with AnswerService() as service:
        first, right, calls = run_task(task, FIRST, apps, service, tmp_path)
        assert first.ok and right and calls > 0, first.reason
        again, right, calls_again = run_task(task, OTHER, apps, service, tmp_path)
    checked = sum(step.outcome.good for step in again.steps)
    print(f"{task}: {calls} calls, then {calls_again}; {checked} of {len(again.steps)} steps verified")
    assert again.ok and right, again.reason
    assert calls_again == 0
    assert checked == len(again.steps) > 0
