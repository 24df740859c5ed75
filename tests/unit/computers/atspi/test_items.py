"""Rows of the cache become a tree: what is shown, where it hangs, and how it is called."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, cast

from gui_agent.computers.atspi.bus import Bus, MethodCall
from gui_agent.computers.atspi.program import Known, strangers
from gui_agent.computers.atspi.vocabulary import Role, State, tree_from_cache
from tests.unit.computers.atspi.trees import ROOT, SHOWN, at, root, row, tree, words

HIDDEN = (State.ENABLED, State.SENSITIVE)


def test_a_row_is_read_as_it_stands() -> None:
    item = tree(
        row(1, None, Role.BUTTON, "Send", description="Sends it", interfaces=("Action", "Component"), index=3)
    ).items[at(1)]
    assert (item.name, item.role, item.description, item.index) == ("Send", Role.BUTTON, "Sends it", 3)
    assert item.offers("Action")
    assert not item.offers("Text")
    assert item.has(State.SHOWING)
    assert not item.has(State.CHECKED)


def test_the_older_form_tells_children_instead_of_their_number() -> None:
    older = (at(1), ROOT, ROOT, [at(2), at(3)], ["org.a11y.atspi.Accessible"], "", 23, "", words(SHOWN))
    item = tree_from_cache([older]).items[at(1)]
    assert (item.index, item.count) == (-1, 2)


def test_hidden_objects_are_counted_but_not_kept() -> None:
    seen = tree(
        row(1, None, Role.FRAME, count=2), row(2, 1, Role.BUTTON, states=HIDDEN), row(3, 1, Role.BUTTON)
    )
    assert set(seen.items) == {ROOT, at(1), at(3)}
    assert seen.hidden == {at(2)}
    assert not seen.lacks(seen.items[at(1)])


def test_what_is_in_a_hidden_part_is_not_in_a_window() -> None:
    seen = tree(row(1, None, Role.FRAME), row(2, 1, Role.PANEL, states=HIDDEN), row(3, 2, Role.BUTTON))
    assert seen.toplevel(seen.items[at(3)]) is None


def test_what_is_shown_in_an_open_menu_is_in_its_window_although_the_menu_is_not_shown() -> None:
    seen = tree(row(1, None, Role.FRAME), row(2, 1, Role.MENU, states=HIDDEN), row(3, 2, Role.MENU_ITEM))
    assert seen.toplevel(seen.items[at(3)]) == seen.items[at(1)]


def test_a_circle_of_parents_ends() -> None:
    seen = tree(row(1, 2, Role.PANEL), row(2, 1, Role.PANEL))
    assert seen.path(seen.items[at(1)])
    assert seen.toplevel(seen.items[at(1)]) is None
    assert [item.at for item in seen.above(seen.items[at(1)])] == [at(2)]


def test_siblings_share_all_but_the_last_step_of_their_paths() -> None:
    seen = tree(row(1, None, Role.FRAME), row(2, 1, Role.BUTTON, index=0), row(3, 1, Role.BUTTON, index=1))
    first, second = (seen.path(seen.items[at(number)]) for number in (2, 3))
    assert first.rsplit("/", 1)[0] == second.rsplit("/", 1)[0]
    assert (first[-9:], second[-9:]) == ("button[1]", "button[2]")


def test_a_part_that_does_not_know_its_parent_is_hung_where_it_is_claimed() -> None:
    seen = tree(row(1, None, Role.FRAME), row(2, 1, Role.PANEL, "Font Name", count=1), row(3, 99, Role.TEXT))
    seen.claim(at(3), seen.items[at(2)])
    assert seen.toplevel(seen.items[at(3)]) == seen.items[at(1)]
    assert seen.adopted == {at(3)}


def test_a_part_that_knows_another_parent_keeps_it() -> None:
    seen = tree(row(1, None, Role.FRAME), row(2, 1, Role.PANEL, count=1), row(3, 1, Role.ROOT_PANE))
    seen.claim(at(3), seen.items[at(2)])
    assert seen.items[at(3)].parent == at(1)
    assert seen.claims[at(3)].at == at(2)
    assert not seen.adopted


def test_gtk_4_says_visible_where_others_say_showing() -> None:
    seen = tree_from_cache([root(), row(1, None, Role.BUTTON, states=(State.VISIBLE,))], gtk4=True)
    assert seen.is_shown(seen.items[at(1)])


def test_items_of_gtk_2_menus_may_be_shown_although_they_do_not_say_so() -> None:
    rows = [
        root(),
        row(1, None, Role.MENU_ITEM, states=(State.VISIBLE,)),
        row(2, None, Role.BUTTON, states=(State.VISIBLE,)),
    ]
    assert at(1) in tree_from_cache(rows, menus_hide=True).items
    assert at(1) not in tree_from_cache(rows).items
    assert at(2) not in tree_from_cache(rows, menus_hide=True).items


def test_what_took_the_reference_of_another_object_is_asked_for_its_role_again() -> None:
    shown = tree(row(1, None, Role.FRAME), row(2, 1, Role.LIST), row(3, 1, Role.PANEL))
    answers = {"Name": "Front:", "Description": "", "ChildCount": 0, "GetInterfaces": []}

    class Objects:
        role = int(Role.LIST_ITEM)

        async def many(self, calls: Iterable[MethodCall]) -> list[Any]:
            told = {**answers, "GetRole": self.role, "GetState": words(SHOWN)}
            return [told[call.member if call.member != "Get" else str(call.body[1])] for call in calls]

    bus = Objects()
    known: Known = {}

    def role_under(parent: int) -> int:
        (item,) = asyncio.run(strangers(cast(Bus, bus), shown, shown.items[at(parent)], [at(9)], known))
        return item.role

    assert role_under(2) == Role.LIST_ITEM
    bus.role = Role.LABEL
    assert role_under(2) == Role.LIST_ITEM  # not asked again
    assert role_under(3) == Role.LABEL
