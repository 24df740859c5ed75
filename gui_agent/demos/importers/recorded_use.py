"""What was operated in a recording: it tells what can be clicked there, which the trees do not say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gui_agent.demos.importers.event_recording import Moment, Node

Sort = tuple[str, str]
"""Tag and classes: what looks alike can be operated alike."""
_NEVER = frozenset(("label", "body", "form", "ul", "ol", "table", "tr", "td", "svg", "select"))
"""Tags of what is no thing to click by itself."""


@dataclass(frozen=True, slots=True)
class Used:
    """What was clicked and scrolled somewhere in a recording."""

    clicked: frozenset[Sort] = frozenset()
    rows: frozenset[Sort] = frozenset()
    """Things of which there are several beside each other, with several texts in each."""
    entries: bool = False
    """Whether entries of a list were clicked, that hold no more than what was hit."""
    scrolled: frozenset[int] = frozenset()
    """Numbers of the elements that were scrolled."""

    def clickable(self, node: Node) -> bool:
        """Whether an element looks like one that was clicked, and is a thing of its own."""
        sort = (node.tag, node.classes)
        if sort in self.rows or (node.tag == "li" and self.entries):
            return True
        return sort in self.clicked and node.tag not in _NEVER


UNUSED = Used()


def used(events: Sequence[Moment]) -> Used:
    """What was operated in these events."""
    pressed = [event for event in events if event.kind == "mousedown" and event.target is not None]
    hit = [event.lineage[0] for event in pressed if row_around(event) is None]
    rows = [row for event in pressed if (row := row_around(event)) is not None]
    return Used(
        clicked=frozenset((node.tag, node.classes) for node in hit if node.classes),
        rows=frozenset((row.tag, row.classes) for row in rows),
        entries=any(_is_entry(event) for event in pressed),
        scrolled=frozenset(e.lineage[0].ref for e in events if e.kind == "scroll" and e.lineage),
    )


def row_around(event: Moment) -> Node | None:
    """The row of a list, with several texts in it, around the text that an event went to."""
    if not event.lineage or not event.lineage[0].text:
        return None
    for row, around in zip(event.lineage[1:], event.lineage[2:], strict=False):
        alike = [other for other in around.children if (other.tag, other.classes) == (row.tag, row.classes)]
        if row.classes and len(alike) > 1 and len(texts_in(row)) > 1:
            return row
    return None


def texts_in(node: Node) -> list[str]:
    """The texts that stand in an element."""
    return [inner.text for inner in node.walk() if inner.text]


def _is_entry(event: Moment) -> bool:
    said = texts_in(event.lineage[0])
    return bool(said) and any(node.tag == "li" and texts_in(node) == said for node in event.lineage)
