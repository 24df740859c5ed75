"""What the caller of a run gets, and the errors that its endings stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from gui_agent.core import errors
from gui_agent.core.trajectory import Ending, EndingKind, Step, Trajectory, Turn

_ERRORS: Mapping[EndingKind, type[errors.GuiAgentError]] = {
    "refused": errors.Forbidden,
    "limit": errors.LimitReached,
    "stopped": errors.Stopped,
    "lost": errors.Unavailable,
    "crashed": errors.GuiAgentError,
}
"""What the endings raise that say no class themselves."""


@dataclass(frozen=True, slots=True)
class Result:
    """What the caller of a run gets: how it ended, what was read, all that happened, what it cost."""

    trajectory: Trajectory
    seconds: float = 0.0
    folder: str = ""
    """The run's folder with the trace; empty when none was written."""
    tokens: int = 0
    """Read and written by models."""
    cost: float = 0.0
    """Dollars, of the models whose price is known."""
    output: Any = None
    """The answer as a value of the `schema` that was asked for; None without one."""

    @property
    def ending(self) -> Ending:
        """How it ended and why."""
        assert self.trajectory.ending is not None
        return self.trajectory.ending

    @property
    def outcome(self) -> EndingKind:
        return self.ending.kind

    @property
    def ok(self) -> bool:
        return self.ending.kind == "done"

    @property
    def reason(self) -> str:
        return self.ending.reason

    @property
    def answer(self) -> str:
        return self.ending.answer

    @property
    def notes(self) -> dict[str, str]:
        """Values read off the screen, by name."""
        return self.trajectory.notes

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.trajectory.steps

    @property
    def turns(self) -> tuple[Turn, ...]:
        return self.trajectory.turns

    @property
    def model_calls(self) -> int:
        return self.trajectory.model_calls

    @property
    def exit_code(self) -> errors.ExitCode:
        return self.ending.exit_code

    @property
    def error(self) -> errors.GuiAgentError | None:
        """What kept the task from being done, with its candidates; None when it is done."""
        ending = self.ending
        if self.ok:
            return None
        kind = getattr(errors, ending.error, _ERRORS.get(ending.kind, errors.NotDone))
        found: errors.GuiAgentError = kind(ending.reason)
        found.result, found.candidates = self, ending.candidates
        return found

    def raise_for_status(self) -> Self:
        """This result when the task is done.

        Raises:
            GuiAgentError: it is not; the class says why (NotFound, Ambiguous, CheckFailed, Unproven,
                Forbidden, Stopped, NotUnderstood, LimitReached ...), `candidates` what was near.
        """
        if (error := self.error) is not None:
            raise error
        return self
