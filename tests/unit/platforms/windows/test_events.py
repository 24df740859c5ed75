"""What a person does becomes the events that Windows takes."""

from __future__ import annotations

import pytest
from guiagent_platforms.windows import native
from guiagent_platforms.windows.native import KEY_UP, RANGE, UNICODE, KeyEvent
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.errors import ActionFailed
from gui_agent.core.keys import NAMED, PHONE_KEYS
from gui_agent.core.observation import Point, Size


@given(st.integers(1, 20_000), st.data())
def test_the_pointer_comes_to_lie_on_the_very_pixel(length: int, data: st.DataObject) -> None:
    pixel = data.draw(st.integers(0, length - 1))
    event = native.pointer_at(Point(pixel, 0), Size(length, 10))
    assert event.x * length // RANGE == pixel


@given(st.text(st.characters(exclude_characters="\n\t\r"), max_size=30))
def test_text_is_typed_unit_by_unit_each_key_let_go(typed: str) -> None:
    made = [event for event in native.text(typed) if isinstance(event, KeyEvent)]
    assert all(event.flags & UNICODE and event.code == 0 for event in made)
    downs = [event.scan for event in made if not event.flags & KEY_UP]
    ups = [event.scan for event in made if event.flags & KEY_UP]
    assert downs == ups
    raw = b"".join(unit.to_bytes(2, "little") for unit in downs)
    assert raw.decode("utf-16-le", "surrogatepass") == typed.encode("utf-16-le", "surrogatepass").decode(
        "utf-16-le", "surrogatepass"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_end_of_a_line_is_the_enter_key(end: str) -> None:
    assert [event.code for event in native.text(f"a{end}b") if isinstance(event, KeyEvent)] == [
        0,
        0,
        13,
        13,
        0,
        0,
    ]


@pytest.mark.parametrize("name", sorted(NAMED.keys() - PHONE_KEYS))
def test_every_key_with_a_name_goes_down_and_up(name: str) -> None:
    (down,) = native.key(name, -1)
    (up,) = native.let_go([down])
    assert isinstance(down, KeyEvent) and isinstance(up, KeyEvent)
    assert down.code == up.code != 0
    assert (down.flags & KEY_UP, up.flags & KEY_UP) == (0, KEY_UP)


def test_a_sign_comes_with_the_keys_it_needs_and_a_letter_of_a_chord_does_not() -> None:
    at_sign = 0x0600 | 0x51  # AltGr+Q on a German keyboard
    pressed = native.key("@", at_sign)
    assert [event.code for event in pressed] == [0xA2, 0xA4, 0x51]
    assert [event.code for event in native.let_go(pressed)] == [0x51, 0xA4, 0xA2]  # type: ignore[union-attr]
    assert [event.code for event in native.key("S", 0x0153)] == [0x53]


@pytest.mark.parametrize(("name", "code"), [("c", 0x43), ("A", 0x41), ("5", 0x35)])
def test_keys_of_latin_letters_work_on_layouts_without_them(name: str, code: int) -> None:
    assert [event.code for event in native.key(name, -1)] == [code]


def test_a_character_that_the_layout_lacks_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(ActionFailed, match="type it as text"):
        native.key("é", -1)


@pytest.mark.parametrize(
    ("down", "right", "told"), [(100, 0, [-120]), (-50, 0, [60]), (0, 200, [240]), (0, 0, [])]
)
def test_the_wheel_turns_against_the_direction_of_reading(down: int, right: int, told: list[int]) -> None:
    assert [event.data for event in native.wheel(down, right)] == told
