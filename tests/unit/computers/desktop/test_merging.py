"""What tree and eyes both found is listed once; what only one of them found stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gui_agent.computers.desktop.elements import merge, stands_for
from gui_agent.computers.desktop.parts import Node
from gui_agent.core.observation import Box
from gui_agent.elements.roles import WORDED

BOXES = st.builds(Box, st.integers(0, 60), st.integers(0, 60), st.integers(1, 40), st.integers(1, 40))
ROLES = st.sampled_from(["button", "textbox", "text", "checkbox", "group", "image", "document"])
NAMES = st.sampled_from(["", "OK", "Save", "Save As", "File", "ok"])


def nodes(source: str) -> st.SearchStrategy[list[Node]]:
    one = st.builds(
        lambda key, role, name, box, value: Node(key, role, name, box, value=value, source=source),
        st.integers(),
        ROLES,
        NAMES,
        BOXES,
        NAMES,
    )
    return st.lists(one, max_size=8)


@given(nodes("atspi"), nodes("ocr"))
def test_nothing_of_the_tree_is_lost_or_moved(tree: list[Node], seen: list[Node]) -> None:
    merged = merge(tree, seen)
    for before, after in zip(tree, merged, strict=False):
        assert (after.key, after.role, after.box, after.value) == (
            before.key,
            before.role,
            before.box,
            before.value,
        )
        assert after.name == before.name or not before.name
        assert after.source in ("atspi", "atspi+ocr")


@given(nodes("atspi"), nodes("ocr"))
def test_each_thing_seen_is_either_listed_or_stood_for(tree: list[Node], seen: list[Node]) -> None:
    alone = merge(tree, seen)[len(tree) :]
    assert list(alone) == [one for one in seen if not any(stands_for(node, one) for node in tree)]
    assert all(
        not node.box.contains(one.box.center) or not stands_for(node, one) for one in alone for node in tree
    )


@given(nodes("atspi"), nodes("ocr"))
def test_merging_again_changes_nothing(tree: list[Node], seen: list[Node]) -> None:
    once = merge(tree, seen)[: len(tree)]
    again = merge(once, seen)
    assert [node.name for node in again[: len(tree)]] == [node.name for node in once]


@given(nodes("atspi"))
def test_what_the_tree_names_is_found_when_seen_where_it_is(tree: list[Node]) -> None:
    seen = [Node(i, node.role, node.name, node.box, source="ocr") for i, node in enumerate(tree)]
    merged = merge(tree, seen)
    controls = [node for node in tree if node.role in WORDED]
    assert len(merged) <= len(tree) * 2 - len(controls)


def test_a_control_without_a_name_is_called_by_the_words_on_it() -> None:
    tree = [Node(1, "button", "", Box(0, 0, 100, 30))]
    seen = [
        Node(3, "text", "File", Box(52, 8, 30, 14), source="ocr"),
        Node(2, "text", "Open", Box(10, 8, 30, 14), source="ocr"),
        Node(4, "image", "", Box(2, 6, 16, 16), source="vision"),
    ]
    (only,) = merge(tree, seen)
    assert (only.name, only.source) == ("Open File", "atspi+ocr+vision")


def test_words_in_a_window_that_the_tree_only_knows_as_a_frame_are_listed() -> None:
    tree = [Node(1, "dialog", "Save changes", Box(0, 0, 400, 300))]
    seen = [Node(2, "button", "Save", Box(300, 250, 60, 24), source="ocr")]
    assert merge(tree, seen) == (*tree, *seen)


def test_words_that_a_field_holds_are_not_listed_again_but_others_are() -> None:
    tree = [Node(1, "textbox", "", Box(0, 0, 400, 300), value="first line\nsecond line")]
    held = Node(2, "text", "second line", Box(4, 20, 80, 14), source="ocr")
    other = Node(3, "text", "Find", Box(300, 4, 40, 14), source="ocr")
    assert [node.key for node in merge(tree, [held, other])] == [1, 3]


def test_things_of_two_windows_are_never_one() -> None:
    tree = [Node(1, "button", "OK", Box(0, 0, 60, 24), window=7)]
    seen = [Node(2, "button", "OK", Box(0, 0, 60, 24), window=8, source="ocr")]
    assert len(merge(tree, seen)) == 2
