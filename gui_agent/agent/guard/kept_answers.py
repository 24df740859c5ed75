"""The person's kept answers: for which meaning on which host or program the guard need not ask again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from gui_agent.core.os_errors import private_folder, replace_file

ANSWERS = "answers"
"""The name of their folder among the person's own."""
NEVER_KEPT = frozenset({"repeat", "pay", "transfer", "destructive-command", "secret-file"})
"""Meanings that are asked about again in each run: no two payments or such commands are the same."""


@dataclass(frozen=True)
class KeptAnswers:
    """A folder with a file for each answer, so that processes never overwrite each other's.

    An answer is named `meaning@scope` and allows exactly this: the scope is a host, with its port if that is
    unusual, or a program. Its file has this name, and holds what the person was asked.
    """

    folder: Path

    def is_kept(self, meaning: str, scope: str) -> bool:
        """Whether the person has answered exactly this."""
        return meaning not in NEVER_KEPT and self._file(f"{meaning}@{scope}").is_file()

    def keep(self, name: str, asked: str = "") -> None:
        """Raises OSError: it cannot be written."""
        private_folder(self.folder)
        replace_file(self._file(name), asked.encode())

    def withdraw(self, name: str) -> bool:
        """Returns whether there was such an answer."""
        if was_kept := self._file(name).is_file():
            self._file(name).unlink()
        return was_kept

    def all(self) -> Iterator[tuple[str, str, float]]:
        """Name, question and time (seconds since 1970) of each answer, by name."""
        for file in sorted(self.folder.glob("[!.]*")):
            yield unquote(file.name), file.read_text("utf-8", errors="replace"), file.stat().st_mtime

    def _file(self, name: str) -> Path:
        return self.folder / quote(name, safe="@")
