"""The words and numbers in which the figures of a run are told, in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.eval.statistics import Interval
from gui_agent.eval.summary import RunSummary, TaskSummary

FAILURES = ("wrong", "unknown", "limit", "refused", "crashed")
"""Classes of failures that have a column of their own when there is one."""


def percent(share: float) -> str:
    """A share as it stands in tables."""
    return f"{100 * share:.1f}"


def between(interval: Interval) -> str:
    """The interval of a share."""
    return f"{100 * interval.low:.0f}-{100 * interval.high:.0f}"


def columns(summary: RunSummary) -> list[str]:
    """The classes of failures that occurred, and tokens and cost when there were any."""
    return [name for name in FAILURES if summary.overall.verdicts.get(name)]


def row(task: TaskSummary, failures: Sequence[str], models: bool) -> list[str]:
    """The cells of one task, in the order of `headings`."""
    cells = [
        task.task,
        str(task.episodes),
        percent(task.share.value),
        between(task.share),
        percent(task.lenient),
        f"{task.reward:.2f}",
        *[str(task.verdicts.get(name, 0) or "") for name in failures],
        f"{task.steps:g}" if task.successes else "",
        f"{task.seconds:.2f}" if task.successes else "",
    ]
    return [*cells, f"{task.calls:.1f}", str(task.tokens), f"{task.cost:.2f}"] if models else cells


def headings(failures: Sequence[str], models: bool) -> list[str]:
    """The names of the columns."""
    names = ["task", "episodes", "success %", "95 %", "raw > 0 %", "reward", *failures, "steps", "seconds"]
    return [*names, "calls", "tokens", "cost"] if models else names


def uses_models(summary: RunSummary) -> bool:
    """Whether a model was asked at all."""
    return bool(summary.overall.calls)


def sentences(summary: RunSummary) -> list[str]:
    """The figures of the whole run in words."""
    overall, mean = summary.overall, summary.mean
    lines = [
        f"mean of {len(summary.tasks)} tasks: {percent(mean.value)} % success "
        f"(95 %: {percent(mean.low)} to {percent(mean.high)}), raw reward = 1 in time",
        f"{overall.episodes} episodes: {percent(overall.lenient)} % with raw reward > 0, "
        f"mean reward {overall.reward:.3f} (with the benchmark's discount for time)",
        f"wrong with confidence: {percent(summary.wrong)} %; successful episodes took "
        f"{overall.seconds:.2f} s and {overall.steps:g} steps (medians)",
    ]
    if uses_models(summary):
        lines.append(
            f"model calls per episode: {overall.calls:.1f}; {overall.tokens} tokens; "
            f"cost {overall.cost:.2f}, {summary.cost_per_success:.4f} per success"
        )
    if summary.spoiled:
        lines.append(f"{summary.spoiled} episodes were spoiled by the machinery and are not counted")
    return lines
