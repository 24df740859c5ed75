"""A small form made of plain Win32 controls; its button writes what stands in them to a file.

    pythonw win32_form.py FILE

One field, "Hasty", mixes up characters that come at once, as some editors do.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from ctypes import wintypes
from pathlib import Path
from typing import Any

USER: Any = ctypes.WinDLL("user32")
KERNEL: Any = ctypes.WinDLL("kernel32")
H = ctypes.c_void_p
PROCEDURE = ctypes.WINFUNCTYPE(ctypes.c_ssize_t, H, wintypes.UINT, ctypes.c_size_t, ctypes.c_ssize_t)
for name, result, *arguments in (
    ("DefWindowProcW", ctypes.c_ssize_t, H, wintypes.UINT, ctypes.c_size_t, ctypes.c_ssize_t),
    ("CallWindowProcW", ctypes.c_ssize_t, H, H, wintypes.UINT, ctypes.c_size_t, ctypes.c_ssize_t),
    ("SendMessageW", ctypes.c_ssize_t, H, wintypes.UINT, ctypes.c_size_t, H),
    ("SetWindowLongPtrW", H, H, ctypes.c_int, H),
    ("CreateWindowExW", H, wintypes.DWORD, wintypes.LPCWSTR, wintypes.LPCWSTR, wintypes.DWORD,
     *([ctypes.c_int] * 4), H, H, H, H),
    ("GetWindowTextW", ctypes.c_int, H, wintypes.LPWSTR, ctypes.c_int),
    ("SetWindowTextW", wintypes.BOOL, H, wintypes.LPCWSTR),
    ("IsDialogMessageW", wintypes.BOOL, H, H),
):  # fmt: skip
    getattr(USER, name).restype, getattr(USER, name).argtypes = result, arguments
CHILD, TAB, BORDER, SCROLLED = 0x50000000, 0x10000, 0x800000, 0x200000
COMMAND, DESTROY, CHARACTER, KEY = 0x111, 0x2, 0x102, 0x100
HASTY = 0.008
"""Seconds within which two characters are one too hasty."""


class Class(ctypes.Structure):
    """`WNDCLASSW`."""

    _fields_ = (
        ("style", wintypes.UINT), ("procedure", PROCEDURE), ("extra", ctypes.c_int), ("more", ctypes.c_int),
        ("instance", H), ("icon", H), ("cursor", H), ("brush", H),
        ("menu", wintypes.LPCWSTR), ("name", wintypes.LPCWSTR),
    )  # fmt: skip


class Form:
    """The window with its controls."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.controls: dict[str, int] = {}
        self.last = 0.0
        self.scans: list[int] = []
        self.procedure = PROCEDURE(self.heard)
        self.hasty = PROCEDURE(self.typed)
        made = Class(
            procedure=self.procedure, name="GuiagentForm", brush=16, cursor=USER.LoadCursorW(None, 32512)
        )
        USER.RegisterClassW(ctypes.byref(made))
        self.window = USER.CreateWindowExW(
            0, "GuiagentForm", "Order form", 0x10CF0000, 300, 120, 480, 420, None, None, None, None
        )
        self.row("Name:", "Edit", BORDER | 0x80, 10)
        self.row("Notes:", "Edit", BORDER | 0x4 | 0x1000, 40, height=60)
        city = self.row("City:", "ComboBox", 0x3 | SCROLLED, 110, height=160)
        for one in ("Berlin", "Köln", "Ulm"):
            USER.SendMessageW(city, 0x143, 0, ctypes.c_wchar_p(one))
        size = self.row("Size:", "ListBox", BORDER | 0x1, 140, height=70)
        for one in ("small", "medium", "large"):
            USER.SendMessageW(size, 0x180, 0, ctypes.c_wchar_p(one))
        self.row("Hasty:", "Edit", BORDER | 0x80, 220)
        self.old = USER.SetWindowLongPtrW(self.controls["Hasty"], -4, ctypes.cast(self.hasty, H))
        self.put("Express", "Button", 0x3, 80, 250, 120, 20)
        self.put("By post", "Button", 0x9 | 0x20000, 80, 275, 100, 20)
        self.put("By train", "Button", 0x9, 190, 275, 100, 20)
        self.put("Save", "Button", 0x0, 80, 310, 90, 26)
        self.status = self.put("not saved", "Static", 0x0, 190, 315, 200, 20)

    def row(self, label: str, kind: str, style: int, top: int, height: int = 22) -> int:
        """A control with its label before it."""
        self.put(label, "Static", 0, 10, top, 65, 20)
        made = self.put("", kind, style | TAB, 80, top, 330, height)
        self.controls[label.rstrip(":")] = made
        return made

    def put(self, text: str, kind: str, style: int, *place: int) -> int:
        """A control at a place."""
        number = len(self.controls) + 100
        made = int(
            USER.CreateWindowExW(0, kind, text, CHILD | style, *place, self.window, number, None, None)
        )
        if kind != "Static" and text:
            self.controls[text] = made
        return made

    def typed(self, window: int, message: int, first: int, second: int) -> int:
        """Characters of the hasty field, doubled when they come at once."""
        times = 1
        if message == KEY:
            self.scans.append((second >> 16) & 0xFF)
        if message == CHARACTER:
            now = time.monotonic()
            times = 2 if now - self.last < HASTY else 1
            self.last = now
        for _ in range(times):
            told = int(USER.CallWindowProcW(self.old, window, message, first, second))
        return told

    def heard(self, window: int, message: int, first: int, second: int) -> int:
        """Messages of the window itself."""
        if message == COMMAND and second == self.controls.get("Save"):
            self.save()
        if message == DESTROY:
            USER.PostQuitMessage(0)
            return 0
        return int(USER.DefWindowProcW(window, message, first, second))

    def save(self) -> None:
        """Write what stands in the controls."""
        told: dict[str, Any] = {"scans": self.scans}
        for label, control in self.controls.items():
            if label in ("Express", "By post", "By train"):
                told[label] = bool(USER.SendMessageW(control, 0xF0, 0, None))
            elif label == "Size":
                told[label] = int(USER.SendMessageW(control, 0x188, 0, None))
            elif label != "Save":
                text = ctypes.create_unicode_buffer(5000)
                USER.GetWindowTextW(control, text, 5000)
                told[label] = text.value.replace("\r\n", "\n")
        self.file.write_text(json.dumps(told), encoding="utf-8")
        USER.SetWindowTextW(self.status, "saved")

    def run(self) -> None:
        """Serve the window until it is closed."""
        told = wintypes.MSG()
        while USER.GetMessageW(ctypes.byref(told), None, 0, 0) > 0:
            if not USER.IsDialogMessageW(self.window, ctypes.byref(told)):
                USER.TranslateMessage(ctypes.byref(told))
                USER.DispatchMessageW(ctypes.byref(told))


if __name__ == "__main__":
    Form(Path(sys.argv[1])).run()
