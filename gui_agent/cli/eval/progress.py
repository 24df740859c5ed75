"""How far a benchmark run is: a bar in a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Protocol, Self

import click

from gui_agent.core.texts import shorten
from gui_agent.eval.records import Record

if TYPE_CHECKING:
    from rich.console import ConsoleRenderable

EVERY = 10.0
"""Seconds between two lines where there is no terminal."""
FAILURES = 5
"""Last failures that are shown under the bar."""


class ProgressView(Protocol):
    """Shows how far a run is."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def came(self, record: Record) -> None:
        """One more episode is done."""


class Tally:
    """What is counted while episodes come in; `done` were there before."""

    def __init__(self, total: int, before: list[Record]) -> None:
        self.total = total
        self.done = len(before)
        self.counted = sum(record.counted for record in before)
        self.won = sum(record.success for record in before)
        self.failures: deque[str] = deque(maxlen=FAILURES)
        self._fresh = 0
        self._began = time.monotonic()

    def came(self, record: Record) -> None:
        """Count an episode."""
        self.done += 1
        self._fresh += 1
        self.counted += record.counted
        self.won += record.success
        if not record.success:
            self.failures.append(f"{record.case}: {record.verdict}: {shorten(record.reason, 90)}")

    @property
    def success(self) -> str:
        """Share of successes so far."""
        return f"{100 * self.won / self.counted:.1f} %" if self.counted else "-"

    @property
    def rate(self) -> float:
        """Episodes per second since this process began."""
        return self._fresh / max(1e-9, time.monotonic() - self._began)

    @property
    def remaining(self) -> str:
        """Time until the end at the present rate."""
        if not self._fresh:
            return "-:--"
        seconds = round((self.total - self.done) / max(1e-9, self.rate))
        hours, rest = divmod(seconds, 3600)
        return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"

    def line(self) -> str:
        """All of it as one line."""
        return (
            f"{self.done}/{self.total} episodes, success {self.success}, "
            f"{self.rate:.2f} episodes/s, {self.remaining} left"
        )


class Lines:
    """Progress as plain lines."""

    def __init__(self, total: int, before: list[Record]) -> None:
        self._tally = Tally(total, before)
        self._told = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._tell()

    def came(self, record: Record) -> None:
        """Count it, and say something from time to time."""
        self._tally.came(record)
        if time.monotonic() - self._told >= EVERY:
            self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        click.echo(self._tally.line(), err=True)


class ProgressBar:
    """Progress as a bar with the last failures under it."""

    def __init__(self, total: int, before: list[Record]) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.progress_bar import ProgressBar

        self._tally = Tally(total, before)
        self._bar = ProgressBar(total=max(1, total), completed=self._tally.done, width=30)
        self._live = Live(console=Console(stderr=True), get_renderable=self._drawn, refresh_per_second=4)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def came(self, record: Record) -> None:
        """Count it; the bar is drawn again by itself."""
        self._tally.came(record)
        self._bar.update(self._tally.done)

    def _drawn(self) -> ConsoleRenderable:
        from rich.columns import Columns
        from rich.console import Group
        from rich.text import Text

        failures = [
            Text(f"  {line}", style="dim", overflow="ellipsis", no_wrap=True) for line in self._tally.failures
        ]
        return Group(Columns([self._bar, Text(self._tally.line())]), *failures)


def progress(total: int, before: list[Record], *, quiet: bool = False) -> ProgressView:
    """The display that suits where the output goes."""
    return ProgressBar(total, before) if sys.stderr.isatty() and not quiet else Lines(total, before)
