"""Tasks in the form of OSWorld's second release, with its package's base class and several phases."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from guiagent_eval.osworld.evaluators import EvaluatorProcess
from guiagent_eval.osworld.task_classes import read_description, read_score
from guiagent_eval.osworld.tasks import checkout_of, read_tasks, task_folder

from gui_agent.core.errors import BenchmarkError
from gui_agent.core.observation import Size

PACKAGE = {
    "task_base": """
class BaseTask(dict):
    id = instruction = ""
    config, evaluator, related_apps, user_simulator = (), None, (), None

    def __init__(self):
        super().__init__({name: getattr(self, name) for name in ("id", "instruction", "config", "evaluator")})

    def setup(self, setup_controller, use_proxy=False):
        raise AssertionError("the package decides what a task without a set-up of its own does")

    def evaluate(self, env):
        raise AssertionError("the package decides how such a task is scored")


class MultiPhaseTask(BaseTask):
    pass
""",
    "desktop_env": """
class DesktopEnv:
    def _set_task_info(self, task):
        self.cache_dir, self.config, self.evaluator = self.cache_dir_base, task["config"], task["evaluator"]

    def evaluate(self):
        return float(self.setup_controller.done == self.evaluator["result"])
""",
    "controllers/__init__": "",
    "controllers/python": """
class PythonController:
    def __init__(self, vm_ip, server_port):
        pass
""",
    "controllers/setup": """
class SetupController:
    def __init__(self, vm_ip, server_port, cache_dir):
        self.done = []

    def reset_cache_dir(self, folder):
        pass

    def setup(self, config, use_proxy=False):
        self.done += [step["type"] for step in config]
        return True
""",
}
HEAD = "from desktop_env.task_base import BaseTask, MultiPhaseTask\n"
PHASES = (
    HEAD
    + """
class Meetings(MultiPhaseTask):
    id, instruction = "069", "all phases"

    def setup(self, setup_controller, use_proxy=True):
        setup_controller.done.append(f"task {use_proxy}")

    def get_phases(self):
        def prepare(controller, use_proxy):
            controller.done.append("reply")
        return [
            {"name": "invite", "instruction": "Invite Ann", "evaluate": lambda env: FIRST,
             "gate_min_score": 0.35, "setup": lambda *_, **__: 1 / 0},
            {"name": "answer", "instruction": "Move it", "setup": prepare, "evaluate": self.answered,
             "gate": True, "pause_after_setup_seconds": 0},
            {"instruction": "Write a summary", "evaluate": lambda env: 0.35},
        ]

    def answered(self, env):
        assert env.action_history == ["DONE"]
        return SECOND if env.setup_controller.done == ["task False", "reply"] else 9.0

TASK_CLASS = Meetings
"""
)
Ask = Callable[..., object]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[[str], Ask]]:
    """Starts the isolated process with a task's text; returns its door."""
    checkout = tmp_path / "checkout"
    for name, text in {"__init__": "", **PACKAGE}.items():
        path = checkout / "desktop_env" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    python = tmp_path / "evaluators" / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    started: list[EvaluatorProcess] = []

    def start(text: str) -> Ask:
        place = checkout / "evaluation_examples" / "task_class" / "task_069.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        (task,) = read_tasks(task_folder(str(checkout))).values()
        assert checkout_of(str(task.path.parent)) == str(checkout.resolve())
        there: dict[str, int] = {}
        known = (str(checkout), "http://127.0.0.1:9", "", there, Size(800, 600))
        process = EvaluatorProcess(python.parents[2], *known, classes=True)
        started.append(process)
        loading = {"setup_class": {"path": str(task.path)}}
        return lambda do, **given: process.ask(do, **loading.get(do, given))

    yield start
    for process in started:
        process.close()


def test_the_points_of_phases_add_up_to_the_score(ask: Callable[[str], Ask]) -> None:
    door = ask("FIRST, SECOND = 0.35, 0.3\n" + PHASES)
    first = read_description(door("setup_class"))[0]
    assert (first.id, first.instruction, first.phases) == ("069", "Invite Ann", 3)
    assert read_description(door("next_phase", last="DONE"))[0].instruction == "Move it"
    assert read_description(door("next_phase", last="DONE"))[0].instruction == "Write a summary"
    score = read_score(door("score_class", last="DONE"))
    assert score.score == 1.0 and score.grade().success
    told = [(one["name"], one["score"]) for one in score.model_dump()["phases"]]
    assert told == [("invite", 0.35), ("answer", 0.3), ("Phase 3", 0.35)]


@pytest.mark.parametrize(
    ("first", "second", "reached", "score"), [(0.3, 0.3, 1, 0.3), (0.35, 0.0, 2, 0.35), (0.0, 0.0, 1, 0.0)]
)
def test_a_phase_that_earns_too_little_ends_the_task(
    ask: Callable[[str], Ask], first: float, second: float, reached: int, score: float
) -> None:
    door = ask(f"FIRST, SECOND = {first}, {second}\n{PHASES}")
    door("setup_class")
    begun = [door("next_phase", last="DONE") is not None for _ in range(reached)]
    assert begun == [True] * (reached - 1) + [False]
    for _ in range(2):  # asking again scores nothing again
        told = read_score(door("score_class", last="DONE"))
        assert told.score == score and not told.grade().success
    assert told.grade().reason == f"it ended after {('invite', 'answer')[reached - 1]}"


def test_a_run_that_ends_within_a_phase_keeps_the_points_of_the_earlier_ones(
    ask: Callable[[str], Ask],
) -> None:
    door = ask("FIRST, SECOND = 0.35, 0.0\n" + PHASES)
    door("setup_class")
    door("next_phase", last="DONE")
    assert read_score(door("score_class", last="DONE")).score == 0.35


@pytest.mark.parametrize(
    "found", ["TASK_CLASS = Chosen", "Task = Chosen", "def get_task():\n    return Chosen()"]
)
def test_a_module_says_which_of_its_classes_is_the_task(ask: Callable[[str], Ask], found: str) -> None:
    text = f"""
class Helper:
    def setup(self, env): ...
    def evaluate(self, env): ...

class Chosen(BaseTask):
    id, instruction = "069", "Choose"

    def setup(self, setup_controller):
        setup_controller.done.append("own")

    def evaluate(self, env):
        return {{"score": 0.5, "note": env.setup_controller.done}}

{found}
"""
    door = ask(HEAD + text)
    assert read_description(door("setup_class"))[0].instruction == "Choose"
    score = read_score(door("score_class", last="DONE"))
    assert score.score == 0.5 and score.model_dump()["note"] == ["own"]


def test_a_task_without_methods_of_its_own_is_set_up_and_scored_like_the_first_generation(
    ask: Callable[[str], Ask],
) -> None:
    text = """
class Declared(BaseTask):
    id, instruction = "069", "Declare"
    config = [{"type": "upload_file", "parameters": {}}]
    evaluator = {"func": "exact_match", "result": ["upload_file"]}
"""
    door = ask(HEAD + text)
    door("setup_class")
    assert read_score(door("score_class", last="DONE")).score == 1.0


def test_a_module_with_two_tasks_and_no_choice_is_an_error(ask: Callable[[str], Ask]) -> None:
    door = ask(HEAD + "class A(BaseTask): ...\nclass B(BaseTask): ...\n")
    with pytest.raises(BenchmarkError, match="setup_class"):
        door("setup_class")


def test_what_a_class_reaches_for_is_told_without_running_it(tmp_path: Path) -> None:
    for name, text in {
        "1": "from desktop_env.file_source import asset\nfrom desktop_env.evaluators import llm_metrics",
        "2": "from desktop_env.controllers.website import build_website_url\nprint(GITLAB_URL)",
        "3": "raise SystemExit('an asset of a model')",
    }.items():
        (tmp_path / f"task_{name}.py").write_text(text)
    tasks = read_tasks(tmp_path)
    assert tasks["v2/1"].lacks() == ("files of a hub", "a model")
    assert tasks["v2/2"].lacks() == ("a website", "an account")
    assert tasks["v2/3"].lacks() == ()
