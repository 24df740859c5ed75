"""Where windows are, from the texts that programs tell and eyes see."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from guiagent_platforms.wayland.computer import WaylandSource, displacement
from PIL import Image

from gui_agent.computers.desktop.elements import Observe
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.core.observation import Box, Point, Size

PICTURE = Image.new("RGB", (800, 600))
WORDS = ("File", "Edit", "Search", "Save as")


def node(name: str, left: int, top: int, window: int = 0, role: str = "button", width: int = 60) -> Node:
    return Node((window, name, left), role, name, Box(left, top, width, 20), window=window, source="atspi")


def row(left: int, top: int, window: int = 0, words: Sequence[str] = WORDS) -> list[Node]:
    return [node(word, left + 70 * place, top, window) for place, word in enumerate(words)]


def test_texts_that_agree_tell_where_a_window_is() -> None:
    seen = [*row(310, 44), node("Edit", 20, 500), node("other", 5, 5)]
    assert displacement(row(10, 4), seen) == (300, 40)


def test_one_text_alone_tells_nothing() -> None:
    assert displacement(row(10, 4), [node("File", 310, 44), node("Edit", 20, 500)]) is None
    assert displacement([], row(0, 0)) is None and displacement(row(0, 0), []) is None


def test_two_windows_with_the_same_words_are_not_guessed_between() -> None:
    assert displacement(row(10, 4), [*row(310, 44), *row(10, 304)]) is None
    longer = row(10, 304, words=WORDS[:2])
    assert displacement(row(10, 4), [*row(310, 44), *longer]) == (300, 40)


def test_a_text_at_the_edge_of_something_wide_tells_no_place() -> None:
    wide = [node(word, 10, 30 * place, width=400) for place, word in enumerate(WORDS)]
    seen = [node(word, 20, 100 + 30 * place, width=40) for place, word in enumerate(WORDS)]
    assert displacement(wide, seen) is None


class Windows:
    """Windows of which only the size is told."""

    menu = False

    def __init__(self) -> None:
        self.places: dict[int, Box] = {}

    def size(self, window: Window) -> Size:
        return Size(300, 200)

    def is_placed(self, window: Window) -> bool:
        return window.id in self.places

    def place(self, window: Window, box: Box | None) -> None:
        self.places.pop(window.id, None)
        if box is not None:
            self.places[window.id] = box


class Tree:
    """Things told relative to where their window is said to be."""

    def __init__(self, words: dict[int, Sequence[str]]) -> None:
        self.words = words

    def read(self, windows: Sequence[Window], picture: Image.Image, seconds: float) -> ScreenReading:
        assert all(not a.box.intersect(b.box) for a in windows for b in windows if a.id < b.id)
        nodes = [
            each
            for one in windows
            for each in row(one.box.left + 10, one.box.top + 4, one.id, self.words[one.id])
        ]
        return ScreenReading(tuple(nodes))

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        nodes = self.read(windows, PICTURE, 1.0).nodes
        return next((one for one in nodes if one.box.contains(point)), None)

    def close(self) -> None: ...


class Eyes(Tree):
    """What is really on the screen."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = tuple(nodes)

    def read(self, windows: Sequence[Window], picture: Image.Image, seconds: float) -> ScreenReading:
        return ScreenReading(self.nodes)

    look = read  # type: ignore[assignment]


ONE, TWO = (Window(n, str(n), "app", n, Box(0, 0, 800, 600), active=n == 2) for n in (1, 2))
DIALOG = ("Cancel", "Discard", "Save")


def source(observe: Observe = "auto") -> tuple[WaylandSource, Windows]:
    windows = Windows()
    eyes = Eyes([*row(310, 44), *row(410, 204, words=DIALOG), node("Unknown", 700, 500, role="text")])
    tree = Tree({1: WORDS, 2: DIALOG})
    return WaylandSource(tree, eyes, windows, observe), windows  # type: ignore[arg-type]


@pytest.mark.parametrize("observe", ["auto", "tree", "both"])
def test_each_thing_lies_where_it_is_seen(observe: Observe) -> None:
    made, windows = source(observe)
    nodes = {one.name: one for one in made.read([ONE, TWO], PICTURE, 1.0).nodes}
    assert nodes["Search"].box == Box(450, 44, 60, 20) and nodes["Search"].window == 1
    assert nodes["Discard"].box == Box(480, 204, 60, 20) and nodes["Discard"].window == 2
    assert windows.places == {1: Box(300, 40, 300, 200), 2: Box(400, 200, 300, 200)}
    assert ("Unknown" in nodes) == (observe != "tree")
    placed = [Window(n, "", "app", n, windows.places[n]) for n in (1, 2)]
    there = made.node_at(Point(490, 210), placed)
    assert there is not None and there.name == "Discard" and there.box == nodes["Discard"].box


def test_a_window_that_is_not_found_is_left_to_the_eyes() -> None:
    made, windows = source()
    made.read([ONE, TWO], PICTURE, 1.0)
    made._eyes.nodes = (*row(310, 44), node("Discard", 480, 204))  # type: ignore[attr-defined]
    reading = made.read([ONE, TWO], PICTURE, 1.0)
    assert set(windows.places) == {1}
    assert {one.window for one in reading.nodes if one.name == "Discard"} == {0}
