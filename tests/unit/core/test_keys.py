"""Names of keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.errors import ActionFailed
from gui_agent.core.keys import ALIASES, MODIFIERS, NAMED, canonical, chord, modifiers, web_name


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("Control", "ctrl"),
        ("Return", "enter"),
        ("ESC", "escape"),
        ("Page_Down", "pagedown"),
        ("page up", "pageup"),
        ("ArrowLeft", "left"),
        ("cmd", "meta"),
        ("F5", "f5"),
        (" ", "space"),
        ("a", "a"),
        ("A", "A"),
        ("+", "+"),
        ("é", "é"),
        ("plus", "+"),
    ],
)
def test_common_spellings_are_understood(spelled: str, name: str) -> None:
    assert canonical(spelled) == name


@given(st.sampled_from([*NAMED, *ALIASES]))
def test_a_canonical_name_stays_as_it_is(spelled: str) -> None:
    assert canonical(canonical(spelled)) == canonical(spelled)
    assert canonical(spelled.upper()) == canonical(spelled)


@pytest.mark.parametrize("spelled", ["", "hyper", "f99", "\n", "ab"])
def test_what_is_no_key_is_refused(spelled: str) -> None:
    with pytest.raises(ActionFailed, match="no key called"):
        canonical(spelled)


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (("ctrl", "s"), ("ctrl", "s")),
        (("s", "Ctrl"), ("ctrl", "s")),
        (("Ctrl+Shift+T",), ("ctrl", "shift", "T")),
        (("ctrl++",), ("ctrl", "+")),
        (("+",), ("+",)),
        (("ctrl", "+"), ("ctrl", "+")),
        (("Enter",), ("enter",)),
    ],
)
def test_a_chord_has_its_modifiers_first(keys: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert chord(keys) == names


@given(st.lists(st.sampled_from([*NAMED, "a", "+", "1"]), min_size=1, max_size=4, unique=True))
def test_a_chord_written_with_plus_is_the_same(keys: list[str]) -> None:
    if "+" in keys:
        keys = [key for key in keys if key != "+"] + ["+"]
    assert chord(["+".join(keys)]) == chord(keys)


def test_no_key_at_all_is_refused() -> None:
    with pytest.raises(ActionFailed, match="no key"):
        chord(())


def test_only_modifiers_are_held_during_a_click() -> None:
    assert modifiers(()) == ()
    assert modifiers(("Shift", "control")) == ("ctrl", "shift")
    with pytest.raises(ActionFailed, match="cannot be held"):
        modifiers(("a",))


def test_the_web_has_its_own_names() -> None:
    assert [web_name(name) for name in ("ctrl", "up", "space", "x")] == ["Control", "ArrowUp", "Space", "x"]
    assert set(MODIFIERS) <= set(NAMED)
