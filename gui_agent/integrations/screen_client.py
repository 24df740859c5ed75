"""The client of screens that stay open between shell commands: a socket to the process that holds one."""

from __future__ import annotations

import json
import secrets
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.computers.environment import private_place
from gui_agent.core.errors import ComputerLost, ConfigError

if TYPE_CHECKING:
    from gui_agent.settings import Settings


class UnknownHandle(ConfigError):
    """No screen or run has this handle."""


def desks() -> Path:
    """The folder in which registries keep the views of their runs."""
    return private_place("guiagent-desks")


DOOR = "door"
"""The name of the socket in the folder of a handle."""
OPENING = 120.0
LONGEST = 1 << 24
"""Maximum bytes of a message."""


def open_screen(settings: Settings, url: str, idle: float) -> str:
    """Start a process that holds a screen. Returns the handle."""
    if not hasattr(socket, "AF_UNIX"):
        raise ConfigError("screens between commands need Unix sockets; use guiagent mcp or the Python API")
    handle = f"h-{secrets.token_hex(3)}"
    folder = desks() / handle
    folder.mkdir(mode=0o700)
    given = {"folder": str(folder), "settings": settings.model_dump(mode="json"), "url": url, "idle": idle}
    command = [sys.executable, "-m", "gui_agent.integrations.session_registry"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(given).encode())
        process.stdin.close()
        told = process.stdout.readline()  # it arrives once the screen is open, or the process has ended
        answer = json.loads(told.strip() or '{"error": "the screen did not open", "kind": ""}')
        process.returncode = 0  # it outlives this process
    if "error" in answer:
        shutil.rmtree(folder, ignore_errors=True)
        raise (ConfigError if answer["kind"] == "ConfigError" else ComputerLost)(answer["error"])
    return handle


def ask(handle: str, do: str, seconds: float = OPENING, **given: Any) -> dict[str, Any]:
    """Send a request to the holder of a screen. Raises ConfigError, ComputerLost if it fails."""
    door = desks() / handle / DOOR
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(seconds)
            line.connect(str(door))
            line.sendall(json.dumps({"do": do, **given}).encode() + b"\n")
            answer: dict[str, Any] = json.loads(read_line(line))
    except TimeoutError as error:
        raise ComputerLost(f"{handle} does not respond; close it: guiagent close --on {handle}") from error
    except (OSError, ValueError) as error:
        held = ", ".join(held_screens()) or "none is open"
        raise UnknownHandle(f'there is no screen "{handle}" ({held}); open one: guiagent open URL') from error
    if "error" in answer:
        raise (ComputerLost if answer["kind"] == "ComputerLost" else ConfigError)(answer["error"])
    return answer


def held_screens() -> list[str]:
    return sorted(door.parent.name for door in desks().glob(f"h-*/{DOOR}"))


def read_line(line: socket.socket) -> bytes:
    """One message; raises ValueError if it is too long or none arrives."""
    read = b""
    while not read.endswith(b"\n"):
        piece = line.recv(1 << 16)
        read += piece
        if not piece or len(read) > LONGEST:
            raise ValueError("no whole message")
    return read
