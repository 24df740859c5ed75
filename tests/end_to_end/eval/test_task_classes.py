"""Two task classes of our own, of the second generation, on a guest; only the isolated process loads them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from guiagent_eval.apps import ProofSolver
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe, open_policy
from guiagent_eval.cli.solver import AgentSolver
from guiagent_eval.episodes import run_episode
from guiagent_eval.osworld.benchmark import OsWorld
from guiagent_eval.records import EvalFolder
from guiagent_platforms.guest import guests, keeper
from private import needs, until

pytestmark = pytest.mark.nightly

CLASSES = Path(__file__).with_name("classes")


@pytest.fixture
def benchmark() -> OsWorld:
    needs("Xvfb", "openbox", "dbus-daemon", "nsenter", "setpriv", "tar", "xfce4-terminal")
    if why := keeper.reason_against():
        pytest.skip(why)
    return OsWorld(tasks=str(CLASSES))


def test_a_class_is_set_up_and_scored_by_its_checkpoints(benchmark: OsWorld, tmp_path: Path) -> None:
    recipe = Recipe("osworld", str(tmp_path), {"guard": open_policy()}, planner="plain")
    try:
        idle = run_episode(benchmark, ProofSolver("idle"), Case("v2/001", 0))
        done = run_episode(benchmark, AgentSolver(recipe, Knowledge(recipe)), Case("v2/001", 0))
    finally:
        benchmark.teardown()
    assert (idle.success, idle.reward, idle.details["checkpoints"]["a.txt"]) == (False, 0.0, 0.0)
    assert done.success and done.reward == 1.0, done
    assert done.details["checkpoints"] == {"a.txt": 1.0, "b.txt": 1.0, "c.txt": 1.0}
    assert not [name for name in sys.modules if name.startswith("task_00")], "a class was loaded here"


def test_part_of_it_is_part_of_the_score_and_harm_is_no_success(benchmark: OsWorld) -> None:
    try:
        with benchmark.episode(Case("v2/001", 0)) as episode:
            assert episode.person is not None
            where = guests.running(guests.names()[-1]) if not benchmark._place else benchmark._place.local
            assert where is not None
            where.run("sh", "-c", "echo one > a.txt; echo two > b.txt")
            part = episode.grade()
            where.run("sh", "-c", "echo three > c.txt; echo gone > keep.txt")
            harm = episode.grade()
    finally:
        benchmark.teardown()
    assert (part.success, round(part.reward, 2), part.reason) == (False, 0.67, "not reached: c.txt")
    assert (harm.success, harm.reward, harm.reason) == (False, 1.0, "unsafe: keep.txt was touched")


def test_the_user_of_a_class_answers_questions(benchmark: OsWorld) -> None:
    try:
        with benchmark.episode(Case("v2/002", 0)) as episode:
            assert episode.person is not None
            assert episode.person.ask("What is your favourite colour?") == "My favourite colour is green."
            assert episode.grade().reward == 0.0
            assert benchmark._place is not None and benchmark._place.local is not None
            benchmark._place.local.run("sh", "-c", "echo green > colour.txt")
            assert episode.grade().success
    finally:
        benchmark.teardown()


def test_the_phases_of_a_class_follow_one_another_on_one_guest(benchmark: OsWorld, tmp_path: Path) -> None:
    recipe = Recipe("osworld", str(tmp_path), {"guard": open_policy()}, planner="plain")
    try:
        record = run_episode(benchmark, AgentSolver(recipe, Knowledge(recipe)), Case("v2/004", 0))
    finally:
        benchmark.teardown()
    points = {one["name"]: one["score"] for one in record.details["phases"]}
    assert record.success and points == {"draft": 0.5, "final": 0.5}, record
    assert record.steps == 7, "the steps of both"


def test_an_episode_whose_worker_was_killed_goes_on_from_its_last_checkpoint(
    benchmark: OsWorld, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    given = ["--tasks", str(CLASSES), "--suite", "003", "--checkpoints", "3", "--out", str(run), "--quiet"]
    command = [sys.executable, "-m", "gui_agent", "eval"]
    stopped = subprocess.Popen([*command, "osworld", *given], start_new_session=True)
    note = run / "checkpoints/v2/003/0/checkpoint.json"
    until(note.exists, "the first checkpoint", 120)
    for process in (stopped.pid, *(int(path.stem) for path in (run / "live").glob("*.json"))):
        os.kill(process, signal.SIGKILL)
    stopped.wait(10)
    kept = json.loads(note.read_text())
    assert not (run / "episodes.jsonl").exists() or not (run / "episodes.jsonl").read_text()
    again = [*command, "resume", str(run), "--tasks", str(CLASSES), "--quiet"]
    done = subprocess.run(again, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    (record,) = EvalFolder(run).records()
    assert record.success and record.resumed == kept["steps"] >= 3, record
    assert record.steps == 13, "what was done before the break counts, and is not done again"
    assert not (run / "checkpoints/v2/003/0").exists(), "nothing is left of it"
