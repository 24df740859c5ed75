"""Hears mouse and keyboard of an X display, whatever program they go to."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from Xlib import X, error
from Xlib.ext import record
from Xlib.protocol import rq

from gui_agent.computers.x11.connection import Connection
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import Point

Kind = Literal["button down", "button up", "key down"]
KINDS: dict[int, Kind] = {X.ButtonPress: "button down", X.ButtonRelease: "button up", X.KeyPress: "key down"}
SHIFT, CONTROL, ALT, META, LEVEL3 = 1, 4, 8, 64, 128
"""Bits of the state of an event."""
GROUP = 13
"""Where the state tells which layout is set."""


@dataclass(frozen=True, slots=True)
class InputEvent:
    """One thing that the person did with mouse or keyboard."""

    kind: Kind
    code: int
    """Number of the button, or of the key."""
    state: int
    """Modifiers that were held, as bits."""
    at: Point
    seconds: float
    """When it was heard, by `time.monotonic`."""
    symbols: tuple[int, ...] = ()
    """Of a key, its keysyms on all levels at that moment."""


class XListener:
    """Listens in a thread of its own from the moment it is made until it is closed."""

    def __init__(self, display: str, tell: Callable[[InputEvent], None]) -> None:
        """
        Args:
            display: its name, such as `:1`.
            tell: is called in the listening thread, in the order of what happened.

        Raises:
            ComputerLost: there is no such display.
            ConfigError: it does not tell what happens on it.
        """
        self._tell = tell
        self._control, self._data = Connection(display), Connection(display)
        with self._control.use():
            if not self._control.display.has_extension("RECORD"):
                raise ConfigError(
                    f"the display {display} has no RECORD extension; a person cannot be recorded"
                )
            heard = {"device_events": (X.KeyPress, X.ButtonRelease)}
            nothing: dict[str, Any] = {
                "core_requests": (0, 0),
                "core_replies": (0, 0),
                "ext_requests": (0, 0, 0, 0),
                "ext_replies": (0, 0, 0, 0),
                "delivered_events": (0, 0),
                "errors": (0, 0),
                "client_started": False,
                "client_died": False,
            }
            self._context: int = self._data.display.record_create_context(
                0, [record.AllClients], [{**nothing, **heard}]
            )
            self._data.display.sync()
        self._fields = rq.EventField(None)
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="x11-recording", daemon=True)
        self._thread.start()
        self._begun.wait(5.0)

    @property
    def lost(self) -> bool:
        """Whether the display has gone away."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Hear no more; safe to call twice."""
        with contextlib.suppress(Exception), self._control.use():  # the display may be gone by now
            self._control.display.record_disable_context(self._context)
        self._thread.join(2.0)
        for connection in (self._control, self._data):
            connection.close()

    def _listen(self) -> None:
        # Returns when the context is disabled; a display that is gone ends it with an error.
        with contextlib.suppress(error.ConnectionClosedError, error.DisplayError, OSError, ValueError):
            self._data.display.record_enable_context(self._context, self._hear)

    def _hear(self, reply: Any) -> None:
        self._begun.set()
        if reply.category != record.FromServer or reply.client_swapped:
            return
        now, data = time.monotonic(), reply.data
        while data:
            event, data = self._fields.parse_binary_value(data, self._data.display.display, None, None)
            kind = KINDS.get(event.type)
            if kind is not None:
                symbols = self._symbols(event.detail) if kind == "key down" else ()
                place = Point(max(0, event.root_x), max(0, event.root_y))
                self._tell(InputEvent(kind, event.detail, event.state, place, now, symbols))

    def _symbols(self, code: int) -> tuple[int, ...]:
        with self._control.use():
            return tuple(int(one) for one in self._control.display.get_keyboard_mapping(code, 1)[0])
