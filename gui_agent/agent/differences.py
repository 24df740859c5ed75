"""The changes between two screens in words, by which steps are judged and which the planner reads."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from weakref import ref

from gui_agent.agent.pictures import pictures_differ
from gui_agent.core.observation import NOWHERE, Box, Element, Observation, Point
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Found
from gui_agent.elements.roles import CHOICES, DIALOGS, MENU_ITEMS, POPUPS
from gui_agent.scene.change import Change, Pair

WORTH_TELLING = ("checked", "mixed", "selected", "pressed", "expanded", "disabled", "invalid")
"""States whose change a person would notice and mention."""
PASSING = frozenset(("focused", "new", "expanded", "collapsed"))
"""States that change whenever something pops up."""
NAMES = 3
"""How many elements a line names; the others are counted."""
NAME, MESSAGE = 40, 120
"""How many characters of a name are shown, and of a message."""
MOVED = 4
"""Distance in pixels from which an element counts as moved."""
AROUND = 64
"""Distance in pixels around the target within which a small change of the picture counts."""

_MESSAGES = {"alertdialog": 0, "dialog": 0, "alert": 0, "status": 1}
"""Roles whose text is quoted at length, with their order: dialogs and alerts come before a status."""
_OPENED = DIALOGS | POPUPS


@dataclass(frozen=True, slots=True)
class Difference:
    """The change from one observation to the next."""

    lines: tuple[str, ...] = ()
    """Most important first."""
    moved_on: bool = False
    pixels: bool = False
    """The picture changed although no element did."""
    doubtful: bool = False
    """All changes may be ongoing, as in an animation or a carousel."""

    focused: bool = False
    """The lines only say where the keyboard focus moved."""

    @property
    def any(self) -> bool:
        return bool(self.lines) or self.pixels

    @property
    def is_told(self) -> bool:
        """Whether any element changed apart from the keyboard focus."""
        return bool(self.lines) and not self.focused

    def summary(self, limit: int = 4) -> str:
        if not self.lines:
            return "only the picture changed" if self.pixels else "nothing visible changed"
        more = f" (and {len(self.lines) - limit} more)" if len(self.lines) > limit else ""
        return "; ".join(self.lines[:limit]) + more


def difference(
    before: Observation, after: Observation, found: Iterable[Found] = (), again: Observation | None = None
) -> Difference:
    """Compare two observations: place, values, states, appeared, gone and moved elements, the picture last.

    The result is stored with the later observation, so that its screens are compared only once.

    Args:
        found: the targets of the action in between.
        again: a later look without an action; anything that still moves or changes the picture then
            does not count.
    """
    spots = tuple(found)
    if again is not None:
        return _compare(before, after, spots, again)
    asked = tuple(spot.point for spot in spots)
    kept = after.kept.get(_Compared)
    if not (isinstance(kept, _Compared) and kept.before() is before and kept.asked == asked):
        kept = after.kept[_Compared] = _Compared(ref(before), asked, _compare(before, after, spots))
    return kept.difference


@dataclass(frozen=True, slots=True)
class _Compared:
    before: ref[Observation]
    asked: tuple[Point, ...]
    difference: Difference


def _compare(
    before: Observation, after: Observation, spots: Sequence[Found], again: Observation | None = None
) -> Difference:
    change = Change(before, after)
    touched = {spot.element.id for spot in spots if spot.element}
    lines = _content_changes(change, touched)
    later = Change(after, again).pairs if again else ()
    restless = {new.id for old, new in later if old.box != new.box}
    steady = [pair for pair in change.pairs if pair[1].id not in restless]
    # Scrolling itself explains these movements.
    moved = [] if _scroll_changes(change) else _movements(change, steady)
    by_hand = moved and _movements(change, [pair for pair in steady if pair[0].id in touched])
    doubtful = bool(moved) and not (lines or by_hand)
    lines += by_hand if lines else moved
    focused = not lines
    lines = lines or [f"{_name(one)} has the focus" for one in change.focus_gains]
    pixels = not lines and _pictures_differ(before, after, spots, again, restless)
    return Difference(tuple(dict.fromkeys(lines)), change.moved_on, pixels, doubtful or pixels, focused)


def _content_changes(change: Change, touched: Set[int]) -> list[str]:
    """All changes except movements, the keyboard focus and the picture, most important first."""
    gone, came = list(change.gone), list(change.came)
    scrolled = _scroll_changes(change)
    lines = [*_place(change), *scrolled, *(f"notice: {notice}" for notice in change.notices)]
    lines += _take_popups(gone, came)
    lines += _take_menu_entries(came)
    # A reader asks first about the target.
    lines += _own_changes(sorted(change.pairs, key=lambda pair: pair[0].id not in touched))
    # On another page everything is different; only new elements count.
    lines += _came_and_went([] if change.moved_on and came else gone, came, touched)
    return lines if scrolled else lines + _size_changes(change)


def is_only_popup_gone(before: Observation, after: Observation, around: Box) -> bool:
    """Whether a dialog or window only lost the pop-up list in front of it, which had a window of its own."""
    gone = [box for number, box in before.windows.items() if number not in after.windows]
    if not gone or len(after.windows) + len(gone) != len(before.windows):
        return False
    change = Change(before, after)
    other = [one for one in (*change.gone, *change.came) if around.contains(one.box.center)]
    return all(any(box.intersect(one.box) for box in gone) for one in other) and all(
        _content(old) == _content(new) for old, new in change.pairs if around.contains(old.box.center)
    )


def _content(element: Element) -> tuple[str, str, frozenset[str]]:
    return element.name, element.value, element.states - PASSING


def _pictures_differ(
    before: Observation,
    after: Observation,
    spots: Sequence[Found],
    again: Observation | None,
    restless: Set[int],
) -> bool:
    if before.screenshot is None or after.screenshot is None:
        return False
    near = [_surroundings(Box(spot.point.x, spot.point.y, 1, 1)) for spot in spots]
    near += [_surroundings(spot.element.box) for spot in spots if spot.element]
    if not spots:
        near = [_surroundings(element.box) for element in before.elements if "focused" in element.states]
    later = again.screenshot if again else None
    moving = [_surroundings(e.box) for look in (before, after) for e in look.elements if e.id in restless]
    return pictures_differ(before.screenshot, after.screenshot, near, later, moving)


def _surroundings(box: Box) -> Box:
    return box.grow(AROUND)


def _place(change: Change) -> Iterator[str]:
    then, now = change.before.place, change.after.place
    if change.moved_on and now == NOWHERE:
        yield "no window is open any more"
    elif change.moved_on:
        yield f"now at {shorten(now.title or now.url or now.app, 60)}"
    elif then.title != now.title:
        yield f'the title became "{shorten(now.title, 60)}"'


def _take_popups(gone: list[Element], came: list[Element]) -> Iterator[str]:
    for elements, roles, verb in ((came, _MESSAGES, "appeared"), (gone, _OPENED, "closed")):
        told = sorted((e for e in elements if e.role in roles), key=lambda e: _MESSAGES.get(e.role, 2))
        elements[:] = [element for element in elements if element not in told]
        yield from (f"{_name(element, MESSAGE)} {verb}" for element in told)


def _take_menu_entries(came: list[Element]) -> list[str]:
    entries = [element for element in came if element.role in MENU_ITEMS]
    if len(entries) < 2:
        return []
    came[:] = [element for element in came if element not in entries]
    return [_several(_most_telling_first(entries), "", "", "appeared")]


def _own_changes(pairs: Sequence[tuple[Element, Element]]) -> list[str]:
    values: list[str] = []
    named: list[str] = []
    states: dict[str, list[Element]] = defaultdict(list)
    for old, new in pairs:
        if old.value != new.value:
            values.append(_value(old, new))
        # A name that was empty before was half out of sight, not a different one.
        if old.name != new.name and new.name and old.name:
            named.append(f'"{shorten(old.name, NAME)}" became "{_shorten_to_news(old.name, new.name)}"')
        turned = [state for state in WORTH_TELLING if (state in old.states) != (state in new.states)]
        for state in turned:
            # Toggles of some toolkits change both states, which a reader sees as one change.
            if state != "pressed" or "checked" not in turned:
                states[_state_word(new, state)].append(new)
    # A state that was gained says more than one that was lost.
    order = sorted(states, key=lambda state: state.startswith(("no longer", "off")))
    return [*values, *(_several(states[state], "is", "are", state) for state in order), *named]


def _value(old: Element, new: Element) -> str:
    name = _name(new)
    if "password" in new.states:
        return f"{name} was {'filled' if new.value else 'emptied'}"
    if new.value.strip() and new.value.split() == old.value.split():
        return f"in {name} only spaces or line breaks changed"
    if new.value:
        return f'{name} became "{_shorten_to_news(old.value, new.value)}"'
    return f"nothing is selected in {name}" if new.role in CHOICES else f"{name} became empty"


def _shorten_to_news(old: str, new: str) -> str:
    new, old = (" ".join(re.sub(r"\s*\n\s*", "↵", text.strip()).split()) for text in (new, old))
    pairs = enumerate(zip(old, new, strict=False))
    same = next((place for place, (one, other) in pairs if one != other), min(len(old), len(new)))
    if len(new) <= NAME or same <= NAME // 2:
        return shorten(new, NAME)
    start = max(0, min(same, len(new) - NAME // 2)) - NAME // 4
    return f"…{shorten(new[start:], NAME)}"


def _state_word(element: Element, state: str) -> str:
    on = state in element.states
    if state == "checked" and element.role == "switch":
        return "on" if on else "off"
    if state == "checked" and element.role == "radio":
        state = "selected"
    return state if on else f"no longer {state}"


def _came_and_went(gone: Sequence[Element], came: Sequence[Element], touched: Set[int]) -> list[str]:
    lines = []
    most = NAMES - 1 if came and gone else NAMES  # leaves room for both
    if came:
        lines.append(_several(_most_telling_first(came), "", "", "appeared", most))
    if gone:
        lines.append(_several(_most_telling_first(gone), "", "", "went away", most))
    # If the target itself went away, something closed and reveals what was behind it; or something opened in
    # front of it, and then hides more than it shows.
    closed = touched & {element.id for element in gone} and len(gone) <= len(came)
    return lines[::-1] if closed else lines


def _most_telling_first(elements: Sequence[Element]) -> list[Element]:
    return sorted(elements, key=lambda e: (not (e.name or e.description), e.is_text))


def _scroll_changes(change: Change) -> list[str]:
    right, down = change.scroll_of("left"), change.scroll_of("above")
    return [f"scrolled {_way(right, down)}"] if right or down else []


def _size_changes(change: Change) -> list[str]:
    longer = change.scroll_of("below") > 0
    return [f"the page is {'longer' if longer else 'shorter'} now"] if change.is_resized else []


def _movements(change: Change, pairs: Sequence[Pair]) -> list[str]:
    ways = change.movements(pairs, MOVED)
    lone = list(chain.from_iterable(elements for elements in ways.values() if len(elements) <= NAMES))
    lines = [_several(_most_telling_first(lone), "", "", "moved")] if lone else []
    return lines + [
        f"{len(elements)} things moved {_way(*by)}" for by, elements in ways.items() if len(elements) > NAMES
    ]


def _way(right: int, down: int) -> str:
    ways = [f"{abs(down)} px {'down' if down > 0 else 'up'}"] if down else []
    return " and ".join([*ways, *([f"{abs(right)} px {'right' if right > 0 else 'left'}"] if right else [])])


def _several(elements: Sequence[Element], one: str, many: str, what: str, most: int = NAMES) -> str:
    """A line about elements that names the first few: `link "A", link "B" and 3 more appeared`."""
    texts = [_name(element, MESSAGE if element.role in _MESSAGES else NAME) for element in elements]
    counted = Counter(texts)
    names = [name if count == 1 else f"{count} times {name}" for name, count in counted.items()]
    shown, rest = names[:most], f"{len(names) - most} more" if len(names) > most else ""
    if not rest and len(shown) > 1:
        shown, rest = shown[:-1], shown[-1]
    told = f"{', '.join(shown)} and {rest}" if rest else shown[0]
    return " ".join(filter(None, (told, one if len(elements) == 1 else many, what)))


def _both_ends(text: str, limit: int) -> str:
    """A shortened text with its end, which is often the only difference between two names."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    tail = text[-limit // 3 :].partition(" ")[2] or text[-limit // 3 :]
    return f"{shorten(text, limit - len(tail))}{tail}"


def _name(element: Element, limit: int = NAME) -> str:
    name = _both_ends(element.name or element.description, limit)
    if not name:
        return f"{'something' if element.role == 'generic' else element.role} [{element.id}]"
    return f'"{name}"' if element.role == "generic" else f'{element.role} "{name}"'
