"""The screen of a Wayland session: its pictures, and its windows with their positions."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from gui_agent.computers.atspi.bounds import OF_WINDOW, box_of
from gui_agent.computers.atspi.bus import (
    Bus,
    CallFailed,
    MethodCall,
    Reference,
    answer_to,
    ask,
    ask_each,
    attribute,
    get,
    method,
    reference,
)
from gui_agent.computers.atspi.program import AccessibleProgram, introduce, read, running
from gui_agent.computers.atspi.vocabulary import Role, State, has, states_of
from gui_agent.computers.desktop.parts import Window
from gui_agent.computers.event_loop import LoopThread, turns
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError
from gui_agent.core.observation import Box, Size
from guiagent_platforms.wayland.portal import Stream

if TYPE_CHECKING:
    from PIL.Image import Image

BEGINNING = 15.0
"""Maximum seconds for the first picture to arrive."""
PROGRAM, PACKAGES = "gst-launch-1.0", "gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-pipewire"
LACKING = (
    f"pictures of a Wayland session need GStreamer with PipeWire; install with: apt-get install {PACKAGES}"
)


class FrameReader:
    """The newest picture of one monitor, four bytes per pixel."""

    def __init__(self, stream: Stream, pipewire: int) -> None:
        """Start receiving pictures; takes over and closes the connection's file descriptor `pipewire`."""
        self.box = stream.box
        self._newest = bytearray()
        self._here = threading.Condition()
        self._over = False
        try:
            self._process = subprocess.Popen(
                _command(stream, pipewire),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(pipewire,),
            )
        except OSError as error:
            raise ConfigError(LACKING) from error
        finally:
            os.close(pipewire)
        self._thread = threading.Thread(target=self._take, name="gui_agent.frames", daemon=True)
        self._thread.start()
        with self._here:
            came = self._here.wait_for(lambda: self._newest or self._over, BEGINNING)
        if not came or not self._newest:
            self.close()
            why = (self._process.stderr.read() if self._process.stderr else b"").decode("utf-8", "replace")
            if "pipewiresrc" in why:
                raise ConfigError(LACKING)
            raise ComputerLost(f"no picture of the screen came within {BEGINNING:g} s: {why.strip()[:200]}")

    def newest(self) -> bytearray:
        if self._over:
            raise ComputerLost("the desktop sends no more pictures; it stopped sharing the screen")
        return self._newest

    def close(self) -> None:
        self._over = True
        self._process.kill()
        self._process.wait()

    def _take(self) -> None:
        """Read one picture after another; a new one replaces the last only when it is complete."""
        assert self._process.stdout is not None
        size = self.box.width * self.box.height * 4
        with contextlib.suppress(OSError, ValueError):
            while True:
                # A new buffer each time: a caller may still use the last one.
                frame, filled = bytearray(size), 0
                while filled < size:
                    got = self._process.stdout.readinto(memoryview(frame)[filled:])  # type: ignore[attr-defined]
                    if not got:
                        raise OSError("the process has ended")
                    filled += got
                with self._here:
                    self._newest = frame
                    self._here.notify_all()
        with self._here:
            self._over = True
            self._here.notify_all()


class MonitorPictures:
    """All monitors of a session as one picture; its first pixel is the top left corner of their union."""

    def __init__(self, streams: Sequence[Stream], pipewire: Callable[[], int]) -> None:
        ready()
        self.streams = tuple(streams)
        whole = Box.hull(stream.box for stream in streams)
        self.corner, self.size = whole.corner, Size(whole.width, whole.height)
        self._readers: list[FrameReader] = []
        try:
            for stream in streams:
                self._readers.append(FrameReader(stream, pipewire()))
        except BaseException:
            self.close()
            raise

    @property
    def monitors(self) -> tuple[Box, ...]:
        left, top = self.corner
        boxes = (one.box for one in self.streams)
        return tuple(box.shift(-left, -top) for box in boxes)

    def pixels(self) -> bytes | bytearray:
        if len(self._readers) == 1:
            return self._readers[0].newest()
        return self.grab().convert("RGBX").tobytes("raw", "BGRX")

    def grab(self, box: Box | None = None) -> Image:
        """The screen, or a part of it, as an RGB picture; black outside of the monitors."""
        from PIL import Image

        whole: Image.Image | None = None
        for reader, place in zip(self._readers, self.monitors, strict=True):
            size = place.width, place.height
            part = Image.frombuffer("RGB", size, bytes(reader.newest()), "raw", "BGRX", 0, 1)
            if len(self._readers) == 1:
                whole = part
            else:
                whole = whole or Image.new("RGB", (self.size.width, self.size.height))
                whole.paste(part, place.corner)
        assert whole is not None
        return whole if box is None else whole.crop(box.edges)

    def close(self) -> None:
        for reader in self._readers:
            reader.close()


def ready() -> None:
    if shutil.which(PROGRAM) is None:
        raise ConfigError(LACKING)


def _command(stream: Stream, pipewire: int) -> list[str]:
    form = f"video/x-raw,format=BGRx,width={stream.box.width},height={stream.box.height}"
    source = f"pipewiresrc fd={pipewire} path={stream.node} always-copy=true"
    sink = "queue max-size-buffers=1 leaky=downstream ! fdsink fd=1 sync=false"
    return [PROGRAM, "-q", *f"{source} ! videoconvert ! videoscale ! {form} ! {sink}".split()]


T = TypeVar("T")
ANSWERING = 2.0
"""Maximum seconds for programs to report their windows."""
CONNECTING = 10.0
EACH = 0.5
"""Timeout (s) for one program, so that a hanging one does not block others."""
WRITING = 1.0
"""Maximum seconds for a program to show an inserted text."""


@dataclass(frozen=True, slots=True)
class ListedWindow:
    """A program's report about one of its windows."""

    at: Reference
    program: AccessibleProgram
    title: str
    size: Size
    active: bool
    popup: bool


class SessionWindows:
    """Lists windows; other code locates them, and the positions are stored here."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._thread = LoopThread("gui_agent.windows", "the accessibility bus")
        self._bus: Bus | None = None
        self._programs: dict[Reference, AccessibleProgram] = {}
        self._ids: dict[Reference, int] = {}
        self._order: list[int] = []
        """Ids of windows by their last time in front, the current one last."""
        self._places: dict[int, Box] = {}
        self._sizes: dict[int, Size] = {}
        self._front = 0
        self.menu = False
        """Whether something other than a window has the front window's focus, such as an open menu."""
        self.screen = Size(1, 1)
        """The box of a window with an unknown position: anywhere on it."""

    def visible_windows(self) -> Sequence[Window]:
        """The windows, lowest first as far as known: the last one in front is the highest."""
        try:
            told = self._thread.call(self._list_windows(), ANSWERING + CONNECTING)
        except (OSError, CallFailed) as error:
            self._bus = None
            raise ComputerLost(f"the accessibility bus does not respond: {error}") from error
        windows = {window.id: window for window in map(self._window, told)}
        self._order = [number for number in dict.fromkeys((*self._order, *windows)) if number in windows]
        self._order.sort(key=lambda number: windows[number].active or windows[number].popup)
        self._places = {number: box for number, box in self._places.items() if number in windows}
        front = next((number for number in reversed(self._order) if windows[number].active), 0)
        # An open menu takes the focus from its window, and is not a reported window itself.
        self.menu = not front and self._front in windows
        self._front = front or self._front
        if self.menu:
            windows[self._front] = replace(windows[self._front], active=True)
        return [windows[number] for number in self._order]

    def is_placed(self, window: Window) -> bool:
        place = self._places.get(window.id)
        return place is not None and (place.width, place.height) == (window.box.width, window.box.height)

    def place(self, window: Window, box: Box | None) -> None:
        """Note the position of a window; None if it is no longer known."""
        if box is None:
            self._places.pop(window.id, None)
        else:
            self._places[window.id] = box

    def insert(self, text: str) -> None:
        """Insert a text at the focus, without keys."""
        self._thread.call(self._insert(text), ANSWERING + WRITING)

    def close(self) -> None:
        if self._thread.running and self._bus is not None:
            self._thread.loop.call_soon_threadsafe(self._bus.close)
        self._thread.stop()

    def _window(self, told: ListedWindow) -> Window:
        number = self._ids.setdefault(told.at, len(self._ids) + 1)
        place = self._places.get(number)
        if place is None or (place.width, place.height) != (told.size.width, told.size.height):
            place = self.screen.box
        app = told.program.name.casefold()
        return Window(number, told.title, app, told.program.pid, place, told.active, told.popup)

    def size(self, window: Window) -> Size | None:
        """A window's reported size; None if it is gone."""
        return self._sizes.get(window.id)

    async def _list_windows(self) -> list[ListedWindow]:
        bus = await self._connect()
        roots = await running(bus)
        new = [root for root in roots if root not in self._programs]
        met = await asyncio.gather(*(_within_time(introduce(bus, root, True)) for root in new))
        self._programs |= {root: program for root, program in zip(new, met, strict=True) if program}
        known = [self._programs[root] for root in roots if root in self._programs]
        found = await asyncio.gather(*(_within_time(_windows(bus, program)) for program in known))
        told = list(chain.from_iterable(filter(None, found)))
        self._sizes = {self._ids.setdefault(one.at, len(self._ids) + 1): one.size for one in told}
        return told

    async def _connect(self) -> Bus:
        if self._bus is None or not self._bus.alive:
            self._bus = await asyncio.wait_for(Bus.connect(self._session), CONNECTING)
        return self._bus

    async def _insert(self, text: str) -> None:
        bus = await self._connect()
        front = next((one for one in await self._list_windows() if one.active), None)
        tree = await read(bus, front.program, {}) if front else None
        items = tree.items.values() if tree else ()
        field = next((one for one in items if one.has(State.FOCUSED) and one.offers("EditableText")), None)
        if field is None:
            raise ActionFailed(
                "the focused window cannot receive these characters; click a text field first "
                "(Wayland can type only basic characters)"
            )
        place = int(await answer_to(bus, get(field.at, "Text", "CaretOffset")) or 0)
        before = await answer_to(bus, _length(field.at))
        size = len(text.encode())
        await answer_to(bus, ask(field.at, "EditableText", "InsertText", "isi", place, text, size))
        async for _ in turns(WRITING, 0.02):
            if await answer_to(bus, _length(field.at)) == (before or 0) + len(text):
                await answer_to(bus, ask(field.at, "Text", "SetCaretOffset", "i", place + len(text)))
                return
        raise ActionFailed("the field did not accept the whole text; check its value")


def _length(at: Reference) -> MethodCall:
    return get(at, "Text", "CharacterCount")


async def _within_time(work: Coroutine[Any, Any, T]) -> T | None:
    try:
        return await asyncio.wait_for(work, EACH)
    except (CallFailed, TimeoutError):
        return None


async def _windows(bus: Bus, program: AccessibleProgram) -> list[ListedWindow]:
    (children,) = await bus.call(ask(program.root, "Accessible", "GetChildren"))
    questions = (
        method("Accessible", "GetState"),
        method("Accessible", "GetRole"),
        attribute("Accessible", "Name"),
        method("Component", "GetExtents", "u", OF_WINDOW),
    )
    told = await ask_each(bus, filter(None, map(reference, children)), *questions)
    found = []
    for at, (states, role, name, extents) in told.items():
        box = box_of(extents)
        if states is None or box is None or not has(states_of(states), State.SHOWING):
            continue
        active, title = has(states_of(states), State.ACTIVE), str(name or "")
        popup = role == Role.WINDOW and not active and not title
        found.append(ListedWindow(at, program, title, Size(box.width, box.height), active, popup))
    return found
