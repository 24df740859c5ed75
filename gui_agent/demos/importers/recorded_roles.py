"""Roles, values, states and attributes of recorded elements, as the snapshot of a live page gives them."""

from __future__ import annotations

import re

from gui_agent.demos.importers.event_recording import Node
from gui_agent.demos.importers.recorded_colours import colour_hex, colour_name, is_vivid

INPUTS = {
    "button": "button",
    "submit": "button",
    "reset": "button",
    "image": "button",
    "file": "button",
    "color": "button",
    "checkbox": "checkbox",
    "radio": "radio",
    "range": "slider",
    "number": "spinbutton",
    "search": "searchbox",
}
TAGS = {
    "a": "link",
    "button": "button",
    "textarea": "textbox",
    "option": "option",
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "h5": "heading",
    "h6": "heading",
    "progress": "progressbar",
    "meter": "meter",
    "canvas": "canvas",
    "img": "img",
    "table": "table",
    "tr": "row",
    "td": "cell",
    "li": "listitem",
    "ul": "list",
    "ol": "list",
    "nav": "navigation",
    "fieldset": "group",
    "form": "form",
    "thead": "rowgroup",
    "tbody": "rowgroup",
    "tfoot": "rowgroup",
}
ICON_CLASS = "ui-icon"
WIDGETS = {
    "ui-button": "button",
    "ui-tabs-tab": "tab",
    "ui-accordion-header": "tab",
    "ui-menu-item-wrapper": "menuitem",
    "ui-spinner-input": "spinbutton",
    "ui-datepicker-prev": "generic",
    "ui-datepicker-next": "generic",
    ICON_CLASS: "img",
}
"""Roles that jQuery UI gives to its widgets, by their classes."""
LOOSE = "ui-autocomplete"
"""Class of a list whose entries have no role of their own."""
HANDLES = frozenset(("ui-slider-handle", "ui-resizable-handle"))
"""Classes of what is dragged."""
PARTS = frozenset(("ui-tabs-anchor",))
"""Classes of parts of a widget that are nothing of their own."""
OPERABLE = frozenset(
    (
        *("button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "slider", "spinbutton"),
        *("option", "listbox", "tab", "menuitem"),
    )
)
TYPED = frozenset(("textbox", "searchbox", "spinbutton", "combobox"))
TOLD = frozenset(("heading", "img", "progressbar", "meter", "canvas"))
CELLS = frozenset(("cell", "columnheader", "rowheader"))
HOLDERS = frozenset(("list", "group", "form", "navigation", "table", "rowgroup"))
NAMED_BY_CONTENT = frozenset(
    ("button", "cell", "columnheader", "rowheader", "heading", "link", "menuitem", "option", "tab")
)
PUSHED = frozenset(("button", "submit", "reset"))
"""Types of inputs that show their value as what they are called."""
SHAPES = frozenset(("circle", "ellipse", "rect", "polygon", "polyline", "line", "path"))
DRAWN = SHAPES | {"svg"}
INLINE = frozenset(
    ("span", "b", "i", "em", "strong", "small", "u", "a", "label", "font", "code", "sub", "sup")
)
"""Elements that are part of a line of text."""
CLOSED = frozenset(("textarea", "input", "select", "canvas", "img", "video", "progress", "meter", "iframe"))
"""Elements whose inside is not looked at."""
CLIPPING = frozenset(("div", "section", "main"))
"""Elements out of which nothing sticks but what has to be scrolled to."""
WINDOW = 40
"""Pixels from which on a box may be a window on something longer."""
ICON = 40
"""Pixels up to which an empty element with a class or an id is taken for an icon."""
CLASS, ID = 60, 24
"""Letters that are kept of classes, and that an id may have that a person wrote."""
_SPACE = re.compile(r"\s+")
_NOT_WRITTEN = re.compile(r"\d{3,}|^[:_]|[0-9a-f]{8}|^(ember|react|ext-|yui|gwt)|\W\d+\W")
_LIST = 30
"""Pixels from which on a list shows several of its options at once."""
_LINK = re.compile(r"\b\w*link\w*\b", re.IGNORECASE)


def role_of(node: Node, around: Node) -> str:
    """The ARIA role of an element in another; `generic` for what has none."""
    classes = node.classes.split()
    if is_handle(node) or any(name in PARTS for name in classes):
        return "generic"
    widget = next((role for name, role in WIDGETS.items() if name in classes), "")
    if widget:
        return widget
    if node.tag == "input":
        return INPUTS.get(node.type, "textbox")
    if node.tag == "select":
        return "listbox" if node.children or node.rect[3] - node.rect[1] > _LIST else "combobox"
    if node.tag == "th":
        return "rowheader" if any(cell.tag == "td" for cell in around.children) else "columnheader"
    return TAGS.get(node.tag, "generic")


def is_closed(node: Node) -> bool:
    """Whether what is in an element is not looked at: fields, pictures, icons that hide a word."""
    return node.tag in CLOSED or ICON_CLASS in node.classes.split()


def is_handle(node: Node) -> bool:
    """Whether it is a part of a widget that is there to be dragged."""
    return any(name in HANDLES for name in node.classes.split())


def kind_of(role: str, node: Node) -> int:
    """4 for controls, 2 for what looks like one, 1 for something to see, 0 for nothing of its own."""
    if role in OPERABLE:
        return 4
    if is_handle(node) or node.tag == "text":
        return 2
    if node.tag in ("span", "div") and node.text and _LINK.search(node.classes):
        return 2
    return 1 if role in TOLD or role in CELLS or node.tag in DRAWN else 0


def value_of(node: Node) -> str:
    """The value of a field; that of a password as bullets."""
    if node.tag not in ("input", "textarea") or node.type in PUSHED | {"checkbox", "radio", "image"}:
        return ""
    value = node.value or ""
    return "•" * len(value) if node.type == "password" else value


def states_of(node: Node, role: str) -> frozenset[str]:
    """The states that the recorder keeps, and those that follow from what the element is."""
    states: set[str] = set()
    if node.checked:
        states.add("checked")
    if node.focused:
        states.add("focused")
    if role in TYPED and node.tag in ("input", "textarea"):
        states.add("editable")
    if node.tag == "textarea":
        states.add("multiline")
    if node.type == "password":
        states.add("password")
    if role == "combobox":
        states.add("haspopup")
    return frozenset(states)


def attributes_of(node: Node, name: str) -> dict[str, str]:
    """What else tells an element of this name apart: tag, type, classes, id, shape, colours."""
    found = {"tag": node.tag}
    kind = node.type or ("submit" if node.tag == "button" else "")
    if kind:
        found["type"] = kind
    if node.classes.strip():
        found["class"] = short(tidy(node.classes), CLASS)
    if node.id and len(node.id) <= ID and not _NOT_WRITTEN.search(node.id):
        found["id"] = node.id
    if node.tag in SHAPES:
        found["shape"] = node.tag
        return found
    empty = not name and not node.children and not node.text and node.tag not in CLOSED
    if is_vivid(node.back) or (empty and colour_name(node.back)):
        found["color"], found["fill"] = colour_name(node.back), colour_hex(node.back)
    elif is_vivid(node.fore) and name:
        found["color"] = colour_name(node.fore)
    return found


def tidy(text: str) -> str:
    """The text on one line, without spaces at its ends."""
    return _SPACE.sub(" ", text).strip()


def short(text: str, limit: int) -> str:
    """The text, cut with `…` when it is longer than `limit` letters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
