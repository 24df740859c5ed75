"""Roles and states of AT-SPI in the words of observations."""

from __future__ import annotations

import pytest

from gui_agent.computers.atspi.vocabulary import Role, State, aria_role, aria_states, has, states_of

USABLE = 1 << State.ENABLED | 1 << State.SENSITIVE


def bits(*states: State) -> int:
    return sum(1 << state for state in states)


def test_states_come_in_two_words_and_may_be_signed() -> None:
    both = states_of([-(1 << 31), 1 << (State.READ_ONLY - 32)])
    assert has(both, State.MANAGES_DESCENDANTS)
    assert has(both, State.READ_ONLY)
    assert not has(both, State.SHOWING)
    assert states_of([]) == 0


@pytest.mark.parametrize(
    ("role", "states", "expected"),
    [
        (Role.CHECK_BOX, bits(State.CHECKED) | USABLE, {"checked"}),
        (Role.CHECK_BOX, bits(State.INDETERMINATE) | USABLE, {"mixed"}),
        (Role.BUTTON, 0, {"disabled"}),
        (Role.BUTTON, USABLE, set()),
        (Role.TOGGLE_BUTTON, bits(State.PRESSED) | USABLE, {"pressed"}),
        (Role.TEXT, bits(State.EDITABLE, State.MULTI_LINE, State.FOCUSED) | USABLE,
         {"editable", "multiline", "focused"}),
        (Role.PASSWORD, bits(State.EDITABLE) | USABLE, {"editable", "password"}),
        (Role.MENU, USABLE, {"haspopup"}),
        (Role.TABLE_CELL, bits(State.EXPANDABLE) | USABLE, {"collapsed"}),
        (Role.TABLE_CELL, bits(State.EXPANDABLE, State.EXPANDED, State.SELECTED), {"expanded", "selected"}),
        (Role.LABEL, 0, set()),
    ],
)  # fmt: skip
def test_states_in_the_words_of_observations(role: Role, states: int, expected: set[str]) -> None:
    assert aria_states(role, states) == expected


def test_roles_in_the_words_of_observations() -> None:
    assert aria_role(Role.BUTTON, 0) == "button"
    assert aria_role(Role.MENU, 0) == "menuitem"
    assert aria_role(Role.LABEL, 0) == "text"
    assert aria_role(Role.PANEL, 0) == ""
    assert aria_role(Role.DOCUMENT_TEXT, bits(State.EDITABLE)) == "textbox"
    assert aria_role(Role.DOCUMENT_TEXT, 0) == "document"
