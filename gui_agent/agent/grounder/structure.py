"""The structure of a screen: which elements share a row, and which value belongs to which label."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gui_agent.core.observation import Element, Observation, on_one_line, under
from gui_agent.elements import tuning
from gui_agent.elements.roles import CELLS, PRESSED
from gui_agent.elements.text import likeness

_INDEX = re.compile(r"\[\d+\]$")
_ROW = re.compile(r"(?:.*/)?(?:tr|li)(?:\[\d+\])?(?=/|$)")
HEADER = re.compile(r"/th(?:\[\d+\])?(?:/|$)")
"""In the path of what stands in the header of a column or a row."""
_CELL = re.compile(r"(?:.*/)?(?:td|th|dd|dt|li|output)(?:\[\d+\])?(?=/|$)")


def anchors(near: str, observation: Observation) -> list[Element]:
    """The elements that carry the words of `near`, the best fitting ones only."""
    fits: list[tuple[float, Element]] = []
    for element in observation.elements:
        texts = (element.name, element.value, element.description)
        fit = max(likeness(near, text) for text in texts)
        if fit >= tuning.ANCHOR:
            fits.append((fit, element))
    best = max((fit for fit, _ in fits), default=0.0)
    return [element for fit, element in fits if fit > best - tuning.ORDINAL_BAND]


def label_fit(element: Element, name: str) -> float:
    """How well a text fits one of those that the structure gives the element as a label."""
    return max((likeness(name, one) for one in element.labels), default=0.0)


def crossing(
    column: str, around: Sequence[Element], row: str, observation: Observation, *, by_place: bool
) -> Element | None:
    """The cell under the column's header in the row of something.

    Args:
        around: what the words of the row name.
    """
    known = by_path(observation)
    rows = [(anchor, row_around(anchor, known)) for anchor in around]
    others = [e for e in observation.elements if e.name or e.value]
    for e in others:
        beside = (e.id != anchor.id and in_row(e, anchor, path) for anchor, path in rows)
        if label_fit(e, column) >= tuning.ANCHOR and (label_fit(e, row) >= tuning.ANCHOR or any(beside)):
            return e
    met = [
        element
        for header in anchors(column, observation)
        if header.role == "columnheader" or (by_place and header.role not in PRESSED and not header.labels)
        for anchor, _ in rows
        for element in others
        if element.id not in (header.id, anchor.id)
        and under(header.box, element.box)
        and header.box.bottom <= element.box.top + 4
        and on_one_line(anchor.box, element.box)
    ]
    return min(met, key=lambda element: element.box.area, default=None)


def by_path(observation: Observation) -> dict[str, Element]:
    return {element.path: element for element in observation.elements if element.path}


def row_around(anchor: Element, known: Mapping[str, Element]) -> str:
    """The path of the row, list item or other record around an element; empty when the structure has none.

    A record has a sibling of the same build on another line, as each line of a list has, and more in it than
    the element: of the lines of a card each has such siblings too.
    """
    tagged = _ROW.match(anchor.path)
    if tagged is not None:
        return tagged.group()
    steps = split(anchor.path)
    for depth in range(len(steps) - 1, 0, -1):
        start, own = "/".join(steps[:depth]) + "/", "/".join(steps[depth + 1 :])
        row = start + steps[depth]
        if not any(path.startswith(f"{row}/") and path != anchor.path for path in known):
            continue
        kind = _INDEX.sub("", steps[depth])
        for path, twin in known.items():
            if path.startswith(start + kind) and twin.role == anchor.role:
                step, _, rest = path[len(start) :].partition("/")
                alike = step != steps[depth] and _INDEX.sub("", step) == kind and rest == own
                if alike and not on_one_line(twin.box, anchor.box):
                    return row
    return ""


def in_row(element: Element, anchor: Element, row: str) -> int:
    """Whether an element is in the row of the anchor: 2 by structure, 1 as it stands on one line with it."""
    if row and (element.path + "/").startswith(row + "/"):
        return 2
    own = _ROW.match(element.path)
    if row and own is not None and anchor.role not in CELLS:
        return 0  # A record of another list, side by side with this one.
    return 1 if on_one_line(element.box, anchor.box) else 0


def in_column(element: Element, anchor: Element) -> int:
    """Whether an element is in the column of a header: 2 by structure, 1 as it stands below it."""
    if bool(anchor.name) and label_fit(element, anchor.name) >= tuning.ANCHOR:
        return 2
    below = element.box.top >= anchor.box.bottom - 4
    return 1 if anchor.role == "columnheader" and below and under(anchor.box, element.box) else 0


def in_section(element: Element, heading: Element, observation: Observation) -> int:
    """Whether an element belongs to what a heading or legend names; more the more structure they share.

    The section is the smallest part of the page with more than the heading in it; between it and the element
    stands no other heading.
    """
    apart = [e for e in observation.elements if e.path and not (e.path + "/").startswith(heading.path + "/")]
    common = max((common_depth(e.path, heading.path) for e in apart), default=0)
    if common_depth(element.path, heading.path) < common:
        return 0
    order = [e.id for e in observation.elements]
    start, at = order.index(heading.id), order.index(element.id)
    others = (e for e in observation.elements[start + 1 : at] if e.role == heading.role == "heading")
    return common + 1 if start < at and not any(others) else 0


def elsewhere(element: Element, anchor: Element, known: Mapping[str, Element]) -> bool:
    """Whether the element is a part of another row or card of the same build as the anchor's.

    That is so when one of the sibling rows has both, something where the anchor is in its row and something
    where the element is in its own: then each row has its own pair. Cells on one line are parts of one
    row, however alike they are built.

    Args:
        known: the elements of the screen by their paths.
    """
    if on_one_line(element.box, anchor.box):
        return False
    common = common_depth(element.path, anchor.path)
    mine, theirs = split(element.path), split(anchor.path)
    if len(mine) <= common or len(theirs) <= common:
        return False
    kind = _INDEX.sub("", mine[common])
    if kind != _INDEX.sub("", theirs[common]):
        return False
    own, its = "/".join(mine[common + 1 :]), "/".join(theirs[common + 1 :])
    start = "".join(f"{step}/" for step in mine[:common])
    siblings = {path[len(start) :].split("/", 1)[0] for path in known if path.startswith(start)}

    def is_at(path: str, role: str) -> bool:
        twin = known.get(path.rstrip("/"))
        return twin is not None and twin.role == role

    return any(
        is_at(f"{start}{sibling}/{own}", element.role) and is_at(f"{start}{sibling}/{its}", anchor.role)
        for sibling in siblings
        if _INDEX.sub("", sibling) == kind
    )


def cell_of(element: Element) -> str:
    """The path of the innermost cell, term, definition or list item around an element; empty without one."""
    found = _CELL.match(element.path)
    return found.group() if found else ""


def split(path: str) -> list[str]:
    return path.split("/") if path else []


def common_depth(one: str, other: str) -> int:
    count = 0
    for mine, theirs in zip(split(one), split(other), strict=False):
        if mine != theirs:
            break
        count += 1
    return count
