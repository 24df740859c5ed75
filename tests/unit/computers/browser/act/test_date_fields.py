"""Texts for date and time fields, and what is typed for them."""

from __future__ import annotations

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.computers.browser.act.pickers import iso, strokes
from gui_agent.core.errors import ActionFailed

DATES = st.dates(date(1900, 1, 1), date(9999, 12, 31))


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("date", "2026-03-09", "2026-03-09"),
        ("date", "3/9/2026", "2026-03-09"),
        ("date", "31.12.1999", "1999-12-31"),
        ("date", "Nov 20, 2026", "2026-11-20"),
        ("date", "20 November 2026", "2026-11-20"),
        ("time", "9:05", "09:05"),
        ("time", "12:00 am", "00:00"),
        ("time", "12:00 p.m.", "12:00"),
        ("time", "5pm", "17:00"),
        ("time", "23:59:58", "23:59:58"),
        ("datetime-local", "2026-11-20T09:15", "2026-11-20T09:15"),
        ("datetime-local", "11/20/2026, 9:15 PM", "2026-11-20T21:15"),
        ("month", "July 2026", "2026-07"),
        ("month", "2026-07", "2026-07"),
        ("week", "2026-W9", "2026-W09"),
        ("week", "Week 31, 2026", "2026-W31"),
    ],
)
def test_texts_are_understood(kind: str, text: str, value: str) -> None:
    assert iso(kind, text) == value


@pytest.mark.parametrize("kind", ["date", "time", "datetime-local", "month", "week"])
@pytest.mark.parametrize("text", ["", "soon", "2026-13-45", "25:99"])
def test_other_texts_are_refused_with_an_example(kind: str, text: str) -> None:
    with pytest.raises(ActionFailed, match="write it as"):
        iso(kind, text)


@given(DATES)
def test_a_date_in_its_own_form_is_itself(day: date) -> None:
    assert iso("date", day.isoformat()) == day.isoformat()


@given(DATES, st.permutations(["year", "month", "day"]))
def test_all_digits_of_a_date_are_typed(day: date, order: list[str]) -> None:
    keys = strokes("date", day.isoformat(), order, False, seconds=False)
    typed = dict(zip(order, [key for key in keys if key != "→"], strict=True))
    assert (typed["year"], typed["month"], typed["day"]) == tuple(day.isoformat().split("-"))


@given(st.times())
def test_twelve_hours_and_a_half_of_the_day_give_the_time_back(moment: time) -> None:
    hour, minute, half = strokes("time", moment.strftime("%H:%M"), [], True, seconds=False)
    assert int(hour) % 12 + (12 if half == "p" else 0) == moment.hour
    assert int(minute) == moment.minute
