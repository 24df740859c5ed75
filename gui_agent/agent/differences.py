"""What changed between two screens, in elements and in pixels."""

from __future__ import annotations

import io
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gui_agent.core.errors import Ambiguous, NotFound, Stale
from gui_agent.core.observation import (
    EYES,
    NOWHERE,
    Box,
    Element,
    Mark,
    Observation,
    Point,
    Screenshot,
    Target,
)  # fmt: skip
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Found
from gui_agent.elements.roles import CHOICES, DIALOGS, GRAPHIC, MENU_ITEMS, POPUPS
from gui_agent.scene.fingerprints import fingerprint, rebuilt_element, renamed_element, same_element

if TYPE_CHECKING:
    from PIL.Image import Image

DRAWN = GRAPHIC | {"canvas"}
ASIDE, OVERHANG = 2, 5
"""Pixels that letters may stick out of the box of their line: accents above, tails below, slants beside."""
PAINT = "#6b7280"
"""What covers a secret."""
GREY_STEP = 24
"""Difference in brightness, of 255, from which a pixel counts as another one."""
FAR_SHARE = 0.0003
"""Share of the picture that may differ away from where something was done: rounding, a shadow."""
SQUARES_AROUND = 12
"""Pixels around a point within which it has to look the same to be the same place."""
NEAR_PIXELS = 12
"""Pixels that may differ where something was done."""
CARET = (3, 48)
"""Width and height up to which a lone bar is a text cursor that blinks."""
TILE = 16
"""Side of the squares in which a picture that keeps changing is covered."""
REACH = 4
"""Squares about one that keeps changing which it may reach: what turns or slides is soon beside itself."""


def pictures_differ(
    before: Screenshot,
    after: Screenshot,
    near: Sequence[Box] = (),
    again: Screenshot | None = None,
    restless: Sequence[Box] = (),
) -> bool:
    """Whether two pictures show something different; a blinking text cursor does not count.

    Args:
        near: where something was done: less has to differ there.
        again: a picture taken later, with nothing done since; what differs between it and `after` changes
            by itself and does not count.
        restless: where things were seen to move by themselves.
    """
    if before.data == after.data:
        return False
    if before.size != after.size:
        return True
    changed = _difference_mask(before, after)
    enough = FAR_SHARE * changed.width * changed.height
    if again is not None and again.size == after.size:
        restless_now = _difference_mask(after, again)
        # Where an animation will be next is not known; it changes about as much in one look as in another.
        enough = max(enough, _count(restless_now))
        _cover_restless(changed, restless_now)
    for box in restless:
        changed.paste(0, box.edges)
    edges = [box.edges for box in near]
    return _is_more_than_caret(changed, enough) or any(
        _is_more_than_caret(changed.crop(edge), NEAR_PIXELS) for edge in edges
    )


def same_there(one: Observation, other: Observation, at: Point) -> bool:
    """Whether two screens look the same around a point; not where one of them has no picture."""
    before, after = one.screenshot, other.screenshot
    if before is None or after is None or before.size != after.size:
        return False
    around = (at.x - SQUARES_AROUND, at.y - SQUARES_AROUND, at.x + SQUARES_AROUND, at.y + SQUARES_AROUND)
    return before.data == after.data or not _is_more_than_caret(
        _difference_mask(before, after).crop(around), 0
    )


def target_now(
    target: Target,
    decided: Observation,
    now: Observation,
    locate: Callable[[Target, Observation], Element | None],
) -> Target:
    """The target, by its mark if the batch renamed it, on a screen later than that it was decided on.

    Raises:
        NotFound: it is out of sight.
        Stale: what is there is no longer what was meant.
    """
    then: Element | None
    if isinstance(target, Mark):
        then, same = decided.by_id(target.mark), now.by_id(target.mark)
        gone = then if then and not (same and normal(same.name) == normal(then.name)) else None
        if gone and (again := rebuilt_element(gone, decided, now) or renamed_element(gone, now)):
            return Mark(again.id)
    elif isinstance(target, Point):
        then, same = _thing_at(target, decided), _thing_at(target, now)
        told = then and same and then.source == same.source and then.role not in DRAWN
        alone = decided.windows == now.windows if now.windows else decided.place == now.place
        # What is drawn, or was read in another way by now, is told by how it looks.
        if (not (then or same) and alone) or (not told and same_there(decided, now, target)):
            return target
    else:
        # Words that named nothing on the decided screen may name something that appeared since.
        try:
            then = locate(target, decided)
        except (NotFound, Ambiguous):
            return target
        if then is None:
            return target
        wanted = normal(target.text)
        if normal(then.name) != wanted and any(normal(one.name) == wanted for one in now.elements):
            return target  # called just so by now, it was only like that before
        if fuller := renamed_element(then, now):
            return Mark(fuller.id)
        same = locate(target, now) or then
    if then and same and same_element(same, fingerprint(then, decided), now):
        return target
    hidden = [one for one in now.beyond if then and (one.role, one.name) == (then.role, then.name)]
    if hidden and same is None:
        raise NotFound(f"{then} is not in sight", hidden)
    was, is_now = then or "nothing that is listed", same or "covered or gone"
    raise Stale(f"{target} was {was} when this was planned and is {is_now} by now; look again")


def _thing_at(point: Point, screen: Observation) -> Element | None:
    """What is at a point; a text that eyes alone read amid what a program tells is a part of a drawing."""
    there = screen.smallest_at(point)
    is_read = there and there.is_text and EYES.issuperset(there.source.split("+"))
    return None if is_read and any(EYES.isdisjoint(e.source.split("+")) for e in screen.elements) else there


def _is_more_than_caret(changed: Image, enough: float) -> bool:
    around = changed.getbbox()
    if around is None:
        return False
    caret = around[2] - around[0] <= CARET[0] and around[3] - around[1] <= CARET[1]
    return not caret and _count(changed) > enough


def _difference_mask(one: Screenshot, other: Screenshot) -> Image:
    from PIL import Image, ImageChops

    grey = [Image.open(io.BytesIO(shot.data)).convert("RGB") for shot in (one, other)]
    # The brightest band of the difference: red and green of the same brightness are not the same.
    bands = ImageChops.difference(*grey).split()
    most = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    return most.point([255 * (level >= GREY_STEP) for level in range(256)])


def _cover_restless(changed: Image, restless: Image) -> None:
    from PIL import Image, ImageFilter

    wide = -(-restless.width // TILE), -(-restless.height // TILE)
    whole = Image.new("L", (wide[0] * TILE, wide[1] * TILE))
    whole.paste(restless)
    tiles = whole.reduce(TILE).point([255 * (level > 0) for level in range(256)])
    spread = tiles.filter(ImageFilter.MaxFilter(2 * REACH + 1)).resize(whole.size, Image.Resampling.NEAREST)
    changed.paste(0, mask=spread.crop((0, 0, *changed.size)))


def _count(changed: Image) -> int:
    return changed.histogram()[255]


def paint_over(
    picture: Screenshot,
    boxes: Iterable[Box],
    windows: Mapping[int, Box] | None = None,
    hidden: Collection[int] = (),
) -> Screenshot | None:
    """The picture with these regions painted over, in its own format.

    Args:
        windows: outlines of the windows by id, lowest first.
        hidden: ids of windows that are painted over as far as no other lies upon them.

    Returns:
        None when the picture is damaged: what cannot be painted over is not shown.
    """
    from PIL import Image, ImageDraw

    try:
        seen = Image.open(io.BytesIO(picture.data)).convert("RGB")
    except (OSError, SyntaxError, ValueError):
        return None
    shown = seen.copy()
    pen = ImageDraw.Draw(shown)
    screen = Box(0, 0, seen.width, seen.height)
    for number, box in (windows or {}).items():
        part = box.intersect(screen)
        if part is None or not hidden:
            continue
        corners = part.edges
        if number in hidden:
            pen.rectangle((*corners[:2], corners[2] - 1, corners[3] - 1), fill=PAINT)
        else:
            shown.paste(seen.crop(corners), corners[:2])
    for box in boxes:
        if box.area:
            edges = (box.left - ASIDE, box.top - OVERHANG, box.right - 1 + ASIDE, box.bottom - 1 + OVERHANG)
            pen.rectangle(edges, fill=PAINT)
    sink = io.BytesIO()
    if picture.media_type == "image/png":
        shown.save(sink, "PNG", compress_level=1)
    else:
        shown.save(sink, picture.media_type.removeprefix("image/").upper(), quality=85)
    return replace(picture, data=sink.getvalue())


WORTH_TELLING = ("checked", "mixed", "selected", "pressed", "expanded", "disabled", "invalid")
"""States whose change a person would notice and mention."""
PASSING = frozenset(("focused", "new", "expanded", "collapsed"))
"""States that change with what pops up."""
NAMES = 3
"""Elements that a line names; the others are counted."""
NAME, MESSAGE = 40, 120
"""Characters of a name, and of one that is a message of its own."""
MOVED = 4
"""Pixels from which an element counts as moved."""
AROUND = 64
"""Pixels about the point acted upon in which a small change of the picture counts."""

_MESSAGES = {"alertdialog": 0, "dialog": 0, "alert": 0, "status": 1}
_OPENED = DIALOGS | POPUPS


@dataclass(frozen=True, slots=True)
class Difference:
    """The change from one observation to the next."""

    lines: tuple[str, ...] = ()
    """Most telling first."""
    moved_on: bool = False
    pixels: bool = False
    """The picture changed although no element did."""
    doubtful: bool = False
    """All there is may go on by itself: an animation, a carousel."""

    focused: bool = False
    """The lines say no more than where the keyboard went."""

    @property
    def any(self) -> bool:
        return bool(self.lines) or self.pixels

    @property
    def is_told(self) -> bool:
        """Whether anything but the keyboard is elsewhere, or otherwise, on the list."""
        return bool(self.lines) and not self.focused

    def summary(self, limit: int = 4) -> str:
        if not self.lines:
            return "only the picture changed" if self.pixels else "nothing visible changed"
        more = f" (and {len(self.lines) - limit} more)" if len(self.lines) > limit else ""
        return "; ".join(self.lines[:limit]) + more


def difference(
    before: Observation, after: Observation, found: Iterable[Found] = (), again: Observation | None = None
) -> Difference:
    """Compare two observations: place, values, states, what came, went and moved, and the picture last.

    Args:
        found: where something was done in between.
        again: a later look, with nothing done since; what goes on moving or changing the picture by itself
            does not count.
    """
    spots = list(found)
    moved_on = before.place.url != after.place.url or before.place.app != after.place.app
    lines = [*_place(before, after, moved_on)]
    # What scrolling brought into sight and out of it follows from it.
    scrolled = _scroll_changes(before, after)
    lines += scrolled
    lines += [f"notice: {notice}" for notice in after.notices if notice not in before.notices]
    pairs, gone, came = _pair_elements(before, after)
    touched = {spot.element.id for spot in spots if spot.element}
    lines += _take_popups(gone, came)
    lines += _take_menu_entries(came)
    # What was acted upon is what a reader asks about first.
    lines += _own_changes(sorted(pairs, key=lambda pair: pair[0].id not in touched))
    # On another page all is another; what is there counts.
    lines += _came_and_went([] if moved_on and came else gone, came, touched)
    lines += _size_changes(before, after) if not scrolled else []
    later = _pair_elements(after, again)[0] if again else []
    restless = {new.id for old, new in later if old.box != new.box}
    steady = [pair for pair in pairs if pair[1].id not in restless]
    by_hand = _movements([pair for pair in steady if pair[0].id in touched]) if not scrolled else []
    moved = _movements(steady) if not lines else by_hand
    doubtful = bool(moved) and not lines and not by_hand
    lines += moved
    focused = not lines
    entered = (new for old, new in pairs if "focused" in new.states - old.states)
    lines += [f"{_name(new)} has the focus" for new in entered]
    pixels = not lines and _pictures_differ(before, after, spots, again, restless)
    return Difference(tuple(dict.fromkeys(lines)), moved_on, pixels, doubtful or pixels, focused)


def is_only_popup_gone(before: Observation, after: Observation, dialog: Element) -> bool:
    """Whether all that happened to a dialog is that a list in a window of its own closed over it."""
    gone = [box for number, box in before.windows.items() if number not in after.windows]
    if not gone or len(after.windows) + len(gone) != len(before.windows) or after.by_id(dialog.id) is None:
        return False
    pairs, went, came = _pair_elements(before, after)
    other = [one for one in (*went, *came) if dialog.box.contains(one.box.center)]
    return all(any(box.intersect(one.box) for box in gone) for one in other) and all(
        (old.name, old.value, old.states - PASSING) == (new.name, new.value, new.states - PASSING)
        for old, new in pairs
        if dialog.box.contains(old.box.center)
    )


def _pictures_differ(
    before: Observation,
    after: Observation,
    spots: Sequence[Found],
    again: Observation | None,
    restless: Set[int],
) -> bool:
    if before.screenshot is None or after.screenshot is None:
        return False
    near = [_around(Box(spot.point.x, spot.point.y, 1, 1)) for spot in spots]
    near += [_around(spot.element.box) for spot in spots if spot.element]
    if not spots:
        near = [_around(element.box) for element in before.elements if "focused" in element.states]
    later = again.screenshot if again else None
    moving = [_around(e.box) for look in (before, after) for e in look.elements if e.id in restless]
    return pictures_differ(before.screenshot, after.screenshot, near, later, moving)


def _around(box: Box) -> Box:
    return Box(box.left - AROUND, box.top - AROUND, box.width + 2 * AROUND, box.height + 2 * AROUND)


def _place(before: Observation, after: Observation, moved_on: bool) -> Iterator[str]:
    if moved_on and after.place == NOWHERE:
        yield "no window is open any more"
    elif moved_on:
        yield f"now at {shorten(after.place.title or after.place.url or after.place.app, 60)}"
    elif before.place.title != after.place.title:
        yield f'the title became "{shorten(after.place.title, 60)}"'


def _pair_elements(
    before: Observation, after: Observation
) -> tuple[list[tuple[Element, Element]], list[Element], list[Element]]:
    """The elements seen on both screens, those built anew with the same content included; what went; what
    came."""
    old = {element.id: element for element in before.elements}
    pairs = [(old[element.id], element) for element in after.elements if element.id in old]
    kept = {new.id for _, new in pairs}
    alike: dict[tuple[str, str, str], list[Element]] = defaultdict(list)
    for element in before.elements:
        if element.id not in kept:
            alike[_content(element)].append(element)
    came = []
    for element in after.elements:
        if element.id in kept:
            continue
        # Rebuilt lists keep their order, so the first of several alike is the first again.
        same = alike[_content(element)]
        if same:
            pairs.append((same.pop(0), element))
        else:
            came.append(element)
    left = {element.id for rest in alike.values() for element in rest}
    gone = [element for element in before.elements if element.id in left]
    for element in [one for one in came if one.name and not one.is_text]:
        # A page that was built anew: the field of that name, which holds something else now.
        key = element.role, element.name
        went, new = ([e for e in elements if (e.role, e.name) == key] for elements in (gone, came))
        if len(went) == len(new) == 1:
            pairs.append((went[0], element))
            gone.remove(went[0])
            came.remove(element)
    return pairs, gone, came


def _content(element: Element) -> tuple[str, str, str]:
    return element.role, element.name, element.value


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
        # A name that was not there before was half out of sight, not another one.
        if old.name != new.name and new.name and old.name:
            named.append(f'"{shorten(old.name, NAME)}" became "{_shorten_to_news(old.name, new.name)}"')
        turned = [state for state in WORTH_TELLING if (state in old.states) != (state in new.states)]
        for state in turned:
            # Toggles of some toolkits are both at once, which is one thing to a reader.
            if state != "pressed" or "checked" not in turned:
                states[_state_word(new, state)].append(new)
    # What is so now says more than what is so no longer.
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


def _came_and_went(gone: Sequence[Element], came: Sequence[Element], touched: set[int]) -> list[str]:
    lines = []
    most = NAMES - 1 if came and gone else NAMES  # which leaves room for both
    if came:
        lines.append(_several(_most_telling_first(came), "", "", "appeared", most))
    if gone:
        lines.append(_several(_most_telling_first(gone), "", "", "went away", most))
    # Where what was acted upon went away itself, something closed and shows what was behind it; or something
    # opened in front of it, which then is less than what it hides.
    closed = touched & {element.id for element in gone} and len(gone) <= len(came)
    return lines[::-1] if closed else lines


def _most_telling_first(elements: Sequence[Element]) -> list[Element]:
    return sorted(elements, key=lambda e: (not (e.name or e.description), e.is_text))


def _scroll_changes(before: Observation, after: Observation) -> list[str]:
    ways = []
    if not before.more:
        return []
    for start, ends in (("above", ("up", "down")), ("left", ("left", "right"))):
        by = after.more.get(start, 0) - before.more.get(start, 0)
        if by:
            ways.append(f"{abs(by)} px {ends[by > 0]}")
    return [f"scrolled {' and '.join(ways)}"] if ways else []


def _size_changes(before: Observation, after: Observation) -> list[str]:
    if not before.more or dict(before.more) == dict(after.more):
        return []
    longer = after.more.get("below", 0) > before.more.get("below", 0)
    return [f"the page is {'longer' if longer else 'shorter'} now"]


def _movements(pairs: Sequence[tuple[Element, Element]]) -> list[str]:
    ways: dict[tuple[int, int], list[Element]] = defaultdict(list)
    for old, new in pairs:
        by = new.box.left - old.box.left, new.box.top - old.box.top
        whole = (old.box.width, old.box.height) == (new.box.width, new.box.height)
        # The edge of a piece that is half out of sight moves when the rest does.
        if whole and max(map(abs, by)) >= MOVED:
            ways[by].append(new)
    lone = [element for elements in ways.values() if len(elements) <= NAMES for element in elements]
    lines = [_several(_most_telling_first(lone), "", "", "moved")] if lone else []
    return lines + [
        f"{len(elements)} things moved {_way(*by)}" for by, elements in ways.items() if len(elements) > NAMES
    ]


def _way(right: int, down: int) -> str:
    ways = [f"{abs(down)} px {'down' if down > 0 else 'up'}"] if down else []
    return " and ".join([*ways, *([f"{abs(right)} px {'right' if right > 0 else 'left'}"] if right else [])])


def _several(elements: Sequence[Element], one: str, many: str, what: str, most: int = NAMES) -> str:
    """A line about elements of which the first few are named: `link "A", link "B" and 3 more appeared`."""
    texts = [_name(element, MESSAGE if element.role in _MESSAGES else NAME) for element in elements]
    counted = Counter(texts)
    names = [name if count == 1 else f"{count} times {name}" for name, count in counted.items()]
    if len(names) == most + 1:
        shown, rest = names[:-1], names[-1]
    else:
        shown, rest = names[:most], f"{len(names) - most} more" if len(names) > most else ""
    if not rest and len(shown) > 1:
        shown, rest = shown[:-1], shown[-1]
    told = f"{', '.join(shown)} and {rest}" if rest else shown[0]
    return " ".join(filter(None, (told, one if len(elements) == 1 else many, what)))


def _both_ends(text: str, limit: int) -> str:
    """A text in short with its end, which is often all that tells two names apart."""
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
