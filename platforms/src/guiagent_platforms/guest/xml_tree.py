"""The accessibility tree of all programs as XML, in the format of OSWorld's guest server."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from gui_agent.computers.atspi.bounds import boxes
from gui_agent.computers.atspi.bus import (
    Bus,
    CallFailed,
    Reference,
    answer_to,
    answers_of,
    ask,
    ask_each,
    attribute,
    method,
    reference,
)
from gui_agent.computers.atspi.program import running
from gui_agent.computers.atspi.tables import references, visible
from gui_agent.computers.atspi.vocabulary import AccessibleItem, Role, State, has, short, states_of
from gui_agent.computers.event_loop import LoopThread

SPACES = {
    name: f"https://accessibility.ubuntu.example.org/ns/{path}"
    for name, path in (
        ("st", "state"),
        ("attr", "attributes"),
        ("cp", "component"),
        ("doc", "document"),
        ("docattr", "document/attributes"),
        ("txt", "text"),
        ("val", "value"),
        ("act", "action"),
    )
}
DEPTH, WIDTH, MANY = 50, 1024, 20_000
"""Maximum depth, children of one object, and objects of one program."""
PATIENCE = 20.0
"""Timeout (s) for one program."""
LONGEST = 100_000
"""Maximum letters of one text."""
_STATES = (
    "invalid active armed busy checked collapsed defunct editable enabled expandable expanded focusable "
    "focused has_tooltip horizontal iconified modal multi_line multiselectable opaque pressed resizable "
    "selectable selected sensitive showing single_line stale transient vertical visible "
    "manages_descendants indeterminate required truncated animated invalid_entry supports_autocompletion "
    "selectable_text is_default visited checkable has_popup read_only"
)
STATES = tuple(_STATES.split())
NUMBERS = {"CurrentValue": "value", "MinimumValue": "min", "MaximumValue": "max", "MinimumIncrement": "step"}
"""Names of states in the order of their bits."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffb\U00010000-\U0010ffff]")
_NOT_NAME = re.compile(r"[^\w.-]")
for _prefix, _address in SPACES.items():
    ElementTree.register_namespace(_prefix, _address)


class XmlTree:
    """Reads the whole bus of one session; `renamed` maps program names."""

    def __init__(self, session: str, renamed: Mapping[str, str] | None = None) -> None:
        self._session, self._renamed = session, dict(renamed or {})
        self._thread = LoopThread("gui_agent.xml_tree", "the accessibility bus")
        self._bus: Bus | None = None

    def read(self) -> ElementTree.Element:
        return self._thread.call(self._read(), 3 * PATIENCE)

    def close(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None and self._thread.running:
            self._thread.call(_close(bus), 1.0)
        self._thread.stop()

    async def _read(self) -> ElementTree.Element:
        if self._bus is None or not self._bus.alive:
            self._bus = await Bus.connect(self._session)
        desktop = ElementTree.Element("desktop-frame")
        programs = await asyncio.gather(*(self._program(self._bus, at) for at in await running(self._bus)))
        desktop.extend(program for program in programs if program is not None)
        return desktop

    async def _program(self, bus: Bus, at: Reference) -> ElementTree.Element | None:
        made: list[ElementTree.Element] = []
        with contextlib.suppress(TimeoutError, CallFailed):  # the part read so far is returned
            await asyncio.wait_for(self._levels(bus, at, made), PATIENCE)
        return made[0] if made else None

    async def _levels(self, bus: Bus, root: Reference, made: list[ElementTree.Element]) -> None:
        level: list[tuple[Reference, ElementTree.Element | None]] = [(root, None)]
        seen = {root}
        for _ in range(DEPTH):
            items = await _describe_objects(bus, [at for at, _ in level])
            told = [(item, above) for item, (_, above) in zip(items, level, strict=True) if item is not None]
            elements = await self._elements(bus, [item for item, _ in told])
            for element, (_, above) in zip(elements, told, strict=True):
                if above is None:
                    made.append(element)
                else:
                    above.append(element)
            level = []
            below = await asyncio.gather(*(_children(bus, item) for item, _ in told))
            for element, children in zip(elements, below, strict=True):
                for child in children[:WIDTH]:
                    if child not in seen and len(seen) < MANY:
                        seen.add(child)
                        level.append((child, element))
            if not level:
                return

    async def _elements(self, bus: Bus, items: Sequence[AccessibleItem]) -> list[ElementTree.Element]:
        def those_with(interface: str) -> list[Reference]:
            return [item.at for item in items if item.offers(interface)]

        every = [item.at for item in items]
        roles = await answers_of(bus, every, method("Accessible", "GetRoleName"))
        more = await answers_of(bus, every, method("Accessible", "GetAttributes"))
        places = await boxes(bus, [one for one in items if one.has(State.VISIBLE) and one.has(State.SHOWING)])
        texts = await answers_of(bus, those_with("Text"), method("Text", "GetText", "ii", 0, LONGEST))
        actions = await answers_of(bus, those_with("Action"), method("Action", "GetActions"))
        numbers = [attribute("Value", member) for member in NUMBERS]
        values = await ask_each(bus, those_with("Value"), *numbers)
        elements = []
        for item in items:
            box = places.get(item.at)
            told = {"name": item.name, **_prefixed_attributes("st", _states(item.states))}
            told |= _prefixed_attributes("attr", more.get(item.at))
            if item.role == Role.APPLICATION:
                told["name"] = self._renamed.get(item.name, item.name)
            if box is not None:
                told |= _prefixed_attributes(
                    "cp", {"screencoord": box.corner, "size": (box.width, box.height)}
                )
            told |= {word: "true" for word in ("image", "selection") if item.offers(word.title())}
            told |= _prefixed_attributes(
                "val", dict(zip(NUMBERS.values(), values.get(item.at, ()), strict=False))
            )
            for action, description, keys in actions.get(item.at, ()):
                name = action.replace(" ", "-")
                told |= _prefixed_attributes("act", {f"{name}_desc": description, f"{name}_kb": keys})
            elements.append(_element(str(roles.get(item.at, "")), told, str(texts.get(item.at, ""))))
        return elements


def _prefixed_attributes(space: str, told: Mapping[str, Any] | None) -> dict[str, str]:
    """The attributes, under names with one prefix."""
    return {f"{{{SPACES[space]}}}{key}": str(one) for key, one in (told or {}).items() if one is not None}


def _element(role: str, told: Mapping[str, str], text: str) -> ElementTree.Element:
    tag = _NOT_NAME.sub("-", role.strip()) or "unknown"
    element = ElementTree.Element(tag if tag[0].isalpha() else f"x{tag}")
    for key, value in told.items():
        space, closing, word = key.rpartition("}")
        clean = _NOT_NAME.sub("-", word)
        if clean and not clean[0].isdecimal():
            element.set(f"{space}{closing}{clean}", _NOT_XML.sub("", value))
    element.text = _NOT_XML.sub("", text) or None
    return element


async def _describe_objects(bus: Bus, places: Sequence[Reference]) -> list[AccessibleItem | None]:
    questions = (
        attribute("Accessible", "Name"),
        method("Accessible", "GetRole"),
        method("Accessible", "GetState"),
        method("Accessible", "GetInterfaces"),
        attribute("Accessible", "ChildCount"),
    )
    items: list[AccessibleItem | None] = []
    for at, (name, role, words, interfaces, count) in (await ask_each(bus, places, *questions)).items():
        if role is None or words is None:
            items.append(None)
            continue
        told = (short(interfaces or ()), str(name or ""), role, "", states_of(words))
        items.append(AccessibleItem(at, ("", ""), -1, int(count or 0), *told))
    return items


async def _children(bus: Bus, item: AccessibleItem) -> list[Reference]:
    """The children of an object; of a table too large to list, the visible cells."""
    if item.count == 0:
        return []
    if (item.count > WIDTH or item.count < 0) and item.offers("Table"):
        box = (await boxes(bus, [item])).get(item.at)
        span = await visible(bus, item, box) if box and has(item.states, State.SHOWING) else None
        return await references(bus, item, span) if span else []
    found = await answer_to(bus, ask(item.at, "Accessible", "GetChildren"))
    return list(filter(None, map(reference, found or ())))


def _states(states: int) -> dict[str, str]:
    # The first bit is unused.
    return {name: "true" for bit, name in enumerate(STATES) if bit and states >> bit & 1}


async def _close(bus: Bus) -> None:
    bus.close()
