"""What no Wine can show of the C interface, against libraries of Windows that exist in memory."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest
from guiagent_platforms.windows.native import PER_MONITOR, PER_MONITOR_V2, Native

from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Box

FRAME, APP = 5, 6
FRAME_PID, APP_PID = 50, 60
PATHS = {FRAME_PID: r"C:\Windows\System32\ApplicationFrameHost.exe", APP_PID: r"C:\Apps\Calculator.exe"}


def native(user: Any, **others: Any) -> Native:
    """The interface over these libraries, as it is before it has asked anything."""
    made = Native.__new__(Native)
    made._user = user
    for name, library in others.items():
        setattr(made, f"_{name}", library)
    return made


def store(app: int) -> SimpleNamespace:
    """The frame of a Store app, with the window of the app in it or none."""

    def process(window: int, into: Any) -> int:
        into._obj.value = APP_PID if window == APP else FRAME_PID
        return 1

    def text(window: int, buffer: Any, length: int) -> int:
        buffer.value = "Calculator"
        return len(buffer.value)

    return SimpleNamespace(
        GetWindowThreadProcessId=process, GetWindowTextW=text, GetClassNameW=text,
        FindWindowExW=lambda *asked: app if asked[2] == "Windows.UI.Core.CoreWindow" else 0,
        GetWindowLongW=lambda *_: 0xC00000, GetWindow=lambda *_: 0, IsIconic=lambda _: 0,
    )  # fmt: skip


@pytest.mark.parametrize(("app", "pid"), [(APP, APP_PID), (0, FRAME_PID)])
def test_a_store_app_is_called_after_itself_and_not_after_its_frame(
    monkeypatch: pytest.MonkeyPatch, app: int, pid: int
) -> None:
    made = native(store(app))
    monkeypatch.setattr(made, "_program", PATHS.__getitem__)
    monkeypatch.setattr(made, "_inside", lambda _: Box(0, 0, 9, 9))
    monkeypatch.setattr(made, "_frame", lambda _: Box(0, 0, 9, 9))
    handle = made._handle(FRAME)
    assert (handle.pid, handle.program) == (pid, PATHS[pid])


class Scaled:
    """user32 of a Windows that has these calls, and takes these ways of awareness."""

    def __init__(self, calls: tuple[str, ...], takes: tuple[int, ...], aware: bool) -> None:
        self.asked: list[tuple[str, int]] = []
        self.SetProcessDPIAware = lambda: aware
        self.IsProcessDPIAware = lambda: aware
        for call in calls:
            setattr(self, call, lambda way, call=call: self._take(call, way, takes))

    def _take(self, call: str, way: Any, takes: tuple[int, ...]) -> bool:
        number = ctypes.c_ssize_t(way.value).value
        self.asked.append((call, number))
        return number in takes


PROCESS, THREAD = "SetProcessDpiAwarenessContext", "SetThreadDpiAwarenessContext"


@pytest.mark.parametrize(
    ("user", "asked"),
    [
        (Scaled((PROCESS, THREAD), (PER_MONITOR_V2,), False), [(PROCESS, PER_MONITOR_V2)]),
        (Scaled((THREAD,), (PER_MONITOR,), False), [(THREAD, PER_MONITOR_V2), (THREAD, PER_MONITOR)]),
        (Scaled((), (), True), []),
    ],
    ids=["Windows 10", "Server 2016", "before"],
)
def test_pixels_are_seen_on_each_age_of_windows(user: Scaled, asked: list[tuple[str, int]]) -> None:
    native(user)._see_pixels()
    assert user.asked == asked


def test_scaled_coordinates_that_cannot_be_avoided_are_told() -> None:
    with pytest.raises(ConfigError, match="scaled screens"):
        native(Scaled((PROCESS,), (), False))._see_pixels()
