"""The person's own X11 desktop in the background, `--on background`: their pointer and focus stay theirs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from gui_agent.computers.atspi.source import AtspiSource
from gui_agent.computers.desktop.acting import active
from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.computers.desktop.elements import Observe, with_source
from gui_agent.computers.desktop.parts import Window
from gui_agent.computers.desktop.person_watch import PersonWatch
from gui_agent.computers.x11.computer import PanicKeyListener
from gui_agent.computers.x11.device import X11Device
from gui_agent.computers.x11.keyboard import Keyboard
from gui_agent.computers.x11.programs import LocalLauncher
from gui_agent.computers.x11.windows import Connection
from gui_agent.core.actions import Action, Button, TypeText
from gui_agent.core.aiming import input_of, places
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.observation import Point
from gui_agent.core.texts import shorten
from guiagent_platforms.background.accessibility import ANSWERING, take
from guiagent_platforms.background.devices import SecondDevices

MARGIN = 12
"""Pixels from the corners of a window to where the pointer may wait in it."""
CONSIDERATE = ("libgdk-3", "libgtk-4")
"""Libraries whose programs serve each pointer by itself: other ones take the person's focus or pointer."""


class BackgroundDevice(X11Device):
    """A display used with devices of one's own.

    The second keyboard types where the second pointer is, so no window is ever given a focus.
    """

    def __init__(self, display: str, **given: Any) -> None:
        super().__init__(display, LocalLauncher(), **given)
        self._persons = Connection(display)
        self._is_placed = False
        """Whether the agent has chosen a place: the second pointer begins just anywhere."""
        try:
            # Programs know one layout, that of the person's keyboard.
            self._keyboard = Keyboard(self._connection, self._pings, self._persons)
            self._second = SecondDevices(self._connection)
        except BaseException:
            self._persons.close()
            super().close()
            raise

    def windows(self) -> Sequence[Window]:
        """The windows; in front is the topmost one of the program that the second pointer is in."""
        found = super().windows()
        under = _window_at(self.pointer, found)
        if under is None or not self._is_placed:
            return [replace(one, active=False) for one in found]
        own = [one for one in found if one.pid == under.pid and not one.popup]
        return [replace(one, active=own[-1:] == [one]) for one in found]

    def activate(self, window: Window) -> None:
        """Move the second pointer into a window, which stays where it is.

        Raises:
            ActionFailed: other windows cover it.
        """
        corners = (Point(*corner) for corner in window.box.grow(-MARGIN).corners)
        windows = self.windows()
        for place in (window.box.center, *corners):
            under = _window_at(place, windows)
            if under is not None and under.id == window.id:
                self.move(place)
                return
        raise ActionFailed(f'other windows cover "{shorten(window.title)}"; move it beside them')

    def move(self, point: Point) -> None:
        self._person.check()
        super().move(point)
        self._is_placed = True

    def press_button(self, button: Button) -> None:
        """Press a button in a window, which is neither raised nor given the focus.

        Raises:
            ActionFailed: its program would take the focus or the pointer from the person.
        """
        under = _window_at(self.pointer, super().windows())
        if under is not None and not _is_considerate(under):
            raise ActionFailed(
                f'"{shorten(under.title or under.app)}" would take focus or pointer from the person if it was'
                " clicked; use it with keys, or with --on desktop or --on virtual"
            )
        if under is None or under.popup:
            super().press_button(button)
            return
        with self._connection.use():
            place = self._connection.display.create_resource_object("window", under.id)
            with self._second.past_manager(place):
                super().press_button(button)

    def press_key(self, key: str) -> None:
        self._go_to_front()
        super().press_key(key)

    def type_text(self, text: str) -> None:
        self._go_to_front()
        super().type_text(text)

    def close(self) -> None:
        """Remove the second pointer and keyboard, and release the display; may be called twice."""
        with suppress(ComputerLost):
            self._second.close()
        super().close()
        self._persons.close()

    def _go_to_front(self) -> None:
        """Move the pointer into a window that has opened over the one that it is in."""
        windows = self.windows()
        under, front = _window_at(self.pointer, windows), active(windows)
        if front is None or under is None:
            raise ActionFailed("no window has the second keyboard; switch to a window, or click in it")
        if under.id != front.id and not under.popup:
            self.activate(front)


def _window_at(point: Point, windows: Sequence[Window]) -> Window | None:
    return next((one for one in reversed(windows) if one.whole.contains(point) and not one.hint), None)


def _is_considerate(window: Window) -> bool:
    try:
        loaded = Path(f"/proc/{window.pid}/maps").read_text("utf-8")
    except OSError:
        return False
    return any(library in loaded for library in CONSIDERATE)


class BackgroundComputer(DesktopComputer):
    """The screen in front of the person, who goes on working with their own mouse and keyboard."""

    def __init__(
        self,
        *,
        display: str = "",
        session: str = "",
        panic_key: str = "ctrl+alt+q",
        observe: Observe = "auto",
        **shared: Any,
    ) -> None:
        """Connect to a display.

        Args:
            display: such as `:1`; empty for the environment's.
            session: address of the D-Bus session of its programs; empty for the environment's.
            panic_key: keys that stop the agent at once, whatever program is in front; empty for none.
            observe: tree, vision, both, or auto: vision only where a window's tree reports nothing.
            shared: see `DesktopComputer`.
        """
        watched = PersonWatch(lambda: PanicKeyListener(display, panic_key), False) if panic_key else None
        device = BackgroundDevice(display, person=watched)
        self._tree = AtspiSource(session)
        super().__init__(*with_source(device, observe, lambda: self._tree), **shared)

    def _act(self, action: Action) -> None:
        """Let the program do it where it can; for the rest, use the second pointer and keyboard."""
        used, windows = input_of(action), self._device.windows()
        self.means = used and f"own {used}"
        at = places(action).get("at")
        if at is not None and (node := self._source.node_at(at, windows)) and "atspi" in node.source:
            self._device.move(at)  # which makes its window the front one
            self._acting.await_preview()
            if self._tree.ask(lambda bus: take(bus, action, node), 3 * ANSWERING):
                self.means = "accessibility"
                if isinstance(action, TypeText):  # the next keys belong there, where a pointer may click
                    with suppress(ActionFailed):
                        self._acting.perform(TypeText("", at))
                return
        self._acting.perform(action)
