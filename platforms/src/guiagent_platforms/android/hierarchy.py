"""Parses a phone's view hierarchy to nodes, and its windows, displays and keyboard from `dumpsys`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from xml.etree import ElementTree

from gui_agent.computers.desktop.parts import Node
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import TEXT, Box
from gui_agent.core.texts import normal, shorten, table
from gui_agent.elements.roles import BOXES, LATCHING, RADIOS, TEXT_FIELDS
from guiagent_platforms.android.client import AdbDevice

SOURCE = "android"
ROLES = table(
    "Button=button EditText=textbox AutoCompleteTextView=textbox CheckBox=checkbox"
    " CheckedTextView=checkbox Switch=switch SwitchCompat=switch ToggleButton=switch RadioButton=radio"
    " Spinner=combobox SeekBar=slider ProgressBar=progressbar WebView=document"
)
"""Suffixes of class names, and the roles of such views."""
INSIDE = {
    **{"WebView": "document", "RecyclerView": "list", "ListView": "list", "GridView": "list"},
    **{"Toolbar": "bar", "ActionBarContainer": "bar"},
}
"""Suffixes of class names of containers, and the roles of the views in them."""
HOLE = 0.12
"""Minimum share of the screen of an undescribed area that is read by vision."""
_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
NOWHERE = Box(0, 0, 0, 0)
BULLETS = frozenset("•●∙·*")


def by_ending(words: Mapping[str, str], name: str, default: str = "") -> str:
    """The value of the longest of these words that a name ends with."""
    ends = [end for end in words if name.endswith(end)]
    return words[max(ends, key=len)] if ends else default


@dataclass(slots=True)
class Hierarchy:
    """The content of a dump: the nodes, the window's box, and large areas without described content."""

    nodes: list[Node] = field(default_factory=list)
    box: Box = NOWHERE
    package: str = ""
    holes: list[Box] = field(default_factory=list)
    pages: list[Box] = field(default_factory=list)
    """Web views without described content."""


class Hints:
    """Distinguishes hints from values: most versions dump the hint of an empty field as its text."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        """The known hint of each field."""
        self._shown: dict[str, str] = {}

    def split(self, key: str, text: str, told: str | None, id_words: str) -> tuple[str | None, str]:
        """Hint and value of a field; the hint is None if the text may be either.

        The first text seen counts as the hint if the field's id shares a word with it, or is generic;
        otherwise, the field may have been filled before.

        Args:
            told: the hint, on versions of Android whose dumps include one.
        """
        self._shown[key] = text
        if told is None and key not in self._known:
            words = {word for word in id_words.split() if len(word) > 2} - ANY_FIELD
            if text and words and not words & set(normal(text).split()):
                return None, text
            self._known[key] = text
        hint = self._known[key] if told is None else told
        return hint, "" if text == hint else text

    def note_emptied(self, key: str, text: str = "") -> None:
        """Note that a field was emptied: this text, or else its current one, is the hint."""
        self._known[key] = text or self._shown.get(key, "")


ANY_FIELD = frozenset(["edit", "text", "field", "input", "view", "box", "editor", "content", "edittext"])
"""Words in the ids of fields that do not identify the field."""


def read(text: str, window: int, hints: Hints) -> Hierarchy | None:
    """The hierarchy in `uiautomator`'s output; None if there is none in it."""
    start, end = text.find("<hierarchy"), text.rfind("</hierarchy>")
    if start < 0 or end < 0 or "<!DOCTYPE" in text:
        return None
    try:
        root = ElementTree.fromstring(_valid_xml(text[start : end + len("</hierarchy>")]))
    except ElementTree.ParseError:
        return None
    if len(root) == 0:
        return None
    reader = _Reader(window, hints)
    for top in root:
        reader.walk(top, "", "", None, "")
    first = root[0]
    found = Hierarchy(reader.nodes, _box(first), first.get("package", ""))
    least = HOLE * found.box.area
    found.pages = [box for box in reader.pages if box.area]
    found.holes = [box for box in reader.empty if box.area > least and box not in found.pages]
    return found


def _valid_xml(text: str) -> str:
    return re.sub(
        r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|&#(?:[0-8]|1[124-9]|2\d|3[01]);", " ", text
    )


class _Reader:
    def __init__(self, window: int, hints: Hints) -> None:
        self._window, self._hints = window, hints
        self.nodes: list[Node] = []
        self.empty: list[Box] = []
        self.pages: list[Box] = []
        self._times: Counter[tuple[str, ...]] = Counter()
        self._label = ("", "")
        """The last text, and the path around it; it may label the next field there."""

    def walk(
        self, view: ElementTree.Element, kinds: str, path: str, row: ElementTree.Element | None, inside: str
    ) -> None:
        short = view.get("class", "View").rpartition(".")[2]
        kinds = f"{kinds}/{short}".lstrip("/")
        path = f"{path}/{short}[{view.get('index', '0')}]".lstrip("/")
        role = _role(view, short, inside, row)
        box = _box(view)
        if role and box.area:
            self._add(view, role, box, (kinds, path), row)
        elif box.area and not len(view) and not _text_of(view):
            self.empty.append(box)
        inner = bool(self.pages) and self.pages[-1].encloses(box)  # views of pages are nested
        if short.endswith("WebView") and not inner and not any(map(_text_of, view.iterfind(".//node"))):
            self.pages.append(box)
        if _takes_taps(view) and short not in ROLES:
            row = view
        inside = by_ending(INSIDE, short, inside)
        for child in view:
            self.walk(child, kinds, path, row, inside)

    def _add(
        self,
        view: ElementTree.Element,
        role: str,
        box: Box,
        place: tuple[str, str],
        row: ElementTree.Element | None,
    ) -> None:
        kinds, path = place
        name, value, description = self._words(view, role, place, row)
        if role == TEXT and not name:
            return
        id = view.get("resource-id", "")
        known = (kinds, id, name if role not in TEXT_FIELDS else "")
        self._times[known] += 1
        self._label = (_parent_path(path), name if role == TEXT else "")  # a control uses it up
        self.nodes.append(
            Node(
                (self._window, *known, self._times[known]),
                role,
                name,
                box,
                value=value,
                states=_states(view, role),
                description=description,
                path=path,
                attributes={
                    **{"id": id, "class": view.get("class", ""), "package": view.get("package", "")},
                    "field": field_key(view, kinds),
                    **({"whole": "yes"} if role == "listitem" and name else {}),
                },
                window=self._window,
                source=SOURCE,
            )
        )

    def _words(
        self, view: ElementTree.Element, role: str, place: tuple[str, str], row: ElementTree.Element | None
    ) -> tuple[str, str, str]:
        """Name, value and description."""
        around, label = self._label
        label = label if around == _parent_path(place[1]) else ""
        text, said, id_words = view.get("text", ""), view.get("content-desc", ""), _id_words(view)
        if role in TEXT_FIELDS:
            return self._words_of_field(view, field_key(view, place[0]), label or id_words)
        if role == "combobox":
            return said or id_words or label, text or " ".join(_texts(view)), ""
        if role == "list":
            return said, "", ""
        if own := text or said:
            return own, "", said if said != own else ""
        if role in BOXES and row is not None:
            return next(_texts(row), ""), "", ""
        first, *more = list(_texts(view)) or [id_words]
        return shorten(first, 200), "", " ".join(more)

    def _words_of_field(self, view: ElementTree.Element, key: str, label: str) -> tuple[str, str, str]:
        text, said = view.get("text", ""), view.get("content-desc", "")
        if _is(view, "password") and text and BULLETS.issuperset(text):
            return said or label, text, ""
        hint, value = self._hints.split(key, text, view.get("hint"), _id_words(view))
        if hint is None:
            return said or value, value, label
        return said or hint or label, value, hint if said else ""


def _parent_path(path: str) -> str:
    return path.rpartition("/")[0]


def field_key(view: ElementTree.Element, path: str) -> str:
    """The identity of a field while its text changes."""
    return view.get("resource-id") or path


def _role(view: ElementTree.Element, short: str, inside: str, row: ElementTree.Element | None) -> str:
    """The role of a view; empty if it is only a frame around others."""
    kind, text = by_ending(ROLES, short), view.get("text")
    if _is(view, "checkable") and kind not in LATCHING | RADIOS:
        return "checkbox"
    if kind:
        return kind
    if _takes_taps(view):
        return _role_of_tapped(view, inside)
    if _is(view, "scrollable"):
        return "list"
    if text and inside == "bar":
        return "heading"
    if text and (row is None or text != next(_texts(row), None)):
        return TEXT
    return "img" if short.endswith("ImageView") and view.get("content-desc") and row is None else ""


def _role_of_tapped(view: ElementTree.Element, inside: str) -> str:
    """The role of a clickable view with a generic class."""
    others = (one for one in view.iterfind(".//node") if _is(one, "checkable"))
    if not all(map(_text_of, others)):
        return ""  # the switch in it has its name and takes its taps
    if inside == "document" and _text_of(view):
        return "link"
    if inside == "list" and len(view):
        return "listitem"
    return "button" if _text_of(view) or len(view) else "generic"


def _states(view: ElementTree.Element, role: str) -> frozenset[str]:
    flags = ("checked", "selected", "focused", "scrollable", "password")
    held = {flag: _is(view, flag) for flag in flags} | {
        "disabled": view.get("enabled") == "false",
        "editable": role in TEXT_FIELDS,
        "haspopup": role == "combobox",
    }
    return frozenset(state for state, holds in held.items() if holds)


def _is(view: ElementTree.Element, flag: str) -> bool:
    return view.get(flag) == "true"


def _takes_taps(view: ElementTree.Element) -> bool:
    return _is(view, "clickable") or _is(view, "long-clickable")


def _text_of(view: ElementTree.Element) -> str:
    return view.get("text") or view.get("content-desc") or ""


def _texts(view: ElementTree.Element) -> Iterator[str]:
    for one in view.iterfind(".//node"):
        if _text_of(one) and not one.get("class", "").endswith("EditText"):
            yield _text_of(one)


def _id_words(view: ElementTree.Element) -> str:
    """The words of an id as a name of last resort: `com.x:id/url_bar` is `url bar`."""
    return normal(view.get("resource-id", "").rpartition("/")[2].replace("_", " "))


def _box(view: ElementTree.Element) -> Box:
    found = _BOUNDS.fullmatch(view.get("bounds", ""))
    if found is None:
        return NOWHERE
    left, top, right, bottom = (int(part) for part in found.groups())
    return Box(left, top, max(0, right - left), max(0, bottom - top))


SHADE: Final = "NotificationShade"
_DISPLAY = re.compile(r"^ *Display: mDisplayId=(\d+)", re.MULTILINE)
_FOCUS = re.compile(r"mCurrentFocus=Window\{(\S+) \S+ (.+?)\}")
_APP = re.compile(r"mFocusedApp=.*?\bu\d+ ([\w.]+)/")
_WINDOW = re.compile(r"^ *Window #\d+ Window\{\S+ \S+ (.+?)\}:", re.MULTILINE)
_REGION = re.compile(r"touchable region=SkRegion\(\((-?\d+),(-?\d+),(-?\d+),(-?\d+)\)")
_FLAGS = re.compile(r"\bfl=([^}\n]*)")
_FLAG_SECURE = 0x2000
_LOCKED = re.compile(r"^\s*(?:showing|mShowingLockscreen|isKeyguardShowing)=true", re.MULTILINE)
_ASLEEP = re.compile(r"\bmAwake=false|interactiveState=INTERACTIVE_STATE_SLEEP")
_ROTATION = re.compile(r"\bmCurrentRotation=(?:ROTATION_)?(\d+)")
_QUARTERS = {"1": 1, "90": 1, "2": 2, "180": 2, "3": 3, "270": 3}


@dataclass(frozen=True, slots=True)
class WindowsState:
    """The result of `dumpsys window`."""

    focus: str = ""
    """The title of the front window, usually `package/activity`."""
    window: str = ""
    """Distinguishes the front window from others of the same title, such as a dialog from its app."""
    app: str = ""
    """The package of the app in front, also under a system dialog."""
    keyboard: Box | None = None
    secure: bool = False
    """Whether the app forbids pictures of its screen."""
    toast: bool = False
    locked: bool = False
    rotation: int = 0
    """Quarter turns relative to the phone's natural orientation."""
    asleep: bool = False

    @property
    def failed_app(self) -> tuple[str, str]:
        """The system dialog about an app (`Not Responding`, `Error`), and the app's package."""
        found = re.match(r"Application (Not Responding|Error): (\S+)", self.focus)
        return (found[1], found[2]) if found else ("", "")


def windows_state(text: str, display: int = 0) -> WindowsState:
    text = _of_display(text, display)
    window, front = _words(_FOCUS, text)
    (app,), (turns,) = _words(_APP, text), _words(_ROTATION, text)
    keyboard, secure = None, False
    _, *parts = _WINDOW.split(text)
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        region = _REGION.search(body)
        if title == "InputMethod" and region and "isOnScreen=false" not in body:
            box = Box.from_edges(*map(int, region.groups()))
            keyboard = box if box.height > 0 else None
        secure = secure or (title == front and _forbids_pictures(body))
    return WindowsState(
        front,
        window,
        app,
        keyboard,
        secure,
        toast=any(title.startswith("Toast") for title in parts[::2]),
        locked="/" not in front and _LOCKED.search(text) is not None,
        rotation=_QUARTERS.get(turns, 0),
        asleep=_ASLEEP.search(text) is not None,
    )


def _words(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    """The groups of a pattern in a text; empty ones if it does not match."""
    found = pattern.search(text)
    return found.groups() if found else ("",) * pattern.groups


def _forbids_pictures(window: str) -> bool:
    names = _words(_FLAGS, window)[0].split()
    hexed = re.fullmatch(r"#?([0-9a-f]{4,8})", "".join(names[:1]))
    return "SECURE" in names or bool(hexed and int(hexed[1], 16) & _FLAG_SECURE)


def _of_display(text: str, display: int) -> str:
    parts = _DISPLAY.split(text)
    told = {int(number): part for number, part in zip(parts[1::2], parts[2::2], strict=True)}
    if len(told) < 2:
        return text
    windows = parts[0] + "".join(told.values())
    own = [
        found[0]
        for found in re.finditer(
            r"^ *Window #\d+ .*?(?=^ *Window #|^  \S|\Z)", windows, re.MULTILINE | re.DOTALL
        )
        if f"mDisplayId={display} " in found[0]
    ]
    rest = re.sub(
        r"^ *Window #\d+ .*?(?=^  \S|\Z)", "", told.get(display, ""), flags=re.MULTILINE | re.DOTALL
    )
    return "".join(own) + rest


@dataclass(frozen=True, slots=True)
class Display:
    """One display of a phone, as arguments of the commands; 0 is the phone's own."""

    number: int = 0
    physical: str = ""
    """Its id in commands that take pictures."""

    @classmethod
    def find(cls, device: AdbDevice, name: str) -> Display:
        """A display by Android's number, as a text; empty for the phone's own."""
        if name in ("", "0"):
            return cls()
        said = device.look("dumpsys", "display").text
        told = dict(re.findall(r"displayId=(\d+), uniqueId='(?:local:)?([^']+)'", said))
        if name not in told:
            known = ", ".join(sorted(told)) or "none"
            raise ConfigError(f"the phone has no display {name}; it has {known}")
        if not told[name].isdecimal():
            raise ConfigError(f"display {name} is virtual; adb alone cannot take pictures of it")
        return cls(int(name), told[name])

    @property
    def input(self) -> tuple[str, ...]:
        """The command for taps and keys on it."""
        return ("input", "-d", str(self.number)) if self.number else ("input",)

    @property
    def screencap(self) -> tuple[str, ...]:
        return ("screencap", "-d", self.physical) if self.number else ("screencap",)

    @property
    def dump(self) -> tuple[str, ...]:
        """The command for its elements."""
        every = ("--windows",) if self.number else ()
        return ("uiautomator", "dump", *every, "/dev/tty")

    @property
    def start(self) -> tuple[str, ...]:
        """The command that starts an app on it."""
        return ("am", "start", "-W", *(("--display", str(self.number)) if self.number else ()))

    def own(self, dump: str) -> str:
        """The part of a `dump` about this display: the front window."""
        if not self.number:
            return dump
        inside = dump.partition(f'<display id="{self.number}"')[2].partition("</display>")[0]
        windows = re.findall(r"<window [^>]*>.*?</window>", inside, re.DOTALL)
        front = next((one for one in windows if re.match(r'<window [^>]*active="true"', one)), "")
        return front or (windows[0] if windows else "")
