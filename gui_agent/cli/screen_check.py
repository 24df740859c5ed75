"""The check of `guiagent doctor --screen`: targets on every monitor are found, clicked, and read back."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from gui_agent.agent.differences import pictures_differ
from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.cli.doctor import Finding
from gui_agent.core.actions import Click, Drag, Press, Scroll, Switch, TypeText
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError, GuiAgentError
from gui_agent.core.observation import Box, Element, Observation, Point, Size, Words

if TYPE_CHECKING:
    from PIL.Image import Image

    from gui_agent.computers.desktop.computer import DesktopComputer
    from gui_agent.computers.desktop.parts import Window

TEXT = "né 你好 € Привет žluť 😀"
LONG = 100
"""Characters that are typed at once."""
EDITORS = {"windows": "notepad", "macos": "TextEdit", "x11": "mousepad", "wayland": "mousepad"}
MENUS = {"windows": ("File",), "macos": ("File", "Format"), "x11": ("File",), "wayland": ("File",)}
FIELDS = ("textbox", "document")
INSIDE = 4
"""Pixels from the corner of a field to its text."""
LINES, TURNED = 90, 600
"""Lines that no window shows at once, and pixels by which they are scrolled."""
STARTING = 20.0
"""Seconds that the editor may take to start."""
SHOWING = 15.0
"""Seconds within which it must show what was done."""
NO_SAVING = ("Don't save", "Don't Save", "Delete", "No")
REPORT = "please report this line with the version of your system"
T = TypeVar("T")


class Trial:
    """Tries one thing after the other on an editor, and says of each whether it holds."""

    def __init__(self, computer: DesktopComputer) -> None:
        self._computer = computer
        self._device = computer.device
        self._command = "meta" if computer.platform == "macos" else "ctrl"

    def findings(self) -> Iterator[Finding]:
        """What holds and what does not; without an editor there is nothing more to try."""
        opened = self._try_check("a program opens by its name", self._open)
        yield opened
        if opened.state != "ok":
            return
        copying = (self._chords, self._drag, self._clipboard)
        for what, check in (
            ("elements are told", self._elements),
            ("windows are listed, the new one in front", self._windows),
            ("100 characters of any script arrive", self._unicode),
            ("key chords choose and copy", self._chords),
            ("dragging chooses text", self._drag),
            ("the clipboard keeps any text", self._clipboard),
            ("switching to the window in front changes nothing", self._switch),
            ("the wheel turns the right way", self._wheel),
            ("a menu opens by a click on its name", self._menu),
            ("a program that answers counts as such", self._answers),
        ):
            # A Wayland session keeps its clipboard to the window in front.
            if self._computer.platform != "wayland" or check not in copying:
                yield self._try_check(what, check)
        yield self._try_check("a window closes", self._close)

    def _try_check(self, what: str, check: Callable[[], str]) -> Finding:
        try:
            return Finding(what, "ok", check())
        except (GuiAgentError, OSError) as error:
            return Finding(what, "missing", str(error), REPORT)

    def _open(self) -> str:
        name = EDITORS[self._computer.platform]
        began = time.monotonic()
        self._computer.start(name)
        self._computer.settle()
        return f"{name}, after {time.monotonic() - began:.1f} s"

    def _elements(self) -> str:
        field, seen = self._field(), self._computer.observe()
        sources = ", ".join(sorted({one.source for one in seen.elements}))
        return f"{len(seen.elements)} by {sources}; {field} to type into"

    def _windows(self) -> str:
        front = self._front()
        return f'"{front.title}" of {front.app}'

    def _unicode(self) -> str:
        text = (TEXT * LONG)[:LONG]
        field = self._field()
        began = time.monotonic()
        self._computer.perform(TypeText(text, field.box.center), field)
        took = time.monotonic() - began
        shown = self._until(lambda: text in _content(self._field()), lambda: _content(self._field()))
        return f"in {took:.1f} s" if shown is None else _different(text, shown)

    def _chords(self) -> str:
        def choose() -> None:
            self._computer.perform(Press((self._command, "a")))

        self._check_copying(choose, TEXT[:6])
        return f"{self._command}+A, {self._command}+C"

    def _drag(self) -> str:
        box = self._field().box
        begin = Point(box.left + INSIDE, box.top + INSIDE)
        # To the middle of the field, which is below the one line: what is chosen ends somewhere in that.
        self._check_copying(lambda: self._computer.perform(Drag(begin, box.center)), TEXT[3:5])
        return "from the beginning of the text on"

    def _check_copying(self, choose: Callable[[], None], text: str) -> None:
        kept, self._device.clipboard = self._device.clipboard, "nothing was copied"
        try:
            choose()
            self._computer.perform(Press((self._command, "c")))
            lost = self._until(lambda: text in self._device.clipboard, lambda: self._device.clipboard)
            demand(lost is None, f'the clipboard has "{lost}" instead')
        finally:
            self._device.clipboard = kept

    def _clipboard(self) -> str:
        kept, self._device.clipboard = self._device.clipboard, TEXT
        told = self._device.clipboard
        self._device.clipboard = kept
        demand(told == TEXT, f'it gives back "{told}"')
        return "written, read, and given back"

    def _switch(self) -> str:
        self._computer.perform(Switch(self._front().title))
        self._device.type_text("Z")
        lost = self._until(lambda: "Z" in _content(self._field()), lambda: "the key went elsewhere")
        demand(lost is None, lost or "")
        return "what is typed next goes to the editor"

    def _wheel(self) -> str:
        self._device.type_text("\n" * LINES)
        self._computer.settle()
        before, place = self._computer.observe().screenshot, self._field().box.center

        def has_moved() -> bool:
            after = self._computer.observe().screenshot
            return bool(before and after and pictures_differ(before, after))

        # The text stands at its end, so that it moves when the wheel turns up and not when it turns down.
        self._computer.perform(Scroll(place, down=-TURNED))
        lost = self._until(has_moved, lambda: "the text does not move when it turns up")
        demand(lost is None, lost or "")
        return "up shows what is above"

    def _menu(self) -> str:
        before, (name, *_) = self._computer.observe(), MENUS[self._computer.platform]
        try:
            found = ScreenGrounder().locate(Words(name), before)
        except GuiAgentError:  # nothing tells of it; the keyboard opens it all the same
            self._computer.perform(Press(("alt", name[0].lower())))
        else:
            self._computer.perform(Click(found.point), found.element)
        lost = self._until(lambda: self._has_more(before), lambda: "neither menu nor entries are told")
        self._computer.perform(Press(("escape",), times=2))
        self._computer.settle()
        demand(lost is None, lost or "")
        return "it opens"

    def _has_more(self, before: Observation) -> bool:
        more = self._computer.observe().elements[len(before.elements) :]
        return bool(more) or any(one.popup for one in self._device.windows())

    def _answers(self) -> str:
        demand(self._device.caught_up(self._front(), SHOWING) is not False, "it counts as one that hangs")
        return "it does"

    def _close(self) -> str:
        keys = (self._command, "w") if self._computer.platform == "macos" else ("alt", "f4")
        self._computer.perform(Press(keys))
        self._computer.settle()
        elements = self._computer.observe().elements
        answer = next((one for one in elements if one.role == "button" and one.name in NO_SAVING), None)
        if answer is None:
            return "without a question"
        self._computer.perform(Click(answer.box.center), answer)
        return f'after the answer "{answer.name}"'

    def _front(self) -> Window:
        front = next((one for one in self._device.windows() if one.active), None)
        return demand(front, "no window has the keyboard")

    def _field(self) -> Element:
        until = time.monotonic() + STARTING
        while time.monotonic() < until:
            fields = [one for one in self._computer.observe(picture=False).elements if one.role in FIELDS]
            if fields:
                return max(fields, key=lambda one: one.box.area)
            time.sleep(0.2)
        raise ActionFailed("no field to type into is told or seen")

    def _until(self, holds: Callable[[], bool], otherwise: Callable[[], str]) -> str | None:
        until = time.monotonic() + SHOWING
        while not holds():
            if time.monotonic() > until:
                return otherwise()
            time.sleep(0.05)
        return None


def demand(what: T | None, otherwise: str) -> T:
    """What there must be."""
    if not what:
        raise ActionFailed(otherwise)
    return what


def _content(field: Element) -> str:
    return field.value or field.name


def _different(typed: str, shown: str) -> str:
    pairs: Sequence[tuple[str, str]] = list(zip(typed, shown, strict=False))
    place = next((i for i, (one, other) in enumerate(pairs) if one != other), len(pairs))
    raise ActionFailed(
        f'from character {place + 1} on "{shown[place : place + 12]}" came of "{typed[place : place + 12]}"'
    )


ALLOWED = 1.0
"""Pixels by which a click may miss."""


def examine_screen(kind: str) -> Iterator[Finding]:
    """Draw targets on each monitor of a desktop, click them where the picture shows them, read the error."""
    from gui_agent.settings import wayland

    try:
        if kind == "virtual":
            yield from _on_virtual()
        elif sys.platform in ("win32", "darwin"):
            yield from _in_front()
        elif wayland():
            yield from _in_session()
        else:
            yield from _on_display("")
    except ImportError:
        fix = "pip install 'guiagent[desktop]'"
        yield Finding("screen", "missing", "the extra desktop is not installed", fix)
    except GuiAgentError as error:
        yield Finding("screen", "missing", str(error), "guiagent doctor --screen --on virtual")


def _on_virtual() -> Iterator[Finding]:
    from gui_agent.computers.virtual.private import PrivateDisplay

    with PrivateDisplay(Size(1280, 800), home="fresh") as private:
        yield from _on_display(private.running.display, wait=True)


def _on_display(display: str, *, wait: bool = False) -> Iterator[Finding]:
    from gui_agent.computers.x11.device import X11Device
    from gui_agent.computers.x11.programs import LocalLauncher

    device = X11Device(display, LocalLauncher())
    try:
        if wait:
            device.wait_for_manager(10.0)
        yield from _monitors(device, lambda monitor: X11Target(display, monitor))
        manager = device.manager
        detail = manager or "none runs; clicks give no window the keyboard"
        fix = "" if manager else "start one, such as openbox"
        yield Finding("window manager", "ok" if manager else "missing", detail, fix)
    finally:
        device.close()


def _in_front() -> Iterator[Finding]:
    """On Windows and macOS: the monitors, and then all that is taken for granted there."""
    from gui_agent.computers.current_platform import FrontComputer

    computer: Any = FrontComputer()
    with computer:
        device = computer.device
        trouble = getattr(computer, "trouble", "")
        if trouble:
            yield Finding("UI Automation", "optional", f"{trouble}; elements are told by window messages")
        for what, holds, fix in computer.assumptions():
            detail = "it holds" if holds else "it does not hold"
            yield Finding(what, "ok" if holds else "missing", detail, "" if holds else fix)
        try:
            yield from _monitors(device, lambda monitor: TkTarget(monitor, device.corner, device.scale))
        except ConfigError as error:
            yield Finding("monitors", "optional", str(error))
        yield from Trial(computer).findings()


def _in_session() -> Iterator[Finding]:
    """In a Wayland session, where no window can be put over a monitor: what an editor shows of each input."""
    from gui_agent.settings import load
    from gui_agent.wiring import make_computer

    computer: Any = make_computer(load(assignments=["computer.kind=desktop"]))
    with computer:
        for number, monitor in enumerate(computer.device.monitors, 1):
            shape = f"{monitor.width} x {monitor.height} at ({monitor.left}, {monitor.top})"
            yield Finding(f"monitor {number}", "ok", f"{shape}, shared by the portal")
        yield from Trial(computer).findings()


def _monitors(device: Any, cover: Callable[[Box], Target]) -> Iterator[Finding]:
    for number, monitor in enumerate(device.monitors, 1):
        shape = f"{monitor.width} x {monitor.height} at ({monitor.left}, {monitor.top})"
        before = device.pointer
        target = cover(monitor)
        try:
            hits = list(_hits(device, target, monitor))
        finally:
            target.close()
            device.move(before)
        yield finding_of(f"monitor {number}", shape, hits)


def _hits(device: Any, target: Target, monitor: Box) -> Iterator[TargetHit]:
    for place in places(monitor):
        target.draw(place)
        seen = find(device.grab())
        arrived = None
        if seen is not None:
            device.move(seen)
            time.sleep(0.05)
            device.press_button("left")
            device.release_button("left")
            arrived = target.arrival()
        yield TargetHit(place, seen, arrived)


def finding_of(what: str, shape: str, hits: list[TargetHit]) -> Finding:
    """What the targets of one monitor say about it."""
    lost = [hit for hit in hits if hit.error is None]
    if lost:
        why = "is not in the picture" if lost[0].seen is None else "was clicked, and no click arrived"
        fix = "look for a magnifier, a Wayland session or input that is taken over from afar"
        return Finding(what, "missing", f"{shape}: {lost[0].drawn} {why}", fix)
    worst = max(hits, key=lambda hit: hit.error or 0.0)
    detail = f"{shape}: {len(hits)} targets clicked, error at most {worst.error:g} pixels"
    if (worst.error or 0.0) > ALLOWED:
        fix = "set the scaling of this monitor to 100 %"
        return Finding(what, "missing", f"{detail}, at {worst.drawn}", fix)
    return Finding(what, "ok", detail)


class X11Target:
    """A window over one monitor that shows targets one by one and hears where it is clicked."""

    def __init__(self, display: str, monitor: Box) -> None:
        from Xlib import X

        from gui_agent.computers.x11.windows import Connection

        self._pressed = X.ButtonPress
        self._connection = Connection(display)
        self._monitor = monitor
        with self._connection.use():
            screen = self._connection.display.screen()
            self._window: Any = self._connection.root.create_window(
                *(monitor.left, monitor.top, monitor.width, monitor.height, 0, screen.root_depth),
                override_redirect=True,
                background_pixel=screen.white_pixel,
                event_mask=X.ButtonPressMask,
            )
            self._window.map()
            self._window.configure(stack_mode=X.Above)
            self._connection.display.sync()
            red, green, blue = COLOR
            self._brush = self._window.create_gc(foreground=red << 16 | green << 8 | blue)

    def draw(self, place: Point) -> None:
        with self._connection.use():
            self._window.clear_area(0, 0, 0, 0)
            left, top = place.x - self._monitor.left - SIDE // 2, place.y - self._monitor.top - SIDE // 2
            self._window.fill_rectangle(self._brush, left, top, SIDE, SIDE)
            self._connection.display.sync()
        time.sleep(DRAWING)

    def arrival(self) -> Point | None:
        deadline = time.monotonic() + ARRIVING
        while time.monotonic() < deadline:
            with self._connection.use():
                while self._connection.display.pending_events():
                    told = self._connection.display.next_event()
                    if told.type == self._pressed:
                        return Point(self._monitor.left + told.event_x, self._monitor.top + told.event_y)
            time.sleep(0.01)
        return None

    def close(self) -> None:
        try:
            with self._connection.use():
                self._window.destroy()
        except ComputerLost:
            return
        self._connection.close()


COLOR = (0xE0, 0x10, 0xC8)
"""Of the targets; hardly anything on a screen looks like it."""
SIDE = 21
INSET = 40
"""Pixels from the edges of a monitor."""
ARRIVING = 15.0
"""Seconds within which a click must arrive."""
DRAWING = 0.3
"""Seconds that a screen gets to show what was drawn."""


@dataclass(frozen=True, slots=True)
class TargetHit:
    """One target that was clicked."""

    drawn: Point
    """Where the program that drew it believes it to be, in pixels of the picture."""
    seen: Point | None
    """Where the picture of the screen shows it; None when it does not."""
    arrived: Point | None
    """Where the click arrived; None when it did not."""

    @property
    def error(self) -> float | None:
        """Pixels between where the target is and where the click arrived; None when something was lost."""
        if self.seen is None or self.arrived is None:
            return None
        return float(max(abs(self.arrived.x - self.drawn.x), abs(self.arrived.y - self.drawn.y)))


class Target(Protocol):
    """A window over one monitor that shows targets one by one and hears where it is clicked."""

    def draw(self, place: Point) -> None:
        """Show one target, and no other; in pixels of the picture, like all places here."""

    def arrival(self) -> Point | None:
        """Where the window was clicked; None when no click comes."""

    def close(self) -> None: ...


def places(monitor: Box) -> Iterator[Point]:
    """Where targets are drawn on a monitor: near its corners and in the middle."""
    for x in (INSET, monitor.width - INSET):
        for y in (INSET, monitor.height - INSET):
            yield Point(monitor.left + x, monitor.top + y)
    yield monitor.center


def find(picture: Image) -> Point | None:
    """The middle of the target in a picture; None when none is in it."""
    import numpy as np

    pixels = np.asarray(picture).astype(int)
    rows, columns = np.nonzero((abs(pixels - np.array(COLOR)) <= 12).all(axis=2))
    if rows.size < SIDE * SIDE // 4:
        return None
    return Point(int((columns.min() + columns.max()) // 2), int((rows.min() + rows.max()) // 2))


class TkTarget:
    """A target drawn with what every Python brings; for Windows and macOS."""

    def __init__(self, monitor: Box, corner: tuple[int, int], scale: float = 1.0) -> None:
        """Cover a monitor.

        Args:
            corner: where the picture begins in the coordinates of the platform.
            scale: pixels of the picture per unit of those coordinates; 2 on a Retina screen.
        """
        try:
            import tkinter
        except ImportError as error:
            raise ConfigError("this Python has no tkinter, with which targets are drawn") from error
        self._monitor, self._scale = monitor, scale
        self._clicks: list[Point] = []
        self._root = tkinter.Tk()
        self._root.overrideredirect(True)
        self._root.attributes("-topmost", True)
        left, top, width, height = (
            round(side / scale) for side in (monitor.left, monitor.top, monitor.width, monitor.height)
        )
        self._root.geometry(f"{width}x{height}{left + corner[0]:+d}{top + corner[1]:+d}")
        self._canvas = tkinter.Canvas(self._root, background="white", highlightthickness=0)
        self._canvas.pack(fill="both", expand=True)
        self._canvas.bind("<Button-1>", self._note_click)

    def draw(self, place: Point) -> None:
        ways = place.x - self._monitor.left, place.y - self._monitor.top
        left, top = (round(way / self._scale) - SIDE // 2 for way in ways)
        color = "#{:02x}{:02x}{:02x}".format(*COLOR)
        self._clicks.clear()  # one that comes late belongs to the target before
        self._canvas.delete("all")
        self._canvas.create_rectangle(left, top, left + SIDE, top + SIDE, fill=color, width=0)
        self._wait(DRAWING)

    def arrival(self) -> Point | None:
        deadline = time.monotonic() + ARRIVING
        while not self._clicks and time.monotonic() < deadline:
            self._wait(0.02)
        return self._clicks.pop() if self._clicks else None

    def close(self) -> None:
        self._root.destroy()

    def _note_click(self, event: Any) -> None:
        right, down = round(event.x * self._scale), round(event.y * self._scale)
        self._clicks.append(Point(self._monitor.left + right, self._monitor.top + down))

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._root.update()
            time.sleep(0.005)
