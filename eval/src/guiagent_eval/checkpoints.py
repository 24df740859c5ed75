"""Checkpoints inside an episode: the guest, and how far the run was, so that a stopped episode goes on.

An episode of some hundred steps is too long to be done again because its worker was killed. At every so many
steps, between two decisions, the guest is kept as it is; the run's trace says what had been done until then.
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
    """An episode whose guest can be kept in a folder and brought back from it."""

    def keeps(self) -> bool:
        """Whether it can be done with this guest."""

    def keep(self, folder: Path) -> None:
        """Keep the guest as it is now, in a folder that is not there yet.

        Raises:
            GuiAgentError: it cannot be kept.
        """

    def go_back(self, folder: Path) -> None:
        """Bring the guest back from a folder.

        Raises:
            GuiAgentError: it cannot be brought back.
        """


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far an episode was when its guest was kept."""

    turns: int
    steps: int
    trace: str
    """The folder of its trace, relative to the episode's folder."""
    guest: str
    """That of the guest."""
    tokens: int = 0
    cost: float = 0.0


class CheckpointKeeper:
    """An observer that keeps the guest of one episode, and what brings the episode back from there."""

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
            every: steps between two checkpoints.
            trace: the folder to which the run is written now; it lies in `folder`.
            spent: tokens and money until now.
        """
        self.folder, self._episode, self._every = folder, episode, every
        self._trace, self._spent = trace, spent
        self._turns = self._steps = self._kept = 0
        self.begun: Checkpoint | None = None
        """What the episode went on from."""

    def restore(self) -> Trajectory | None:
        """Bring the guest back and tell what was done until then; None when the episode begins anew.

        Raises:
            BenchmarkError: it does not come back.
        """
        found = self._read()
        if found is None:
            return None
        note, trajectory = found
        try:
            self._episode.go_back(self.folder / note.guest)
        except GuiAgentError as error:
            self.forget()  # the next attempt begins anew
            raise BenchmarkError(f"the guest does not come back to step {note.steps}: {error}") from error
        self.begun, self._kept = note, note.steps
        return trajectory

    def decided(self, turn: Turn) -> None:
        """Nothing of this decision is done yet: the moment to keep what was done before it."""
        if self._steps - self._kept >= self._every:
            self._keep()
        self._turns += 1

    def stepped(self, step: Step) -> None:
        """Count it."""
        self._steps += 1

    def forget(self) -> None:
        """The episode is over."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _keep(self) -> None:
        trace = self._trace()
        if trace is None:
            return
        self._kept = self._steps
        guest = self.folder / f"{GUEST}-{self._steps}-{os.urandom(3).hex()}"
        try:
            self._episode.keep(guest)
        except (GuiAgentError, OSError):  # the episode itself goes on; it is tried again later
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
        """The last checkpoint with what was done until it; None when there is none that is whole."""
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
