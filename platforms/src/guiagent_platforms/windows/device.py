"""The device of a Windows desktop: picture, SendInput, windows, clipboard and programs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING

from gui_agent.computers.desktop.monitor import ScreenCapture
from gui_agent.computers.desktop.parts import HeldInput, UntoldDevice, Unwatched, Window, in_time
from gui_agent.core.actions import Button
from gui_agent.core.deadline import turns
from gui_agent.core.errors import ActionFailed
from gui_agent.core.observation import Box, Point, Size
from gui_agent.core.protocols import Opening
from gui_agent.core.texts import shorten
from guiagent_platforms.windows import native
from guiagent_platforms.windows.native import Handle, Native, System

if TYPE_CHECKING:
    from PIL.Image import Image

    from gui_agent.computers.desktop.person_watch import PersonWatch
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from gui_agent.core.os_errors import user_path
from gui_agent.core.protocols import is_program
from gui_agent.core.texts import normal, suggestion
from guiagent_platforms.windows.native import Event, KeyEvent

ORDERLY = b"done"
ENDING = 2.0
"""Maximum seconds for it to exit."""
BUTTONS: dict[int, Button] = {0x01: "left", 0x02: "right", 0x04: "middle"}
"""Mouse buttons by their virtual key codes."""
CODES = range(0x08, 0xFF)
BOTH_SIDES = frozenset((0x10, 0x11, 0x12))
"""Shift, Ctrl and Alt without a side: each is down because one of its sides is."""


class KeyGuard:
    """The guard process, from its owner's side."""

    def __init__(self) -> None:
        """Start it; if the owner is killed while it loads its libraries, it releases the keys afterwards."""
        command = [sys.executable, "-m", "guiagent_platforms.windows.device"]
        # Ctrl+C at the terminal is for the owner, which then ends in order.
        alone = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(
            subprocess, "CREATE_NO_WINDOW", 0
        )
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            creationflags=alone,
        )

    @property
    def waits(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        if self.waits:
            try:
                self._process.communicate(ORDERLY, timeout=ENDING)
            except (OSError, ValueError, subprocess.TimeoutExpired):
                self._process.kill()
                self._process.wait()


def releases(is_down: Callable[[int], bool]) -> list[Event]:
    """The events that release everything that is down."""
    keys = [KeyEvent(code, 0, 0) for code in CODES if code not in BOTH_SIDES and is_down(code)]
    buttons = [native.button(button, down=False) for code, button in BUTTONS.items() if is_down(code)]
    return [*native.let_go(keys), *buttons]


def keep(told: BinaryIO, is_down: Callable[[int], bool], send: Callable[[Sequence[Event]], int]) -> bool:
    """Wait for the end of the owner. Returns whether something had to be released."""
    if told.read() == ORDERLY:
        return False
    held = releases(is_down)
    return bool(held) and send(held) == len(held)


def main() -> None:
    """Wait at the standard input."""
    native = Native()
    keep(sys.stdin.buffer, native.is_down, native.send)


if __name__ == "__main__":
    main()

OPENED = 32
"""`ShellExecute` returns more than this on success."""
_WHY = {
    2: "it does not exist",
    3: "its folder does not exist",
    5: "Windows refused",
    31: "no program opens it",
}


def resolve(name: str, system: System) -> Opening:
    """The meaning of a name: a program of the start menu, a command, a file or an address."""
    name = name.strip()
    if not name:
        raise ActionFailed("nothing to open was named; name a program or a file")
    if "://" in name:
        return Opening("address", (name,), name)
    path = user_path(name)
    if path.exists():
        return Opening("executable" if is_program(path.name) else "document", (str(path.resolve()),))
    link = _link_named(name, links_in(system.start_menu()))
    if link is not None:
        return Opening("program", (str(link),))
    program, *arguments = _words(name)
    # A program may be started in another folder, from which a file beside this process is not found.
    files = (str(Path(one).resolve()) if Path(one).exists() else one for one in arguments)
    return Opening("command", (program, *files))


def launch(name: str, system: System) -> None:
    """Start a program by its name in the start menu or by command, or open a file or an address."""
    opening = resolve(name, system)
    program, *arguments = opening.command
    if opening.kind != "command":
        _open(system, program)
        return
    # Windows may know programs off the path by name (App Paths).
    if system.open(shutil.which(program) or program, subprocess.list2cmdline(arguments)) > OPENED:
        return
    hint = suggestion(name, links_in(system.start_menu())) or "; give its full name or its command"
    raise ActionFailed(f'no program or file is called "{shorten(name)}"{hint}')


def links_in(folders: Iterable[Path]) -> dict[str, Path]:
    """The links of the start menu by name; those of the first folder take precedence."""
    links: dict[str, Path] = {}
    for folder in folders:
        for link in sorted(folder.rglob("*.lnk")):
            links.setdefault(link.stem, link)
    return links


def _link_named(name: str, links: dict[str, Path]) -> Path | None:
    wanted = normal(name)
    exact = [link for known, link in links.items() if normal(known) == wanted]
    part = [link for known, link in links.items() if set(wanted.split()) <= set(normal(known).split())]
    if exact or len(part) == 1:
        return (exact or part)[0]
    if part:
        names = ", ".join(f'"{link.stem}"' for link in part[:5])
        raise ActionFailed(f'"{shorten(name)}" matches {names}; name one of them')
    return None


def _words(name: str) -> list[str]:
    try:
        words = shlex.split(name, posix=False)
    except ValueError:
        words = [name]
    return [word.strip('"') for word in words]


def _open(system: System, what: str) -> None:
    code = system.open(what)
    if code <= OPENED:
        raise ActionFailed(f"{shorten(what)} does not open: {_WHY.get(code, f'Windows says {code}')}")


POPUPS = frozenset(
    (
        *("#32768", "combolbox", "tooltips_class32", "auto-suggest dropdown"),
        *("xaml_windowedpopupclass", "windows.ui.core.popupwindow"),
    )
)
"""Window classes of menus, lists and hints without an owner window."""
BATCH = 200
"""Events sent at a time, so that a slow program's queue does not overflow."""
WORTH_READING = 4
"""Minimum characters of a typed text that is read back."""
APPEARING, RESTING = 0.2, 0.3
"""Maximum seconds for typed text to appear, and seconds without change after which it is complete."""
SLOWLY = 0.02
"""Seconds between characters for editors that mix up faster input."""
HEEDING = 1.0
"""Maximum seconds for an editor to accept a slowly typed character."""
POLL = 0.01
SHORT_ASK = 0.5
"""Maximum seconds for a program that does not hang to accept a message."""


class WindowsDevice(HeldInput, UntoldDevice):
    """All monitors of a Windows desktop. Points are pixels of the picture of all of them together."""

    platform = "windows"
    scale = 1.0
    """Pixels of the picture per unit of Windows coordinates: this process sees physical pixels."""

    def __init__(self, system: System | None = None, screen: ScreenCapture | None = None) -> None:
        super().__init__()
        self._keeper: KeyGuard | None = None
        if system is None:
            # Before the first picture, the process must become DPI-aware.
            system = Native()
            self._keeper = KeyGuard()
        self._system = system
        self._whole = screen or ScreenCapture()
        self._desk = system.desk
        self.person: PersonWatch | Unwatched = Unwatched()
        self._at: native.Mouse | None = None
        self._slow: dict[int, bool] = {}
        """For editors that showed another text than was typed, whether slow typing helped."""

    @property
    def size(self) -> Size:
        return self._screen.size

    @property
    def monitors(self) -> tuple[Box, ...]:
        return self._screen.monitors

    @property
    def corner(self) -> tuple[int, int]:
        """The picture's origin in the coordinates of Windows."""
        return self._screen.corner

    @property
    def is_guarded(self) -> bool:
        """Whether another process releases keys and buttons if this one is killed."""
        return self._keeper is not None and self._keeper.waits

    @property
    def pointer(self) -> Point:
        left, top = self._screen.corner
        at = self._system.pointer
        return Point(at.x - left, at.y - top)

    def grab(self, box: Box | None = None) -> Image:
        return self._screen.grab(box)

    def pixels(self) -> bytes | bytearray:
        return self._screen.pixels()

    def move(self, point: Point) -> None:
        left, top = self._screen.corner
        self.person.note_sent(Point(point.x + left, point.y + top))
        self._at = native.pointer_at(point, self._screen.size)
        self._send([self._at])

    def press_button(self, button: Button) -> None:
        self.person.check_pointer(lambda: self._system.pointer)
        super().press_button(button)

    def wheel(self, down: int, right: int) -> None:
        self._check()
        self._send(native.wheel(down, right))

    def press_key(self, key: str) -> None:
        self._check()
        super().press_key(key)

    def type_text(self, text: str) -> None:
        """Type any unicode text at the focus.

        Some editors mix up fast input. Typed text is read back if possible; if it differs in a field that was
        empty, it is typed again slowly.
        """
        self._check()
        before = self._system.focused_text() if len(text) >= WORTH_READING else None
        slowly = before is not None and self._slow.get(before[0], False)
        self._type(text, slowly=slowly)
        if before is None or before[0] in self._slow:
            return
        field, was = before
        shown = self._field_text_after(field, was, text)
        if shown is None or _as_typed(was, shown, text):
            return
        self._slow[field] = True
        if not was:
            self._type_again(field, text, shown)

    def windows(self) -> Sequence[Window]:
        return self._list_windows(minimised=False)

    def minimised_windows(self) -> Sequence[Window]:
        return self._list_windows(minimised=True)

    def activate(self, window: Window) -> None:
        if not self._system.activate(window.id):
            raise ActionFailed(f'Windows keeps "{window.title}" in the background; click on it instead')

    def close_window(self, window: Window) -> None:
        """Ask a window to close, as its close button does."""
        self._system.ask_to_close(window.id)

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        """False for a hanging program; for others, only the picture shows whether they took all input."""
        return None if self._system.answers(window.id, min(seconds, SHORT_ASK)) else False

    def opening(self, name: str) -> Opening:
        return resolve(name, self._system)

    def launch(self, name: str) -> None:
        """Start a program by its name in the start menu or by command, or open a file or an address."""
        launch(name, self._system)

    @property
    def clipboard(self) -> str:
        return self._system.get_clipboard()

    def close(self) -> None:
        try:
            self.let_go()
        finally:
            self.person.close()
            if self._keeper is not None:
                self._keeper.close()
            self._whole.close()

    @property
    def _screen(self) -> ScreenCapture:
        """The current screen: monitors can be added, removed and rotated during a run."""
        desk = self._system.desk
        if desk != self._desk:
            self._desk, self._at = desk, None
            self._whole.note_change()
        return self._whole

    def _send_button(self, button: Button, *, down: bool) -> None:
        # With its position, so that no pending movement takes the press elsewhere.
        self._send([native.button(button, down=down, at=self._at)])

    def _key(self, key: str) -> list[native.KeyEvent]:
        """Kept for the release: by then, another window with another layout may be in front."""
        layout = -1 if key in native.KEYS else self._system.layout(key)
        return native.key(key, layout, alone=not self._held)

    def _send_key(self, made: Sequence[native.KeyEvent], *, down: bool) -> None:
        self._send(made if down else native.let_go(made))

    def _check(self) -> None:
        self.person.check()
        front = self._system.foreground
        if front and self._system.is_protected(front):
            title = next((one.title for one in self._system.windows() if one.id == front), "in front")
            raise ActionFailed(
                f'the window "{shorten(title, 60)}" runs as administrator and accepts no input from here;'
                " switch to another one, or start guiagent as administrator too"
            )

    def _type(self, text: str, *, slowly: bool) -> None:
        if not slowly:
            self._send(native.text(text))
            return
        heeded = True
        for character in text:
            in_time("type the whole text")
            before = self._system.focused_text() if heeded else None
            self._send(native.text(character))
            # A slow editor would still get two characters at once.
            heeded = before is not None and self._wait_for_change(before)
            time.sleep(SLOWLY)

    def _wait_for_change(self, before: tuple[int, str]) -> bool:
        looks = turns(HEEDING, POLL, least=1)
        return any(self._system.focused_text() != before for _ in looks)

    def _type_again(self, field: int, text: str, first: str) -> None:
        """Replace a garbled text by typing it slowly; if the field shows the same again, it is intended."""
        self._send(chord := native.key("ctrl", -1) + native.key("a", -1))
        self._send(native.let_go(chord))
        time.sleep(SLOWLY)
        self._type(text, slowly=True)
        shown = self._field_text_after(field, "", text)
        self._slow[field] = shown is None or shown != first

    def _field_text_after(self, field: int, was: str, typed: str) -> str | None:
        """The text of a field once it has accepted typing; None if unknown."""
        until, last = time.monotonic() + APPEARING, was
        while time.monotonic() < until:
            told = self._system.focused_text()
            if told is None or told[0] != field:
                return None
            if told[1] != last:
                last, until = told[1], time.monotonic() + RESTING
                if _as_typed(was, last, typed):
                    return last
            time.sleep(POLL)
        return last if last != was else None

    def _send(self, made: Sequence[native.Event]) -> None:
        for start in range(0, len(made), BATCH):
            batch = made[start : start + BATCH]
            if self._system.send(batch) != len(batch):
                raise ActionFailed(
                    "Windows took no input: the desktop is locked, or another program blocks it; unlock it"
                )

    def _list_windows(self, *, minimised: bool) -> Sequence[Window]:
        front = self._system.foreground
        handles = [one for one in reversed(self._system.windows()) if one.minimised is minimised]
        corner = self._screen.corner
        return [self._window(handle, front, corner) for handle in handles if not minimised or handle.title]

    def _window(self, handle: Handle, front: int, corner: tuple[int, int]) -> Window:
        left, top = corner
        program = PureWindowsPath(handle.program).stem.lower()
        popup = handle.kind.lower() in POPUPS or (not handle.captioned and handle.owner != 0)
        return Window(
            id=handle.id,
            title=handle.title,
            app=program or handle.kind.lower(),
            pid=handle.pid,
            box=handle.inside.shift(-left, -top),
            active=handle.id == front,
            popup=popup,
            hint="tooltips" in handle.kind.lower(),
            outer=None if popup else handle.frame.shift(-left, -top),
        )


def _as_typed(was: str, now: str, typed: str) -> bool:
    """Whether a text was inserted into another one, apart from upper case and completion."""
    typed = typed.replace("\r\n", "\n").replace("\r", "\n").casefold()
    was, now = was.casefold(), now.casefold()
    start = next((i for i, (one, other) in enumerate(zip(was, now, strict=False)) if one != other), len(was))
    return any(now.startswith(typed, at) for at in range(max(0, start - len(typed)), start + 1))
