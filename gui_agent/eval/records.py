"""What is kept of every episode, and the folder a benchmark run lives in."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from gui_agent.core.codec import decode, encode
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import STRICT
from gui_agent.eval.benchmark import Case

Verdict = Literal["success", "wrong", "unknown", "limit", "refused", "infrastructure"]
"""How an episode ended. wrong: the agent said done, and it was not. unknown: it said that it did not know
how to go on. infrastructure: browser, worker or benchmark failed; such an episode is not counted."""

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
    trace: str = ""
    """Folder of the episode's trace, relative to the run's folder; empty when none was kept."""
    actions: tuple[str, ...] = field(default=())
    """One plain sentence per step, for comparing runs."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    @property
    def case(self) -> Case:
        return Case(self.task, self.seed)

    @property
    def counted(self) -> bool:
        return self.verdict != "infrastructure"

    @property
    def success(self) -> bool:
        return self.verdict == "success"


class RunFolder:
    """`runs/eval/<id>/`: the journal that says how it was run, and one line per episode."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: int | None = None

    @classmethod
    def create(cls, folder: Path, journal: Mapping[str, Any]) -> RunFolder:
        """Make the folder and write the journal.

        Raises:
            ConfigError: the folder cannot be written, or holds a run already.
        """
        try:
            folder.mkdir(parents=True, exist_ok=False)
            (folder / JOURNAL).write_text(json.dumps(journal, indent=2, default=str) + "\n")
        except FileExistsError as error:
            raise ConfigError(
                f"{folder} exists; give another --out, or `guiagent eval resume {folder}`"
            ) from error
        except OSError as error:
            raise ConfigError(f"{folder} cannot be written: {error.strerror}; give another --out") from error
        return cls(folder)

    @property
    def journal(self) -> dict[str, Any]:
        """How the run was started.

        Raises:
            ConfigError: the folder is not one of a benchmark run.
        """
        try:
            read: dict[str, Any] = json.loads((self.folder / JOURNAL).read_text())
        except (OSError, ValueError) as error:
            raise ConfigError(f"{self.folder} is not the folder of a benchmark run: {error}") from error
        return read

    def append(self, record: Record) -> None:
        """Add one line and make sure that it is on the disk.

        Raises:
            ConfigError: the disk is full or the folder went away; what was written before is kept.
        """
        try:
            if self._file is None:
                self._file = os.open(self.folder / EPISODES, os.O_CREAT | os.O_APPEND | os.O_RDWR, 0o644)
                self._mend()
            os.write(self._file, encode(record) + b"\n")
            os.fdatasync(self._file)
        except OSError as error:
            raise ConfigError(
                f"{self.folder}: results cannot be written: {error.strerror}; resume later"
            ) from error

    def _mend(self) -> None:
        """Cut off half a line that a killed run left at the end."""
        assert self._file is not None
        data = (self.folder / EPISODES).read_bytes()
        if data and not data.endswith(b"\n"):
            os.ftruncate(self._file, data.rfind(b"\n") + 1)

    def records(self) -> list[Record]:
        """The episodes so far; of several attempts at one case the last counts."""
        path = self.folder / EPISODES
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        latest: dict[Case, Record] = {}
        for number, line in enumerate(lines[:-1], 1):
            record: Record = decode(Record, line, source=f"{path}, line {number}")
            latest[record.case] = record
        return list(latest.values())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def open_cases(cases: Iterable[Case], records: Sequence[Record]) -> list[Case]:
    """The cases that still have to be run: all without a counted record."""
    finished = {record.case for record in records if record.counted}
    return [case for case in cases if case not in finished]
