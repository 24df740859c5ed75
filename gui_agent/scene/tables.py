"""Tables on a screen: elements in one row or column, and the cell where both meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from gui_agent.core.observation import Element, on_one_line, share_columns
from gui_agent.elements import tuning
from gui_agent.elements.roles import CELLS, PRESSED
from gui_agent.scene._records import label_fit
from gui_agent.scene._scene import Scene
from gui_agent.scene.structure import ROWS

_OVERLAP = 4
"""How many pixels a cell may reach into the header above it."""


def row_rank(element: Element, anchor: Element, scene: Scene) -> int:
    """Whether an element is in the row of an anchor: 2 by structure, 1 by being on one line with it, 0 if
    not.
    """
    row = scene.tree.repeated_part(anchor)
    if row and scene.tree.is_inside(element, row):
        return 2
    if row and anchor.role not in CELLS and scene.tree.part_around(element, ROWS):
        return 0  # a record of another list, side by side with this one
    return 1 if on_one_line(element.box, anchor.box) else 0


def column_rank(element: Element, header: Element) -> int:
    """1 if an element is below a header, 0 if not."""
    return 1 if header.role == "columnheader" and is_below(element, header) else 0


def cell_at_crossing(
    column: str, around: Sequence[Element], row: str, scene: Scene, *, by_place: bool
) -> Element | None:
    """The cell in this column and in the row of an element; None if they do not meet.

    Args:
        around: the elements that name the row.
        by_place: whether any text above the cell may be the header, even if the source does not mark it as
            one; not where it marks others above the row.
    """
    marked = (one for one in scene.screen.elements if one.role == "columnheader")
    by_place = by_place and not any(is_below(one, header) for header, one in product(marked, around))
    cells = [one for one in scene.screen.elements if one.role != "columnheader"]
    labelled = [one for one in cells if label_fit(one, column) >= tuning.ANCHOR]
    for one in sorted(labelled, key=_is_empty):
        if label_fit(one, row) >= tuning.ANCHOR or _meets(one, around, partial(row_rank, scene=scene)):
            return one
    matches = scene.matches(column)
    headers = [one for one in matches if _may_head(one, by_place=by_place)]
    met = [one for one in cells if _meets(one, around, _is_beside) and _meets(one, headers, is_below)]
    met = [one for one in met if one.role in CELLS or not _is_empty(one)]
    return min(met, key=lambda one: (_is_empty(one), one.box.area), default=None)


def _is_empty(element: Element) -> bool:
    return not (element.name or element.value)


def _meets(cell: Element, others: Sequence[Element], stands: Callable[[Element, Element], object]) -> bool:
    """Whether a cell has this relation to one of some other elements."""
    return any(cell.id != other.id and stands(cell, other) for other in others)


def _is_beside(element: Element, anchor: Element) -> bool:
    return on_one_line(anchor.box, element.box)


def _may_head(element: Element, *, by_place: bool) -> bool:
    is_plain = element.role not in PRESSED and not element.labels
    return element.role == "columnheader" or (by_place and is_plain)


def is_below(element: Element, header: Element) -> bool:
    """Whether an element is below another one, in its column."""
    return header.box.is_above(element.box, _OVERLAP) and share_columns(header.box, element.box)
