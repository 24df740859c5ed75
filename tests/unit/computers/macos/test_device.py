"""The device of a Mac against one in memory, with a picture twice as fine as its points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest
from PIL import Image

from gui_agent.computers.desktop.parts import Device
from gui_agent.computers.desktop.screen import ScreenCapture
from gui_agent.computers.macos.device import MacDevice
from gui_agent.core.errors import ActionFailed, MissingExtra
from gui_agent.core.geometry import Box, Point, Size


class FakeHands:
    """pyautogui as far as it is used."""

    KEYBOARD_KEYS = ("a", "command", "esc")

    def __init__(self) -> None:
        self.did: list[tuple[Any, ...]] = []

    def size(self) -> tuple[int, int]:
        return 400, 300

    def position(self) -> tuple[int, int]:
        return 30, 40

    def __getattr__(self, name: str) -> Any:
        return lambda *given, _pause=True, **_: self.did.append((name, *given))


class FakeScreen:
    monitors = (Box(0, 0, 400, 300),)

    def grab(self) -> Image.Image:
        return Image.new("RGB", (800, 600))

    def close(self) -> None:
        pass


class FakeQuartz:
    def CGWindowListCopyWindowInfo(self, *_: int) -> list[dict[str, Any]]:
        bounds = {"X": 10.0, "Y": 20.0, "Width": 100.0, "Height": 50.0}
        front = {"kCGWindowNumber": 2, "kCGWindowOwnerName": "TextEdit", "kCGWindowBounds": bounds}
        return [
            {"kCGWindowNumber": 9, "kCGWindowLayer": 25, "kCGWindowBounds": bounds},
            {**front, "kCGWindowName": "a.txt", "kCGWindowOwnerPID": 7},
            {**front, "kCGWindowNumber": 1, "kCGWindowOwnerName": "Finder"},
        ]


class Commands:
    def __init__(self) -> None:
        self.ran: list[Sequence[str]] = []
        self.clipboard = "before"

    def __call__(self, command: Sequence[str], given: str) -> str:
        self.ran.append(command)
        if command[0] == "pbcopy":
            self.clipboard = given
        if "Nothing" in command:
            raise OSError("no such program")
        return self.clipboard


@pytest.fixture
def hands() -> FakeHands:
    return FakeHands()


@pytest.fixture
def commands() -> Commands:
    return Commands()


@pytest.fixture
def device(hands: FakeHands, commands: Commands) -> MacDevice:
    made = MacDevice(hands, cast(ScreenCapture, FakeScreen()), FakeQuartz(), commands)
    fits_the_seam: Device = made
    assert fits_the_seam.platform == "macos"
    return made


def test_points_are_pixels_of_the_picture(device: MacDevice, hands: FakeHands) -> None:
    assert device.size == Size(800, 600)
    assert device.pointer == Point(60, 80)
    assert device.monitors == (Box(0, 0, 800, 600),)
    device.move(Point(100, 50))
    assert hands.did == [("moveTo", 50.0, 25.0)]


def test_moving_with_a_button_held_is_dragging(device: MacDevice, hands: FakeHands) -> None:
    device.press_button("left")
    device.move(Point(2, 2))
    device.release_button("left")
    device.release_button("left")
    assert [name for name, *_ in hands.did] == ["mouseDown", "dragTo", "mouseUp"]


def test_windows_are_told_lowest_first_without_menu_bar_and_dock(device: MacDevice) -> None:
    finder, editor = device.windows()
    assert (finder.app, finder.active) == ("Finder", False)
    assert (editor.app, editor.title, editor.pid, editor.active) == ("TextEdit", "a.txt", 7, True)
    assert editor.box == Box(20, 40, 200, 100)


def test_text_is_pasted_and_the_clipboard_given_back(
    device: MacDevice, hands: FakeHands, commands: Commands
) -> None:
    device.type_text("né 你好")
    assert hands.did == [("hotkey", "command", "v")]
    assert commands.clipboard == "before"


def test_keys_have_their_names_and_unknown_ones_are_errors(device: MacDevice, hands: FakeHands) -> None:
    device.press_key("meta")
    device.press_key("escape")
    device.close()
    assert hands.did == [("keyDown", "command"), ("keyDown", "esc"), ("keyUp", "esc"), ("keyUp", "command")]
    with pytest.raises(ActionFailed, match="type it as text"):
        device.press_key("é")


def test_programs_files_and_addresses_are_opened_without_a_shell(
    device: MacDevice, commands: Commands, tmp_path: Any
) -> None:
    for what in ("TextEdit", str(tmp_path), "https://example.org/"):
        device.launch(what)
    assert commands.ran == [
        ["open", "-a", "TextEdit"],
        ["open", str(tmp_path)],
        ["open", "https://example.org/"],
    ]
    with pytest.raises(ActionFailed, match="check its name"):
        device.launch("Nothing")


def test_elsewhere_the_error_says_what_is_missing() -> None:
    with pytest.raises(MissingExtra, match="desktop"):
        MacDevice()
