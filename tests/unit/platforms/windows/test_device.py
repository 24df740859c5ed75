"""The Windows device against a Windows in memory: input, windows, clipboard, programs."""

from __future__ import annotations

import io
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from guiagent_platforms.windows.device import WindowsDevice, keep
from guiagent_platforms.windows.native import (
    KEY_UP,
    RANGE,
    RELEASED,
    UNICODE,
    Event,
    Handle,
    KeyEvent,
    Mouse,
    System,
)

from gui_agent.computers.desktop.monitor import ScreenCapture
from gui_agent.computers.desktop.parts import Device, Window
from gui_agent.computers.desktop.person_watch import PersonWatch
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Box, Point, Size
from tests.unit.platforms.windows.conftest import FakeScreen, FakeSystem

NOTEPAD = Handle(
    7, "notes.txt - Notepad", "Notepad", 100, r"C:\Windows\notepad.exe", Box(-790, 40, 400, 300),
    Box(-800, 0, 420, 350), captioned=True,
)  # fmt: skip
MENU = Handle(
    8, "", "#32768", 100, "", Box(-780, 60, 80, 90), Box(-780, 60, 80, 90), captioned=False, owner=7
)


@pytest.fixture
def system() -> FakeSystem:
    return FakeSystem(handles=[MENU, NOTEPAD], foreground=7)


@pytest.fixture
def device(system: FakeSystem) -> WindowsDevice:
    fits_the_seam: System = system
    made = WindowsDevice(fits_the_seam, cast(ScreenCapture, FakeScreen()))
    also: Device = made
    assert also.platform == "windows"
    return made


def test_windows_are_told_lowest_first_in_pixels_of_the_picture(device: WindowsDevice) -> None:
    notes, menu = device.windows()
    assert (notes.app, notes.title, notes.active, notes.popup) == (
        "notepad",
        "notes.txt - Notepad",
        True,
        False,
    )
    assert notes.box == Box(10, 40, 400, 300)
    assert notes.outer == Box(0, 0, 420, 350)
    assert menu.popup and menu.outer is None


def test_the_pointer_is_told_in_pixels_of_the_picture(device: WindowsDevice, system: FakeSystem) -> None:
    system.pointer = Point(-800, 5)
    assert device.pointer == Point(0, 5)


def test_what_is_held_is_let_go_at_the_end(device: WindowsDevice, system: FakeSystem) -> None:
    device.press_key("ctrl")
    device.press_key("s")
    device.press_button("left")
    system.sent.clear()
    device.close()
    device.close()
    assert [event.code for event in system.sent if isinstance(event, KeyEvent)] == [ord("S"), 0xA2]
    assert all(event.flags & KEY_UP for event in system.sent if isinstance(event, KeyEvent))
    assert len(system.sent) == 3


def test_long_texts_are_sent_in_parts_without_loss(device: WindowsDevice, system: FakeSystem) -> None:
    device.type_text("é" * 500)
    assert len(system.sent) == 1000


def test_a_locked_desktop_is_an_error_that_says_what_to_do(device: WindowsDevice, system: FakeSystem) -> None:
    system.locked = True
    with pytest.raises(ActionFailed, match="unlock it"):
        device.move(Point(1, 1))
    with pytest.raises(ActionFailed, match="click on it"):
        device.activate(device.windows()[0])


def test_the_capital_of_a_key_alone_is_typed_and_that_of_a_chord_is_not(
    device: WindowsDevice, system: FakeSystem
) -> None:
    shifted = {"A": 0x0141, "+": 0x01BB}
    system.layout = lambda character: shifted.get(character, ord(character.upper()))  # type: ignore[method-assign]
    device.press_key("A")
    device.release_key("A")
    assert [event.code for event in system.sent if isinstance(event, KeyEvent)] == [0xA0, 0x41, 0x41, 0xA0]
    system.sent.clear()
    device.press_key("ctrl")
    device.press_key("A")
    assert [event.code for event in system.sent if isinstance(event, KeyEvent)] == [0xA2, 0x41]


def test_a_key_is_let_go_as_it_was_pressed_though_the_layout_is_another_by_then(
    device: WindowsDevice, system: FakeSystem
) -> None:
    english, german = {"z": ord("Z"), ";": 0xBA}, {"z": ord("Y")}
    system.layout = lambda character: english[character]  # type: ignore[method-assign]
    for key in ("ctrl", "z", ";"):
        device.press_key(key)
    pressed = [event.code for event in system.sent if isinstance(event, KeyEvent)]
    system.layout = lambda character: german.get(character, -1)  # type: ignore[method-assign]
    system.sent.clear()
    for key in (";", "z", "ctrl"):
        device.release_key(key)
    released = [event.code for event in system.sent if isinstance(event, KeyEvent)]
    assert released == pressed[::-1] == [0xBA, ord("Z"), 0xA2]


def test_the_monitors_may_change_while_the_agent_works(device: WindowsDevice, system: FakeSystem) -> None:
    device.move(Point(450, 300))
    before = system.sent[-1]
    assert isinstance(before, Mouse) and before.x == RANGE // 4
    system.desk = (900, 600, 1)
    device.move(Point(450, 300))
    after = system.sent[-1]
    assert isinstance(after, Mouse) and after.x == RANGE // 2
    assert device.size == Size(900, 600)


def test_minimised_windows_are_listed_apart_and_come_back(device: WindowsDevice, system: FakeSystem) -> None:
    system.handles = [MENU, replace(NOTEPAD, minimised=True)]
    assert [window.id for window in device.windows()] == [MENU.id]
    (hidden,) = device.minimised_windows()
    device.activate(hidden)
    assert NOTEPAD.id in [window.id for window in device.windows()] and device.minimised_windows() == []


@pytest.mark.parametrize("kind", ["ComboLBox", "tooltips_class32", "Xaml_WindowedPopupClass"])
def test_an_open_list_without_an_owner_is_a_popup(
    device: WindowsDevice, system: FakeSystem, kind: str
) -> None:
    system.handles = [replace(MENU, kind=kind, owner=0)]
    assert device.windows()[0].popup


def test_a_program_that_hangs_is_told_and_one_that_answers_is_left_to_the_picture(
    device: WindowsDevice, system: FakeSystem
) -> None:
    notes = device.windows()[0]
    assert device.caught_up(notes, 1.0) is None
    system.hung.add(notes.id)
    assert device.caught_up(notes, 1.0) is False


def test_a_window_with_higher_rights_is_told_before_input_is_lost(
    device: WindowsDevice, system: FakeSystem
) -> None:
    system.elevated.add(NOTEPAD.id)
    for act in (lambda: device.type_text("x"), lambda: device.press_key("a"), lambda: device.wheel(9, 0)):
        with pytest.raises(ActionFailed, match=r"notes\.txt - Notepad.* runs as administrator"):
            act()
    assert system.sent == []


def test_an_editor_that_mixes_up_what_comes_at_once_is_typed_into_slowly(
    device: WindowsDevice, system: FakeSystem
) -> None:
    system.editor, system.mixes_up = "", True
    device.type_text("Hello world")
    assert system.editor == "Hello world"
    device.type_text(" again")
    assert system.editor == "Hello world again"


class BusyEditor(FakeSystem):
    """An editor that shows a character only after some looks, and doubles one that comes before that."""

    behind, waiting = 0, ""

    def _take(self, taken: Sequence[Event]) -> None:
        keys = [one for one in taken if isinstance(one, KeyEvent) and not one.flags & KEY_UP]
        typed = "".join(chr(one.scan) for one in keys if one.flags & UNICODE)
        if not typed:
            return super()._take(taken)
        self.waiting += "".join(2 * one for one in typed) if self.waiting or len(typed) > 1 else typed
        self.behind = 3
        return None

    def focused_text(self) -> tuple[int, str] | None:
        self.behind -= 1
        if self.behind <= 0 and self.editor is not None:
            self.editor, self.waiting = self.editor + self.waiting, ""
        return super().focused_text()


def test_an_editor_that_is_behind_gets_the_next_character_once_it_shows_the_last() -> None:
    system = BusyEditor(editor="")
    WindowsDevice(system, cast(ScreenCapture, FakeScreen())).type_text("Hello world")
    assert system.focused_text() and system.editor == "Hello world"


def test_a_field_that_writes_otherwise_on_purpose_is_typed_into_twice_at_most(
    device: WindowsDevice, system: FakeSystem
) -> None:
    system.editor, system.capitals = "", True
    device.type_text("plate 7")
    assert (system.editor, len(system.sent)) == ("PLATE 7", 14)


def test_a_file_named_to_a_program_is_named_by_its_whole_path(
    device: WindowsDevice, system: FakeSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "note5.txt").touch()
    monkeypatch.chdir(tmp_path)
    system.programs = ("notepad",)
    device.launch("notepad note5.txt")
    assert system.opened == [("notepad", str(tmp_path / "note5.txt"))]


def test_the_person_can_stop_it_before_any_input(device: WindowsDevice, system: FakeSystem) -> None:
    class Pressed:
        was_pressed, pointer, corners = True, Point(500, 500), ((0, 0),)

        def close(self) -> None: ...

    stopped = threading.Event()
    device.person = PersonWatch(Pressed, False, stopped.set)
    assert stopped.wait(60)
    for act in (lambda: device.type_text("x"), lambda: device.move(Point(1, 1))):
        with pytest.raises(ComputerLost, match="the panic key was pressed"):
            act()
    assert system.sent == []


def test_what_a_killed_run_held_is_let_go_by_the_keeper() -> None:
    down, sent = {0xA2, 0x11, 0x53, 0x01}, list[Event]()

    def send(made: Sequence[Event]) -> int:
        sent.extend(made)
        return len(made)

    assert not keep(io.BytesIO(b"done"), down.__contains__, send) and sent == []
    assert keep(io.BytesIO(b""), down.__contains__, send)
    assert [event.code for event in sent if isinstance(event, KeyEvent)] == [0xA2, 0x53]
    assert all(event.flags & KEY_UP for event in sent if isinstance(event, KeyEvent))
    assert [event.flags for event in sent if isinstance(event, Mouse)] == [RELEASED["left"]]


def test_windows_are_closed_and_brought_to_the_front(device: WindowsDevice, system: FakeSystem) -> None:
    notes = device.windows()[0]
    device.activate(notes)
    assert system.foreground == notes.id
    device.close_window(notes)
    assert [window.id for window in device.windows()] == [MENU.id]


def test_the_clipboard_is_read(device: WindowsDevice, system: FakeSystem) -> None:
    system.clipboard = "né 你好"
    assert device.clipboard == "né 你好"


@pytest.fixture
def menu(tmp_path: Path, system: FakeSystem) -> Path:
    for name in ("Notepad", "Microsoft Word", "Word Viewer", "LibreOffice Calc"):
        (tmp_path / f"{name}.lnk").touch()
    system.folders.append(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("name", "link"), [("notepad", "Notepad"), ("Calc", "LibreOffice Calc")])
def test_programs_are_started_by_their_name_in_the_start_menu(
    device: WindowsDevice, system: FakeSystem, menu: Path, name: str, link: str
) -> None:
    device.launch(name)
    assert system.opened == [(str(menu / f"{link}.lnk"), "")]


def test_a_command_is_opened_with_its_arguments_and_no_shell(
    device: WindowsDevice, system: FakeSystem, menu: Path
) -> None:
    system.programs = ("charmap",)
    device.launch('charmap /a "two words"')
    assert system.opened == [("charmap", '/a "two words"')]


def test_files_and_addresses_are_opened(device: WindowsDevice, system: FakeSystem, tmp_path: Path) -> None:
    file = tmp_path / "a b.txt"
    file.touch()
    device.launch(str(file))
    device.launch("https://example.org/")
    assert system.opened == [(str(file), ""), ("https://example.org/", "")]


@pytest.mark.parametrize(
    ("name", "hint"), [("notpad", 'did you mean "Notepad"'), ("word", "matches"), (" ", "nothing to open")]
)
def test_a_name_that_fits_nothing_or_several_is_an_error_with_a_hint(
    device: WindowsDevice, menu: Path, name: str, hint: str
) -> None:
    with pytest.raises(ActionFailed, match=hint):
        device.launch(name)


def test_on_another_system_the_error_says_so() -> None:
    with pytest.raises(ConfigError, match="not Windows"):
        WindowsDevice()


def test_a_window_is_a_window(device: WindowsDevice) -> None:
    assert all(isinstance(window, Window) for window in device.windows())
