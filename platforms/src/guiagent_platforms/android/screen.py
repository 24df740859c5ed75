"""One look at a phone: its pixels, hierarchy and windows at one moment."""

from __future__ import annotations

import contextlib
import contextvars
import json
import re
import struct
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from gui_agent.computers.browser.cdp.isolated_world import NAME, effects_of, script
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.computers.desktop.settling import TINY, differences
from gui_agent.core import deadline
from gui_agent.core.errors import ComputerLost
from gui_agent.core.observation import Box, Point, Size
from guiagent_platforms.android.client import AdbDevice, ask_by_http
from guiagent_platforms.android.hierarchy import Display, Hierarchy, Hints, WindowsState, read, windows_state
from guiagent_platforms.android.u2 import U2Server

if TYPE_CHECKING:
    from PIL.Image import Image

ANSWERING = 3.0
SILENT = 20.0
"""Seconds for which an app that did not answer is not asked again."""
MOST = 300
"""Maximum elements of a page."""
NEAR = 12
"""Maximum pixels between the positions of a page and of its view."""
_SOCKETS = re.compile(r"@((?:webview|chrome)_devtools_remote\S*)")
FAULTS = (ComputerLost, OSError, ValueError, KeyError, TypeError)
"""The errors of a page that goes away, or of an invalid answer."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page that an app shows, with its position on the screen if known."""

    socket: str
    id: str
    box: Box | None


class WebViews:
    """Reads the pages in a phone's web views through a kept connection to each page."""

    def __init__(self, device: AdbDevice) -> None:
        self._device = device
        self._lines: dict[str, _Line] = {}
        self._silent = 0.0

    def nodes(self, views: Sequence[Box], window: int) -> dict[Box, list[Node]]:
        """The elements of the pages in these views, as far as they answer."""
        found: dict[Box, list[Node]] = {}
        if not views or time.monotonic() - self._silent < SILENT:
            return found
        pages = list(self._pages())
        for view in views:
            at_place = [one for one in pages if one.box is not None and _same_place(one.box, view)]
            fits = at_place or [one for one in pages if one.box is None]
            if len(fits) == 1 and (at_place or len(views) == 1):
                with contextlib.suppress(*FAULTS):
                    found[view] = list(_nodes(self._look(fits[0]), view, window, fits[0].id))
        if not found:
            self._silent = time.monotonic()
        return found

    def close(self) -> None:
        for line in self._lines.values():
            line.close()
        self._lines.clear()

    def _pages(self) -> Iterator[Page]:
        sockets = _SOCKETS.findall(self._device.look("cat", "/proc/net/unix").text)
        for name in dict.fromkeys(sockets):
            with contextlib.suppress(*FAULTS):
                for told in json.loads(self._get(name, "/json/list")):
                    if told["type"] != "page":
                        continue
                    where = json.loads(told.get("description") or "{}")
                    if where.get("visible", True) and not where.get("empty", False):
                        yield Page(name, told["id"], _place(where))

    def _get(self, name: str, path: str) -> bytes:
        with self._device.open(f"localabstract:{name}", limit=ANSWERING) as wire:
            return ask_by_http(wire, f"GET {path}")

    def _look(self, page: Page) -> dict[str, Any]:
        for _ in range(2):  # the kept connection may belong to a page that has navigated
            line = self._lines.get(page.id)
            if line is None:
                line = self._lines[page.id] = _Line(self._device, page)
            try:
                return line.look()
            except FAULTS:
                line.close()
                del self._lines[page.id]
        raise ComputerLost("the page does not respond")


class _Line:
    def __init__(self, device: AdbDevice, page: Page) -> None:
        from websockets.sync.client import connect

        wire = device.open(f"localabstract:{page.socket}", limit=ANSWERING)
        try:
            address = f"ws://localhost/devtools/page/{page.id}"
            line = connect(address, sock=wire, open_timeout=ANSWERING, max_size=None)
            self._socket = line.__enter__()
        except Exception as error:  # whatever the error is, this is not a connection to a page
            wire.close()
            raise ComputerLost(f"the page accepts no connection: {error}") from error
        self._last = 0
        self._world = 0

    def look(self) -> dict[str, Any]:
        if not self._world:
            frame = self._ask("Page.getFrameTree")["frameTree"]["frame"]["id"]
            made = self._ask("Page.createIsolatedWorld", frameId=frame, worldName=NAME)
            self._world = made["executionContextId"]
            self._evaluate(script())
        found = json.loads(self._evaluate(f"{NAME}.take({MOST}, null)"))
        if not isinstance(found, dict):
            raise ComputerLost("the page returned no elements")
        return found

    def _evaluate(self, expression: str) -> Any:
        given = {"contextId": self._world, "returnByValue": True, "awaitPromise": True}
        return self._ask("Runtime.evaluate", expression=expression, **given)["result"].get("value")

    def _ask(self, method: str, **given: Any) -> dict[str, Any]:
        from websockets.exceptions import WebSocketException

        self._last += 1
        end = time.monotonic() + deadline.remaining(ANSWERING)
        try:
            self._socket.send(json.dumps({"id": self._last, "method": method, "params": given}))
            while True:
                said = json.loads(self._socket.recv(max(0.0, end - time.monotonic())))
                if said.get("id") == self._last:
                    result: dict[str, Any] = said["result"]
                    return result
        except (WebSocketException, TimeoutError) as error:
            raise ComputerLost(f"the page does not respond: {error}") from error

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.socket.close()


def _place(told: dict[str, Any]) -> Box | None:
    names = ("screenX", "screenY", "width", "height")
    return Box(*(int(told[name]) for name in names)) if all(name in told for name in names) else None


def _same_place(one: Box, other: Box) -> bool:
    return one.grow(NEAR).encloses(other) and other.grow(NEAR).encloses(one)


def _nodes(look: dict[str, Any], view: Box, window: int, page: str) -> Iterator[Node]:
    """The script's rows as nodes of the screen; its pixels start at the view's corner."""
    for row in look["rows"]:
        number, role, name, left, top, width, height, path, value, states, *more = row
        description, attributes, _, does, _ = more
        box = Box(left, top, width, height).shift(*view.corner).intersect(view)
        if box is None:
            continue
        yield Node(
            (window, "page", page, look["document"], number),
            role,
            name,
            box,
            value=value,
            states=frozenset(states),
            description=description,
            path=path,
            attributes={**attributes, "field": f"{page}/{number}"},
            window=window,
            source="webview",
            does=effects_of(does),
        )


T = TypeVar("T")
DUMPING = 15.0
TRIES = 3
"""Maximum looks at a moving screen; then it is accepted as it is."""
WORTH = 2.0
RESTLESS = 20.0
"""Seconds for which the hierarchy of a restless screen is not requested again."""
POLL = 0.05
FRESH = 0.1
"""Seconds for which a picture counts as that of the moment before an action."""
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
        from PIL import Image

        sides = (self.size.width, self.size.height)
        return Image.frombytes("RGB", sides, self.pixels, "raw", "RGBX")

    def part(self, box: Box) -> bytes:
        shown = box.intersect(self.size.box)
        return self.image().crop(shown.edges).tobytes() if shown else b""


@dataclass(frozen=True, slots=True)
class PhoneLook:
    """One look at a screen."""

    size: Size
    state: WindowsState
    hierarchy: Hierarchy | None
    """None if the phone could not return it."""
    frame: Frame | None
    windows: tuple[Window, ...] = ()
    why: str = ""
    """Why there is no hierarchy or no picture."""
    toasts: tuple[str, ...] = ()

    @property
    def nodes(self) -> Sequence[Node]:
        return self.hierarchy.nodes if self.hierarchy is not None else ()

    def node(self, key: Hashable) -> Node | None:
        return next((one for one in self.nodes if one.key == key), None)


class PhoneScreen:
    """Looks at a phone. Also a `Source` of nodes, and the `PixelDevice` that settling compares."""

    def __init__(
        self,
        device: AdbDevice,
        server: U2Server | None = None,
        display: Display = MAIN,
    ) -> None:
        self._device, self._server, self._display = device, server, display
        self._pages = WebViews(device)
        self._pictures_of_server: bool | None = None
        """Whether its pictures arrive much sooner than those of `screencap`; None before that was tried."""
        self._pool = ThreadPoolExecutor(3, thread_name_prefix="phone")
        self.hints = Hints()
        self._numbers: dict[str, int] = {}
        self._fronts: dict[str, int] = {}
        """By app, the window that last filled the screen."""
        self._restless: dict[str, float] = {}
        """By window title, when its hierarchy was not available."""
        self._last: PhoneLook | None = None
        self._natural = Size(0, 0)
        self._spare: tuple[float, Frame] | None = None
        """The last picture and its time; `pixels` uses it once instead of a new one."""
        self.trouble = ""

    @property
    def size(self) -> Size:
        """The screen size in the current orientation."""
        if self._last is not None:
            return self._last.size
        if not self._natural.width:
            which = ("-d", str(self._display.number)) if self._display.number else ()
            found = re.findall(r"(\d+)x(\d+)", self._device.look("wm", "size", *which).text)
            self._natural = Size(int(found[-1][0]), int(found[-1][1])) if found else Size(0, 0)
        return self._natural

    @property
    def windows(self) -> tuple[Window, ...]:
        return self._last.windows if self._last is not None else ()

    def state(self) -> WindowsState:
        return windows_state(self._device.look("dumpsys", "window").text, self._display.number)

    def toasts(self, state: WindowsState) -> tuple[str, ...]:
        """The messages shown now that disappear by themselves."""
        if not state.toast:
            return ()
        return tuple(_TOAST.findall(self._device.look("dumpsys", "notification").text))

    def frame(self) -> Frame | None:
        """The current pixels; None if the phone returns none, with the reason in `trouble`."""
        found = self._frame()
        self._spare = (time.monotonic(), found) if found is not None else None
        return found

    def _frame(self) -> Frame | None:
        if self._server is not None and self._pictures_of_server is None:
            began = time.monotonic()
            if self._from_server() is not None:
                middle = time.monotonic()
                found = self._capture()
                # The server's pictures are slightly compressed, so they must be clearly faster.
                self._pictures_of_server = WORTH * (middle - began) < time.monotonic() - middle
                return found
        elif self._pictures_of_server and (found := self._from_server()) is not None:
            return found
        return self._capture()

    def _from_server(self) -> Frame | None:
        try:
            data = self._server.picture() if self._server is not None else None
        except ComputerLost:
            return None
        return _decode(data) if data else None

    def _capture(self) -> Frame | None:
        take = self._display.screencap
        for words in (take, take, (*take, "-p")):
            data = self._device.capture(*words)
            found = _raw(data) or (_decode(data) if data[:4] == b"\x89PNG" else None)
            if found is not None:
                return found
            self.trouble = (
                data[:80].decode("ascii", "ignore").strip() if len(data) < 400 else "it was truncated"
            )
        return None

    def gesture(self, fingers: Sequence[Sequence[Point]]) -> bool:
        """Move two fingers at once, each from its first point to its last; False if no back end can."""
        if self._server is None:
            return False
        self._server.gesture(fingers)
        return True

    def pixels(self) -> bytes:
        """Like `frame`, for comparison; empty if there is none."""
        spare, self._spare = self._spare, None
        if spare is not None and time.monotonic() - spare[0] < FRESH:
            return spare[1].pixels
        found = self._frame()
        return found.pixels if found is not None else b""

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        """Always None: phones cannot be asked whether an app has processed all input."""
        return None

    def looks(self, seconds: float) -> Iterator[PhoneLook]:
        """Looks without pictures, one after another, as long as something may take to appear."""
        for _ in deadline.turns(deadline.remaining(seconds), POLL, least=1):
            yield self.look(picture=False)

    def look(self, *, picture: bool = True) -> PhoneLook:
        """Pixels, hierarchy and windows of one moment: compares the pixels before and after."""
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
            frame = self.frame() if picture else None
            hierarchy = self._read(text, self._number(state.window)) if text else None
            done = turn == TRIES - 1 or not picture or hierarchy is None or _same(earlier, frame)
            if done:
                break
            earlier = frame
        self._note_failure(state, hierarchy, text)
        size = frame.size if frame is not None else self._size_without_picture(hierarchy)
        why = _why(text) if hierarchy is None else ""
        self._last = PhoneLook(
            size, state, hierarchy, frame, self._windows(state, hierarchy, size), why, toasts
        )
        return self._last

    def _read(self, text: str, window: int) -> Hierarchy | None:
        """The hierarchy with the content of its web pages; silent pages are left to vision."""
        hierarchy = read(text, window, self.hints)
        if hierarchy is not None and hierarchy.pages:
            told = self._pages.nodes(hierarchy.pages, window)
            hierarchy.nodes += chain.from_iterable(told.values())
            hierarchy.holes += [box for box in hierarchy.pages if box not in told]
        return hierarchy

    def read(self, windows: Sequence[Window], picture: Image, seconds: float) -> ScreenReading:
        """The nodes of the last look; silent are windows and large areas without described content."""
        return self.reading_without_picture(windows)

    def reading_without_picture(self, windows: Sequence[Window]) -> ScreenReading:
        """Like `read`, which needs no picture here."""
        last = self._last
        if last is None or last.hierarchy is None:
            return ScreenReading(silent=tuple(one.id for one in windows if one.active))
        holes = tuple(one.id for one in windows if one.app == HOLE_APP)
        return ScreenReading(tuple(last.hierarchy.nodes), silent=holes)

    def node_at(self, point: Point, windows: Sequence[Window] = ()) -> Node | None:
        """The current node at a point; None if the phone cannot report it."""
        look = self.look(picture=False)
        if look.hierarchy is None:
            return None
        return node_at(look, point) or Node(("front",), "window", look.state.focus, look.size.box)

    def close(self) -> None:
        """Stop the threads, and the server if it was started here."""
        self._pool.shutdown(wait=False)
        self._pages.close()
        if self._server is not None:
            self._server.close()

    def _start(self, work: Callable[[], T]) -> Future[T]:
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
            except ComputerLost:  # another program ended it; the stock way is slower but still available
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

    def _size_without_picture(self, hierarchy: Hierarchy | None) -> Size:
        if hierarchy is None:
            return self.size
        known, box = self.size, hierarchy.box
        turned = box.width > known.width or box.height > known.height
        return Size(known.height, known.width) if turned else known

    def _number(self, title: str) -> int:
        return self._numbers.setdefault(title, len(self._numbers) + 1)

    def _windows(self, state: WindowsState, found: Hierarchy | None, size: Size) -> tuple[Window, ...]:
        whole = size.box
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
    around = [node for node in look.nodes if node.box.contains(point)]
    return min(
        around, key=lambda node: (node.role == "list", node.role == "text", node.box.area), default=None
    )


def _raw(data: bytes) -> Frame | None:
    """Raw pixels after a header of three numbers, or four since Android 9."""
    if len(data) < 16:
        return None
    width, height, kind = struct.unpack_from("<3I", data)
    for head in (16, 12):
        if kind in (RGBA, RGBX) and len(data) == head + 4 * width * height:
            return Frame(Size(width, height), data[head:])
    return None


def _decode(data: bytes) -> Frame | None:
    import io

    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as picture:
            whole = picture.convert("RGBA")  # reads all of it, so that a truncated file is detected
    except (OSError, SyntaxError, ValueError):
        return None
    return Frame(Size(whole.width, whole.height), whole.tobytes())


def _same(before: Frame | None, after: Frame | None) -> bool:
    if before is None or after is None or before.pixels == after.pixels:
        return True
    counts = differences(before.pixels, after.pixels, after.size)
    return counts is None or int(counts.sum()) <= TINY


def _why(text: str) -> str:
    if not text or "idle" in text:
        return "the screen never comes to rest, so the phone does not report its elements"
    return "the phone did not report the elements of this screen"
