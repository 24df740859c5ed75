"""`guiagent eval show`, `compare` and `watch`: the figures of a run, comparisons, and live progress."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, Group
from rich.table import Table

from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.core.texts import shorten
from guiagent_eval.app_catalogue import WORDINGS
from guiagent_eval.records import Record
from guiagent_eval.statistics import Interval, divergence
from guiagent_eval.statistics import compare as compared
from guiagent_eval.summary import between, by_app, headings, percent, row, sentences, summarise

if TYPE_CHECKING:
    from rich.console import ConsoleRenderable

    from guiagent_eval.benchmark import Case
    from guiagent_eval.records import EvalFolder
    from guiagent_eval.statistics import Comparison


SHOWN = 10
"""Number of cases that are shown step by step unless --all is given."""


@click.command(short_help="Show the figures of a run.")
@click.argument("run", default="last")
@click.option("--html", is_flag=True, help="Write a page with tables, plots and links to failed episodes.")
@click.option("--json", "as_json", is_flag=True, help="The figures as JSON.")
def show(run: str, html: bool, as_json: bool) -> None:
    """Show RUN: its folder, its id, the beginning of its id, or `last`."""
    from guiagent_eval.cli.execution import find_run

    folder = find_run(run)
    journal, records = folder.journal, folder.records()
    if html:
        from guiagent_eval.report import write_page

        click.echo(str(write_page(folder.folder, journal, records)))
    elif as_json:
        click.echo(summary_json(records))
    else:
        recipe = journal.get("recipe", {})
        total = len(journal.get("tasks", ())) * len(journal.get("seeds", ()))
        click.echo(f"{folder.folder}: planner {recipe.get('planner')}, {len(records)} of {total} episodes")
        print_figures(records)


@click.command(short_help="Compare two runs, paired by task and seed.")
@click.argument("first")
@click.argument("second")
@click.option("--all", "everything", is_flag=True, help=f"Show all differing episodes, not just {SHOWN}.")
@click.option("--json", "as_json", is_flag=True, help="The comparison as JSON.")
def compare(first: str, second: str, everything: bool, as_json: bool) -> None:
    """Pair FIRST and SECOND by task and seed, and show the differences and whether chance explains them."""
    from guiagent_eval.cli.execution import find_run

    folders = find_run(first), find_run(second)
    releases = [one.journal.get("recipe", {}).get("options", {}).get("release", "") for one in folders]
    if releases[0] != releases[1]:
        named = " and ".join(one or "none" for one in releases)
        raise ConfigError(f"these runs use different releases of their tasks and cannot be compared: {named}")
    one, two = folders[0].records(), folders[1].records()
    found = compared(one, two)
    if as_json:
        click.echo(json.dumps({**asdict(found), "hint": found.hint}, indent=2))
        return
    for line in _changes(folders[0].journal, folders[1].journal):
        click.echo(line)
    print_comparison(found)
    print_divergences(found, one, two, None if everything else SHOWN)


def print_comparison(found: Comparison) -> None:
    """Print the figures, and the tasks that differ, the largest loss first."""
    console = wide_console()
    gain = found.gain
    left = f", {found.unpaired} cases are in one run only" if found.unpaired else ""
    console.print(f"{found.pairs} pairs{left}")
    console.print(
        f"success changes by {100 * gain.value:+.1f} points (95 %: {100 * gain.low:+.1f} to "
        f"{100 * gain.high:+.1f}, paired bootstrap)"
    )
    console.print(f"{len(found.lost)} lost, {len(found.won)} won, McNemar's exact p = {found.p_value:.3g}")
    console.print(found.hint)
    if found.by_task:
        table = plain_table("task", "first %", "second %", "change")
        for task, before, after in sorted(found.by_task, key=lambda rate: rate[2] - rate[1]):
            style = "red" if after < before else "green"
            table.add_row(
                task, percent(before), percent(after), f"{100 * (after - before):+.1f}", style=style
            )
        console.print(table)


def print_divergences(found: Comparison, one: list[Record], two: list[Record], limit: int | None) -> None:
    """Print each pair whose verdicts differ, with the first step at which the episodes part, side by side."""
    console = wide_console()
    by_case: list[dict[Case, Record]] = [{record.case: record for record in run} for run in (one, two)]
    if not found.flaky:
        return
    console.print("\nverdicts that differ, with the first step at which the episodes part:")
    table = plain_table(*(named := ("episode", "step", "first", "second")), left=named, overflow="fold")
    for case in found.flaky[:limit]:
        first, second = by_case[0][case], by_case[1][case]
        parted = divergence(first, second)
        step = str(parted.step) if parted else "-"
        sides = (parted.first, parted.second) if parted else ("the same steps", "the same steps")
        table.add_row(str(case), step, f"{first.verdict}: {sides[0]}", f"{second.verdict}: {sides[1]}")
    console.print(table)
    left = len(found.flaky) - (limit or len(found.flaky))
    if left > 0:
        console.print(f"{left} more; --all shows them")


def _changes(first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """The differences in how the runs were made."""
    pairs = [
        (name, first.get("recipe", {}).get(name), second.get("recipe", {}).get(name))
        for name in ("planner", "demos", "demos_of", "max_demos", "exemplars", "without", "options")
    ]
    pairs.append(("commit", first.get("commit"), second.get("commit")))
    versions = first.get("versions", {}), second.get("versions", {})
    pairs += [(name, versions[0].get(name), versions[1].get(name)) for name in {**versions[0], **versions[1]}]
    return [
        f"{name}: {before} -> {after}"
        for name, before, after in pairs
        if before != after and (before or after)
    ]


def wide_console() -> Console:
    """Standard output, as wide as the terminal, or wide enough for a table if there is none."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 140
    return console


def plain_table(*names: str, left: Sequence[str] = (), **how: Any) -> Table:
    """A table without lines, of figures except in the columns on the left: those named, or the first one."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, justify="left" if name in (left or names[:1]) else "right", **how)
    return table


def print_shares(title: str, rows: Iterable[tuple[str, Interval | float]], scale: float = 100.0) -> None:
    """Print a table of figures, with intervals where they exist; in percent unless `scale` is 1."""
    table, digits = plain_table(title, "value", "95 %"), 1 if scale > 1 else 3
    for name, one in rows:
        value, *ends = (one.value, one.low, one.high) if isinstance(one, Interval) else (one,)
        table.add_row(
            name, f"{scale * value:.{digits}f}", " to ".join(f"{scale * e:.{digits}f}" for e in ends)
        )
    wide_console().print(table)


def print_figures(records: Sequence[Record], as_json: bool = False) -> None:
    """Print the table of a run with the total figures below it, or all as one JSON value."""
    if any("fewest" in record.details for record in records):
        from guiagent_eval.cli.model_path import print_path

        print_path(records, as_json)
        return
    if as_json:
        click.echo(summary_json(records))
        return
    summary = summarise(records)
    console = wide_console()
    table = plain_table(*headings(summary), no_wrap=True)
    for task in summary.tasks:
        style = "" if task.share.value >= 0.9 else "yellow" if task.share.value >= 0.5 else "red"
        table.add_row(*row(task, summary), style=style)
    console.print(table)
    print_by_app(records, console)
    for line in sentences(summary):
        console.print(line)
    for record in [one for one in records if not one.is_counted][:3]:
        console.print(f"spoiled: {record.case}: {shorten(record.reason, 100)}", style="red")


def print_by_app(records: Sequence[Record], console: Console) -> None:
    """Print the table by application, for benchmarks whose tasks belong to applications."""
    found = by_app(records, len(WORDINGS))
    if not found:
        return
    console.print()
    shares = ("first wording %", "95 %", "any wording %", "95 %", "wrong %")
    table = plain_table("app", "tasks", "attempts", *shares, "seconds", no_wrap=True)
    for one in found:
        told = (percent(one.first.value), between(one.first), percent(one.any.value), between(one.any))
        table.add_row(
            *(one.app, str(one.tasks), str(one.attempts), *told),
            *(percent(one.wrong.value), f"{one.seconds:.1f}"),
        )
    console.print(table)


def summary_json(records: Sequence[Record]) -> str:
    """All figures as one JSON value."""
    summary = summarise(records)
    table = {**asdict(summary), "wrong": summary.wrong, "cost_per_success": summary.cost_per_success}
    return json.dumps(table, indent=2)


@click.command(short_help="Watch the workers of a run.")
@click.argument("run", default="last")
@click.option("--once", is_flag=True, help="Show it once, and end.")
@click.option("--every", default=1.0, show_default=True, type=click.FloatRange(min=0.2), metavar="SECONDS")
@click.option("--page", is_flag=True, help="Serve a page with the last picture of each worker.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), metavar="N", help="Of the page.")
def watch(run: str, once: bool, every: float, page: bool, port: int) -> None:
    """Show live what all workers of RUN do, its progress and its last failures, until it ends.

    The command only reads the run's folder, so you can end and restart it at any time.
    """
    from rich.live import Live

    from guiagent_eval.cli.execution import find_run
    from guiagent_eval.live import under_way

    folder, console = find_run(run), wide_console()
    if page:
        _serve_page(folder, port)
        return
    if once or not console.is_terminal:
        console.print(_live_view(folder, going=under_way(folder)))
        return
    with Live(console=console, auto_refresh=False) as live:
        going = True
        while going:
            going = under_way(folder)
            live.update(_live_view(folder, going=going), refresh=True)
            time.sleep(every * going)


def _serve_page(folder: EvalFolder, port: int) -> None:
    """Serve the page until Ctrl+C, also of a run that has ended."""
    from guiagent_eval.live import under_way

    try:
        from guiagent_eval.watch_page import WatchServer
    except ModuleNotFoundError as error:
        raise MissingExtra("serve", "guiagent eval watch --page") from error

    server = WatchServer(folder, lambda: _progress(folder, going=under_way(folder)), port)
    click.echo(f"open {server.url}", err=True)
    server.serve()


def _progress(folder: EvalFolder, *, going: bool) -> dict[str, Any]:
    """The figures so far, and the last failures."""
    from guiagent_eval.cli.execution import Tally

    journal, records = folder.journal, folder.records()
    total = len(journal.get("tasks", ())) * len(journal.get("seeds", ()))
    tally = Tally(total, [])
    for record in records:
        tally.came(record)
    state = "under way" if going else "not under way"
    planner = journal.get("recipe", {}).get("planner", "")
    head = f"{planner}, {state}; {len(records)}/{total} episodes, success {tally.success}"
    return {"head": head, "failures": list(tally.failures), "going": going}


def _live_view(folder: EvalFolder, *, going: bool) -> ConsoleRenderable:
    """The workers, the figures so far, and the last failures."""
    from rich.text import Text

    from guiagent_eval.cli.execution import dim_lines
    from guiagent_eval.live import workers

    told = _progress(folder, going=going)
    names = ("worker", "episode", "steps", "seconds", "doing", "done")
    table = plain_table(*names, left=("episode", "doing"), no_wrap=True)
    for one in workers(folder) if going else ():
        again = f" (attempt {one.attempt})" if one.attempt > 1 else ""
        seconds = f"{time.time() - one.began:.0f}" if one.task else ""
        row = (str(one.pid), one.task + again, str(one.steps), seconds, one.doing, str(one.episodes))
        table.add_row(*map(Text, row))
    return Group(Text(f"{folder.folder}: {told['head']}"), table, *dim_lines(told["failures"]))
