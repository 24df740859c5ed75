"""Joins what the accessibility tree says with what the eyes see, so that each thing is listed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gui_agent.computers.desktop.parts import Node
from gui_agent.core.observation import TEXT
from gui_agent.core.texts import normal

SAME_SIZE = 0.35
"""How large the smaller of two boxes around one centre is against the larger one when they are one thing."""
CONTROLS = frozenset(
    (
        *("button", "togglebutton", "splitbutton", "menuitem", "menuitemcheckbox", "menuitemradio"),
        *("checkbox", "radio", "switch", "tab", "link", "option", "treeitem", "listitem"),
        *("cell", "gridcell", "columnheader", "rowheader"),
    )
)
"""Roles of things that are named by the words on them, and pictured by the icon on them."""
FIELDS = frozenset(("textbox", "searchbox", "combobox", "spinbutton", "document", "terminal"))
"""Roles of things that hold the words seen in them as their value."""


def merge(tree: Sequence[Node], seen: Iterable[Node]) -> tuple[Node, ...]:
    """All nodes of the tree, and after them what was seen that none of them stands for.

    `source` tells who found a thing: both, as in `atspi+ocr`, when both did. A control that has no name in
    the tree gets the words that were seen on it.
    """
    found: dict[int, list[Node]] = {}
    alone: list[Node] = []
    for one in seen:
        place = _counterpart(tree, one)
        if place is None:
            alone.append(one)
        else:
            found.setdefault(place, []).append(one)
    known = (_joined(node, found[i]) if i in found else node for i, node in enumerate(tree))
    return (*known, *alone)


def stands_for(node: Node, seen: Node) -> bool:
    """Whether a node of the tree stands for something seen.

    The centre of the latter lies in its box, and it says the same, or is about as large; a control also
    stands for all that is on it, and a field for those words that it holds.
    """
    if (node.window and seen.window and node.window != seen.window) or not node.box.contains(seen.box.center):
        return False
    text = normal(seen.name)
    if not text:
        return node.role != TEXT and (_about_as_large(node, seen) or node.role in CONTROLS)
    if node.role in CONTROLS:
        return not node.name or text in normal(node.name) or _about_as_large(node, seen)
    if node.role == TEXT:
        return text in normal(node.name) or _about_as_large(node, seen)
    if node.role in FIELDS:
        return text in normal(f"{node.value} {node.description}") or text == normal(node.name)
    return _about_as_large(node, seen) and (not node.name or text in normal(node.name))


def _about_as_large(node: Node, seen: Node) -> bool:
    smaller, larger = sorted((node.box.area, seen.box.area))
    return larger > 0 and smaller >= SAME_SIZE * larger


def _counterpart(tree: Sequence[Node], seen: Node) -> int | None:
    """The place in the tree of the smallest node that stands for what was seen; controls before texts."""
    places = [place for place, node in enumerate(tree) if stands_for(node, seen)]
    return min(places, key=lambda place: (tree[place].role == TEXT, tree[place].box.area), default=None)


def _joined(node: Node, seen: Sequence[Node]) -> Node:
    sources = dict.fromkeys(part for one in (node, *seen) for part in one.source.split("+"))
    name = node.name
    if not name and node.role in CONTROLS:
        ordered = sorted(seen, key=lambda one: (one.box.top, one.box.left))
        name = " ".join(one.name for one in ordered if one.name)
    return replace(node, name=name, source="+".join(sources))
