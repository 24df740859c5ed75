"""What was learned from one example, or from two, is right on another day or refused: it invents nothing."""

from __future__ import annotations

from collections import Counter

import pytest
from learned_bed import KINDS, cases, run_case

SEEDS = range(10 * len(KINDS))
LEAST_RIGHT = 0.3
"""Share of each kind of case that must be done: refusing all is no way out."""


@pytest.fixture(scope="module")
def verdicts() -> dict[int, tuple[str, str]]:
    return {seed: run_case(seed) for seed in SEEDS}


def test_no_example_makes_anything_up(verdicts: dict[int, tuple[str, str]]) -> None:
    wrong = [f"seed {seed}: {reason}" for seed, (verdict, reason) in verdicts.items() if verdict == "wrong"]
    assert wrong == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_example_tells_is_done_on_another_day(
    verdicts: dict[int, tuple[str, str]], kind: str
) -> None:
    count = Counter(verdict for seed, (verdict, _) in verdicts.items() if cases(seed) == kind)
    assert count["right"] >= LEAST_RIGHT * count.total()
