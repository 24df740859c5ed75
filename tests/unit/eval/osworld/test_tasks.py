"""OSWorld's task files are read and checked; those of the person are used from where they are."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gui_agent.core.errors import ConfigError
from gui_agent.eval.osworld.benchmark import OsWorld
from gui_agent.eval.osworld.place import SETTING_UP
from gui_agent.eval.osworld.tasks import read_tasks, support, task_folder
from gui_agent.planners.commands import Unparsed, parse

TASK = {"id": "1", "instruction": "x", "evaluator": {"func": "exact_match", "result": {"type": "vm_file"}}}


def write(folder: Path, **changed: object) -> Path:
    path = folder / "examples" / "os" / "1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**TASK, **changed}))
    return folder


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"config": [{"type": "explode", "parameters": {}}]}, "explode"),
        ({"evaluator": {"func": ["a", "b"], "result": [1]}}, "as long as"),
        ({"evaluator": {"func": "guiagent"}}, "nothing to check"),
        ({"instruction": 5}, "instruction"),
    ],
)
def test_a_task_that_does_not_fit_is_named(tmp_path: Path, changed: dict[str, object], why: str) -> None:
    with pytest.raises(ConfigError, match=why) as error:
        read_tasks(write(tmp_path, **changed))
    assert "os/1.json" in str(error.value) and "\n" not in str(error.value)


def test_what_a_task_needs_is_told(tmp_path: Path) -> None:
    hub = "https://{}.co/datasets/a.xlsx".format("huggingface")
    step = {"type": "download", "parameters": {"files": [{"url": hub, "path": "/home/user/a.xlsx"}]}}
    task = read_tasks(write(tmp_path, config=[step]))["os/1"]
    assert task.lacks() == ("files of a hub",)
    local = {"type": "chrome_open_tabs", "parameters": {"urls_to_open": ["http://localhost:1337"]}}
    assert read_tasks(write(tmp_path, config=[local]))["os/1"].lacks() == ()


def test_an_unknown_suite_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no task or application 'chess'"):
        OsWorld(tasks=str(write(tmp_path))).tasks("chess")
    with pytest.raises(ConfigError, match="examples"):
        OsWorld(tasks="/usr").tasks("all")


def test_every_task_of_our_own_can_be_asked_for_proved_and_checked() -> None:
    known = read_tasks(task_folder(""))
    assert len(known) >= 80
    for task in known.values():
        assert task.own and task.file.oracle and task.file.evaluator.checks, task.name
        assert parse(task.file.commands), task.name
        steps = {step.type for step in (*task.file.config, *task.file.evaluator.postconfig)}
        assert steps <= {"files", "sleep", *SETTING_UP}, task.name
        kinds = {key for one in (*task.file.oracle, *task.file.evaluator.checks) for key in one}
        assert not kinds & {"run", "sql", "get", "post"}, f"{task.name} runs or asks something"


def test_our_suite_has_long_tasks_messages_and_questions() -> None:
    known = read_tasks(task_folder("")).values()
    people = [task.file.person for task in known if task.file.person is not None]
    commands = [parse(task.file.commands) for task in known]
    assert sum(not isinstance(one, Unparsed) and len(one) > 60 for one in commands) >= 10
    assert sum(bool(one.messages) for one in people) >= 5
    assert sum(bool(one.to_be_asked) for one in people) >= 5
    assert all(one.knows for one in people if one.to_be_asked)


def test_all_tasks_of_a_checkout_load() -> None:
    folder = os.environ.get("GUIAGENT_TEST_OSWORLD", "")
    if not folder:
        pytest.skip("GUIAGENT_TEST_OSWORLD names no folder with OSWorld's tasks")
    known = read_tasks(task_folder(folder))
    table = support(list(known.values()))
    assert len(known) >= 350 and sum(row["supported"] for row in table.values()) >= 45
    assert sum(row["infeasible"] for row in table.values()) >= 28
