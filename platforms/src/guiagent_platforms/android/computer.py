"""An Android phone as a `core.protocols.Computer`: `--on android`, `--on android:SERIAL`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gui_agent.computers.desktop.computer import Format, ScreenComputer, encode_picture
from gui_agent.computers.desktop.elements import Elements, Observe, confirm, places_on, seeing
from gui_agent.computers.desktop.parts import Node, ScreenReading
from gui_agent.computers.desktop.settling import SettleTimes, Settling, Waits
from gui_agent.content import own_file
from gui_agent.core import deadline
from gui_agent.core.actions import Action, Scroll
from gui_agent.core.errors import ActionFailed, ComputerLost, GuiAgentError
from gui_agent.core.observation import TEXT, Element, Observation, Place
from gui_agent.core.protocols import Opening, Recorder, Settled
from gui_agent.core.texts import shorten
from guiagent_platforms.android.acting import PhoneActing
from guiagent_platforms.android.client import AdbDevice, AdbServer
from guiagent_platforms.android.hierarchy import SHADE, Display
from guiagent_platforms.android.screen import PhoneLook, PhoneScreen
from guiagent_platforms.android.text_entry import ANIMATIONS, ChangedSettings, PhoneTextEntry
from guiagent_platforms.android.u2 import U2Server, server_file

if TYPE_CHECKING:
    from PIL.Image import Image

    from gui_agent.computers.recording.secrets import Secrecy

Backend = Literal["auto", "stock", "u2"]
WAITS = Waits(grace=0.5, quiet=0.15, cap=4.0)
READING = 5.0
WAKE = "224"


class AndroidComputer(ScreenComputer):
    """A phone or tablet, operated with a finger and keys over adb. Points are pixels of the screenshot."""

    LOST = "the connection to the phone is closed; open a new one"

    def __init__(
        self,
        *,
        name: str = "",
        open: str = "",
        observe: Observe = "auto",
        cap: int = 1500,
        picture_format: Format = "jpeg",
        animations: bool = False,
        backend: Backend = "auto",
        kept: str = "",
        settle_grace: float = WAITS.grace,
        settle_quiet: float = WAITS.quiet,
        settle_cap: float = WAITS.cap,
        settle_known: Mapping[str, float] | None = None,
    ) -> None:
        """Connect to a phone, wake it up, and restore what a killed run left changed.

        Args:
            name: its serial, or its address and port; empty for the only connected phone. `#2` at the end
                selects another of its displays, by Android's number; it needs Android 11.
            open: an app or address to begin with.
            observe: tree, vision, both, or auto: vision only where the phone reports no elements.
            cap: maximum elements of an observation.
            animations: keep the phone's animations on; they are restored at the end in any case.
            backend: stock works on every phone; u2 is the server of the package uiautomator2, which is
                faster and reads hints; auto uses u2 if that package is installed.
            kept: folder for the original values of changed settings; empty for the default one.
            settle_grace: seconds to wait for a first change after an action.
            settle_quiet: seconds without a change after which the screen counts as settled.
            settle_cap: maximum seconds to wait for a screen that does not come to rest.
            settle_known: seconds within which apps came to rest in earlier runs.
        """
        server = AdbServer()
        name, _, display = name.partition("#")
        self._device = AdbDevice(server, server.serial_of(name))
        self._changed = ChangedSettings(self._device, Path(kept) if kept else own_file("data", "phones"))
        where = Display.find(self._device, display)
        server_u2 = u2_server(self._device, "stock" if where.number else backend)
        self._screen = PhoneScreen(self._device, server_u2, where)
        fields = PhoneTextEntry(self._device, self._screen, self._changed, where)
        self._acting = PhoneActing(self._device, self._screen, fields, self._changed, where)
        self._source = seeing(observe, lambda: self._screen, self.grab)
        self._elements = Elements(cap)
        self._format: Format = picture_format
        self._settling = Settling(
            self._screen, SettleTimes(Waits(settle_grace, settle_quiet, settle_cap), settle_known)
        )
        self._seen: PhoneLook | None = None
        """The last look with a picture."""
        self._bare: tuple[str, Sequence[Node]] = ("", ())
        """The front window when the keyboard was last hidden, and its elements then."""
        self._heard: tuple[str, ...] = ()
        """Messages shown briefly since then."""
        self.listeners: list[Callable[[Action], None]] = []
        """Called with each action before it is done, including the user's actions through a view."""
        super().__init__(open, partial(self._begin, animations))

    @property
    def platform(self) -> str:
        return "android"

    @property
    def device(self) -> AdbDevice:
        """The phone itself, for recording a person on it."""
        return self._device

    @property
    def screen(self) -> PhoneScreen:
        return self._screen

    def observe(self, *, picture: bool = True) -> Observation:
        with self._open():
            look = self._awake(self._screen.look(picture=picture), picture=picture)
            frame = look.frame
            reading = self._read(look)
            elements, left_out = self._elements.take(reading, look.windows, look.size)
            self._seen = look if frame is not None else None
            fault, package = look.state.failed_app
            return Observation(
                size=look.size,
                elements=elements,
                place=_place(look),
                screenshot=encode_picture(frame.image(), self._format) if frame is not None else None,
                left_out=left_out,
                notices=tuple(self._news(look, picture)),
                beyond=tuple(self._covered_elements(reading.nodes, look)),
                windows={one.id: one.box for one in look.windows},
                crashed=(package,) if fault == "Error" else (),
                focus_unseen=look.hierarchy is None,
            )

    def _covered_elements(self, nodes: Sequence[Node], look: PhoneLook) -> Iterator[Element]:
        """Named elements under the keyboard, so that the agent can bring them into view."""
        keyboard, window = look.state.keyboard, look.state.window
        if keyboard is None:
            self._bare = window, nodes
            return
        # An app that makes room for the keyboard no longer reports the elements in that place.
        told = {(one.role, one.name) for one in nodes}
        bare = self._bare[1] if self._bare[0] == window else ()
        for it in (*nodes, *(one for one in bare if (one.role, one.name) not in told)):
            if it.name and it.role != TEXT and keyboard.contains(it.box.center):
                yield Element(0, it.role, it.name, it.box, states=it.states | {"covered"}, path=it.path)

    def perform(self, action: Action, expected: Element | None = None) -> None:
        with self._open():
            named = places_on(self._screen.size, action)
            tested = expected is not None and "at" in named and not isinstance(action, Scroll)
            if expected is not None and tested and not self._as_it_was(expected):
                self._screen.look(picture=False)
                confirm(self._source, self._elements, self._screen.windows, named["at"], expected)
            self._settling.arm()
            for told in self.listeners:
                told(action)
            self._acting.perform(action)

    def _settle(self) -> Settled:
        front = next((one for one in self._screen.windows if one.active), None)
        settled = self._settling.settle(front)
        # A message shown for two seconds may be gone after the rest of the look.
        self._heard += self._screen.toasts(self._screen.state())
        return settled

    def _begin_with(self, where: str) -> None:
        self._acting.open(where)

    def opening(self, name: str) -> Opening:
        with self._open():
            return self._acting.opening(name)

    def _end(self) -> None:
        """Restore the phone's settings and release it."""
        try:
            self._changed.restore()
        except GuiAgentError:
            pass  # the changes stay recorded, and are reverted at the next start
        finally:
            self._source.close()
            self._screen.close()

    def _begin(self, animations: bool) -> None:
        self._changed.restore()
        if self._awake(self._screen.look(picture=False)).state.locked:
            raise ComputerLost(f"{self._device.serial} is locked; unlock it by hand and start again")
        if not animations:
            for space, key in ANIMATIONS:
                with contextlib.suppress(ActionFailed):  # settling copes with animations that stay on
                    self._changed.put(space, key, "0")

    def _awake(self, look: PhoneLook, *, picture: bool = False) -> PhoneLook:
        """Wake a sleeping phone, as the power button does, and open a lock without a code."""
        if not look.state.asleep:
            return look
        self._device.act(("input", "keyevent", WAKE), ("wm", "dismiss-keyguard"))
        return self._screen.look(picture=picture)

    def make_recorder(self, secrecy: Secrecy) -> Recorder:
        """A recorder of the person's touches on this phone."""
        from guiagent_platforms.android.recorder import PhoneRecorder

        return PhoneRecorder(self, secrecy)

    def grab(self) -> Image:
        """The current screen, for views and vision; may be called from another thread."""
        frame = self._screen.frame()
        if frame is None:
            raise ComputerLost(f"the phone returns no picture: {self._screen.trouble}")
        return frame.image()

    def _read(self, look: PhoneLook) -> ScreenReading:
        frame = look.frame or (None if isinstance(self._source, PhoneScreen) else self._screen.frame())
        if isinstance(self._source, PhoneScreen) or frame is None:
            return self._screen.reading_without_picture(look.windows)
        return self._source.read(look.windows, frame.image(), deadline.remaining(READING, 0.3))

    def _as_it_was(self, expected: Element) -> bool:
        """Whether pixels and windows are as at the last look, which is cheaper than a new hierarchy."""
        seen, node = self._seen, self._elements.node(expected.id)
        if seen is None or seen.frame is None or node is None or not node.box.area:
            return False
        if (node.role, node.name) != (expected.role, expected.name):
            return False
        now = self._screen.frame()
        if now is None or now.size != seen.frame.size or now.part(node.box) != seen.frame.part(node.box):
            return False
        state = self._screen.state()
        return (state.window, state.keyboard) == (seen.state.window, seen.state.keyboard)

    def _news(self, look: PhoneLook, picture: bool) -> list[str]:
        fault, package = look.state.failed_app
        news = []
        if fault == "Error":
            crash = self._device.look("logcat", "-d", "-b", "crash", "-t", "12").text
            news.append(f"{package} crashed: {shorten(crash, 300)}")
        elif fault:
            news.append(f"{package} does not respond; the phone asks whether to close it or to wait")
        said = dict.fromkeys((*self._heard, *look.toasts))
        self._heard = ()
        news += [f'the message "{shorten(one, 200)}" is shown for a moment' for one in said]
        if look.state.focus == SHADE and not look.state.locked:
            news.append(f"the notifications are pulled down over {look.state.app}; `back` closes them")
        if look.state.locked:
            news.append("the phone is locked, and only the person can unlock it")
        if look.state.secure:
            news.append("this app forbids pictures of its screen, so they are black; its elements are known")
        elif picture and look.frame is None:
            news.append(f"the phone returned no picture: {shorten(self._screen.trouble, 100)}")
        if look.why:
            news.append(look.why)
        return news


def u2_server(device: AdbDevice, backend: Backend) -> U2Server | None:
    """The server for a back end; `auto` works without one that is not installed or does not start."""
    if backend == "stock" or (backend == "auto" and server_file() is None):
        return None
    try:
        return U2Server(device)
    except ComputerLost:
        if backend == "u2":
            raise
        return None


def _place(look: PhoneLook) -> Place:
    title = look.state.focus.rpartition("/")[2].rpartition(".")[2]
    return Place(look.state.app or (look.hierarchy.package if look.hierarchy else ""), title)
