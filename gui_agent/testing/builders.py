"""Builds screens in one line: named controls, laid out automatically from top to bottom.

```python
screen(field("Name"), row(text("Country"), choice("", "Canada", "Chile")), button("Send"), title="Contact")
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from gui_agent.core.observation import TEXT, Box, Element, Observation, Place, Size
from gui_agent.core.trajectory import Found

SIZE = Size(800, 600)
MARGIN = 20
LINE = 40
UNPLACED = Box(0, 0, 0, 0)
"""The box of an element that `screen` will lay out."""

_TAGS = {
    "button": "button",
    "link": "a",
    "textbox": "input",
    "checkbox": "input",
    "radio": "input",
    "combobox": "select",
    "option": "li",
    "dialog": "dialog",
    TEXT: "span",
}


@dataclass(frozen=True, slots=True)
class Row:
    """Elements on one line, from left to right."""

    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Elements in one container, such as a form or a dialog; the container's tag is in their paths."""

    tag: str
    items: tuple[Element | Row, ...]
    container: Element | None = None
    """The container itself if it is an element of the screen, as a dialog is."""


Item = Element | Row | Group


def widget(
    role: str,
    name: str = "",
    *,
    value: str = "",
    states: Iterable[str] = (),
    box: Box = UNPLACED,
    description: str = "",
    attributes: Mapping[str, str] | None = None,
) -> Element:
    """An element of any role; without `box`, `screen` lays it out."""
    tag = _TAGS.get(role, "div")
    return Element(
        id=0,
        role=role,
        name=name,
        box=box,
        value=value,
        states=frozenset(states),
        source="fake",
        description=description,
        attributes={"tag": tag, **(attributes or {})},
    )


def text(words: str, *, box: Box = UNPLACED) -> Element:
    """A piece of plain text."""
    return widget(TEXT, words, box=box)


def button(name: str, *, states: Iterable[str] = (), box: Box = UNPLACED, **attributes: str) -> Element:
    """A button; keywords become its attributes (`type_` is `type`, `class_` is `class`)."""
    return widget("button", name, states=states, box=box, attributes=_attributes(attributes))


def link(name: str, href: str = "#", *, box: Box = UNPLACED, **attributes: str) -> Element:
    """A link."""
    return widget("link", name, box=box, attributes={"href": href, **_attributes(attributes)})


def field(
    name: str,
    value: str = "",
    *,
    states: Iterable[str] = (),
    description: str = "",
    box: Box = UNPLACED,
    **attributes: str,
) -> Element:
    """A text field; `states=["password"]` hides its text."""
    kind = {"type": "password"} if "password" in states else {"type": "text"}
    given = {**kind, **_attributes(attributes)}
    every = {"editable", *states}
    return widget(
        "textbox", name, value=value, states=every, description=description, box=box, attributes=given
    )


def checkbox(name: str, *, on: bool = False, role: str = "checkbox", box: Box = UNPLACED) -> Element:
    """A check box, or with another `role` a radio button or switch."""
    return widget(role, name, states=["checked"] if on else [], box=box, attributes={"type": role})


def choice(name: str, *options: str, value: str = "", box: Box = UNPLACED) -> Element:
    """A drop-down with these options; without `value`, the first is chosen."""
    chosen = value or (options[0] if options else "")
    listed = {"options": "\n".join(options)}
    return widget("combobox", name, value=chosen, states=["collapsed"], box=box, attributes=listed)


def row(*elements: Element) -> Row:
    """Elements side by side."""
    return Row(elements)


def form(*items: Element | Row) -> Group:
    """Elements of one form."""
    return Group("form", items)


def dialog(title: str, *items: Element | Row) -> Group:
    """A dialog with a title and elements; it covers the elements before it."""
    return Group("dialog", items, widget("dialog", title))


def screen(
    *items: Item,
    title: str = "",
    url: str = "",
    app: str = "",
    size: Size = SIZE,
    others: tuple[str, ...] = (),
) -> Observation:
    """An observation of these items, laid out and numbered from 1 in the given order.

    Items beyond `size` are below the visible part; `FakeComputer` shows them after scrolling.
    """
    placed: list[Element] = []
    counts: dict[str, int] = {}
    top = MARGIN
    for item in items:
        if isinstance(item, Group):
            counts[item.tag] = counts.get(item.tag, 0) + 1
            prefix = f"body/{item.tag}[{counts[item.tag]}]"
            inner, top = _lay_out_lines(item.items, top + (LINE if item.container else 0), prefix)
            if item.container is not None:
                placed.append(replace(item.container, box=_container_box(inner, top), path=prefix))
            placed.extend(inner)
        else:
            inner, top = _lay_out_lines((item,), top, "body", counts)
            placed.extend(inner)
    numbered = tuple(replace(element, id=number) for number, element in enumerate(placed, 1))
    host = app or urlsplit(url).hostname or ""
    return Observation(size, numbered, Place(host, title, url, others))


def spot(observation: Observation, name: str, role: str = "") -> Found:
    """The location of the element of this name, as a grounder would return it."""
    for element in observation.elements:
        if element.name == name and role in ("", element.role):
            return Found(element.box.center, element, element.box, how="exact name")
    there = ", ".join(str(element) for element in observation.elements)
    raise LookupError(f'there is no {role} "{name}" on this screen; there are {there}')


def with_states(observation: Observation, name: str, *states: str) -> Observation:
    """The same screen with additional states for the element of this name, such as `focused`."""
    chosen = spot(observation, name).element
    elements = tuple(
        replace(e, states=e.states | {*states}) if e is chosen else e for e in observation.elements
    )
    return replace(observation, elements=elements)


def _lay_out_lines(
    items: Iterable[Element | Row], top: int, prefix: str, counts: dict[str, int] | None = None
) -> tuple[list[Element], int]:
    seen = {} if counts is None else counts
    placed: list[Element] = []
    for item in items:
        left = MARGIN * (1 if prefix == "body" else 2)
        elements = item.elements if isinstance(item, Row) else (item,)
        for element in elements:
            tag = element.attributes.get("tag", "div")
            seen[tag] = seen.get(tag, 0) + 1
            box = element.box
            if box == UNPLACED:
                box = Box(left, top, *_measure(element))
            left = box.right + MARGIN // 2
            placed.append(replace(element, box=box, path=element.path or f"{prefix}/{tag}[{seen[tag]}]"))
        if any(element.box == UNPLACED for element in elements):
            top += LINE
    return placed, top


def _measure(element: Element) -> tuple[int, int]:
    letters = 8 * max(len(element.name), 1)
    match element.role:
        case "checkbox" | "radio":
            return 20, 20
        case "textbox" | "combobox":
            return 240, 28
        case "text":
            return letters, 20
        case "link" | "option":
            return letters, 24
        case _:
            return max(60, letters + 24), 30


def _container_box(elements: list[Element], bottom: int) -> Box:
    top = min((element.box.top for element in elements), default=bottom) - LINE
    right = max((element.box.right for element in elements), default=300)
    return Box(MARGIN, top, max(right, 300) + MARGIN - MARGIN, bottom - top)


def _attributes(given: Mapping[str, str]) -> dict[str, str]:
    return {name.rstrip("_"): value for name, value in given.items()}
