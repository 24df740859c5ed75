"""Boxes, pictures and clicks agree under every pixel density and zoom."""

from __future__ import annotations

import io
import shutil
import subprocess
from typing import Any

import pytest
from PIL import Image

from gui_agent.core.actions import Click, Drag, TypeText
from gui_agent.core.errors import Stale
from gui_agent.core.observation import Point

COLOURS = {"Red": (255, 0, 0), "Blue": (0, 0, 255)}


NIGHTLY = [pytest.param(*one, marks=pytest.mark.nightly) for one in ((1.5, 1), (2, 1), (1, 1.25), (1, 0.5))]


@pytest.mark.parametrize(("scale", "zoom"), [(1, 1), (2, 0.8), *NIGHTLY])
def test_boxes_fit_the_picture_and_clicks_hit(own_desk: Any, scale: float, zoom: float) -> None:
    desk = own_desk(scale=float(scale), zoom=zoom, size=(800, 400))
    desk.open("marks.html")
    seen = desk.look(picture=True)
    assert (seen.size.width, seen.size.height) == (800 * scale, 400 * scale)
    assert seen.screenshot.size == seen.size
    with Image.open(io.BytesIO(seen.screenshot.data)) as image:
        picture = image.convert("RGB")
        for name, colour in COLOURS.items():
            box = desk.find(name).box
            corners = [(x, y) for x in (box.left + 1, box.right - 2) for y in (box.top + 1, box.bottom - 2)]
            assert [picture.getpixel(corner) for corner in corners] == [colour] * 4
            outside = [(box.left - 2, box.top), (box.right + 1, box.top), (box.left, box.bottom + 1)]
            assert [picture.getpixel(corner) for corner in outside] == [(255, 255, 255)] * 3
    for name in COLOURS:
        box = desk.find(name).box
        for at in (Point(box.left + 1, box.top + 1), Point(box.right - 2, box.bottom - 2)):
            desk.act(Click(at), desk.find(name))
            assert desk.js("last")[0] == name.lower(), (at, box, desk.js("last"), desk.seen.size)


@pytest.mark.nightly
@pytest.mark.parametrize("scale", [1.5, 2.0])
def test_typing_and_dragging_under_a_density(own_desk: Any, scale: float) -> None:
    desk = own_desk(scale=scale, size=(800, 700))
    desk.open("drag.html")
    box = desk.find("Level").box
    desk.act(Drag(Point(box.left + 8, box.center.y), box.center))
    assert 45 <= int(desk.value("level")) <= 55
    desk.open("forms.html")
    field = desk.find("Day")
    desk.act(TypeText("2026-03-09", field.box.center), field)
    assert desk.value("day") == "2026-03-09"


@pytest.mark.parametrize("target", ["documentElement", "body"])
def test_a_page_that_zooms_itself(desk: Any, target: str) -> None:
    desk.open("marks.html")
    desk.js(f"document.{target}.style.zoom = 1.5")
    seen = desk.look(picture=True)
    with Image.open(io.BytesIO(seen.screenshot.data)) as image:
        picture = image.convert("RGB")
        for name, colour in COLOURS.items():
            box = desk.find(name).box
            assert picture.getpixel((box.left + 1, box.top + 1)) == colour
            assert picture.getpixel((box.right - 2, box.bottom - 2)) == colour
            desk.act(Click(box.center), desk.find(name))
            assert desk.js("last")[0] == name.lower()


def test_jpeg_pictures(own_desk: Any) -> None:
    desk = own_desk(picture_format="jpeg")
    desk.open("marks.html")
    picture = desk.look(picture=True).screenshot
    assert picture.media_type == "image/jpeg"
    assert picture.data.startswith(b"\xff\xd8")


def test_a_picture_under_way_does_not_mislead_the_mouse(own_desk: Any) -> None:
    desk = own_desk(zoom=0.5, size=(800, 400))
    desk.open("marks.html")
    desk.look(picture=True)
    box = desk.find("Red").box
    for _ in range(10):
        desk.computer.perform(Click(Point(box.right - 2, box.bottom - 2)))
        desk.computer.settle()
        desk.look(picture=True)
        desk.computer.settle()
        desk.computer.perform(Click(Point(box.right - 2, box.bottom - 2)))
        assert desk.js("last")[0] == "red"


@pytest.mark.nightly
@pytest.mark.skipif(not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="needs Xvfb and xdotool")
def test_a_person_zooms_a_browser_with_a_window(own_desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24"], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    monkeypatch.setenv("DISPLAY", f":{server.stdout.readline().strip()}")
    try:
        desk = own_desk(headless=False, size=(900, 600))
        desk.open("marks.html")
        desk.use("Red")
        before = desk.find("Blue")
        subprocess.run(["xdotool", "key", "--repeat", "2", "ctrl+plus"], check=True)
        while desk.js("devicePixelRatio") != 1.25:
            desk.computer.settle()
        with pytest.raises(Stale, match="zoomed"):
            desk.computer.perform(Click(before.box.center), before)
        seen = desk.look(picture=True)
        with Image.open(io.BytesIO(seen.screenshot.data)) as image:
            picture = image.convert("RGB")
            for name, colour in COLOURS.items():
                box = desk.find(name).box
                assert picture.getpixel((box.left + 1, box.top + 1)) == colour
                assert picture.getpixel((box.right - 2, box.bottom - 2)) == colour
                desk.act(Click(Point(box.right - 2, box.bottom - 2)), desk.find(name))
                assert desk.js("last")[0] == name.lower()
        desk.computer.close()
    finally:
        server.terminate()
        server.wait()
