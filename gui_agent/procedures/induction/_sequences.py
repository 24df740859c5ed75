"""Aligns two sequences at the least cost by Needleman and Wunsch's dynamic programme."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from operator import itemgetter

Place = tuple[int, int]


def cheapest_pairs(costs: Sequence[Sequence[float]]) -> tuple[float, list[Place]]:
    """The minimum cost of aligning two sequences, and the aligned pairs.

    Args:
        costs: the cost of each pair; the last column and the last row hold the costs of elements without a
            counterpart.

    Returns:
        The cost, and index pairs in order; -1 stands for a missing counterpart.
    """
    end = (len(costs) - 1, len(costs[0]) - 1)
    best: dict[Place, tuple[float, Place, Place]] = {}
    for i, j in product(range(end[0], -1, -1), range(end[1], -1, -1)):
        ways = (((i, j), (i + 1, j + 1)), ((-1, j), (i, j + 1)), ((i, -1), (i + 1, j)))
        found = [(costs[a][b] + best[then][0], (a, b), then) for (a, b), then in ways if then in best]
        best[i, j] = min(found, key=itemgetter(0), default=(0.0, (-1, -1), end))
    at, pairs = (0, 0), []
    while at != end:
        _, pair, at = best[at]
        pairs.append(pair)
    return best[0, 0][0], pairs
