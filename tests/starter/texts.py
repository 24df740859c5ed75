"""Everyday work with texts in an editor."""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.desktop.effects import holds
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
)
