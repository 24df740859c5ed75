"""Searches for what is out of sight: wait, scroll the page and its lists, wait longer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gui_agent.core.actions import Back, Click, Scroll, Wait
from gui_agent.core.observation import Element, Mark, Observation, Point, within
from gui_agent.core.trajectory import Planned, Step
from gui_agent.elements.roles import DIALOGS, UNFOLDING

WAITS = (0.3, 0.7, 1.5)
"""Seconds between looks. The first is before any scrolling: most of what comes late comes within it."""
MOST_SCROLLS = 20
"""Of the page; one that is longer has a search field or a table of contents."""
MOST_LIST_SCROLLS = 8
MOST_LISTS = 3
"""Lists that are looked through: what is wanted is in the large ones, and the run has other things to do."""
MOST_SECTIONS = 2
"""Folded sections of the dialog in front that are opened, each closed again if it is not in there."""
LEAST_LIST = 60
"""Pixels; what is lower shows no list."""
BUSY_WAIT, MOST_BUSY_WAITS = 2.0, 5
"""Seconds between further looks, and how many, while something loads or nothing is there at all."""

HALF = 0.5
"""Share of the screen that one scroll moves; what scrolls may be only a part of the screen."""
A_PAGE = 0.8
"""Share of the view that one scroll moves, so that some lines stay in sight."""
FAR = 20_000
"""Pixels that are surely more than any list is long."""


@dataclass(frozen=True, slots=True)
class Search:
    """How far the search for something that is not in sight has come."""

    looks: int = 0
    """How often it was waited for."""
    scrolls: int = 0
    phase: str = "down"
    """down, up, back, or `in` for the lists that scroll by themselves."""
    above: int = 0
    """Pixels above the view when the search began."""
    lists: tuple[int, ...] = ()
    """Ids of the scrolling lists that were searched; the last one is being searched."""
    moved: int = 0
    """Pixels that the list in hand was scrolled down."""
    sections: tuple[int, ...] = ()
    """Ids of the folded sections that were looked into."""


Move = tuple[Planned, Search]


def begin(observation: Observation) -> Search:
    return Search(above=observation.more.get("above", 0))


def way_to(aim: Element, observation: Observation) -> Scroll[Point | Mark] | Back:
    """The turn of the wheel that brings what is out of sight to the middle of the picture, or of its box.

    What the keyboard of a phone covers is shown by the key that puts the keyboard away.
    """
    if "covered" in aim.states:
        return Back()
    boxes = [one for one in observation.elements if "scrollable" in one.states and within(aim, one)]
    middle = Point(observation.size.width // 2, observation.size.height // 2)
    if not boxes:
        return Scroll(middle, down=aim.box.center.y - middle.y)
    own = max(boxes, key=lambda one: len(one.path))
    return Scroll(Mark(own.id), down=aim.box.center.y - own.box.center.y)


def next_move(
    search: Search,
    observation: Observation,
    last: Step | None,
    what: str,
    *,
    waits: Sequence[float] = WAITS,
    only_wait: bool = False,
) -> Move | None:
    """The next thing to try, or None when everything was tried and the view is where it was.

    Args:
        last: the step before, None when the search has just begun.
        what: the thing that is searched for, for the explanation.
        waits: seconds between looks.
        only_wait: do not scroll; what is missing is not a thing that could be elsewhere.
    """
    return next(_moves(search, observation, last, what, waits, only_wait), None)


def _moves(
    search: Search,
    observation: Observation,
    last: Step | None,
    what: str,
    waits: Sequence[float],
    only_wait: bool,
) -> Iterator[Move]:
    if search.looks == 0 and waits:
        yield _pause(search, what, waits)
    if not only_wait and search.looks <= 1:
        if search.phase != "in":
            yield from _page_move(search, observation, last, what)
        yield from _list_move(replace(search, phase="in"), observation, last, what)
        yield from _section_move(replace(search, phase="in"), observation, what)
    if search.looks < len(waits):
        yield _pause(search, what, waits)
    elif waits and search.looks < len(waits) + MOST_BUSY_WAITS and _loading(observation):
        pause = Planned(Wait(BUSY_WAIT), why=f"{what}: the screen is still loading")
        yield pause, replace(search, looks=search.looks + 1)


def _pause(search: Search, what: str, waits: Sequence[float]) -> Move:
    pause = Planned(Wait(waits[search.looks]), why=f"{what}: not there yet")
    return pause, replace(search, looks=search.looks + 1)


def _loading(observation: Observation) -> bool:
    return not observation.elements or any("busy" in element.states for element in observation.elements)


def _page_move(search: Search, observation: Observation, last: Step | None, what: str) -> Iterator[Move]:
    """Down to the end, up to the start, and back to where the search began."""
    middle = Point(observation.size.width // 2, observation.size.height // 2)
    page = max(round(observation.size.height * HALF), 1)
    above, below = observation.more.get("above", 0), observation.more.get("below", 0)
    turned = last is not None and isinstance(last.planned.action, Scroll)
    stuck = turned and last is not None and last.outcome.kind in ("no_change", "failed")
    phase, more = search.phase, search.scrolls < MOST_SCROLLS
    if stuck:
        # What lies at the middle does not move: the same turn of the wheel would not move it either.
        below, phase = 0, phase if phase == "down" else "back"
    if phase == "down" and not (below > 0 and more):
        phase = "up" if search.above > 0 else "back"
    if phase == "up" and not (above > 0 and more):
        phase = "back"
    search = replace(search, phase=phase, scrolls=search.scrolls + 1)
    if phase in ("down", "up"):
        way = page if phase == "down" else -page
        yield Planned(Scroll(middle, down=way), why=f"{what}: looking further {phase}"), search
    elif above != search.above and search.scrolls <= MOST_SCROLLS + 3:
        yield _back(middle, search.above - above), search


def _list_move(search: Search, observation: Observation, last: Step | None, what: str) -> Iterator[Move]:
    """Scroll through each list that scrolls by itself, one after the other, and each back to its start."""
    current = observation.by_id(search.lists[-1]) if search.lists else None
    if current is not None and search.moved >= 0:
        moving = last is None or last.outcome.kind not in ("no_change", "failed")
        if moving and search.moved < MOST_LIST_SCROLLS * _step(current):
            yield _scroll_list(search, current, what)
        else:
            yield _back(Mark(current.id), -FAR), replace(search, moved=-1)
    lists = [e for e in observation.elements if "scrollable" in e.states and e.box.height >= LEAST_LIST]
    dialogs = [e for e in observation.elements if e.role in DIALOGS]
    front = [e for e in lists if dialogs[-1].box.contains(e.box.center)] if dialogs else lists
    unseen = sorted((e for e in front if e.id not in search.lists), key=lambda e: -e.box.area)
    if unseen and len(search.lists) < MOST_LISTS:
        fresh = replace(search, lists=(*search.lists, unseen[0].id), moved=0)
        yield _scroll_list(fresh, unseen[0], what)


def _section_move(search: Search, observation: Observation, what: str) -> Iterator[Move]:
    """Open what is folded, of a dialog in front only; what was of no use is closed again."""
    dialog = next((e for e in reversed(observation.elements) if e.role in DIALOGS), None)
    inside = [e for e in observation.controls if e.role in UNFOLDING and "haspopup" not in e.states]
    inside = [e for e in inside if dialog is None or dialog.box.contains(e.box.center)]
    done = search.sections
    for one in inside:
        if one.id in search.sections and "expanded" in one.states:
            yield Planned(Click(Mark(one.id)), why=f"{what}: not in {one}, which is closed again"), search
        elif "collapsed" in one.states and one.id not in done and len(done) < MOST_SECTIONS:
            way = Planned(Click(Mark(one.id)), why=f"{what}: looking in {one}")
            yield way, replace(search, sections=(*done, one.id))


def _back(at: Point | Mark, down: int) -> Planned:
    return Planned(Scroll(at, down=down), why="back to where the search began")


def _scroll_list(search: Search, inside: Element, what: str) -> Move:
    planned = Planned(Scroll(Mark(inside.id), down=_step(inside)), why=f"{what}: looking in {inside}")
    return planned, replace(search, moved=search.moved + _step(inside))


def _step(inside: Element) -> int:
    return max(round(inside.box.height * A_PAGE), 1)
