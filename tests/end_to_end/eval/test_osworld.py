"""Our own suite in OSWorld's format, on a real guest; OSWorld's own evaluators where the person has them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from guiagent_eval.apps import PROOFS, ProofSolver
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.osworld import osworld, write_layout
from guiagent_eval.episodes import run_episode
from guiagent_eval.osworld.actions import RecordedSolver
from guiagent_eval.osworld.benchmark import OsWorld
from guiagent_eval.records import EvalFolder, Record
from guiagent_platforms.guest import keeper
from private import needs

from gui_agent.settings import evaluator_folder
from gui_agent.trace import read_run

pytestmark = pytest.mark.nightly

RENAME = Case("files/rename", 0)


def local() -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "nsenter", "setpriv", "tar")
    if why := keeper.reason_against():
        pytest.skip(why)


def test_an_oracle_does_a_task_and_doing_nothing_does_not(tmp_path: Path) -> None:
    local()
    benchmark = OsWorld()
    try:
        found = [run_episode(benchmark, ProofSolver(kind), RENAME) for kind in PROOFS]
    finally:
        benchmark.teardown()
    assert [record.success for record in found] == [True, False]
    write_layout(tmp_path, found[:1], "oracle")
    place = tmp_path / "osworld/typed/screenshot_a11y_tree/oracle/files/rename"
    assert float((place / "result.txt").read_text()) == 1.0
    assert json.loads((place / "traj.jsonl").read_text().splitlines()[-1])["action"] == "DONE"


@pytest.mark.timeout(300)
def test_of_two_runs_on_a_guest_one_is_kept_and_each_began_anew(tmp_path: Path) -> None:
    local()
    out = tmp_path / "run"
    given = ["--suite", "editor/add-line", "--best-of", "2", "--trace", "all", "--quiet", "--out", str(out)]
    assert CliRunner().invoke(osworld, given, catch_exceptions=False).return_value is None
    (record,) = EvalFolder(out).records()
    assert record.success and record.details["best_of"] == 2
    for number in (1, 2):
        run = read_run(out / "traces/editor/add-line" / f"0.{number}", pictures=False).trajectory
        field = next(one for one in run.turns[0].observation.elements if one.role == "textbox")
        assert "butter" not in field.value


def test_a_recorded_trajectory_is_done_again(tmp_path: Path) -> None:
    local()
    needs("xfce4-terminal")
    typed = "pyautogui.write('ls Documents > list.txt\\n')"
    said = [
        {"action_type": "WAIT"},
        typed,
        "import os; os.remove('list.txt')",
        {"action_type": "WAIT"},
        "DONE",
    ]
    folder = tmp_path / "terminal" / "make-file"
    folder.mkdir(parents=True)
    (folder / "traj.jsonl").write_text("\n".join(json.dumps({"action": one}) for one in said))
    benchmark = OsWorld()
    task = benchmark.by_name["terminal/make-file"]
    open_it = {"type": "launch", "parameters": {"command": ["xfce4-terminal"]}}
    task.file.config.append(type(task.file.config[0]).model_validate(open_it))
    try:
        record = run_episode(benchmark, RecordedSolver(str(tmp_path)), Case("terminal/make-file", 0))
    finally:
        benchmark.teardown()
    assert record.success, record


def test_osworlds_own_evaluators_score_a_task() -> None:
    local()
    checkout = os.environ.get("GUIAGENT_TEST_OSWORLD", "")
    if not checkout or not (evaluator_folder() / "venv").is_dir():
        pytest.skip(
            "needs GUIAGENT_TEST_OSWORLD with a checkout, and guiagent eval osworld --setup-evaluators"
        )
    given = {"tasks": checkout, "checkout": checkout, "evaluators": str(evaluator_folder())}
    benchmark = OsWorld(**given)
    infeasible = next(
        name for name, task in benchmark.by_name.items() if task.infeasible and not task.lacks()
    )
    try:
        found: list[Record] = [
            run_episode(benchmark, ProofSolver(kind), Case(infeasible, 0)) for kind in PROOFS
        ]
    finally:
        benchmark.teardown()
    assert [record.reward for record in found] == [1.0, 0.0], "giving up is right where nothing can be done"
