"""The device of a Windows desktop: picture, SendInput, windows, clipboard and programs."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING

from gui_agent.computers.desktop.parts import Window
from gui_agent.computers.desktop.screen import ScreenCapture
from gui_agent.computers.windows import events
from gui_agent.computers.windows.native import Handle, System
from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed
from gui_agent.core.geometry import Box, Point, Size
from gui_agent.core.opening import Opening, is_program
from gui_agent.core.texts import normal, shorten, suggestion

if TYPE_CHECKING:
    from PIL.Image import Image


MENU = "#32768"
BATCH = 200
"""Events sent at a time, so that a slow program's queue does not run over."""


class WindowsDevice:
    """All monitors of a Windows desktop. Points are pixels of the picture of all of them together."""

    platform = "windows"

    def __init__(self, system: System | None = None, screen: ScreenCapture | None = None) -> None:
        """Args: system, screen: other ones for tests.

        Raises:
            ConfigError: this is not Windows.
            MissingExtra: a library is not installed.
            ComputerLost: there is no screen, as in a service.
        """
        if system is None:
            from gui_agent.computers.windows.native import Native

            # Before the first picture: the process must know pixels from points by then.
            system = Native()
        self._system = system
        self._screen = screen or ScreenCapture()
        self._held: list[str] = []
        self._pressed: set[Button] = set()

    @property
    def size(self) -> Size:
        return self._screen.size

    @property
    def monitors(self) -> tuple[Box, ...]:
        """The monitors, in pixels of the picture."""
        return self._screen.monitors

    @property
    def corner(self) -> tuple[int, int]:
        """Where the picture begins in the coordinates of Windows."""
        return self._screen.corner

    @property
    def pointer(self) -> Point:
        left, top = self._screen.corner
        at = self._system.pointer
        return Point(at.x - left, at.y - top)

    def grab(self, box: Box | None = None) -> Image:
        """The screen, or a part of it, as an RGB picture."""
        return self._screen.grab(box)

    def pixels(self) -> bytes | bytearray:
        """The screen as four bytes per pixel, row by row."""
        return self._screen.pixels()

    def move(self, point: Point) -> None:
        """Move the pointer there."""
        self._send([events.moved(point, self._screen.size)])

    def press_button(self, button: Button) -> None:
        """Press a button of the mouse where the pointer is."""
        self._pressed.add(button)
        self._send([events.button(button, down=True)])

    def release_button(self, button: Button) -> None:
        """Let go of a button; one that is not pressed is left alone."""
        if button in self._pressed:
            self._pressed.discard(button)
            self._send([events.button(button, down=False)])

    def wheel(self, down: int, right: int) -> None:
        """Turn the wheel by about so many pixels."""
        self._send(events.wheel(down, right))

    def press_key(self, key: str) -> None:
        """Hold a key down.

        Raises:
            ActionFailed: the keyboard layout has no such key.
        """
        made = events.key(key, self._layout(key), down=True)
        self._held.append(key)
        self._send(made)

    def release_key(self, key: str) -> None:
        """Let go of a key; one that is not held is left alone."""
        if key in self._held:
            self._held.remove(key)
            self._send(events.key(key, self._layout(key), down=False))

    def type_text(self, text: str) -> None:
        """Type any unicode text where the focus is."""
        self._send(events.text(text))

    def windows(self) -> Sequence[Window]:
        """The windows on the screen, lowest first."""
        front = self._system.foreground
        return [self._window(handle, front) for handle in reversed(self._system.windows())]

    def activate(self, window: Window) -> None:
        """Bring a window to the front.

        Raises:
            ActionFailed: Windows does not let it.
        """
        if not self._system.activate(window.id):
            raise ActionFailed(f'Windows keeps "{window.title}" in the back; click on it instead')

    def close_window(self, window: Window) -> None:
        """Ask a window to close, as its close button does."""
        self._system.ask_to_close(window.id)

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        """It is not asked here: the picture alone tells when the screen has come to rest."""
        return None

    def opening(self, name: str) -> Opening:
        """What `launch` would start.

        Raises:
            ActionFailed: there is no such program or file.
        """
        return resolved(name, self._system)

    def launch(self, name: str) -> None:
        """Start a program by its name in the start menu or by command, or open a file or an address.

        Raises:
            ActionFailed: there is no such program or file.
        """
        launch(name, self._system)

    def crashed(self, pid: int) -> bool:
        """How programs end is not known here."""
        return False

    def failure(self) -> str:
        """Nothing is known of a program that Windows itself has started."""
        return ""

    @property
    def clipboard(self) -> str:
        return self._system.get_clipboard()

    @clipboard.setter
    def clipboard(self, text: str) -> None:
        self._system.set_clipboard(text)

    def close(self) -> None:
        """Let go of what is held down, and of the screen; safe to call twice."""
        for key in reversed(self._held[:]):
            self.release_key(key)
        for button in tuple(self._pressed):
            self.release_button(button)
        self._screen.close()

    def _layout(self, key: str) -> int:
        return -1 if key in events.KEYS else self._system.layout(key)

    def _send(self, made: Sequence[events.Event]) -> None:
        for start in range(0, len(made), BATCH):
            batch = made[start : start + BATCH]
            if self._system.send(batch) != len(batch):
                raise ActionFailed(
                    "Windows took no input: the desktop is locked, or the window in front runs as"
                    " administrator; unlock it, or run guiagent as administrator too"
                )

    def _window(self, handle: Handle, front: int) -> Window:
        left, top = self._screen.corner
        program = PureWindowsPath(handle.program).stem.lower()
        popup = handle.kind == MENU or (not handle.captioned and handle.owner != 0)
        return Window(
            id=handle.id,
            title=handle.title,
            app=program or handle.kind.lower(),
            pid=handle.pid,
            box=_shifted(handle.inside, left, top),
            active=handle.id == front,
            popup=popup,
            outer=None if popup else _shifted(handle.frame, left, top),
        )


def _shifted(box: Box, left: int, top: int) -> Box:
    return Box(box.left - left, box.top - top, box.width, box.height)


OPENED = 32
"""`ShellExecute` answers with more than this when it worked."""
_WHY = {2: "it is not there", 3: "its folder is not there", 5: "Windows refused", 31: "no program opens it"}


def resolved(name: str, system: System) -> Opening:
    """What a name stands for: a program of the start menu, a command, a file or an address.

    Raises:
        ActionFailed: nothing was named, or several programs fit.
    """
    name = name.strip()
    if not name:
        raise ActionFailed("nothing to open was named; name a program or a file")
    if "://" in name:
        return Opening("address", (name,), name)
    path = Path(name).expanduser()
    if path.exists():
        return Opening("executable" if is_program(path.name) else "document", (str(path),))
    link = _named(name, links_in(system.start_menu()))
    if link is not None:
        return Opening("program", (str(link),))
    program, *arguments = _words(name)
    return Opening("command", (program, *arguments))


def launch(name: str, system: System) -> None:
    """Start a program by its name in the start menu or by command, or open a file or an address.

    Raises:
        ActionFailed: there is no such program or file; the message suggests near names.
    """
    opening = resolved(name, system)
    program, *arguments = opening.command
    if opening.kind != "command":
        _open(system, program)
        return
    # Programs that are not on the path may still be known to Windows by name (App Paths).
    if system.open(shutil.which(program) or program, subprocess.list2cmdline(arguments)) > OPENED:
        return
    hint = suggestion(name, links_in(system.start_menu())) or "; give its full name or its command"
    raise ActionFailed(f'no program or file is called "{shorten(name)}"{hint}')


def links_in(folders: Iterable[Path]) -> dict[str, Path]:
    """The links of the start menu by name; those of the first folder win."""
    links: dict[str, Path] = {}
    for folder in folders:
        for link in sorted(folder.rglob("*.lnk")):
            links.setdefault(link.stem, link)
    return links


def _named(name: str, links: dict[str, Path]) -> Path | None:
    wanted = normal(name)
    exact = [link for known, link in links.items() if normal(known) == wanted]
    part = [link for known, link in links.items() if set(wanted.split()) <= set(normal(known).split())]
    if exact or len(part) == 1:
        return (exact or part)[0]
    if part:
        names = ", ".join(f'"{link.stem}"' for link in part[:5])
        raise ActionFailed(f'"{shorten(name)}" may mean {names}; name one of them')
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
