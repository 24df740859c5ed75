"""Carries out a benchmark run, a new one or the rest of one."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from gui_agent.core.errors import BudgetSpent, ConfigError, ExitCode
from gui_agent.core.texts import shorten, suggestion
from gui_agent.settings import state_folder
from guiagent_eval.benchmark import Case, needs_of
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import FORMAT, OWN, Recipe, journal
from guiagent_eval.cli.solver import setup
from guiagent_eval.episodes import Setup
from guiagent_eval.records import JOURNAL, EvalFolder, Record, open_cases
from guiagent_eval.runner import run_all
from guiagent_eval.schedule import RunLimits

if TYPE_CHECKING:
    from rich.console import ConsoleRenderable
    from rich.text import Text

LOGS = "logs"
_DAMAGED = "the run's journal does not say how the run was started; start the run again"


@dataclass(frozen=True, slots=True)
class Engine:
    """Where the workers run: this machine, or a Ray cluster."""

    kind: str = "local"
    address: str = ""
    """The address of the cluster; empty starts one on this machine."""

    def run(self, cases: Sequence[Case], setup: Setup, pace: RunLimits, run: EvalFolder, keep: Any) -> None:
        """Run the cases.

        Raises:
            ConfigError, BenchmarkError: the run cannot continue.
        """
        if self.kind == "ray":
            from guiagent_eval.cluster import run_on_ray

            needs = needs_of(setup()[0])
            run_on_ray(cases, setup, pace, keep, address=self.address, needs=needs, folder=run.folder)
        else:
            run_all(cases, setup, pace, keep, logs=run.folder / LOGS)


def carry_out_new(
    recipe: Recipe,
    tasks: Sequence[str],
    seeds: Sequence[int],
    pace: RunLimits,
    engine: Engine = Engine(),
    *,
    quiet: bool = False,
) -> tuple[EvalFolder, ExitCode]:
    """Make the folder of a new run, print its path, and carry the run out.

    Raises:
        ConfigError: the folder is taken or cannot be written, or the recipe is wrong; and as `carry_out`.
    """
    recipe.check()
    run = EvalFolder.create(
        Path(recipe.folder), journal(recipe.as_json(), tasks, seeds, pace, asdict(engine))
    )
    click.echo(f"results in {run.folder}", err=True)
    return run, carry_out(run, recipe, pace, engine, quiet=quiet)


def cases_of(table: dict[str, Any]) -> list[Case]:
    """The cases that a journal names.

    Raises:
        ConfigError: the journal is damaged or was written by another version.
    """
    if table.get("format") != FORMAT:
        raise ConfigError(f"the run's journal has the format {table.get('format')}, not {FORMAT}")
    try:
        return [Case(task, seed) for task in table["tasks"] for seed in table["seeds"]]
    except (KeyError, TypeError) as error:
        raise ConfigError(_DAMAGED) from error


def beginning_of(run: EvalFolder) -> tuple[Recipe, RunLimits, Engine]:
    """How a run was started: the recipe of its results, its pace and its engine.

    Raises:
        ConfigError: the journal is damaged or was written by another version.
    """
    table = run.journal
    cases_of(table)
    try:
        return Recipe.from_json(table["recipe"]), RunLimits(**table["pace"]), Engine(**table["engine"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigError(_DAMAGED) from error


def carry_out(
    run: EvalFolder, recipe: Recipe, pace: RunLimits, engine: Engine, *, quiet: bool = False
) -> ExitCode:
    """Run the rest of a run; after Ctrl+C or SIGTERM it can be resumed.

    Raises:
        ConfigError, BenchmarkError: the run cannot continue.
        BudgetSpent: the budget of its episodes is spent.
    """
    cases = cases_of(run.journal)
    before = [record for record in run.records() if record.is_counted]
    left = open_cases(cases, before)
    pace = _unspent(pace, before) if left else pace
    run.lock()
    try:
        made = _set_up(recipe, run.journal["tasks"]) if left else None
        with _polite(), progress(len(cases), before, quiet=quiet) as shown:

            def keep(record: Record) -> None:
                run.append(record)
                shown.came(record)

            if made is not None:
                engine.run(left, made, pace, run, keep)
    except KeyboardInterrupt:
        finished = len([record for record in run.records() if record.is_counted])
        click.echo(f"stopped after {finished} of {len(cases)} episodes; go on with:", err=True)
        click.echo(f"  guiagent eval resume {run.folder}", err=True)
        return ExitCode.INTERRUPTED
    finally:
        run.close()
    spoiled = [record for record in run.records() if not record.is_counted]
    if spoiled:
        click.echo(
            f"{len(spoiled)} episodes were spoiled by the machinery, such as {spoiled[0].case} "
            f"({spoiled[0].reason}); try them again with `guiagent eval resume {run.folder}`",
            err=True,
        )
        return ExitCode.UNAVAILABLE
    return ExitCode.DONE


def _set_up(recipe: Recipe, tasks: Sequence[str]) -> Setup:
    """The function that workers call; prints files that cannot be used, and a notice before long learning.

    Raises:
        ConfigError: a part of the recipe is wrong.
    """
    recipe.check()
    knowledge = Knowledge(recipe)
    known = knowledge.shared_tasks or tasks if knowledge.is_used else ()
    for line in knowledge.not_used(known):
        click.echo(line, err=True)
    if recipe.demos_of != OWN:
        click.echo(f"learning from the demonstrations of {recipe.demos_of} ...", err=True)
    return setup(recipe, knowledge)


def _unspent(pace: RunLimits, before: Sequence[Record]) -> RunLimits:
    """The pace with the remaining money.

    Raises:
        BudgetSpent: no money remains.
    """
    if not pace.max_cost:
        return pace
    spent = sum(record.cost for record in before)
    if spent >= pace.max_cost:
        raise BudgetSpent(f"the episodes have cost ${spent:.2f} already; give a larger --max-cost")
    return replace(pace, max_cost=pace.max_cost - spent)


def new_folder(out: str, *names: str) -> Path:
    """The folder for a run that begins now."""
    if out:
        return Path(out)
    return state_folder("eval") / "-".join([f"{datetime.now():%Y%m%d-%H%M%S}", *names])


def find_run(name: str) -> EvalFolder:
    """A run by its folder, its id, the beginning of its id, or `last`.

    Raises:
        ConfigError: there is none, or several ids begin so.
    """
    if (Path(name) / JOURNAL).is_file():
        return EvalFolder(Path(name))
    root = state_folder("eval")
    runs = sorted((path.parent for path in root.glob(f"*/{JOURNAL}")), reverse=True)
    if not runs:
        raise ConfigError(
            f"{name} is not a benchmark run, and there are none in {root}; "
            "start one with: guiagent eval miniwob"
        )
    if name == "last":
        return EvalFolder(runs[0])
    fitting = [path for path in runs if path.name.startswith(name)]
    if len(fitting) == 1:
        return EvalFolder(fitting[0])
    if fitting:
        raise ConfigError(f'{len(fitting)} benchmark runs begin with "{name}"; give more of the id')
    known = [path.name for path in runs[:5]]
    raise ConfigError(f'no benchmark run "{name}" in {root}{suggestion(name, known)}')


@contextlib.contextmanager
def _polite() -> Iterator[None]:
    """Make SIGTERM end the run like Ctrl+C."""
    old = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old)


EVERY = 10.0
"""Seconds between two lines if there is no terminal."""
FAILURES = 5
"""Number of last failures that are shown under the bar."""


def dim_lines(lines: Iterable[str]) -> list[Text]:
    """Lines of lesser importance, each cut at the width of the terminal."""
    from rich.text import Text

    return [Text(f"  {line}", style="dim", overflow="ellipsis", no_wrap=True) for line in lines]


class Tally:
    """The counts while episodes arrive; `done` episodes existed before."""

    def __init__(self, total: int, before: list[Record]) -> None:
        self.total = total
        self.done = len(before)
        self.counted = sum(record.is_counted for record in before)
        self.won = sum(record.success for record in before)
        self.failures: deque[str] = deque(maxlen=FAILURES)
        self._fresh = 0
        self._began = time.monotonic()

    def came(self, record: Record) -> None:
        """Count an episode."""
        self.done += 1
        self._fresh += 1
        self.counted += record.is_counted
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
        left = str(timedelta(seconds=round((self.total - self.done) / max(1e-9, self.rate))))
        return left.removeprefix("0:")

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
        """Count the episode, and print a line from time to time."""
        self._tally.came(record)
        if time.monotonic() - self._told >= EVERY:
            self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        click.echo(self._tally.line(), err=True)


class ProgressBar(Lines):
    """Progress as a bar with the last failures under it."""

    def __init__(self, total: int, before: list[Record]) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.progress_bar import ProgressBar

        super().__init__(total, before)
        self._bar = ProgressBar(total=max(1, total), completed=self._tally.done, width=30)
        self._live = Live(console=Console(stderr=True), get_renderable=self._picture, refresh_per_second=4)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def came(self, record: Record) -> None:
        """Count it; the bar is drawn again by itself."""
        self._tally.came(record)
        self._bar.update(self._tally.done)

    def _picture(self) -> ConsoleRenderable:
        from rich.columns import Columns
        from rich.console import Group
        from rich.text import Text

        return Group(Columns([self._bar, Text(self._tally.line())]), *dim_lines(self._tally.failures))


def progress(total: int, before: list[Record], *, quiet: bool = False) -> Lines:
    """The display that suits the output."""
    return ProgressBar(total, before) if sys.stderr.isatty() and not quiet else Lines(total, before)
