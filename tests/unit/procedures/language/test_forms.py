"""Forms, dates and numbers: other ways to write a value."""

from __future__ import annotations

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.procedures.language.forms import (
    DATE_OUTPUTS,
    FORMS,
    TIME_OUTPUTS,
    in_form,
    list_items,
    number_in,
    ordinal,
    parse_date,
    parse_month,
    parse_time,
)

WHOLE_DATES = [
    name
    for name in DATE_OUTPUTS
    if any(c in name for c in "/-., ") and "2024" in name and name[:5] not in ("March", "year ")
]


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)))
def test_a_date_written_out_is_read_again(day: date) -> None:
    for name in ("2024-03-09", "03/09/2024", "3/9/2024", "March 9, 2024", "Mar 9, 2024", "9 March 2024"):
        assert parse_date(DATE_OUTPUTS[name](day)) == day
    for name in ("09/03/2024", "09.03.2024", "9.3.2024"):
        assert parse_date(DATE_OUTPUTS[name](day), european=True) == day


@given(st.times())
def test_a_time_written_out_is_read_again(moment: time) -> None:
    for name in ("16:05", "4:05 PM", "04:05PM"):
        assert parse_time(TIME_OUTPUTS[name](moment)) == time(moment.hour, moment.minute)


@given(st.text(max_size=40), st.sampled_from(sorted(FORMS)))
def test_forms_never_fail(text: str, form: str) -> None:
    result = in_form(text, form)
    assert result is None or isinstance(result, str)


@pytest.mark.parametrize(
    ("text", "form", "result"),
    [
        ("Ada Lovelace", "last word", "Lovelace"),
        ("March 4, 2025", "date as 2024-03-09", "2025-03-04"),
        ("March 4, 2025", "date as day 9", "4"),
        ("third", "number of the ordinal", "3"),
        ("ada@example.org", "before the @", "ada"),
        ("Ada", "last word", None),
        ("no date", "date as 2024-03-09", None),
        ("anything", "no such form", None),
    ],
)
def test_forms_give_what_they_say(text: str, form: str, result: str | None) -> None:
    assert in_form(text, form) == result


def test_numbers_are_read_with_units_and_durations() -> None:
    assert number_in("$1,250.50") == 1250.5
    assert number_in("2h 30m") == 150
    assert number_in("from 3 to 4") is None
    assert number_in("none here") is None


def test_ordinals_in_words_and_digits() -> None:
    assert [ordinal(word) for word in ("first", "3rd", "last", "7", "two", "blue")] == [1, 3, -1, 7, 2, None]


def test_lists_are_split_and_nothing_is_no_item() -> None:
    assert list_items("milk, eggs and bread") == ("milk", "eggs", "bread")
    assert list_items("milk, eggs, and bread") == ("milk", "eggs", "bread")
    assert list_items("nothing") == ()


def test_months_are_counted() -> None:
    march, may = parse_month("March 2024"), parse_month("May 2025")
    assert march is not None and may is not None and may - march == 14


def test_a_raised_digit_is_no_rank() -> None:
    assert ordinal("²") is None and ordinal("2") == 2
