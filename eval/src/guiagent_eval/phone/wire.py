"""The device's side of the adb protocol over TCP: `adb connect` treats the simulated phone as a real one."""

from __future__ import annotations

import contextlib
import itertools
import queue
import socket
import struct
import threading
import time

from gui_agent.core.protocols import Closing
from guiagent_eval.phone.device import SimulatedPhone
from guiagent_eval.phone.services import serve

HEADER = struct.Struct("<6I")
VERSION, MOST = 0x01000001, 1024 * 1024
A_CNXN, A_AUTH, A_OPEN, A_OKAY, A_WRTE, A_CLSE = (
    int.from_bytes(name, "little") for name in (b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"WRTE", b"CLSE")
)
TOKEN, SIGNATURE, PUBLIC_KEY = 1, 2, 3
ACKNOWLEDGED = 30.0
"""Seconds within which a piece of data must be acknowledged."""


class Channel:
    """One service that the host has opened, with bytes in both directions."""

    def __init__(self, link: Link, local: int, remote: int) -> None:
        self._link, self._local, self._remote = link, local, remote
        self._incoming: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._ready = threading.Semaphore(0)
        self._rest = b""
        self.closed = False

    def read(self, size: int) -> bytes:
        """Exactly this many bytes, or fewer if the host has closed the channel."""
        while len(self._rest) < size:
            piece = self._incoming.get()
            if not piece:
                self._incoming.put(b"")
                break
            self._rest += piece
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken

    def write(self, data: bytes) -> None:
        """Send all bytes, piece by piece as the host acknowledges them.

        Raises:
            ConnectionError: the host has closed the channel or is gone.
        """
        for start in range(0, len(data), self._link.most):
            if self.closed:
                raise ConnectionError("the host has closed the channel")
            self._link.send(A_WRTE, self._local, self._remote, data[start : start + self._link.most])
            if not self._ready.acquire(timeout=ACKNOWLEDGED) or self.closed:
                raise ConnectionError("the host does not take more")

    def feed(self, data: bytes) -> None:
        """Receive bytes from the host."""
        self._incoming.put(data)
        self._link.send(A_OKAY, self._local, self._remote)

    def acknowledge(self) -> None:
        """The host has accepted the last piece."""
        self._ready.release()

    def end(self) -> None:
        """The host has closed the channel."""
        self.closed = True
        self._incoming.put(b"")
        self._ready.release()

    def close(self) -> None:
        """Close the channel from this side."""
        self._link.drop(self._local)
        if not self.closed:
            self.closed = True
            with contextlib.suppress(OSError):
                self._link.send(A_CLSE, self._local, self._remote)


class Link:
    """One connection of an adb server."""

    def __init__(self, wire: socket.socket, phone: SimulatedPhone) -> None:
        self._wire, self._phone = wire, phone
        self._lock = threading.Lock()
        self._channels: dict[int, Channel] = {}
        self._numbers = itertools.count(1)
        self.most = 4096
        self._host = 0
        self._checks = True
        """Whether the host still checks checksums."""

    def send(self, command: int, first: int, second: int, data: bytes = b"") -> None:
        """Send one message."""
        check = sum(data) & 0xFFFFFFFF if self._checks else 0
        head = HEADER.pack(command, first, second, len(data), check, command ^ 0xFFFFFFFF)
        with self._lock:
            self._wire.sendall(head + data)

    def drop(self, local: int) -> None:
        """Forget a channel."""
        self._channels.pop(local, None)

    def run(self) -> None:
        """Answer the host until it disconnects."""
        try:
            while head := self._read(HEADER.size):
                command, first, second, length, _checksum, _magic = HEADER.unpack(head)
                # The checksum is not checked: on reconnecting, servers send 0 whatever was agreed upon.
                self._message(command, first, second, self._read(length))
        except OSError:
            pass
        finally:
            for channel in tuple(self._channels.values()):
                channel.end()
            self._wire.close()

    def shut(self) -> None:
        """Cut the connection, as an unplugged cable does."""
        with contextlib.suppress(OSError):
            self._wire.shutdown(socket.SHUT_RDWR)

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            piece = self._wire.recv(size - len(data))
            if not piece:
                return b""
            data += piece
        return bytes(data)

    def _message(self, command: int, first: int, second: int, data: bytes) -> None:
        channel = self._channels.get(second)
        if command == A_CNXN and self._phone.fault("mute"):
            return
        if command == A_CNXN:
            self.most, self._host = min(second, MOST), first
            if self._phone.asks_for_key:
                self.send(A_AUTH, TOKEN, 0, bytes(range(20)))
            else:
                self._greet()
        elif command == A_AUTH and first == SIGNATURE:
            self.send(A_AUTH, TOKEN, 0, bytes(range(20)))
        elif command == A_AUTH and first == PUBLIC_KEY:
            threading.Thread(target=self._await_consent, daemon=True).start()
        elif command == A_OPEN:
            self._open(first, data.rstrip(b"\0").decode())
        elif channel is None:
            if command == A_WRTE:
                self.send(A_CLSE, 0, first)
        elif command == A_WRTE:
            channel.feed(data)
        elif command == A_OKAY:
            channel.acknowledge()
        elif command == A_CLSE:
            self.drop(second)
            channel.end()

    def _await_consent(self) -> None:
        """Wait until the person at the phone allows the computer, which may never happen."""
        while self._phone.asks_for_key:
            time.sleep(0.02)
        with contextlib.suppress(OSError):
            self._greet()

    def _greet(self) -> None:
        props = "".join(f"{key}={value};" for key, value in self._phone.banner.items())
        self._checks = True  # On reconnecting, the host does not know yet which phone it talks to.
        self.send(A_CNXN, VERSION, MOST, f"device::{props}features=shell_v2".encode())
        self._checks = self._host < VERSION

    def _open(self, remote: int, service: str) -> None:
        local = next(self._numbers)
        channel = self._channels[local] = Channel(self, local, remote)
        worker = serve(self._phone, service, channel)
        if worker is None:
            self.drop(local)
            self.send(A_CLSE, 0, remote)
            return
        self.send(A_OKAY, local, remote)

        def work() -> None:
            try:
                worker()
            except (OSError, struct.error):  # The host has disconnected, perhaps during a message.
                pass
            finally:
                channel.close()

        threading.Thread(target=work, daemon=True).start()


class PhoneServer(Closing):
    """Lets adb servers connect to a simulated phone."""

    def __init__(self, phone: SimulatedPhone, port: int = 0) -> None:
        """Args: port: a free one by default; adb treats odd ones from 5555 to 5585 as emulators."""
        self.phone = phone
        self._links: list[Link] = []
        self._listener = _listen(port)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        """For `adb connect`."""
        phone.unplug = self.unplug
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def unplug(self) -> None:
        """Cut all connections; adb servers connect again by themselves."""
        for link in self._links:
            link.shut()
        self._links.clear()

    def close(self) -> None:
        """Stop listening, and cut all connections."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.unplug()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                wire, _ = listener.accept()
            except OSError:
                return
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link = Link(wire, self.phone)
            self._links.append(link)
            threading.Thread(target=link.run, daemon=True).start()


def _listen(port: int) -> socket.socket:
    while True:
        listener = socket.create_server(("127.0.0.1", port))
        given = listener.getsockname()[1]
        if port or not (5555 <= given <= 5585 and given % 2):
            return listener
        listener.close()
