"""Roles, states, colours and places of recorded elements, like those of a live page's snapshot."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from gui_agent.core.texts import table
from gui_agent.elements import roles as groups
from guiagent_eval.miniwob_recordings.recording import PageNode

INPUTS = table(
    "button=button submit=button reset=button image=button file=button color=button"
    " checkbox=checkbox radio=radio range=slider number=spinbutton search=searchbox"
)
TAGS = table(
    "a=link button=button textarea=textbox option=option h1=heading h2=heading h3=heading"
    " h4=heading h5=heading h6=heading progress=progressbar meter=meter canvas=canvas img=img"
    " table=table tr=row td=cell li=listitem ul=list ol=list nav=navigation fieldset=group"
    " form=form thead=rowgroup tbody=rowgroup tfoot=rowgroup"
)
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
"""Classes of elements that are dragged."""
PARTS = frozenset(("ui-tabs-anchor",))
"""Classes of parts of a widget that are no elements of their own."""
OPERABLE = groups.OPERABLE | {"listbox"}
TOLD = frozenset(TAGS[tag] for tag in ("h1", "img", "progress", "meter", "canvas"))
CELLS = groups.CELLS | groups.HEADERS
HOLDERS = frozenset(TAGS[tag] for tag in ("ul", "fieldset", "form", "nav", "table", "tbody"))
NAMED_BY_CONTENT = groups.WORDED - {"listitem"} | {"heading"}
PUSHED = frozenset(("button", "submit", "reset"))
"""Types of inputs whose name is their value."""
NO_VALUE = PUSHED | groups.BOXES | {"image"}
SHAPES = frozenset(("circle", "ellipse", "rect", "polygon", "polyline", "line", "path"))
DRAWN = SHAPES | {"svg"}
INLINE = frozenset(
    ("span", "b", "i", "em", "strong", "small", "u", "a", "label", "font", "code", "sub", "sup")
)
"""Elements that are part of a line of text."""
CLOSED = frozenset(("textarea", "input", "select", "canvas", "img", "video", "progress", "meter", "iframe"))
"""Elements whose content is not examined."""
CLIPPING = frozenset(("div", "section", "main"))
"""Elements whose content is clipped and must be scrolled to."""
WINDOW = 40
"""Minimum pixels of a box that may be a window on longer content."""
ICON = 40
"""Maximum pixels of an empty element with a class or an id that counts as an icon."""
CLASS, ID = 60, 24
"""Maximum letters of classes, and of an id that a person may have written."""
_SPACE = re.compile(r"\s+")
_NOT_WRITTEN = re.compile(r"\d{3,}|^[:_]|[0-9a-f]{8}|^(ember|react|ext-|yui|gwt)|\W\d+\W")
_LIST = 30
"""Minimum pixels of a list that shows several of its options at once."""
_LINK = re.compile(r"\b\w*link\w*\b", re.IGNORECASE)


def role_of(node: PageNode, around: PageNode) -> str:
    """The ARIA role of an element in another; `generic` if it has none."""
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


def is_closed(node: PageNode) -> bool:
    """Whether the content of an element is not examined: fields, pictures, icons that hide a word."""
    return node.tag in CLOSED or ICON_CLASS in node.classes.split()


def is_handle(node: PageNode) -> bool:
    """Whether it is a part of a widget that is dragged."""
    return any(name in HANDLES for name in node.classes.split())


def kind_of(role: str, node: PageNode) -> int:
    """4 for controls, 2 for elements that look like one, 1 for visible elements, 0 for others."""
    if role in OPERABLE:
        return 4
    if is_handle(node) or node.tag == "text":
        return 2
    if node.tag in ("span", "div") and node.text and _LINK.search(node.classes):
        return 2
    return 1 if role in TOLD or role in CELLS or node.tag in DRAWN else 0


def value_of(node: PageNode) -> str:
    """The value of a field; bullets for a password."""
    if node.tag not in ("input", "textarea") or node.type in NO_VALUE:
        return ""
    value = node.value or ""
    return "•" * len(value) if node.type == "password" else value


def states_of(node: PageNode, role: str) -> frozenset[str]:
    """The states that the recorder keeps, and those that follow from the kind of the element."""
    told = {
        **{"checked": node.checked, "focused": node.focused, "password": node.type == "password"},
        **{"multiline": node.tag == "textarea", "haspopup": role == "combobox"},
        "editable": role in groups.FIELDS and node.tag in ("input", "textarea"),
    }
    return frozenset(name for name, holds in told.items() if holds)


def attributes_of(node: PageNode, name: str) -> dict[str, str]:
    """Further features of an element of this name: tag, type, classes, id, shape, colours."""
    found = {"tag": node.tag}
    kind = node.type or ("submit" if node.tag == "button" else "")
    if kind:
        found["type"] = kind
    if node.classes.strip():
        found["class"] = short(tidy(node.classes), CLASS)
    if node.id and len(node.id) <= ID and not _NOT_WRITTEN.search(node.id):
        found["id"] = node.id
    if node.tag in SHAPES or node.tag == "text":
        # Of drawings the recorder keeps neither points nor paint; the pages draw only triangles.
        found["shape"] = "triangle" if node.tag == "polygon" else node.tag
        found["paint"] = "unknown"
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
    """The text, cut with `…` if it is longer than `limit` letters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


_RGB = re.compile(r"rgba?\(\s*([\d.]+),\s*([\d.]+),\s*([\d.]+)(?:,\s*([\d.]+))?\s*\)")
FAINT = 0.1
"""Maximum opacity of an invisible colour."""
VIVID = 60
"""Minimum difference between the strongest and weakest part of a colour that is no shade of grey."""
Rgb = tuple[float, float, float]


@lru_cache(maxsize=2000)
def rgb(text: str) -> Rgb | None:
    """Red, green and blue of a computed colour; None if it is transparent or has another notation."""
    found = _RGB.fullmatch(text)
    if found is None or float(found[4] or 1) <= FAINT:
        return None
    return float(found[1]), float(found[2]), float(found[3])


def is_vivid(text: str) -> bool:
    """Whether a colour distinguishes an element."""
    parts = rgb(text)
    return parts is not None and max(parts) - min(parts) > VIVID


def colour_hex(text: str) -> str:
    """The colour as `#rrggbb`; empty if it is transparent."""
    parts = rgb(text)
    return "" if parts is None else "#" + "".join(f"{round(part):02x}" for part in parts)


@lru_cache(maxsize=2000)
def colour_name(text: str) -> str:
    """The CSS name nearest to a perceived colour; empty if it is transparent."""
    parts = rgb(text)
    return "" if parts is None else min(_named_colours(), key=lambda pair: _distance(parts, pair[1]))[0]


def _distance(one: Rgb, other: Rgb) -> float:
    """The `redmean` approximation of a perceived difference."""
    mean = (one[0] + other[0]) / 2 / 256
    red, green, blue = ((a - b) ** 2 for a, b in zip(one, other, strict=True))
    return (2 + mean) * red + 4 * green + (2 + 255 / 256 - mean) * blue


@cache
def _named_colours() -> tuple[tuple[str, Rgb], ...]:
    """The CSS names, each colour once, under its first name in the alphabet."""
    from PIL import ImageColor

    known: dict[Rgb, str] = {}
    for name in sorted(ImageColor.colormap):
        if "grey" in name or name in ("cyan", "magenta"):
            continue
        red, green, blue = ImageColor.getrgb(name)[:3]
        known.setdefault((float(red), float(green), float(blue)), name)
    return tuple((name, parts) for parts, name in known.items())


Rect = tuple[float, float, float, float]
LETTER, LINE = 0.5, 11.0
"""Width of a letter as a share of the line's height, and the height of a line, if only the block is known."""
THIN = 1.5
"""Minimum pixels of a visible element."""
Line = tuple[str, Rect]
"""A line of text and its box."""


def meet(one: Rect, other: Rect) -> Rect:
    """The common part; thin or inside out if there is none."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def enclosing_rect(one: Rect, other: Rect) -> Rect:
    """The smallest rectangle around both."""
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def is_thin(rect: Rect) -> bool:
    """Whether nothing of it is visible."""
    return rect[2] - rect[0] < THIN or rect[3] - rect[1] < THIN


def same_line(one: Rect, other: Rect) -> bool:
    """Whether two boxes are beside each other."""
    return min(one[3], other[3]) - max(one[1], other[1]) > 0.5 * min(one[3] - one[1], other[3] - other[1])


def below(clip: Rect, box: Rect) -> Rect:
    """The visible part of a box: parts above or below the clip are hidden."""
    return clip[0], max(clip[1], box[1]), clip[2], min(clip[3], box[3])


def text_width(box: Rect, text: str) -> Rect:
    """The approximate box of a text that is one line in a block."""
    left, top, right, bottom = box
    if bottom - top > 2 * LINE:
        return box
    return left, top, min(right, left + LETTER * LINE * len(text)), bottom


def goes_on(before: Line, now: Line, edge: float) -> bool:
    """Whether a line of text continues the one before: beside it, or below it if that was full.

    Args:
        edge: the right end of the page.
    """
    (_, one), (text, other) = before, now
    if same_line(one, other):
        return abs(other[0] - one[2]) < 2 * LINE
    if other[1] - one[3] > 0.6 * (one[3] - one[1]) or other[1] < one[1]:
        return False
    word = text.split()[0] if text.split() else ""
    letter = (other[2] - other[0]) / max(1, len(text))
    return one[2] + letter * (len(word) + 1) > min(edge, max(one[2], other[2])) - 2
