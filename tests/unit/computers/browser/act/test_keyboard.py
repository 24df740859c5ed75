"""Characters and the keys that give them."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from gui_agent.computers.browser.act.keyboard import SHIFT, stroke


def test_every_printable_ascii_character_has_a_key() -> None:
    for character in string.printable[:95]:
        key = stroke(character)
        assert key is not None
        assert key["key"] == character
        assert key["text"] == character


def test_capitals_and_upper_signs_need_shift() -> None:
    shifted = string.ascii_uppercase + '~!@#$%^&*()_+{}|:"<>?'
    for character in string.printable[:95]:
        assert (stroke(character) or {}).get("modifiers", 0) == (SHIFT if character in shifted else 0)


def test_a_letter_and_its_capital_are_one_key() -> None:
    small, capital = stroke("q"), stroke("Q")
    assert small is not None
    assert capital is not None
    assert small["code"] == capital["code"] == "KeyQ"
    assert small["windowsVirtualKeyCode"] == capital["windowsVirtualKeyCode"] == 81


@given(st.characters(min_codepoint=128))
def test_other_characters_have_none(character: str) -> None:
    assert stroke(character) is None
