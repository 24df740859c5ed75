"""A desktop as a `core.protocols.Computer`: one device, one source of elements, and their coordination."""

from __future__ import annotations

import atexit
import io
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import Signature, signature
from typing import TYPE_CHECKING, Any, Literal, Protocol

from gui_agent.computers.desktop.acting import Acting, active
from gui_agent.computers.desktop.elements import Elements, Observe, confirm, places_on
from gui_agent.computers.desktop.monitor import on_monitor
from gui_agent.computers.desktop.parts import Device, Node, ScreenReading, Source, Unwatched, Window
from gui_agent.computers.desktop.person_watch import Ears, PersonWatch
from gui_agent.computers.desktop.settling import SettleTimes, Settling, Waits
from gui_agent.computers.processes import runs_on_terminal
from gui_agent.core import deadline
from gui_agent.core.actions import Action, Press, Scroll
from gui_agent.core.aiming import input_of
from gui_agent.core.errors import ActionFailed, ComputerLost, Stale
from gui_agent.core.keys import COPYING, chord
from gui_agent.core.observation import Element, Observation, Place, Point, Screenshot, Size
from gui_agent.core.protocols import Closing, Opening, Settled
from gui_agent.core.texts import shorten
from gui_agent.elements.roles import MEASURED, word_set

if TYPE_CHECKING:
    from PIL.Image import Image

Format = Literal["png", "jpeg"]
QUALITY = 85
LEAST = 0.3
"""Seconds left for a last look after the deadline."""
TURNED, BESIDE = MEASURED | {"combobox"}, 8
"""Roles whose value the wheel changes, and the distance (px) at which the wheel is turned beside them."""
STILL = 0.8
"""Seconds without movement before the mouse counts as free again."""
COPIED = 400
"""Maximum characters of a copied text that a notice says."""
SHIFTED = 2
"""Pixels by which programs and drivers may shift the pointer."""
WAITS = Waits(grace=0.7, quiet=0.15, cap=3.0)
SHARED = word_set("open cap picture_format reading settle_grace settle_quiet settle_cap settle_known")
"""Options of every kind of desktop."""


def _nothing() -> None:
    """Do nothing more."""


class ScreenComputer(Closing):
    """A screen used from any thread, one at a time, until it is closed, which any thread may do."""

    LOST = "the desktop is closed; open a new one"
    _settling: Settling

    def __init__(self, open: str, prepare: Callable[[], None] = _nothing) -> None:
        """Prepare the screen and open something on it; close it again if that fails."""
        self._lock = threading.RLock()
        self._closed = False
        atexit.register(self.close)
        try:
            prepare()
            self.start(open)
        except BaseException:
            self.close()
            raise

    def settle(self) -> Settled:
        with self._open():
            return Settled(0.0, quiet=False) if deadline.is_over() else self._settle()

    def start(self, where: str) -> None:
        """Open a program, a file or an address; an empty `where` leaves the screen unchanged."""
        with self._open():
            if where:
                self._settling.arm()
                self._begin_with(where)

    def close(self) -> None:
        """Release the screen; may be called twice and from any thread."""
        atexit.unregister(self.close)
        if not self._closed:
            self._closed = True
            self._end()

    def _open(self) -> threading.RLock:
        if self._closed:
            raise ComputerLost(self.LOST)
        return self._lock

    def _settle(self) -> Settled:
        raise NotImplementedError

    def _begin_with(self, where: str) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError


class DesktopComputer(ScreenComputer):
    """A screen with windows, operated with real mouse and keyboard input.

    Points are pixels of the screenshot.
    """

    acted = 0.0
    """When the last input was given, by the clock `time.monotonic`; 0 before the first."""
    means = ""

    def __init_subclass__(cls) -> None:
        """Options that a subclass passes on to this constructor (`**shared`) are its own options, too."""
        own = dict(signature(cls.__init__, eval_str=True).parameters)
        if own.pop("shared", None) is not None:
            ours = signature(DesktopComputer.__init__, eval_str=True).parameters
            more = {name: one for name, one in ours.items() if name in SHARED and name not in own}
            del own["self"]
            cls.__signature__ = Signature([*own.values(), *more.values()])  # type: ignore[attr-defined]

    def __init__(
        self,
        device: Device,
        source: Source,
        *,
        open: str = "",
        cap: int = 1500,
        picture_format: Format = "jpeg",
        reading: float = 3.0,
        yields: float = 0.0,
        settle_grace: float = WAITS.grace,
        settle_quiet: float = WAITS.quiet,
        settle_cap: float = WAITS.cap,
        settle_known: Mapping[str, float] | None = None,
        ending: Callable[[], None] = _nothing,
    ) -> None:
        """Set up a desktop; close it again if it cannot open the given program.

        Args:
            open: a program, file or address to begin with.
            cap: maximum elements of an observation.
            reading: seconds for programs to report their elements.
            yields: maximum seconds to wait while another person moves the mouse; 0 without other people.
            settle_grace: seconds to wait for a first change after an action.
            settle_quiet: seconds without a change after which the screen counts as settled.
            settle_cap: maximum seconds to wait for a screen that does not come to rest.
            settle_known: seconds within which programs came to rest in earlier runs, by application; by
                default from the traces.
            ending: called once, after everything else is closed.
        """
        self._device = device
        self._source = source
        self._format: Format = picture_format
        self._reading = reading
        self._yields = yields
        self._left: Point | None = None
        """Where the pointer was after the last input or look."""
        self._ending = ending
        self._elements = Elements(cap)
        waits = Waits(settle_grace, settle_quiet, settle_cap)
        self._settling = Settling(device, SettleTimes(waits, settle_known))
        # Of the parts and not of this object, which is freed as soon as its last reference is gone.
        self._acting = Acting(
            device,
            lambda: source.read(device.windows(), device.grab(), reading).nodes,
            lambda point: source.node_at(point, device.windows()),
        )
        self._known: dict[int, str] = {}
        """Titles of the windows at the last look, by id."""
        self._copied_over: str | None = None
        """What was on the clipboard before the last keys, if they copy."""
        self._programs: dict[int, str] = {}
        """Names of the programs that had windows at the last look, by process id."""
        super().__init__(open)

    @property
    def platform(self) -> str:
        return self._device.platform

    @property
    def device(self) -> Device:
        """The device, for programs that embed the desktop."""
        return self._device

    def grab(self) -> Image:
        """The current screen; may be called from any thread."""
        return self._device.grab()

    def clipboard(self) -> str:
        """The text on the screen's clipboard; empty if there is none."""
        with self._open():
            return self._device.clipboard

    def observe(self, *, picture: bool = True) -> Observation:
        """The visible elements and, unless `picture` is false, a screenshot taken just before."""
        with self._open():
            self._give_way()
            size, windows = self._device.size, self._device.windows()
            seen = self._device.grab()
            reading = self._source.read(windows, seen, deadline.remaining(self._reading, LEAST))
            elements, left_out = self._elements.take(reading, windows, size)
            front = active(windows)
            told = {node.window for node in reading.nodes if "focused" in node.states}
            return Observation(
                size=size,
                elements=elements,
                place=_place(windows, reading.nodes, self.platform in ("x11", "wayland")),
                screenshot=encode_picture(seen, self._format) if picture else None,
                left_out=left_out,
                notices=self._news(windows),
                windows={window.id: window.whole for window in windows},
                hints=frozenset(window.id for window in windows if window.hint),
                hung=self._hung_programs(front, reading),
                crashed=self._crashed_programs(windows),
                keyboard=front is not None or any(window.popup for window in windows),
                focus_unseen=front is not None and front.id not in told,
            )

    def perform(self, action: Action, expected: Element | None = None) -> None:
        with self._open():
            if self._give_way():
                raise Stale("another person used the mouse meanwhile; look at the screen again")
            named = places_on(self._device.size, action)
            # A wheel scrolls the element under it, even if that covers the target.
            if expected is not None and "at" in named and not isinstance(action, Scroll):
                confirm(self._source, self._elements, self._device.windows(), named["at"], expected)
            if isinstance(action, Scroll) and expected is not None and expected.role in TURNED:
                left, _, right, _ = expected.box.grow(BESIDE).edges
                x = left if left >= 0 else min(right, self._device.size.width - 1)
                action = replace(action, at=Point(x, action.at.y))
            self._settling.arm()
            copies = isinstance(action, Press) and chord(action.keys) in COPYING
            self._copied_over = self._clipboard() if copies else None
            try:
                self._act(action)
            finally:
                self.acted = time.monotonic()
                self._left = self._device.pointer if self._yields else None

    def _act(self, action: Action) -> None:
        self.means = input_of(action)
        self._acting.perform(action)

    def _give_way(self) -> bool:
        """Wait while another person moves the mouse. Returns if they did since the last input or look."""
        if not self._yields:
            return False
        at = self._device.pointer
        left, self._left = self._left or at, at
        if max(abs(at.x - left.x), abs(at.y - left.y)) <= SHIFTED:
            return False
        until = time.monotonic() + deadline.remaining(self._yields)
        still = time.monotonic()
        while (now := time.monotonic()) < min(still + STILL, until):
            time.sleep(0.05)
            if (there := self._device.pointer) != at:
                at, still = there, now
        self._left = at
        return True

    def _settle(self) -> Settled:
        return self._settling.settle(active(self._device.windows()))

    def _begin_with(self, where: str) -> None:
        self._acting.open(where)

    def opening(self, name: str) -> Opening:
        with self._open():
            return self._device.opening(name)

    def _end(self) -> None:
        try:
            self._source.close()
        finally:
            self._device.close()
            ending, self._ending = self._ending, _nothing
            ending()

    def _hung_programs(self, front: Window | None, reading: ScreenReading) -> tuple[str, ...]:
        app = front.app if front is not None else ""
        own = {name for name in reading.late if app and (name.casefold() in app or app in name.casefold())}
        stuck = front is not None and app and (own or self._settling.still_frozen(front))
        others = (name for name in reading.late if name not in own)
        return tuple(dict.fromkeys((*((app,) if stuck else ()), *others)))

    def _crashed_programs(self, windows: Sequence[Window]) -> tuple[str, ...]:
        now = {window.pid: window.app for window in windows if window.pid}
        gone = {pid: app for pid, app in self._programs.items() if pid not in now}
        self._programs = now
        return tuple(app for pid, app in gone.items() if self._device.has_crashed(pid))

    def _news(self, windows: Sequence[Window]) -> tuple[str, ...]:
        now = {window.id: window.title or window.app for window in windows if not window.popup}
        before, self._known = self._known, now
        if not before:
            return ()
        opened = [f'the window "{title}" opened' for number, title in now.items() if number not in before]
        closed = [f'the window "{title}" closed' for number, title in before.items() if number not in now]
        return (*opened, *closed, *self._copied_text())

    def _copied_text(self) -> tuple[str, ...]:
        """What the last keys copied; nothing that was on the clipboard before them is shown to anyone."""
        text = self._clipboard() if self._copied_over is not None else ""
        if text in ("", self._copied_over):
            return ()  # a busy program may copy it only after this look
        self._copied_over = None
        return (f'copied "{shorten(text, COPIED)}"',)

    def _clipboard(self) -> str:
        try:
            return self.clipboard()
        except ActionFailed:
            return ""


def _place(windows: Sequence[Window], nodes: Sequence[Node], local: bool) -> Place:
    window = active(windows)
    if window is None:
        return Place(others=tuple(one.title for one in windows if one.title and not one.popup))
    addresses = (node.attributes.get("url", "") for node in nodes if node.window == window.id)
    others = tuple(one.title for one in windows if one.id != window.id and one.title and not one.popup)
    commands = local and bool(window.pid) and runs_on_terminal(window.pid)
    return Place(window.app, window.title, next(filter(None, addresses), ""), others, commands=commands)


def encode_picture(picture: object, kind: Format) -> Screenshot:
    from PIL.Image import Image

    assert isinstance(picture, Image)
    sink = io.BytesIO()
    if kind == "png":
        picture.save(sink, "PNG", compress_level=1)
    else:
        picture.save(sink, "JPEG", quality=QUALITY)
    size = Size(picture.width, picture.height)
    return Screenshot(sink.getvalue(), size, "image/png" if kind == "png" else "image/jpeg")


class WatchedDevice(Device, Protocol):
    """A device that checks before each input whether the user has stopped the agent."""

    person: PersonWatch | Unwatched


class SingleScreenComputer(DesktopComputer):
    """The user's screen, mouse and keyboard, with its programs and windows."""

    def __init__(
        self,
        *,
        panic_key: str = "ctrl+alt+q",
        corner_stop: bool = True,
        monitor: int = 0,
        observe: Observe = "auto",
        reading: float = 1.0,
        yields: float = 20.0,
        **shared: Any,
    ) -> None:
        """Use the screen, mouse and keyboard of the user.

        Args:
            panic_key: keys that stop the agent at once, whatever program is in front; empty for none.
            corner_stop: stop the agent when the user moves the mouse into a corner of the screen.
            monitor: number of the monitor, from 1; 0 for all together.
            observe: tree, vision, both, or auto: vision only where a window's tree reports nothing. On a
                platform without a readable tree, only vision is available.
            reading: seconds for programs to report their elements.
            yields: maximum seconds to wait while the user moves the mouse; 0 to override the user.
            shared: see `DesktopComputer`.
        """
        device, source = self._connect(observe)
        try:
            if panic_key or corner_stop:
                device.person = PersonWatch(lambda: self._ears(panic_key), corner_stop)
        except BaseException:
            source.close()
            device.close()
            raise
        seen, source = on_monitor(device, source, monitor)
        super().__init__(seen, source, reading=reading, yields=yields, **shared)

    @abstractmethod
    def assumptions(self) -> Iterator[tuple[str, bool, str]]:
        """Assumptions about the platform: what is assumed, whether it holds here, and how to fix it."""

    @staticmethod
    @abstractmethod
    def _connect(observe: Observe) -> tuple[WatchedDevice, Source]:
        """The platform's device and source of elements; nothing stays open after an error."""

    @staticmethod
    @abstractmethod
    def _ears(panic: str) -> Ears:
        """The listener for the panic key and the pointer; created and used by one thread."""
