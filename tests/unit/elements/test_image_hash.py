"""Small pieces of a picture are known again by a hash of their looks."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from gui_agent.core.observation import Box, Screenshot, Size
from gui_agent.elements.image_regions import crop_hash, crop_likeness

ICON = Box(20, 20, 24, 24)


def picture(shape: str, *, at: Box = ICON, ink: str = "black") -> Screenshot:
    image = Image.new("RGB", (120, 80), "white")
    draw = ImageDraw.Draw(image)
    corners = (at.left + 3, at.top + 3, at.right - 4, at.bottom - 4)
    if shape == "star":
        draw.polygon(
            [(at.center.x, at.top), (at.right, at.bottom), (at.left, at.top + 8), (at.right, at.top + 8)],
            fill=ink,
        )
    elif shape == "bin":
        draw.rectangle(corners, outline=ink, width=3)
        draw.line((at.center.x, at.top, at.center.x, at.bottom), fill=ink, width=3)
    data = io.BytesIO()
    image.save(data, "PNG")
    return Screenshot(data.getvalue(), Size(120, 80))


def test_the_same_icon_elsewhere_and_in_another_ink_is_known_again() -> None:
    moved = Box(70, 40, 24, 24)
    then = crop_hash(picture("star"), ICON)
    assert crop_likeness(then, crop_hash(picture("star", at=moved), moved)) == 1.0
    assert crop_likeness(then, crop_hash(picture("star", ink="navy"), ICON)) > 0.9


def test_another_icon_is_another_one() -> None:
    then = crop_hash(picture("star"), ICON)
    assert crop_likeness(then, crop_hash(picture("bin"), ICON)) < 0.6


def test_what_is_outside_the_picture_has_no_looks() -> None:
    assert crop_hash(picture("star"), Box(500, 500, 10, 10)) == ""
    assert crop_likeness("", crop_hash(picture("star"), ICON)) == 0.0


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_likeness_is_symmetric_and_between_none_and_all(one: int, other: int) -> None:
    first, second = f"{one:016x}", f"{other:016x}"
    assert crop_likeness(first, second) == crop_likeness(second, first)
    assert 0.0 <= crop_likeness(first, second) <= crop_likeness(first, first) == 1.0
