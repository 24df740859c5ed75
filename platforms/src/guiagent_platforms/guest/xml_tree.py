"""All that programs tell over the accessibility bus as XML, in the form of OSWorld's guest server."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from gui_agent.computers.atspi.bounds import OF_SCREEN, box_of
from gui_agent.computers.atspi.bus import Bus, CallFailed, Reference, ask, get
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
"""Levels, children of one object, and objects of one program that are told."""
PATIENCE = 20.0
"""Seconds for one program."""
LONGEST = 100_000
"""Letters of one text."""
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
    """Reads the whole bus of one session; `renamed` says what programs are called."""

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
        with contextlib.suppress(TimeoutError, CallFailed):  # what was read of it so far is told
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
        roles = await bus.many(ask(item.at, "Accessible", "GetRoleName") for item in items)
        more = await bus.many(ask(item.at, "Accessible", "GetAttributes") for item in items)
        placed = [i for i in items if i.has(State.VISIBLE) and i.has(State.SHOWING) and i.offers("Component")]
        boxes = await _ask_all(bus, placed, "Component", "GetExtents", "u", OF_SCREEN)
        texts = await _ask_all(
            bus, [i for i in items if i.offers("Text")], "Text", "GetText", "ii", 0, LONGEST
        )
        acts = await _ask_all(bus, [i for i in items if i.offers("Action")], "Action", "GetActions")
        values = await _numbers(bus, [item for item in items if item.offers("Value")])
        elements = []
        for item, role, attributes in zip(items, roles, more, strict=True):
            name = self._renamed.get(item.name, item.name) if item.role == Role.APPLICATION else item.name
            told = {"name": name, **_states(item.states)}
            told |= {f"{{{SPACES['attr']}}}{key}": value for key, value in (attributes or {}).items()}
            if box := box_of(boxes.get(item.at)):
                told[f"{{{SPACES['cp']}}}screencoord"] = str(box.corner)
                told[f"{{{SPACES['cp']}}}size"] = f"({box.width}, {box.height})"
            told |= {word: "true" for word in ("image", "selection") if item.offers(word.title())}
            told |= values.get(item.at, {})
            for action, description, keys in acts.get(item.at) or ():
                key = f"{{{SPACES['act']}}}{action.replace(' ', '-')}"
                told |= {f"{key}_desc": description, f"{key}_kb": keys}
            tag = _NOT_NAME.sub("-", str(role or "").strip()) or "unknown"
            element = ElementTree.Element(tag if tag[0].isalpha() else f"x{tag}")
            for key, value in told.items():
                space, closing, word = key.rpartition("}")
                clean = _NOT_NAME.sub("-", word)
                if clean and not clean[0].isdecimal():
                    element.set(f"{space}{closing}{clean}", _NOT_XML.sub("", str(value)))
            element.text = _NOT_XML.sub("", str(texts.get(item.at) or "")) or None
            elements.append(element)
        return elements


async def _describe_objects(bus: Bus, places: Sequence[Reference]) -> list[AccessibleItem | None]:
    answers = await bus.many(
        call
        for at in places
        for call in (
            get(at, "Accessible", "Name"),
            ask(at, "Accessible", "GetRole"),
            ask(at, "Accessible", "GetState"),
            ask(at, "Accessible", "GetInterfaces"),
            get(at, "Accessible", "ChildCount"),
        )
    )
    items: list[AccessibleItem | None] = []
    for number, at in enumerate(places):
        name, role, words, interfaces, count = answers[5 * number : 5 * number + 5]
        if role is None or words is None:
            items.append(None)
            continue
        told = (short(interfaces or ()), str(name or ""), role, "", states_of(words))
        items.append(AccessibleItem(at, ("", ""), -1, int(count or 0), *told))
    return items


async def _children(bus: Bus, item: AccessibleItem) -> list[Reference]:
    """What an object holds; of a table too large to be told, the cells that are shown."""
    if item.count == 0:
        return []
    if (item.count > WIDTH or item.count < 0) and item.offers("Table"):
        box = box_of((await bus.many([ask(item.at, "Component", "GetExtents", "u", OF_SCREEN)]))[0])
        span = await visible(bus, item, box) if box and has(item.states, State.SHOWING) else None
        return await references(bus, item, span) if span else []
    (found,) = await bus.many([ask(item.at, "Accessible", "GetChildren")])
    return [(name, path) for name, path in found or () if not path.endswith("/null")]


async def _ask_all(
    bus: Bus, items: Sequence[AccessibleItem], interface: str, member: str, signature: str = "", *body: Any
) -> dict[Reference, Any]:
    answers = await bus.many(ask(item.at, interface, member, signature, *body) for item in items)
    return {item.at: answer for item, answer in zip(items, answers, strict=True) if answer is not None}


async def _numbers(bus: Bus, items: Sequence[AccessibleItem]) -> dict[Reference, dict[str, str]]:
    found: dict[Reference, dict[str, str]] = {}
    for member, name in NUMBERS.items():
        answers = await bus.many(get(item.at, "Value", member) for item in items)
        for item, answer in zip(items, answers, strict=True):
            if answer is not None:
                found.setdefault(item.at, {})[f"{{{SPACES['val']}}}{name}"] = str(answer)
    return found


def _states(states: int) -> dict[str, str]:
    return {
        f"{{{SPACES['st']}}}{name}": "true"
        for bit, name in enumerate(STATES)
        if states >> bit & 1 and bit  # the first bit stands for nothing
    }


async def _close(bus: Bus) -> None:
    bus.close()
