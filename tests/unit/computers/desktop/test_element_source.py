"""Tree and eyes as one source: who is asked, about what, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PIL import Image

from gui_agent.computers.desktop import elements
from gui_agent.computers.desktop.elements import Blended, seeing
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.core.errors import MissingExtra
from gui_agent.core.observation import Box, Point

TERMINAL = Window(1, "xterm", "xterm", 10, Box(0, 0, 200, 100))
EDITOR = Window(2, "notes", "mousepad", 11, Box(200, 0, 200, 100), active=True)
SAVE = Node("save", "button", "Save", Box(210, 10, 50, 20), window=2)
PROMPT = Node("prompt", "text", "$ ls", Box(10, 10, 50, 20), window=1, source="ocr")
SAVE_SEEN = Node("s", "text", "Save", Box(220, 14, 30, 12), window=2, source="ocr")
PICTURE = Image.new("RGB", (400, 100))


class Told:
    """A source with an answer."""

    def __init__(self, *nodes: Node, silent: tuple[int, ...] = ()) -> None:
        self.reading = ScreenReading(nodes, silent)
        self.areas: list[Sequence[Box] | None] = []
        self.closed = False

    def read(self, windows: Sequence[Window], picture: Image.Image, seconds: float) -> ScreenReading:
        self.areas.append(None)
        return self.reading

    def look(
        self, windows: Sequence[Window], picture: Image.Image, seconds: float, areas: Sequence[Box]
    ) -> ScreenReading:
        self.areas.append(areas)
        return self.reading

    def node_at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        return next((node for node in self.reading.nodes if node.box.contains(point)), None)

    def close(self) -> None:
        self.closed = True


def read(source: Blended) -> ScreenReading:
    return source.read([TERMINAL, EDITOR], PICTURE, 1.0)


def test_eyes_look_only_at_windows_that_the_tree_is_silent_about() -> None:
    eyes = Told(PROMPT, SAVE_SEEN)
    reading = read(Blended(Told(SAVE, silent=(1,)), eyes, only_silent=True))
    assert eyes.areas == [[TERMINAL.box]]
    assert reading.nodes == (SAVE, PROMPT)


def test_eyes_stay_shut_when_the_tree_says_all() -> None:
    eyes = Told(PROMPT)
    assert read(Blended(Told(SAVE), eyes, only_silent=True)).nodes == (SAVE,)
    assert eyes.areas == []


def drawn(*places: Box) -> Image.Image:
    """A white screen with something like text in these places."""
    picture = Image.new("RGB", (400, 100), "white")
    for box in places:
        for x in range(box.left, box.right, 4):
            picture.paste("black", (x, box.top + x % 8, x + 2, box.bottom))
    return picture


UNTOLD = Box(300, 48, 60, 20)
GRID = Node("grid", "grid", "Sheet", Box(280, 32, 120, 68), window=2)
RESULT = Node("r", "text", "= 42", Box(305, 50, 40, 16), window=2, source="ocr")


def test_eyes_look_at_what_a_telling_window_leaves_blank() -> None:
    eyes = Told(RESULT, SAVE_SEEN)
    source = Blended(Told(SAVE, GRID), eyes, only_silent=True)
    reading = source.read([TERMINAL, EDITOR], drawn(SAVE.box, UNTOLD), 1.0)
    assert [one for area in eyes.areas for one in area or () if one.contains(UNTOLD.center)]
    assert not [one for area in eyes.areas for one in area or () if one.contains(SAVE.box.center)]
    assert reading.nodes == (SAVE, GRID, RESULT)
    assert source.node_at(Point(310, 55), [EDITOR]) == RESULT
    assert source.node_at(Point(215, 15), [EDITOR]) == SAVE


def test_eyes_stay_shut_where_the_tree_tells_what_is_shown_and_at_lines_and_frames() -> None:
    eyes = Told()
    told = Node("cell", "gridcell", "42", UNTOLD, window=2)
    picture = drawn(SAVE.box, UNTOLD)
    picture.paste("black", (200, 90, 400, 91))
    Blended(Told(SAVE, GRID, told), eyes, only_silent=True).read([TERMINAL, EDITOR], picture, 1.0)
    assert eyes.areas == []


def test_what_moved_between_the_picture_and_the_telling_is_listed_once() -> None:
    eyes = Told(RESULT)
    told = Node("cell", "gridcell", "= 42", Box(300, 72, 60, 20), window=2)
    reading = Blended(Told(SAVE, GRID, told), eyes, only_silent=True).read(
        [TERMINAL, EDITOR], drawn(SAVE.box, UNTOLD), 1.0
    )
    assert reading.nodes == (SAVE, GRID, told)


def test_both_are_merged() -> None:
    reading = read(Blended(Told(SAVE), Told(PROMPT, SAVE_SEEN), only_silent=False))
    assert [(node.key, node.source) for node in reading.nodes] == [("save", "atspi+ocr"), ("prompt", "ocr")]


def test_a_point_is_asked_of_the_tree_first() -> None:
    both = Blended(Told(SAVE), Told(SAVE_SEEN, PROMPT), only_silent=False)
    assert both.node_at(Point(225, 16), [EDITOR]) == SAVE
    assert both.node_at(Point(12, 12), [TERMINAL]) == PROMPT
    assert both.node_at(Point(390, 90), [EDITOR]) is None


def test_closing_closes_both() -> None:
    tree, eyes = Told(), Told()
    Blended(tree, eyes, only_silent=True).close()
    assert tree.closed and eyes.closed


def test_without_eyes_the_tree_is_enough_unless_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "find_spec", lambda _: None)
    tree = Told()
    assert seeing("auto", lambda: tree) is tree
    assert seeing("tree", lambda: tree) is tree
    for observe in ("vision", "both"):
        with pytest.raises(MissingExtra, match="vision"):
            seeing(observe, lambda: tree)  # type: ignore[arg-type]
    with pytest.raises(MissingExtra, match="vision"):
        seeing("auto", None)


def test_what_the_tree_tells_in_several_cells_is_not_told_once_more_as_it_was_read() -> None:
    cells = [
        Node("a5", "gridcell", "A5", Box(296, 48, 14, 20), value="2026-03-09", window=2),
        Node("b5", "gridcell", "B5", Box(350, 48, 40, 20), value="Ola", window=2),
    ]
    read_once = Node("r", "checkbox", "2026-03-09 Ola", Box(300, 50, 60, 16), window=2, source="ocr")
    other = Node("o", "text", "Total 5", Box(300, 72, 60, 16), window=2, source="ocr")
    picture = drawn(Box(300, 48, 60, 20), Box(300, 72, 60, 20))
    eyes = Told(read_once, other)
    reading = Blended(Told(SAVE, GRID, *cells), eyes, only_silent=True).read([TERMINAL, EDITOR], picture, 1.0)
    assert read_once not in reading.nodes and other in reading.nodes


def test_a_window_that_tells_nothing_any_more_is_closing_at_first_and_is_not_read_by_eyes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(elements.time, "monotonic", lambda: clock[0])
    clock, tree, eyes = [100.0], Told(SAVE, PROMPT), Told(PROMPT)
    source = Blended(tree, eyes, only_silent=True)
    read(source)
    tree.reading = ScreenReading((SAVE,), silent=(TERMINAL.id,))
    assert read(source) == ScreenReading((SAVE,), late=(TERMINAL.app,)) and eyes.areas == []
    clock[0] += elements.GOING
    assert read(source) == ScreenReading((SAVE, PROMPT)) and eyes.areas == [[TERMINAL.box]]
