"""OSWorld's task files are read and checked; those of the person are used from where they are."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from guiagent_eval.cli.prove import faults
from guiagent_eval.content import content
from guiagent_eval.osworld.benchmark import OsWorld
from guiagent_eval.osworld.place import SETTING_UP
from guiagent_eval.osworld.tasks import human_steps, read_tasks, support, task_folder
from guiagent_eval.records import Record
from guiagent_eval.summary import HUMAN, sentences, summarise

from gui_agent.core.errors import ConfigError
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


@pytest.mark.parametrize("part", ["a text", ["a text", None], 5, {"type": 3}, [{"type": ["x"]}]])
def test_the_needs_of_a_task_are_listed_for_getters_of_any_form(tmp_path: Path, part: object) -> None:
    evaluator = {"func": "exact_match", "result": part, "expected": part}
    assert read_tasks(write(tmp_path, evaluator=evaluator))["os/1"].lacks() == ()


def test_an_address_that_is_only_written_into_a_file_needs_no_website(tmp_path: Path) -> None:
    for command, needs in (
        ("echo http://example.org > start.txt", ()),
        ("wget http://example.org", ("a website",)),
    ):
        step = {"type": "execute", "parameters": {"command": command, "shell": True}}
        assert read_tasks(write(tmp_path, config=[step]))["os/1"].lacks() == needs


def test_the_steps_of_people_are_read_where_they_are_known(tmp_path: Path) -> None:
    shown = {
        "single-action": ["`CLICK` a", "`PRESS` enter"],
        "grouped-action": [["`CLICK` a", "`PRESS` enter"]],
    }
    folder = write(tmp_path, **{"human-ground-truth": shown})
    assert human_steps(folder / "examples") == {"os/1": 2}
    with pytest.raises(ConfigError, match="no file there describes"):
        human_steps(write(tmp_path / "other"))
    records = [
        Record("os/1", 0, "success", steps=3, details={HUMAN: 2}),
        Record("os/2", 0, "success", steps=9),
    ]
    assert "steps for each that a person needed: 1.50 (1 successful episodes)" in sentences(
        summarise(records)
    )


def test_proofs_name_what_is_wrong() -> None:
    records = [Record("os/1", 0, "success"), Record("os/2", 0, "wrong"), Record("os/3", 0, "infrastructure")]
    assert [line.partition(":")[0] for line in faults("oracle", records)] == ["os/2/0", "os/3/0"]
    assert [line.partition(":")[0] for line in faults("idle", records)] == ["os/1/0", "os/3/0"]


def test_the_oracles_that_come_with_the_project_are_for_tasks_that_can_be_done_here() -> None:
    known = json.loads(content("osworld/oracles.json").read_text())
    assert len(known) >= 20 and all(isinstance(one, str) for commands in known.values() for one in commands)
    if folder := os.environ.get("GUIAGENT_TEST_OSWORLD", ""):
        tasks = read_tasks(task_folder(folder))
        assert all(name in tasks and not tasks[name].infeasible for name in known)


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
