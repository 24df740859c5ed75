"""The secret filter around a computer: secrets go in as references and come out as references."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from operator import attrgetter
from typing import Any, cast

from gui_agent.agent.guard._context import at_point, focused_element
from gui_agent.agent.pictures import paint_over
from gui_agent.core.actions import Action, Choose, Switch, TypeText
from gui_agent.core.aiming import places
from gui_agent.core.errors import ActionFailed, GuiAgentError
from gui_agent.core.observation import EYES, NOWHERE, Box, Element, Observation, Place, window_at
from gui_agent.core.protocols import Closing, Computer, ReadsAll, Settled
from gui_agent.core.redaction import HIDDEN, REFERENCE, Redactor
from gui_agent.core.spellings import PIECE
from gui_agent.elements.roles import FIELDS
from gui_agent.elements.words import letters_alike

PASSWORD = "password"
BULLET = "•"
BULLETS = frozenset("•●∙·*")
"""Characters that stand for hidden ones in a password field."""
_OTHER_PARTS = ("place", "notices", "beyond", "refused", "effects", "console")
"""Other parts of a screen that may contain a secret."""
ALIKE = 0.6
"""Similarity to a secret from which a text read from a picture is taken for it."""


class SecretFilter(Closing):
    """A computer as the rest of a run sees it; implements Computer.

    Planners, models, guards, traces, terminals and memories only get what has passed this filter, so none of
    them handles secrets. If no element shows where a typed secret went, its window is painted over.
    """

    def __init__(self, computer: Computer, secrets: Redactor, values: dict[str, str]) -> None:
        self._computer, self._secrets, self._values = computer, secrets, values
        self._last: Observation | None = None
        self._real: dict[int, tuple[Element, Element]] = {}
        """By id, the elements that the filter changed: as returned, and as they are."""
        self._fields: set[int] = set()
        """Elements into which a secret was typed."""
        self._windows: set[int] = set()
        self._places: set[str] = set()
        """Windows (if there are none: programs or hosts) into which a secret was typed unseen."""

    @property
    def platform(self) -> str:
        return self._computer.platform

    @property
    def means(self) -> str:
        """By what means the computer carried out the last action; empty if it does not say so."""
        return getattr(self._computer, "means", "")

    def observe(self, *, picture: bool = True) -> Observation:
        """Observe the screen with secrets replaced, and painted over in the picture."""
        with self._redacted_errors():
            seen = self._computer.observe(picture=picture)
        self._last = self._redacted_screen(seen)
        return self._last

    def perform(self, action: Action, expected: Element | None = None) -> None:
        """Perform an action, with the values of the secrets that it refers to."""
        known = self._secrets.reveal(action)
        given = self._with_secret(known, expected)
        if self._values:
            self._begin_step(REFERENCE.findall(repr(known)))
        if given is not known:
            self._note_place(action, expected)
        if expected is not None:
            shown, real = self._real.get(expected.id, (expected, expected))
            expected = real if shown == expected else expected
        with self._redacted_errors():
            self._computer.perform(given, expected)

    def hide(self, typed: Collection[str]) -> None:
        """From now on, hide texts that a person typed by hand into password fields."""
        self._secrets.hide(typed)

    def reader(self) -> Callable[[], str] | None:
        """A function that reads all text of the window in front, without secrets; None if the computer
        cannot.
        """
        computer = self._computer
        if not isinstance(computer, ReadsAll):
            return None

        def read() -> str:
            with self._redacted_errors():
                return self._secrets.value(computer.text())

        return read

    def settle(self) -> Settled:
        with self._redacted_errors():
            return self._computer.settle()

    def start(self, where: str) -> None:
        """Bring the task's starting point to the front; an address is opened as the person gave it."""
        if self._values:
            self._begin_step()
        with self._redacted_errors():
            self._computer.start(self._secrets.reveal(where))

    def close(self) -> None:
        self._computer.close()

    @contextmanager
    def _redacted_errors(self) -> Iterator[None]:
        """Redact errors too, because they quote the screen."""
        try:
            yield
        except GuiAgentError as error:
            error.args = self._secrets.value(error.args)
            raise

    def _with_secret(self, action: Action, expected: Element | None) -> Action:
        text = {TypeText: "text", Choose: "option", Switch: "to"}.get(type(action))
        if text is None:
            if self._values and REFERENCE.search(repr(action)):
                raise ActionFailed(
                    f"a secret can only be typed into a field; {action.kind} does not take one"
                )
            return action
        said: str = getattr(action, text)
        wanted = REFERENCE.findall(said)
        unknown = next((name for name in wanted if name not in self._values), None)
        if unknown is not None:
            known = ", ".join(sorted(self._values)) or "none"
            raise ActionFailed(
                f"there is no secret {unknown}; secrets that can be typed: {known}",
                advice=f"set GUIAGENT_SECRET_{unknown}, or give --secret {unknown}=...",
            )
        if not wanted:
            return action
        for name in wanted:
            refusal = getattr(self._values[name], "refusal", lambda place: "")
            if why := next(filter(None, map(refusal, _places_of_text(action, expected, self._last))), ""):
                raise ActionFailed(f"the secret {name} {why}")
        revealed = REFERENCE.sub(lambda match: self._text_for_secret(match.group(1)), said)
        return cast(Action, replace(cast(Any, action), **{text: revealed}))

    def _begin_step(self, types: Collection[str] = ()) -> None:
        for name, value in self._values.items():
            if name not in types and (begin := getattr(value, "begin_step", None)):
                begin()

    def _text_for_secret(self, name: str) -> str:
        make_code = getattr(self._values[name], "make_code", None)
        if make_code is None:
            return self._values[name]
        code: str = make_code()
        self._secrets.hide((code,), name)
        return code

    def _note_place(self, action: Action, expected: Element | None) -> None:
        seen = self._last
        focused = (element for element in (seen.elements if seen else ()) if "focused" in element.states)
        field = expected or next(focused, None)
        takes_text = field is not None and ("editable" in field.states or field.role in FIELDS)
        if field is not None and takes_text and not _read_by_eye(field):
            self._fields.add(field.id)
            return
        windows = seen.windows if seen else {}
        at = places(action).get("at")
        under = window_at(windows, at) if at is not None else None
        self._windows.update(windows if under is None else (under,))
        if not windows:
            self._places.add(seen.place.app if seen else "")

    def _redacted_screen(self, seen: Observation) -> Observation:
        elements: list[Element] = []
        boxes: list[Box] = []
        for element in seen.elements:
            clean = self._element(element)
            if clean is not element:
                self._real[element.id] = (clean, element)
            elements.append(clean)
            changed = clean is not element and clean.texts != element.texts
            if changed or self._is_painted_over(element):
                boxes.append(element.box)
        picture = seen.screenshot
        if not self._windows.isdisjoint(seen.windows) or seen.place.app in self._places:
            unseen = () if seen.windows else (seen.size.box,)
            picture = picture and paint_over(picture, (*boxes, *unseen), seen.windows, self._windows)
        elif boxes and picture is not None:
            picture = paint_over(picture, boxes)
        told: dict[str, Any] = dict(
            zip(_OTHER_PARTS, self._secrets.value(attrgetter(*_OTHER_PARTS)(seen)), strict=True)
        )
        words = frozenset(one for one in seen.words if not self._secrets.hints(one))
        return replace(seen, **told, elements=tuple(elements), words=words, screenshot=picture)

    def _is_painted_over(self, element: Element) -> bool:
        """Whether a field contains a secret, whatever its value looks like."""
        return element.id in self._fields or (PASSWORD in element.states and bool(element.value))

    def _element(self, element: Element) -> Element:
        if element.id in self._fields:
            self._secrets.hide_part(element.value)
        clean = self._secrets.value(element)
        hidden = clean.value
        if PASSWORD in clean.states and not BULLETS.issuperset(hidden):
            hidden = BULLET * len(hidden)
        elif clean.id in self._fields and hidden == element.value and self._secrets.hints(hidden):
            hidden = HIDDEN
        if hidden != clean.value:
            clean = replace(clean, value=hidden)
        if (self._windows or self._places) and _read_by_eye(clean) and self._misread(clean.name):
            clean = replace(clean, name=HIDDEN, value=HIDDEN if clean.value else "")
        return clean

    def _misread(self, text: str) -> bool:
        """Whether a text read from the picture is a secret with some letters misread."""
        read = text.casefold()
        for value in map(str.casefold, filter(None, self._values.values())):
            piece = max(PIECE, len(value) // 2)
            parts = (value[start : start + piece] for start in range(len(value) - piece + 1))
            if letters_alike(read, value) >= ALIKE or any(part in read for part in parts):
                return True
        return False


def _places_of_text(action: Action, expected: Element | None, seen: Observation | None) -> list[Place]:
    if seen is None:
        return [NOWHERE]
    at = places(action).get("at")
    field = expected or (focused_element(seen) if at is None else at_point(at, seen))
    fields = seen.elements if field is None else (field,)
    origins = dict.fromkeys(one.does.frame or seen.place.url for one in fields)
    return [replace(seen.place, url=origin) for origin in origins] or [seen.place]


def _read_by_eye(element: Element) -> bool:
    return not EYES.isdisjoint(element.source.split("+"))
