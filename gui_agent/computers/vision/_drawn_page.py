"""Reads and operates, by its screenshot, what a page draws."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gui_agent.computers.desktop.elements import Elements, Eyes, confirm, eyes, has_eyes
from gui_agent.computers.desktop.fields import Choosing, TextEntry
from gui_agent.computers.desktop.parts import Node, is_in_any
from gui_agent.core.actions import Action, Check, Choose, Click, Press, Scroll, TypeText
from gui_agent.core.errors import Stale
from gui_agent.core.observation import Box, Element, Observation, Point
from gui_agent.elements.roles import OPAQUE

if TYPE_CHECKING:
    from PIL.Image import Image

REMEDY = "pip install 'guiagent[vision]' reads it"
"""What a canvas says of itself as long as nothing can read its picture."""
SMALLEST = 60
"""Pixels of height from which on a canvas may hold something to operate."""
PAGE_IDS = 10_000_000
"""The ids of the page's own elements are lower; those of what its picture shows are higher."""


class DrawnPage:
    """What a page draws, as elements that can be operated; each keeps its number while it is there."""

    def __init__(
        self, observe: Callable[[], Observation], perform: Callable[[Action], None], *, whole: bool
    ) -> None:
        """Nothing is loaded before the first look.

        Args:
            observe: the page with its screenshot.
            perform: acts at a point of the picture or at the focus.
            whole: read the whole page in place of its own elements; otherwise only what it draws on a
                canvas, in addition to them.
        """
        self._observe, self._perform = observe, perform
        self._whole = whole
        self._elements = Elements(last=PAGE_IDS)
        self._hands = hands = _hands_on(perform)
        self._fields = _DrawnFields(hands, hands, self._look, self._node_at)
        self._choosing = Choosing(hands, hands, self._look, self._node_at)

    def _drawn_areas(self, seen: Observation) -> Sequence[Box]:
        """The parts of the page to read; none while a dialog of the browser is open.

        That is drawn beside the page, has elements of its own, and nothing else can be operated.
        """
        if any(one.source == "dialog" for one in seen.elements):
            return ()
        if self._whole:
            return [seen.size.box]
        return [e.box for e in seen.elements if e.role == "canvas" and e.box.height >= SMALLEST]

    def read(self, seen: Observation) -> Observation:
        """The observation with what its picture shows; without eyes, a canvas says what it needs.

        Raises:
            MissingExtra: the extra `vision` is not installed.
        """
        if not self._whole and not has_eyes():
            told = (
                replace(one, description=REMEDY) if one.role == "canvas" else one for one in seen.elements
            )
            return replace(seen, elements=tuple(told))
        areas = self._drawn_areas(seen)
        if not areas:
            return seen
        if seen.screenshot is None:
            seen = self._observe()
        self._areas, self._hands.size = areas, seen.size
        reading = self._source.look((), _picture(seen), 0.0, areas)
        elements, left_out = self._elements.take(reading, (), seen.size)
        if not self._whole:
            covered = [one.box for one in seen.elements if one.role not in OPAQUE]
            drawn = [one for one in elements if not is_in_any(one.box, covered)]
            return replace(seen, elements=(*seen.elements, *drawn))
        return replace(
            seen,
            elements=elements,
            left_out=left_out,
            beyond=(),
            words=frozenset(),
            focus=None,
            focus_unseen=True,
        )

    def perform(self, action: Action, expected: Element) -> None:
        """Act on an element that was read from the picture.

        Raises:
            Stale: the picture shows something else at its place now.
            ActionFailed: as on a desktop.
        """
        at: Point = action.at  # type: ignore[union-attr, assignment]
        if confirm(self._source, self._elements, (), at, expected) is None:
            raise Stale(f"{expected} is gone; look at the screen again")
        match action:
            case TypeText(text, _, over):
                self._fields.type_into(text, at, over)
            case Choose(_, option):
                self._choosing.choose(at, option)
            case Check(_, on):
                self._choosing.check(at, on)
            case _:
                self._perform(action)

    @cached_property
    def _source(self) -> Eyes:
        return eyes(self._grab)

    def _grab(self) -> Image:
        return _picture(self._observe())

    def _look(self) -> Sequence[Node]:
        return self._source.look((), self._grab(), 0.0, self._areas).nodes

    def _node_at(self, point: Point) -> Node | None:
        return self._source.node_at(point, ())


class _DrawnFields(TextEntry):
    def _select(self, node: Node) -> None:
        self._hands.press(("ctrl", "a"))


def _hands_on(perform: Callable[[Action], None]) -> Any:
    """The hands, and the part of a device, that fields need."""
    return SimpleNamespace(
        windows=list,
        click=lambda at: perform(Click(at)),
        press=lambda keys, times=1: perform(Press(keys, times)),
        scroll=lambda at, down, right: perform(Scroll(at, down, right)),
        type_text=lambda text: perform(TypeText(text)),
    )


def _picture(seen: Observation) -> Image:
    from PIL import Image

    assert seen.screenshot is not None
    return Image.open(io.BytesIO(seen.screenshot.data))
