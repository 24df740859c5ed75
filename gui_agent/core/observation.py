"""What is seen of a screen at one moment: picture, elements and place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gui_agent.core.geometry import Box, Point, Size, Strict

TEXT = "text"
"""The role of plain text: read and used to find neighbours, not a thing to operate."""


@dataclass(frozen=True, slots=True)
class Screenshot:
    """An encoded picture of the screen."""

    data: bytes = field(repr=False)
    size: Size
    media_type: Literal["image/png", "image/jpeg", "image/webp"] = "image/png"


@dataclass(frozen=True, slots=True)
class Element(Strict):
    """One visible thing on the screen: a control, or a piece of text."""

    id: int
    """Stable while the element lives; never reused for another one on the same computer."""
    role: str
    """ARIA role in lower case (button, textbox, checkbox, link, option ...), `text` for plain text."""
    name: str
    """Accessible name; for `text` the text itself."""
    box: Box
    """The visible part, in screenshot pixels."""
    value: str = ""
    """Current value of a field, chosen option of a list; secrets come as bullets."""
    states: frozenset[str] = frozenset()
    """Of: checked mixed selected pressed expanded collapsed focused disabled required readonly invalid busy
    editable multiline password haspopup scrollable new."""
    source: str = "dom"
    """Who found it: dom, uia, atspi, android, ocr, vision, dialog."""
    description: str = ""
    """Placeholder, hint or title, when it is not already the name."""
    path: str = ""
    """Structural path, `/`-separated steps `tag` or `tag[n]`; siblings share all but the last step."""
    attributes: Mapping[str, str] = field(default_factory=dict, hash=False)
    """What else can tell it apart: tag, class, type, href, color, shape ..."""
    labels: tuple[str, ...] = ()
    """Of a text or cell: what its value belongs to, as the structure tells: term, label, row, column."""
    does: Mapping[str, str] = field(default_factory=dict, hash=False, compare=False)
    """What activating it would do, as the page tells, for the guard: link, download, sends (method and
    address of its form), default, form, fields, fill, said, icon, question (text of its dialog), handles,
    frame (its origin)."""

    @property
    def is_text(self) -> bool:
        return self.role == TEXT

    def __str__(self) -> str:
        name = self.name or self.description
        return f'{self.role} "{name}"' if name else self.role


@dataclass(frozen=True, slots=True)
class Place(Strict):
    """Where one is: application, window or page."""

    app: str = ""
    """Program or host: `firefox`, `example.org`."""
    title: str = ""
    url: str = ""
    others: tuple[str, ...] = ()
    """Titles of the other tabs or windows."""
    commands: bool = False
    """Whether the program in front runs others on a terminal of its own."""


NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class Observation:
    """A screen at one moment."""

    size: Size
    """Size of the screen in screenshot pixels, also when no picture was taken."""
    elements: tuple[Element, ...] = ()
    """Visible elements in reading order, controls and texts."""
    place: Place = NOWHERE
    screenshot: Screenshot | None = None
    more: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Pixels that can still be scrolled on the main view: above, below, left, right."""
    left_out: int = 0
    """Elements dropped by the cap on the list."""
    notices: tuple[str, ...] = ()
    """Things that happened since the last look: a download finished, a tab opened."""
    beyond: tuple[Element, ...] = field(default=(), repr=False)
    """Named controls of a page that have to be scrolled to: their boxes lie above or below the picture, or a
    part of it that scrolls by itself, and they have no ids yet."""
    refused: tuple[str, ...] = ()
    """What the server of a page has answered with an error since the last action, in words."""
    effects: tuple[str, ...] = ()
    """What followed from the last action out of sight: requests that a server accepted, other text."""
    windows: Mapping[int, Box] = field(default_factory=dict, hash=False, repr=False)
    """Outlines of the windows on a desktop by id, lowest first; empty where the computer has none."""
    hints: frozenset[int] = frozenset()
    """Those of the windows that only say something about what the pointer is on."""
    hung: tuple[str, ...] = ()
    """Programs that do not answer now; the one in front by the name that `place.app` has."""
    crashed: tuple[str, ...] = ()
    """Programs that crashed or were killed since the last look."""
    keyboard: bool = True
    """Whether a window has the keyboard; keys reach nobody without one."""
    focus_unseen: bool = False
    """Whether what has the keyboard is not among the elements: what it takes shows in the picture alone."""
    focus: Element | None = None
    """What has the keyboard, when it is known and not among the elements."""

    @property
    def stuck(self) -> bool:
        """Whether the program in front does not answer: it has not taken the last input, or not yet."""
        return self.place.app in self.hung

    @property
    def news(self) -> tuple[str, ...]:
        """All that is to be told besides what is shown, as sentences."""
        return (
            *(f"{program} does not answer" for program in self.hung),
            *(f"{program} crashed or was killed" for program in self.crashed),
            *self.notices,
        )

    def by_id(self, number: int) -> Element | None:
        """The element with this id, or None."""
        return next((element for element in self.elements if element.id == number), None)

    def smallest_at(self, point: Point) -> Element | None:
        """The smallest element whose box contains the point; controls win over texts."""
        around = [element for element in self.elements if element.box.contains(point)]
        return min(around, key=lambda element: (element.is_text, element.box.area), default=None)

    @property
    def controls(self) -> tuple[Element, ...]:
        """The elements that are not plain text."""
        return tuple(element for element in self.elements if not element.is_text)
