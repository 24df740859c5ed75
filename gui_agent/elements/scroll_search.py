"""Searches for elements out of sight: wait, scroll the page and its lists, wait longer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product, starmap
from zlib import crc32

from gui_agent.core.actions import Back, Click, Scroll, Wait
from gui_agent.core.observation import Element, Mark, Observation, Point, Target, is_part_of
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Planned, Step
from gui_agent.elements.roles import DIALOGS, EXPANDERS
from gui_agent.elements.text import name_words
from gui_agent.elements.words import letters_alike, stem

WAITS = (0.3, 0.7, 1.0)
"""Seconds between looks. The first is before any scrolling, because most late elements come within it."""
MOST_SCROLLS = 14
"""Most scrolls of the page; a longer page has a search field or a table of contents."""
LONG, MOST_SAMPLES = 20, 5
"""Of a page of more screens than this, only the next ones and the last are looked at: so many scrolls."""
ENOUGH_SCROLLS = 8
"""After this many scrolls there are no more waits: the scrolling has taken long enough for late elements."""
MOST_LIST_SCROLLS = 8
"""Most scrolls of one list."""
MOST_LISTS = 3
"""How many lists are searched: the target is in a large one, and the run's time is limited."""
MOST_SECTIONS = 2
"""How many collapsed sections of the front dialog are opened; each is closed again if it lacks the target."""
LEAST_LIST = 60
"""Least height of a list in pixels; a lower one shows no entries."""
BUSY_WAIT, MOST_BUSY_WAITS = 2.0, 5
"""Seconds between further looks, and their number, while something loads or the screen is empty."""
MOST_GROWING_WAITS = 3
"""Their number while each look finds new controls, as on a page that is still being built."""

HALF, MOST_OF_IT = 0.5, 0.7
"""Share of the screen that one scroll moves: the scrolling part may be smaller, or have fixed bars
over it.
"""
A_PAGE = 0.8
"""Share of a list's view that one scroll moves, so that some lines stay in sight."""
_AKIN = 0.85
"""Share of letters in common from which a word may be a misspelling of another."""
FAR = 20_000
"""A distance in pixels that is certainly longer than any list."""


@dataclass(frozen=True, slots=True)
class Search:
    """The progress of a search for an element out of sight."""

    looks: int = 0
    """How often it has waited."""
    scrolls: int = 0
    phase: str = "down"
    """down, up, back, or `in` for lists that scroll by themselves."""
    above: int = 0
    """Pixels above the view when the search began."""
    lowest: int = 0
    """Pixels of the page that were searched, from its top."""
    words: int = 0
    """Checksum of the page's words if none of them fits the target, as far as the page is loaded.

    0 if the page may contain the target, -1 if it loads more when scrolled.
    """
    lists: tuple[int, ...] = ()
    """Ids of the scrolling lists that were searched; the last one is being searched."""
    moved: int = 0
    """Pixels that the current list was scrolled down."""
    sections: tuple[int, ...] = ()
    """Ids of the collapsed sections that were opened."""

    def extent(self, observation: Observation) -> str:
        """How much of the page was searched, in words; empty if all or none of it."""
        view = max(observation.size.height, 1)
        all = _screens(observation)
        if not self.scrolls or self.lowest >= all * view:
            return ""
        return f"; looked through {round(self.lowest / view)} screens of about {round(all)}"

    def most_scrolls(self, observation: Observation) -> int:
        """How often this page is scrolled; a long one that is there as a whole is only sampled."""
        is_sampled = self.words >= 0 and _screens(observation) > LONG
        return MOST_SAMPLES if is_sampled else MOST_SCROLLS


Move = tuple[Planned, Search]


def _screens(observation: Observation) -> float:
    """How many screens high the page is."""
    view = max(observation.size.height, 1)
    return 1 + (observation.more.get("above", 0) + observation.more.get("below", 0)) / view


def begin(observation: Observation) -> Search:
    return Search(above=observation.more.get("above", 0))


def _middle(observation: Observation) -> Point:
    return observation.size.box.center


def way_to(aim: Element, observation: Observation) -> Scroll[Point | Mark] | Back:
    """The scroll that brings an element out of sight to the middle of the screen, or of its list.

    An element covered by a phone's keyboard becomes visible by the Back key, which hides the keyboard.
    """
    if "covered" in aim.states:
        return Back()
    boxes = [one for one in observation.elements if "scrollable" in one.states and is_part_of(aim, one)]
    if not boxes:
        middle = _middle(observation)
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
    named: Sequence[str] = (),
) -> Move | None:
    """The next thing to try; None when everything was tried and the view is where it was.

    Args:
        last: the step before; None if the search has just begun.
        what: the target, for the explanation.
        waits: seconds between looks.
        only_wait: do not scroll, because what is missing is no element that could be elsewhere.
        named: texts that must all be on the page for the target to be there.
    """
    above = observation.more.get("above", 0)
    if search.words > 0 or above <= search.lowest or not search.lowest:
        search = replace(search, lowest=max(search.lowest, above + observation.size.height))
    known = crc32(" ".join(sorted(observation.words)).encode())
    if search.words >= 0 and not (search.scrolls or search.lists):
        search = replace(search, words=known if _is_unwritten(named, observation.words) else 0)
    elif observation.words and 0 < search.words != known:
        search = replace(search, words=-1, scrolls=0, phase="down", lists=(), lowest=0)
        if (turn := _last_turn(last)) is not None and turn.down > 0:
            return Planned(Scroll(turn.at, down=-FAR), why=f"{what}: more is loaded on the way"), search
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
    if not only_wait and search.looks <= 2:
        if search.phase != "in":
            yield from _page_move(search, observation, last, what, waits)
        yield from _list_move(replace(search, phase="in"), observation, last, what)
        yield from _section_move(replace(search, phase="in"), observation, what)
    enough = min(ENOUGH_SCROLLS, search.most_scrolls(observation))
    further = _further_waits(observation, last)
    if search.looks < len(waits) and search.scrolls < enough:
        yield _pause(search, what, waits)
    elif waits and further and search.looks < len(waits) + further:
        pause = Planned(Wait(BUSY_WAIT), why=f"{what}: the screen is still loading")
        yield pause, replace(search, looks=search.looks + 1)


def _is_unwritten(named: Sequence[str], known: frozenset[str]) -> bool:
    """Whether a page that reports all its words has none similar to those of one of the texts."""
    said = [text for text in map(name_words, map(normal, named)) if text and known]
    return not all(any(starmap(_is_like, product(text, known))) for text in said)


def _is_like(word: str, known: str) -> bool:
    return stem(word) in known or letters_alike(word, known) >= _AKIN


def _pause(search: Search, what: str, waits: Sequence[float]) -> Move:
    pause = Planned(Wait(waits[search.looks]), why=f"{what}: not there yet")
    return pause, replace(search, looks=search.looks + 1)


def _loading(observation: Observation) -> bool:
    return not observation.elements or any("busy" in element.states for element in observation.elements)


def _further_waits(observation: Observation, last: Step | None) -> int:
    return MOST_BUSY_WAITS if _loading(observation) else MOST_GROWING_WAITS * _is_growing(last)


def _is_growing(last: Step | None) -> bool:
    """Whether controls appeared while the step before waited."""
    if last is None or last.after is None or not isinstance(last.planned.action, Wait):
        return False
    return any(last.before.by_id(one.id) is None for one in last.after.controls)


def _page_move(
    search: Search, observation: Observation, last: Step | None, what: str, waits: Sequence[float]
) -> Iterator[Move]:
    """The next scroll of the page: down to the end, up to the top, and back to where the search began."""
    middle = _middle(observation)
    above, below = observation.more.get("above", 0), observation.more.get("below", 0)
    turned, most = _last_turn(last) is not None, search.most_scrolls(observation)
    if search.phase == "down" and below > 0:
        search = replace(search, looks=min(search.looks, 1))
    elif search.phase == "down" and turned and search.scrolls < most and search.looks < len(waits):
        yield _pause(search, what, waits)  # pages load their next part at their end
    own = _list_at(middle, observation)
    phase = _next_phase(search, above, below, most, stuck=turned and _has_failed(last))
    search = replace(search, phase=phase, scrolls=search.scrolls + 1)
    if phase != "back":
        way = _page_step(search, observation, own) * (1 if phase == "down" else -1)
        yield Planned(Scroll(middle, down=way), why=f"{what}: looking further {phase}"), search
    elif above != search.above and search.scrolls <= most + 3:
        yield _back(middle, search.above - above), search


def _next_phase(search: Search, above: int, below: int, most: int, *, stuck: bool) -> str:
    """Where the page scrolls next: down, up or back.

    Args:
        above: pixels above the view; `below` are those below it.
        stuck: the element at the middle did not move, so the same scroll would not move it either.
    """
    more = search.scrolls < most
    if search.phase == "down":
        if below > 0 and more and not stuck:
            return "down"
        climbs = search.above > 0 and search.words <= 0
    else:
        climbs = search.phase == "up" and not stuck
    return "up" if climbs and above > 0 and more else "back"


def _page_step(search: Search, observation: Observation, own: Element | None) -> int:
    """Pixels of one scroll; `own` is the list at the middle, which scrolls by itself."""
    if search.words > 0:
        return FAR
    if search.phase == "down" and search.scrolls == MOST_SAMPLES == search.most_scrolls(observation):
        return 100 * FAR
    told = any(one.source == "dom" for one in observation.elements)
    page = round(observation.size.height * (MOST_OF_IT if told else HALF))
    return max(page if own is None else min(page, _step(own)), 1)


def _last_turn(last: Step | None) -> Scroll[Target] | None:
    """The scroll of the step before, or None."""
    action = last.planned.action if last is not None else None
    return action if isinstance(action, Scroll) else None


def _has_failed(last: Step | None) -> bool:
    """Whether the step before moved nothing."""
    return last is not None and last.outcome.kind in ("no_change", "failed")


def _elements_in_front(elements: Iterable[Element], observation: Observation) -> list[Element]:
    """The elements inside the front dialog; all of them if there is none."""
    dialog = next((one for one in reversed(observation.elements) if one.role in DIALOGS), None)
    return [one for one in elements if dialog is None or dialog.box.contains(one.box.center)]


def _lists(observation: Observation) -> list[Element]:
    return [e for e in observation.elements if "scrollable" in e.states and e.box.height >= LEAST_LIST]


def _list_at(point: Point, observation: Observation) -> Element | None:
    return next((one for one in reversed(_lists(observation)) if one.box.contains(point)), None)


def _list_move(search: Search, observation: Observation, last: Step | None, what: str) -> Iterator[Move]:
    """The next scroll of a list that scrolls by itself, one list after the other, each back to its start."""
    current = observation.by_id(search.lists[-1]) if search.lists else None
    if current is not None and search.moved >= 0:
        if not _has_failed(last) and search.moved < MOST_LIST_SCROLLS * _step(current):
            yield _scroll_list(search, current, what)
        else:
            yield _back(Mark(current.id), -FAR), replace(search, moved=-1)
    front = _elements_in_front(_lists(observation), observation)
    unseen = sorted((e for e in front if e.id not in search.lists), key=lambda e: -e.box.area)
    if unseen and len(search.lists) < MOST_LISTS:
        fresh = replace(search, lists=(*search.lists, unseen[0].id), moved=0)
        yield _scroll_list(fresh, unseen[0], what)


def _section_move(search: Search, observation: Observation, what: str) -> Iterator[Move]:
    """The next collapsed section to open (only in the front dialog), or one without the target to close
    again.
    """
    folds = (e for e in observation.controls if e.role in EXPANDERS and "haspopup" not in e.states)
    done = search.sections
    for one in _elements_in_front(folds, observation):
        if one.id in search.sections and "expanded" in one.states:
            yield Planned(Click(Mark(one.id)), why=f"{what}: not in {one}, so it is closed again"), search
        elif "collapsed" in one.states and one.id not in done and len(done) < MOST_SECTIONS:
            way = Planned(Click(Mark(one.id)), why=f"{what}: looking in {one}")
            yield way, replace(search, sections=(*done, one.id))


def _back(at: Point | Mark, down: int) -> Planned:
    return Planned(Scroll(at, down=down), why="back to where the search began")


def _scroll_list(search: Search, inside: Element, what: str) -> Move:
    way = FAR if search.words > 0 else _step(inside)
    planned = Planned(Scroll(Mark(inside.id), down=way), why=f"{what}: looking in {inside}")
    return planned, replace(search, moved=search.moved + way)


def _step(inside: Element) -> int:
    return max(round(inside.box.height * A_PAGE), 1)
