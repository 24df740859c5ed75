"""Everyday work with texts in an editor."""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.desktop.effects import has_bytes, holds
from tests.starter.work import Values, Work


def mentions(path: Path, values: Values) -> None:
    """A text that has the old word another number of times each time."""
    path.write_text(" and ".join(values["old"] for _ in values["some"].splitlines()))


TEXTS = (
    Work(
        "write-text",
        'Write the text "{text}" in the text editor and save it as {file}',
        'open Mousepad; type "{text}"; press ctrl+s; type "~/{file}"; press Enter; '
        'wait until the title is "*/{file} - Mousepad"',
        (
            {"text": "shopping list", "file": "list.txt"},
            {"text": "call Ida on Monday", "file": "reminder.md"},
        ),
        {"text": "Feed the cat, twice", "file": "note-7.txt"},
        lambda v: holds(v["file"], v["text"]),
        ("mousepad",),
    ),
    Work(
        "replace-words",
        'Replace "{old}" by "{new}" everywhere in the text file {file}',
        'open "mousepad {file}"; choose Search > Find and Replace; type "{old}" into "Search for"; '
        'type "{new}" into "Replace with"; tick "Replace all in"; click "Replace All"; click "Close"; '
        "press ctrl+s",
        (
            {"old": "tea", "new": "coffee", "file": "order.txt"},
            {"old": "Monday", "new": "Friday", "file": "week.md"},
        ),
        {"old": "Ida", "new": "Eva", "file": "guests.txt"},
        lambda v: lambda home: set((home / v["file"]).read_text().split()) == {"and", v["new"]},
        ("mousepad",),
        {"{file}": mentions},
    ),
    Work(
        "add-line",
        'Add the line "{text}" at the end of the text file {file}',
        'open "mousepad {file}"; press ctrl+End; type "{text}"; press ctrl+s',
        ({"text": "butter", "file": "list.txt"}, {"text": "Ring the dentist", "file": "tasks.md"}),
        {"text": "3 lemons", "file": "market.txt"},
        lambda v: lambda home: (home / v["file"]).read_text().splitlines()[-1] == v["text"],
        ("mousepad",),
        {"{file}": "one\n{some}"},
    ),
    Work(
        "put-line-on-top",
        'Put the line "{text}" at the top of the text file {file}',
        'open "mousepad {file}"; press ctrl+Home; type "{text}"; press Enter; press ctrl+s',
        ({"text": "Shopping", "file": "list.txt"}, {"text": "For Monday", "file": "tasks.md"}),
        {"text": "At the market", "file": "market.txt"},
        lambda v: lambda home: (home / v["file"]).read_text().splitlines()[:2] == [v["text"], "one"],
        ("mousepad",),
        {"{file}": "one\n{some}"},
    ),
    Work(
        "copy-text-file",
        "Save a copy of the text file {file} as {copy} in the text editor",
        'open "mousepad {file}"; choose File > Save As...; type "~/{copy}" into "Name"; click "Save"',
        ({"file": "list.txt", "copy": "list of May.txt"}, {"file": "tasks.md", "copy": "done.md"}),
        {"file": "market.txt", "copy": "market-2.txt"},
        lambda v: lambda home: (home / v["copy"]).read_text() == (home / v["file"]).read_text(),
        ("mousepad",),
        {"{file}": "{some}"},
    ),
    Work(
        "change-line-endings",
        'Change the line endings of the text file {file} to "{ending}"',
        'open "mousepad {file}"; choose Document > Line Ending > {ending}; press ctrl+s',
        (
            {"file": "list.txt", "ending": "DOS / Windows (CR LF)"},
            {"file": "tasks.md", "ending": "Mac (CR)"},
        ),
        {"file": "market.txt", "ending": "DOS / Windows (CR LF)"},
        lambda v: has_bytes(v["file"], b"one\r\n" if "LF" in v["ending"] else b"one\r"),
        ("mousepad",),
        {"{file}": "one\n{some}"},
    ),
    Work(
        "write-upper-case",
        "Put the whole text file {file} into upper case",
        'open "mousepad {file}"; press ctrl+a; choose Edit > Convert > To Uppercase; press ctrl+s',
        ({"file": "list.txt"}, {"file": "tasks.md"}),
        {"file": "market.txt"},
        lambda v: lambda home: "ONE" in (text := (home / v["file"]).read_text()) and text == text.upper(),
        ("mousepad",),
        {"{file}": "one\n{some}"},
    ),
    Work(
        "strip-lines",
        "Remove the spaces at the ends of the lines in the text file {file}",
        'open "mousepad {file}"; choose Edit > Convert > Strip Trailing Spaces; press ctrl+s',
        ({"file": "list.txt"}, {"file": "tasks.md"}),
        {"file": "market.txt"},
        lambda v: lambda home: (home / v["file"]).read_text().startswith("one\ntwo\n"),
        ("mousepad",),
        {"{file}": "one   \ntwo \n{some}"},
    ),
    Work(
        "write-code",
        'Write the program "{text}" in the code editor and save it as {file}',
        'open FeatherPad; type "{text}"; press ctrl+s; type "~/{file}"; press Enter',
        ({"text": "print(1)", "file": "one.py"}, {"text": "let a = 2", "file": "two.js"}),
        {"text": "x <- 3", "file": "three.r"},
        lambda v: holds(v["file"], v["text"]),
        ("featherpad",),
    ),
)
