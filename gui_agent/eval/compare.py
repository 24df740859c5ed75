"""Two runs side by side, paired by task and seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gui_agent.eval.benchmark import Case
from gui_agent.eval.records import Record
from gui_agent.eval.statistics import Interval, detectable, mcnemar, paired_bootstrap


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two episodes of the same case first did something else."""

    case: Case
    step: int
    """1-based; one past the shorter episode when one is the beginning of the other."""
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from the first run to the second."""

    pairs: int
    unpaired: int
    """Cases that only one of the runs has."""
    gain: Interval
    """Mean change of success per case, with its paired bootstrap interval."""
    p_value: float
    """McNemar's exact test."""
    lost: tuple[Case, ...]
    """Succeeded in the first run only."""
    won: tuple[Case, ...]
    by_task: tuple[tuple[str, float, float], ...]
    """Task, success in the first, success in the second; only tasks that differ."""

    @property
    def hint(self) -> str:
        """What so many pairs can and cannot show."""
        if not self.pairs:
            return "the runs have no case in common: compare runs with the same tasks and seeds"
        least = detectable(self.pairs, len(self.flaky) / self.pairs)
        if self.p_value < 0.05:
            return (
                f"chance hardly explains it; {self.pairs} pairs show changes from {100 * least:.1f} points on"
            )
        need = round(self.pairs * (least / 0.02) ** 2)
        return (
            f"chance explains it; {self.pairs} pairs show changes of {100 * least:.1f} points or more "
            f"(4 times out of 5), and a change of 2 points would need about {need} pairs"
        )

    @property
    def flaky(self) -> tuple[Case, ...]:
        """Cases whose verdict differs: with a deterministic agent and no change in between, flakes."""
        return (*self.lost, *self.won)


def compare(first: Sequence[Record], second: Sequence[Record]) -> Comparison:
    """Pair two runs by task and seed; only counted episodes of both take part."""
    one = {record.case: record for record in first if record.counted}
    two = {record.case: record for record in second if record.counted}
    shared = sorted(one.keys() & two.keys(), key=lambda case: (case.task, case.seed))
    lost = tuple(case for case in shared if one[case].success and not two[case].success)
    won = tuple(case for case in shared if two[case].success and not one[case].success)
    tasks: dict[str, list[tuple[bool, bool]]] = {}
    for case in shared:
        tasks.setdefault(case.task, []).append((one[case].success, two[case].success))
    rates = [
        (task, sum(a for a, _ in pairs) / len(pairs), sum(b for _, b in pairs) / len(pairs))
        for task, pairs in tasks.items()
    ]
    return Comparison(
        pairs=len(shared),
        unpaired=len(one.keys() ^ two.keys()),
        gain=paired_bootstrap([float(two[case].success) - float(one[case].success) for case in shared]),
        p_value=mcnemar(len(lost), len(won)),
        lost=lost,
        won=won,
        by_task=tuple(rate for rate in rates if rate[1] != rate[2]),
    )


def divergence(first: Record, second: Record) -> Divergence | None:
    """The first step at which two episodes of one case differ; None when they did the same."""
    for number in range(max(len(first.actions), len(second.actions))):
        here = first.actions[number] if number < len(first.actions) else f"({first.ending}: {first.reason})"
        there = (
            second.actions[number] if number < len(second.actions) else f"({second.ending}: {second.reason})"
        )
        if here != there:
            return Divergence(first.case, number + 1, here, there)
    if (first.verdict, first.ending) != (second.verdict, second.ending):
        return Divergence(first.case, len(first.actions) + 1, f"({first.ending})", f"({second.ending})")
    return None
