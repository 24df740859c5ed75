"""Checkpoints inside an episode, which save the guest and the progress of the run so that it can resume.

An episode of some hundred steps is too long to be repeated because its worker was killed. Every few
steps, between two decisions, the guest is saved; the run's trace has the steps until then.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from gui_agent.core.errors import BenchmarkError, ConfigError, GuiAgentError
from gui_agent.core.os_errors import replace_file
from gui_agent.core.parsing import parse_json
from gui_agent.core.trajectory import Step, Trajectory, Turn
from gui_agent.trace.reader import read_run

CHECKPOINTS = "checkpoints"
"""Folder in a run's folder: one folder per task, one in that per seed."""
NOTE, GUEST, TRACE = "checkpoint.json", "guest", "trace"


@runtime_checkable
class Keeps(Protocol):
    """An episode whose guest can be saved in a folder and restored from it."""

    def keeps(self) -> bool:
        """Whether this guest can be saved."""

    def keep(self, folder: Path) -> None:
        """Save the guest in a folder that does not exist yet.

        Raises:
            GuiAgentError: the guest cannot be saved.
        """

    def go_back(self, folder: Path) -> None:
        """Restore the guest from a folder.

        Raises:
            GuiAgentError: the guest cannot be restored.
        """


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The progress of an episode when its guest was saved."""

    turns: int
    steps: int
    trace: str
    """The folder of its trace, relative to the episode's folder."""
    guest: str
    """The folder of the guest."""
    tokens: int = 0
    cost: float = 0.0


class CheckpointKeeper:
    """An observer that saves the guest of one episode, and the data to resume the episode."""

    def __init__(
        self,
        folder: Path,
        episode: Keeps,
        every: int,
        *,
        trace: Callable[[], Path | None],
        spent: Callable[[], tuple[int, float]],
    ) -> None:
        """
        Args:
            folder: of this episode.
            trace: the folder of the run's trace; it is inside `folder`.
            spent: tokens and money until now.
            spent: tokens and money until now.
        """
        self.folder, self._episode, self._every = folder, episode, every
        self._trace, self._spent = trace, spent
        self._turns = self._steps = self._kept = 0
        self.begun: Checkpoint | None = None
        """The checkpoint from which the episode resumed."""

    def restore(self) -> Trajectory | None:
        """Restore the guest and return the steps until then; None if the episode begins from the start.

        Raises:
            BenchmarkError: the guest cannot be restored.
        """
        found = self._read()
        if found is None:
            return None
        note, trajectory = found
        try:
            self._episode.go_back(self.folder / note.guest)
        except GuiAgentError as error:
            self.forget()  # The next attempt begins from the start.
            raise BenchmarkError(f"the guest does not come back to step {note.steps}: {error}") from error
        self.begun, self._kept = note, note.steps
        return trajectory

    def decided(self, turn: Turn) -> None:
        """The new decision has not started, so this is the time to save a checkpoint."""
        if self._steps - self._kept >= self._every:
            self._keep()
        self._turns += 1

    def stepped(self, step: Step) -> None:
        """Count the step."""
        self._steps += 1

    def forget(self) -> None:
        """Delete the checkpoints: the episode is over."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _keep(self) -> None:
        trace = self._trace()
        if trace is None:
            return
        self._kept = self._steps
        guest = self.folder / f"{GUEST}-{self._steps}-{os.urandom(3).hex()}"
        try:
            self._episode.keep(guest)
        except (GuiAgentError, OSError):  # The episode itself continues; the next checkpoint tries again.
            shutil.rmtree(guest, ignore_errors=True)
            return
        tokens, cost = self._spent()
        before = self.begun or Checkpoint(0, 0, "", "")
        note = Checkpoint(
            self._turns,
            self._steps,
            str(trace.relative_to(self.folder)),
            guest.name,
            before.tokens + tokens,
            before.cost + cost,
        )
        replace_file(self.folder / NOTE, json.dumps(asdict(note)).encode())
        for old in self.folder.glob(f"{GUEST}-*"):
            if old != guest:
                shutil.rmtree(old, ignore_errors=True)

    def _read(self) -> tuple[Checkpoint, Trajectory] | None:
        """The last checkpoint with the steps until it; None if none is complete."""
        try:
            note = Checkpoint(**parse_json((self.folder / NOTE).read_text(encoding="utf-8")))
            inside = self.folder.resolve()
            places = [(self.folder / name).resolve() for name in (note.trace, note.guest)]
            if not all(place.is_relative_to(inside) and place.is_dir() for place in places):
                return None
            read = read_run(places[0]).trajectory
        except (OSError, ValueError, TypeError, ConfigError):
            return None
        turns = read.turns[: note.turns]
        done = sum(len(turn.steps) for turn in turns)
        if len(turns) != note.turns or done != note.steps:
            return None
        return note, replace(read, turns=turns, ending=None)
