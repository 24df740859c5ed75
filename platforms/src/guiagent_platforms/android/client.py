"""Communicates with phones through the adb server's socket, with adbutils to start it and transfer files."""

from __future__ import annotations

import contextlib
import re
import shlex
import socket
import struct
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse

from gui_agent.core import deadline
from gui_agent.core.errors import ActionFailed, ComputerLost, ConfigError, GuiAgentError, MissingExtra
from gui_agent.core.texts import shorten

PATIENCE = 20.0
"""Maximum seconds for a command on the phone."""
LEAST = 1.0
BACK = 8.0
"""Maximum seconds for a phone that went offline to come back."""
POLL = 0.05
READY, ABSENT = "device", "not found"
"""adb's states for a usable phone, and for an unknown one."""
STDOUT, STDERR, EXIT = 1, 2, 3
_HEAD = struct.Struct("<BI")
_SYNC = struct.Struct("<4sI")
PIECE = 64 * 1024
GONE = ("offline", "not found", "connection", "closed", "no devices", "broken")
"""Parts of messages about a phone that may come back."""
MENDED = (
    (
        "unauthorized",
        "does not trust this computer; unlock it and allow USB debugging in the question it shows"
        " (a Samsung asks only while its Auto Blocker is off)",
    ),
    (
        "authenticate",
        "does not trust this computer; unlock it and allow USB debugging in the question it shows",
    ),
    (
        "no permissions",
        "is not accessible to this user; install the udev rules for Android and plug it in again",
    ),
    ("offline", "is offline; plug it in again, or turn USB debugging off and on"),
    ("not found", "is not connected; guiagent devices lists the connected phones"),
)
"""adb's messages, each with advice for the user."""


@dataclass(frozen=True, slots=True)
class ShellReply:
    """The output of a command on the phone, and its exit code."""

    out: bytes = b""
    err: bytes = b""
    code: int = 0

    @property
    def text(self) -> str:
        return (self.out + self.err).decode("utf-8", "replace").strip()


@dataclass(frozen=True, slots=True)
class Listed:
    """A phone known to the adb server."""

    serial: str
    state: str
    """device, offline, unauthorized ..."""
    model: str = ""


class AdbServer:
    """This machine's adb server: a running one is used whatever its version, and never stopped."""

    def __init__(self) -> None:
        """Find the server, or start it. Raises ComputerLost if it cannot be started."""
        try:
            from adbutils import AdbClient, AdbError
        except ImportError as error:
            raise MissingExtra("android", "a phone") from error
        self._client = AdbClient(socket_timeout=PATIENCE)
        try:
            self._client.server_version()
        except (AdbError, OSError, ValueError) as error:
            raise ComputerLost(
                f"the adb server cannot be started: {shorten(str(error))}; run adb start-server"
            ) from error

    def ask(self, service: str) -> str:
        """The server's own answer. Raises ComputerLost if it refuses, or does not answer."""
        with self.dial(service) as wire:
            end = time.monotonic() + PATIENCE
            head = receive(wire, 4, end)
            refused = head == b"FAIL"  # reported after the service itself was accepted
            length = int((receive(wire, 4, end) if refused else head) or b"0", 16)
            said = receive(wire, length, end).decode("utf-8", "replace")
            if refused:
                raise ComputerLost(said)
            return said

    def dial(self, *services: str, limit: float = PATIENCE) -> socket.socket:
        """A connection on which these services were requested one after another and accepted."""
        try:
            wire = socket.create_connection((self._client.host, self._client.port), timeout=limit)
        except OSError as error:
            raise ComputerLost(f"the adb server does not answer ({error}); run adb start-server") from error
        try:
            for service in services:
                data = service.encode()
                wire.sendall(f"{len(data):04x}".encode() + data)
                end = time.monotonic() + limit
                if (said := receive(wire, 4, end)) != b"OKAY":
                    length = int(receive(wire, 4, end) or b"0", 16) if said == b"FAIL" else 0
                    reason = receive(wire, length, end).decode("utf-8", "replace")
                    raise ComputerLost(reason or "the connection was closed")
        except (OSError, ValueError) as error:
            wire.close()
            raise ComputerLost(f"the connection to the adb server is broken: {error}") from error
        except ComputerLost:
            wire.close()
            raise
        return wire

    def phones(self) -> list[Listed]:
        found = []
        for line in self.ask("host:devices-l").splitlines():
            serial, _, rest = line.partition(" ")
            model = re.search(r"\bmodel:(\S+)", rest)
            state = "no permissions" if "no permissions" in rest else (rest.split() or [""])[0]
            found.append(Listed(serial, state, model[1].replace("_", " ") if model else ""))
        return found

    def connect(self, address: str) -> None:
        said = self.ask(f"host:connect:{address}")
        if not re.match(r"(already )?connected to", said):
            raise failure(said, address)

    def again(self, serial: str) -> None:
        """Reconnect to a phone that went offline, and wait until it is back; also waits for a cable."""
        end = time.monotonic() + deadline.remaining(BACK, LEAST)
        state, tried = ABSENT, False
        while time.monotonic() < end:
            state = self._states().get(serial, ABSENT)
            if state == READY and (tried or ":" not in serial):
                return
            if ":" in serial and (not tried or state == ABSENT):
                if not tried:
                    with contextlib.suppress(ComputerLost):  # an `already connected` phone may be offline
                        self.ask(f"host:disconnect:{serial}")
                try:
                    self.connect(serial)
                    tried = True
                except ComputerLost as error:
                    state = str(error)
            time.sleep(POLL)
        raise failure(state, serial)

    def serial_of(self, name: str) -> str:
        """The serial of the requested phone: a serial, an address, or nothing for the only one."""
        if ":" in name and self._states().get(name) != READY:
            self.connect(name)
        states = self._states()
        ready = [serial for serial, state in states.items() if state == READY]
        if len(ready) > 1 and not name:
            raise ConfigError(
                f"several phones are connected ({', '.join(ready)}); choose one: --on android:{ready[0]}"
            )
        meant = name or next(iter((*ready, *states)), "")
        if not meant:
            raise ConfigError(
                "no phone is connected; plug one in with USB debugging on (Samsung: Auto Blocker off),"
                " or see guiagent devices"
            )
        if meant not in ready:
            raise failure(states.get(meant, ABSENT), meant)
        return meant

    def _states(self) -> dict[str, str]:
        return {one.serial: one.state for one in self.phones()}


class AdbDevice:
    """One phone: commands are lists of words; only this class quotes them."""

    def __init__(self, server: AdbServer, serial: str) -> None:
        self.server, self.serial = server, serial
        self._mending = threading.Lock()
        self._mended = 0.0

    def capture(self, *words: str, limit: float = PATIENCE) -> bytes:
        """The raw output of a command; for pictures."""
        limit = deadline.remaining(limit, LEAST)
        with self._service(f"exec:{shlex.join(words)}", limit) as wire:
            return receive(wire, -1, time.monotonic() + limit)

    def look(self, *words: str, limit: float = PATIENCE) -> ShellReply:
        """The result of a command without side effects; repeated once if the connection breaks."""
        began = time.monotonic()
        found = self._run([words], limit)
        if found is None:
            self._reconnect_once(began)
            found = self._run([words], limit)
        if found is None:
            raise ComputerLost(f"{self.serial}: the connection broke twice; check the cable or the network")
        return found

    def act(self, *commands: Sequence[str], limit: float = PATIENCE) -> ShellReply:
        """The result of commands with side effects, one after another; never repeated."""
        began = time.monotonic()
        found = self._run(commands, limit)
        if found is None:
            self._reconnect_once(began)
            raise ActionFailed("lost the phone during the action; check the phone before you continue")
        return found

    def open(self, service: str, *, limit: float = PATIENCE) -> socket.socket:
        """A service of the phone as a stream; a refusal does not concern the connection itself."""
        return self.server.dial(f"host:transport:{self.serial}", service, limit=limit)

    def push(self, data: bytes, path: str) -> None:
        with self.open("sync:") as wire:
            name = f"{path},33188".encode()
            pieces = (data[start : start + PIECE] for start in range(0, len(data), PIECE))
            wire.sendall(_SYNC.pack(b"SEND", len(name)) + name)
            for piece in pieces:
                wire.sendall(_SYNC.pack(b"DATA", len(piece)) + piece)
            wire.sendall(_SYNC.pack(b"DONE", int(time.time())))
            end = time.monotonic() + deadline.remaining(PATIENCE, LEAST)
            kind, length = _SYNC.unpack(receive(wire, _SYNC.size, end) or _SYNC.pack(b"GONE", 0))
            if kind != b"OKAY":
                said = receive(wire, length, end).decode("utf-8", "replace")
                raise ComputerLost(f"{self.serial}: {path} cannot be written: {shorten(said, 100)}")

    def _run(self, commands: Sequence[Sequence[str]], limit: float) -> ShellReply | None:
        limit = deadline.remaining(limit, LEAST)
        end = time.monotonic() + limit
        out, err = bytearray(), bytearray()
        line = " ; ".join(shlex.join(words) for words in commands)
        with self._service(f"shell,v2,raw:{line}", limit) as wire:
            while len(head := receive(wire, _HEAD.size, end)) == _HEAD.size:
                kind, length = _HEAD.unpack(head)
                data = receive(wire, length, end)
                if kind == EXIT:
                    return ShellReply(bytes(out), bytes(err), data[0] if data else 0)
                (err if kind == STDERR else out).extend(data)
        if time.monotonic() >= end:
            raise ComputerLost(f"{self.serial} did not finish within {limit:.0f} s: {shorten(line, 60)}")
        return None

    def _reconnect_once(self, began: float) -> None:
        with self._mending:
            if self._mended < began:
                self.server.again(self.serial)
                self._mended = time.monotonic()

    def _service(self, service: str, limit: float) -> socket.socket:
        """Open a service; reconnect once to an offline phone, as nothing was sent yet."""
        transport, began = f"host:transport:{self.serial}", time.monotonic()
        try:
            return self.server.dial(transport, service, limit=limit)
        except ComputerLost as error:
            if not any(word in str(error) for word in GONE):
                raise failure(str(error), self.serial) from error
        self._reconnect_once(began)
        try:
            return self.server.dial(transport, service, limit=limit)
        except ComputerLost as error:
            raise failure(str(error), self.serial) from error


def failure(message: str, serial: str) -> GuiAgentError:
    """The error for adb's message about a phone, with advice for the user."""
    advice = next((what for sign, what in MENDED if sign in message), None)
    return ComputerLost(
        f"{serial} {advice}" if advice else f"{serial}: {shorten(message, 120)}; see guiagent devices"
    )


def refusal(said: str) -> str:
    """A command's message that the phone refused, with the setting that allows it, if there is one."""
    if "SecurityException" in said or "INJECT_EVENTS" in said:
        return (
            "the phone forbids it; turn on USB debugging (Security settings) in its developer options, and"
            " answer what it asks"
        )
    return shorten(said, 120)


def ask_by_http(wire: socket.socket, question: str, body: bytes = b"") -> bytes:
    """The body of an HTTP answer; head and body of the request are sent together, which saves 40 ms.

    Raises ComputerLost if the answer is not a success, or missing.
    """
    head = f"{question} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json"
    answer = HTTPResponse(wire)
    try:
        wire.sendall(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        answer.begin()
        if answer.status == HTTPStatus.OK:
            return answer.read()
        raise ComputerLost(f"it answers {answer.status} {shorten(answer.reason, 60)}")
    except HTTPException as error:
        raise ComputerLost(f"it does not answer: {error}") from error


def receive(wire: socket.socket, size: int, end: float) -> bytes:
    """`size` bytes, everything for -1, the first part for -2; fewer at the end of the stream or time."""
    data = bytearray()
    while size < 0 or len(data) < size:
        if size == -2 and data:
            break
        left = end - time.monotonic()
        if left <= 0:
            break
        wire.settimeout(left)
        try:
            piece = wire.recv(1 << 20 if size < 0 else min(size - len(data), 1 << 20))
        except TimeoutError:
            break
        except ConnectionError:
            piece = b""
        if not piece:
            break
        data += piece
    return bytes(data)
