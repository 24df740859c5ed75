"""A folder of recordings, whoever made them: what can be used is used, and all else is told in a line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from guiagent_eval.cli.demonstrations import collect

from gui_agent.core.actions import Choose, Click
from gui_agent.core.trajectory import Demonstration, DemoStep
from gui_agent.procedures.importers import files
from gui_agent.procedures.library.store import save_demonstration
from gui_agent.scene.fingerprints import Fingerprint
from tests.unit.eval.miniwob_recordings.recorder import Page, Tape

SCRIPT = 'from playwright.sync_api import Page\npage.get_by_role("button", name="Send").click()\n'
DEVTOOLS = json.dumps({"title": "", "steps": [{"type": "click", "selectors": [["aria/Send"]]}]})
PRESSED = (DemoStep(Click(Fingerprint("button", "it"))),)


def pressed(said: str = "Press send.", reward: float = 1) -> str:
    page = Page()
    button = page.node("BUTTON", text="Send")
    tape = Tape(said, button, reward=reward)
    tape.click(button)
    return tape.text()


def chosen(said: str, looked_for: str = "") -> str:
    page = Page()
    choice, button = page.node("SELECT"), page.node("BUTTON", text="Submit")
    tape = Tape(said, choice, button)
    tape.click(choice)
    if looked_for:
        tape.type(looked_for, choice)
    tape.click(button)
    return tape.text()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "press-it"
    made.mkdir()
    return made


def tasks(demonstrations: tuple[Demonstration, ...]) -> list[str]:
    return [one.task for one in demonstrations]


def test_every_kind_of_recording_is_taken(folder: Path) -> None:
    (folder / "a.json").write_text(pressed("Press a."))
    (folder / "b.json.gz").write_bytes(gzip.compress(pressed("Press b.").encode()))
    (folder / "c.py").write_text(SCRIPT)
    (folder / "c.txt").write_text("Press c.\n")
    (folder / "d.json").write_text(DEVTOOLS)
    (folder / "d.txt").write_text("Press d.")
    save_demonstration(folder / "e.json", Demonstration("Press e.", PRESSED))
    (folder / "f.jsonx").write_text(pressed("Press f."))
    (folder / "README.md").write_text("not looked at")
    found = collect(folder, 10)
    assert tasks(found.demonstrations) == [f"Press {letter}." for letter in "abcdef"]
    assert found.told == ()
    assert all(isinstance(one.steps[0].action, Click) for one in found.demonstrations)


def test_the_first_by_name_that_can_be_used_are_taken(folder: Path) -> None:
    (folder / "0.json").write_text(pressed("0", reward=-1))
    (folder / "1.json").write_text("{")
    for number in range(2, 6):
        (folder / f"{number}.json").write_text(pressed(str(number)))
    found = collect(folder, 3)
    assert tasks(found.demonstrations) == ["2", "3", "4"]
    assert found.told == (
        "press-it/1.json line 1: not JSON: Expecting property name enclosed in double quotes",
        "press-it: 1 recording does not end with reward 1, not used: 0.json",
    )
    assert collect(folder, 0).demonstrations == ()


def test_failures_are_counted_and_named(folder: Path) -> None:
    for number in range(7):
        (folder / f"{number}.json").write_text(pressed(reward=0.3))
    told = "press-it: 7 recordings do not end with reward 1, not used: 0.json, 1.json, 2.json, 3.json"
    assert collect(folder, 5).told == (f"{told}, 4.json, ...",)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.json", b"\xff\xfe", "not text in UTF-8"),
        ("a.json.gz", b"no gzip", "cannot be unpacked"),
        ("a.json.gz", gzip.compress(b"{}", mtime=0)[:-9], "cannot be unpacked"),
        ("a.json.gz", gzip.compress(b" " * 2000, mtime=0), "too large"),
        ("a.json", b" " * 2000, "too large"),
        ("a.json", b"[" * 900, "not JSON"),
        ("a.json", b"[]", "not a demonstration nor a format"),
        ("a.json", b'{"x": 1}', "not a demonstration nor a format"),
        ("a.json", b'{"taskName": "", "utterance": "", "states": []}', "no states"),
        ("a.py", SCRIPT.encode(), "it does not describe its task; write the task into a.txt"),
        ("a.py", b"(", "a.py"),
        ("a.json", DEVTOOLS.encode(), "it does not describe its task; write the task into a.txt"),
    ],
)
def test_what_cannot_be_used_is_told_and_nothing_else_is_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, said: str
) -> None:
    save_demonstration(folder / "z.json", Demonstration("Press it.", PRESSED))
    (folder / name).write_bytes(data)
    monkeypatch.setattr(files, "LARGEST", 1000)
    found = collect(folder, 5)
    assert tasks(found.demonstrations) == ["Press it."]
    assert len(found.told) == 1
    assert found.told[0].startswith(f"press-it/{name}")
    assert said in found.told[0]


def test_json_that_is_nested_too_deeply_is_told(folder: Path) -> None:
    (folder / "a.json").write_text("[" * 100_000)
    deep = {"tag": "DIV", "left": 0, "top": 0, "width": 1, "height": 1, "ref": 1, "children": []}
    dom = json.dumps(deep)
    for _ in range(400):
        dom = dom.replace('"children": []', f'"children": [{json.dumps(deep)}]')
    state = f'{{"time": 0, "action": null, "dom": {dom}}}'
    (folder / "b.json").write_text(
        f'{{"taskName": "", "utterance": "a", "rawReward": 1, "states": [{state}]}}'
    )
    found = collect(folder, 5)
    assert found.demonstrations == ()
    assert [line.split(":")[0] for line in found.told] == ["press-it/a.json", "press-it/b.json"]


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert collect(tmp_path / "nothing", 5).demonstrations == ()


def test_what_was_chosen_in_lists_is_told_by_where_the_instructions_differ(folder: Path) -> None:
    names = ("Ada", "New Caledonia", "Bob")
    for number, name in enumerate(names):
        (folder / f"{number}.json").write_text(chosen(f"Select {name} from the list and click Submit."))
    found = collect(folder, 5)
    options = [one.steps[0].action for one in found.demonstrations]
    assert [action.option for action in options if isinstance(action, Choose)] == list(names)
    assert found.told == (
        'press-it: not recorded, taken from the instructions: "Ada", "New Caledonia", "Bob"',
    )


@pytest.mark.parametrize(
    "recordings",
    [
        [chosen("Select Ada.")],
        [chosen("Select Ada."), chosen("Select Ada.")],
        [chosen("Select Ada.", "z"), chosen("Select Bob.", "z")],
        [chosen("Select Ada in Rome."), chosen("Select Bob in Oslo.")],
    ],
)
def test_choices_that_the_instructions_leave_open_are_not_guessed(
    folder: Path, recordings: list[str]
) -> None:
    for number, text in enumerate(recordings):
        (folder / f"{number}.json").write_text(text)
    found = collect(folder, 5)
    assert found.demonstrations == ()
    assert len(found.told) == len(recordings)
    assert "neither in the recording nor in its instruction" in found.told[0]


def test_a_script_that_comes_over_in_part_is_told_once(folder: Path) -> None:
    odd = "page.mouse.click(1, 2)\npage.mouse.click(3, 4)\npage.wait_for_timeout(5)\n"
    (folder / "a.py").write_text(SCRIPT + odd)
    (folder / "a.txt").write_text("Send it.")
    found = collect(folder, 5)
    assert tasks(found.demonstrations) == ["Send it."]
    assert len(found.told) == 1
    assert found.told[0].startswith("press-it/a.py line 3: left out: mouse.click has no counterpart")
    assert found.told[0].endswith("(and 1 more)")


def test_a_demonstration_without_steps_shows_nothing_and_is_told(folder: Path) -> None:
    save_demonstration(folder / "a.json", Demonstration("Press it.", ()))
    found = collect(folder, 5)
    assert found.demonstrations == ()
    assert found.told == ("press-it/a.json: it has no steps, so nothing can be learned from it",)


def test_a_folder_that_cannot_be_read_is_told_and_one_that_is_not_there_holds_nothing(folder: Path) -> None:
    file = folder / "a.json"
    file.touch()
    assert collect(file, 5).told == (
        "a.json: cannot be read: a part of the path is no folder; check the path",
    )
    assert collect(folder / "none", 5).told == ()
