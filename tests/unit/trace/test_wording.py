"""Words for people."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.trajectory import Ending, EndingKind, OutcomeKind
from gui_agent.trace.lines import ENDINGS, OUTCOMES, duration, plural, verdict
from gui_agent.trace.report import _mark_quotes


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0 ms"),
        (0.00001, "0 ms"),
        (0.0004, "0.4 ms"),
        (0.012, "12 ms"),
        (0.9996, "1.0 s"),
        (12.34, "12.3 s"),
        (59.96, "1 min 0 s"),
        (125.0, "2 min 5 s"),
    ],
)
def test_times_are_said_as_precisely_as_people_need(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_every_outcome_and_ending_has_its_words() -> None:
    assert set(OUTCOMES) == set(get_args(OutcomeKind))
    assert set(ENDINGS) == set(get_args(EndingKind))
    assert verdict(None).label == "Interrupted"
    assert verdict(Ending("done")).label == "Done"


def test_one_step_is_not_steps() -> None:
    assert (plural(1, "step"), plural(0, "step"), plural(2, "step")) == ("1 step", "0 steps", "2 steps")


def test_quotations_in_a_sentence_are_set_apart() -> None:
    assert _mark_quotes('Type "a="b" into "N"') == "Type <q>“a=&#34;b”</q> into <q>“N”</q>"


@given(st.text())
def test_a_sentence_with_quotations_is_always_escaped(text: str) -> None:
    made = str(_mark_quotes(text)).replace("<q>", "").replace("</q>", "")
    assert "<" not in made
    assert ">" not in made
