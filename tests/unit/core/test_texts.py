"""Texts are compared as a reader compares them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.texts import is_titled, label, normal, number, shorten


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Save  As…", "save as..."),
        ("“Hello”", '"hello"'),
        ("Don’t", "don't"),
        ("a\u00a0b", "A B"),
        ("ＦＵＬＬ", "full"),
        ("  x\n\ty ", "x y"),
        ("STRASSE", "straße"),
    ],
)
def test_texts_that_read_the_same_are_the_same(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize("text", ["Name:", "Name *", " name …", "Name – ", "NAME ?"])
def test_labels_lose_their_marks(text: str) -> None:
    assert label(text) == "name"


@given(st.text(max_size=80))
def test_what_is_normal_has_single_spaces_and_no_capitals(text: str) -> None:
    plain = normal(text)
    assert plain == plain.strip()
    assert "  " not in plain
    assert "\n" not in plain
    assert normal(text + " ") == plain


@given(st.text(max_size=200), st.integers(1, 60))
def test_a_shortened_text_fits_and_begins_the_same(text: str, limit: int) -> None:
    short = shorten(text, limit)
    line = " ".join(text.split())
    assert len(short) <= limit
    assert "\n" not in short
    assert short == line or (short.endswith("…") and len(line) > limit and line.startswith(short[:-1]))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("70", 70),
        ("-3.5", -3.5),
        ("2,50 cm", 2.5),
        ("70 %", 70),
        ("−4", -4),
        ("1,200", None),
        ("loud", None),
        ("", None),
    ],
)
def test_a_number_may_have_a_unit(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("title", "name", "called"),
    [
        ("~/plans/notes.txt - Editor", "notes.txt", True),
        ("~/plans/notes.txt - Editor", "Editor", True),
        ("~/plans/notes.txt - Editor", "plans", False),
        ("C:\\plans\\notes.txt - Editor", "plans", False),
        ("Editor - /tmp/a b/Report/x.txt", "Report", False),
        ("Report - /tmp/x.txt", "report", True),
        ("AC/DC - Player", "AC/DC", True),
        ("~/plans/notes.txt - Editor", "plans/notes.txt", True),
    ],
)
def test_a_window_is_called_by_its_title_outside_of_folders(title: str, name: str, called: bool) -> None:
    assert is_titled(title, name) is called
