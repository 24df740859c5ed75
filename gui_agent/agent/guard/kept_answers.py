"""The person's kept answers: for which meaning on which host or program the guard need not ask again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from gui_agent.core.os_errors import private_folder, replace_file

ANSWERS = "answers"
"""The name of their folder among the person's own."""
NEVER_KEPT = frozenset({"repeat", "pay", "transfer"})
"""Meanings that are asked about again in each run: no two payments are the same."""


@dataclass(frozen=True)
class KeptAnswers:
    """A folder with a file for each answer, so that processes never overwrite each other's.

    An answer is named `meaning@scope` and allows exactly this: the scope is a host, with its port if that is
    unusual, or a program. Its file holds the name, and what the person was asked.
    """

    folder: Path

    def covers(self, meaning: str, scope: str) -> bool:
        """Whether the person has answered exactly this; a file that cannot be read answers nothing."""
        return meaning not in NEVER_KEPT and self._asked(self._file(name := f"{meaning}@{scope}"))[0] == name

    def keep(self, name: str, asked: str = "") -> None:
        """Raises OSError: it cannot be written."""
        private_folder(self.folder)
        replace_file(self._file(name), f"{name}\n{asked}".encode())

    def withdraw(self, name: str) -> bool:
        """Returns whether there was such an answer."""
        was_kept = self._file(name).is_file()
        self._file(name).unlink(missing_ok=True)
        return was_kept

    def all(self) -> Iterator[tuple[str, str, float]]:
        """Name, question and time (seconds since 1970) of each answer, oldest first."""
        for file in sorted(self.folder.glob("*.answer"), key=lambda one: one.stat().st_mtime):
            name, asked = self._asked(file)
            if file == self._file(name):
                yield name, asked, file.stat().st_mtime

    def _file(self, name: str) -> Path:
        return self.folder / f"{sha256(name.encode()).hexdigest()[:24]}.answer"

    def _asked(self, file: Path) -> tuple[str, str]:
        try:
            name, _, asked = file.read_text("utf-8").partition("\n")
        except (OSError, UnicodeDecodeError):
            return "", ""
        return name, asked
