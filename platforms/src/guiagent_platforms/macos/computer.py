"""The screen of a Mac as a computer: `--on desktop` on macOS."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gui_agent.computers.desktop.computer import SingleScreenComputer, WatchedDevice
from gui_agent.computers.desktop.elements import Observe, with_source
from gui_agent.computers.desktop.monitor import ScreenCapture
from gui_agent.computers.desktop.parts import HeldInput, Source, UntoldDevice, Unwatched, Window
from gui_agent.computers.desktop.person_watch import Ears, PersonWatch, no_panic_key, panic_keys
from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed, MissingExtra
from gui_agent.core.keys import NAMED
from gui_agent.core.observation import Box, Point, Size
from gui_agent.core.os_errors import user_path
from gui_agent.core.protocols import Opening, is_program
from gui_agent.core.texts import shorten

if TYPE_CHECKING:
    from PIL.Image import Image

KEYS = {"meta": "command", "alt": "option", "altgr": "optionright", "escape": "esc", "delete": "del"}
"""Keys with other names in pyautogui."""
PIXELS = 10
"""Pixels that programs scroll by one step of the wheel, approximately."""
PASTED = 0.2
"""Seconds for a program to paste a text before the clipboard is restored."""
AGREEING = 2
"""Maximum difference (points) between two queries of the pointer position."""
PANIC = "ctrl+alt+q"
LAYOUTS = frozenset(
    (
        *("ABC", "US", "USExtended", "USInternational-PC", "British", "Australian", "Canadian", "Irish"),
        *("Danish", "Dutch", "Finnish", "Italian-Pro", "Norwegian", "Spanish-ISO", "Swedish-Pro"),
    )
)
"""Keyboard layouts with their letters where a US keyboard has them."""
SHIFT = 56
LISTED = 1 | 16
"""Options of the window list: visible windows, without parts of the desktop."""
Run = Callable[[Sequence[str], str], str]
"""Runs a command with an input and returns its output; raises `OSError` if it fails."""


class MacDevice(HeldInput, UntoldDevice):
    """The screen of a Mac. Points are pixels of the picture; on Retina screens, finer than macOS points.

    macOS asks the user once to allow the terminal to record the screen and to control the computer.
    """

    platform = "macos"

    def __init__(
        self,
        hands: Any = None,
        screen: ScreenCapture | None = None,
        windows: Any = None,
        run: Run | None = None,
    ) -> None:
        """Args: hands, screen, windows, run: replacements for tests; pyautogui, mss and Quartz by default."""
        super().__init__()
        self._hands = hands or _library("pyautogui")
        # Disables pyautogui's pauses and its stop by the mouse in a corner: the agent has its own.
        self._hands.PAUSE, self._hands.FAILSAFE = 0, False
        self._quartz = windows or _library("Quartz")
        self._screen = screen or ScreenCapture()
        self._run = run or _run
        self.person: PersonWatch | Unwatched = Unwatched()

    @property
    def size(self) -> Size:
        shot = self.grab()
        return Size(shot.width, shot.height)

    @property
    def corner(self) -> tuple[int, int]:
        """The picture's origin, in macOS points."""
        return self._screen.corner

    @property
    def scale(self) -> float:
        """Pixels of the picture per macOS point, for all monitors together."""
        return float(self._screen.grab().width) / float(self._screen.size.width)

    @property
    def monitors(self) -> tuple[Box, ...]:
        scale = self.scale
        return tuple(_scale_box(box, scale) for box in self._screen.monitors)

    @property
    def pointer(self) -> Point:
        (x, y), (left, top), scale = self._hands.position(), self._screen.corner, self.scale
        return Point(round((x - left) * scale), round((y - top) * scale))

    def grab(self, box: Box | None = None) -> Image:
        whole = self._screen.grab()
        return whole if box is None else whole.crop(box.edges)

    def pixels(self) -> bytes | bytearray:
        return self._screen.pixels()

    def move(self, point: Point) -> None:
        """Move the pointer; with a button held, this is a drag."""
        # The picture starts at the left and topmost monitor, macOS coordinates at the main one.
        (left, top), scale = self._screen.corner, self.scale
        x, y = left + point.x / scale, top + point.y / scale
        self.person.note_sent(Point(round(x), round(y)))
        if self._pressed:
            button = next(reversed(self._pressed))
            self._hands.dragTo(x, y, button=button, mouseDownUp=False, _pause=False)
        else:
            self._hands.moveTo(x, y, _pause=False)

    def press_button(self, button: Button) -> None:
        self.person.check_pointer(lambda: Point(*map(round, self._hands.position())))
        super().press_button(button)

    def wheel(self, down: int, right: int) -> None:
        self.person.check()
        if down:
            self._hands.vscroll(-_steps(down), _pause=False)
        if right:
            self._hands.hscroll(_steps(right), _pause=False)

    def press_key(self, key: str) -> None:
        self.person.check()
        super().press_key(key)

    def _send_button(self, button: Button, *, down: bool) -> None:
        send = self._hands.mouseDown if down else self._hands.mouseUp
        send(button=button, _pause=False)

    def _key(self, key: str) -> str:
        name = _name(key)
        if name not in self._hands.KEYBOARD_KEYS:
            raise ActionFailed(f"there is no key {key!r} on this keyboard; type it as text instead")
        return name

    def _send_key(self, made: str, *, down: bool) -> None:
        send = self._hands.keyDown if down else self._hands.keyUp
        send(made, _pause=False)

    def type_text(self, text: str) -> None:
        """Paste a text at the focus, because keys cannot type all texts; then restore the clipboard."""
        self.person.check()
        before = self.clipboard
        self.clipboard = text
        self._hands.hotkey("command", "v", _pause=False)
        time.sleep(PASTED)
        self.clipboard = before

    def windows(self) -> Sequence[Window]:
        told: Sequence[Mapping[str, Any]] = self._quartz.CGWindowListCopyWindowInfo(LISTED, 0) or ()
        plain = [one for one in told if one.get("kCGWindowLayer", 0) == 0]
        front = plain[0]["kCGWindowNumber"] if plain else 0
        return [self._window(one, front) for one in reversed(plain)]

    def activate(self, window: Window) -> None:
        self._call(["open", "-a", window.app], f"{window.app} did not come to the front")

    def close_window(self, window: Window) -> None:
        """Close the front window of a program by its keyboard shortcut."""
        self.activate(window)
        self._hands.hotkey("command", "w", _pause=False)

    def opening(self, name: str) -> Opening:
        path = user_path(name)
        if "://" in name:
            return Opening("address", (name,), name)
        if not path.exists():
            return Opening("program", ("-a", name))
        runs = is_program(path.name) or (path.is_file() and os.access(path, os.X_OK))
        return Opening("executable" if runs else "document", (str(path),))

    def launch(self, name: str) -> None:
        self._call(["open", *self.opening(name).command], f'no program or file is called "{shorten(name)}"')

    @property
    def clipboard(self) -> str:
        return self._run(["pbpaste"], "")

    @clipboard.setter
    def clipboard(self, text: str) -> None:
        self._run(["pbcopy"], text)

    def assumptions(self) -> Iterator[tuple[str, bool, str]]:
        """Assumptions about macOS: what is assumed, whether it holds, and how to fix it."""
        where = "allow it to the terminal in System Settings, Privacy & Security, "
        for what, call, place in (
            ("the screen may be recorded", "CGPreflightScreenCaptureAccess", "Screen Recording"),
            ("mouse and keys may be sent", "CGPreflightPostEventAccess", "Accessibility"),
        ):
            asked = getattr(self._quartz, call, None)  # macOS 10.15 and later
            yield what, asked is None or bool(asked()), f"{where}{place}, and restart the terminal"
        extremes = self.grab().convert("L").getextrema()
        yield "the picture shows something", extremes[0] != extremes[1], f"{where}Screen Recording"
        names = {name for name in NAMED if name not in ("menu", "printscreen", "pause", "insert")}
        unknown = sorted(name for name in names if _name(name) not in self._hands.KEYBOARD_KEYS)
        yield "each key has a name", not unknown, f"report these keys: {', '.join(unknown)}"
        yield (
            "letters are where a US keyboard has them",
            self._letters_in_place(),
            "choose the input source ABC while guiagent runs; keys are pressed by position",
        )
        self._hands.keyDown("shift", _pause=False)
        own = bool(self._quartz.CGEventSourceKeyState(HARDWARE, SHIFT))
        self._hands.keyUp("shift", _pause=False)
        yield "keys that the agent sends do not count as the person's", not own, "report it"
        heard, told = MacEars("", self._quartz).pointer, self._hands.position()
        near = max(abs(heard.x - told[0]), abs(heard.y - told[1])) <= AGREEING
        yield (
            "both queries of the pointer position agree",
            near,
            "report it with the arrangement of your monitors",
        )
        still = not MacEars(PANIC, self._quartz).was_pressed
        yield "the panic key counts as pressed only when it is", still, "report it with your keyboard layout"

    def close(self) -> None:
        self.let_go()
        self.person.close()
        self._screen.close()

    def _letters_in_place(self) -> bool:
        asked = ("defaults", "read", "com.apple.HIToolbox", "AppleCurrentKeyboardLayoutInputSourceID")
        try:
            return self._run(asked, "").strip().rpartition(".")[2] in LAYOUTS
        except (OSError, subprocess.SubprocessError):
            return False

    def _call(self, command: Sequence[str], failed: str) -> None:
        try:
            self._run(command, "")
        except (OSError, subprocess.SubprocessError) as error:
            raise ActionFailed(f"{failed}; check its name") from error

    def _window(self, told: Mapping[str, Any], front: int) -> Window:
        bounds = told.get("kCGWindowBounds", {})
        sides = [round(bounds.get(side, 0)) for side in ("X", "Y", "Width", "Height")]
        left, top = self._screen.corner
        box = _scale_box(Box(sides[0] - left, sides[1] - top, sides[2], sides[3]), self.scale)
        number = int(told["kCGWindowNumber"])
        return Window(
            id=number,
            title=str(told.get("kCGWindowName", "") or ""),
            app=str(told.get("kCGWindowOwnerName", "")),
            pid=int(told.get("kCGWindowOwnerPID", 0)),
            box=box,
            active=number == front,
        )


def _name(key: str) -> str:
    return KEYS.get(key, key)


def _steps(pixels: int) -> int:
    return round(pixels / PIXELS) or (1 if pixels > 0 else -1)


def _scale_box(box: Box, scale: float) -> Box:
    return Box(*(round(side * scale) for side in box.measures))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    # On some systems, importing pyautogui ends the process.
    except (ImportError, KeyError, SystemExit) as error:
        raise MissingExtra("desktop", "the screen of a Mac") from error


def _run(command: Sequence[str], given: str) -> str:
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, timeout=20)
    return done.stdout


HARDWARE = 1
"""The state of real keys, without keys sent by the agent."""
FLAGS = {"shift": 1 << 17, "ctrl": 1 << 18, "alt": 1 << 19, "meta": 1 << 20}
LETTERS = "asdfhgzxcv\0bqweryt"
"""Letters by their key codes from 0 on, as on a US keyboard; the other keys follow."""
CODES = {
    **{letter: code for code, letter in enumerate(LETTERS) if letter != "\0"},
    **{"o": 31, "u": 32, "i": 34, "p": 35, "l": 37, "j": 38, "k": 40, "n": 45, "m": 46, "escape": 53},
    **{"f1": 122, "f2": 120, "f3": 99, "f4": 118, "f5": 96, "f6": 97, "f7": 98, "f8": 100, "f9": 101},
    **{"f10": 109, "f11": 103, "f12": 111},
}


class MacEars:
    """Checks whether the panic key is held on the real keyboard, and reads the pointer."""

    def __init__(self, panic: str, quartz: Any = None) -> None:
        """Args: panic: keys such as `ctrl+alt+q`, empty for none; quartz: a replacement for tests."""
        self._quartz = quartz or _library("Quartz")
        self._code, self._held = -1, 0
        if panic:
            key, held = panic_keys(panic)
            if key not in CODES:
                raise no_panic_key(panic)
            self._code = CODES[key]
            self._held = sum(FLAGS[name] for name in held)

    @property
    def was_pressed(self) -> bool:
        """Whether the panic key is held down."""
        if self._code < 0 or not self._quartz.CGEventSourceKeyState(HARDWARE, self._code):
            return False
        return bool(self._quartz.CGEventSourceFlagsState(HARDWARE) & self._held == self._held)

    @property
    def pointer(self) -> Point:
        at = self._quartz.CGEventGetLocation(self._quartz.CGEventCreate(None))
        return Point(round(at.x), round(at.y))

    @property
    def corners(self) -> Sequence[tuple[int, int]]:
        bounds = self._quartz.CGDisplayBounds(self._quartz.CGMainDisplayID())
        return Size(round(bounds.size.width), round(bounds.size.height)).box.corners

    def close(self) -> None:
        """Do nothing, as nothing is held."""


class MacComputer(SingleScreenComputer):
    """The screen of a Mac with its programs and windows; experimental."""

    EXPERIMENTAL = "experimental: its platform code has not run on a real Mac"

    def assumptions(self) -> Iterator[tuple[str, bool, str]]:
        """Assumptions about macOS."""
        yield from getattr(self._device, "assumptions")()  # noqa: B009

    @staticmethod
    def _connect(observe: Observe) -> tuple[WatchedDevice, Source]:
        return with_source(MacDevice(), observe)

    @staticmethod
    def _ears(panic: str) -> Ears:

        return MacEars(panic)
