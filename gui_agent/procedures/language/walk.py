"""Walking through expressions and programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from gui_agent.procedures.language.expressions import Slot
from gui_agent.procedures.language.steps import Aim, DoStep


def nodes(*roots: object) -> Iterator[object]:
    """Every value, selector, test and step inside some expressions, themselves included.

    Of a step only what decides its course: the first choice of an aim, not its runners-up, and no
    post-conditions.
    """
    for root in roots:
        if isinstance(root, tuple):
            yield from nodes(*root)
        elif isinstance(root, Aim):
            yield root
            yield from nodes(*root.choices[:1])
        elif isinstance(root, DoStep):
            yield root
            yield from nodes(root.at, root.to, root.text, root.times)
        elif is_dataclass(root) and not isinstance(root, type):
            yield root
            yield from nodes(*(getattr(root, item.name) for item in fields(root)))


def slots_used(*roots: object) -> frozenset[str]:
    """The names of the slots on which expressions or steps depend."""
    return frozenset(node.name for node in nodes(*roots) if isinstance(node, Slot))
