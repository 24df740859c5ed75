"""Eyes on drawn windows: what is found, how it is called, and what a second look costs and keeps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PIL import Image, ImageDraw, ImageFont

from gui_agent.computers.desktop.parts import Node, Window
from gui_agent.computers.vision.ocr import TextReader
from gui_agent.computers.vision.source import VisionSource
from gui_agent.core.observation import Box, Point

pytest.importorskip("rapidocr", reason="the extra vision is not installed")

WINDOW = Window(5, "Order", "forms", 1, Box(0, 0, 420, 300))
FONT = ImageFont.load_default(15)
PAPER, EDGE = "#f4f4f4", "#9a9a9a"


class Form:
    """A drawn window with a form."""

    def __init__(self) -> None:
        self.picture = Image.new("RGB", (420, 300), PAPER)
        self.draw = ImageDraw.Draw(self.picture)

    def text(self, at: tuple[int, int], words: str, anchor: str = "lm") -> None:
        self.draw.text(at, words, "black", FONT, anchor=anchor)

    def outline(self, box: Box, fill: str = PAPER) -> None:
        self.draw.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill, EDGE)

    def button(self, box: Box, words: str) -> None:
        self.outline(box, "#e6e6e6")
        self.text((box.center.x, box.center.y), words, "mm")

    def field(self, box: Box, label: str, value: str = "") -> None:
        self.text((box.left - 110, box.center.y), label)
        self.outline(box, "white")
        self.text((box.left + 8, box.center.y), value)

    def tick(self, box: Box, label: str, *, on: bool) -> None:
        self.outline(box, "white")
        if on:
            self.draw.line((box.left + 4, box.top + 8, box.left + 7, box.bottom - 4), "black", 2)
            self.draw.line((box.left + 7, box.bottom - 4, box.right - 4, box.top + 4), "black", 2)
        self.text((box.right + 8, box.center.y), label)


PLACES = {
    "Save": Box(60, 240, 90, 30),
    "Cancel": Box(220, 240, 90, 30),
    "Name:": Box(140, 20, 200, 30),
    "City:": Box(140, 70, 200, 30),
    "Express": Box(30, 130, 16, 16),
    "Gift": Box(30, 165, 16, 16),
}


def form(city: str = "Madrid", *, express: bool = False) -> Image.Image:
    drawing = Form()
    drawing.field(PLACES["Name:"], "Name:")
    drawing.field(PLACES["City:"], "City:", city)
    drawing.tick(PLACES["Express"], "Express", on=express)
    drawing.tick(PLACES["Gift"], "Gift", on=True)
    drawing.button(PLACES["Save"], "Save")
    drawing.button(PLACES["Cancel"], "Cancel")
    return drawing.picture


@pytest.fixture(scope="module")
def reader() -> TextReader:
    return TextReader(threads=1)


@pytest.fixture
def eyes(reader: TextReader) -> Iterator[VisionSource]:
    source = VisionSource(reader=reader)
    yield source
    source.close()


def see(eyes: VisionSource, picture: Image.Image) -> dict[tuple[str, str], Node]:
    return {(node.role, node.name): node for node in eyes.read([WINDOW], picture, 1.0).nodes}


def in_place(eyes: VisionSource, picture: Image.Image) -> dict[str, Node]:
    """What is seen where the form has each control."""
    nodes = eyes.read([WINDOW], picture, 1.0).nodes
    return {name: max(nodes, key=lambda node: node.box.iou(place)) for name, place in PLACES.items()}


def test_buttons_fields_and_boxes_are_found_where_they_are(eyes: VisionSource) -> None:
    seen = in_place(eyes, form())
    for name, role in (
        ("Save", "button"),
        ("Cancel", "button"),
        ("Name:", "textbox"),
        ("City:", "textbox"),
        ("Express", "checkbox"),
        ("Gift", "checkbox"),
    ):
        node = seen[name]
        assert (node.role, node.name) == (role, "" if role == "textbox" else name)
        assert node.box.iou(PLACES[name]) > 0.7, name
        assert node.window == WINDOW.id
    assert seen["City:"].value == "Madrid"
    assert seen["Name:"].value == ""
    assert "checked" in seen["Gift"].states
    assert "checked" not in seen["Express"].states


def test_a_second_look_keeps_the_keys_and_tells_the_change(eyes: VisionSource) -> None:
    before = in_place(eyes, form())
    after = in_place(eyes, form("Oslo", express=True))
    assert {what: node.key for what, node in after.items()} == {
        what: node.key for what, node in before.items()
    }
    assert after["City:"].value == "Oslo"
    assert "checked" in after["Express"].states


def test_only_what_changed_is_searched_for_text_again(
    eyes: VisionSource, reader: TextReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    see(eyes, form())
    searched: list[Box] = []
    search = reader.lines
    monkeypatch.setattr(
        reader, "lines", lambda pixels, area, *rest: searched.append(area) or search(pixels, area, *rest)
    )
    see(eyes, form())
    assert searched == []
    see(eyes, form("Oslo"))
    assert searched
    assert sum(area.area for area in searched) < 0.1 * 420 * 300
    assert all(area.intersect(PLACES["City:"]) for area in searched)


def test_a_part_of_the_screen_can_be_looked_at_alone(eyes: VisionSource) -> None:
    upper = Box(0, 0, 420, 110)
    nodes = eyes.look([WINDOW], form(), 1.0, [upper]).nodes
    assert sum(node.role == "textbox" for node in nodes) == 2
    assert all(upper.contains(node.box.center) for node in nodes)


def test_what_is_at_a_point_is_the_smallest_thing_there(eyes: VisionSource) -> None:
    see(eyes, form())
    center = PLACES["Save"].center
    node = eyes.node_at(Point(center.x, center.y), [WINDOW])
    assert node is not None
    assert (node.role, node.name) == ("button", "Save")
    assert eyes.node_at(Point(400, 150), [WINDOW]) is None


def test_at_a_point_is_what_is_there_now_not_what_was(reader: TextReader) -> None:
    shown = [form()]
    eyes = VisionSource(grab=lambda: shown[-1], reader=reader)
    see(eyes, form())
    before = eyes.node_at(PLACES["Save"].center, [WINDOW])
    other = Form()
    other.button(PLACES["Save"], "Delete")
    shown.append(other.picture)
    now = eyes.node_at(PLACES["Save"].center, [WINDOW])
    assert before is not None and now is not None
    assert (before.name, now.name) == ("Save", "Delete")
    assert before.key != now.key


def test_signs_alone_on_buttons_are_read_as_signs(eyes: VisionSource) -> None:
    drawing = Form()
    signs = ["7", "+", "-", "="]
    for place, sign in enumerate(signs):
        drawing.button(Box(20 + place * 90, 100, 60, 36), sign)
    seen = see(eyes, drawing.picture)
    assert {name for role, name in seen if role == "button"} >= set(signs)


def test_fields_in_rows_and_columns_are_cells_with_the_names_of_their_heads(eyes: VisionSource) -> None:
    drawing = Form()
    for column, letter in enumerate("ABC"):
        drawing.text((80 + column * 90, 35), letter, "mm")
    for row in range(4):
        drawing.text((18, 60 + row * 22), str(row + 1), "mm")
        for column in range(3):
            drawing.outline(Box(35 + column * 90, 49 + row * 22, 91, 23), "white")
    seen = see(eyes, drawing.picture)
    cells = {name: node for (role, name), node in seen.items() if role == "gridcell"}
    assert {"A2", "B2", "C2", "B3"} <= cells.keys()
    assert cells["B3"].box.contains(Point(170, 104))
