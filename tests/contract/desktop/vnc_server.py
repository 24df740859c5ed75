"""A real VNC server with a window manager on it, for tests, and programs that its own session starts."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from private import needs, until

PASSWORD = "knock123"


class VncServer:
    """Xtigervnc on a port of this machine; everything on it ends with it."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        """Args: port: one that is taken again; another free one when not given."""
        needs("Xtigervnc", "tigervncpasswd", "openbox", "dbus-run-session")
        self.home, self.port = folder, port or _free_port()
        self._started: list[subprocess.Popen[bytes]] = []
        (folder / "passwd").write_bytes(
            subprocess.run(["tigervncpasswd", "-f"], input=PASSWORD.encode(), stdout=-1, check=True).stdout
        )
        (folder / "passwd").chmod(0o600)
        told, telling = os.pipe()
        options = f"-displayfd {telling} -rfbport {self.port} -geometry 1024x768 -SecurityTypes VncAuth"
        self._start(
            ["Xtigervnc", *options.split(), "-localhost", "-PasswordFile", str(folder / "passwd")], telling
        )
        os.close(telling)
        with os.fdopen(told) as answer:
            self.display = f":{answer.readline().strip()}"
        until(lambda: self.connects, "the server")
        self.open("openbox")

    @property
    def connects(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

    @property
    def name(self) -> str:
        return f"127.0.0.1::{self.port}"

    def open(self, *command: str) -> subprocess.Popen[bytes]:
        """A program that the session at the server starts, as nobody does it over VNC."""
        return self._start(["dbus-run-session", "--", *command])

    def pause(self) -> None:
        """The server answers nothing more, and keeps its connections."""
        os.killpg(self._started[0].pid, signal.SIGSTOP)

    def close(self) -> None:
        for process in reversed(self._started):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)

    def _start(self, command: Sequence[str], *kept: int) -> subprocess.Popen[bytes]:
        own = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "GDK_BACKEND": "x11"}
        own |= {"DISPLAY": self.display} if hasattr(self, "display") else {}
        process = subprocess.Popen(
            command,
            env=own,
            cwd=self.home,
            pass_fds=kept,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._started.append(process)
        return process


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def vnc_server(folder: Path, port: int = 0) -> Iterator[VncServer]:
    server = VncServer(folder, port)
    try:
        yield server
    finally:
        server.close()
