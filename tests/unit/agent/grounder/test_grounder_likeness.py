"""Names are compared the way a reader compares them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.elements.text import likeness
from gui_agent.elements.tuning import FLOOR
from gui_agent.elements.words import distance_order

TEXTS = st.text(max_size=30)


@given(TEXTS, TEXTS)
def test_likeness_lies_between_0_and_1(wanted: str, name: str) -> None:
    assert 0.0 <= likeness(wanted, name) <= 1.0


@given(st.text(min_size=1, max_size=30))
def test_a_text_is_wholly_like_itself(text: str) -> None:
    assert likeness(text, text) == 1.0


@given(st.text(alphabet="abcdefghij ", min_size=1, max_size=20).filter(str.strip))
def test_case_and_spacing_matter_little(text: str) -> None:
    assert likeness(text, text.upper()) >= 0.9
    assert likeness(text, f"  {text}  ") >= 0.9


@given(st.from_regex(r"[a-z]{1,4}", fullmatch=True), st.from_regex(r"[a-z]{1,4}", fullmatch=True))
def test_short_words_must_be_exact_but_for_the_plural(one: str, other: str) -> None:
    if one.rstrip("s") != other.rstrip("s"):
        assert likeness(one, other) < FLOOR


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_numbers_must_be_exact(one: int, other: int) -> None:
    assert (likeness(f"Order number {one}", f"Order number {other}") >= FLOOR) == (one == other)


@pytest.mark.parametrize("mark", ["+", "-", "×", "...", "?", "*", "→"])
def test_names_without_letters_are_compared_as_they_are(mark: str) -> None:
    assert likeness(mark, mark) == 1.0
    assert likeness(mark, "Send") == 0.0


def test_a_longer_name_is_the_less_like_the_more_it_adds() -> None:
    assert 1 > likeness("Save", "Save as") > likeness("Save", "Save as a new copy") >= FLOOR


def test_the_nearest_name_comes_first() -> None:
    names = ["Cancel", "Send", "Settings"]
    assert names[distance_order("Sned", names)[0]] == "Send"


@pytest.mark.parametrize(("wanted", "name"), [("+", "+/−"), ("%", "(%)"), ("+", "*")])
def test_names_of_marks_alone_are_the_same_or_not_alike_at_all(wanted: str, name: str) -> None:
    assert likeness(wanted, wanted) == 1.0
    assert likeness(wanted, name) < FLOOR


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("In Document", "Document"), ("Qt interface", "interface"), ("Save as", "Save"), ("Edit A1", "Edit"),
     ("Go to page", "page"), ("4", "Chapter 4"), ("2", "The second of 2 long names")],
)  # fmt: skip
def test_a_name_without_one_of_the_words_is_another_one(wanted: str, name: str) -> None:
    assert likeness(wanted, name) == 0.0


@pytest.mark.parametrize(("wanted", "name"), [("Save the file", "Save file"), ("119.40", "Total: 119.40")])
def test_an_article_may_be_missing_and_a_number_may_stand_in_a_text(wanted: str, name: str) -> None:
    assert likeness(wanted, name) >= FLOOR


def test_an_article_that_is_there_counts() -> None:
    assert likeness("The End", "The end") > likeness("The End", "End")


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("Maximise", "Minimise"), ("Increase", "Decrease"), ("Internal", "External"), ("Right", "Light")],
)
def test_a_word_that_differs_at_its_beginning_is_no_slip_of_another(wanted: str, name: str) -> None:
    assert likeness(wanted, name) == 0.0


@pytest.mark.parametrize(("wanted", "name"), [("Adress", "Address"), ("Confguraton", "Configuration")])
def test_slips_behind_the_beginning_are_forgiven(wanted: str, name: str) -> None:
    assert likeness(wanted, name) >= FLOOR
