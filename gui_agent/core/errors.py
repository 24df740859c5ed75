"""The errors of the project, by who can do something about them.

GuiAgentError
├── ConfigError           a person fixes a setting                      exit code 2
│   ├── MissingExtra
│   └── MissingKey
├── StepFailed            the planner is informed and decides again
│   ├── BadReply  NotFound  Ambiguous  Forbidden  ActionFailed  Stale
├── Unavailable           the operator; retries are used up             exit code 3
│   ├── ModelUnavailable  ComputerLost
├── BudgetSpent           ends a run with what was reached so far       exit code 4
├── NotDone               a run ended without being done                exit code 4
│   ├── NotUnderstood  CheckFailed  Unproven  LimitReached  Stopped
└── BenchmarkError        infrastructure; the result is not counted

Every message is one line and says what to do next.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui_agent.core.observation import Element, Words
    from gui_agent.core.trajectory import Result


class ExitCode(IntEnum):
    """Exit codes of the command line."""

    DONE = 0
    BUG = 1
    CONFIG = 2
    UNAVAILABLE = 3
    NOT_DONE = 4
    REFUSED = 5
    INTERRUPTED = 130


class GuiAgentError(Exception):
    """The root of all errors that the project raises on purpose."""

    exit_code: ExitCode = ExitCode.BUG
    result: Result | None = None
    """The run that ended with this error, if any."""
    candidates: tuple[Element, ...] = ()
    """The elements that the target may mean, best first."""


class ConfigError(GuiAgentError):
    """A setting, a file or an argument is wrong; a person must correct it."""

    exit_code = ExitCode.CONFIG


class MissingExtra(ConfigError):
    """An optional part of the package is not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs an extra: pip install 'guiagent[{extra}]'")
        self.extra = extra


class MissingKey(ConfigError):
    """A secret that the task needs is not in the environment."""


class StepFailed(GuiAgentError):
    """A step failed; the planner is informed and decides again. The loop catches only this error."""

    calls: int = 0
    """Model calls spent on the failed step."""

    def __init__(self, message: str = "", *, advice: str = "") -> None:
        """
        Args:
            advice: what the person can do about it, such as an option; models never see it.
        """
        super().__init__(message)
        self.advice = advice


class BadReply(StepFailed):
    """A planner's answer could not be understood after `calls` model calls."""

    def __init__(self, message: str, calls: int = 0) -> None:
        super().__init__(message)
        self.calls = calls


class NotFound(StepFailed):
    """Nothing on the screen matches the target; `candidates` are the nearest elements, best first."""

    sought: tuple[Words, str] | None = None
    """The words that were looked for, and the kind of action; None where nothing was named in words."""

    def __init__(self, message: str, candidates: Sequence[Element] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class Ambiguous(StepFailed):
    """Several elements match the target equally well: `candidates`, best first."""

    sought: tuple[Words, str] | None = None
    """As for `NotFound`."""

    def __init__(self, message: str, candidates: Sequence[Element] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class Forbidden(StepFailed):
    """The guard, or the person it asked, refused the action. Ends a run that has no alternative."""


class ActionFailed(StepFailed):
    """The device could not carry out the action, or did only a part of it."""


class Stale(StepFailed):
    """The target moved, disappeared or is covered since the decision."""

    def __init__(self, message: str = "", *, over: int | None = None) -> None:
        """
        Args:
            over: id of the element that covers the target, if the last look showed one.
        """
        super().__init__(message)
        self.over = over


class Unavailable(GuiAgentError):
    """An outside service is down after all retries."""

    exit_code = ExitCode.UNAVAILABLE


class ModelUnavailable(Unavailable):
    """The model's service does not answer."""


class BudgetSpent(GuiAgentError):
    """A run has spent its money or tokens; it ends and can be resumed."""

    exit_code = ExitCode.NOT_DONE


class NotDone(GuiAgentError):
    """A run ended without being done; `result` says how far it got."""

    exit_code = ExitCode.NOT_DONE


class NotUnderstood(NotDone):
    """The text contains no plain commands, and no learned procedure matches it."""


class CheckFailed(NotDone):
    """A check in the task failed."""


class Unproven(NotDone):
    """An action had no visible effect, and no later step proves that it worked."""


class LimitReached(NotDone):
    """A limit of steps, time or money ended the run."""


class Stopped(NotDone):
    """The person or the program ended the run."""

    exit_code = ExitCode.INTERRUPTED


class ComputerLost(Unavailable):
    """The browser, display or phone is gone; any access to a device may raise this."""


class BenchmarkError(GuiAgentError):
    """The benchmark's own machinery failed; the episode does not count."""

    exit_code = ExitCode.UNAVAILABLE
