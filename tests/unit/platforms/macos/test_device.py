"""The device of a Mac against one in memory, with a picture twice as fine as its points."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from guiagent_platforms.macos.computer import KEYS, MacDevice, MacEars
from PIL import Image

from gui_agent.computers.desktop.monitor import ScreenCapture
from gui_agent.computers.desktop.parts import Device
from gui_agent.computers.desktop.person_watch import PersonWatch
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError, MissingExtra
from gui_agent.core.keys import NAMED
from gui_agent.core.observation import Box, Point, Size


class FakeHands:
    """pyautogui as far as it is used."""

    KEYBOARD_KEYS: tuple[str, ...] = ("a", "command", "esc")

    def __init__(self) -> None:
        self.did: list[tuple[Any, ...]] = []

    def size(self) -> tuple[int, int]:
        return 400, 300

    def position(self) -> tuple[int, int]:
        return 30, 40

    def __getattr__(self, name: str) -> Any:
        return lambda *given, _pause=True, **_: self.did.append((name, *given))


class FakeScreen:
    monitors: tuple[Box, ...] = (Box(0, 0, 400, 300),)
    corner = (0, 0)
    size = Size(400, 300)
    drawn = False

    def grab(self) -> Image.Image:
        picture = Image.new("RGB", (2 * self.size.width, 2 * self.size.height))
        picture.paste((250, 250, 250), (0, 0, 9 * self.drawn, 9))
        return picture

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

    keys: tuple[int, ...] = ()
    flags = 0
    allowed = True

    def CGEventSourceKeyState(self, state: int, code: int) -> bool:
        assert state == 1, "what the agent itself sends must not stop it"
        return code in self.keys

    def CGEventSourceFlagsState(self, state: int) -> int:
        return self.flags

    def CGEventCreate(self, _: None) -> None: ...

    def CGEventGetLocation(self, _: None) -> Any:
        return SimpleNamespace(x=30.0, y=40.0)

    def CGMainDisplayID(self) -> int:
        return 1

    def CGDisplayBounds(self, _: int) -> Any:
        return SimpleNamespace(size=SimpleNamespace(width=400.0, height=300.0))

    def CGPreflightScreenCaptureAccess(self) -> bool:
        return self.allowed

    CGPreflightPostEventAccess = CGPreflightScreenCaptureAccess


class Commands:
    def __init__(self) -> None:
        self.ran: list[Sequence[str]] = []
        self.clipboard = "before"
        self.layout = "ABC"

    def __call__(self, command: Sequence[str], given: str) -> str:
        self.ran.append(command)
        if command[0] == "pbcopy":
            self.clipboard = given
        if command[0] == "defaults":
            return f"com.apple.keylayout.{self.layout}\n"
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


def test_a_monitor_left_of_the_main_one_shifts_all_places(hands: FakeHands, commands: Commands) -> None:
    screen = FakeScreen()
    screen.corner, screen.size = (-200, -50), Size(600, 350)
    screen.monitors = (Box(200, 50, 400, 300), Box(0, 0, 200, 100))
    made = MacDevice(hands, cast(ScreenCapture, screen), FakeQuartz(), commands)
    assert (made.corner, made.scale) == ((-200, -50), 2.0)
    assert made.size == Size(1200, 700) and made.monitors[0] == Box(400, 100, 800, 600)
    assert made.pointer == Point(460, 180)
    made.move(Point(460, 180))
    assert hands.did == [("moveTo", 30.0, 40.0)]
    assert made.windows()[1].box == Box(420, 140, 200, 100)


def test_the_panic_key_and_the_corner_stop_the_agent() -> None:
    quartz = FakeQuartz()
    ears = MacEars("ctrl+alt+q", quartz)
    assert not ears.was_pressed
    quartz.keys = (12,)
    assert not ears.was_pressed, "the letter alone is no panic"
    quartz.flags = (1 << 18) | (1 << 19)
    assert ears.was_pressed
    assert not MacEars("", quartz).was_pressed
    assert ears.pointer == Point(30, 40) and set(ears.corners) == {(0, 0), (0, 299), (399, 0), (399, 299)}
    with pytest.raises(ConfigError, match="add one key"):
        MacEars("ctrl+alt+é", quartz)
    stopped = threading.Event()
    watch = PersonWatch(lambda: MacEars("ctrl+alt+q", quartz), corner=False, stop=stopped.set)
    assert stopped.wait(60)
    with pytest.raises(ComputerLost, match="panic key"):
        watch.check()
    watch.close()


def test_what_is_taken_for_granted_is_named_with_what_mends_it(hands: FakeHands, commands: Commands) -> None:
    screen, quartz = FakeScreen(), FakeQuartz()
    made = MacDevice(hands, cast(ScreenCapture, screen), quartz, commands)
    hands.KEYBOARD_KEYS = (*hands.KEYBOARD_KEYS, *(KEYS.get(name, name) for name in NAMED))
    screen.drawn = True
    assert [what for what, holds, _ in made.assumptions() if not holds] == []
    quartz.allowed, screen.drawn, hands.KEYBOARD_KEYS = False, False, ("a",)
    quartz.keys, quartz.flags = (12, 56), (1 << 18) | (1 << 19)
    commands.layout = "French"
    told = {what: (holds, fix) for what, holds, fix in made.assumptions()}
    assert sum(not holds for holds, _ in told.values()) == 7 and len(told) == 8
    assert "Screen Recording" in told["the screen may be recorded"][1]
    assert "input source ABC" in told["letters are where a US keyboard has them"][1]
    assert hands.did[-2:] == [("keyDown", "shift"), ("keyUp", "shift")]
    assert "capslock" in told["each key has a name"][1]


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
