"""The run in the terminal while it happens, one line per step, and its ending."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gui_agent.core.actions import Scroll, Wait
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Decision, Finish, Step, Task, Trajectory, Turn
from gui_agent.elements.describe import describe, describe_step, printable
from gui_agent.trace.lines import OUTCOMES, duration, plural, verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

_STYLES = {"good": "green", "calm": "dim", "warn": "yellow", "bad": "red"}


def _standard_error() -> Console:
    from rich.console import Console

    return Console(stderr=True)


@dataclass(eq=False)
class EndView:
    """Shows in the terminal only how a run ended; an Observer.

    If the output is not a terminal, it is plain text without control characters.
    """

    console: Console = field(default_factory=_standard_error)
    """Where to print; standard error by default, so that standard output stays for results."""
    began: float = field(default_factory=time.monotonic)

    def ended(self, trajectory: Trajectory) -> None:
        """Show how it ended, the answer, and the values that were read."""
        self.close()
        ending = trajectory.ending
        word = verdict(ending)
        symbol = word.symbol if self._unicode else word.plain
        reason = f": {shorten(printable(ending.reason), 400)}" if ending and ending.reason else ""
        figures = f"{plural(len(trajectory.steps), 'step')}, {duration(time.monotonic() - self.began)}"
        self._print(
            (f"{symbol} {word.label}", f"bold {_STYLES[word.tone]}"), (reason, ""), (f"  {figures}", "dim")
        )
        if ending and ending.answer:
            self._print(("  Answer: ", "dim"), (printable(ending.answer), "bold"))
        for name, value in trajectory.notes.items():
            self._print((f"  {printable(name)}: ", "dim"), (shorten(printable(value), 400), ""))

    def tell(self, what: str) -> None:
        """Show a message of the run that is not a step."""

    def tell_report(self, report: Path | None, problems: Sequence[str] = ()) -> None:
        for problem in problems:
            self._print(("  The trace is incomplete: ", "yellow"), (printable(problem), ""))

    def close(self) -> None:
        """Remove the status line; safe to call twice."""

    @cached_property
    def _unicode(self) -> bool:
        return "utf" in self.console.encoding.lower()

    def _print(self, *parts: tuple[str, str]) -> None:
        from rich.text import Text

        line = Text()
        for text, style in parts:
            line.append(self._encodable(text), style=style)
        self.console.print(line, soft_wrap=True, highlight=False)

    def _encodable(self, text: str) -> str:
        if self._unicode:
            return text
        return text.encode(self.console.encoding, "replace").decode(self.console.encoding)


@dataclass(eq=False)
class LiveView(EndView):
    """Shows a run while it happens, one line per step, and how it ended."""

    _status: Status | None = None
    _waiting: list[str] = field(default_factory=list)
    """Sentences of the current decision's remaining actions."""

    def started(self, task: Task) -> None:
        self.began, self._waiting = time.monotonic(), []
        self._print((f"{shorten(printable(task.full_text), 200)}", "bold"))
        self._activity("deciding")

    def decided(self, turn: Turn) -> None:
        """Show a model's thought, and the next action; without a model, the steps are enough."""
        decision = turn.decision
        self._waiting = [describe(planned.action) for planned in decision.planned]
        if decision.calls:
            self._print_reasons(decision)
        if not isinstance(decision.end, Finish):
            self._next()

    def _print_reasons(self, decision: Decision) -> None:
        """Show a model's thought, and the tools that it called."""
        if decision.thought:
            self._print(("      ", ""), (shorten(printable(decision.thought), 160), "dim italic"))
        for use in decision.called:
            self._print(("      ", ""), (printable(str(use)), _STYLES["bad"] if use.failed else ""))

    def stepped(self, step: Step) -> None:
        outcome = OUTCOMES[step.outcome.kind]
        style = _STYLES[outcome.tone]
        sentence, elapsed = _sentence_of(step), duration(time.monotonic() - self.began)
        summary = printable(step.outcome.for_person) or outcome.label.lower()
        self._print(
            (f"{step.number:>3} ", "dim"),
            (f"{outcome.symbol if self._unicode else outcome.plain:<2} ", style),
            (sentence, ""),
            (f"  {shorten(summary, self._room(step, len(sentence) + len(elapsed)))}", style),
            (f"  {elapsed}", "dim"),
        )
        self._waiting = self._waiting[1:] if step.outcome.good else []
        self._next()

    def tell(self, what: str) -> None:
        if what:
            self._print(("      ", ""), (shorten(printable(what), 200), "cyan"))

    def tell_report(self, report: Path | None, problems: Sequence[str] = ()) -> None:
        """Say where the report is, and what could not be written."""
        super().tell_report(report, problems)
        if report:
            self._print(("  Report: ", "dim"), (str(report), ""))

    def tell_cost(self, told: str) -> None:
        self._print(("  Models: ", "dim"), (told, ""))

    def close(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _room(self, step: Step, taken: int) -> int:
        """Characters left for a summary: the rest of the line, or 200 after a failure or in a file."""
        if not step.outcome.good or not self.console.is_terminal:
            return 200
        return max(30, self.console.width - taken - 12)

    def _next(self) -> None:
        self._activity(self._waiting[0] if self._waiting else "deciding")

    def _activity(self, what: str) -> None:
        if not self.console.is_terminal:
            return
        from rich.text import Text

        shown = Text(shorten(f"{what} …", max(20, self.console.width - 6)), style="dim", no_wrap=True)
        if self._status is None:
            self._status = self.console.status(shown, spinner="dots" if self._unicode else "line")
            self._status.start()
        else:
            self._status.update(shown)


def _sentence_of(step: Step) -> str:
    """What a step does; where it looks for something, what for."""
    why = printable(shorten(step.planned.why, 120))
    return why if why and isinstance(step.planned.action, Wait | Scroll) else describe_step(step)
