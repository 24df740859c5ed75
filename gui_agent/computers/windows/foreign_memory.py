"""A little memory in another program, for messages whose answer is more than a number.

Lists, trees and rows of tabs write what they are asked for to an address in their own program.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from ctypes import wintypes
from typing import Any

RIGHTS = 0x0008 | 0x0010 | 0x0020 | 0x1000
"""Rights to a process: its memory, and its path."""
KEPT, WRITABLE, GIVEN_BACK = 0x3000, 0x4, 0x8000
STRUCTURE, LONGEST = 256, 512
"""Bytes for a structure, and characters for a text behind it."""
SIZE = STRUCTURE + 2 * (LONGEST + 8)


class ViewItem(ctypes.Structure):
    """`LVITEMW` as far as a text needs it."""

    _fields_ = (
        *((name, wintypes.UINT) for name in ("mask", "item", "column", "state", "state_mask")),
        ("text", ctypes.c_void_p),
        ("length", ctypes.c_int),
        ("rest", ctypes.c_ubyte * 48),
    )


class TreeItem(ctypes.Structure):
    """`TVITEMW`."""

    _fields_ = (
        ("mask", wintypes.UINT),
        ("item", ctypes.c_void_p),
        ("state", wintypes.UINT),
        ("state_mask", wintypes.UINT),
        ("text", ctypes.c_void_p),
        ("length", ctypes.c_int),
        ("image", ctypes.c_int),
        ("selected_image", ctypes.c_int),
        ("children", ctypes.c_int),
        ("own", ctypes.c_ssize_t),
    )


class TabItem(ctypes.Structure):
    """`TCITEMW`."""

    _fields_ = (
        *((name, wintypes.UINT) for name in ("mask", "state", "state_mask")),
        ("text", ctypes.c_void_p),
        ("length", ctypes.c_int),
        ("image", ctypes.c_int),
        ("own", ctypes.c_ssize_t),
    )


class BranchPlace(ctypes.Structure):
    """A rectangle in which the branch of a tree is named first."""

    _fields_ = (("item", ctypes.c_void_p), ("rest", ctypes.c_ulonglong))


class ForeignMemory:
    """Some memory in another program, for messages whose answer is more than a number."""

    def __init__(self, kernel: Any, process: int) -> None:
        self._kernel, self._process = kernel, process
        self.place = int(kernel.VirtualAllocEx(process, None, SIZE, KEPT, WRITABLE) or 0)
        self.text = self.place + STRUCTURE

    def put(self, value: ctypes.Structure) -> int:
        """Write a structure; where it stands."""
        self._kernel.WriteProcessMemory(
            self._process, self.place, ctypes.byref(value), ctypes.sizeof(value), None
        )
        return self.place

    def get(self, value: Any, place: int = 0) -> Any:
        """Read what stands there into a structure or buffer."""
        self._kernel.ReadProcessMemory(
            self._process, place or self.place, ctypes.byref(value), ctypes.sizeof(value), None
        )
        return value

    def words(self) -> str:
        """The text that the program wrote."""
        return str(self.get(ctypes.create_unicode_buffer(LONGEST + 8), self.text).value)

    def close(self) -> None:
        self._kernel.VirtualFreeEx(self._process, self.place, 0, GIVEN_BACK)


@contextlib.contextmanager
def memory_of(user: Any, kernel: Any, window: int) -> Iterator[ForeignMemory | None]:
    """Memory of the program of a window; None where it is of another kind than this one (32 bits)."""
    pid, other, own = wintypes.DWORD(), wintypes.BOOL(), wintypes.BOOL()
    user.GetWindowThreadProcessId(window, ctypes.byref(pid))
    process = kernel.OpenProcess(RIGHTS, False, pid.value)
    if not process:
        yield None
        return
    try:
        kernel.IsWow64Process(process, ctypes.byref(other))
        kernel.IsWow64Process(kernel.GetCurrentProcess(), ctypes.byref(own))
        there = ForeignMemory(kernel, process) if other.value == own.value else None
        if there is None or not there.place:
            yield None
            return
        try:
            yield there
        finally:
            there.close()
    finally:
        kernel.CloseHandle(process)
