"""Which option is meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.computers.browser.act.choosing import pick
from gui_agent.core.errors import ActionFailed


@pytest.mark.parametrize(
    ("wanted", "place"),
    [("Green", 1), ("green ", 1), ("Dark Green", 2), ("red", 0), ("Light", 3), ("Red", 0)],
)
def test_the_nearest_reading_wins(wanted: str, place: int) -> None:
    assert pick(wanted, ["Red:", "Green", "Dark green", "Light blue"]) == place


def test_two_that_fit_are_not_chosen_between() -> None:
    with pytest.raises(ActionFailed, match='several options fit "blue": "Light blue", "Dark blue"'):
        pick("blue", ["Light blue", "Dark blue"])


def test_a_long_list_is_named_in_part() -> None:
    with pytest.raises(ActionFailed, match="and 75 more") as raised:
        pick("none", [f"option {n}" for n in range(100)])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("wanted", ["", "  ", "?"])
def test_an_empty_wish_fits_nothing(wanted: str) -> None:
    with pytest.raises(ActionFailed):
        pick(wanted, ["Red", "Green"])


@given(st.lists(st.text("abcdef", min_size=1), min_size=1, unique=True), st.data())
def test_an_exact_text_is_always_found(texts: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(texts) - 1))
    assert pick(texts[place], texts) == place
