"""What a phone says of its windows and displays."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gui_agent.computers.android.client import AdbDevice
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import Box

SHADE: Final = "NotificationShade"
_DISPLAY = re.compile(r"^ *Display: mDisplayId=(\d+)", re.MULTILINE)
_FOCUS = re.compile(r"mCurrentFocus=Window\{(\S+) \S+ (.+?)\}")
_APP = re.compile(r"mFocusedApp=.*?\bu\d+ ([\w.]+)/")
_WINDOW = re.compile(r"^ *Window #\d+ Window\{\S+ \S+ (.+?)\}:", re.MULTILINE)
_REGION = re.compile(r"touchable region=SkRegion\(\((-?\d+),(-?\d+),(-?\d+),(-?\d+)\)")
_FLAGS = re.compile(r"\bfl=([^}\n]*)")
_FLAG_SECURE = 0x2000


@dataclass(frozen=True, slots=True)
class WindowsState:
    """What `dumpsys window` says."""

    focus: str = ""
    """The title of the window in front, mostly `package/activity`."""
    window: str = ""
    """What tells the window in front from others of the same title, such as a dialog from its app."""
    app: str = ""
    """The package of the app in front, also under a dialog of the system."""
    keyboard: Box | None = None
    secure: bool = False
    """Whether the app forbids pictures of its screen."""
    toast: bool = False
    locked: bool = False
    rotation: int = 0
    """Quarter turns against how the phone is held naturally."""
    asleep: bool = False
    """Whether the display is off."""

    @property
    def failed(self) -> tuple[str, str]:
        """What the system says of an app in a dialog (`Not Responding`, `Error`), and its package."""
        found = re.match(r"Application (Not Responding|Error): (\S+)", self.focus)
        return (found[1], found[2]) if found else ("", "")


def windows_state(text: str, display: int = 0) -> WindowsState:
    """Read what `dumpsys window` says of one display."""
    text = _of_display(text, display)
    focus, app = _FOCUS.search(text), _APP.search(text)
    front = focus[2] if focus else ""
    keyboard, secure, toast = None, False, False
    parts = _WINDOW.split(text)
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        region, flags = _REGION.search(body), _FLAGS.search(body)
        if title == "InputMethod" and region and "isOnScreen=false" not in body:
            left, top, right, bottom = (int(edge) for edge in region.groups())
            keyboard = Box(left, top, right - left, bottom - top) if bottom > top else None
        if title == front and flags:
            words = flags[1].split()
            hexed = words and re.fullmatch(r"#?[0-9a-f]{4,8}", words[0])
            secure = (
                secure or "SECURE" in words or bool(hexed and int(words[0].lstrip("#"), 16) & _FLAG_SECURE)
            )
        toast = toast or title.startswith("Toast")
    locked = "/" not in front and bool(
        re.search(r"^\s*(?:showing|mShowingLockscreen|isKeyguardShowing)=true", text, re.MULTILINE)
    )
    asleep = bool(re.search(r"\bmAwake=false|interactiveState=INTERACTIVE_STATE_SLEEP", text))
    turns = re.search(r"\bmCurrentRotation=(?:ROTATION_)?(\d+)", text)
    turned = int(turns[1]) // (90 if int(turns[1]) > 3 else 1) if turns else 0
    window = focus[1] if focus else ""
    return WindowsState(front, window, app[1] if app else "", keyboard, secure, toast, locked, turned, asleep)


def _of_display(text: str, display: int) -> str:
    """The parts about one display; versions of Android that do not tell them apart have only one."""
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
    """One display of a phone, in the words of the commands that take one; 0 is the phone's own."""

    number: int = 0
    physical: str = ""
    """What those who make pictures call it."""

    @classmethod
    def of(cls, device: AdbDevice, name: str) -> Display:
        """A display by the number that Android gives it, as a text; empty for the phone's own."""
        if name in ("", "0"):
            return cls()
        said = device.look("dumpsys", "display").text
        told = dict(re.findall(r"displayId=(\d+), uniqueId='(?:local:)?([^']+)'", said))
        if name not in told:
            known = ", ".join(sorted(told)) or "none that it tells"
            raise ConfigError(f"the phone has no display {name}; it has {known}")
        if not told[name].isdecimal():
            raise ConfigError(f"display {name} is virtual; adb alone makes no pictures of it")
        return cls(int(name), told[name])

    @property
    def input(self) -> tuple[str, ...]:
        """The command for taps and keys on it."""
        return ("input", "-d", str(self.number)) if self.number else ("input",)

    @property
    def screencap(self) -> tuple[str, ...]:
        """The command for its picture."""
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
        """The part about it of what its `dump` wrote: the window in front."""
        if not self.number:
            return dump
        inside = dump.partition(f'<display id="{self.number}"')[2].partition("</display>")[0]
        windows = re.findall(r"<window [^>]*>.*?</window>", inside, re.DOTALL)
        front = next((one for one in windows if re.match(r'<window [^>]*active="true"', one)), "")
        return front or (windows[0] if windows else "")
