"""The connection to an X11 display, and the windows on it."""

from __future__ import annotations

import contextlib
import itertools
import select
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from Xlib import X, Xatom, display, error

from gui_agent.computers.desktop.parts import Window
from gui_agent.core.errors import ComputerLost
from gui_agent.core.observation import Box, Size

LONGEST = 1 << 20
"""Maximum length of a property that is read, in units of four bytes."""


class Connection:
    """A connection that any thread may use, one at a time."""

    def __init__(self, name: str = "", wait: float = 0.0) -> None:
        self.name = name
        self.lock = threading.RLock()
        self.display = _connect(name, time.monotonic() + wait)
        # Windows may disappear at any time, so only requests with replies report errors.
        self.display.set_error_handler(lambda *_: None)
        self.root = self.display.screen().root
        self._atoms: dict[str, int] = {}
        self._closed = False

    @contextlib.contextmanager
    def use(self) -> Iterator[None]:
        """Use the display; pending requests are sent at the end."""
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
        if name not in self._atoms:
            self._atoms[name] = self.display.intern_atom(name)
        return self._atoms[name]

    def numbers(self, window: Any, name: str) -> list[int]:
        """A property of a window as numbers; empty if the window or the property does not exist."""
        with contextlib.suppress(error.BadWindow):
            answer = window.get_property(self.atom(name), X.AnyPropertyType, 0, LONGEST)
            if answer is not None and not isinstance(answer.value, bytes):
                return [int(value) for value in answer.value]
        return []

    def text(self, window: Any, name: str) -> str:
        """A property of a window as text; empty if the window or the property does not exist."""
        with contextlib.suppress(error.BadWindow):
            answer = window.get_property(self.atom(name), X.AnyPropertyType, 0, LONGEST)
            if answer is not None and isinstance(answer.value, bytes):
                latin = answer.property_type == Xatom.STRING
                return str(answer.value.decode("latin-1" if latin else "utf-8", "replace"))
        return ""

    def tell_manager(self, window: Any, message: str, *data: int) -> None:
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
                    f"cannot open {where}; name a running one, or use --on virtual for a private one"
                ) from failed
        time.sleep(0.01)


PERSON = 2
"""EWMH: the source of a request to activate a window; pagers are always obeyed."""
REMOVE, ADD = 0, 1
ICONIC = 3
NO_WINDOWS = frozenset(("_NET_WM_WINDOW_TYPE_DESKTOP", "_NET_WM_WINDOW_TYPE_DOCK", "_NET_WM_WINDOW_TYPE_DND"))
SPLASH = frozenset(("_NET_WM_WINDOW_TYPE_SPLASH",))
HINTS = SPLASH | {"_NET_WM_WINDOW_TYPE_TOOLTIP", "_NET_WM_WINDOW_TYPE_NOTIFICATION"}
SMALLEST = 3
"""Pixels; programs keep tiny invisible windows for their own purposes."""


class Windows:
    """Lists windows and sends requests about them to the window manager."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._probe: Any = None

    def list(self, *, minimised: bool = False) -> tuple[Window, ...]:
        """Visible windows, or the minimised ones, lowest first; includes menus."""
        with self._connection.use():
            managed = self._connection.numbers(self._connection.root, "_NET_CLIENT_LIST_STACKING")
            active = next(iter(self._connection.numbers(self._connection.root, "_NET_ACTIVE_WINDOW")), 0)
            found = [self._managed_window(number, number == active, minimised) for number in managed]
            found += [] if minimised else [self._popup(window) for window in self._unmanaged_windows()]
            return tuple(window for window in found if window is not None)

    @property
    def manager(self) -> str:
        with self._connection.use():
            check = self._connection.numbers(self._connection.root, "_NET_SUPPORTING_WM_CHECK")
            if not check:
                return ""
            window = self._window(check[0])
            return self._connection.text(window, "_NET_WM_NAME") or "unnamed"

    def is_manager_ready(self) -> bool:
        """Whether the manager answers; Openbox misses a window that appears while it starts."""
        with self._connection.use():
            supported = self._connection.numbers(self._connection.root, "_NET_SUPPORTED")
            if not supported or self._connection.atom("_NET_REQUEST_FRAME_EXTENTS") not in supported:
                return bool(supported)
            if self._probe is None:
                self._probe = self._connection.root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
            if not self._connection.numbers(self._probe, "_NET_FRAME_EXTENTS"):
                self._connection.tell_manager(self._probe, "_NET_REQUEST_FRAME_EXTENTS")
                return False
            self._probe.destroy()
            self._probe = None
            return True

    def activate(self, window: Window) -> None:
        with self._connection.use():
            self._connection.tell_manager(
                self._window(window.id), "_NET_ACTIVE_WINDOW", PERSON, X.CurrentTime, 0
            )

    def close_window(self, window: Window) -> None:
        with self._connection.use():
            self._connection.tell_manager(self._window(window.id), "_NET_CLOSE_WINDOW", X.CurrentTime, PERSON)

    def maximise(self, window: Window, on: bool = True) -> None:
        with self._connection.use():
            states = [self._connection.atom(f"_NET_WM_STATE_MAXIMIZED_{way}") for way in ("VERT", "HORZ")]
            action = ADD if on else REMOVE
            self._connection.tell_manager(self._window(window.id), "_NET_WM_STATE", action, *states, PERSON)

    def _window(self, number: int) -> Any:
        return self._connection.display.create_resource_object("window", number)

    def _managed_window(self, number: int, active: bool, minimised: bool) -> Window | None:
        window = self._window(number)
        try:
            shown = window.get_attributes().map_state == X.IsViewable
            if shown is minimised or self._is_one_of(NO_WINDOWS, window):
                return None
            if minimised and self._connection.numbers(window, "WM_STATE")[:1] != [ICONIC]:
                return None
            box = self._box(window)
            splash = self._is_one_of(SPLASH, window)  # the program's own window is still to come
            told = self._describe_window(window, box, active=active and not splash, popup=splash)
            return replace(told, outer=self._outer(window, box))
        except error.XError:  # it closed meanwhile
            return None

    def _is_one_of(self, names: frozenset[str], window: Any) -> bool:
        kinds = self._connection.numbers(window, "_NET_WM_WINDOW_TYPE")
        return any(self._connection.atom(name) in kinds for name in names)

    def _unmanaged_windows(self) -> Iterator[Any]:
        tree = self._connection.root.query_tree()
        for window in tree.children:
            try:
                attributes = window.get_attributes()
                shown = attributes.map_state == X.IsViewable and attributes.win_class == X.InputOutput
                if attributes.override_redirect and shown:
                    yield window
            except error.XError:
                continue

    def _popup(self, window: Any) -> Window | None:
        try:
            box = self._box(window)
            whole = self._connection.root.get_geometry()
            seen = box.intersect(Size(whole.width, whole.height).box)
            if seen is None or min(seen.width, seen.height) < SMALLEST:
                return None
            found = self._describe_window(window, box, active=False, popup=True)
        except error.XError:
            return None
        # Window managers have such windows too, for their own use; they belong to no program.
        return found if found.pid or found.app else None

    def _describe_window(self, window: Any, box: Box, *, active: bool, popup: bool = False) -> Window:
        connection = self._connection
        title = connection.text(window, "_NET_WM_NAME") or connection.text(window, "WM_NAME")
        names = connection.text(window, "WM_CLASS").split("\0")
        app = names[1] if len(names) > 1 and names[1] else names[0]
        pid = next(iter(connection.numbers(window, "_NET_WM_PID")), 0)
        hint = popup and self._is_one_of(HINTS, window)
        return Window(int(window.id), title, app.lower(), pid, box, active, popup, hint)

    def _outer(self, window: Any, box: Box) -> Box:
        extents = self._connection.numbers(window, "_NET_FRAME_EXTENTS")
        left, right, top, bottom = extents if len(extents) == 4 else (0, 0, 0, 0)
        return Box(*box.shift(-left, -top).corner, box.width + left + right, box.height + top + bottom)

    def _box(self, window: Any) -> Box:
        size = window.get_geometry()
        corner = window.translate_coords(self._connection.root, 0, 0)
        # The protocol reports the root's position in the window's coordinates.
        return Box(-corner.x, -corner.y, size.width, size.height)


POLL = 0.05


class Pings:
    """Pings windows by the protocol `_NET_WM_PING`: a program answers in the order of its input."""

    def __init__(self, name: str) -> None:
        self._connection = Connection(name)
        self._numbers = itertools.count(1)
        self._answering: dict[int, bool] = {}
        """By window, whether its program has ever answered."""
        with self._connection.use():
            # By the protocol, answers have the first of these types; Qt uses the second.
            heard = X.SubstructureNotifyMask | X.StructureNotifyMask
            self._connection.root.change_attributes(event_mask=heard)
            self._connection.display.sync()

    def has_answered(self, window: int, seconds: float) -> bool | None:
        """Whether the program of a window answered in time; None if it does not support the protocol.

        A program may declare support and never answer. One that did not answer the first time counts as such
        until it answers.
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
        self._connection.close()

    def _lives(self, place: object) -> bool:
        try:
            place.get_attributes()  # type: ignore[attr-defined]
        except error.XError:
            return False  # a closed window has no more input to process
        return True
