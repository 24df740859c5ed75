"""Going in circles is noticed and useless actions are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.agent.limits import REFUSE_AFTER, LoopDetector, cycle, identity
from gui_agent.core.actions import Action, Click, Press
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Observation, Point
from gui_agent.core.trajectory import Outcome, OutcomeKind, Planned, Step
from gui_agent.testing import button, field, screen

HERE = screen(button("A"), button("B"))
THERE = screen(button("A"), button("B"), field("C"))
A: Action = Click(Point(30, 30))
B: Action = Press(("tab",))


def taken(action: Action, before: Observation = HERE, kind: OutcomeKind = "no_change") -> Step:
    return Step(1, Planned(action), before, before, Outcome(kind), action)


def test_an_action_that_changed_nothing_twice_on_a_screen_is_refused_there() -> None:
    trail = LoopDetector()
    trail.note(taken(A))
    trail.refuse_useless(A, HERE)
    trail.note(taken(A))
    with pytest.raises(ActionFailed, match="not sent"):
        trail.refuse_useless(A, HERE)


def test_the_same_action_on_another_screen_is_allowed() -> None:
    trail = LoopDetector()
    trail.note(taken(A))
    trail.note(taken(A))
    trail.refuse_useless(A, THERE)
    trail.refuse_useless(B, HERE)


def test_an_action_that_once_did_something_starts_anew() -> None:
    trail = LoopDetector()
    trail.note(taken(A))
    trail.note(taken(A, kind="changed"))
    trail.note(taken(A))
    trail.refuse_useless(A, HERE)


def test_a_cycle_of_two_is_hinted_at_and_then_refused() -> None:
    trail = LoopDetector()
    for _ in range(2):
        trail.note(taken(A, HERE, "changed"))
        trail.note(taken(B, THERE, "changed"))
    assert "2 action(s) were done 2 times" in trail.advice()
    trail.refuse_useless(A, HERE)
    trail.note(taken(A, HERE, "changed"))
    with pytest.raises(ActionFailed, match="were repeated"):
        trail.refuse_useless(B, THERE)


def test_a_button_that_counts_up_is_no_cycle() -> None:
    trail = LoopDetector()
    for number in range(10):
        counted = screen(button("A"), field("Count", str(number)))
        trail.refuse_useless(A, counted)
        trail.note(taken(A, counted, "changed"))
    assert trail.advice() == ""


def test_focus_and_newness_do_not_make_another_screen() -> None:
    focused = screen(button("A", states=["focused", "new"]), button("B"))
    assert identity(focused) == identity(HERE)
    assert identity(screen(button("A", states=["disabled"]), button("B"))) != identity(HERE)


pairs = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"))


@given(st.lists(pairs, max_size=6), st.lists(pairs, min_size=1, max_size=4), st.integers(2, REFUSE_AFTER))
def test_a_repeated_tail_is_always_found(
    head: list[tuple[str, str]], unit: list[tuple[str, str]], rounds: int
) -> None:
    length, found = cycle([*head, *unit * rounds])
    assert 1 <= length <= len(unit)
    assert found >= 2


@given(st.lists(st.integers().map(lambda n: (str(n), "x")), unique=True))
def test_a_trail_without_repetition_has_no_cycle(trail: list[tuple[str, str]]) -> None:
    assert cycle(trail) == (0, 0)
