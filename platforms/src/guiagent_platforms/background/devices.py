"""A pointer and a keyboard of one's own on a display, by XInput 2: the person's stay as they are."""

from __future__ import annotations

import contextlib
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from Xlib import X
from Xlib.ext import xinput
from Xlib.protocol import rq

from gui_agent.computers.x11.windows import Connection
from gui_agent.core.errors import ConfigError

CHANGE_HIERARCHY, SET_CLIENT_POINTER, ALLOW_EVENTS = 43, 44, 53
"""XInput's requests that python-xlib does not have."""
ADD, REMOVE, FLOAT = 1, 2, 2
REPLAY = 2
BUTTONS = 0, xinput.GrabtypeButton
MODIFIERS = [1 << 31]
"""Any modifiers."""


class _Request(rq.Request):  # type: ignore[misc]
    _request = rq.Struct(rq.Card8("major"), rq.Card8("minor"), rq.RequestLength(), rq.Binary("body"))


class SecondDevices:
    """A second pointer and keyboard; all that the connection sends and asks about input means them."""

    def __init__(self, connection: Connection) -> None:
        """Raises ConfigError: the display has no second pointer to offer."""
        self._connection = connection
        self._server = connection.display
        with connection.use():
            if not self._server.has_extension(xinput.extname) or self._server.has_extension("XWAYLAND"):
                raise ConfigError(
                    "this display has no second pointer (XInput 2 on X11); use --on virtual or --on desktop"
                )
            self._server.xinput_query_version()
            for process, number in self._numbers().items():
                if not Path("/proc", str(process)).exists():  # a display keeps what killed runs have left
                    self._remove(number)
            name = f"guiagent {os.getpid()}".encode()
            padded = name + bytes(-len(name) % 4)
            # The ones: it sends core events, and is enabled.
            added = struct.pack("<B3xHHHBB", 1, ADD, 2 + len(padded) // 4, len(name), 1, 1)
            self._ask(CHANGE_HIERARCHY, added + padded)
            self._pointer = self._numbers()[os.getpid()]
            self._ask(SET_CLIENT_POINTER, struct.pack("<IHxx", X.NONE, self._pointer))
            self._server.sync()

    def close(self) -> None:
        with self._connection.use():
            self._remove(self._pointer)
            self._server.sync()

    @contextlib.contextmanager
    def past_manager(self, window: Any) -> Iterator[None]:
        """Let a press inside the block reach a window without its window manager.

        A manager grabs the presses in windows that are not in front, and raises such a window and gives it
        the person's focus. Of several grabs the newest gets a press, and ours passes it on to the window.
        """
        given = xinput.GrabModeSync, xinput.GrabModeAsync, True, xinput.ButtonPressMask, MODIFIERS
        xinput.passive_grab_device(window, self._pointer, X.CurrentTime, *BUTTONS, *given)
        try:
            yield
            self._ask(ALLOW_EVENTS, struct.pack("<IHBx", X.CurrentTime, self._pointer, REPLAY))
        finally:
            xinput.passive_ungrab_device(window, self._pointer, *BUTTONS, MODIFIERS)

    def _numbers(self) -> dict[int, int]:
        """The numbers of such pointers on this display, by the process that made them."""
        found = self._server.xinput_query_device(xinput.AllMasterDevices).devices
        named = ((re.fullmatch(r"guiagent (\d+) pointer", one.name), one.deviceid) for one in found)
        return {int(told[1]): number for told, number in named if told}

    def _remove(self, number: int) -> None:
        self._ask(CHANGE_HIERARCHY, struct.pack("<B3xHHHBxHH", 1, REMOVE, 3, number, FLOAT, 0, 0))

    def _ask(self, minor: int, body: bytes) -> None:
        server = self._server.display
        _Request(display=server, major=server.get_extension_major(xinput.extname), minor=minor, body=body)
