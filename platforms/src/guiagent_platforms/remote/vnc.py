"""A desktop behind a VNC server as a computer, seen by vision alone: `--on vnc:HOST[:N]`."""

from __future__ import annotations

import re
import socket
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from PIL import Image
from vncdotool.client import VNCDoToolClient, VNCDoToolFactory
from vncdotool.const import AuthTypes

from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.computers.desktop.elements import with_source
from gui_agent.computers.desktop.parts import HeldInput, OneWindow, Window, in_time, notches
from gui_agent.computers.x11.keyboard import key_symbol, symbol_of
from gui_agent.core import deadline
from gui_agent.core.actions import Button
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError, GuiAgentError
from gui_agent.core.observation import Box, Point, Size
from gui_agent.core.os_errors import why

PASSWORD = "VNC_PASSWORD"
"""Name of the secret with the password."""
PORT = 5900
DISPLAYS = 100
"""Smaller numbers are displays, others are ports, as in viewers."""
PATIENCE = 10.0
"""Maximum seconds for a server to answer."""
MOST_PIXELS = 70_000_000
"""About two 8K screens side by side; a server that announces more would exhaust the memory."""
BACK = 8.0
"""Maximum seconds for a lost server to come back."""
BETWEEN = 0.2
LEAST = 0.3
BUTTONS: dict[Button, int] = {"left": 1, "middle": 2, "right": 4}
UP, DOWN, LEFT, RIGHT = 8, 16, 32, 64
"""Buttons that represent the wheel."""
SHIFTED = frozenset('~!@#$%^&*()_+{}|:"<>?')
"""Characters that some servers type only with the shift key."""
SHIFT = 0xFFE1
CHUNK = 64
warnings.filterwarnings("ignore", "TripleDES", module="vncdotool")  # the protocol requires it
_ADDRESS = re.compile(r"(?P<host>\[[^\]]+\]|[^:\[\]]+)(?::(?P<port>:?\d{1,5}))?")


def address_of(name: str) -> tuple[str, int]:
    """Host and port of `HOST`, `HOST:DISPLAY` or `HOST::PORT`."""
    told = _ADDRESS.fullmatch(name.strip())
    number = told["port"] or "0" if told else ""
    port = int(number.strip(":")) if told else 0
    port += PORT if not number.startswith(":") and port < DISPLAYS else 0
    if told is None or not 0 < port < 2**16:
        raise ConfigError(
            f'"{name}" is not an address of a VNC server; write vnc:HOST, vnc:HOST:1 or vnc:HOST::5901'
        )
    return told["host"].strip("[]"), port


class _Connecting(VNCDoToolFactory):  # type: ignore[misc]
    """Answers the library's questions during the connection, and keeps its failure."""

    nocursor = True
    qemu_extended_key = False

    def __init__(self, password: str) -> None:
        super().__init__()
        self.password = password or None
        self.failure: GuiAgentError | None = None

    def clientConnectionMade(self, protocol: object) -> None: ...

    def clientConnectionLost(self, connector: object, reason: object) -> None: ...

    def clientConnectionFailed(self, connector: object, reason: Any) -> None:
        fault = getattr(reason, "value", reason)
        if type(fault).__name__ == "AuthenticationError":
            self.failure = ConfigError(
                f"the VNC server needs {'another' if self.password else 'a'} password ({fault}); give it with"
                f" --secret {PASSWORD}=SOURCE or in GUIAGENT_SECRET_{PASSWORD}"
            )
        else:
            self.failure = ComputerLost(f"the VNC server is not usable: {fault}; check its settings")


class _Screen(VNCDoToolClient):  # type: ignore[misc]
    """The remote picture, updated by the thread that passes in the received data."""

    SUPPORTED_AUTHS = {AuthTypes.NONE, AuthTypes.VNC_AUTHENTICATION}  # noqa: RUF012  # the library's own name

    def __init__(self) -> None:
        super().__init__()
        self.updates, self.whole, self.cut_text = 0, False, ""

    def vncConnectionMade(self) -> None:
        self._refuse_more_than_a_screen(self.width * self.height)
        super().vncConnectionMade()
        self.screen = Image.new("RGB", (self.width, self.height))
        self.framebufferUpdateRequest()

    def expect(self, handler: Callable[..., None], size: int, *args: Any, **kwargs: Any) -> None:
        self._refuse_more_than_a_screen(size // 4)
        super().expect(handler, size, *args, **kwargs)

    def _refuse_more_than_a_screen(self, pixels: int) -> None:
        if pixels > MOST_PIXELS:
            self.factory.failure = ComputerLost(
                f"the VNC server announces {pixels / 1e6:,.0f} million pixels, more than the maximum of "
                f"{MOST_PIXELS / 1e6:,.0f}; give it a smaller screen"
            )
            raise self.factory.failure

    def updateDesktopSize(self, width: int, height: int) -> None:
        self._refuse_more_than_a_screen(width * height)
        super().updateDesktopSize(width, height)
        self.width, self.height, self.whole = width, height, False

    def commitUpdate(self, rectangles: Sequence[tuple[int, int, int, int]] | None = None) -> None:
        self.whole = self.whole or bool(rectangles)
        self.updates += 1
        self.framebufferUpdateRequest(incremental=self.whole)

    def copy_text(self, text: str) -> None:
        self.cut_text = text


class _Line:
    """One connection; its own thread receives the server's data."""

    def __init__(self, host: str, port: int, password: str) -> None:
        limit = deadline.remaining(PATIENCE, LEAST)
        self.where = f"{host}::{port}"
        try:
            self._socket = socket.create_connection((host, port), timeout=limit)
        except OSError as error:
            raise ComputerLost(
                f"no VNC server answers at {self.where} ({why(error)}); check that it is running"
            ) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lost = ""
        """Why the connection is unusable."""
        self.news = threading.Condition()
        self._sending = threading.Lock()
        self._connecting = _Connecting(password)
        self.screen = _Screen()
        self.screen.factory = self._connecting
        threading.Thread(target=self._listen, name="gui_agent.vnc", daemon=True).start()
        try:
            self.wait_for(lambda: self.screen.whole, limit)
        except BaseException:
            self.close()
            raise

    def wait_for(self, holds: Callable[[], bool], limit: float) -> None:
        """Wait for the server. Raises ComputerLost if it is gone or takes too long."""
        with self.news:
            self.news.wait_for(lambda: bool(self.lost) or holds(), limit)
            if self._connecting.failure is not None:
                raise self._connecting.failure
            if not holds():
                gone = self.lost or f"it did not answer within {limit:g} s"
                raise ComputerLost(
                    f"the VNC server at {self.where} is gone: {gone}; check it, and start again"
                )

    def write(self, data: bytes) -> None:
        """Send data: the library's transport needs this and `loseConnection`."""
        try:
            with self._sending:
                self._socket.sendall(data)
        except OSError as error:
            self.lost = self.lost or why(error)

    def loseConnection(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; may be called twice and from any thread."""
        self.lost = self.lost or "it was closed"
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _listen(self) -> None:
        self.screen.makeConnection(self)
        gone = "it closed the connection"
        try:
            while not self.lost:
                try:
                    data = self._socket.recv(1 << 20)
                except TimeoutError:  # nothing changes on its screen
                    continue
                if not data:
                    break
                with self.news:
                    self.screen.dataReceived(data)
                    self.news.notify_all()
        except Exception as error:  # noqa: BLE001  # whatever fails in the library, no caller waits any more
            gone = str(error) or type(error).__name__
        with self.news:
            self.lost = self.lost or gone
            self.news.notify_all()


class VncDevice(HeldInput, OneWindow):
    """Picture, mouse and keys of a VNC server; its whole screen counts as one window."""

    platform = "vnc"

    def __init__(self, connect: Callable[[], _Line]) -> None:
        super().__init__()
        self._connect, self._closed = connect, False
        self._current = connect()
        self._at = Point(self.size.width - 1, self.size.height // 2)
        # Until the agent moves the pointer, the server draws it into the picture, over texts to read.
        self._point()

    @property
    def size(self) -> Size:
        return Size(*self._open_line().screen.screen.size)

    def grab(self, box: Box | None = None) -> Image.Image:
        try:
            self._wait_for_server(deadline.remaining(PATIENCE, LEAST))
        except ComputerLost:
            if not self._current.lost:
                raise
            self._wait_for_server(deadline.remaining(PATIENCE, LEAST))  # a picture can be requested again
        line = self._open_line()
        with line.news:
            picture: Image.Image = line.screen.screen.copy()
        return picture.crop(box.edges) if box else picture

    def pixels(self) -> bytes:
        line = self._open_line()
        with line.news:
            return bytes(line.screen.screen.tobytes("raw", "BGRX"))

    def caught_up(self, window: Window, seconds: float) -> bool | None:
        """Only the server can be asked whether it has processed the input, not its programs."""
        self._wait_for_server(max(seconds, LEAST))
        return None

    @property
    def pointer(self) -> Point:
        """The agent's last pointer position: servers do not report other movements."""
        return self._at

    def move(self, point: Point) -> None:
        self._at = point
        self._point()

    def wheel(self, down: int, right: int) -> None:
        for turns, ahead, back in ((notches(down), DOWN, UP), (notches(right), RIGHT, LEFT)):
            for _ in range(abs(turns)):
                self._point(ahead if turns > 0 else back)
                self._point()

    def _send_button(self, button: Button, *, down: bool) -> None:
        self._point()

    def _key(self, key: str) -> list[int]:
        shifts = [SHIFT] if _needs_shift(key) and "shift" not in self._held else []
        return [*shifts, key_symbol(key)]

    def _send_key(self, made: Sequence[int], *, down: bool) -> None:
        screen = self._open_line().screen
        for symbol in made if down else reversed(made):
            screen.keyEvent(symbol, down)

    def type_text(self, text: str) -> None:
        text = text.replace("\r\n", "\n")
        strange = next((one for one in text if not one.isprintable() and one not in "\n\t"), "")
        if strange:
            raise ActionFailed(f"the character {strange!r} cannot be typed; leave it out")
        for start in range(0, len(text), CHUNK):
            in_time("type the text")
            for letter in text[start : start + CHUNK]:
                shifts = [SHIFT] if _needs_shift(letter) else []
                symbols = [*shifts, symbol_of(letter)]
                self._send_key(symbols, down=True)
                self._send_key(symbols, down=False)
            self._wait_for_server(deadline.remaining(PATIENCE, LEAST))

    @property
    def title(self) -> str:
        return bytes(self._open_line().screen.name).decode("utf-8", "replace")

    @property
    def clipboard(self) -> str:
        return str(self._open_line().screen.cut_text)

    def close(self) -> None:
        """Release keys and buttons, and close the connection; may be called twice."""
        if not self._closed and not self._current.lost:
            self.let_go()
        self._closed = True
        self._current.close()

    def _open_line(self) -> _Line:
        giving_up = time.monotonic() + deadline.remaining(BACK, LEAST)
        while self._current.lost:
            if self._closed:
                raise ComputerLost("the connection to the VNC server is closed; open a new one")
            try:
                self._current = self._connect()
                self._pressed.clear()
                self._held.clear()
            except ComputerLost:
                if time.monotonic() > giving_up:
                    raise
                time.sleep(BETWEEN)
        return self._current

    def _wait_for_server(self, limit: float) -> None:
        """Wait until the server has processed all input so far, and has sent the changes until then."""
        line = self._open_line()
        seen = line.screen.updates
        line.screen.framebufferUpdateRequest(width=1, height=1)
        line.wait_for(lambda: line.screen.updates > seen, limit)

    def _point(self, notch: int = 0) -> None:
        mask = notch | sum(BUTTONS[button] for button in self._pressed)
        self._open_line().screen.pointerEvent(self._at.x, self._at.y, mask)


def _needs_shift(key: str) -> bool:
    return len(key) == 1 and (key in SHIFTED or (key.isupper() and key.isascii()))


class VncComputer(DesktopComputer):
    """A desktop behind a VNC server: read by vision, operated with mouse and keys."""

    def __init__(self, name: str, *, password: Callable[[], str] = str, **shared: Any) -> None:
        """Connect.

        Args:
            name: `HOST`, `HOST:DISPLAY` or `HOST::PORT`.
            password: returns the password if there is one.
            shared: see `DesktopComputer`.
        """
        host, port = address_of(name)
        secret = password()
        device, source = with_source(VncDevice(lambda: _Line(host, port, secret)), "vision")
        super().__init__(device, source, **shared)
