"""Parses WebDriverAgent's XML of the app in front to nodes, in pixels of the screenshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree

from gui_agent.computers.desktop.parts import Node
from gui_agent.core.errors import ComputerLost
from gui_agent.core.observation import TEXT, Box
from gui_agent.core.texts import table
from gui_agent.elements.roles import LATCHING, RADIOS, TEXT_FIELDS

SOURCE = "ios"
WINDOW = 1
"""The id of the only window, which is the whole screen."""
PREFIX = "XCUIElementType"
ROLES = table(
    "Button=button TextField=textbox SecureTextField=textbox SearchField=searchbox TextView=textarea"
    " Switch=switch Toggle=switch CheckBox=checkbox RadioButton=radio Slider=slider Stepper=spinbutton"
    " StaticText=text Image=img Icon=button Link=link Cell=listitem MenuItem=menuitem Tab=tab"
    " PickerWheel=combobox Picker=combobox PopUpButton=combobox Alert=dialog Sheet=dialog WebView=document"
    " ProgressIndicator=progressbar PageIndicator=slider DatePicker=combobox"
    " Table=list CollectionView=list ScrollView=list"
)
"""Types of elements, without their prefix, and the roles of such elements."""
LEFT_OUT = frozenset({"Keyboard", "StatusBar", "ScrollBar"})
"""Types that are left out with all that is in them."""
WORDED_BY_CHILDREN = frozenset({"Cell", "Button", "Icon"})
"""Types whose name, if they have none, is that of the texts in them."""
WITHOUT_VALUE = frozenset({"StaticText", "Button", "Icon", "Link", "Cell", "Switch", "Toggle", "CheckBox"})
"""Types whose value repeats the name, or is a state."""
SCROLLING = frozenset({"Table", "CollectionView", "ScrollView", "WebView"})


@dataclass(slots=True)
class SourceTree:
    """What stands on the screen."""

    nodes: list[Node] = field(default_factory=list)
    title: str = ""
    """The name of the navigation bar."""
    has_keyboard: bool = False


def read(xml: str, scale: float) -> SourceTree:
    """The elements of a source, in reading order of the tree.

    Args:
        scale: pixels of the screenshot per point of the source.

    Raises:
        ComputerLost: it is not XML.
    """
    if "<!DOCTYPE" in xml:
        raise ComputerLost("WebDriverAgent declares entities in its list of elements, which is not read")
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise ComputerLost(f"WebDriverAgent returned no list of elements: {error}") from error
    found = SourceTree()
    _Reader(found, scale).walk(root, "")
    return found


class _Reader:
    def __init__(self, found: SourceTree, scale: float) -> None:
        self._found, self._scale = found, scale
        self._times: Counter[tuple[str, ...]] = Counter()

    def walk(self, one: ElementTree.Element, path: str, named: str = "") -> None:
        """Add an element and what is in it; `named` is the name of the element around."""
        kind = _kind_of(one)
        path = f"{path}/{kind}[{one.get('index', '0')}]".lstrip("/")
        self._found.has_keyboard |= kind == "Keyboard"
        if kind in LEFT_OUT:
            return
        box = self._box(one)
        if kind == "NavigationBar":
            self._found.title = _name_of(one)
        role = ROLES.get(kind, "")
        name = _name_of(one)
        if kind in WORDED_BY_CHILDREN and not name:
            name = " ".join(dict.fromkeys(_texts(one)))
        repeats = role in (TEXT, "img") and (not name or name == named)
        if role and box.area and one.get("visible") != "false" and not repeats:
            self._add(one, role, name, box, path)
        for child in one:
            self.walk(child, path, name or named)

    def _add(self, one: ElementTree.Element, role: str, name: str, box: Box, path: str) -> None:
        value, hint = one.get("value", ""), one.get("placeholderValue", "")
        if value == hint or _kind_of(one) in WITHOUT_VALUE:
            value = ""
        known = (path.rpartition("[")[0], "" if role in TEXT_FIELDS else name)
        self._times[known] += 1
        self._found.nodes.append(
            Node(
                (*known, self._times[known]),
                role,
                name or hint,
                box,
                value=value,
                states=frozenset(_states(one, role)),
                path=path,
                attributes={"class": one.get("type", one.tag), "id": one.get("name", "")},
                window=WINDOW,
                source=SOURCE,
            )
        )

    def _box(self, one: ElementTree.Element) -> Box:
        try:
            left, top, width, height = (float(one.get(side, "0")) for side in ("x", "y", "width", "height"))
        except ValueError:
            return Box(0, 0, 0, 0)
        far = round((left + width) * self._scale), round((top + height) * self._scale)
        near = round(left * self._scale), round(top * self._scale)
        return Box(*near, max(0, far[0] - near[0]), max(0, far[1] - near[1]))


def _states(one: ElementTree.Element, role: str) -> Iterator[str]:
    kind = _kind_of(one)
    held = {
        "disabled": one.get("enabled") == "false",
        "checked": role in LATCHING | RADIOS and one.get("value") in ("1", "true"),
        "selected": one.get("selected") == "true" or "Selected" in one.get("traits", ""),
        "password": kind == "SecureTextField",
        "editable": role in TEXT_FIELDS,
        "focused": one.get("focused") == "true",
        "scrollable": kind in SCROLLING,
    }
    return (state for state, holds in held.items() if holds)


def _kind_of(one: ElementTree.Element) -> str:
    return one.get("type", one.tag).removeprefix(PREFIX)


def _name_of(one: ElementTree.Element) -> str:
    return one.get("label") or one.get("name") or ""


def _texts(one: ElementTree.Element) -> Iterator[str]:
    for inner in one.iter():
        if _kind_of(inner) == "StaticText" and _name_of(inner):
            yield _name_of(inner)
