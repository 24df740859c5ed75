"""The Windows device against a Windows in memory: input, windows, clipboard, programs."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from gui_agent.computers.desktop.parts import Device, Window
from gui_agent.computers.desktop.screen import ScreenCapture
from gui_agent.computers.windows.device import WindowsDevice
from gui_agent.computers.windows.events import KEY_UP, KeyEvent
from gui_agent.computers.windows.native import Handle, System
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.geometry import Box, Point
from tests.unit.computers.windows.conftest import FakeScreen, FakeSystem

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


def test_windows_are_closed_and_brought_to_the_front(device: WindowsDevice, system: FakeSystem) -> None:
    notes = device.windows()[0]
    device.activate(notes)
    assert system.foreground == notes.id
    device.close_window(notes)
    assert [window.id for window in device.windows()] == [MENU.id]


def test_the_clipboard_is_read_and_written(device: WindowsDevice) -> None:
    device.clipboard = "né 你好"
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
    ("name", "hint"), [("notpad", 'did you mean "Notepad"'), ("word", "may mean"), (" ", "nothing to open")]
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
