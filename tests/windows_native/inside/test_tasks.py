"""Plain commands on Win32 programs by the real command; what they did is in files and the registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import programs
import pytest
from programs import OPEN_FORM, SCRATCH, keep, kept, saved, text, until

from gui_agent.cli import call


def nothing() -> None:
    """No preparation."""


def file(name: str, content: str) -> Callable[[], Any]:
    """Prepares a file."""
    return lambda: (SCRATCH / name).write_bytes(content.encode("cp1252"))


def value(**values: Any) -> Callable[[], None]:
    """Prepares values in the registry."""
    return lambda: keep(**values)


@dataclass(frozen=True)
class Task:
    """What is asked for, and how to see that it was done."""

    words: str
    done: Callable[[], Any]
    prepare: Callable[[], Any] = nothing
    is_shown: bool = True
    """Whether the program shows all that it did at once; if not, it is done and may be told as not proven."""


def fields(**wanted: Any) -> Callable[[], bool]:
    """Whether the form was saved with these values."""

    def check() -> bool:
        told = saved()
        assert {name: told[name.replace("_", " ")] for name in wanted} == wanted
        return True

    return check


def mines(name: str) -> Any:
    """What the game keeps."""
    return kept(name, r"Software\Microsoft\WinMine")


SAVE = r'press alt+f, press s, type "C:\t\{}", press Enter'
FORM = f'open "{OPEN_FORM}"'
REGISTRY = 'open "regedit", double-click "HKEY_CURRENT_USER", double-click "Software", click "GuiagentTest"'
NOTE = r'open "notepad C:\t\a.txt"'
TASKS = {
    "notepad writes a file": Task(
        'open "notepad", type "héllo wörld", ' + SAVE.format("out.txt"),
        lambda: text("out.txt") == "héllo wörld",
    ),
    "notepad goes on at the end of a file": Task(
        NOTE + ', press ctrl+end, type " tea", press ctrl+s',
        lambda: text("a.txt") == "milk tea",
        file("a.txt", "milk"),
        is_shown=False,
    ),
    "notepad writes over what a search found": Task(
        NOTE + ', press ctrl+f, type "red" into "Find What", click "Find Next", click "Cancel", '
        'type "blue", press ctrl+s',
        lambda: text("a.txt") == "one blue two",
        file("a.txt", "one red two"),
        is_shown=False,
    ),
    "notepad replaces a word": Task(
        NOTE + ', press ctrl+h, type "red" into "Find What", type "blue" into "Replace With", '
        'click "Find Next", click "Replace", click "Cancel", press ctrl+s',
        lambda: text("a.txt") == "blue and red",
        file("a.txt", "red and red"),
    ),
    "notepad replaces all that stands there": Task(
        NOTE + ', press ctrl+a, type "new", press ctrl+s',
        lambda: text("a.txt") == "new",
        file("a.txt", "old text"),
        is_shown=False,
    ),
    "notepad copies a line": Task(
        NOTE + ", press ctrl+a, press ctrl+c, press ctrl+end, press ctrl+v, press ctrl+s",
        lambda: text("a.txt") == "twice twice ",
        file("a.txt", "twice "),
        is_shown=False,
    ),
    "notepad cuts what a search found": Task(
        NOTE + ', press ctrl+f, type "gone " into "Find What", click "Find Next", click "Cancel", '
        "press ctrl+x, press ctrl+s",
        lambda: text("a.txt") == "here there",
        file("a.txt", "here gone there"),
        is_shown=False,
    ),
    "notepad takes back what was typed": Task(
        NOTE + ', press ctrl+end, type "xyz", press ctrl+z, press ctrl+s',
        lambda: text("a.txt") == "kept",
        file("a.txt", "kept"),
        is_shown=False,
    ),
    "regedit changes a text": Task(
        REGISTRY + ', double-click "note", type "new value" into "Value data", click "OK"',
        lambda: kept("note") == "new value",
        value(note="old"),
    ),
    "regedit changes a number": Task(
        REGISTRY + ', double-click "count", type "2a" into "Value data", click "OK"',
        lambda: kept("count") == 42,
        value(count=7),
    ),
    "regedit deletes a value": Task(
        REGISTRY + ', click "note", press delete, click "Yes"',
        lambda: kept("note") is None and kept("other") == "stays",
        value(note="old", other="stays"),
    ),
    "regedit renames a value": Task(
        REGISTRY + ', click "note", press f2, type "remark", press Enter',
        lambda: kept("remark") == "same" and kept("note") is None,
        value(note="same"),
        is_shown=False,
    ),
    "regedit makes a key": Task(
        REGISTRY + ', press alt+e, press n, press k, type "Made", press Enter',
        lambda: programs.key_exists(rf"{programs.KEY}\Made"),
        value(note="x"),
        is_shown=False,
    ),
    "taskmgr starts a program": Task(
        'open "taskmgr", click the tab "Applications", click "New Task...", type "winemine" into "Open", '
        'click "OK"',
        lambda: programs.running("winemine"),
    ),
    "taskmgr ends a program": Task(
        'open "winemine", open "taskmgr", click the tab "Processes", click "winemine.exe", '
        'click "End Process", click "Yes"',
        lambda: not programs.running("winemine"),
    ),
    "taskmgr shows another page": Task(
        'open "taskmgr", click the tab "Performance", press alt+f, press x',
        lambda: not programs.running("taskmgr"),
    ),
    "winemine plays for experts": Task(
        'open "winemine", press alt+g, press e, close the window',
        lambda: mines("Difficulty") == 2,
    ),
    "winemine plays for beginners": Task(
        'open "winemine", press alt+g, press b, close the window',
        lambda: mines("Difficulty") == 0,
    ),
    "winemine takes own numbers": Task(
        'open "winemine", press alt+g, press c, type "12" into "Rows", type "14" into "Columns", '
        'type "20" into "Mines", click "OK", close the window',
        lambda: (mines("Height"), mines("Width"), mines("Mines")) == (12, 14, 20),
    ),
    "winefile runs a batch file": Task(
        r'open "winefile", press alt+f, press r, type "C:\t\make.bat", press Enter',
        (SCRATCH / "made").is_dir,
        file("make.bat", "mkdir C:\\t\\made\r\n"),
    ),
    "winefile opens a file": Task(
        r'open "winefile", press alt+f, press r, type "C:\t\a.txt", press Enter, '
        'switch to "Notepad", press ctrl+end, type "!", press ctrl+s',
        lambda: text("a.txt") == "from winefile!",
        file("a.txt", "from winefile"),
        is_shown=False,
    ),
    "winefile asks what to run": Task(
        'open "winefile", press alt+f, press r, type "regedit", click "OK"',
        lambda: programs.running("regedit"),
    ),
    "winefile is left by its menu": Task(
        'open "winefile", press alt+f, press x', lambda: not programs.running("winefile")
    ),
    "the form is filled in": Task(
        FORM + ', type "Ada Lovelace" into "Name", type "two lines" into "Notes", choose "Köln" in "City", '
        'check "Express", click "By train", click "Save", wait for "saved"',
        fields(Name="Ada Lovelace", Notes="two lines", City="Köln", Express=True, By_train=True),
    ),
    "the form takes an item of a list": Task(
        FORM + ', click "medium", click "Save", wait for "saved"', lambda: saved()["Size"] == 1
    ),
    "a field is written anew": Task(
        FORM + ', type "Ada" into "Name", type "Grace Höpper 你好" into "Name", '
        'click "Save", wait for "saved"',
        fields(Name="Grace Höpper 你好"),
    ),
    "an editor that mixes up what comes at once": Task(
        FORM + ', type "Hello world 123" into "Hasty", click "Save", wait for "saved"',
        fields(Hasty="Hello world 123"),
    ),
    "two programs one after the other": Task(
        FORM + ', open "notepad", type "seen", '
        + SAVE.format("b.txt")
        + ', switch to "Order form", type "Bob" into "Name", click "Save", wait for "saved"',
        lambda: saved()["Name"] == "Bob" and text("b.txt") == "seen",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_plain_commands_do_what_they_say(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    task = TASKS[name]
    task.prepare()
    told = call(
        ["run", task.words, "--on", "desktop", "--countdown", "0", "--runs", str(SCRATCH / "runs"),
         "--yes", "--set", "computer.options.observe=tree"]
    )  # fmt: skip
    said = capfd.readouterr()
    unproven = told == 4 and "nothing proves that it worked" in said.out + said.err
    assert told == 0 or (unproven and not task.is_shown), f"{told}: {said.out}{said.err}"
    until(task.done, name, 5)


def test_there_are_enough_of_them() -> None:
    assert len(TASKS) >= 25 and Path(OPEN_FORM.split(" ")[0]).is_file()
