"""A process that keeps one screen open between commands (`guiagent open`, `look`, `act`), and its clients.

It listens on a socket that only this user can reach, and ends when it is told to, or when nobody has asked
for anything for a while.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from gui_agent.core.errors import ComputerLost, ConfigError, GuiAgentError
from gui_agent.integrations.desk import Desk, describe_element, desks
from gui_agent.integrations.runs import UnknownHandle
from gui_agent.settings import Settings

DOOR = "door"
"""The name of the socket in the folder of a handle."""
OPENING = 120.0
"""Seconds for a screen to open."""
LONGEST = 1 << 24
"""Bytes of a message."""


def open_screen(settings: Settings, url: str, idle: float) -> str:
    """Start a process that holds a screen; gives the handle."""
    if not hasattr(socket, "AF_UNIX"):
        raise ConfigError("screens between commands need Unix sockets; use guiagent mcp or the Python API")
    handle = f"h-{secrets.token_hex(3)}"
    folder = desks() / handle
    folder.mkdir(mode=0o700)
    given = {"folder": str(folder), "settings": settings.model_dump(mode="json"), "url": url, "idle": idle}
    command = [sys.executable, "-m", "gui_agent.integrations.holder"]
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
        told = process.stdout.readline()  # it comes when the screen is open, or the process has ended
        answer = json.loads(told) if told.strip() else {"error": "the screen did not open", "kind": ""}
        process.returncode = 0  # it goes on without this one
    if "error" in answer:
        shutil.rmtree(folder, ignore_errors=True)
        raise (ConfigError if answer["kind"] == "ConfigError" else ComputerLost)(answer["error"])
    return handle


def ask(handle: str, do: str, seconds: float = OPENING, **given: Any) -> dict[str, Any]:
    """Ask the holder of a screen for something. Raises ConfigError, ComputerLost: it could not be done."""
    door = desks() / handle / DOOR
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(seconds)
            line.connect(str(door))
            line.sendall(json.dumps({"do": do, **given}).encode() + b"\n")
            answer: dict[str, Any] = json.loads(_line(line))
    except TimeoutError as error:
        raise ComputerLost(f"{handle} does not answer; close it: guiagent close --on {handle}") from error
    except (OSError, ValueError) as error:
        held = ", ".join(held_screens()) or "none is open"
        raise UnknownHandle(f'there is no screen "{handle}" ({held}); open one: guiagent open URL') from error
    if "error" in answer:
        raise (ComputerLost if answer["kind"] == "ComputerLost" else ConfigError)(answer["error"])
    return answer


def held_screens() -> list[str]:
    """The handles of the screens that are open."""
    return sorted(door.parent.name for door in desks().glob(f"h-*/{DOOR}"))


class Holder:
    """Holds a screen and answers one client after the other."""

    def __init__(self, settings: Settings, folder: Path, url: str, idle: float) -> None:
        self.desk, self._folder, self._idle = Desk(settings), folder, idle
        try:
            self._screen = self.desk.open(url=url)
        except BaseException:
            self.desk.shut()
            raise
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.bind(str(folder / DOOR))
        (folder / DOOR).chmod(0o600)
        self._door.listen(8)

    def serve(self) -> None:
        """Answer until it is closed or idle for too long."""
        until, going = time.monotonic() + self._idle, True
        try:
            while going and time.monotonic() < until:
                self._door.settimeout(max(0.05, until - time.monotonic()))
                with contextlib.suppress(TimeoutError):
                    line, _ = self._door.accept()
                    with line, contextlib.suppress(OSError, ValueError):
                        line.settimeout(5.0)
                        asked = json.loads(_line(line))
                        line.settimeout(None)
                        answer = self._answer(asked)
                        line.sendall(json.dumps(answer).encode() + b"\n")
                        going = asked.get("do") != "close"
                    until = time.monotonic() + self._idle
        finally:
            self._door.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            self.desk.shut()

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        try:
            match asked:
                case {"do": "look", "picture": str(picture)}:
                    return self._look(picture)
                case {"do": "find", "what": str(what)}:
                    return self._screen.find(what)
                case {"do": "act", "commands": str(commands)}:
                    run = self.desk.start(commands, screen=self._screen.handle, commands_only=True)
                    run.wait(self.desk.settings.limits.seconds)
                    return run.as_dict()
                case {"do": "answer", "run": str(id_), "question": str(question), "answer": str(answer)}:
                    run = self.desk.run(id_)
                    run.reply(question, answer)
                    run.wait(self.desk.settings.limits.seconds)
                    return run.as_dict()
                case {"do": "close"}:
                    return {}
        except GuiAgentError as error:
            return {"error": str(error), "kind": type(error).__name__}
        return {"error": "this is not understood", "kind": "ConfigError"}

    def _look(self, picture: str) -> dict[str, Any]:
        from gui_agent.planners.llm.rendering import screen_text

        seen = self._screen.look(picture=bool(picture))
        if picture and seen.screenshot is not None:
            try:
                Path(picture).write_bytes(seen.screenshot.data)
            except OSError as error:
                raise ConfigError(f"{picture} cannot be written: {error.strerror}") from error
        place = {"title": seen.place.title, "url": seen.place.url, "app": seen.place.app}
        elements = [describe_element(one) for one in seen.elements]
        return {"place": place, "elements": elements, "text": screen_text(seen, ""), "picture": picture}


def _line(line: socket.socket) -> bytes:
    """One message; raises ValueError when it is too long or none comes."""
    read = b""
    while not read.endswith(b"\n"):
        piece = line.recv(1 << 16)
        read += piece
        if not piece or len(read) > LONGEST:
            raise ValueError("no whole message")
    return read


def main() -> None:
    """Open the screen that standard input describes, say on standard output that it is open, and hold it."""
    given = json.loads(sys.stdin.buffer.read())
    try:
        settings = Settings.model_validate(given["settings"])
        holder = Holder(settings, Path(given["folder"]), given["url"], given["idle"])
    except GuiAgentError as error:
        sys.stdout.write(json.dumps({"error": str(error), "kind": type(error).__name__}) + "\n")
        return
    sys.stdout.write("{}\n")
    sys.stdout.flush()
    sys.stdout.close()
    holder.serve()


if __name__ == "__main__":
    main()
