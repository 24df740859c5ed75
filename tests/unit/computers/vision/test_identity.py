"""A thing keeps its key while it is there, and no two things share one."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gui_agent.computers.desktop.parts import Node
from gui_agent.computers.vision.source import Identity
from gui_agent.core.observation import Box


def sight(role: str, name: str, box: Box, window: int) -> Node:
    return Node((), role, name, box, window=window)


SIGHTS = st.lists(
    st.builds(
        sight,
        st.sampled_from(["button", "text"]),
        st.sampled_from(["", "OK", "Save", "7"]),
        st.builds(Box, st.integers(0, 5).map(lambda n: n * 8), st.integers(0, 40), st.just(10), st.just(10)),
        st.sampled_from([0, 1]),
    ),
    max_size=10,
)
OK = sight("button", "OK", Box(10, 10, 40, 20), 1)
NAME = sight("textbox", "", Box(10, 50, 100, 20), 1)


@given(st.lists(SIGHTS, max_size=4))
def test_keys_of_a_look_are_all_different(looks: list[list[Node]]) -> None:
    identity = Identity()
    for sights in looks:
        keys = identity.keys(sights)
        assert len(set(keys)) == len(keys) == len(sights)


@given(SIGHTS.filter(lambda sights: len(set(sights)) == len(sights)))
def test_the_same_screen_has_the_same_keys_in_any_order(sights: list[Node]) -> None:
    identity = Identity()
    first = dict(zip(sights, identity.keys(sights), strict=True))
    assert dict(zip(sights[::-1], identity.keys(sights[::-1]), strict=True)) == first


def test_a_window_that_moves_takes_its_things_along() -> None:
    identity = Identity()
    before = identity.keys([OK, NAME])
    moved = [replace(one, box=Box(one.box.left + 300, one.box.top, *size(one))) for one in (OK, NAME)]
    assert identity.keys(moved) == before


def test_a_thing_of_which_a_letter_is_read_differently_is_the_same_and_another_name_is_not() -> None:
    identity = Identity()
    (before,) = identity.keys([replace(OK, name="Settings")])
    assert identity.keys([replace(OK, name="Settinqs")]) == [before]
    assert identity.keys([replace(OK, name="Delete")]) != [before]


def test_one_of_several_like_it_elsewhere_is_not_taken_for_another() -> None:
    identity = Identity()
    first, second = identity.keys([OK, replace(OK, box=Box(200, 10, 40, 20))])
    (now,) = identity.keys([replace(OK, box=Box(400, 300, 40, 20))])
    assert now not in (first, second)


def test_a_key_is_not_used_again() -> None:
    identity = Identity()
    (before,) = identity.keys([OK])
    identity.keys([])
    assert identity.keys([OK]) != [before]


def size(one: Node) -> tuple[int, int]:
    return one.box.width, one.box.height
