"""Each action becomes the gestures a person would make, or a word on why it cannot be done."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from fakes import FakeDevice, FakeSource, node, window
from PIL import Image

from gui_agent.computers.desktop import acting, fields
from gui_agent.computers.desktop.acting import Acting
from gui_agent.computers.desktop.parts import Node, Window
from gui_agent.core.actions import (
    Action,
    Back,
    Check,
    Choose,
    Click,
    Close,
    Navigate,
    Open,
    Scroll,
    Switch,
    TypeText,
    Upload,
)
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Box, Point

AT = Point(5, 5)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "STARTING", 0.2)
    monkeypatch.setattr(acting, "ARRANGING", 0.2)
    monkeypatch.setattr(acting, "COMING", 0.2)
    monkeypatch.setattr(acting, "CLOSING", 0.1)
    monkeypatch.setattr(fields, "OPENING", 0.2)
    monkeypatch.setattr(fields, "TAKING", 0.2)
    monkeypatch.setattr(fields, "LIST_MOVING", 0.05)
    monkeypatch.setattr(fields, "FOCUSING", 0.05)
    monkeypatch.setattr(fields, "MOVING", 0.2)


def done(action: Action, *nodes: Node, device: FakeDevice | None = None) -> list[tuple[object, ...]]:
    """What the device was told, without moves of the pointer."""
    device = device or FakeDevice(window(1, active=True))
    source = FakeSource(*nodes)

    def look() -> Sequence[Node]:
        return source.nodes

    Acting(device, look, lambda point: source.node_at(point, ())).perform(action)
    return [what for what in device.told if what[0] != "move"]


def keys(*names: str) -> list[tuple[object, ...]]:
    return [*(("press", name) for name in names), *(("release", name) for name in reversed(names))]


CLICK: list[tuple[object, ...]] = [("down", "left"), ("up", "left")]


def test_text_goes_into_the_field_that_is_clicked() -> None:
    assert done(TypeText("hi", AT), node("f", "textbox")) == [*CLICK, ("type", "hi")]


def test_what_is_typed_comes_after_what_stands_there() -> None:
    field = node("f", "textbox", value="old")
    assert done(TypeText("hi", AT), field) == [*CLICK, *keys("end"), ("type", "hi")]
    many = node("f", "textbox", value="old", states=frozenset(["multiline"]))
    assert done(TypeText("hi", AT), many) == [*CLICK, *keys("ctrl", "end"), ("type", "hi")]


MARKED = [*keys("end"), *keys("shift", "home")]
BACK = keys("shift", "tab")


def test_replacing_marks_all_of_the_field_first_and_nothing_empties_it() -> None:
    """In a line by its own keys: ctrl+a may mark the document of the program, and the text goes there."""
    field = node("f", "textbox", value="old")
    assert done(TypeText("hi", AT, True), field) == [*CLICK, *MARKED, ("type", "hi")]
    assert done(TypeText("", AT, True), field) == [*CLICK, *MARKED, *keys("delete")]
    other = replace(field, states=frozenset(["multiline"])), replace(field, source="uia")
    for one in other:
        assert done(TypeText("hi", AT, True), one) == [*CLICK, *keys("ctrl", "a"), ("type", "hi")]
    assert done(TypeText("hi", AT, True), node("f", "textbox")) == [*CLICK, ("type", "hi")]


class LateSheet(FakeDevice):
    """Draws the cursor of a sheet in the clicked cell only when it has been looked at a few times."""

    looks = 0

    def grab(self, box: Box | None = None) -> Image.Image:
        self.looks += ("up", "left") in self.told
        self._note("look", self.looks > 3)
        return Image.new("RGB", (10, 10), "blue" if self.looks > 3 else "white")


def test_text_goes_into_a_cell_only_once_it_is_drawn_as_the_active_one() -> None:
    cell = node("c", "gridcell", attributes={"row": "1", "column": "A"})
    sheet = LateSheet(window(1, active=True))
    done(TypeText("42", AT), cell, device=sheet)
    assert sheet.told[sheet.told.index(("type", "42")) - 1] == ("look", True)


def test_a_cell_that_is_the_active_one_already_is_typed_into_at_once() -> None:
    cell = node("c", "gridcell", attributes={"row": "1", "column": "A"}, states=frozenset(["selected"]))
    sheet = LateSheet(window(1, active=True))
    done(TypeText("42", AT), cell, device=sheet)
    assert ("look", True) not in sheet.told


def test_a_cell_is_never_emptied_by_selecting_the_whole_sheet() -> None:
    assert ("press", "a") not in done(TypeText("42", AT, True), node("c", "gridcell", value="1"))


@pytest.mark.parametrize(("role", "hint"), [("checkbox", "use check"), ("button", "aim at a text field")])
def test_what_takes_no_text_says_so(role: str, hint: str) -> None:
    with pytest.raises(ActionFailed, match=hint):
        done(TypeText("hi", AT), node("x", role, "Thing"))


def test_a_disabled_field_is_not_typed_into() -> None:
    with pytest.raises(ActionFailed, match="is not editable now"):
        done(TypeText("hi", AT), node("f", "textbox", states=frozenset(["disabled"])))


def test_a_box_that_is_as_wanted_is_left_alone() -> None:
    assert done(Check(AT, True), node("c", "checkbox", states=frozenset(["checked"]))) == []


def test_a_box_that_does_not_take_the_click_is_told() -> None:
    with pytest.raises(ActionFailed, match="still off after a click"):
        done(Check(AT, True), node("c", "checkbox", "Agree"))


def test_a_radio_button_cannot_be_switched_off() -> None:
    with pytest.raises(ActionFailed, match="check another one"):
        done(Check(AT, False), node("c", "radio", "Red", states=frozenset(["checked"])))


class Listing(FakeDevice):
    """A drop-down that shows options when it is clicked."""

    def __init__(self, source: FakeSource, *options: Node, takes: str = "") -> None:
        super().__init__(window(1, active=True))
        self._source, self._options, self.takes = source, options, takes

    def press_button(self, button: str) -> None:
        self.told.append(("down", button))
        if self._options[0] not in self._source.nodes:
            self._source.nodes.extend(self._options)
        elif clicked := next((one for one in self._options if one.box.contains(self.pointer)), None):
            self._source.nodes[0] = replace(self._source.nodes[0], value=self.takes or clicked.name)


def chosen(option: str, takes: str = "") -> list[tuple[object, ...]]:
    source = FakeSource(node("box", "combobox", "Colour", value="Red"))
    options = [
        node(name, "option", name, Box(0, 20 + 10 * i, 50, 10)) for i, name in enumerate(("Red", "Blue"))
    ]
    device = Listing(source, *options, takes=takes)
    Acting(device, lambda: source.nodes, lambda point: source.node_at(point, ())).perform(Choose(AT, option))
    return device.told


def test_an_option_is_clicked_when_the_list_has_opened() -> None:
    assert ("move", 25, 35) in chosen("blue")


def test_a_list_that_can_be_written_in_is_opened_by_its_arrow() -> None:
    source = FakeSource(node("box", "combobox", "Zoom", Box(0, 0, 60, 10), value="100%"))
    options = [
        node(name, "option", name, Box(0, 20 + 10 * i, 50, 10)) for i, name in enumerate(("1%", "200%"))
    ]

    class Written(Listing):
        def press_button(self, button: str) -> None:
            if self.pointer.x > 45 or self.pointer.y > 15:
                super().press_button(button)

    device = Written(source, *options)
    Acting(device, lambda: source.nodes, lambda point: source.node_at(point, ())).perform(Choose(AT, "200%"))
    assert not [what for what in device.told if what[0] == "type"]
    assert source.nodes[0].value == "200%"


def test_a_click_waits_until_a_program_has_processed_what_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "PREVIEWING", 0.3)
    source, device = FakeSource(node("field", "textbox")), FakeDevice(window(1, active=True))
    hand = Acting(device, lambda: source.nodes, lambda point: source.node_at(point, ()))
    hand.perform(TypeText("Ada", AT, replace=True))
    typed = time.monotonic()
    hand.perform(Click(AT))
    hand.perform(Click(AT))
    assert 0.25 < time.monotonic() - typed < 0.6


def test_cells_that_are_new_only_by_their_keys_are_no_options() -> None:
    """Qt makes new objects of the cells of a tree at each look."""
    counter = itertools.count()
    box = node("box", "combobox", "Template", Box(0, 0, 60, 10), states=frozenset({"focused"}))

    def look() -> list[Node]:
        return [box, node(f"cell {next(counter)}", "gridcell", "Garden", Box(0, 40, 50, 10))]

    device = FakeDevice(window(1, active=True))
    with pytest.raises(ActionFailed, match="did not accept"):
        Acting(device, look, lambda point: box).perform(Choose(AT, "Holiday"))
    assert ("type", "Holiday") in device.told


def test_a_list_that_took_another_option_than_the_clicked_one_is_not_done() -> None:
    with pytest.raises(ActionFailed, match='did not accept "Blue", it shows "Green"'):
        chosen("Blue", takes="Green")


def test_an_option_that_is_chosen_already_needs_nothing() -> None:
    assert chosen("Red") == []


def test_an_option_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(ActionFailed, match='no option "Green"; there are: "Red", "Blue"'):
        chosen("Green")


class Scrolled(FakeDevice):
    """A list of which three entries are in sight; the wheel brings others."""

    def __init__(self, *names: str) -> None:
        super().__init__(window(1, active=True))
        self._names, self._first = names, 0

    def wheel(self, down: int, right: int) -> None:
        self._first = min(max(self._first + (1 if down > 0 else -1), 0), len(self._names) - 3)

    def nodes(self) -> list[Node]:
        shown = self._names[self._first : self._first + 3]
        options = [node(name, "option", name, Box(0, 10 * i, 50, 10)) for i, name in enumerate(shown)]
        return [node("list", "listbox", "Fruit", Box(0, 0, 50, 30)), *options]


@pytest.mark.parametrize(("option", "row"), [("Plum", 25), ("Apple", 5)])
def test_an_option_out_of_sight_is_scrolled_to(option: str, row: int) -> None:
    device = Scrolled("Apple", "Fig", "Kiwi", "Lime", "Plum")
    device._first = 1
    Acting(device, device.nodes, lambda point: device.nodes()[0]).perform(Choose(Point(25, 15), option))
    assert (device.pointer, device.told[-2:]) == (Point(25, row), [("down", "left"), ("up", "left")])


def test_an_option_that_no_scrolling_brings_is_told_with_those_in_sight() -> None:
    device = Scrolled("Apple", "Fig", "Kiwi", "Lime")
    with pytest.raises(ActionFailed, match='no option "Plum"; there are: "Apple", "Fig", "Kiwi"'):
        Acting(device, device.nodes, lambda point: device.nodes()[0]).perform(Choose(Point(25, 15), "Plum"))


def test_a_box_is_clicked_where_the_box_is_as_its_label_may_end_before_its_place_does() -> None:
    box = node("box", "checkbox", "Urgent", Box(0, 0, 90, 10))
    device = FakeDevice(window(1, active=True))
    with pytest.raises(ActionFailed, match="still off"):
        Acting(device, lambda: [box], lambda _: box).perform(Check(Point(45, 5), True))
    assert ("move", 5, 5) in device.told


@pytest.mark.parametrize(("states", "tabs"), [((), 1), (("focused",), 2)])
def test_a_number_is_taken_also_by_a_field_that_keeps_the_keyboard_at_first(
    states: tuple[str, ...], tabs: int
) -> None:
    field = node("copies", "spinbutton", "Copies", value="1", states=frozenset(states))
    told = done(TypeText("12", AT, replace=True), field)
    assert told.count(("press", "tab")) == tabs + 1
    assert told[-4:] == BACK


def test_a_field_that_only_eyes_see_is_emptied_by_keys_that_every_toolkit_knows() -> None:
    seen = node("f", "textbox", "Copies", value="1", source="vision+ocr")
    told = done(TypeText("12", AT, replace=True), seen)
    assert ("press", "home") in told and ("press", "ctrl") not in told


def test_opening_waits_for_a_window_and_tells_when_none_comes() -> None:
    device = FakeDevice()
    device.opens = [window(7)]
    assert done(Open("Mousepad"), device=device) == [("launch", "Mousepad")]
    with pytest.raises(ActionFailed, match="showed no window"):
        done(Open("sleep 9"))
    device.opens = [replace(window(8), popup=True, hint=True)]
    with pytest.raises(ActionFailed, match="showed no window"):
        done(Open("a program of which only the splash comes"), device=device)


def test_a_program_that_ends_at_once_is_told_in_its_words() -> None:
    device = FakeDevice()
    device.why = "tool ended with code 2: bad option"
    with pytest.raises(ActionFailed, match="bad option"):
        done(Open("tool --bad"), device=device)


def test_an_address_goes_into_the_browser_in_front() -> None:
    browser = FakeDevice(window(1, app="chromium", active=True))
    told = done(Navigate("example.org", new_tab=True), device=browser)
    assert told == [*keys("ctrl", "t"), *keys("ctrl", "l"), ("type", "example.org"), *keys("enter")]


def test_without_a_browser_in_front_one_is_opened() -> None:
    device = FakeDevice(window(1, active=True))
    device.opens = [window(2, app="chromium")]
    assert done(Navigate("example.org"), device=device) == [("launch", "http://example.org")]


@pytest.mark.parametrize(
    "url", ["touch pwned x://", "sh -c id http://a", "x://a", "https://a\nid\n", "mailto:a@b.c", "", "run a"]
)
@pytest.mark.parametrize("app", ["chromium", "editor"])
def test_what_is_no_address_is_not_gone_to(url: str, app: str) -> None:
    device = FakeDevice(window(1, app=app, active=True))
    with pytest.raises(ActionFailed, match="is not an address"):
        done(Navigate(url), device=device)
    assert device.told == []


def test_switching_finds_a_window_by_title_or_program() -> None:
    device = FakeDevice(window(1, title="Notes", active=True), window(2, title="Table", app="calc"))
    assert done(Switch("tab"), device=device) == [("activate", 2)]
    with pytest.raises(ActionFailed, match='no window is called "Nobody"; there are: "Notes", "Table"'):
        done(Switch("Nobody"), device=device)


def test_switching_waits_for_a_window_that_is_still_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "COMING", 5.0)
    device, looks = FakeDevice(window(1, title="Notes", active=True)), list(range(3))
    listed = device.windows

    def windows() -> Sequence[Window]:
        if looks:
            looks.pop()
            return [one for one in listed() if one.id == 1]
        return listed()

    device.shown.append(window(2, title="Table"))
    monkeypatch.setattr(device, "windows", windows)
    assert done(Switch("table"), device=device) == [("activate", 2)]


def test_closing_without_a_window_in_front_is_refused() -> None:
    with pytest.raises(ActionFailed, match="no window is in front"):
        done(Close(), device=FakeDevice(window(1)))


def test_several_files_at_once_are_refused() -> None:
    with pytest.raises(ActionFailed, match="one by one"):
        done(Upload(AT, ("a", "b")))


def test_enter_behind_a_text_is_pressed_once_the_field_has_taken_the_text() -> None:
    device, looks = FakeDevice(window(1, active=True)), 0

    def at(point: Point) -> Node:
        nonlocal looks
        if ("type", "plan.ods") in device.told:
            looks += 1
            if looks == 3:
                device.told.append(("taken",))
        return node("f", "textbox", value="plan.ods" if looks > 2 else "")

    Acting(device, list, at).perform(TypeText("plan.ods\n", AT))
    told = [what for what in device.told if what[0] not in ("move", "down", "up")]
    assert told == [("type", "plan.ods"), ("taken",), *keys("enter")]


def test_the_rest_is_as_simple_as_it_sounds() -> None:
    assert done(Back()) == keys("alt", "left")
    assert done(Scroll(AT, 120, -30)) == [("wheel", 120, -30)]
    assert done(Click(AT, modifiers=("ctrl",))) == [("press", "ctrl"), *CLICK, ("release", "ctrl")]


class Closing(FakeDevice):
    """A window that closes, asks in another or in itself, or stays; an open menu hides the request."""

    def __init__(self, answer: str, *popups: Window) -> None:
        super().__init__(window(1, active=True), *popups)
        self._answer = answer

    def press_key(self, key: str) -> None:
        super().press_key(key)
        if key == "escape":
            self.shown = [one for one in self.shown if not one.popup]

    def close_window(self, window_: Window) -> None:
        super().close_window(window_)
        if any(one.popup for one in self.shown):
            return
        if self._answer == "closes":
            self.shown = []
        elif self._answer == "asks":
            self.shown = [*self.shown, window(2, active=True)]
        elif self._answer == "asks in itself":
            self.frames = [b"\xff" * (4 * self.size.width * self.size.height)]


@pytest.mark.parametrize("answer", ["closes", "asks", "asks in itself"])
def test_a_window_is_closed_or_asks_first(answer: str) -> None:
    assert ("close", 1) in done(Close(), device=Closing(answer))


def test_a_window_that_stays_is_told() -> None:
    with pytest.raises(ActionFailed, match='the window "Window 1" did not close'):
        done(Close(), device=Closing("stays"))


def test_what_is_typed_waits_until_the_clicked_field_has_the_keyboard() -> None:
    field = node("f", "textbox", value="10", window=1)
    page = node("p", "textbox", box=Box(0, 50, 90, 40), window=1, states=frozenset(["focused", "multiline"]))
    looks = [[page, field], [page, field], [replace(field, states=frozenset(["focused"]))]]
    device = FakeDevice(window(1, active=True))

    def look() -> list[Node]:
        device.told.append(("look",))
        return looks.pop(0) if len(looks) > 1 else looks[0]

    Acting(device, look, lambda point: field).perform(TypeText("14", AT, replace=True))
    assert device.told[1:] == [*CLICK, *[("look",)] * 3, *MARKED, ("type", "14")]


def test_a_click_that_only_closes_a_list_over_the_window_is_repeated_before_anything_is_typed() -> None:
    field = node("f", "textbox", value="10", window=1)
    held = node("p", "textbox", box=Box(0, 50, 90, 40), window=1, states=frozenset(["focused", "editable"]))
    device, takes = FakeDevice(window(1, active=True)), 2

    def look() -> list[Node]:
        reached = device.told.count(("down", "left")) >= takes
        return [held, field] if not reached else [replace(field, states=frozenset(["focused"]))]

    hands = Acting(device, look, lambda point: field)
    hands.perform(TypeText("14", AT, replace=True))
    assert device.told.count(("down", "left")) == 2
    assert device.told[-1] == ("type", "14")
    takes = 99
    with pytest.raises(ActionFailed, match="in another field"):
        hands.perform(TypeText("14", AT, replace=True))
    assert device.told.count(("type", "14")) == 1


@pytest.mark.parametrize("entry", ["option", "gridcell"])
def test_a_list_of_suggestions_is_closed_before_a_click_elsewhere(entry: str) -> None:
    device = FakeDevice(window(1, active=True), window(2, Box(0, 50, 60, 20), popup=True))
    shown = [node("s", entry, "Soup", Box(0, 50, 60, 10), window=2)]
    Acting(device, lambda: shown, lambda point: None).perform(Click(AT))
    assert device.told[:2] == keys("escape")


def test_a_menu_is_left_before_its_window_is_closed() -> None:
    device = Closing("closes", window(9, pid=1, popup=True))
    assert done(Close(), device=device) == [*keys("escape"), ("close", 1)]
    assert device.shown == []


@pytest.mark.parametrize(("replaces", "first"), [(True, MARKED), (False, [])])
def test_a_spin_button_is_left_so_that_its_number_counts_and_gets_the_next_key(
    replaces: bool, first: list[tuple[object, ...]]
) -> None:
    spin = node("s", "spinbutton", value="100")
    assert done(TypeText("77", AT, replaces), spin) == [*CLICK, *first, ("type", "77"), *keys("tab"), *BACK]


@pytest.mark.parametrize(("value", "taken"), [("/a/ne letter.txt", True), ("Desktop", False)])
def test_a_path_that_eyes_read_a_little_differently_is_in_the_file_dialog(value: str, taken: bool) -> None:
    seen = node("f", "textbox", value=value, states=frozenset(["editable"]), window=2, source="vision+ocr")
    device = FakeDevice(window(1, active=True))
    hands = Acting(device, lambda: [seen], lambda point: None)
    assert hands._shows(window(2), "/a/né letter.txt") is taken


def test_a_path_goes_into_the_field_that_its_first_letter_opens() -> None:
    files = node(1, "grid", "Files", states=frozenset(("focused",)))
    place = node(2, "textbox", "Location", states=frozenset(("focused", "editable")))
    device, looks = FakeDevice(window(1, active=True)), [files, files, files]

    def look() -> Sequence[Node]:
        # The field comes a moment after the first letter.
        return [looks.pop() if looks and device.told else place if device.told else files]

    hands = Acting(device, look, lambda point: None)
    hands.perform(TypeText("/tmp/a.txt"))
    assert device.told == [("type", "/"), ("type", "tmp/a.txt")]
    assert not looks
    hands.perform(TypeText("/tmp/b.txt"))
    assert device.told[2:] == [("type", "/tmp/b.txt")]


def test_keys_that_press_buttons_do_not_come_again_while_those_are_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("gui_agent.computers.desktop.fields.time.sleep", waits.append)
    button = node("b", "togglebutton", "AC", states=frozenset(["focused"]))
    assert done(TypeText("144*12="), button) == [("type", "14"), ("type", "4*12=")]
    assert len(waits) == 1 and waits[0] >= 0.25
    written = node("f", "textbox", "Note", states=frozenset(["focused", "editable"]))
    assert done(TypeText("144*12="), written) == [("type", "144*12=")]
    waits.clear()  # nothing has the keyboard, but a button is called as a key is
    assert done(TypeText("144*12="), node("b", "button", "4")) == [("type", "14"), ("type", "4*12=")]
    assert done(TypeText("144*12="), node("b", "button", "OK")) == [("type", "144*12=")]


@pytest.mark.parametrize(
    ("role", "at", "left"), [("option", 5, True), ("option", 55, False), ("menuitem", 5, False)]
)
def test_a_list_of_suggestions_is_left_before_a_click_elsewhere(role: str, at: int, left: bool) -> None:
    """Qt's list only closes by such a click."""
    suggestions = window(2, Box(50, 0, 40, 40), popup=True)
    device = FakeDevice(window(1, active=True), suggestions)
    entry = node("entry", role, "/home/ada/Backup", Box(50, 0, 40, 10), window=2)
    told = done(Click(Point(at, 5)), node("tab", "tab", "Filename", window=1), entry, device=device)
    assert (("press", "escape") in told or ("key", "escape") in told or ("down", "escape") in told) is left
