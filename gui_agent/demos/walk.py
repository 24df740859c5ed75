"""Walking through expressions and programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from gui_agent.demos.language import Slot


def nodes(*roots: object) -> Iterator[object]:
    """Every value, selector, test and step inside some expressions, themselves included."""
    for root in roots:
        if isinstance(root, tuple):
            yield from nodes(*root)
        elif is_dataclass(root) and not isinstance(root, type):
            yield root
            yield from nodes(*(getattr(root, item.name) for item in fields(root)))


def slots_used(*roots: object) -> frozenset[str]:
    """The names of the slots that occur anywhere in expressions or steps."""
    return frozenset(node.name for node in nodes(*roots) if isinstance(node, Slot))
