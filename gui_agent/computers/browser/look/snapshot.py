"""The element list of a page: one look at everything in view, including frames and open shadow roots."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from gui_agent.computers.browser.act._control import Moment
from gui_agent.computers.browser.cdp.isolated_world import FrameGone, IsolatedWorld, effects_of
from gui_agent.computers.browser.cdp.sender import Limited, Silent
from gui_agent.computers.browser.look.frames import Frames
from gui_agent.core.errors import ComputerLost
from gui_agent.core.observation import Box, Element, Point, Size

if TYPE_CHECKING:
    from playwright.async_api import Page

_LOG = logging.getLogger(__name__)
DOCUMENTS = 200
"""Maximum remembered documents; a frame is a document too."""
TOLD = ("tag", "type", "role", "name", "editable", "ratio", "blank")
"""Properties of the top element at a point that are copied unchanged."""
SIDES = ("above", "below", "left", "right")


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of one look at a page."""

    elements: tuple[Element, ...]
    """In reading order; boxes in screenshot pixels."""
    url: str
    title: str
    viewport: Size
    """CSS pixels."""
    ratio: float
    """Screenshot pixels per CSS pixel: device pixel ratio, including the browser's zoom."""
    more: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Screenshot pixels left to scroll: above, below, left, right."""
    left_out: int = 0
    moment: Moment | None = None
    """The point in the lifetime of the page's own document."""
    focus_unseen: bool = False
    """Whether the focused element is not among the elements."""
    focus: Element | None = None
    """The focused element, if it is not among the elements."""
    beyond: tuple[Element, ...] = ()
    """Named controls out of view."""
    words: frozenset[str] = frozenset()
    """The words of the whole page, if it scrolls and all are known."""

    @property
    def pixels(self) -> Size:
        return Size(round(self.viewport.width * self.ratio), round(self.viewport.height * self.ratio))


@dataclass(frozen=True, slots=True)
class TopElement:
    """The top element at a point of the page."""

    id: int | None
    """The listed element there, or the nearest one around it, or the field of the label there."""
    description: str
    """For people: `div#consent-banner "We use cookies"`."""
    ids: tuple[int, ...] = ()
    """All listed elements at the point, innermost first; a text precedes its container."""
    tag: str = ""
    type: str = ""
    """`type` of an input or button: file, checkbox, submit ..."""
    role: str = ""
    name: str = ""
    """Its complete accessible name."""
    changed: frozenset[int] = frozenset()
    """The listed controls there that have changed since the last look."""
    editable: bool = False
    ratio: float = 1.0
    """Screenshot pixels per CSS pixel of the page."""
    blank: bool = False
    """Whether nothing of it is visible there and it is not a control."""


class Snapshot:
    """Takes the element list of pages; never reuses an id."""

    def __init__(
        self, cap: int = 400, world: Callable[[Page], Awaitable[IsolatedWorld]] | None = None
    ) -> None:
        self.cap = cap
        self._world = world or _own_world
        self._pages: WeakKeyDictionary[Page, _Known] = WeakKeyDictionary()
        self._ids: dict[str, dict[int, int]] = {}
        """By document, the script's numbers and our ids; the most recent document is last."""
        self._parts: dict[tuple[str, int], _Json] = {}
        """By document and number of a cross-origin `iframe`, its content at the last look."""
        self._last_id = 0

    async def take(self, page: Page) -> Seen:
        """Look at the page.

        One message to the browser for the main frame and all frames of its origin; frames of other
        origins are asked at the same time and merged. A page with an open dialog does not answer.
        """
        known = await self._known_page(page)
        look = await self._look_at_frame(known.world, known.frames, None)
        if look is None:
            raise ComputerLost("the tab was closed; open it again")
        known.latest = look
        return self._sight(look, known)

    def read(self, page: Page, answer: Mapping[str, Any]) -> Seen:
        """A look that the script took by itself at an urgent moment, in one of the page's frames.

        The rest of the page, which that frame cannot see, is as it was at the last look.

        Args:
            answer: the result of the script's `look`; it is consumed.
        """
        known = self._pages[page]
        look = dict(answer)
        inside = look["document"] in {part["document"] for part in self._parts.values()}
        look["rows"] = self._all_rows(look, self._known_parts(look))
        if inside and known.latest is not None:
            ours = set(self._numbers(look["document"]).values())
            outer = known.latest["rows"]
            first = next((place for place, row in enumerate(outer) if row[0] in ours), len(outer))
            rest = [row for row in outer[first:] if row[0] not in ours]
            look = {**known.latest, "rows": [*outer[:first], *look["rows"], *rest]}
        return self._sight(look, None)

    def ids(self, document: str, numbers: Sequence[int]) -> tuple[int, ...]:
        known = self._numbers(document)
        return tuple(known[number] for number in numbers if number in known)

    def number(self, document: str, id: int) -> int | None:
        """The script's number for an element of a document, by its id."""
        return next((number for number, known in self._numbers(document).items() if known == id), None)

    async def worlds(self, page: Page) -> tuple[IsolatedWorld, ...]:
        """The worlds of the page's own document and of its cross-origin frames, as far as looked at."""
        known = await self._known_page(page)
        return (known.world, *known.frames.worlds)

    def _sight(self, look: _Json, known: _Known | None) -> Seen:
        rows = _first_rows(look["rows"], self.cap)
        fresh = known.fresh(look["document"], {row[0] for row in rows}) if known else set()
        return Seen(
            elements=tuple(_element(row, new=row[0] in fresh) for row in rows),
            url=look["url"],
            title=look["title"],
            viewport=Size(look["width"], look["height"]),
            ratio=look["ratio"],
            more=dict(zip(SIDES, look["more"], strict=True)),
            left_out=look["left"] + len(look["rows"]) - len(rows),
            moment=Moment(look["document"], look["clicks"]),
            focus_unseen=look["unseen"],
            focus=_element(look["focus"], new=False) if look["focus"] else None,
            words=frozenset(look.get("words", "").split()),
            beyond=tuple(
                Element(0, role, name, Box(*box), path=path)
                for role, name, box, path in look.get("beyond", ())
            ),
        )

    def forget(self) -> None:
        """Forget the elements seen: the next look numbers them from 1, and none counts as new."""
        self._ids.clear()
        self._last_id = 0
        for known in self._pages.values():
            known.forget()

    async def top_element(self, page: Page, point: Point) -> TopElement | None:
        """The top element at a point in screenshot pixels; None if there is none, as outside the page."""
        # Exactly the clicked spot: half a pixel away may be another line of a wrapped text.
        found = await self._innermost(page, f"at({point.x}, {point.y}, %s)")
        if found is None:
            return None
        ids = self.ids(found["document"], found["ids"])
        changed = frozenset(self.ids(found["document"], found["changed"]))
        named = dict(zip(TOLD, itemgetter(*TOLD)(found), strict=True))
        return TopElement(ids[0] if ids else None, found["words"], ids, changed=changed, **named)

    async def focused_element(self, page: Page) -> tuple[int | None, str]:
        """The listed element with the focus now, and a description of it.

        None if it has changed since the last look, or was not known then.
        """
        found = await self._keyboard(page)
        ids = self.ids(found["document"], [found["number"]])
        return (ids[0] if ids and not found["changed"] else None), found["words"]

    async def typed_into(self, page: Page) -> tuple[bool, str]:
        """Whether the focused element accepts text, and a description of it."""
        found = await self._keyboard(page)
        return bool(found.get("editable")), found["words"]

    async def _keyboard(self, page: Page) -> _Json:
        return await self._innermost(page, "focusNow()") or {}

    async def _innermost(self, page: Page, question: str) -> _Json | None:
        """The innermost frame's answer: each frame names the inner one, and its view, which replaces `%s`."""
        known = await self._known_page(page)
        inner: IsolatedWorld | None = known.world
        found: _Json | None = {}
        while inner is not None and found is not None:
            world = inner
            found = await world.call(question.replace("%s", json.dumps(found.get("view"))))
            owner = found["frame"] if found is not None else 0
            inner = await known.frames.world(world, owner) if owner else None
        return found

    async def _known_page(self, page: Page) -> _Known:
        known = self._pages.get(page)
        if known is None:
            known = _Known(await self._world(page), Frames(page))
            self._pages[page] = known
        return known

    async def _look_at_frame(self, world: IsolatedWorld, frames: Frames, view: _Json | None) -> _Json | None:
        try:
            answer: _Json = await world.call(f"take({self.cap}, {json.dumps(view)})")
        except FrameGone:
            frames.forget(world)
            return None
        except Silent:
            if not world.frame_id:
                raise
            frames.leave_out(world)
            return None
        if answer["fault"]:
            _LOG.warning("a part of %s could not be looked at: %s", answer["url"], answer["fault"])
        parts = await asyncio.gather(*(self._look_into(world, frames, one) for one in answer["apart"]))
        inner = {
            one["id"]: part for one, part in zip(answer["apart"], parts, strict=True) if part is not None
        }
        self._remember(answer["document"], inner)
        for part in inner.values():
            origin = "/".join(part["url"].split("/")[:3])
            for one in (*part["rows"], *([part["focus"]] if part["focus"] else [])):
                one[-2].setdefault("frame", origin)
        answer["rows"] = self._all_rows(answer, inner)
        answer["left"] += sum(part["left"] for part in inner.values())
        return answer

    def _all_rows(self, answer: _Json, inner: Mapping[int, _Json]) -> list[_Row]:
        rows: list[_Row] = []
        numbers = self._numbers(answer["document"])

        def ours(row: _Row) -> _Row:
            if row[0] not in numbers:
                self._last_id += 1
                numbers[row[0]] = self._last_id
            return [numbers[row[0]], *row[1:]]

        for row in answer["rows"]:
            if row[0] in inner:
                rows += inner[row[0]]["rows"]
            else:
                rows.append(ours(row))
        focus = answer["focus"]
        if isinstance(focus, int):  # it is in a frame of another origin, which reports it unless it is listed
            answer["focus"] = inner[focus]["focus"] if focus in inner else None
        elif focus:
            answer["focus"] = ours(focus)
        return rows

    def _remember(self, document: str, inner: Mapping[int, _Json]) -> None:
        for number, part in inner.items():
            self._parts.pop((document, number), None)
            self._parts[document, number] = part
            if len(self._parts) > DOCUMENTS:
                del self._parts[next(iter(self._parts))]

    def _known_parts(self, answer: _Json) -> dict[int, _Json]:
        keys = {one["id"]: (answer["document"], one["id"]) for one in answer["apart"]}
        return {number: self._parts[key] for number, key in keys.items() if key in self._parts}

    def _numbers(self, document: str) -> dict[int, int]:
        """Ids by the script's numbers in one document; documents not looked at for long are forgotten."""
        numbers = self._ids.pop(document, {})
        self._ids[document] = numbers
        if len(self._ids) > DOCUMENTS:
            del self._ids[next(iter(self._ids))]
        return numbers

    async def _look_into(self, parent: IsolatedWorld, frames: Frames, one: _Json) -> _Json | None:
        for _ in range(2):  # the cached world may belong to a frame that has gone
            world = await frames.world(parent, one["id"])
            look = None if world is None else await self._look_at_frame(world, frames, one["view"])
            if world is None or look is not None:
                return look
        return None


_Json = dict[str, Any]
_Row = list[Any]
"""id, role, name, left, top, width, height, path, value, states, description, attributes, labels, effects,
score."""


class _Known:
    def __init__(self, world: IsolatedWorld, frames: Frames) -> None:
        self.world = world
        self.frames = frames
        self.latest: _Json | None = None
        self._document = ""
        self._shown: set[int] = set()

    def forget(self) -> None:
        self.latest = None
        self._document, self._shown = "", set()

    def fresh(self, document: str, shown: set[int]) -> set[int]:
        fresh = shown - self._shown if document == self._document else set()
        self._document, self._shown = document, shown
        return fresh


async def _own_world(page: Page) -> IsolatedWorld:
    return IsolatedWorld(Limited(await page.context.new_cdp_session(page)))


def _first_rows(rows: list[_Row], cap: int) -> list[_Row]:
    if len(rows) <= cap:
        return rows
    best = sorted(range(len(rows)), key=lambda place: (-rows[place][-1], place))[:cap]
    return [rows[place] for place in sorted(best)]


def _element(row: _Row, *, new: bool) -> Element:
    number, role, name, left, top, width, height, path, value, known, hint, attributes, labels, does, _ = row
    box, states = Box(left, top, width, height), frozenset((*known, "new") if new else known)
    told = effects_of(does)
    return Element(number, role, name, box, value, states, "dom", hint, path, attributes, tuple(labels), told)
