"""Drawn things and charts: attributes that follow from how things look and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gui_agent.core.observation import Element
from gui_agent.core.texts import normal
from gui_agent.procedures.language.constructs import AttributeConstruct, Costed, Reading
from gui_agent.procedures.language.evaluate import Scope, has_word, value_of
from gui_agent.procedures.language.expressions import Attribute, Count, Selector, Slot, Value
from gui_agent.procedures.language.view import View
from guiagent_eval.miniwob_constructs.axes import axes_of
from guiagent_eval.miniwob_constructs.looks import canonical, described, is_colour, kind_of, shades_of

_NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?")


class _ByWords(AttributeConstruct):
    """Fits a text that it has among its words."""

    def fitting(self, text: str, elements: Sequence[Element], view: View) -> list[Element] | None:
        """The elements that have the text among the words of the attribute."""
        return [element for element in elements if has_word(self.of(element, view), normal(text))]


class Kind(_ByWords):
    """What a person may call the kind of an element: its role, tag and type."""

    name, price = "kind", 2.0

    def of(self, element: Element, view: View) -> str:
        """Role, tag and type."""
        if element.is_text:
            return ""
        return " ".join((element.role, element.attributes.get("tag", ""), element.attributes.get("type", "")))


class Shade(_ByWords):
    """The families of the colour that something has."""

    name, compared = "shade", True

    def of(self, element: Element, view: View) -> str:
        """The words for the colour."""
        return shades_of(element)


class Describes(_ByWords):
    """Whether the name of something says what is drawn: `item` where it does."""

    name, compared = "describes", True

    def of(self, element: Element, view: View) -> str:
        """`item` when the name of a thing that is not drawn describes all that is drawn."""
        drawn = [one for one in view.elements if kind_of(one)]
        if kind_of(element) or not element.name or not drawn:
            return ""
        return "item" if described(element.name, view.elements) == drawn else ""


class Colour(AttributeConstruct):
    """The colour that is reported, by any of its names."""

    name = "color"

    def fitting(self, text: str, elements: Sequence[Element], view: View) -> list[Element] | None:
        """The elements of that colour."""
        word = normal(text)
        if is_colour(word):
            return [e for e in elements if canonical(self.of(e, view)) == canonical(word)]
        return [e for e in elements if has_word(self.of(e, view), word)]


class ChartPoint(AttributeConstruct):
    """The place of a drawn thing on the axes of a chart."""

    name, compared = "point", True

    def of(self, element: Element, view: View) -> str:
        """Its two coordinates."""
        axes = axes_of(view) if kind_of(element) else None
        place = axes.at(element.box.center.x, element.box.center.y) if axes else None
        return "" if place is None else f"{place[0]:g} {place[1]:g}"

    def fitting(self, text: str, elements: Sequence[Element], view: View) -> list[Element] | None:
        """What stands at these coordinates, however they are written."""
        wanted = _numbers(text)
        return [e for e in elements if wanted and _numbers(self.of(e, view)) == wanted]


class Appearance(AttributeConstruct):
    """Whatever a phrase such as `large red circle` describes."""

    name, price = "look", 1.2

    def fitting(self, text: str, elements: Sequence[Element], view: View) -> list[Element] | None:
        """What the phrase describes; None when one of its words is not known."""
        found = described(text, view.elements)
        if found is None:
            return None
        ids = {element.id for element in found}
        return [element for element in elements if element.id in ids]


def counted(
    wanted: Sequence[str], scopes: Sequence[Scope], reading: Reading | None
) -> Iterator[Costed[Value]]:
    """The number of drawn things that are as a part of the instruction says."""
    if len(wanted) < 2 or not all(text.isdecimal() for text in wanted):
        return
    for name in sorted(set.intersection(*(set(scope.slots) for scope in scopes))):
        value = Count(Selector((Attribute(Appearance.name, Slot(name)),)))
        if all(value_of(value, scope) == text for text, scope in zip(wanted, scopes, strict=True)):
            yield Costed(2.5, value)


def _numbers(text: str) -> list[float]:
    return [float(number.replace("−", "-")) for number in _NUMBER.findall(text)]
