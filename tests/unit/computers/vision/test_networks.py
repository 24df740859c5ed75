"""Eyes with trained networks: icons are named by what they show, cells of a sheet by their headers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from PIL import Image, ImageDraw

from gui_agent.computers.vision import network
from gui_agent.computers.vision._controls import rectangles, sheet_cells
from gui_agent.computers.vision.network import SeenControl, without_overlaps
from gui_agent.computers.vision.ocr import TextLine
from gui_agent.core.observation import Box

pytest.importorskip("onnxruntime", reason="the extra vision is not installed")


def test_an_icon_is_named_by_what_it_shows() -> None:
    picture = Image.new("RGB", (180, 60), "white")
    draw = ImageDraw.Draw(picture)
    draw.line((20, 30, 40, 30), "black", 3)
    draw.line((30, 20, 30, 40), "black", 3)
    for y in (22, 29, 36):
        draw.line((80, y, 100, y), "black", 2)
    pixels = np.asarray(picture)[:, :, ::-1]
    places = [Box(20, 20, 21, 21), Box(70, 10, 41, 41), Box(130, 20, 20, 20)]
    assert network.Detector(threads=1).icons(pixels, places) == ["add", "menu", ""]
    assert set(network.words_for("trash").split()) >= {"trash", "delete", "remove"}


def test_of_two_boxes_in_one_place_the_surer_is_kept() -> None:
    sure, doubted = (SeenControl("button", Box(10, 10, 40, 20), chance) for chance in (0.9, 0.4))
    other = SeenControl("icon", Box(100, 10, 20, 20), 0.5)
    assert without_overlaps([doubted, other, sure]) == [sure, other]


def test_cells_of_a_sheet_have_the_names_of_their_headers() -> None:
    picture = Image.new("L", (420, 300), "white")
    draw = ImageDraw.Draw(picture)
    lines = [TextLine(letter, Box(75 + n * 90, 28, 10, 14), 1.0) for n, letter in enumerate("ABC")]
    lines += [TextLine(str(row + 1), Box(12, 53 + row * 22, 10, 14), 1.0) for row in range(4)]
    for x, y in product((35, 125, 215), (49, 71, 93, 115)):
        draw.rectangle((x, y, x + 90, y + 22), outline="#9a9a9a")
    lines.append(TextLine("tea", Box(130, 75, 25, 14), 1.0))
    cells = {cell.name: cell for cell in sheet_cells(rectangles(np.asarray(picture)), lines)}
    assert {"A2", "B2", "C2", "B3"} <= cells.keys()
    assert cells["B2"].value == "tea" and cells["B3"].box.contains(Box(170, 104, 1, 1).center)
