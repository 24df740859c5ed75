"""The clipboard of an X display: read by asking its owner, set by owning it in a thread of its own."""

from __future__ import annotations

import contextlib
import select
import threading
import time
from typing import Any

from Xlib import X, Xatom
from Xlib.protocol import event

from gui_agent.computers.x11.connection import Connection
from gui_agent.core.errors import ActionFailed

ANSWERING = 2.0
"""Seconds within which the owner of the clipboard must hand over what it has."""
PORTION = 1 << 16
"""Longer texts are refused by this owner in one piece; the limit of a request is four times that."""
TEXTS = ("UTF8_STRING", "text/plain;charset=utf-8", "STRING", "TEXT")


class Clipboard:
    """Text that programs exchange; what is set stays available until this object is closed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._text = ""
        self._owner: Connection | None = None
        self._window: Any = None

    def get(self) -> str:
        """The text on the clipboard, empty when there is none.

        Raises:
            ActionFailed: the program that owns it does not answer.
            ComputerLost: the display is gone.
        """
        connection = Connection(self._name)
        try:
            with connection.use():
                return self._asked(connection)
        finally:
            connection.close()

    def set(self, text: str) -> None:
        """Put text on the clipboard.

        Raises:
            ActionFailed: another program keeps it.
            ComputerLost: the display is gone.
        """
        with self._lock:
            self._text = text
            if self._owner is None:
                self._begin()
            owner = self._owner
            assert owner is not None
            with owner.use():
                self._window.set_selection_owner(owner.atom("CLIPBOARD"), X.CurrentTime)
                if owner.display.get_selection_owner(owner.atom("CLIPBOARD")) != self._window:
                    raise ActionFailed("another program keeps the clipboard; try again")

    def close(self) -> None:
        """Give up the clipboard; safe to call twice."""
        with self._lock:
            owner, self._owner = self._owner, None
        if owner is not None:
            owner.close()

    def _begin(self) -> None:
        owner = Connection(self._name)
        with owner.use():
            self._window = owner.root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        self._owner = owner
        threading.Thread(target=self._serve, args=(owner,), name="gui_agent.clipboard", daemon=True).start()

    def _serve(self, owner: Connection) -> None:
        """Answer programs that paste, until the connection is closed."""
        with contextlib.suppress(Exception):  # the display is gone, and the clipboard with it
            while self._owner is owner:
                select.select([owner.display.fileno()], [], [], 0.2)
                with owner.use():
                    while owner.display.pending_events():
                        told = owner.display.next_event()
                        if told.type == X.SelectionRequest:
                            self._answer(owner, told)

    def _answer(self, owner: Connection, asked: Any) -> None:
        place = asked.property or asked.target
        names = {owner.atom(name): name for name in TEXTS}
        if asked.target == owner.atom("TARGETS"):
            targets = [owner.atom("TARGETS"), *names]
            asked.requestor.change_property(place, Xatom.ATOM, 32, targets)
        elif asked.target in names:
            latin = names[asked.target] == "STRING"
            data = self._text.encode("latin-1", "replace") if latin else self._text.encode()
            asked.requestor.change_property(place, asked.target, 8, b"")
            for start in range(0, len(data), PORTION):
                asked.requestor.change_property(
                    place, asked.target, 8, data[start : start + PORTION], X.PropModeAppend
                )
        else:
            place = X.NONE
        told = event.SelectionNotify(
            time=asked.time,
            requestor=asked.requestor,
            selection=asked.selection,
            target=asked.target,
            property=place,
        )
        asked.requestor.send_event(told)

    def _asked(self, connection: Connection) -> str:
        display, clipboard = connection.display, connection.atom("CLIPBOARD")
        if display.get_selection_owner(clipboard) == X.NONE:
            return ""
        window = connection.root.create_window(
            0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask
        )
        place = connection.atom("GUIAGENT_CLIPBOARD")
        for target in ("UTF8_STRING", "STRING"):
            window.convert_selection(clipboard, connection.atom(target), place, X.CurrentTime)
            told = self._next(connection, X.SelectionNotify)
            if told.property != X.NONE:
                return self._received(connection, window, place)
        return ""

    def _received(self, connection: Connection, window: Any, place: int) -> str:
        answer = window.get_full_property(place, X.AnyPropertyType)
        if answer is None:
            return ""
        if answer.property_type != connection.atom("INCR"):
            return _decoded(answer)
        # A long text comes in portions; each is asked for by removing the one before.
        whole = b""
        window.delete_property(place)
        while True:
            while True:
                told = self._next(connection, X.PropertyNotify)
                if told.atom == place and told.state == X.PropertyNewValue:
                    break
            answer = window.get_full_property(place, X.AnyPropertyType)
            window.delete_property(place)
            if answer is None or not len(answer.value):
                return whole.decode("utf-8", "replace")
            whole += bytes(answer.value)

    def _next(self, connection: Connection, kind: int) -> Any:
        deadline = time.monotonic() + ANSWERING
        display = connection.display
        while True:
            while display.pending_events():
                told = display.next_event()
                if told.type == kind:
                    return told
            left = deadline - time.monotonic()
            if left <= 0:
                raise ActionFailed("the program that owns the clipboard does not answer; copy again")
            display.flush()
            select.select([display.fileno()], [], [], left)


def _decoded(answer: Any) -> str:
    data = answer.value if isinstance(answer.value, bytes) else bytes(answer.value)
    return data.decode("latin-1" if answer.property_type == Xatom.STRING else "utf-8", "replace")
