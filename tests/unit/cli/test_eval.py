"""`guiagent eval`: choices are checked before anything is started."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from guiagent_eval.baselines import check
from guiagent_eval.benchmark import Case
from guiagent_eval.cli import PERSON
from guiagent_eval.cli import demonstrations as knowledge
from guiagent_eval.cli.demonstrations import Collected, Knowledge, collect_for, demonstrated_tasks
from guiagent_eval.cli.execution import Tally
from guiagent_eval.cli.miniwob import chosen_seeds
from guiagent_eval.cli.recipe import Recipe, default_demos, journal
from guiagent_eval.records import EvalFolder, Record
from guiagent_eval.schedule import RunLimits

from gui_agent.cli import call
from gui_agent.core.actions import Click
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Demonstration, Task


def test_seeds_are_written_as_a_beginning_a_range_or_a_list() -> None:
    assert chosen_seeds("10000-", 3) == [10000, 10001, 10002]
    assert chosen_seeds("5-9", 3) == [5, 6, 7]
    assert chosen_seeds("5-6", 9) == [5, 6]
    assert chosen_seeds("3,7", 9) == [3, 7]
    with pytest.raises(ConfigError, match="write 10000-"):
        chosen_seeds("all", 3)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--suite", "synapse65"], 'did you mean "synapse64"'),
        (["--tasks", "click-buton"], 'did you mean "click-button"'),
        (["--tasks", "click-button", "--without", "reflexion"], 'did you mean "reflection"'),
        (["--tasks", "click-button", "--seeds", "x"], "write 10000-"),
        (["--tasks", "click-button", "--demos", "nowhere"], "no such folder"),
        (["--tasks", "click-button", "--exemplars", "2"], "asks no model"),
    ],
)
def test_a_wrong_choice_is_told_in_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert call(["eval", "miniwob", *arguments, "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_suites_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["eval", "miniwob", "--list", "--json"]) == 0
    listed = {one["suite"]: one["tasks"] for one in json.loads(capsys.readouterr().out)}
    assert {name: len(tasks) for name, tasks in listed.items()} == {
        "all": 130,
        "quick": 12,
        "synapse48": 48,
        "synapse64": 64,
    }
    assert set(listed["synapse48"]) < set(listed["synapse64"]) < set(listed["all"])


def test_a_run_is_shown_by_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = {"recipe": {"planner": "plain", "benchmark": "toy"}, "tasks": ["a"], "seeds": [1, 2]}
    run = EvalFolder.create(tmp_path / "run", journal)
    run.append(Record("a", 1, "success", seconds=0.25, steps=3))
    run.close()
    assert call(["eval", "show", str(tmp_path / "run")]) == 0
    said = capsys.readouterr().out
    assert "planner plain, 1 of 2 episodes" in said
    assert "100.0 % success" in said
    assert call(["eval", "show", str(tmp_path / "run"), "--html"]) == 0
    assert (tmp_path / "run" / "report.html").is_file()


def test_a_folder_without_a_run_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["eval", "show", str(tmp_path)]) == 2
    assert "not a benchmark run" in capsys.readouterr().err or "no benchmark run" in capsys.readouterr().err


def test_an_agent_knows_the_demonstrations_of_its_task_or_those_of_a_suite(tmp_path: Path) -> None:
    for task in ("click-button", "login-user", "enter-text"):
        (tmp_path / task).mkdir()
        (tmp_path / task / "0.json").touch()
    recipe = Recipe("miniwob", "", {}, demos=str(tmp_path), max_demos=5, demos_of="synapse48")
    assert Knowledge(recipe).not_used(["login-user"]) == [
        "login-user/0.json: the file is empty; give a recording or a demonstration",
        f"{tmp_path} holds no demonstration of these tasks; "
        "give --demos a folder that holds a folder for each task",
    ]
    assert demonstrated_tasks(recipe) == ["click-button"]
    assert len(demonstrated_tasks(Recipe("miniwob", "", {}, demos=str(tmp_path), demos_of="all"))) == 3
    with pytest.raises(ConfigError, match="no such suite"):
        demonstrated_tasks(Recipe("miniwob", "", {}, demos=str(tmp_path), demos_of="synapse"))


def test_the_click_that_starts_the_clock_is_no_part_of_a_task(tmp_path: Path) -> None:
    (tmp_path / "press-it").mkdir()
    script = 'page.get_by_text("START").click()\npage.get_by_role("button", name="Go").click()\n'
    (tmp_path / "press-it" / "a.py").write_text(script)
    (tmp_path / "press-it" / "a.txt").write_text("Go.")
    found = collect_for(Recipe("miniwob", "", {}, demos=str(tmp_path)), "press-it")
    clicked = [
        step.action.at.name for step in found.demonstrations[0].steps if isinstance(step.action, Click)
    ]
    assert clicked == ["Go"]
    other = collect_for(Recipe("another", "", {}, demos=str(tmp_path)), "press-it")
    assert len(other.demonstrations[0].steps) == 2


def test_demonstrations_of_different_tasks_are_never_learned_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for task in ("click-button", "click-link", "enter-text"):
        (tmp_path / task).mkdir()
    learned: list[str] = []
    monkeypatch.setattr(knowledge, "learn", lambda shown, name: learned.append(name) or (name,))

    def know(demos_of: str, *without: str) -> Knowledge:
        return Knowledge(Recipe("miniwob", "", {}, demos=str(tmp_path), demos_of=demos_of, without=without))

    pooled = know("synapse48")
    pooled.programs(pooled.shared_tasks)
    pooled = pickle.loads(pickle.dumps(pooled))
    assert pooled.group("enter-text") == pooled.group("click-link") == ("click-button", "click-link")
    assert pooled.programs(pooled.group("enter-text")) == ("click-button", "click-link")
    assert pooled.programs(("click-link",)) == ("click-link",)
    assert learned == ["click-button", "click-link"]
    assert know("own").group("enter-text") == ("enter-text",)
    assert know("own").shared_tasks == know("synapse48", "memory").shared_tasks == ()
    assert know("synapse48", "memory").group("enter-text") == ()
    assert know("synapse48", "memory").group("click-link") == ("click-link",)


def test_demonstrations_are_read_once_and_stay_in_their_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    found = Collected((Demonstration("one", ()),), ("one thing",))
    monkeypatch.setattr(knowledge, "collect", lambda folder, most: read.append(folder.name) or found)
    monkeypatch.setattr(knowledge, "learn", lambda shown, name: (f"{len(shown)} {name}",))
    known = Knowledge(Recipe("miniwob", "", {}, demos=str(tmp_path)))
    assert known.not_used(("a", "b")) == ["one thing", "one thing"]
    assert known.programs(("a",)) == ("1 a",)
    assert read == ["a", "b"]
    packed = pickle.dumps(known)
    assert b"Demonstration" not in packed
    there = pickle.loads(packed)
    assert there.programs(("a",)) == ("1 a",)
    assert read == ["a", "b"]
    assert there.programs(("b",)) == ("1 b",)
    assert read == ["a", "b", "b"]


def test_a_run_whose_demonstrations_are_gone_is_not_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = Recipe("miniwob", str(tmp_path / "run"), {}, demos=str(tmp_path / "gone"), demos_of="all")
    table = journal(recipe.as_json(), ["a"], [1], RunLimits(), {"kind": "local"})
    EvalFolder.create(tmp_path / "run", table)
    assert call(["eval", "resume", str(tmp_path / "run")]) == 2
    assert "gone: no such folder" in capsys.readouterr().err


def test_tasks_and_guest_of_a_run_are_given_again_when_it_is_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"tasks": "/of/others", "checkout": "/of/others", "oracles": "", "guest": "remote:http://h:1"}
    recipe = Recipe("osworld", str(tmp_path / "run"), {}, options=options, planner="plain")
    table = journal(recipe.as_json(), ["os/1"], [0], RunLimits(), {"kind": "local", "address": ""})
    run = EvalFolder.create(tmp_path / "run", table)
    run.append(Record("os/1", 0, "wrong"))
    run.close()
    assert call(["eval", "resume", str(run.folder)]) == 2
    said = capsys.readouterr().err
    assert "options.tasks" in said and "--guest" in said and "eval --own" in said
    own = ",".join(PERSON)
    again = [
        "eval",
        "--own",
        own,
        "resume",
        str(run.folder),
        "--tasks",
        "/of/others",
        "--guest",
        "remote:http://h:1",
    ]
    assert call(again) == 0


def test_without_abstraction_each_demonstration_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = (Demonstration("one", ()), Demonstration("two", ()))
    monkeypatch.setattr(knowledge, "collect", lambda folder, most: Collected(shown))
    monkeypatch.setattr(knowledge, "learn", lambda shown, name: ("+".join(one.task for one in shown),))
    whole = Recipe("miniwob", "", {}, demos=str(tmp_path))
    assert Knowledge(whole).programs(("a",)) == ("one+two",)
    assert Knowledge(replace(whole, without=("abstraction",))).programs(("a",)) == ("one", "two")


@pytest.mark.parametrize(
    ("without", "planner", "pooled", "why"),
    [
        ("memry", "demonstration", False, "did you mean memory|no such part"),
        ("memory", "demonstration", False, "only its own demonstrations already"),
        ("abstraction", "model", False, "learns nothing"),
        ("memory", "model", True, "gets no demonstrations"),
        ("batches", "random", False, "a baseline"),
    ],
)
def test_what_cannot_be_left_out_is_refused(without: str, planner: str, pooled: bool, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        check((without,), planner, pooled=pooled)


def test_what_can_be_left_out_is_accepted() -> None:
    check(("memory", "abstraction", "reflection", "batches"), "demonstration", pooled=True)
    check(("memory",), "model", pooled=True, exemplars=1)


def test_a_model_is_shown_the_nearest_demonstrations_but_none_of_its_own_episode() -> None:
    recipe = Recipe("miniwob", "", {}, planner="model", demos=default_demos("miniwob"), exemplars=3)
    own = collect_for(recipe, "enter-text").demonstrations
    task, first = Task(own[0].task), own[0].steps[0].screen
    assert first is not None
    seen = Observation(first.size, first.elements, first.place)

    def shown(recipe: Recipe, seed: int, case: str = "enter-text") -> list[str]:
        source = Knowledge(recipe).exemplars(Case(case, seed))
        assert source is not None
        return [one.task for one in source.recall(task, seen)]

    assert len(shown(recipe, 10000)) == len(shown(recipe, 0)) == 3
    assert task.text in shown(recipe, 10000)
    assert task.text not in shown(recipe, 0)
    pooled = replace(recipe, demos_of="synapse48", max_demos=1)
    others = shown(pooled, 10000, "enter-text-dynamic")
    assert len(others) == 3
    assert len(shown(replace(pooled, without=("memory",)), 10000)) == 0
    assert Knowledge(replace(recipe, exemplars=0)).exemplars(Case("enter-text", 0)) is None


def test_a_recipe_survives_the_journal() -> None:
    recipe = Recipe("miniwob", "runs/x", {"limits": {"steps": 9}}, without=("batches",))
    assert Recipe.from_json(json.loads(json.dumps(recipe.as_json()))) == recipe
    with pytest.raises(ConfigError, match="another version"):
        Recipe.from_json({"kitchen": "sink"})


def test_progress_counts_what_was_there_before() -> None:
    tally = Tally(4, [Record("a", 1, "success")])
    assert tally.line().startswith("1/4 episodes, success 100.0 %")
    assert tally.remaining == "-:--"
    tally.came(Record("a", 2, "wrong", reason="oh"))
    assert tally.line().startswith("2/4 episodes, success 50.0 %")
    assert list(tally.failures) == ["a/2: wrong: oh"]
