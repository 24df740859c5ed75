"""The statistics agree with published values and with common sense."""

from __future__ import annotations

import pytest
from guiagent_eval.statistics import mcnemar, paired_bootstrap, wilson
from hypothesis import given
from hypothesis import strategies as st


def test_wilson_agrees_with_published_values() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263, and 15 of 148.
    assert wilson(81, 263).low == pytest.approx(0.2553, abs=1e-4)
    assert wilson(81, 263).high == pytest.approx(0.3662, abs=1e-4)
    assert wilson(15, 148).low == pytest.approx(0.0624, abs=1e-4)
    assert wilson(15, 148).high == pytest.approx(0.1605, abs=1e-4)


@given(st.integers(0, 500), st.integers(0, 500))
def test_wilson_holds_its_value_and_stays_in_range(successes: int, failures: int) -> None:
    interval = wilson(successes, successes + failures)
    assert 0.0 <= interval.low <= interval.value + 1e-12
    assert interval.value - 1e-12 <= interval.high <= 1.0


def test_mcnemar_is_the_binomial_test_of_the_discordant_pairs() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(5, 5) == 1.0
    assert mcnemar(0, 5) == pytest.approx(2 / 32)
    assert mcnemar(1, 9) == pytest.approx(2 * 11 / 1024)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_does_not_care_which_run_is_first(one: int, two: int) -> None:
    assert mcnemar(one, two) == mcnemar(two, one)
    assert 0.0 < mcnemar(one, two) <= 1.0


def test_the_bootstrap_is_repeatable_and_centred() -> None:
    differences = [1.0] * 30 + [0.0] * 60 + [-1.0] * 10
    first = paired_bootstrap(differences)
    assert first == paired_bootstrap(differences)
    assert first.value == pytest.approx(0.2)
    assert first.low < 0.2 < first.high
    assert first.low > 0.0
    assert paired_bootstrap([]).value == 0.0
