"""UI Automation as its calls go: what is asked of it, in which order, and what its answers become.

The stand-in takes the calls that `ComAutomation` makes to COM objects, checks their arguments as Windows does
(an array of whole numbers for a runtime id), and answers from a tree. It says nothing about a real program.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from guiagent_platforms.windows import automation
from guiagent_platforms.windows.automation import GONE, PATTERNS, PROPERTIES, ComAutomation

from gui_agent.core.errors import ConfigError, Stale
from gui_agent.core.observation import Box, Point
from tests.unit.platforms.windows.com_tape import playing, recording

WINDOW, PAGE = 10, 20


class ComError(Exception):
    """As comtypes has it."""

    def __init__(self, hresult: int) -> None:
        super().__init__(hresult)
        self.hresult = hresult


@dataclass
class Thing:
    """An element at the other end, with cached properties by their ids."""

    values: dict[int, Any]
    inner: list[Thing] = field(default_factory=list)
    text: str | None = None

    def GetCachedPropertyValueEx(self, number: int, leave_out: bool) -> Any:
        assert leave_out
        return self.values.get(number, object())

    def GetCachedChildren(self) -> Any:
        if not self.inner:
            return None
        return SimpleNamespace(Length=len(self.inner), GetElement=self.inner.__getitem__)

    def GetCurrentPattern(self, number: int) -> Any:
        if number == automation.TEXT_PATTERN and self.text is not None:
            whole = SimpleNamespace(GetText=lambda most: (self.text or "")[:most])
            return SimpleNamespace(QueryInterface=lambda kind: SimpleNamespace(DocumentRange=whole))
        return None

    def all(self) -> Iterator[Thing]:
        yield self
        for one in self.inner:
            yield from one.all()


class Root:
    """The object that all begins with; notes the calls."""

    ControlViewCondition = "control view"

    def __init__(self, windows: dict[int, Thing]) -> None:
        self.windows = windows
        self.calls: list[str] = []
        self.fails: dict[str, int] = {}
        self.owner: int | None = None
        self.style = 0x20000

    def _note(self, call: str) -> None:
        self.calls.append(call)
        if call in self.fails:
            raise ComError(self.fails[call])

    def CreatePropertyCondition(self, number: int, value: Any) -> Any:
        if number == PROPERTIES["runtime"]:
            if not (isinstance(value, array) and value.typecode == "i"):
                raise ComError(0x80070057 - (1 << 32))  # E_INVALIDARG
            value = tuple(value)
        return number, value

    def CreateAndCondition(self, one: Any, other: Any) -> Any:
        self._note("CreateAndCondition")
        return one, other

    def CreateCacheRequest(self) -> Any:
        return SimpleNamespace(AddProperty=lambda number: None)

    def ElementFromHandleBuildCache(self, window: int, request: Any) -> Thing:
        self._note("ElementFromHandleBuildCache")
        return self.windows[window]

    def ElementFromHandle(self, window: int) -> Thing:
        return self.windows[window]

    def ElementFromPointBuildCache(self, place: Any, request: Any) -> Thing:
        inside = [one for window in self.windows.values() for one in window.all()]
        return min(inside, key=lambda one: abs(one.values[PROPERTIES["box"]][0] - place[0]))


def thing(number: int, control: int, *inner: Thing, **more: Any) -> Thing:
    """An element with properties by the names that the adapter gives them."""
    text = more.pop("text_range", None)
    values = {PROPERTIES["runtime"]: (42, number), PROPERTIES["control"]: control}
    values[PROPERTIES["box"]] = (10.0 * number, 0.0, 50.0, 20.0)
    values |= {PROPERTIES[name]: value for name, value in more.items()}
    return Thing(values, list(inner), text)


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Root:
    field = thing(2, 50004, name="City", id="city")
    field.values |= {PATTERNS["value"]: True, PROPERTIES["value"]: "Ulm"}
    editor = thing(3, 50030, name="Text", text_range="one\r\ntwo")
    editor.values[PATTERNS["text"]] = True
    made = Root(
        {WINDOW: thing(1, 50032, field, editor, name="Order"), PAGE: thing(9, 50030, thing(8, 50000))}
    )
    library = SimpleNamespace(
        CUIAutomation8="class", IUIAutomation2="interface", IUIAutomationTextPattern="text",
        IUIAutomationValuePattern="value", tagPOINT=lambda x, y: (x, y),
    )  # fmt: skip
    client = ModuleType("comtypes.client")
    client.GetModule = lambda name: library  # type: ignore[attr-defined]

    def create(kind: str, interface: str, clsctx: int) -> Root:
        made._note("CreateObject")
        return made

    client.CreateObject = create  # type: ignore[attr-defined]
    comtypes = ModuleType("comtypes")
    comtypes.COMError, comtypes.CLSCTX_INPROC_SERVER = ComError, 1  # type: ignore[attr-defined]
    user = SimpleNamespace(GetWindow=lambda window, which: made.owner, GetWindowLongW=lambda *_: made.style)
    monkeypatch.setattr(automation, "library", lambda name: user)
    monkeypatch.setitem(sys.modules, "comtypes", comtypes)
    monkeypatch.setitem(sys.modules, "comtypes.client", client)
    return made


def test_a_window_is_read_by_one_request_with_all_in_it(root: Root) -> None:
    found = ComAutomation().tree(WINDOW)
    assert root.calls.count("ElementFromHandleBuildCache") == 1
    city, text = found.children
    assert (found.runtime, city.told["value"], city.told["id"]) == ((42, 1), "Ulm", "city")
    assert city.patterns == {"value"} and city.box == Box(20, 0, 50, 20)
    assert text.told["value"] == "one\ntwo"


def test_the_main_window_of_a_program_is_no_dialog(root: Root) -> None:
    assert ComAutomation().tree(WINDOW).control == automation.PANE
    root.owner = 5
    assert ComAutomation().tree(WINDOW).control == automation.WINDOW
    root.owner, root.style = None, 0  # such as a message that belongs to no window
    assert ComAutomation().tree(WINDOW).control == automation.WINDOW


def test_the_element_at_a_point_comes_without_those_in_it(root: Root) -> None:
    found = ComAutomation().element_at(Point(20, 3))
    assert found is not None and (found.told["name"], found.children) == ("City", ())


@pytest.mark.parametrize("call", ["CreateObject", "CreateAndCondition"])
def test_without_a_usable_ui_automation_the_error_names_the_call(root: Root, call: str) -> None:
    root.fails[call] = 0x80004001 - (1 << 32)
    with pytest.raises(ConfigError, match=f"{call}.*--observe vision") as told:
        ComAutomation()
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(("code", "told"), [(GONE, "no longer there"), (-1, "does not report")])
def test_a_failed_call_is_stale_and_says_why(root: Root, code: int, told: str) -> None:
    uia = ComAutomation()
    root.fails["ElementFromHandleBuildCache"] = code
    with pytest.raises(Stale, match=told):
        uia.tree(WINDOW)


def test_a_browser_engine_that_tells_its_frame_alone_is_asked_for_its_page(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, str]] = []

    def find(window: int, after: None, kind: str, title: None) -> int:
        asked.append((window, kind))
        return PAGE

    monkeypatch.setattr(automation.library("user32"), "FindWindowExW", find, raising=False)
    frame = root.windows[WINDOW]
    frame.values[PROPERTIES["kind"]] = "Chrome_WidgetWin_1"
    found = ComAutomation().tree(WINDOW)
    assert asked == [(WINDOW, "Chrome_RenderWidgetHostHWND")]
    assert [one.runtime for one in found.children] == [(42, 2), (42, 3), (42, 9)]
    frame.inner.append(thing(5, 50030, thing(6, 50000)))
    ComAutomation().tree(WINDOW)
    assert len(asked) == 1  # a page that is told is not asked for again


def conversation(uia: ComAutomation) -> list[Any]:
    """All that the adapter asks, on one window."""
    return [uia.tree(WINDOW), uia.element_at(Point(20, 3))]


@pytest.mark.usefixtures("root")
def test_a_recorded_conversation_is_held_again_call_by_call(monkeypatch: pytest.MonkeyPatch) -> None:
    with recording(monkeypatch) as tape:
        told = conversation(ComAutomation())
    calls = [line["call"] for line in tape.lines if "call" in line]
    assert calls.index("CreateObject") < calls.index("CreateAndCondition") < calls.index("AddProperty")
    with playing(tape, monkeypatch):
        assert conversation(ComAutomation()) == told


@pytest.mark.usefixtures("root")
def test_what_a_library_lacks_is_recorded_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sys.modules["comtypes.client"].GetModule(""), "CUIAutomation8")
    with recording(monkeypatch) as tape, pytest.raises(ConfigError, match="CreateObject") as first:
        ComAutomation()
    assert [line["call"] for line in tape.lines] == ["GetModule", "CUIAutomation8"]
    with playing(tape, monkeypatch), pytest.raises(ConfigError) as again:
        ComAutomation()
    assert str(again.value) == str(first.value)


@pytest.mark.usefixtures("root")
def test_another_conversation_than_the_recorded_one_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    with recording(monkeypatch) as tape:
        conversation(ComAutomation())
    monkeypatch.setitem(automation.PROPERTIES, "name", 30006)
    with pytest.raises(ConfigError, match=r"CreateCacheRequest.*was recorded"), playing(tape, monkeypatch):
        ComAutomation()
