"""Asks a program whether it has taken all input so far, as window managers do to find frozen ones."""

from __future__ import annotations

import itertools
import select
import time

from Xlib import X, error

from gui_agent.computers.x11.connection import Connection

POLL = 0.05


class Pings:
    """Pings windows by the rule `_NET_WM_PING`: a program answers in the order in which input came."""

    def __init__(self, name: str) -> None:
        """Args: name: the display; a connection of its own hears the answers."""
        self._connection = Connection(name)
        self._numbers = itertools.count(1)
        self._answering: dict[int, bool] = {}
        """Of windows, whether their program has ever answered."""
        with self._connection.use():
            self._connection.root.change_attributes(event_mask=X.SubstructureNotifyMask)
            self._connection.display.sync()

    def answered(self, window: int, seconds: float) -> bool | None:
        """Whether the program of a window answered in time; None when it does not know this rule.

        Qt programs say that they know it, and never answer: one that did not the first time is believed to
        be of these, until it answers.

        Raises:
            ComputerLost: the display is gone.
        """
        connection, number = self._connection, next(self._numbers)
        with connection.use():
            ping, protocols = connection.atom("_NET_WM_PING"), connection.atom("WM_PROTOCOLS")
            place = connection.display.create_resource_object("window", window)
            if ping not in connection.numbers(place, "WM_PROTOCOLS"):
                return None
            from Xlib.protocol import event

            note = event.ClientMessage(
                window=place, client_type=protocols, data=(32, (ping, number, window, 0, 0))
            )
            place.send_event(note)
            deadline = time.monotonic() + seconds
            while True:
                while connection.display.pending_events():
                    told = connection.display.next_event()
                    if told.type == X.ClientMessage and told.client_type == protocols:
                        data = told.data[1]
                        if (data[0], data[2]) == (ping, window):
                            self._answering[window] = True
                        if (data[0], data[1], data[2]) == (ping, number, window):
                            return True
                left = deadline - time.monotonic()
                if self._answering.get(window) is False:
                    return None
                if left <= 0:
                    self._answering.setdefault(window, False)
                    return False
                if not self._lives(place):
                    return True
                connection.display.flush()
                select.select([connection.display.fileno()], [], [], min(left, POLL))

    def close(self) -> None:
        """Hang up; safe to call twice."""
        self._connection.close()

    def _lives(self, place: object) -> bool:
        try:
            place.get_attributes()  # type: ignore[attr-defined]
        except error.XError:
            return False  # a window that closed has no more input to take
        return True
