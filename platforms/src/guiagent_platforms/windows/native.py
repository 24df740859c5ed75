"""Windows' C interface, and input events in its format, without any decisions."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterable, Iterator, Sequence
from ctypes import wintypes
from dataclasses import dataclass, replace
from pathlib import Path, PureWindowsPath
from typing import Any, Protocol

from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.keys import PHONE_KEYS
from gui_agent.core.observation import Box, Point, Size
from guiagent_platforms.windows.automation import ask, box_between, library


@dataclass(frozen=True, slots=True)
class Handle:
    """The properties of a top-level window, in Windows coordinates."""

    id: int
    title: str
    kind: str
    """The name of its window class; `#32768` is a menu."""
    pid: int
    program: str
    inside: Box
    frame: Box
    """The visible bounds, without the invisible border for the mouse."""
    captioned: bool
    owner: int = 0
    minimised: bool = False


class System(Protocol):
    """The used part of Windows; points are physical pixels from the corner of the main monitor."""

    def send(self, events: Sequence[Event]) -> int:
        """Send events to mouse and keyboard. Returns how many were accepted."""

    def layout(self, character: str) -> int:
        """The key for a character, in the format of `VkKeyScanW`; -1 if there is none."""

    @property
    def pointer(self) -> Point: ...

    @property
    def desk(self) -> tuple[int, ...]:
        """Numbers that change with the monitors: their count, sizes and positions."""

    def windows(self) -> Sequence[Handle]:
        """The visible or minimised windows, highest first."""

    @property
    def foreground(self) -> int:
        """The window with the focus."""

    def activate(self, window: int) -> bool:
        """Bring a window to the front; False if Windows refused."""

    def answers(self, window: int, seconds: float) -> bool:
        """Whether the program of a window processes messages within a time."""

    def is_protected(self, window: int) -> bool:
        """Whether Windows drops all input to a window, because its program has higher rights."""

    def focused_text(self) -> tuple[int, str] | None:
        """The focused control and its text; None if it does not report the text, or hides it."""

    def ask_to_close(self, window: int) -> None: ...

    def open(self, file: str, arguments: str = "") -> int:
        """Open a program, a file or an address as a double click does; returns more than 32 on success."""

    def start_menu(self) -> Sequence[Path]:
        """The folders of the start menu: the user's and that of all users."""

    def get_clipboard(self) -> str: ...


PER_MONITOR, PER_MONITOR_V2 = -3, -4
MOUSE, KEYBOARD = 0, 1
CAPTION, CLOAKED, FRAME, PASSWORD = 0xC00000, 14, 9, 0x20
"""Two window styles, and two attributes of the window manager: cloaked, and visible bounds."""
CLICKED_THROUGH = 0x20 | 0x80000
"""Extended styles of windows that let the mouse through: overlays of games, meetings and pens."""
GET_STYLE, GET_EXTENDED, GET_OWNER, RESTORE, CLOSE = -16, -20, 4, 9, 0x10
UNICODE_TEXT = 13
PERSONS_PROGRAMS, ALL_PROGRAMS = 0x02, 0x17
NAME_ONLY = 0x1000
"""The minimum right to read the path of a process's program."""
NOTHING, GET_TEXT, GET_LENGTH, GET_DIALOG_CODE, HAS_SELECTION = 0x0, 0x0D, 0x0E, 0x87, 0x8
"""Messages that every window answers, and an editor's answer to the last."""
UNASSIGNED = 0xE8
"""A key that no keyboard has: sending it allows this process to take the front; programs ignore it."""
DESK = (0, 1, 76, 77, 78, 79, 80)
"""Size of the main monitor, position and size of all together, and their count."""
TOKEN_QUERY, INTEGRITY = 0x8, 25
STORE_FRAME, STORE_PROGRAM = "applicationframehost", "Windows.UI.Core.CoreWindow"
"""The program that frames windows of Store apps, and the window class of the app inside."""
LONGEST_READ = 20_000
"""Maximum characters of a text that is read back."""
ASKING = 0.3
"""Maximum seconds for a control to return its text."""


class _Mouse(ctypes.Structure):
    _fields_ = (
        ("x", wintypes.LONG),
        ("y", wintypes.LONG),
        ("data", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("extra", ctypes.c_void_p),
    )


class _Key(ctypes.Structure):
    _fields_ = (
        ("code", wintypes.WORD),
        ("scan", wintypes.WORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("extra", ctypes.c_void_p),
    )


class _Either(ctypes.Union):
    _fields_ = (("mouse", _Mouse), ("key", _Key))


class NativeInput(ctypes.Structure):
    """`INPUT` of the C interface."""

    _fields_ = (("kind", wintypes.DWORD), ("event", _Either))


class _Thread(ctypes.Structure):
    """`GUITHREADINFO` of the C interface."""

    _fields_ = (
        ("size", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        *((name, ctypes.c_void_p) for name in ("active", "focus", "capture", "menu", "moving", "caret")),
        ("place", wintypes.RECT),
    )


def pack(event: Event) -> NativeInput:
    """An event in the format of the C interface."""
    if isinstance(event, KeyEvent):
        return NativeInput(KEYBOARD, _Either(key=_Key(event.code, event.scan, event.flags, 0, None)))
    data = event.data & 0xFFFFFFFF
    return NativeInput(MOUSE, _Either(mouse=_Mouse(event.x, event.y, data, event.flags, 0, None)))


class Native:
    """See `system.System`. docs/windows.md says which parts have run on which systems."""

    def __init__(self) -> None:
        """Make the process DPI-aware on every monitor."""
        self._user = library("user32")
        self._kernel = library("kernel32")
        self._manager = library("dwmapi")
        self._shell = library("shell32")
        self._rights = library("advapi32")
        self._declare()
        self._see_pixels()
        self._own_rights = self._integrity(self._kernel.GetCurrentProcess())

    def send(self, events: Sequence[Event]) -> int:
        """Send events to mouse and keyboard, with scan codes for some programs. Returns their number."""
        made = (NativeInput * len(events))(*map(pack, events))
        for one in made:
            key = one.event.key
            if one.kind == KEYBOARD and key.code:
                key.scan = self._user.MapVirtualKeyW(key.code, 0)
        return int(self._user.SendInput(len(events), made, ctypes.sizeof(NativeInput)))

    def layout(self, character: str) -> int:
        """The key for a character in the layout of the front window."""
        thread = self._user.GetWindowThreadProcessId(self._user.GetForegroundWindow(), None)
        layout = self._user.GetKeyboardLayout(thread)
        return (
            int(self._user.VkKeyScanExW(character, layout)) if len(character.encode("utf-16-le")) == 2 else -1
        )

    def is_down(self, code: int) -> bool:
        """Whether a key or button is held down, by its virtual code."""
        return bool(self._user.GetAsyncKeyState(code) & 0x8000)

    @property
    def pointer(self) -> Point:
        at = wintypes.POINT()
        self._user.GetCursorPos(ctypes.byref(at))
        return Point(at.x, at.y)

    @property
    def desk(self) -> tuple[int, ...]:
        return tuple(self._user.GetSystemMetrics(number) for number in DESK)

    def windows(self) -> Sequence[Handle]:
        found: list[int] = []

        def collect(window: int, _: int) -> bool:
            found.append(window)
            return True

        self._user.EnumWindows(self._each(collect), 0)
        handles = (self._handle(window) for window in found if self._is_shown(window))
        return [handle for handle in handles if handle.frame.area > 0]

    @property
    def foreground(self) -> int:
        return int(self._user.GetForegroundWindow() or 0)

    def activate(self, window: int) -> bool:
        """Bring a window to the front; do nothing for the front window."""
        if self._user.IsIconic(window):
            self._user.ShowWindow(window, RESTORE)
        if self.foreground == window or self._user.SetForegroundWindow(window):
            return True
        # Windows gives the front to a process that shares the front window's input, or had input last.
        front = self._user.GetWindowThreadProcessId(self.foreground, None)
        own = self._kernel.GetCurrentThreadId()
        joined = front and front != own and self._user.AttachThreadInput(own, front, True)
        try:
            self._user.BringWindowToTop(window)
            if self._user.SetForegroundWindow(window):
                return True
        finally:
            if joined:
                self._user.AttachThreadInput(own, front, False)
        self.send([KeyEvent(UNASSIGNED, 0, 0), KeyEvent(UNASSIGNED, 0, 2)])
        return bool(self._user.SetForegroundWindow(window))

    def answers(self, window: int, seconds: float) -> bool:
        """Whether the program of a window processes messages in time; true for one that is gone."""
        return ask(self._user, window, NOTHING, seconds=seconds) is not None or not self._user.IsWindow(
            window
        )

    def is_protected(self, window: int) -> bool:
        pid = wintypes.DWORD()
        self._user.GetWindowThreadProcessId(window, ctypes.byref(pid))
        with self._process(pid.value) as process:
            if not process:
                return bool(pid.value and self._user.IsWindow(window))
            return self._integrity(process) > self._own_rights

    def focused_text(self) -> tuple[int, str] | None:
        told = _Thread(size=ctypes.sizeof(_Thread))
        thread = self._user.GetWindowThreadProcessId(self._user.GetForegroundWindow(), None)
        if not self._user.GetGUIThreadInfo(thread, ctypes.byref(told)) or not told.focus:
            return None
        if self._user.GetWindowLongW(told.focus, GET_STYLE) & PASSWORD:
            return None
        if not (ask(self._user, told.focus, GET_DIALOG_CODE, seconds=ASKING) or 0) & HAS_SELECTION:
            return None  # not an editor: its text is a title
        length = ask(self._user, told.focus, GET_LENGTH, seconds=ASKING)
        if length is None or length > LONGEST_READ:
            return None
        text = ctypes.create_unicode_buffer(length + 1)
        got = ask(self._user, told.focus, GET_TEXT, length + 1, ctypes.addressof(text), seconds=ASKING)
        return (
            None if got is None else (int(told.focus), text.value.replace("\r\n", "\n").replace("\r", "\n"))
        )

    def ask_to_close(self, window: int) -> None:
        self._user.PostMessageW(window, CLOSE, 0, 0)

    def open(self, file: str, arguments: str = "") -> int:
        """Open a program, a file or an address as a double click does, from the current folder."""
        told = self._shell.ShellExecuteW(None, "open", file, arguments or None, str(Path.cwd()), 1)
        return int(told or 0)

    def start_menu(self) -> Sequence[Path]:
        folders = []
        for folder in (PERSONS_PROGRAMS, ALL_PROGRAMS):
            path = ctypes.create_unicode_buffer(wintypes.MAX_PATH)
            if self._shell.SHGetFolderPathW(None, folder, None, 0, path) == 0:
                folders.append(Path(path.value))
        return folders

    def get_clipboard(self) -> str:
        if not any(self._user.OpenClipboard(None) or self._kernel.Sleep(10) for _ in range(50)):
            raise ActionFailed("another program keeps the clipboard; try again")
        try:
            memory = self._user.GetClipboardData(UNICODE_TEXT)
            place = self._kernel.GlobalLock(memory)
            text = ctypes.wstring_at(place) if place else ""
            self._kernel.GlobalUnlock(memory)
            return text
        finally:
            self._user.CloseClipboard()

    def _see_pixels(self) -> None:
        # The host program may have set it already; older systems lack one call or the other.
        for name in ("SetProcessDpiAwarenessContext", "SetThreadDpiAwarenessContext"):
            call = getattr(self._user, name, None)
            if call is not None and any(call(ctypes.c_void_p(way)) for way in (PER_MONITOR_V2, PER_MONITOR)):
                return
        self._user.SetProcessDPIAware()
        if not self._user.IsProcessDPIAware():
            raise ConfigError(
                "this program was started as one that does not know about scaled screens; "
                "start it by python.exe without compatibility settings"
            )

    def _integrity(self, process: int) -> int:
        """The rights of a process as a number; the highest if this process may not ask."""
        token, size = ctypes.c_void_p(), wintypes.DWORD()
        if not self._rights.OpenProcessToken(process, TOKEN_QUERY, ctypes.byref(token)):
            return sys.maxsize
        try:
            label = ctypes.create_string_buffer(256)
            if not self._rights.GetTokenInformation(token, INTEGRITY, label, len(label), ctypes.byref(size)):
                return 0
            holder = ctypes.c_void_p.from_buffer(label).value
            count = self._rights.GetSidSubAuthorityCount(holder)[0]
            return int(self._rights.GetSidSubAuthority(holder, count - 1)[0])
        finally:
            self._kernel.CloseHandle(token)

    def _is_shown(self, window: int) -> bool:
        cloaked = wintypes.DWORD()
        self._manager.DwmGetWindowAttribute(window, CLOAKED, ctypes.byref(cloaked), ctypes.sizeof(cloaked))
        through = self._user.GetWindowLongW(window, GET_EXTENDED) & CLICKED_THROUGH == CLICKED_THROUGH
        return bool(self._user.IsWindowVisible(window) and not cloaked.value and not through)

    def _handle(self, window: int) -> Handle:
        pid = wintypes.DWORD()
        self._user.GetWindowThreadProcessId(window, ctypes.byref(pid))
        title = ctypes.create_unicode_buffer(512)
        self._user.GetWindowTextW(window, title, len(title))
        kind = ctypes.create_unicode_buffer(256)
        self._user.GetClassNameW(window, kind, len(kind))
        program = self._program(pid.value)
        if PureWindowsPath(program).stem.lower() == STORE_FRAME:
            inner = self._user.FindWindowExW(window, None, STORE_PROGRAM, None)
            if inner:
                self._user.GetWindowThreadProcessId(inner, ctypes.byref(pid))
                program = self._program(pid.value) or program
        return Handle(
            id=window,
            title=title.value,
            kind=kind.value,
            pid=pid.value,
            program=program,
            inside=self._inside(window),
            frame=self._frame(window),
            captioned=self._user.GetWindowLongW(window, GET_STYLE) & CAPTION == CAPTION,
            owner=int(self._user.GetWindow(window, GET_OWNER) or 0),
            minimised=bool(self._user.IsIconic(window)),
        )

    @contextlib.contextmanager
    def _process(self, pid: int) -> Iterator[int | None]:
        process = self._kernel.OpenProcess(NAME_ONLY, False, pid)
        try:
            yield process
        finally:
            if process:
                self._kernel.CloseHandle(process)

    def _program(self, pid: int) -> str:
        with self._process(pid) as process:
            path, length = ctypes.create_unicode_buffer(1024), wintypes.DWORD(1024)
            if process:
                self._kernel.QueryFullProcessImageNameW(process, 0, path, ctypes.byref(length))
            return path.value

    def _inside(self, window: int) -> Box:
        size, corner = wintypes.RECT(), wintypes.POINT()
        self._user.GetClientRect(window, ctypes.byref(size))
        self._user.ClientToScreen(window, ctypes.byref(corner))
        return box_between(size).shift(corner.x, corner.y)

    def _frame(self, window: int) -> Box:
        edge = wintypes.RECT()
        if self._manager.DwmGetWindowAttribute(window, FRAME, ctypes.byref(edge), ctypes.sizeof(edge)) != 0:
            self._user.GetWindowRect(window, ctypes.byref(edge))
        return box_between(edge)

    def _declare(self) -> None:
        """Types longer than an `int` on a 64-bit system; the rest is right by default."""
        handle, rights = ctypes.c_void_p, self._rights
        make_callback: Any = ctypes.__dict__["WINFUNCTYPE"]
        self._each: Any = make_callback(wintypes.BOOL, ctypes.c_size_t, ctypes.c_ssize_t)
        self._user.VkKeyScanExW.restype = ctypes.c_short
        self._user.VkKeyScanExW.argtypes = [wintypes.WCHAR, handle]
        self._kernel.GetCurrentProcess.restype = handle
        rights.OpenProcessToken.argtypes = [handle, wintypes.DWORD, handle]
        rights.GetTokenInformation.argtypes = [handle, ctypes.c_int, handle, wintypes.DWORD, handle]
        rights.GetSidSubAuthorityCount.argtypes = [handle]
        rights.GetSidSubAuthorityCount.restype = ctypes.POINTER(ctypes.c_ubyte)
        rights.GetSidSubAuthority.argtypes = [handle, wintypes.DWORD]
        rights.GetSidSubAuthority.restype = ctypes.POINTER(wintypes.DWORD)


EXTENDED, KEY_UP, UNICODE = 0x1, 0x2, 0x4
MOVE, WHEEL, WHEEL_ACROSS, WHOLE_DESK, ABSOLUTE = 0x1, 0x800, 0x1000, 0x4000, 0x8000
PRESSED: dict[Button, int] = {"left": 0x2, "right": 0x8, "middle": 0x20}
RELEASED: dict[Button, int] = {"left": 0x4, "right": 0x10, "middle": 0x40}
RANGE = 65536
"""Steps that Windows divides the width and height of all monitors together into."""
NOTCH = 120
"""The amount of one notch of the wheel in Windows."""
PIXELS = 100
"""Pixels that programs scroll by one notch, approximately."""

KEYS: dict[str, int] = {
    **{"ctrl": 0xA2, "alt": 0xA4, "shift": 0xA0, "meta": 0x5B, "altgr": 0xA5},
    **{"enter": 0x0D, "escape": 0x1B, "tab": 0x09, "space": 0x20, "backspace": 0x08},
    **{"delete": 0x2E, "insert": 0x2D, "home": 0x24, "end": 0x23, "pageup": 0x21, "pagedown": 0x22},
    **{"up": 0x26, "down": 0x28, "left": 0x25, "right": 0x27},
    **{"capslock": 0x14, "printscreen": 0x2C, "menu": 0x5D, "pause": 0x13},
    **{f"f{number}": 0x6F + number for number in range(1, 13)},
}
_EXTENDED = frozenset(
    KEYS[name]
    for name in (
        *("meta", "altgr", "delete", "insert", "home", "end", "pageup", "pagedown"),
        *("up", "down", "left", "right", "printscreen", "menu"),
    )
)
_SHIFTS = {1: "shift", 2: "ctrl", 4: "alt"}
"""Keys that a layout requires for a character, by bit."""
_LINES = {"\n": KEYS["enter"], "\t": KEYS["tab"]}


@dataclass(frozen=True, slots=True)
class KeyEvent:
    """A key press or release: a virtual key, or with `UNICODE` a unit of text in `scan`."""

    code: int
    scan: int
    flags: int


@dataclass(frozen=True, slots=True)
class Mouse:
    """A movement of the pointer, a button press or release, or a turn of the wheel."""

    x: int
    y: int
    data: int
    flags: int


Event = KeyEvent | Mouse


def key(name: str, layout: int, *, alone: bool = False) -> list[KeyEvent]:
    """The events that press a key by canonical name, including other keys that its character needs.

    Args:
        layout: the keyboard layout's entry for a character: the key in the low byte, the keys to hold in
            the high one, -1 for none. Ignored for keys with a name.
        alone: whether no other key is held, so that it types exactly the character.
    """
    if name in KEYS:
        return [_key(KEYS[name], True)]
    if name in PHONE_KEYS:
        raise ActionFailed(f"only phones have the key {name}; press another one")
    if layout == -1 and len(name) == 1 and name.isascii() and name.isalnum():
        # A Russian or Greek layout has no Latin letters, but the same keys: ctrl+c works there too.
        layout = ord(name.upper())
    if layout == -1:
        raise ActionFailed(f"the keyboard layout has no key {name!r}; type it as text instead")
    # In a chord such as ctrl+A, the letter's case does not matter; a sign needs its shift.
    plain = name.isalpha() and not alone
    held = [] if plain else [KEYS[one] for bit, one in _SHIFTS.items() if (layout >> 8) & bit]
    return [_key(code, True) for code in (*held, layout & 0xFF)]


def let_go(pressed: Iterable[KeyEvent]) -> list[Event]:
    """The events that release the pressed keys, the last first."""
    return [replace(event, flags=event.flags | KEY_UP) for event in reversed(tuple(pressed))]


def text(typed: str) -> list[Event]:
    """The events that type any text, whatever the keyboard layout is."""
    events: list[Event] = []
    for character in typed.replace("\r\n", "\n").replace("\r", "\n"):
        if character in _LINES:
            events += [_key(_LINES[character], True), _key(_LINES[character], False)]
            continue
        raw = character.encode("utf-16-le", "surrogatepass")
        for unit in (int.from_bytes(raw[i : i + 2], "little") for i in range(0, len(raw), 2)):
            events += [KeyEvent(0, unit, UNICODE), KeyEvent(0, unit, UNICODE | KEY_UP)]
    return events


def pointer_at(point: Point, size: Size) -> Mouse:
    """The pointer at a pixel of the picture of all monitors, which has this size."""
    x, y = _steps(point.x, size.width), _steps(point.y, size.height)
    return Mouse(x, y, 0, MOVE | ABSOLUTE | WHOLE_DESK)


def button(which: Button, *, down: bool, at: Mouse | None = None) -> Mouse:
    """A mouse button press or release at the pointer, or at the end of a movement."""
    flag = (PRESSED if down else RELEASED)[which]
    return replace(at, flags=at.flags | flag) if at is not None else Mouse(0, 0, 0, flag)


def wheel(down: int, right: int) -> list[Mouse]:
    """A turn of the wheel by about this many pixels."""
    turned = [(-down, WHEEL), (right, WHEEL_ACROSS)]
    return [Mouse(0, 0, round(pixels * NOTCH / PIXELS), flag) for pixels, flag in turned if pixels]


def _key(code: int, down: bool) -> KeyEvent:
    return KeyEvent(code, 0, (EXTENDED if code in _EXTENDED else 0) | (0 if down else KEY_UP))


def _steps(pixel: int, length: int) -> int:
    """The least step that Windows maps to this pixel by rounding down."""
    return -(-pixel * RANGE // length)
