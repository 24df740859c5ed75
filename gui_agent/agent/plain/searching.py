"""Looking for something that is not in sight: wait, then scroll the page, then the lists on it."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.agent.plain.planning import A_PAGE, FAR
from gui_agent.agent.plain.progress import Search
from gui_agent.core.actions import Scroll, Wait
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Element, Observation
from gui_agent.core.targets import Mark
from gui_agent.core.trajectory import Planned, Step

WAITS = (0.3, 0.7, 1.5)
"""Seconds between looks: most pages that load late do so within these."""
MOST_SCROLLS = 30
"""Over all phases; a page that is longer has a search field or a table of contents."""
MOST_LIST_SCROLLS = 12


def begin(observation: Observation) -> Search:
    """The start of a search on this screen."""
    return Search(above=observation.more.get("above", 0))


def next_move(
    search: Search, observation: Observation, last: Step | None, what: str, *, only_wait: bool = False
) -> tuple[Planned, Search] | None:
    """The next thing to try, or None when everything was tried and the view is where it was.

    Args:
        last: the step before, None when the search has just begun.
        what: the thing that is searched for, for the explanation.
    """
    if search.looks < len(WAITS):
        pause = Planned(Wait(WAITS[search.looks]), why=f"{what} is not there yet")
        return pause, replace(search, looks=search.looks + 1, phase="wait")
    if only_wait:
        return None
    if search.phase in ("wait", "down", "up", "back"):
        move = _page_move(search, observation, what)
        if move is not None:
            return move
    return _list_move(search, observation, last, what)


def _page_move(search: Search, observation: Observation, what: str) -> tuple[Planned, Search] | None:
    middle = Point(observation.size.width // 2, observation.size.height // 2)
    page = max(round(observation.size.height * A_PAGE), 1)
    above, below = observation.more.get("above", 0), observation.more.get("below", 0)
    phase = "down" if search.phase == "wait" else search.phase
    more = search.scrolls < MOST_SCROLLS
    if phase == "down" and not (below > 0 and more):
        phase = "up" if search.above > 0 else "back"
    if phase == "up" and not (above > 0 and more):
        phase = "back"
    search = replace(search, phase=phase, scrolls=search.scrolls + 1)
    if phase in ("down", "up"):
        way = page if phase == "down" else -page
        return Planned(Scroll(middle, down=way), why=f"looking for {what} further {phase}"), search
    if phase == "back" and above != search.above and search.scrolls <= MOST_SCROLLS + 3:
        return Planned(
            Scroll(middle, down=search.above - above), why="back to where the search began"
        ), search
    return None


def _list_move(
    search: Search, observation: Observation, last: Step | None, what: str
) -> tuple[Planned, Search] | None:
    """Scroll through each list that scrolls by itself, one after the other, and each back to its start."""
    search = replace(search, phase="in")
    current = observation.by_id(search.lists[-1]) if search.lists else None
    if current is not None and search.moved >= 0:
        moving = last is None or last.outcome.kind not in ("no_change", "failed")
        step = max(round(current.box.height * A_PAGE), 1)
        if moving and search.moved < MOST_LIST_SCROLLS * step:
            return _scroll_list(search, current, step, what)
        back = Planned(Scroll(Mark(current.id), down=-FAR), why="back to where the search began")
        return back, replace(search, moved=-1)
    unseen = [e for e in observation.elements if "scrollable" in e.states and e.id not in search.lists]
    if not unseen:
        return None
    fresh = replace(search, lists=(*search.lists, unseen[0].id), moved=0)
    return _scroll_list(fresh, unseen[0], max(round(unseen[0].box.height * A_PAGE), 1), what)


def _scroll_list(search: Search, inside: Element, step: int, what: str) -> tuple[Planned, Search]:
    planned = Planned(Scroll(Mark(inside.id), down=step), why=f"looking for {what} in {inside}")
    return planned, replace(search, moved=search.moved + step)
