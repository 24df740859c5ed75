"""The statistics that a table of successes needs, without a library: they are a few lines each."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

Z95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""


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


def median(values: Sequence[float]) -> float:
    """The median; 0 for no values."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    if not ordered:
        return 0.0
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
