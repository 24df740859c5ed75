"""Boxes are in screenshot pixels at any device pixel ratio and zoom."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from gui_agent.core.observation import Box

SQUARE = """<body style="margin:0;background:#fff"><button id=b
        style="position:absolute;left:100px;top:60px;width:80px;
height:40px;border:0;background:#f00;color:#f00" onclick="window.clicked=1">Red</button>"""


def red_box(eyes: Any) -> Box:
    """Where the red button is in the picture, found by its colour."""
    picture = Image.open(io.BytesIO(eyes.run(eyes.page.screenshot()))).convert("RGB")
    red = picture.point(lambda value: 255 if value > 128 else 0).convert("RGB")
    mask = Image.eval(red.split()[1], lambda value: 255 - value)
    left, top, right, bottom = mask.getbbox() or (0, 0, 0, 0)
    return Box(left, top, right - left, bottom - top)


def near(one: Box, other: Box, by: int = 1) -> bool:
    return (
        max(
            abs(one.left - other.left),
            abs(one.top - other.top),
            abs(one.right - other.right),
            abs(one.bottom - other.bottom),
        )
        <= by
    )


@pytest.mark.parametrize("ratio", [1, 1.5, 2])
@pytest.mark.parametrize("style", ["", "zoom:1.5", "zoom:0.8", "transform:scale(1.25);transform-origin:0 0"])
def test_boxes_lie_where_the_picture_shows_them(eyes: Any, ratio: float, style: str) -> None:
    eyes.show(SQUARE, device_scale_factor=ratio)
    eyes.js(f"document.body.style.cssText += ';{style}'")
    seen = eyes.look()
    button = eyes.one("Red")
    assert seen.ratio == ratio
    assert (seen.viewport.width, seen.viewport.height) == (800, 600)
    assert near(button.box, red_box(eyes)), (button.box, red_box(eyes))
    eyes.click(button, ratio)
    assert eyes.js("window.clicked") == 1
    hit = eyes.at(button.box.center)
    assert hit is not None
    assert hit.id == button.id


def test_a_zoomed_root_keeps_boxes_right(eyes: Any) -> None:
    eyes.show(SQUARE)
    eyes.js("document.documentElement.style.zoom = 1.25")
    assert near(eyes.one("Red").box, red_box(eyes))


def test_pinch_zoom_and_its_shift_are_followed(eyes: Any) -> None:
    eyes.show(SQUARE)

    async def pinch() -> None:
        session = await eyes.page.context.new_cdp_session(eyes.page)
        await session.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 2})

    eyes.run(pinch())
    button = eyes.one("Red")
    assert near(button.box, red_box(eyes), by=2)
    hit = eyes.at(button.box.center)
    assert hit is not None
    assert hit.id == button.id


def test_text_has_a_tight_box(eyes: Any) -> None:
    eyes.show('<p style="margin:0;width:400px;font:20px monospace">Word</p>')
    box = eyes.one("Word").box
    assert 40 <= box.width <= 56
    assert 18 <= box.height <= 30
