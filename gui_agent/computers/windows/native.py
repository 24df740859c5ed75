"""Windows itself, through its C interface. Nothing is decided here: see `device` and `events`."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from ctypes import wintypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from gui_agent.computers.windows.events import Event, KeyEvent
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.geometry import Box, Point

PER_MONITOR_V2 = -4
MOUSE, KEYBOARD = 0, 1
CAPTION, CLOAKED, FRAME = 0xC00000, 14, 9
"""A window style, and two attributes of the window manager: hidden by it, and bounds as seen."""
GET_STYLE, GET_OWNER, RESTORE, CLOSE = -16, 4, 9, 0x10
UNICODE_TEXT, MOVEABLE = 13, 0x2
PERSONS_PROGRAMS, ALL_PROGRAMS = 0x02, 0x17
NAME_ONLY = 0x1000
"""The least right to ask a process for the path of its program."""
ALT = 0x12


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


def packed(event: Event) -> NativeInput:
    """An event as the C interface takes it."""
    if isinstance(event, KeyEvent):
        return NativeInput(KEYBOARD, _Either(key=_Key(event.code, event.scan, event.flags, 0, None)))
    data = event.data & 0xFFFFFFFF
    return NativeInput(MOUSE, _Either(mouse=_Mouse(event.x, event.y, data, event.flags, 0, None)))


class Native:
    """See `system.System`. It has never been run by those who wrote it; see docs/windows.md."""

    def __init__(self) -> None:
        """Make the process see physical pixels on every monitor.

        Raises:
            ConfigError: this is not Windows.
        """
        load = getattr(ctypes, "WinDLL", None)
        if load is None:
            raise ConfigError(
                f"this is {sys.platform}, not Windows; use --on desktop, which chooses by itself"
            )
        self._user: Any = load("user32")
        self._kernel: Any = load("kernel32")
        self._manager: Any = load("dwmapi")
        self._shell: Any = load("shell32")
        self._declare()
        # It may have been set by the host program already, which is as good.
        self._user.SetProcessDpiAwarenessContext(PER_MONITOR_V2)

    def send(self, events: Sequence[Event]) -> int:
        """Feed events to mouse and keyboard; how many it took."""
        made = (NativeInput * len(events))(*map(packed, events))
        return int(self._user.SendInput(len(events), made, ctypes.sizeof(NativeInput)))

    def layout(self, character: str) -> int:
        """Which key makes a character in the layout of the window in front."""
        thread = self._user.GetWindowThreadProcessId(self._user.GetForegroundWindow(), None)
        layout = self._user.GetKeyboardLayout(thread)
        return (
            int(self._user.VkKeyScanExW(character, layout)) if len(character.encode("utf-16-le")) == 2 else -1
        )

    @property
    def pointer(self) -> Point:
        at = wintypes.POINT()
        self._user.GetCursorPos(ctypes.byref(at))
        return Point(at.x, at.y)

    def windows(self) -> Sequence[Handle]:
        """The windows that are shown, highest first."""
        found: list[int] = []

        def collect(window: int, _: int) -> bool:
            found.append(window)
            return True

        self._user.EnumWindows(self._each(collect), 0)
        handles = (self._handle(window) for window in found if self._shown(window))
        return [handle for handle in handles if handle.frame.area > 0]

    @property
    def foreground(self) -> int:
        return int(self._user.GetForegroundWindow() or 0)

    def activate(self, window: int) -> bool:
        """Bring a window to the front."""
        if self._user.IsIconic(window):
            self._user.ShowWindow(window, RESTORE)
        # Windows lets a process take the front only after input; the Alt key counts and does nothing here.
        self.send([KeyEvent(ALT, 0, 0), KeyEvent(ALT, 0, 2)])
        return bool(self._user.SetForegroundWindow(window))

    def ask_to_close(self, window: int) -> None:
        """Ask a window to close."""
        self._user.PostMessageW(window, CLOSE, 0, 0)

    def open(self, file: str, arguments: str = "") -> int:
        """Open a program, a file or an address as a double click does."""
        told = self._shell.ShellExecuteW(None, "open", file, arguments or None, str(Path.home()), 1)
        return int(told or 0)

    def start_menu(self) -> Sequence[Path]:
        """The folders of the start menu."""
        folders = []
        for folder in (PERSONS_PROGRAMS, ALL_PROGRAMS):
            path = ctypes.create_unicode_buffer(wintypes.MAX_PATH)
            if self._shell.SHGetFolderPathW(None, folder, None, 0, path) == 0:
                folders.append(Path(path.value))
        return folders

    def get_clipboard(self) -> str:
        """The text on the clipboard; empty when there is none."""
        self._open_clipboard()
        try:
            memory = self._user.GetClipboardData(UNICODE_TEXT)
            place = self._kernel.GlobalLock(memory) if memory else None
            if not place:
                return ""
            try:
                return str(ctypes.wstring_at(place))
            finally:
                self._kernel.GlobalUnlock(memory)
        finally:
            self._user.CloseClipboard()

    def set_clipboard(self, text: str) -> None:
        """Put a text on the clipboard, which then owns the memory."""
        data = ctypes.create_unicode_buffer(text)
        memory = self._kernel.GlobalAlloc(MOVEABLE, ctypes.sizeof(data))
        ctypes.memmove(self._kernel.GlobalLock(memory), data, ctypes.sizeof(data))
        self._kernel.GlobalUnlock(memory)
        self._open_clipboard()
        try:
            self._user.EmptyClipboard()
            self._user.SetClipboardData(UNICODE_TEXT, memory)
        finally:
            self._user.CloseClipboard()

    def _open_clipboard(self) -> None:
        if not any(self._user.OpenClipboard(None) or self._kernel.Sleep(10) for _ in range(50)):
            raise ActionFailed("another program keeps the clipboard; try again")

    def _shown(self, window: int) -> bool:
        cloaked = wintypes.DWORD()
        self._manager.DwmGetWindowAttribute(window, CLOAKED, ctypes.byref(cloaked), ctypes.sizeof(cloaked))
        return bool(
            self._user.IsWindowVisible(window) and not self._user.IsIconic(window) and not cloaked.value
        )

    def _handle(self, window: int) -> Handle:
        pid = wintypes.DWORD()
        self._user.GetWindowThreadProcessId(window, ctypes.byref(pid))
        title = ctypes.create_unicode_buffer(512)
        self._user.GetWindowTextW(window, title, len(title))
        kind = ctypes.create_unicode_buffer(256)
        self._user.GetClassNameW(window, kind, len(kind))
        return Handle(
            id=window,
            title=title.value,
            kind=kind.value,
            pid=pid.value,
            program=self._program(pid.value),
            inside=self._inside(window),
            frame=self._frame(window),
            captioned=self._user.GetWindowLongW(window, GET_STYLE) & CAPTION == CAPTION,
            owner=int(self._user.GetWindow(window, GET_OWNER) or 0),
        )

    def _program(self, pid: int) -> str:
        process = self._kernel.OpenProcess(NAME_ONLY, False, pid)
        if not process:
            return ""
        try:
            path, length = ctypes.create_unicode_buffer(1024), wintypes.DWORD(1024)
            self._kernel.QueryFullProcessImageNameW(process, 0, path, ctypes.byref(length))
            return path.value
        finally:
            self._kernel.CloseHandle(process)

    def _inside(self, window: int) -> Box:
        size, corner = wintypes.RECT(), wintypes.POINT()
        self._user.GetClientRect(window, ctypes.byref(size))
        self._user.ClientToScreen(window, ctypes.byref(corner))
        return Box(corner.x, corner.y, size.right, size.bottom)

    def _frame(self, window: int) -> Box:
        edge = wintypes.RECT()
        if self._manager.DwmGetWindowAttribute(window, FRAME, ctypes.byref(edge), ctypes.sizeof(edge)) != 0:
            self._user.GetWindowRect(window, ctypes.byref(edge))
        return Box(edge.left, edge.top, edge.right - edge.left, edge.bottom - edge.top)

    def _declare(self) -> None:
        """Types of what is longer than an `int` on a 64-bit system; the rest is right by default."""
        handle, user, kernel = ctypes.c_void_p, self._user, self._kernel
        make_callback: Any = ctypes.__dict__["WINFUNCTYPE"]
        self._each: Any = make_callback(wintypes.BOOL, ctypes.c_size_t, ctypes.c_ssize_t)
        user.SetProcessDpiAwarenessContext.argtypes = [handle]
        user.VkKeyScanExW.argtypes, user.VkKeyScanExW.restype = [wintypes.WCHAR, handle], ctypes.c_short
        for function in (
            user.GetForegroundWindow,
            user.GetWindow,
            user.GetClipboardData,
            user.GetKeyboardLayout,
        ):
            function.restype = handle
        for function in (
            kernel.GlobalAlloc,
            kernel.GlobalLock,
            kernel.OpenProcess,
            self._shell.ShellExecuteW,
        ):
            function.restype = handle
        kernel.GlobalAlloc.argtypes = [wintypes.UINT, ctypes.c_size_t]
        for function in (kernel.GlobalLock, kernel.GlobalUnlock, kernel.CloseHandle):
            function.argtypes = [handle]
        kernel.QueryFullProcessImageNameW.argtypes = [handle, wintypes.DWORD, handle, handle]
        user.GetKeyboardLayout.argtypes = [wintypes.DWORD]
        user.SetClipboardData.argtypes = [wintypes.UINT, handle]
        for function in (user.IsWindowVisible, user.IsIconic, user.SetForegroundWindow, user.OpenClipboard):
            function.argtypes = [handle]
        user.GetWindowThreadProcessId.argtypes = [handle, handle]
        user.GetWindowTextW.argtypes = user.GetClassNameW.argtypes = [handle, wintypes.LPWSTR, ctypes.c_int]
        user.GetWindowLongW.argtypes = user.ShowWindow.argtypes = [handle, ctypes.c_int]
        user.GetWindow.argtypes = [handle, wintypes.UINT]
        user.PostMessageW.argtypes = [handle, wintypes.UINT, ctypes.c_size_t, ctypes.c_ssize_t]
        user.GetClientRect.argtypes = user.ClientToScreen.argtypes = user.GetWindowRect.argtypes = [
            handle,
            handle,
        ]
        self._manager.DwmGetWindowAttribute.argtypes = [handle, wintypes.DWORD, handle, wintypes.DWORD]
        self._shell.ShellExecuteW.argtypes = [handle, *([wintypes.LPCWSTR] * 4), ctypes.c_int]


@dataclass(frozen=True, slots=True)
class Handle:
    """What Windows says of a top-level window, in its own coordinates."""

    id: int
    title: str
    kind: str
    """The name of its window class; `#32768` is a menu."""
    pid: int
    program: str
    """The path of its program; empty when that is not told."""
    inside: Box
    frame: Box
    """As it is seen, without the invisible border for the mouse."""
    captioned: bool
    owner: int = 0


class System(Protocol):
    """Windows as far as it is used; places are physical pixels from the corner of the main monitor."""

    def send(self, events: Sequence[Event]) -> int:
        """Feed events to mouse and keyboard; how many it took."""

    def layout(self, character: str) -> int:
        """Which key makes a character, as `VkKeyScanW` says it; -1 when none does."""

    @property
    def pointer(self) -> Point: ...

    def windows(self) -> Sequence[Handle]:
        """The windows that are shown, highest first."""

    @property
    def foreground(self) -> int:
        """The window that has the keyboard."""

    def activate(self, window: int) -> bool:
        """Bring a window to the front; False when Windows did not let it."""

    def ask_to_close(self, window: int) -> None: ...

    def open(self, file: str, arguments: str = "") -> int:
        """Open a program, a file or an address as a double click does; above 32 when it worked."""

    def start_menu(self) -> Sequence[Path]:
        """The folders of the start menu: the person's and that of all people."""

    def get_clipboard(self) -> str: ...

    def set_clipboard(self, text: str) -> None: ...
