"""A benchmark run as one HTML page with tables, plots, and links to every failed episode's report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import why
from gui_agent.core.texts import table
from gui_agent.trace.report import moment, resource, templates
from guiagent_eval.records import Record
from guiagent_eval.summary import (
    FAILURES,
    EvalSummary,
    TaskSummary,
    between,
    headings,
    percent,
    row,
    summarise,
    uses_models,
)

PACKAGE = "guiagent_eval"
PAGE = "report.html"
TONES = table("wrong=bad unsaved=bad crashed=bad refused=calm unverified=warn unknown=warn limit=calm")
WIDTH, FLOOR, HEIGHT = 312.0, 126.0, 116.0
"""Sizes of a histogram, in its own units."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A histogram, ready to be drawn."""

    title: str
    label: str
    bars: tuple[Mapping[str, Any], ...]
    ticks: tuple[Mapping[str, Any], ...]


def write_page(folder: Path, journal: Mapping[str, Any], records: Sequence[Record]) -> Path:
    """Write the page into the run's folder and return its path.

    Raises:
        ConfigError: it cannot be written.
    """
    path = folder / PAGE
    try:
        path.write_text(render(folder, journal, records), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {why(error)}") from error
    return path


def render(folder: Path, journal: Mapping[str, Any], records: Sequence[Record]) -> str:
    """The page as HTML; links to reports are relative to the run's folder."""
    environment = templates(PACKAGE)
    summary = summarise(records)
    recipe = journal.get("recipe", {})
    failed = _failures(folder, records)
    name = recipe.get("benchmark", "benchmark")
    return environment.get_template("run.html.j2").render(
        title=f"{name}: {percent(summary.mean.value)} %",
        benchmark=name,
        started=moment(str(journal.get("started", ""))),
        finished=len([record for record in records if record.is_counted]),
        planned=len(journal.get("tasks", ())) * len(journal.get("seeds", ())) or len(records),
        planner=recipe.get("planner", ""),
        without=recipe.get("without", ()),
        summary=summary,
        facts=_facts(summary),
        shares=_shares(summary),
        headings=headings(summary),
        rows=[_row(it, summary) for it in sorted(summary.tasks, key=lambda one: (one.share.value, one.task))],
        plots=_plots(records),
        failed=failed,
        reports=any(one["report"] for group in failed for one in group["episodes"]),
        journal=json.dumps(journal, indent=2, ensure_ascii=False),
        style=resource("gui_agent.trace", "report.css") + resource(PACKAGE, "run.css"),
    )


def _facts(summary: EvalSummary) -> list[tuple[str, str]]:
    overall = summary.overall
    rewards = [
        ("of episodes raw > 0", f"{percent(overall.lenient)} %"),
        ("mean reward", f"{overall.reward:.3f}"),
    ]
    facts = [
        ("of episodes done", f"{percent(overall.share.value)} %"),
        *(rewards if summary.is_graded else []),
        ("wrong with confidence", f"{percent(summary.wrong)} %"),
        ("seconds, median", f"{overall.seconds:.2f}"),
        ("steps, median", f"{overall.steps:g}"),
        ("model calls each", f"{overall.calls:.1f}"),
    ]
    if uses_models(summary):
        facts += [("tokens", str(overall.tokens)), ("cost per success", f"{summary.cost_per_success:.4f}")]
    return facts


def _shares(summary: EvalSummary) -> list[dict[str, Any]]:
    counts = summary.overall.verdicts
    return [{"name": name, "count": counts[name]} for name in ("success", *FAILURES) if counts.get(name)]


def _row(task: TaskSummary, summary: EvalSummary) -> dict[str, Any]:
    share = task.share
    return {
        "task": task.task,
        "failed": task.successes < task.episodes,
        "label": f"{percent(share.value)} %, interval {between(share)}",
        "low": round(200 * share.low, 1),
        "high": round(200 * share.high, 1),
        "middle": round(100 * share.value, 1),
        "tone": "good" if share.value >= 0.9 else "warn" if share.value >= 0.5 else "bad",
        "cells": row(task, summary)[1:],
    }


def _failures(folder: Path, records: Sequence[Record]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in sorted(records, key=lambda one: (one.task, one.seed)):
        if record.success or not record.is_counted:
            continue
        report = f"{record.trace}/report.html" if record.trace else ""
        groups.setdefault(record.task, []).append(
            {
                "seed": record.seed,
                "verdict": record.verdict,
                "tone": TONES.get(record.verdict, "calm"),
                "instruction": record.instruction,
                "reason": record.reason,
                "report": report if report and (folder / report).is_file() else "",
            }
        )
    return [{"task": task, "episodes": episodes} for task, episodes in groups.items()]


def _plots(records: Sequence[Record]) -> list[Plot]:
    won = [record for record in records if record.success]
    return [
        _histogram("Seconds of successful episodes", [record.seconds for record in won], "s"),
        _histogram("Steps of successful episodes", [float(record.steps) for record in won], ""),
    ]


def _histogram(title: str, values: Sequence[float], unit: str) -> Plot:
    """Equal bins up to the 98th percentile; higher values go into the last one."""
    if not values:
        return Plot(title, f"{title}: none", (), ())
    top = max(sorted(values)[int(0.98 * (len(values) - 1))], 1e-9)
    whole = not unit
    bins = min(24, int(top) + 1) if whole else 24
    step = (int(top) + 1) / bins if whole else top / bins
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int(value / step))] += 1
    most = max(counts)
    width = WIDTH / bins
    bars = tuple(
        {
            "x": round(4 + place * width + 0.6, 2),
            "width": round(width - 1.2, 2),
            "y": round(FLOOR - HEIGHT * count / most, 2),
            "height": round(HEIGHT * count / most, 2),
            "title": f"{place * step:.3g} to {(place + 1) * step:.3g}{' ' + unit if unit else ''}: {count}",
        }
        for place, count in enumerate(counts)
        if count
    )
    spots = ((0.0, "start"), (0.5, "middle"), (1.0, "end"))
    ticks = tuple(
        {"x": 4 + share * WIDTH, "anchor": anchor, "text": f"{share * step * bins:.2g} {unit}".strip()}
        for share, anchor in spots
    )
    return Plot(title, f"{title}: {len(values)} episodes", bars, ticks)
