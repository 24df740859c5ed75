"""The run as it happens, one line for each step, and its result as JSON."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Finish, Step, Task, Trajectory, Turn
from gui_agent.elements.describe import describe, describe_step, printable
from gui_agent.trace.lines import OUTCOMES, duration, plural, verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

_STYLES = {"good": "green", "calm": "dim", "warn": "yellow", "bad": "red"}


class LiveView:
    """Shows a run in the terminal while it happens; an Observer.

    Where the output is not a terminal it is plain text without control characters.
    """

    def __init__(self, console: Console | None = None, *, quiet: bool = False) -> None:
        """
        Args:
            console: where to print; standard error by default, so that standard output stays for results.
            quiet: print the ending only.
        """
        from rich.console import Console

        self._console = console or Console(stderr=True)
        self._quiet = quiet
        self._unicode = "utf" in self._console.encoding.lower()
        self._status: Status | None = None
        self._waiting: list[str] = []
        """Sentences of the actions that the present decision still holds."""
        self._began = time.monotonic()

    def started(self, task: Task) -> None:
        self._began = time.monotonic()
        self._waiting = []
        if self._quiet:
            return
        self._print((f"{shorten(printable(task.text), 200)}", "bold"))
        self._activity("deciding")

    def decided(self, turn: Turn) -> None:
        """Show what a model thinks, and what comes next; without a model the steps say it all."""
        if self._quiet:
            return
        decision = turn.decision
        self._waiting = [describe(planned.action) for planned in decision.planned]
        if decision.thought and decision.calls:
            self._print(("      ", ""), (shorten(printable(decision.thought), 160), "dim italic"))
        if not isinstance(decision.end, Finish):
            self._next()

    def stepped(self, step: Step) -> None:
        if self._quiet:
            return
        outcome = OUTCOMES[step.outcome.kind]
        style = _STYLES[outcome.tone]
        sentence, elapsed = describe_step(step), duration(time.monotonic() - self._began)
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
        """Show what the run says to the person besides its steps."""
        if what and not self._quiet:
            self._print(("      ", ""), (shorten(printable(what), 200), "cyan"))

    def ended(self, trajectory: Trajectory) -> None:
        """Show how it ended, what was asked for, and the values that were read."""
        self.close()
        ending = trajectory.ending
        word = verdict(ending)
        symbol = word.symbol if self._unicode else word.plain
        reason = f": {shorten(printable(ending.reason), 400)}" if ending and ending.reason else ""
        figures = f"{plural(len(trajectory.steps), 'step')}, {duration(time.monotonic() - self._began)}"
        self._print(
            (f"{symbol} {word.label}", f"bold {_STYLES[word.tone]}"), (reason, ""), (f"  {figures}", "dim")
        )
        if ending and ending.answer:
            self._print(("  Answer: ", "dim"), (printable(ending.answer), "bold"))
        for name, value in trajectory.notes.items():
            self._print((f"  {printable(name)}: ", "dim"), (shorten(printable(value), 400), ""))

    def tell_report(self, report: Path | None, problems: Sequence[str] = ()) -> None:
        """Say where the report is, and what could not be written."""
        for problem in problems:
            self._print(("  The trace is incomplete: ", "yellow"), (printable(problem), ""))
        if report and not self._quiet:
            self._print(("  Report: ", "dim"), (str(report), ""))

    def tell_cost(self, told: str) -> None:
        """Say what the models of the run cost."""
        if not self._quiet:
            self._print(("  Models: ", "dim"), (told, ""))

    def close(self) -> None:
        """Take the status line away; safe to call twice."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _room(self, step: Step, taken: int) -> int:
        """Characters left for a summary: the rest of the line, all where it went wrong or goes to a file."""
        if not step.outcome.good or not self._console.is_terminal:
            return 200
        return max(30, self._console.width - taken - 12)

    def _next(self) -> None:
        self._activity(self._waiting[0] if self._waiting else "deciding")

    def _activity(self, what: str) -> None:
        if not self._console.is_terminal:
            return
        from rich.text import Text

        shown = Text(shorten(f"{what} …", max(20, self._console.width - 6)), style="dim", no_wrap=True)
        if self._status is None:
            self._status = self._console.status(shown, spinner="dots" if self._unicode else "line")
            self._status.start()
        else:
            self._status.update(shown)

    def _print(self, *parts: tuple[str, str]) -> None:
        from rich.text import Text

        line = Text()
        for text, style in parts:
            line.append(self._encodable(text), style=style)
        self._console.print(line, soft_wrap=True, highlight=False)

    def _encodable(self, text: str) -> str:
        if self._unicode:
            return text
        return text.encode(self._console.encoding, "replace").decode(self._console.encoding)
