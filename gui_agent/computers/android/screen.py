"""What a phone shows at one moment: pixels, hierarchy and windows, as one look."""

from __future__ import annotations

import contextvars
import re
import struct
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from gui_agent.computers.android.client import AdbDevice
from gui_agent.computers.android.hierarchy import Hierarchy, Hints, read
from gui_agent.computers.android.scrcpy import ScrcpyDisplay
from gui_agent.computers.android.u2 import U2Server
from gui_agent.computers.android.webview import WebViews
from gui_agent.computers.android.windows import Display, WindowsState, windows_state
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.computers.desktop.settling import TINY, differences
from gui_agent.core.errors import ComputerLost
from gui_agent.core.geometry import Box, Point, Size

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")
DUMPING = 15.0
GESTURE = 0.2
"""Seconds that two fingers take."""
TRIES = 3
"""Looks after which a screen that moves is taken as it is."""
WORTH = 2.0
RESTLESS = 20.0
"""Seconds for which a screen whose hierarchy could not be had is not asked for it again."""
FRESH = 0.1
"""Seconds for which a picture is also that of the moment before an action."""
RGBA, RGBX = 1, 2
KEYBOARD, DIALOG = "the keyboard", "a dialog"
MAIN = Display()
_TOAST = re.compile(r"TextToastRecord\{.*? text=(.*?) duration=", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Frame:
    """The pixels of a screen, four bytes each."""

    size: Size
    pixels: bytes = field(repr=False)

    def image(self) -> Image:
        """As a picture."""
        from PIL import Image

        sides = (self.size.width, self.size.height)
        return Image.frombytes("RGB", sides, self.pixels, "raw", "RGBX")

    def part(self, box: Box) -> bytes:
        """The pixels inside a box."""
        wide = self.size.width * 4
        rows = range(max(0, box.top), min(self.size.height, box.bottom))
        return b"".join(self.pixels[y * wide + box.left * 4 : y * wide + box.right * 4] for y in rows)


@dataclass(frozen=True, slots=True)
class PhoneLook:
    """One moment of a screen."""

    size: Size
    state: WindowsState
    hierarchy: Hierarchy | None
    """None when the phone could not tell it."""
    frame: Frame | None
    windows: tuple[Window, ...] = ()
    why: str = ""
    """Why there is no hierarchy or no picture."""
    toasts: tuple[str, ...] = ()
    """Messages that are shown for a moment."""


class PhoneScreen:
    """Looks at a phone. Also a `Source` of nodes, and the `PixelDevice` that settling compares."""

    def __init__(
        self,
        device: AdbDevice,
        server: U2Server | None = None,
        display: Display = MAIN,
        own: ScrcpyDisplay | None = None,
    ) -> None:
        self._device, self._server, self._display, self.own = device, server, display, own
        self._pages = WebViews(device)
        self._pictures_of_server: bool | None = None
        """Whether its pictures come much sooner than those of `screencap`; None before that was tried."""
        self._pool = ThreadPoolExecutor(3, thread_name_prefix="phone")
        self.hints = Hints()
        self._numbers: dict[str, int] = {}
        self._fronts: dict[str, int] = {}
        """The window of each app that last filled the screen."""
        self._restless: dict[str, float] = {}
        """When the hierarchy of a window could not be had, by its title."""
        self._last: PhoneLook | None = None
        self._natural = Size(0, 0)
        self._spare: tuple[float, Frame] | None = None
        """The last picture and when it was there; `pixels` takes it once instead of another one."""
        self.trouble = ""
        """Why the last picture could not be taken."""

    @property
    def size(self) -> Size:
        """The screen as it is held now."""
        if self._last is not None:
            return self._last.size
        if not self._natural.width:
            which = ("-d", str(self._display.number)) if self._display.number else ()
            found = re.findall(r"(\d+)x(\d+)", self._device.look("wm", "size", *which).text)
            self._natural = Size(int(found[-1][0]), int(found[-1][1])) if found else Size(0, 0)
        return self._natural

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows of the last look, lowest first."""
        return self._last.windows if self._last is not None else ()

    def state(self) -> WindowsState:
        """The windows right now."""
        return windows_state(self._device.look("dumpsys", "window").text, self._display.number)

    def toasts(self, state: WindowsState) -> tuple[str, ...]:
        """The messages that are shown right now and go away by themselves."""
        if not state.toast:
            return ()
        return tuple(_TOAST.findall(self._device.look("dumpsys", "notification").text))

    def frame(self) -> Frame | None:
        """The pixels right now; None when the phone gives none, and `trouble` says why."""
        found = self._frame()
        self._spare = (time.monotonic(), found) if found is not None else None
        return found

    def _frame(self) -> Frame | None:
        if self.own is not None:
            self.trouble = "nothing was shown on it yet; open an app"
            return Frame(*shown) if (shown := self.own.frame) is not None else None
        if self._server is not None and self._pictures_of_server is None:
            began = time.monotonic()
            if self._from_server() is not None:
                middle = time.monotonic()
                found = self._captured()
                # Those of the server have lost a little to compression, so they must be worth it.
                self._pictures_of_server = WORTH * (middle - began) < time.monotonic() - middle
                return found
        elif self._pictures_of_server and (found := self._from_server()) is not None:
            return found
        return self._captured()

    def _from_server(self) -> Frame | None:
        try:
            data = self._server.picture() if self._server is not None else None
        except ComputerLost:
            return None
        return _decoded(data) if data else None

    def _captured(self) -> Frame | None:
        take = self._display.screencap
        for words in (take, take, (*take, "-p")):
            data = self._device.capture(*words)
            found = _raw(data) or (_decoded(data) if data[:4] == b"\x89PNG" else None)
            if found is not None:
                return found
            self.trouble = (
                data[:80].decode("ascii", "ignore").strip() if len(data) < 400 else "it came cut off"
            )
        return None

    def gesture(self, fingers: Sequence[Sequence[Point]]) -> bool:
        """Move two fingers at once, each from its first place to its last; False when nothing here can.

        Raises:
            ComputerLost: the phone is gone.
        """
        if self.own is not None:
            self.own.touch(fingers, GESTURE)
        elif self._server is not None:
            self._server.gesture(fingers)
        else:
            return False
        return True

    def pixels(self) -> bytes:
        """As `frame`, for comparing; empty when there is none."""
        spare, self._spare = self._spare, None
        if spare is not None and time.monotonic() - spare[0] < FRESH:
            return spare[1].pixels
        found = self._frame()
        return found.pixels if found is not None else b""

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        """Phones cannot be asked whether an app has taken all input."""
        return None

    def look(self, *, picture: bool = True) -> PhoneLook:
        """Pixels, hierarchy and windows of the same moment: the pixels before and after are compared."""
        before = self._start(self.frame) if picture else None
        earlier: Frame | None = None
        toasts: tuple[str, ...] = ()
        for turn in range(TRIES):
            dump = self._start(self._dump)
            state = self.state()
            toasts = toasts or self.toasts(state)  # at once: a dump may take longer than they are shown
            text = dump.result()
            if turn == 0 and before is not None:
                earlier = before.result()
            if picture and self.own is not None and state.app:
                self.own.wait_for_picture()
            frame = self.frame() if picture else None
            hierarchy = self._read(text, self._number(state.window)) if text else None
            done = turn == TRIES - 1 or not picture or hierarchy is None or _same(earlier, frame)
            if done:
                break
            earlier = frame
        self._note_failure(state, hierarchy, text)
        size = frame.size if frame is not None else self._size(hierarchy)
        why = _why(text) if hierarchy is None else ""
        self._last = PhoneLook(
            size, state, hierarchy, frame, self._windows(state, hierarchy, size), why, toasts
        )
        return self._last

    def _read(self, text: str, window: int) -> Hierarchy | None:
        """The hierarchy, with what the web pages in it hold; pages that tell nothing are left to the eyes."""
        hierarchy = read(text, window, self.hints)
        if hierarchy is not None and hierarchy.pages:
            told = self._pages.nodes(hierarchy.pages, window)
            hierarchy.nodes += [node for nodes in told.values() for node in nodes]
            hierarchy.holes += [box for box in hierarchy.pages if box not in told]
        return hierarchy

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """The nodes of the last look; silent are windows and large areas of which it says nothing."""
        return self.told(windows)

    def told(self, windows: Sequence[Window]) -> ScreenReading:
        """As `read`, which needs no picture here."""
        last = self._last
        if last is None or last.hierarchy is None:
            return ScreenReading(silent=tuple(one.id for one in windows if one.active))
        holes = tuple(one.id for one in windows if one.app == HOLE_APP)
        return ScreenReading(tuple(last.hierarchy.nodes), silent=holes)

    def at(self, point: Point, windows: Sequence[Window]) -> Node | None:
        """What is at a point right now; None when the phone cannot tell."""
        look = self.look(picture=False)
        if look.hierarchy is None:
            return None
        return node_at(look, point) or Node(
            ("front",), "window", look.state.focus, Box(0, 0, *_sides(look.size))
        )

    def set_text(self, key: Hashable, text: str) -> bool:
        """Phones take text from the keyboard only."""
        return False

    def close(self) -> None:
        """Stop the threads, and the server if it was started here."""
        self._pool.shutdown(wait=False)
        self._pages.close()
        for helper in (self._server, self.own):
            if helper is not None:
                helper.close()

    def _start(self, work: Callable[[], T]) -> Future[T]:
        """Do something in another thread, under the same deadline."""
        context = contextvars.copy_context()
        return self._pool.submit(lambda: context.run(work))

    def _dump(self) -> str:
        last = self._last
        since = self._restless.get(last.state.focus if last else "", 0.0)
        if since and time.monotonic() - since < RESTLESS:
            return ""
        if self._server is not None:
            try:
                return self._server.hierarchy()
            except ComputerLost:  # it was ended by somebody; what every phone has is slower and left
                self._server.close()
                self._server, self._pictures_of_server = None, None
        reply = self._device.look(*self._display.dump, limit=DUMPING)
        if "<hierarchy" not in reply.text and (reply.code == 137 or "null root" in reply.text):
            reply = self._device.look(*self._display.dump, limit=DUMPING)
        return self._display.own(reply.text) or "nothing was written"

    def _note_failure(self, state: WindowsState, hierarchy: Hierarchy | None, text: str) -> None:
        if hierarchy is not None:
            self._restless.pop(state.focus, None)
        elif text:
            self._restless[state.focus] = time.monotonic()

    def _size(self, hierarchy: Hierarchy | None) -> Size:
        """The size of the screen when no picture tells it."""
        if hierarchy is None:
            return self.size
        known, box = self.size, hierarchy.box
        turned = box.width > known.width or box.height > known.height
        return Size(known.height, known.width) if turned else known

    def _number(self, title: str) -> int:
        return self._numbers.setdefault(title, len(self._numbers) + 1)

    def _windows(self, state: WindowsState, found: Hierarchy | None, size: Size) -> tuple[Window, ...]:
        whole = Box(0, 0, size.width, size.height)
        app = state.app or (found.package if found else "")
        box = found.box if found is not None and found.box.area else whole
        dialog = box.width < whole.width or box.height < 0.6 * whole.height
        number = self._number(state.window)
        below = self._fronts.get(app)
        listed = [Window(below, app, app, 0, whole)] if dialog and below not in (None, number) else []
        if not dialog:
            self._fronts[app] = number
        listed.append(Window(number, DIALOG if dialog else app, app, 0, box, active=True))
        for place, hole in enumerate(found.holes if found else ()):
            listed.append(Window(self._number(f"hole {place}"), "", HOLE_APP, 0, hole, popup=True))
        if state.keyboard is not None:
            listed.append(Window(self._number(KEYBOARD), KEYBOARD, KEYBOARD, 0, state.keyboard, popup=True))
        return tuple(listed)


HOLE_APP = "undescribed"


def node_at(look: PhoneLook, point: Point) -> Node | None:
    """The smallest node at a point; controls before texts."""
    around = [node for node in (look.hierarchy.nodes if look.hierarchy else ()) if node.box.contains(point)]
    return min(
        around, key=lambda node: (node.role == "list", node.role == "text", node.box.area), default=None
    )


def _sides(size: Size) -> tuple[int, int]:
    return size.width, size.height


def _raw(data: bytes) -> Frame | None:
    """Raw pixels behind a header of three numbers, or of four since Android 9."""
    if len(data) < 16:
        return None
    width, height, kind = struct.unpack_from("<3I", data)
    for head in (16, 12):
        if kind in (RGBA, RGBX) and len(data) == head + 4 * width * height:
            return Frame(Size(width, height), data[head:])
    return None


def _decoded(data: bytes) -> Frame | None:
    import io

    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as picture:
            whole = picture.convert("RGBA")  # reads all of it, so that a file that was cut off is noticed
    except (OSError, SyntaxError, ValueError):
        return None
    return Frame(Size(whole.width, whole.height), whole.tobytes())


def _same(before: Frame | None, after: Frame | None) -> bool:
    if before is None or after is None or before.pixels == after.pixels:
        return True
    counts = differences(before.pixels, after.pixels, after.size)
    return counts is None or int(counts.sum()) <= TINY


def _why(text: str) -> str:
    """Why there is no hierarchy, in words."""
    if not text or "idle" in text:
        return "the screen never comes to rest, so the phone does not tell its elements"
    return "the phone did not tell the elements of this screen"
