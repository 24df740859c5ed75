"""The figures of a run as a table in the terminal, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from gui_agent.core.texts import shorten
from gui_agent.eval.format import columns, headings, row, sentences, uses_models
from gui_agent.eval.records import Record
from gui_agent.eval.summary import summarise


def wide_console() -> Console:
    """Standard output, as wide as the terminal, and wide enough for a table where it is none."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 140
    return console


def print_summary(records: Sequence[Record]) -> None:
    """The table of a run, and the figures of the whole under it."""
    summary = summarise(records)
    console = wide_console()
    failures, models = columns(summary), uses_models(summary)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in headings(failures, models):
        table.add_column(name, justify="left" if name == "task" else "right", no_wrap=True)
    for task in summary.tasks:
        style = "" if task.share.value >= 0.9 else "yellow" if task.share.value >= 0.5 else "red"
        table.add_row(*row(task, failures, models), style=style)
    console.print(table)
    for line in sentences(summary):
        console.print(line)
    for record in [one for one in records if not one.counted][:3]:
        console.print(f"spoiled: {record.case}: {shorten(record.reason, 100)}", style="red")


def summary_json(records: Sequence[Record]) -> str:
    """All figures as one JSON value."""
    summary = summarise(records)
    table = {**asdict(summary), "wrong": summary.wrong, "cost_per_success": summary.cost_per_success}
    return json.dumps(table, indent=2)
