"""`guiagent run`: what goes in, what comes out, and the exit code."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gui_agent.core.errors import ActionFailed
from gui_agent.core.protocols import Computer
from gui_agent.settings import state_folder

Called = tuple[int, str, str]
Guiagent = Callable[..., Called]


def test_a_task_is_done_and_its_report_written(guiagent: Guiagent, small_world: tuple[str, ...]) -> None:
    code, out, err = guiagent("run", "a task", *small_world)
    assert code == 0
    assert out == ""
    assert "Ada" in err
    folder = next(state_folder("runs").iterdir())
    assert f"Report: {folder / 'report.html'}" in err
    assert (folder / "report.html").stat().st_size > 1000
    assert (folder.parent.stat().st_mode | folder.stat().st_mode) & 0o077 == 0, "they are the person's own"
    assert not Path("runs").exists(), "nothing is left where the command was called"


@pytest.mark.parametrize(
    ("given", "told"),
    [('open=["calc"]', True), ("steps=9", True), ("amount=3", False), ("name=Ada", False)],
)
def test_a_setting_without_its_section_is_told_to_be_a_value_of_the_task(
    guiagent: Guiagent, small_world: tuple[str, ...], given: str, told: bool
) -> None:
    code, _, err = guiagent("run", "a task", "--set", given, *small_world)
    assert code == 0
    assert ("is passed to the task as a value" in err) is told


def test_json_is_all_there_is_on_standard_output(guiagent: Guiagent, small_world: tuple[str, ...]) -> None:
    code, out, err = guiagent("run", "a task", "--json", "--quiet", *small_world)
    result = json.loads(out)
    assert code == 0
    assert (result["ok"], result["steps"], result["answer"]) == (True, 2, "Step two")
    assert Path(result["report"]).is_file()
    assert "Ada" not in err


def test_what_nothing_verified_is_told_and_with_strict_ends_with_4(guiagent: Guiagent) -> None:
    world = ("--on", "small_world:computer", "--set", "planner.kind=small_world:unsure")
    code, _, err = guiagent("run", "a task", *world)
    assert code == 0 and "Done, not verified: no check looked" in err
    code, out, _ = guiagent("run", "a task", "--strict", "--json", "--quiet", *world)
    told = json.loads(out)
    assert (code, told["exit_code"], told["ok"], told["verified"]) == (4, 4, True, False)
    report = Path(told["report"]).read_text("utf-8")
    assert "Done, not verified" in report
    assert guiagent("learn", Path(told["folder"]).name, "--task", "go on")[0] == 2, "never learned"


def test_the_folder_of_runs_can_be_chosen_or_left_out(
    guiagent: Guiagent, small_world: tuple[str, ...]
) -> None:
    assert guiagent("run", "a task", "--runs", "elsewhere", *small_world)[0] == 0
    assert len(list(Path("elsewhere").iterdir())) == 1
    assert guiagent("run", "a task", "--set", "trace.folder=", *small_world)[0] == 0
    assert not state_folder("runs").exists()


def test_the_settings_are_kept_with_the_run(guiagent: Guiagent, small_world: tuple[str, ...]) -> None:
    guiagent("run", "a task", "--max-steps", "7", *small_world)
    kept = json.loads(next(state_folder("runs").glob("*/run.json")).read_text())
    assert kept["settings"]["limits"]["steps"] == 7
    assert kept["settings"]["computer"]["kind"] == "small_world:computer"


def test_values_and_settings_share_one_option(guiagent: Guiagent, small_world: tuple[str, ...]) -> None:
    guiagent(
        "run", "a task", *small_world, "--set", "name=Ada", "--set", "limits.steps=1", "--set", "a.b=c=d"
    )
    kept = json.loads(next(state_folder("runs").glob("*/run.json")).read_text())
    assert kept["task"]["values"] == {"name": "Ada", "a.b": "c=d"}
    assert kept["settings"]["limits"]["steps"] == 1


def test_a_limit_ends_the_run_with_code_4(guiagent: Guiagent, small_world: tuple[str, ...]) -> None:
    code, _, err = guiagent("run", "a task", "--max-steps", "1", *small_world)
    assert code == 4
    assert "limit of 1 steps" in err


def test_what_would_be_asked_is_refused_when_nobody_is_there(guiagent: Guiagent) -> None:
    options = ("--on", "small_world:computer", "--set", "planner.kind=small_world:sender")
    code, _, err = guiagent("run", "a task", *options)
    assert code == 5
    assert "--yes" in err
    code, _, err = guiagent("run", "a task", "--yes", *options)
    assert code == 0


def test_a_grant_answers_for_one_kind_of_action(guiagent: Guiagent) -> None:
    options = ("--on", "small_world:computer", "--set", "planner.kind=small_world:sender")
    assert guiagent("run", "a task", "--set", 'guard.grants=["send"]', *options)[0] == 0
    code, _, err = guiagent("run", "a task", "--set", 'guard.grants=["sned"]', *options)
    assert code == 2
    assert "not a kind of action" in err


def test_a_fault_in_the_program_names_the_trace(guiagent: Guiagent) -> None:
    options = ("--on", "small_world:computer", "--set", "planner.kind=small_world:broken")
    with pytest.raises(RuntimeError, match="the planner is broken") as caught:
        guiagent("run", "a task", *options)
    folder = next(state_folder("runs").iterdir())
    assert caught.value.__notes__ == [f"trace: {folder}"]
    assert json.loads((folder / "ending.json").read_text())["ending"]["kind"] == "crashed"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no task given"),
        (("  ",), "no task given"),
        (("a", "--file", "b"), "not both"),
        (("--file", "nothing.txt"), "cannot read the task from nothing.txt"),
        (("a", "--demo", "nothing.json"), "nothing.json"),
        (("a", "-c", "nothing.toml"), "nothing.toml: there is no such file"),
        (("a", "--on", "browsr"), 'there is no "browsr" (did you mean "browser"?)'),
        (("a", "--planner", "modle"), 'there is no planner "modle" (did you mean "model"?)'),
        (("a", "--url", "nothing.html"), "--url nothing.html: there is no such file"),
        (("a", "--url", "pages/nothing.htm"), "there is no such file"),
        (("a", "--demo", "empty.json"), "the demonstration empty.json has no steps"),
        (("--file", "binary"), "it is not text in UTF-8"),
        (("--file", "page.html"), "page.html is a page, not a task; say what to do on it"),
        (("--file", "page"), "guiagent run 'click \"Next\"' --url page"),
        (("page.html",), "page.html is a page, not a task"),
        (("steps.txt",), "steps.txt is a file; read it with --file steps.txt"),
        (("a", "--set", "name"), "write it as name=value"),
        (("a", "--set", "limit.steps=1"), 'unknown key "limit" (did you mean "limits"?)'),
        (("a", "-c", "flat.toml"), "limits is a table of settings; write [limits]"),
        (("a", "--set", "limits.stps=1"), 'unknown key "stps"'),
        (("a", "--set", "guard.policy=nothing.toml"), "nothing.toml"),
        (("a", "--max-steps", "0"), "greater than or equal to 1"),
        (("a", "--runs", "file"), "cannot keep runs in file"),
        (("a", "--set", "computer.options.wdith=3"), 'unknown option "wdith"'),
    ],
)
def test_a_mistake_is_one_line_and_code_2(
    guiagent: Guiagent, arguments: tuple[str, ...], message: str
) -> None:
    Path("file").touch()
    Path("empty.json").write_text('{"task": "a", "steps": []}')
    Path("binary").write_bytes(b"\xff\xfe")
    Path("flat.toml").write_text("limits = 3")
    Path("page.html").write_text("<h1>A</h1>")
    Path("page").write_text(" <!DOCTYPE html>\n<title>A</title>")
    Path("steps.txt").write_text('click "Next"')
    code, out, err = guiagent("run", *arguments)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert err.startswith("guiagent: ")
    assert out == ""


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("page.html", "{here}/page.html"),
        ("./page.html", "{here}/page.html"),
        ("nothing.org", "nothing.org"),
        ("shop.example/page.html", "shop.example/page.html"),
        ("localhost/page.html", "localhost/page.html"),
        ("https://shop.example/page.html", "https://shop.example/page.html"),
        ("mousepad", "mousepad"),
    ],
)
def test_a_page_in_a_file_is_kept_with_its_whole_path(
    guiagent: Guiagent, small_world: tuple[str, ...], written: str, meant: str
) -> None:
    Path("page.html").touch()
    guiagent("run", "a task", "--url", written, *small_world)
    kept = json.loads(next(state_folder("runs").glob("*/run.json")).read_text())
    assert kept["task"]["start"] == meant.format(here=Path.cwd())


def test_a_program_to_begin_with_that_cannot_be_opened_is_a_wrong_setting(
    guiagent: Guiagent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened() -> Computer:
        raise ActionFailed('no program or file is called "mousepda"')

    monkeypatch.setattr(sys.modules["small_world"], "computer", opened)
    code, _, err = guiagent("run", 'click "Next"', "--on", "small_world:computer")
    assert (code, err) == (
        2,
        'guiagent: computer small_world:computer: no program or file is called "mousepda"\n',
    )


def test_a_dry_run_says_what_commands_mean_and_does_nothing(guiagent: Guiagent) -> None:
    code, out, _ = guiagent("run", 'type "Ada" into "Name", click "Send"', "--dry-run")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["1.", "2."]
    assert not state_folder("runs").exists()
    code, out, _ = guiagent("run", "think of something nice", "--dry-run")
    assert code == 4
    assert out.startswith("not understood: ")
    assert guiagent("run", "a", "--dry-run", "--demo", "b.json")[0] == 2


def test_a_mistake_is_told_as_json_too(guiagent: Guiagent) -> None:
    code, out, err = guiagent("run", "a", "--on", "browsr", "--json")
    told = json.loads(out)
    assert (code, told["ok"], told["exit_code"], told["error"]) == (2, False, 2, "ConfigError")
    assert told["reason"] in err


def test_a_mistake_in_an_option_shows_the_usage(guiagent: Guiagent) -> None:
    code, _, err = guiagent("run", "a", "--nothing")
    assert code == 2
    assert "No such option" in err


def test_the_task_can_come_from_a_file_or_standard_input(
    guiagent: Guiagent, small_world: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("task.txt").write_text("from a file\n")
    assert guiagent("run", "--file", "task.txt", "--runs", "one", *small_world)[0] == 0
    assert json.loads(next(Path("one").glob("*/run.json")).read_text())["task"]["text"] == "from a file"
    monkeypatch.setattr("sys.stdin", io.StringIO("from a pipe"))
    assert guiagent("run", "--file", "-", "--runs", "two", *small_world)[0] == 0
    assert json.loads(next(Path("two").glob("*/run.json")).read_text())["task"]["text"] == "from a pipe"
