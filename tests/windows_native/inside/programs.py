"""Programs of Windows as tests use them: started, ended, and what they left in files and in the registry."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import time
import winreg
from collections.abc import Callable
from ctypes import wintypes
from pathlib import Path
from typing import Any

from guiagent_platforms.windows.automation import library
from guiagent_platforms.windows.native import Native

SCRATCH = Path(r"C:\t")
FORM = Path(__file__).with_name("win32_form.py")
SAVED = SCRATCH / "form.json"
OPEN_FORM = rf"{Path(sys.executable).with_name('pythonw.exe')} {FORM} {SAVED}"
KEY = r"Software\GuiagentTest"
PROGRAMS = ("notepad", "regedit", "winefile", "taskmgr", "winemine", "pythonw")


def run(*command: str) -> None:
    """A command whose output nobody needs; pipes, because Wine's Python takes nothing else."""
    subprocess.run(command, input=b"", capture_output=True, timeout=30, check=False)


def end(*names: str) -> None:
    """End programs by name, as many of them as there are."""
    run("taskkill", "/f", *(word for name in names for word in ("/im", f"{name}.exe")))


def running(name: str) -> bool:
    """Whether a program shows a window."""
    return any(Path(window.program).stem.lower() == name for window in Native().windows())


def pythons() -> set[int]:
    """The processes of Windows' Python, without windows or with."""
    numbers, size = (wintypes.DWORD * 4096)(), wintypes.DWORD()
    library("kernel32").K32EnumProcesses(numbers, ctypes.sizeof(numbers), ctypes.byref(size))
    native = Native()
    running = numbers[: size.value // ctypes.sizeof(wintypes.DWORD)]
    return {one for one in running if Path(native._program(one)).stem.lower() == "python"}


def until(holds: Callable[[], Any], what: str, seconds: float = 15.0) -> Any:
    """Wait until something holds, and give it."""
    over = time.monotonic() + seconds
    while not (told := holds()):
        assert time.monotonic() < over, f"{what} did not happen within {seconds:g} s"
        time.sleep(0.05)
    return told


def kept(name: str, key: str = KEY) -> Any:
    """A value in the registry; None where there is none."""
    try:
        with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:
            return winreg.QueryValueEx(opened, name)[0]
    except OSError:
        return None


def keep(**values: Any) -> None:
    """A fresh key in the registry with these values."""
    forget(KEY)
    with winreg.CreateKey(winreg.HKEY_CURRENT_USER, KEY) as opened:
        for name, value in values.items():
            kind = winreg.REG_DWORD if isinstance(value, int) else winreg.REG_SZ
            winreg.SetValueEx(opened, name, 0, kind, value)


def forget(key: str) -> None:
    """Take a key with all below it out of the registry."""
    run("reg", "delete", rf"HKCU\{key}", "/f")


def key_exists(key: str) -> bool:
    """Whether a key is in the registry."""
    try:
        winreg.OpenKey(winreg.HKEY_CURRENT_USER, key).Close()
    except OSError:
        return False
    return True


def saved() -> dict[str, Any]:
    """What the form wrote."""
    until(SAVED.exists, "saving the form")
    until(lambda: SAVED.stat().st_size > 0, "writing the form")
    told: dict[str, Any] = json.loads(SAVED.read_text("utf-8"))
    return told


def text(name: str) -> str:
    """What stands in a file as notepad writes it."""
    data = (SCRATCH / name).read_bytes()
    return data.decode("utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "cp1252").replace("\r\n", "\n")
