"""Where things really are, and what can be seen of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from gui_agent.computers.atspi.bounds import (
    Placing,
    Remembered,
    is_filled_by,
    origin_errors,
    placing_of,
    values,
    visible_part,
    window_of,
)
from gui_agent.computers.atspi.bus import Bus, MethodCall
from gui_agent.computers.atspi.vocabulary import Role
from gui_agent.computers.desktop.parts import Window
from gui_agent.core.observation import Box
from tests.unit.computers.atspi.trees import at, row, tree

BOX = Box(100, 100, 200, 100)
boxes = st.builds(Box, st.integers(0, 60), st.integers(0, 60), st.integers(1, 40), st.integers(1, 40))


def window(number: int, title: str, box: Box) -> Window:
    return Window(number, title, "program", 7, box)


def test_nothing_above_leaves_the_whole_box() -> None:
    assert visible_part(BOX, [], []) == BOX


def test_the_larger_side_beside_a_cover_is_what_is_seen() -> None:
    assert visible_part(BOX, [], [Box(0, 0, 150, 1000)]) == Box(150, 100, 150, 100)


def test_what_is_covered_or_outside_is_not_seen() -> None:
    assert visible_part(BOX, [], [Box(0, 0, 1000, 1000)]) is None
    assert visible_part(BOX, [Box(0, 0, 50, 50)], []) is None


@given(boxes, st.lists(boxes, max_size=2), st.lists(boxes, max_size=6))
def test_what_is_seen_lies_inside_of_all_limits_and_under_no_cover(
    box: Box, inside: list[Box], covers: list[Box]
) -> None:
    part = visible_part(box, inside, covers)
    if part is not None:
        assert part.area > 0
        assert all(limit.encloses(part) for limit in (box, *inside))
        assert not any(cover.intersect(part) for cover in covers)


def test_a_window_is_known_by_its_title_and_then_by_its_place() -> None:
    top = next(iter(tree(row(1, None, Role.FRAME, "Notes")).items.values()))
    named = tree(row(1, None, Role.FRAME, "Notes")).items[at(1)]
    here, there = window(1, "Notes", BOX), window(2, "Notes", Box(500, 0, 200, 100))
    other = window(3, "Other", BOX)
    assert window_of(named, None, [other, here]) == here
    assert window_of(named, Box(500, 5, 200, 100), [here, there]) == there
    assert window_of(top, Box(101, 101, 200, 100), [there, other]) == other
    assert window_of(top, Box(900, 900, 10, 10), [there, other]) is None


def test_a_dialog_without_a_title_yet_is_not_the_window_behind_it() -> None:
    dialog = tree(row(1, None, Role.FRAME, "")).items[at(1)]
    behind = window(1, "Notes", BOX)
    new = window(2, "", Box(BOX.left + 5, BOX.top + 5, BOX.width // 2, BOX.height // 2))
    assert window_of(dialog, BOX, [behind], ["Notes"]) is None
    assert window_of(dialog, new.box, [behind, new], ["Notes"]) == new


def test_places_relative_to_the_window_become_places_on_the_screen() -> None:
    shadowed = placing_of(Box(0, 0, 190, 90), window(1, "", BOX), relative=True)
    assert shadowed.box(Box(10, 10, 20, 20)) == Box(115, 115, 20, 20)


def test_places_of_a_program_that_draws_twice_as_large_are_stretched() -> None:
    large = placing_of(Box(50, 50, 100, 50), window(1, "", BOX), relative=False)
    assert large == Placing(2.0)
    assert large.box(Box(60, 60, 10, 10)) == Box(120, 120, 20, 20)


def test_places_are_left_alone_when_a_window_is_only_a_little_different() -> None:
    assert placing_of(Box(99, 80, 202, 125), window(1, "", BOX), relative=False) == Placing()


def test_a_pane_that_stayed_behind_is_where_the_panel_is_that_holds_it() -> None:
    seen = tree(
        row(1, None, Role.FRAME),
        row(2, 1, Role.PANEL, count=1),
        row(3, 1, Role.ROOT_PANE),
        row(4, 3, Role.BUTTON),
    )
    seen.claim(at(3), seen.items[at(2)])
    told = {at(2): Box(0, 44, 800, 600), at(3): Box(0, 19, 800, 600)}
    assert origin_errors(seen, told) == {at(3): (0, 25)}


def test_items_of_a_menu_fill_its_popup_and_those_of_a_closed_one_do_not() -> None:
    popup = Box(4, 43, 248, 164)
    items = [Box(6, 46 + 22 * row, 244, 21) for row in range(7)]
    assert is_filled_by(items, [popup])
    assert not is_filled_by([Box(6, 46, 244, 21)], [popup])
    assert not is_filled_by(items, [Box(300, 43, 248, 164)])
    assert not is_filled_by([], [popup])


class Answers:
    """A bus on which only these questions are answered, by object and member."""

    def __init__(self, known: dict[tuple[int, str], Any]) -> None:
        self._known = {(at(number), member): told for (number, member), told in known.items()}

    async def many(self, calls: Iterable[MethodCall]) -> list[Any]:
        return [
            self._known.get((call.to, call.member if call.member != "Get" else str(call.body[1])))
            for call in calls
        ]


def test_a_closed_list_that_is_named_by_its_label_has_the_value_that_its_unseen_menu_knows() -> None:
    shown = tree(
        row(1, None, Role.FRAME, "Form"),
        row(2, 1, Role.COMBO_BOX, "Country", count=1),
        row(3, 1, Role.COMBO_BOX, "large", count=1),
    )
    lists = [shown.items[at(2)], shown.items[at(3)]]
    bus = Answers({(2, "GetChildAtIndex"): at(4), (4, "GetSelectedChild"): at(5), (5, "Name"): "Norway"})
    found = asyncio.run(values(cast(Bus, bus), shown, lists))
    assert found == {at(2): "Norway", at(3): "large"}


def test_the_title_of_a_group_labels_a_field_only_if_it_is_the_only_one_in_the_group() -> None:
    shown = tree(
        row(1, None, Role.FRAME, "Form"),
        row(2, 1, Role.PANEL, "Person"),
        row(3, 2, Role.LABEL, "Name:"),
        row(4, 2, Role.TEXT),
        row(5, 2, Role.TEXT),
        row(6, 1, Role.PANEL, "Comment"),
        row(7, 6, Role.TEXT),
    )
    labelled_by = 2
    bus = Answers(
        {
            (4, "GetRelationSet"): [(labelled_by, [at(3)]), (labelled_by, [at(2)])],
            (5, "GetRelationSet"): [(labelled_by, [at(2)])],
            (7, "GetRelationSet"): [(labelled_by, [at(6)])],
        }
    )
    found = asyncio.run(Remembered().labels(cast(Bus, bus), shown, list(shown.items.values())))
    assert found == {at(4): "Name:", at(7): "Comment"}
