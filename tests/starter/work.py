"""An everyday task of the store that comes with the project: how it is shown, how its outcome is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.end_to_end.desktop.effects import Effect

Values = Mapping[str, str]
Maker = Callable[[Path, Values], None]
"""Makes a file that is no text."""
PEOPLE = ("ada", "grace", "mary")
"""Whose home folder it is: the first two show the task, with the third it is checked."""
_PROSE = (
    "Nothing here yet.\nOr is there?\n",
    "Buy milk.\nCall the plumber.\nWater the plants.\n",
    "A\nB\nC\nD\n",
)
_OTHERS: tuple[Mapping[str, str], ...] = (
    {"todo.txt": "sleep\n"},
    {"Holidays/beach.txt": "sand\n", "poem.txt": "roses are red\n"},
    {"Music/songs.txt": "la\n", "readme.txt": "read me\n", "tea.txt": "Assam\n"},
)


@dataclass(frozen=True)
class Work:
    """A task in words, the plain commands that do it, values for both, and what must be there afterwards.

    `{name}` stands for a value in all of its texts, and `{some}` for a text that is another one each time.
    """

    name: str
    task: str
    commands: str
    shown: tuple[Values, ...]
    """What it is shown with: two recordings tell apart what belongs to a task with values."""
    other: Values
    """What it is checked with, nowhere in the recordings."""
    effect: Callable[[Values], Effect]
    needs: tuple[str, ...]
    files: Mapping[str, str | Maker] = field(default_factory=dict)
    """Files in the home folder: their text, or what makes them."""

    def values(self, number: int) -> Values:
        """Those of a recording (0 and 1) or of the check (2)."""
        return self.other if number == 2 else self.shown[number]

    def asked(self, number: int) -> str:
        """The task in words."""
        return self.task.format(**self.values(number))

    def said(self, number: int) -> str:
        """The plain commands."""
        return self.commands.format(**self.values(number))

    def prepare(self, folder: Path, number: int) -> Path:
        """Make the home folder as it is before the task; where it is."""
        home = folder / PEOPLE[number]
        values = {**self.values(number), "some": _PROSE[number]}
        for name, content in {**_OTHERS[number], **self.files}.items():
            path = home / name.format(**values)
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                path.write_text(content.format(**values) if name in self.files else content)
            else:
                content(path, values)
        return home
