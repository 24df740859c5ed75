"""The libraries of Windows with the types of their functions, and a question to a window that cannot hang."""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from typing import Any

from gui_agent.core.errors import ConfigError

NOT_IF_HUNG = 0x2
OWNER, STYLE, MINIMISABLE = 4, -16, 0x20000
H = ctypes.c_void_p
TYPES: dict[str, tuple[Any, ...]] = {
    # Result, then arguments; what takes and gives plain numbers and none of these is right by default.
    "GetForegroundWindow": (H,),
    "GetWindow": (H, H, wintypes.UINT),
    "GetClipboardData": (H, wintypes.UINT),
    "SetClipboardData": (H, wintypes.UINT, H),
    "GetKeyboardLayout": (H, wintypes.DWORD),
    "GlobalAlloc": (H, wintypes.UINT, ctypes.c_size_t),
    "GlobalLock": (H, H),
    "GlobalUnlock": (wintypes.BOOL, H),
    "GlobalFree": (H, H),
    "OpenProcess": (H, wintypes.DWORD, wintypes.BOOL, wintypes.DWORD),
    "CloseHandle": (wintypes.BOOL, H),
    "QueryFullProcessImageNameW": (wintypes.BOOL, H, wintypes.DWORD, H, H),
    "IsWindow": (wintypes.BOOL, H),
    "IsWindowVisible": (wintypes.BOOL, H),
    "IsWindowEnabled": (wintypes.BOOL, H),
    "IsIconic": (wintypes.BOOL, H),
    "SetForegroundWindow": (wintypes.BOOL, H),
    "BringWindowToTop": (wintypes.BOOL, H),
    "OpenClipboard": (wintypes.BOOL, H),
    "DestroyWindow": (wintypes.BOOL, H),
    "CreateWindowExW": (
        *(H, wintypes.DWORD, wintypes.LPCWSTR, wintypes.LPCWSTR, wintypes.DWORD),
        *(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int, H, H, H, H),
    ),
    "FindWindowExW": (H, H, H, wintypes.LPCWSTR, wintypes.LPCWSTR),
    "GetWindowThreadProcessId": (wintypes.DWORD, H, H),
    "GetGUIThreadInfo": (wintypes.BOOL, wintypes.DWORD, H),
    "GetWindowTextW": (ctypes.c_int, H, wintypes.LPWSTR, ctypes.c_int),
    "GetClassNameW": (ctypes.c_int, H, wintypes.LPWSTR, ctypes.c_int),
    "GetWindowLongW": (ctypes.c_long, H, ctypes.c_int),
    "ShowWindow": (wintypes.BOOL, H, ctypes.c_int),
    "PostMessageW": (wintypes.BOOL, H, wintypes.UINT, ctypes.c_size_t, ctypes.c_ssize_t),
    "SendMessageTimeoutW": (
        *(ctypes.c_ssize_t, H, wintypes.UINT, ctypes.c_size_t, ctypes.c_ssize_t, wintypes.UINT),
        *(wintypes.UINT, ctypes.POINTER(ctypes.c_size_t)),
    ),
    "GetClientRect": (wintypes.BOOL, H, H),
    "GetWindowRect": (wintypes.BOOL, H, H),
    "ClientToScreen": (wintypes.BOOL, H, H),
    "WindowFromPoint": (H, wintypes.POINT),
    "GetAncestor": (H, H, wintypes.UINT),
    "DwmGetWindowAttribute": (ctypes.c_long, H, wintypes.DWORD, H, wintypes.DWORD),
    "ShellExecuteW": (H, H, *([wintypes.LPCWSTR] * 4), ctypes.c_int),
    "VirtualAllocEx": (H, H, H, ctypes.c_size_t, wintypes.DWORD, wintypes.DWORD),
    "VirtualFreeEx": (wintypes.BOOL, H, H, ctypes.c_size_t, wintypes.DWORD),
    "ReadProcessMemory": (wintypes.BOOL, H, H, H, ctypes.c_size_t, H),
    "WriteProcessMemory": (wintypes.BOOL, H, H, H, ctypes.c_size_t, H),
    "IsWow64Process": (wintypes.BOOL, H, H),
}


def library(name: str) -> Any:
    """A library of Windows with the types of its functions."""
    load = getattr(ctypes, "WinDLL", None)
    if load is None:
        raise ConfigError(f"this is {sys.platform}, not Windows; use --on desktop, which chooses by itself")
    loaded = load(name)
    for function, (result, *arguments) in TYPES.items():
        found = getattr(loaded, function, None)
        if found is not None:
            found.restype, found.argtypes = result, arguments
    return loaded


def is_main(user: Any, window: int) -> bool:
    """Whether a window is a program's own and no dialog: it belongs to no other one and can be minimised."""
    return not user.GetWindow(window, OWNER) and bool(user.GetWindowLongW(window, STYLE) & MINIMISABLE)


def ask(
    user: Any, window: int, message: int, first: int = 0, second: int = 0, *, seconds: float
) -> int | None:
    """The answer of a window to a message; None when its program hangs or the window is gone."""
    told = ctypes.c_size_t()
    limit = max(1, round(1000 * seconds))
    done = user.SendMessageTimeoutW(window, message, first, second, NOT_IF_HUNG, limit, ctypes.byref(told))
    return told.value if done else None
