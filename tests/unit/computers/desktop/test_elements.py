"""Things keep their ids; what is out of sight or covered is not listed; too many are cut by worth."""

from __future__ import annotations

from dataclasses import replace

from fakes import node, window
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.computers.desktop.elements import Elements, covered_by
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.core.observation import Box, Element, Point, Size

SIZE = Size(200, 100)


def taken(elements: Elements, *nodes: Node, windows: tuple[Window, ...] = ()) -> tuple[Element, ...]:
    return elements.take(ScreenReading(nodes), windows, SIZE)[0]


def test_a_thing_keeps_its_id_while_it_lives_and_moves() -> None:
    elements = Elements()
    one, two = node("a", name="A"), node("b", name="B", box=Box(50, 0, 10, 10))
    first = taken(elements, one, two)
    moved = taken(elements, replace(one, box=Box(80, 50, 10, 10), name="A!"), two)
    assert {e.name.strip("!"): e.id for e in first} == {e.name.strip("!"): e.id for e in moved}


def test_an_id_is_never_given_to_another_thing() -> None:
    elements = Elements()
    gone = taken(elements, node("a", name="A"))[0]
    assert taken(elements, node("b", name="B"))[0].id != gone.id


def test_a_thing_that_its_program_built_anew_is_still_the_same() -> None:
    elements = Elements()
    before = taken(elements, node("a", name="Send", path="form/button[1]", window=1))[0]
    after = taken(elements, node("z", name="Send", path="form/button[1]", window=1))[0]
    assert after.id == before.id


def test_of_two_that_look_alike_none_is_taken_for_the_one_that_is_gone() -> None:
    elements = Elements()
    twins = [
        node(key, name="Send", path="form/button", box=Box(x, 0, 9, 9)) for key, x in (("a", 0), ("b", 50))
    ]
    old = {one.id for one in taken(elements, *twins)}
    new = taken(elements, node("z", name="Send", path="form/button"))[0]
    assert new.id not in old


def test_what_came_since_the_last_look_is_new() -> None:
    elements = Elements()
    assert "new" not in taken(elements, node("a"))[0].states
    states = {e.name: e.states for e in taken(elements, node("a"), node("b", name="B", box=Box(50, 0, 9, 9)))}
    assert "new" in states["B"] and "new" not in states[""]


def test_boxes_are_cut_at_the_edge_and_things_outside_are_left_out() -> None:
    boxes = [Box(190, 90, 50, 50), Box(300, 0, 9, 9), Box(5, 5, 0, 9)]
    listed = taken(Elements(), *(node(number, box=box) for number, box in enumerate(boxes)))
    assert [e.box for e in listed] == [Box(190, 90, 10, 10)]


def test_what_another_window_covers_is_not_listed() -> None:
    low, high = window(1, active=True), window(2, Box(0, 0, 50, 50))
    hidden, free = node("a", window=1), node("b", box=Box(70, 70, 9, 9), window=1)
    listed = taken(Elements(), hidden, free, windows=(low, high))
    assert [one.box for one in listed if one.role == "button"] == [free.box]


def test_a_window_of_which_nothing_is_known_is_listed_itself() -> None:
    only = taken(Elements(), windows=(window(1, title="Shell"), window(2, popup=True, pid=1)))
    assert [(e.role, e.name) for e in only] == [("window", "Shell")]


def test_blank_cells_are_left_out_first_then_texts() -> None:
    elements = Elements(cap=2)
    nodes = [
        node("t", "text", "words", Box(0, 0, 9, 9)),
        node("c", "gridcell", "A1", Box(20, 0, 9, 9)),
        node("b", "button", "Send", Box(40, 0, 9, 9)),
    ]
    listed, left_out = elements.take(ScreenReading(tuple(nodes)), (), SIZE)
    assert [e.role for e in listed] == ["text", "button"]
    assert left_out == 1


def test_the_menu_of_a_program_does_not_cover_it_but_that_of_another_does() -> None:
    own = window(1)
    for pid, covers in ((1, False), (2, True)):
        menu = window(9, Box(0, 0, 50, 50), pid=pid, popup=True)
        assert (covered_by(Point(5, 5), 1, (own, menu)) is not None) is covers


def test_the_title_bar_of_a_window_covers_too() -> None:
    above = window(2, Box(10, 40, 50, 50), outer=Box(9, 20, 52, 71))
    assert covered_by(Point(20, 25), 1, (window(1), above)) == above
    assert covered_by(Point(20, 10), 1, (window(1), above)) is None


EDGES, SIDES = st.integers(-50, 250), st.integers(0, 300)


@given(st.lists(st.tuples(EDGES, EDGES, SIDES, SIDES)))
def test_every_box_lies_on_the_screen_and_every_id_is_its_own(boxes: list[tuple[int, int, int, int]]) -> None:
    listed = taken(Elements(), *(node(i, box=Box(*box)) for i, box in enumerate(boxes)))
    whole = Box(0, 0, SIZE.width, SIZE.height)
    assert all(whole.encloses(one.box) and one.box.area for one in listed)
    assert len({one.id for one in listed}) == len(listed)
