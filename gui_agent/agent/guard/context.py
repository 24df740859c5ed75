"""What stands around a control: its form, the dialog it is in, the focus, the terminal it may be."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gui_agent.agent.guard import words
from gui_agent.core.fingerprints import label_for
from gui_agent.core.geometry import Box, Point
from gui_agent.core.observation import Element, Observation, Place

DIALOGS = ("dialog", "alertdialog", "alert")
BUTTONS = ("button", "image", "img", "menuitem", "link")
CONTAINERS = frozenset(
    (
        *("application", "canvas", "dialog", "alertdialog", "document", "figure", "form", "graphic", "grid"),
        *("group", "iframe", "image", "img", "list", "listbox", "main", "pane", "region", "section", "table"),
        *("toolbar", "tree", "window"),
    )
)
"""Roles whose own name says nothing of what lies at a point inside them."""
ROWS = ("row", "treeitem", "listitem", "option", "gridcell", "cell", "article", "icon")
ICON = 100
"""Pixels up to which the sides of a picture are those of an icon, and not of something drawn upon."""
NEARBY = 40
"""Pixels around a point on a canvas within which texts are taken for its surroundings."""

_FORM = re.compile(r"^(?:.*/)?form(?:\[\d+\])?(?=/|$)")
_TERMINAL = re.compile(
    r"\b(terminal|xterm|konsole|alacritty|kitty|iterm2?|terminator|tilix|rxvt|putty|powershell|pwsh|"
    r"cmd\.exe|command prompt|eingabeaufforderung|windows ?terminal|conhost|tmux|console|termux)\b",
    re.IGNORECASE,
)
_WEB_TERMINAL = re.compile(r"\bxterm-(helper-textarea|screen|viewport|rows)\b|\bterminal\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that belong together with a control, and what kinds there are among them."""

    all: tuple[Element, ...]
    kinds: frozenset[str]


def holds_others(element: Element) -> bool:
    """Whether what lies at a point inside the element is not told by the element itself."""
    small = element.box.width <= ICON and element.box.height <= ICON
    return element.role in CONTAINERS and not (small and element.role in BUTTONS)


def editable(element: Element) -> bool:
    """Whether text can be typed into it."""
    return "editable" in element.states or element.role in ("textbox", "searchbox", "spinbutton")


def field_kind(element: Element, observation: Observation) -> str:
    """password, card, search, message, address, or empty."""
    attributes = element.attributes
    if "password" in element.states or attributes.get("type") == "password":
        return "password"
    if element.role == "searchbox" or attributes.get("type") == "search":
        return "search"
    named = [element.name, element.description]
    named += [attributes.get(key, "") for key in ("autocomplete", "name", "id", "placeholder", "aria-label")]
    kinds = words.field_kinds(*named)
    if not element.name and not kinds:
        kinds = words.field_kinds(label_for(element, observation))
    return next((kind for kind in ("card", "password", "message", "address") if kind in kinds), "")


def companions(element: Element, observation: Observation) -> tuple[Element, ...]:
    """The elements of the same form or dialog; without one, those that share most of its structure."""
    form = _FORM.match(element.path)
    if form:
        inside = form.group() + "/"
        return tuple(other for other in observation.elements if other.path.startswith(inside))
    around = dialog_around(element.box.center, observation)
    if around is not None:
        return tuple(other for other in observation.elements if around.box.encloses(other.box))
    steps = element.path.split("/")
    shared = "/".join(steps[:-3]) if len(steps) > 4 else ""
    return tuple(
        other
        for other in observation.elements
        if other.path.startswith(shared) and not _FORM.match(other.path)
    )


def fields_with(element: Element, observation: Observation) -> Fields:
    """The fields that are sent off together with a control."""
    all_ = tuple(e for e in companions(element, observation) if editable(e) or e.role == "combobox")
    return Fields(all_, frozenset(field_kind(e, observation) for e in all_ if editable(e)) - {""})


def dialog_around(point: Point, observation: Observation) -> Element | None:
    """The innermost dialog over a point, None when there is none."""
    around = [e for e in observation.elements if e.role in DIALOGS and e.box.contains(point)]
    return min(around, key=lambda e: e.box.area, default=None)


def dialog_text(dialog: Element, observation: Observation) -> str:
    """The title and the texts of a dialog, without the names of its controls."""
    texts = [e.name for e in observation.elements if _inside(e, dialog) and e.role in ("text", "heading")]
    return "\n".join(dict.fromkeys(filter(None, [dialog.name, dialog.description, *texts])))


def open_dialog(observation: Observation) -> Element | None:
    """The dialog that is in front, taken to be the last one in the list."""
    return next((e for e in reversed(observation.elements) if e.role in DIALOGS), None)


def buttons_in(container: Element, observation: Observation) -> tuple[Element, ...]:
    """The usable buttons of a dialog."""
    return tuple(e for e in observation.elements if e.role in BUTTONS and _inside(e, container))


def focused(observation: Observation) -> Element | None:
    """The element that has the focus; the innermost when several say so."""
    own = [element for element in observation.elements if "focused" in element.states]
    return min(own, key=lambda e: e.box.area, default=None)


def submits(element: Element) -> bool:
    """Whether the page itself says that this button sends its form off."""
    return element.attributes.get("type") in ("submit", "image")


def default_button(field: Element, observation: Observation) -> Element | None:
    """The button that Enter in a field activates: the first that submits, else the riskiest one near."""
    near = [e for e in companions(field, observation) if e.role in BUTTONS and "disabled" not in e.states]
    first = next((e for e in near if submits(e)), None)
    if first is not None:
        return first
    risky = [e for e in near if words.commands(e.name) and e.role != "link"]
    return next(iter(risky), None)


def texts_around(point: Point, observation: Observation, reach: int = NEARBY) -> str:
    """The texts on and next to a point, nearest first."""
    spot = Box(point.x, point.y, 1, 1)
    near = [
        (element.box.gap(spot), element.name)
        for element in observation.elements
        if element.name and not holds_others(element) and element.box.gap(spot) <= reach
    ]
    return "\n".join(name for _, name in sorted(near))


def at_point(point: Point, observation: Observation) -> Element | None:
    """The smallest element over a point; controls win over texts and containers."""
    around = [element for element in observation.elements if element.box.contains(point)]
    return min(around, key=lambda e: (holds_others(e), e.is_text, e.box.area), default=None)


def is_terminal(element: Element | None, place: Place) -> bool:
    """Whether what is typed there is carried out as commands."""
    if element is not None:
        said = (element.role, element.attributes.get("class", ""), element.name)
        if element.role == "terminal" or any(_WEB_TERMINAL.search(text) for text in said):
            return True
    # A page about terminals is not one: for pages only the element counts.
    return not place.url and bool(_TERMINAL.search(f"{place.app}\n{place.title}"))


def _inside(element: Element, container: Element) -> bool:
    return element.id != container.id and container.box.encloses(element.box)
