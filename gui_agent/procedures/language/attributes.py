"""What tells one element of a screen from another: its attributes, and what follows from them.

Some attributes are worked out on the screen: `kind` (role, tag and type), `shade` (families of its
colour), `point` (its place on the axes of a chart), `describes` (whether its name says what is drawn).
`look` is no single word but whatever a phrase such as `large red circle` can describe.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gui_agent.core.observation import Element
from gui_agent.core.texts import normal
from gui_agent.procedures.language.axes import axes_of
from gui_agent.procedures.language.looks import canonical, described, is_colour, kind_of, shades_of
from gui_agent.procedures.language.view import View

KIND, SHADE, POINT, DESCRIBES, LOOK = "kind", "shade", "point", "describes", "look"
WORKED_OUT = (SHADE, POINT, DESCRIBES)
"""Attributes that induction compares besides those that the computer reports."""
_NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?")


def attribute(element: Element, name: str, view: View) -> str:
    """An attribute of an element of a screen; empty when it has none of this name."""
    match name:
        case "kind":
            return _kind(element)
        case "shade":
            return shades_of(element)
        case "point":
            return _point(element, view)
        case "describes":
            return _describes(element, view)
    return element.attributes.get(name, "")


def with_attribute(elements: Iterable[Element], name: str, text: str, view: View) -> list[Element]:
    """Those of the elements of which an attribute is a text or has it among its words."""
    word = normal(text)
    if not word:
        return []
    if name == LOOK:
        fitting = {element.id for element in described(text, view.elements) or ()}
        return [element for element in elements if element.id in fitting]
    if name == "color" and is_colour(word):
        return [e for e in elements if canonical(e.attributes.get(name, "")) == canonical(word)]
    if name == POINT:
        wanted = _numbers(text)
        return [e for e in elements if wanted and _numbers(attribute(e, name, view)) == wanted]
    return [element for element in elements if has_word(attribute(element, name, view), word)]


def has_word(text: str, word: str) -> bool:
    """Whether a text is a word or has it among its words, however they are joined."""
    plain = normal(text)
    return plain == word or word in re.split(r"[\s_\-,;/]+", plain)


def _kind(element: Element) -> str:
    """What a person may call its kind: role, tag and type."""
    if element.is_text:
        return ""
    return " ".join((element.role, element.attributes.get("tag", ""), element.attributes.get("type", "")))


def _point(element: Element, view: View) -> str:
    axes = axes_of(view) if kind_of(element) else None
    place = axes.at(element.box.center.x, element.box.center.y) if axes else None
    return "" if place is None else f"{place[0]:g} {place[1]:g}"


def _describes(element: Element, view: View) -> str:
    """`item` when the name of a thing that is not drawn describes all that is drawn."""
    drawn: Sequence[Element] = [one for one in view.elements if kind_of(one)]
    if kind_of(element) or not element.name or not drawn:
        return ""
    return "item" if described(element.name, view.elements) == drawn else ""


def _numbers(text: str) -> list[float]:
    return [float(number.replace("−", "-")) for number in _NUMBER.findall(text)]
