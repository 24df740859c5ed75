"""The record of every episode, and the folder of a benchmark run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import STRICT
from gui_agent.core.os_errors import private_folder, why
from gui_agent.core.parsing import parse_json
from guiagent_eval.benchmark import Case

Verdict = Literal[
    "success", "unverified", "wrong", "unknown", "limit", "refused", "crashed", "infrastructure", "unsaved"
]
"""The class of an ending. unverified: it was right, but the run itself could not confirm it. wrong: the agent
said done, and it was not, or it did what the task counts as wrong. unknown: it said that it did not know how
to continue. limit: steps or time were over. crashed: a bug in the agent. unsaved: it said done, and
the files did not change: nothing was saved. infrastructure: browser, worker or benchmark failed; such an
episode is not counted."""

JOURNAL = "journal.json"
EPISODES = "episodes.jsonl"


@dataclass(frozen=True, slots=True)
class Record:
    """One finished episode."""

    task: str
    seed: int
    verdict: Verdict
    instruction: str = ""
    lenient: bool = False
    reward: float = 0.0
    raw: float = 0.0
    ending: str = ""
    reason: str = ""
    steps: int = 0
    decisions: int = 0
    model_calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    attempt: int = 1
    resumed: int = 0
    """Steps before the worker was stopped, if the episode resumed from a checkpoint."""
    split: Mapping[str, float] = field(default_factory=dict)
    """Seconds of the agent by class: see, think, act, wait."""
    asked: int = 0
    """Number of questions to the person."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """The benchmark's other results, such as checkpoints and a report on safety."""
    trace: str = ""
    """Folder of the episode's trace, relative to the run's folder; empty if none was kept."""
    actions: tuple[str, ...] = field(default=())
    """One plain sentence per step, for comparing runs."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    @property
    def case(self) -> Case:
        return Case(self.task, self.seed)

    @property
    def is_counted(self) -> bool:
        return self.verdict != "infrastructure"

    @property
    def success(self) -> bool:
        return self.verdict == "success"


class EvalFolder:
    """The folder of a benchmark run: the journal of its options, and one line per episode."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: int | None = None

    @classmethod
    def create(cls, folder: Path, journal: Mapping[str, Any]) -> EvalFolder:
        """Make the folder and write the journal.

        Raises:
            ConfigError: the folder cannot be written, or already holds a run.
        """
        try:
            private_folder(folder.parent)
            folder.mkdir(mode=0o700)
            (folder / JOURNAL).write_text(json.dumps(journal, indent=2, default=str) + "\n")
        except FileExistsError as error:
            raise ConfigError(
                f"{folder} exists; give another --out, or `guiagent eval resume {folder}`"
            ) from error
        except OSError as error:
            raise ConfigError(f"{folder} cannot be written: {why(error)}") from error
        return cls(folder)

    @property
    def journal(self) -> dict[str, Any]:
        """How the run was started.

        Raises:
            ConfigError: the folder is not one of a benchmark run, or its journal is damaged.
        """
        path = self.folder / JOURNAL
        try:
            read = parse_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise ConfigError(f"{self.folder} is not the folder of a benchmark run: no {JOURNAL}") from error
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path} cannot be read: {why(error)}") from error
        except ValueError as error:
            raise ConfigError(f"{path} is damaged, not JSON: {error}; start the run again") from error
        if not isinstance(read, dict):
            raise ConfigError(f"{path} is damaged, not a table; start the run again")
        return read

    def append(self, record: Record) -> None:
        """Add one line and make sure that it is on the disk.

        Raises:
            ConfigError: the disk is full or the folder is gone; earlier lines are kept.
        """
        try:
            file = self._file if self._file is not None else self._open()
            os.write(file, encode(record) + b"\n")
            os.fsync(file)
        except OSError as error:
            raise ConfigError(f"{self.folder}: results cannot be written: {why(error)}; resume") from error

    def lock(self) -> None:
        """Make sure that only this object adds episodes while it is open.

        Raises:
            ConfigError: another process adds episodes.
        """
        if self._file is None:
            self._open()

    def _open(self) -> int:
        """Open the file for this object alone, and cut off half a line that a killed run left at the end."""
        path = self.folder / EPISODES
        file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o644)
        try:
            _lock(file)
        except BlockingIOError as error:
            os.close(file)
            raise ConfigError(f"{self.folder} is being written by another process; wait for it") from error
        self._file = file
        data = path.read_bytes()
        if data and not data.endswith(b"\n"):
            os.ftruncate(file, data.rfind(b"\n") + 1)
        return file

    def records(self) -> list[Record]:
        """The episodes so far; of several attempts at one case, the last counted one.

        Raises:
            ConfigError: the file cannot be read, or a line of it is damaged; the message names the line.
        """
        path = self.folder / EPISODES
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise ConfigError(f"{path} cannot be read: {why(error)}") from error
        latest: dict[Case, Record] = {}
        for number, line in enumerate(lines[:-1], 1):
            try:
                record: Record = decode(Record, line, source=f"{path} line {number}")
            except ConfigError as error:
                raise ConfigError(
                    f"{error}; take the line out, and `guiagent eval resume` does the episode again"
                ) from error
            known = latest.get(record.case)
            if known is None or record.is_counted or not known.is_counted:
                latest[record.case] = record
        return list(latest.values())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def open_cases(cases: Iterable[Case], records: Sequence[Record]) -> list[Case]:
    """The cases that must still run: all without a counted record."""
    finished = {record.case for record in records if record.is_counted}
    return [case for case in cases if case not in finished]


FAR_OUT = 0x7FFF0000
"""A position behind the end of the file: on Windows a locked range cannot be read."""


def _lock(file: int) -> None:
    """Lock a file for this process alone; raises `BlockingIOError` if another one has it."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(file, FAR_OUT, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(*error.args) from error
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
