"""Texts of a screen become values of a schema."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from gui_agent.agent.answers import as_type, number
from gui_agent.core.errors import NotFound


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", "42"),
        ("EUR 1,234.50", "1234.50"),
        ("1.234,50 €", "1234.50"),
        ("1 234,5", "1234.5"),
        ("1,234", "1234"),
        ("1.234.567", "1234567"),
        ("1,234,567.8", "1234567.8"),
        ("0.125", "0.125"),
        ("-3.5 %", "-3.5"),
        ("CHF 1'000.-", "1000"),
        ("2 of 3", "2 of 3"),
        ("none", "none"),
    ],
)
def test_a_number_is_found_in_its_text(text: str, value: str) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("$ 12.00", float, 12.0),
        ("$ 12.00", Decimal, Decimal("12.00")),
        ("", int | None, None),
        ("checked", bool, True),
        ("not checked", bool, False),
        ("2026-11-03", datetime.date, datetime.date(2026, 11, 3)),
        ("3 November 2026", datetime.date, datetime.date(2026, 11, 3)),
        ("03.11.2026", datetime.date, datetime.date(2026, 11, 3)),
        ("007", str, "007"),
    ],
)
def test_a_text_becomes_the_type(text: str, kind: Any, value: object) -> None:
    assert as_type(text, kind) == value


def test_what_is_no_such_value_says_what_stands_there() -> None:
    with pytest.raises(NotFound, match="Ada Lovelace"):
        as_type("Ada Lovelace", int)
