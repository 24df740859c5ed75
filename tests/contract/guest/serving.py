"""A private display with the server of a guest on it, for tests."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from guiagent_platforms.remote.client import GuestClient
from private import needs, until

from gui_agent.computers.virtual.private import KeptLauncher, PrivateDisplay, for_programs
from gui_agent.core.observation import Size

TOKEN = "a-token-of-the-tests"


@contextmanager
def served(*options: str, token: str = TOKEN, program: str = "mousepad") -> Iterator[GuestClient]:
    """A client of `guiagent guest serve` on a new display, on which a program runs."""
    needs("Xvfb", "openbox", "dbus-daemon", *([program] if program else []))
    with PrivateDisplay(Size(1024, 768), home="fresh") as private:
        running = private.running
        if program:
            KeptLauncher(running).launch(program)
        environment = {
            **for_programs(running.folder, str(running.home)),
            "DISPLAY": running.display,
            "DBUS_SESSION_BUS_ADDRESS": running.bus,
            "XDG_RUNTIME_DIR": str(running.folder / "runtime"),
            "XAUTHORITY": str(running.folder / "Xauthority"),
            "GUIAGENT_GUEST_TOKEN": token,
        }
        with serving(environment, *options) as port:
            yield GuestClient(f"http://127.0.0.1:{port}", token)


@contextmanager
def serving(environment: Mapping[str, str], *options: str, port: int = 0) -> Iterator[int]:
    """The port of a server in a process of its own."""
    port = port or free_port()
    command = [sys.executable, "-m", "gui_agent", "guest", "serve", "--port", str(port), *options]
    folder = Path(__file__).parents[3]
    server = subprocess.Popen(command, env=dict(environment), cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        until(lambda: answers(port) or server.poll() is not None, "the server")
        assert server.poll() is None, "the server ended at once"
        yield port
    finally:
        server.terminate()
        server.wait(60)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as door:
        return door.connect_ex(("127.0.0.1", port)) == 0


def for_display(environment: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **environment}
