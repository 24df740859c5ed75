"""One connection to an X display, and its errors in the words of the project."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

from Xlib import X, Xatom, display, error

from gui_agent.core.errors import ComputerLost

LONGEST = 1 << 20
"""Longest property that is read, in units of four bytes."""


class Connection:
    """A connection that may be used from any thread, one at a time."""

    def __init__(self, name: str = "", wait: float = 0.0) -> None:
        """Connect to a display.

        Args:
            name: such as `:1`; empty for the one that the environment names.
            wait: seconds within which the display may still be starting.
        """
        self.name = name
        self.lock = threading.RLock()
        self.display = _connect(name, time.monotonic() + wait)
        # Windows come and go at any time; whoever needs to know asks for replies.
        self.display.set_error_handler(lambda *_: None)
        self.root = self.display.screen().root
        self._atoms: dict[str, int] = {}
        self._closed = False

    @contextlib.contextmanager
    def use(self) -> Iterator[None]:
        """Talk to the display; what was asked for is sent at the end."""
        with self.lock:
            if self._closed:
                raise ComputerLost(f"the display {self.name} is closed; open a new one".replace("  ", " "))
            try:
                yield
                self.display.flush()
            except (error.ConnectionClosedError, error.DisplayError, OSError) as lost:
                raise ComputerLost(
                    f"the display {self.name} is gone; start it again".replace("  ", " ")
                ) from lost

    def atom(self, name: str) -> int:
        """The number of a name at this display."""
        if name not in self._atoms:
            self._atoms[name] = self.display.intern_atom(name)
        return self._atoms[name]

    def numbers(self, window: Any, name: str, kind: int = X.AnyPropertyType) -> list[int]:
        """A property of a window as numbers; empty when the window or the property is not there."""
        with contextlib.suppress(error.BadWindow):
            answer = window.get_property(self.atom(name), kind, 0, LONGEST)
            if answer is not None and not isinstance(answer.value, bytes):
                return [int(value) for value in answer.value]
        return []

    def text(self, window: Any, name: str) -> str:
        """A property of a window as text; empty when the window or the property is not there."""
        with contextlib.suppress(error.BadWindow):
            answer = window.get_property(self.atom(name), X.AnyPropertyType, 0, LONGEST)
            if answer is not None and isinstance(answer.value, bytes):
                latin = answer.property_type == Xatom.STRING
                return str(answer.value.decode("latin-1" if latin else "utf-8", "replace"))
        return ""

    def tell_manager(self, window: Any, message: str, *data: int) -> None:
        """Ask the window manager to do something with a window."""
        from Xlib.protocol import event

        padded = (*data, *(0 for _ in range(5 - len(data))))
        note = event.ClientMessage(window=window, client_type=self.atom(message), data=(32, padded))
        self.root.send_event(note, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)

    def close(self) -> None:
        with self.lock:
            if self._closed:
                return
            self._closed = True
            with contextlib.suppress(error.ConnectionClosedError, error.DisplayError, OSError):
                self.display.close()


def _connect(name: str, until: float) -> Any:
    while True:
        try:
            return display.Display(name or None)
        except (error.DisplayError, OSError) as failed:
            if time.monotonic() >= until or isinstance(failed, error.DisplayNameError):
                where = f"the display {name}" if name else "a display (DISPLAY is not set or wrong)"
                raise ComputerLost(
                    f"cannot open {where}; name one that runs, or use --on virtual for a private one"
                ) from failed
        time.sleep(0.01)
