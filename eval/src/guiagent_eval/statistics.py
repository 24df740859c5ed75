"""The statistics of a table of successes.

Written by hand, because they are a few lines each and SciPy would be 100 MB for every user.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from guiagent_eval.benchmark import Case
from guiagent_eval.records import Record

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""
Z80 = 0.8416212
"""One-sided 80 % quantile."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(successes: int, trials: int) -> Interval:
    """Share of successes with its score interval (Wilson, JASA 1927); (0, 0, 1) without trials."""
    if trials == 0:
        return Interval(0.0, 0.0, 1.0)
    share, z2 = successes / trials, Z95 * Z95
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z95 / (1 + z2 / trials) * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def stratified_mean(strata: Sequence[tuple[int, int]]) -> Interval:
    """Mean of the strata's success rates, each counting the same; normal interval.

    The variance of each rate is taken with two more successes and two more failures (Agresti and Coull,
    Am. Stat. 1998), so that strata in which all or nothing succeeded have some.

    Args:
        strata: successes and trials of each.
    """
    if not strata:
        return Interval(0.0, 0.0, 1.0)
    mean = sum(won / trials for won, trials in strata) / len(strata)
    shares = [((won + 2) / (trials + 4), trials + 4) for won, trials in strata]
    error = math.sqrt(sum(share * (1 - share) / trials for share, trials in shares)) / len(strata)
    return Interval(mean, max(0.0, mean - Z95 * error), min(1.0, mean + Z95 * error))


def detectable(pairs: int, discordant: float = 0.2) -> float:
    """The smallest change of the success rate that this many pairs show at 5 %, with a power of 80 %.

    Normal approximation of McNemar's test (Connor, Biometrics 1987, without its continuity term).

    Args:
        pairs: cases that both runs have.
        discordant: share of pairs whose verdicts differ.
    """
    if pairs == 0:
        return 1.0
    return min(1.0, (Z95 + Z80) * math.sqrt(max(discordant, 1 / pairs) / pairs))


def paired_bootstrap(differences: Sequence[float], *, rounds: int = 2000, seed: int = 0) -> Interval:
    """Mean of paired differences with its percentile interval (Efron 1979); seeded, so repeatable."""
    if not differences:
        return Interval(0.0, 0.0, 0.0)
    dice, count = random.Random(seed), len(differences)
    means = sorted(sum(dice.choices(differences, k=count)) / count for _ in range(rounds))
    return Interval(
        sum(differences) / count, means[int(0.025 * rounds)], means[min(rounds - 1, int(0.975 * rounds))]
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p-value of McNemar's test: were the discordant pairs a fair coin's throws?

    Args:
        only_first: pairs in which only the first run succeeded.
        only_second: pairs in which only the second did.
    """
    count = only_first + only_second
    if count == 0:
        return 1.0
    tail = sum(math.comb(count, k) for k in range(min(only_first, only_second) + 1))
    return float(min(1.0, 2.0 * tail / 2**count))


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference between two episodes of the same case."""

    case: Case
    step: int
    """1-based; one past the shorter episode if it is the beginning of the other."""
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The change from the first run to the second."""

    pairs: int
    unpaired: int
    """Cases that only one of the runs has."""
    gain: Interval
    """Mean change of success per case, with its paired bootstrap interval."""
    p_value: float
    """McNemar's exact test."""
    lost: tuple[Case, ...]
    """Cases that succeeded only in the first run."""
    won: tuple[Case, ...]
    by_task: tuple[tuple[str, float, float], ...]
    """Task, success in the first, success in the second; only tasks that differ."""

    @property
    def hint(self) -> str:
        """What this many pairs can and cannot show."""
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
        """Cases whose verdict differs: flakes, with a deterministic agent and no change in between."""
        return (*self.lost, *self.won)


def compare(first: Sequence[Record], second: Sequence[Record]) -> Comparison:
    """Pair two runs by task and seed; only counted episodes of both take part."""
    one = {record.case: record for record in first if record.is_counted}
    two = {record.case: record for record in second if record.is_counted}
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
    """The first step at which two episodes of one case differ; None if they did the same."""
    ends = [f"({one.ending}: {one.reason})" for one in (first, second)]
    for number, (here, there) in enumerate(zip_longest(first.actions, second.actions), start=1):
        if here != there:
            return Divergence(first.case, number, here or ends[0], there or ends[1])
    if (first.verdict, first.ending) != (second.verdict, second.ending):
        return Divergence(first.case, len(first.actions) + 1, f"({first.ending})", f"({second.ending})")
    return None
