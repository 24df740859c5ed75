"""A screen at one moment (picture, elements, place), and the ways to name a place on it.

These are a point, a mark, words, or the fingerprint of a recorded element. All points, sizes and boxes are in
screenshot pixels: the one coordinate space of the project.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import product
from typing import Annotated, Any, ClassVar, Literal

STRICT: dict[str, Any] = {"extra": "forbid"}
"""The codec rejects a value with an unknown key, instead of dropping the key."""


class Strict:
    """Base of values that the codec reads strictly, see `STRICT`."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


class ByKind:
    """Annotation for unions whose members have a literal `kind`; read only by the codec.

    Without it, a value with a wrong key would be tried against every member, and the error would name
    them all.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic import Field

        return handler.generate_schema(Annotated[source, Field(discriminator="kind")])


BY_KIND = ByKind()


@dataclass(frozen=True, slots=True)
class Point(Strict):
    """A place on the screenshot, in pixels from its top left corner."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"the point ({self.x}, {self.y})"


@dataclass(frozen=True, slots=True)
class Size(Strict):
    """Width and height in pixels."""

    width: int
    height: int

    @property
    def box(self) -> Box:
        """The whole picture."""
        return Box(0, 0, self.width, self.height)

    def contains(self, point: Point) -> bool:
        return 0 <= point.x < self.width and 0 <= point.y < self.height


@dataclass(frozen=True, slots=True)
class Box(Strict):
    """An axis-parallel rectangle; `left` and `top` are inside it, `right` and `bottom` just outside."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.left + self.width

    @property
    def bottom(self) -> int:
        return self.top + self.height

    @property
    def corner(self) -> tuple[int, int]:
        """Left and top."""
        return self.left, self.top

    def shift_to(self, other: Box) -> tuple[int, int]:
        """How far another box is to the right and down, in pixels."""
        return other.left - self.left, other.top - self.top

    @property
    def edges(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom, as picture libraries expect them."""
        return self.left, self.top, self.right, self.bottom

    @property
    def measures(self) -> tuple[int, int, int, int]:
        """Left, top, width and height."""
        return self.left, self.top, self.width, self.height

    @property
    def corners(self) -> list[tuple[int, int]]:
        """The four pixels at its corners."""
        return list(product((self.left, self.right - 1), (self.top, self.bottom - 1)))

    @property
    def rows(self) -> range:
        """The rows of pixels that it covers."""
        return range(self.top, self.bottom)

    @property
    def columns(self) -> range:
        return range(self.left, self.right)

    @classmethod
    def from_edges(cls, left: int, top: int, right: int, bottom: int) -> Box:
        return cls(left, top, right - left, bottom - top)

    @property
    def center(self) -> Point:
        return Point(self.left + self.width // 2, self.top + self.height // 2)

    def point_at(self, across: float, down: float) -> Point:
        """The pixel at these fractions of its width and height, 0 for the first and 1 for the last."""
        width, height = max(self.width - 1, 0), max(self.height - 1, 0)
        return Point(self.left + round(width * across), self.top + round(height * down))

    def shares_at(self, point: Point) -> tuple[float, float]:
        """The fractions of its width and height at which a point lies, in hundredths."""
        across = (point.x - self.left) / max(self.width - 1, 1)
        down = (point.y - self.top) / max(self.height - 1, 1)
        return round(across, 2), round(down, 2)

    @property
    def area(self) -> int:
        return max(0, self.width) * max(0, self.height)

    def contains(self, point: Point) -> bool:
        return self.left <= point.x < self.right and self.top <= point.y < self.bottom

    def encloses(self, other: Box) -> bool:
        across = self.left <= other.left and other.right <= self.right
        return across and self.top <= other.top and other.bottom <= self.bottom

    def shift(self, right: int, down: int) -> Box:
        """The same box, moved by this many pixels."""
        return Box(self.left + right, self.top + down, self.width, self.height)

    def grow(self, by: int) -> Box:
        """The box with `by` more pixels on each side, or fewer if `by` is negative."""
        return Box(self.left - by, self.top - by, self.width + 2 * by, self.height + 2 * by)

    @classmethod
    def hull(cls, boxes: Iterable[Box]) -> Box:
        """The smallest box that encloses these boxes, of which there must be at least one."""
        lefts, tops, rights, bottoms = zip(*(box.edges for box in boxes), strict=True)
        return cls.from_edges(min(lefts), min(tops), max(rights), max(bottoms))

    def intersect(self, other: Box) -> Box | None:
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        if right <= left or bottom <= top:
            return None
        return Box.from_edges(left, top, right, bottom)

    def is_above(self, other: Box, slack: int = 0) -> bool:
        """Whether it is above another box; they may overlap by `slack` pixels."""
        return self.bottom <= other.top + slack

    def is_left_of(self, other: Box, slack: int = 0) -> bool:
        """Whether it is left of another box; they may overlap by `slack` pixels."""
        return self.right <= other.left + slack

    def iou(self, other: Box) -> float:
        """Intersection over union, 0 to 1."""
        common = self.intersect(other)
        return common.area / (self.area + other.area - common.area) if common else 0.0

    def gap(self, other: Box) -> float:
        """The shortest distance between the edges of two boxes in pixels; 0 when they touch or overlap."""
        dx = max(0, other.left - self.right, self.left - other.right)
        dy = max(0, other.top - self.bottom, self.top - other.bottom)
        return float((dx * dx + dy * dy) ** 0.5)


TEXT = "text"
"""The role of plain text: read, and used as a neighbour, but not operated."""


@dataclass(frozen=True, slots=True)
class Screenshot:
    """An encoded picture of the screen."""

    data: bytes = field(repr=False)
    size: Size
    media_type: Literal["image/png", "image/jpeg", "image/webp"] = "image/png"

    def as_html(self) -> str:
        """An `img` element that holds the picture."""
        return f'<img src="data:{self.media_type};base64,{b64encode(self.data).decode()}" width="640">'


@dataclass(frozen=True, slots=True)
class Form(Strict):
    """What a page says about the form of a control."""

    words: tuple[str, ...] = ()
    """Its label, its title, the heading above it, its name and id."""
    sends: str = ""
    posts: bool = False
    """The address to which the control, or Enter in it, sends the form, and whether by POST."""
    submits: bool = False
    """Whether a handler of the control sends the form."""
    default: str | None = None
    """Name of the button that Enter in the control presses."""
    fields: tuple[str, ...] = ()
    """Kinds of its fields, including hidden ones: password, empty-password for a new one, card."""

    @property
    def is_known(self) -> bool:
        """Whether the page says which form it is, or where it goes."""
        return bool(self.words or self.sends or self.fields)


@dataclass(frozen=True, slots=True)
class Effects(Strict):
    """What activating a control would do, as far as the page says so."""

    link: str = ""
    download: str = ""
    """The address it leads to, and the file name under which that is saved."""
    form: Form = Form()
    fill: str = ""
    """What browsers fill into the field: `cc-number`, `one-time-code` ..."""
    conceals: bool = False
    """Whether the field hides its characters."""
    said: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    """Words on it besides its name, and words of a picture's areas that lead elsewhere."""
    icon: str = ""
    classes: str = ""
    """The name of its icon, and its own classes if they are too long for the attributes."""
    question: str = ""
    """The text of the dialog around it."""
    frame: str = ""
    """The origin of the frame around it, if that is not the page's."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Used by the codec: empty fields are not written; of older versions, only single texts are read."""
        from pydantic_core import core_schema as schemas

        def read(told: Any) -> Any:
            if not told or not isinstance(told, dict) or not {str}.issuperset(map(type, told.values())):
                return told or NOTHING
            return cls(**{key: text for key, text in told.items() if getattr(NOTHING, key, None) == ""})

        def write(done: Effects) -> dict[str, Any]:
            names = () if done is NOTHING else cls.__slots__
            return {name: one for name in names if (one := getattr(done, name)) and one != NOTHING.form}

        writing = schemas.plain_serializer_function_ser_schema(write)
        return schemas.no_info_before_validator_function(read, handler(source), serialization=writing)


NOTHING = Effects()
"""The effects of most elements; the same value for all of them."""
PAGES = frozenset(("dom", "webview"))
"""Sources of elements of pages."""
EYES = frozenset(("ocr", "vision"))
"""Sources of elements read from the picture alone."""


@dataclass(frozen=True, slots=True)
class Element(Strict):
    """One visible thing on the screen: a control, or a piece of text."""

    id: int
    """Stable while the element lives; never reused on the same computer."""
    role: str
    """ARIA role in lower case (button, textbox, checkbox, link, option ...), `text` for plain text."""
    name: str
    """Accessible name; for `text` the text itself."""
    box: Box
    """The visible part, in screenshot pixels."""
    value: str = ""
    """Current value of a field, chosen option of a list; secrets appear as bullets."""
    states: frozenset[str] = frozenset()
    """Any of: checked mixed selected pressed expanded collapsed focused disabled required readonly invalid
    busy editable multiline password haspopup scrollable new.
    """
    source: str = "dom"
    """What found it: dom, webview (a page in an app, whose requests cannot be held), uia, atspi, android,
    ocr, vision.
    """
    description: str = ""
    """Placeholder, hint or title, if it is not already the name."""
    path: str = ""
    """Structural path, `/`-separated steps `tag` or `tag[n]`; siblings share all but the last step."""
    attributes: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Further attributes that distinguish it: tag, class, type, href, color, shape ..."""
    labels: tuple[str, ...] = ()
    """For a text or cell, the labels of its value by the structure: term, label, row, column."""
    does: Effects = field(default=NOTHING, hash=False, compare=False)
    """What activating it would do, for the guard."""

    @property
    def is_from_picture(self) -> bool:
        """Whether only the picture shows it, and no tree reports it."""
        return EYES.issuperset(self.source.split("+"))

    @property
    def is_text(self) -> bool:
        return self.role == TEXT

    @property
    def texts(self) -> tuple[str, str, str]:
        """Its name, its value and its description; each may be empty."""
        return self.name, self.value, self.description

    def __str__(self) -> str:
        name = self.name or self.description
        return f'{self.role} "{name}"' if name else self.role


@dataclass(frozen=True, slots=True)
class Place(Strict):
    """The current application, window or page."""

    app: str = ""
    """Program or host: `firefox`, `example.org`."""
    title: str = ""
    url: str = ""
    others: tuple[str, ...] = ()
    """Titles of the other tabs or windows."""
    commands: bool = False
    """Whether the program in front runs commands in a terminal of its own."""


NOWHERE = Place()


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Observation:
    """A screen at one moment."""

    size: Size
    """Size of the screen in screenshot pixels, even without a picture."""
    elements: tuple[Element, ...] = ()
    """Visible elements in reading order, controls and texts."""
    place: Place = NOWHERE
    screenshot: Screenshot | None = None
    more: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Pixels that the main view can still scroll: above, below, left, right."""
    left_out: int = 0
    """How many elements the limit of the list dropped."""
    notices: tuple[str, ...] = ()
    """Events since the last look: a download finished, a tab opened."""
    beyond: tuple[Element, ...] = field(default=(), repr=False)
    """Named controls of a page that need scrolling: their boxes lie outside the picture or outside a part
    that scrolls by itself, and they have no ids yet.
    """
    words: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    """All words of a scrolling page, including those out of sight, in lower case; empty if some are
    unknown.
    """
    refused: tuple[str, ...] = ()
    """Error responses of a page's server since the last action, in words."""
    effects: tuple[str, ...] = ()
    """Invisible effects of the last action: requests that a server accepted, changed text out of sight."""
    console: tuple[str, ...] = ()
    """Errors that the scripts of a page reported since the last action, oldest first."""
    windows: Mapping[int, Box] = field(default_factory=dict, hash=False, repr=False)
    """Outlines of a desktop's windows by id, lowest first; empty if the computer has no windows."""
    hints: frozenset[int] = frozenset()
    """Ids of windows that are only tooltips."""
    hung: tuple[str, ...] = ()
    """Programs that do not respond now; the one in front is named as in `place.app`."""
    crashed: tuple[str, ...] = ()
    """Programs that crashed or were killed since the last look."""
    keyboard: bool = True
    """Whether a window has the keyboard focus; without one, keys have no effect."""
    focus_unseen: bool = False
    """Whether the focused element is not among the elements, so that only the picture shows its input."""
    focus: Element | None = None
    """The focused element, if it is known and not among the elements."""
    kept: dict[type, object] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Results computed from this screen, by their type, so that each is computed once."""

    @property
    def is_stuck(self) -> bool:
        """Whether the program in front does not respond, and so has not handled the last input."""
        return self.place.app in self.hung

    @property
    def news(self) -> tuple[str, ...]:
        """All reports that the elements do not show, as sentences."""
        return (
            *(f"{program} does not answer" for program in self.hung),
            *(f"{program} crashed or was killed" for program in self.crashed),
            *self.notices,
        )

    def _repr_html_(self) -> str:
        """The screen in a notebook: the picture, and the elements as a list to open."""
        lines = "".join(f"<li>[{one.id}] {escape(str(one))}</li>" for one in self.elements)
        shot = self.screenshot.as_html() if self.screenshot else ""
        return f"{shot}<details><summary>{len(self.elements)} elements</summary><ul>{lines}</ul></details>"

    def by_id(self, number: int) -> Element | None:
        return next((element for element in self.elements if element.id == number), None)

    def smallest_at(self, point: Point) -> Element | None:
        """The smallest element whose box contains the point; controls win over texts."""
        around = [element for element in self.elements if element.box.contains(point)]
        return min(around, key=lambda element: (element.is_text, element.box.area), default=None)

    @property
    def controls(self) -> tuple[Element, ...]:
        """The elements that are not plain text."""
        return tuple(element for element in self.elements if not element.is_text)


def on_one_line(one: Box, other: Box) -> bool:
    """Whether two boxes are beside each other: they share at least half the height of the lower one."""
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap >= 0.5 * min(one.height, other.height)


def share_columns(one: Box, other: Box, share: float = 0.3) -> bool:
    """Whether two boxes share columns, at least this fraction of the narrower one's width."""
    return min(one.right, other.right) - max(one.left, other.left) >= share * min(one.width, other.width)


def is_part_of(element: Element, outer: Element) -> bool:
    """Whether an element is a part of another one, by structure or (without paths) by position."""
    if element.id == outer.id:
        return True
    if element.path and outer.path:
        return element.path.startswith(outer.path + "/")
    return outer.box.encloses(element.box)


def is_part_of_any(element: Element, outers: Iterable[Element]) -> bool:
    """Whether an element is one of these elements, or a part of one."""
    return any(is_part_of(element, outer) for outer in outers)


def window_at(windows: Mapping[int, Box], point: Point) -> int | None:
    """The id of the uppermost window at a point, or None; the outlines come lowest first."""
    under = [number for number, box in windows.items() if box.contains(point)]
    return under[-1] if under else None


@dataclass(frozen=True, slots=True)
class Mark(Strict):
    """The number of an element in the current element list."""

    mark: int

    def __str__(self) -> str:
        return f"element {self.mark}"


Relation = Literal[
    "near",
    "next to",
    "for",
    "in the row of",
    "in the column of",
    "under the heading",
    "below",
    "above",
    "right of",
    "left of",
]
"""How an element is located relative to the one named by `near`."""


@dataclass(frozen=True, slots=True)
class Words(Strict):
    """An element described in words: its name or label, its role, its rank, a neighbour.

    `Words("Save")` is the element named Save; `Words(role="checkbox", ordinal=2)` the second checkbox in
    reading order (-1 is the last); `Words(role="button", near="Total", relation="below")` the button below
    "Total".
    """

    text: str = ""
    role: str = ""
    ordinal: int = 0
    near: str = ""
    relation: Relation = "near"
    """Its relation to the element named by `near`; only `for` may mean that element itself."""

    @property
    def is_relative(self) -> bool:
        """Whether it names an element by its rank or by a neighbour."""
        return bool(self.near or self.ordinal)

    def __str__(self) -> str:
        rank = {0: "", -1: "last", 1: "first", 2: "second", 3: "third"}.get(self.ordinal, f"{self.ordinal}th")
        parts = [rank, f'"{self.text}"' if self.text else "", self.role]
        words = " ".join(part for part in parts if part) or "anything"
        return f'{words} {self.relation} "{self.near}"' if self.near else words


Target = Point | Mark | Words
"""What a planner may aim at; a grounder turns it into a `Point`."""


@dataclass(frozen=True, slots=True)
class Fingerprint(Strict):
    """What is stored of an element so that it can be found again on a changed screen."""

    role: str
    name: str
    label: str = ""
    """Text of the nearest label, if the element has no name of its own."""
    neighbours: tuple[str, ...] = ()
    """Texts around it, nearest first."""
    path: str = ""
    """Structural path from the root, such as `body/form/div[2]/input`."""
    attributes: Mapping[str, str] = field(default_factory=dict, hash=False)
    box: Box | None = None
    screen: Size | None = None
    """Size of the screenshot on which the box was measured."""
    crop: str = ""
    """Perceptual hash of the element's picture, hexadecimal."""
    rank: int = 0
    """1-based rank among the elements of the same role and name, in reading order; 0 if unknown."""
    spot: tuple[float, float] | None = None
    """Where the pointer was in the box, as fractions of its width and height, if the place in it matters; in
    the screen for a point without an element.
    """

    def __str__(self) -> str:
        name = self.name or self.label
        return f'{self.role} "{name}"' if name else self.role
