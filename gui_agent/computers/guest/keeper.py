"""The process that keeps one local guest: it starts it, resets it, and ends all of it.

All libraries are loaded here once; a guest is forked from this process, which is why it starts so quickly.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from gui_agent import plugins
from gui_agent.computers.environment import adopt
from gui_agent.computers.guest import namespaces, server
from gui_agent.computers.guest.namespaces import HOME, OWN, UID, USER, Layers
from gui_agent.computers.virtual.private import PrivateDisplay, for_programs
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.geometry import Size
from gui_agent.core.os_errors import replace_file

STARTING = 40.0
"""Seconds within which a guest must answer."""
REAPING = 0.2
"""Seconds between two looks for processes of the guest that have ended."""
RELAYED = {"chromium": 9222, "vlc": 8080}
"""Ports inside the guest that can be reached from outside, as evaluators expect them."""
RENAMED = {"Chromium": "Google Chrome", "chromium": "Google Chrome"}


class GuestKeeper:
    """One guest: its layers, its first process, and the sockets that outlive its resets."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.folder = Path(order["folder"])
        self.order = order
        self.lower = [Path(path) for path in order["lower"]]
        self.first = 0
        self.known: dict[str, str] = {}
        self.ends = time.monotonic() + order["ttl"] if order["ttl"] else float("inf")
        self.listeners = {name: socket.create_server(("127.0.0.1", 0)) for name in ("server", *RELAYED)}
        self.removing: list[subprocess.Popen[bytes]] = []
        self.door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.alive = -1
        """Open while this process lives: the guest ends with it, however that ends."""

    def start(self) -> None:
        """Begin with an empty top layer."""
        top = self.folder / "top"
        if top.exists():
            old = self.folder / f"old-{time.monotonic_ns()}"
            top.rename(old)
            self.removing.append(subprocess.Popen(["rm", "-rf", str(old)]))
        for name in ("upper", "work"):
            (top / name).mkdir(parents=True)
        shutil.chown(top / "upper", UID, UID)
        merged = self.folder / "merged"
        merged.mkdir(exist_ok=True)
        reading, writing = os.pipe()
        watched, alive = os.pipe()
        given = {name: Path(path) for name, path in self.order["given"].items()}
        try:
            self.first = namespaces.enter(
                Layers(tuple(self.lower), top),
                merged,
                self.folder / "etc",
                given,
                network=self.order["network"],
                first=lambda: self._run(reading, writing, watched, alive),
            )
        except BaseException:
            os.close(reading)
            os.close(alive)
            raise
        finally:
            os.close(writing)
            os.close(watched)
        self.alive = alive
        with os.fdopen(reading, "rb") as pipe:
            ready, _, _ = select.select([pipe], [], [], STARTING)
            told = pipe.readline() if ready else b""
        if not told:
            raise GuiAgentError("the guest's server does not start; its log is log.txt in its folder")
        self.known = json.loads(told)
        self._note()

    def stop(self) -> None:
        """End the guest: with its first process goes everything in it."""
        first, self.first = self.first, 0
        if self.alive >= 0:
            os.close(self.alive)
            self.alive = -1
        if first:
            with contextlib.suppress(ProcessLookupError):
                os.kill(first, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(first, 0)

    def serve(self) -> None:
        """Answer requests until it is told to end, or its time is over."""
        door = self.door
        door.bind(str(self.folder / "keeper.sock"))
        door.listen(16)
        os.write(1, json.dumps({"ok": True}).encode() + b"\n")
        os.close(1)
        while time.monotonic() < self.ends:
            readable, _, _ = select.select([door], [], [], 0.5)
            self._reap()
            if not readable:
                if self.order["owner"] and not Path(f"/proc/{self.order['owner']}").exists():
                    return  # whoever it was started for is gone, however that ended
                continue
            connection, _ = door.accept()
            with connection, contextlib.suppress(OSError, ValueError):
                connection.settimeout(2)
                asked = json.loads(connection.makefile("rb").readline())
                try:
                    told = self._answer(asked)
                except (GuiAgentError, OSError) as error:
                    told = {"error": str(error)}
                connection.sendall(json.dumps(told).encode() + b"\n")
                if asked.get("do") == "stop":
                    return

    def end(self) -> None:
        """End the guest and remove all of it."""
        self.stop()
        for one in self.removing:
            one.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["do"] == "reset":
            self.stop()
            self.lower = [Path(path) for path in asked.get("lower", self.order["lower"])]
            began = time.monotonic()
            self.start()
            return {"seconds": time.monotonic() - began}
        if asked["do"] == "snapshot":  # the files as they are now; running programs are no part of it
            copy = ["cp", "-a", "--reflink=auto", str(self.folder / "top/upper"), asked["to"]]
            done = subprocess.run(copy, capture_output=True, text=True, check=False)
            if done.returncode and not all("No such file" in line for line in done.stderr.splitlines()):
                raise GuiAgentError(f"the files cannot be kept: {done.stderr[-200:].strip()}")
            return {"lower": [asked["to"], *map(str, self.lower)]}
        return self._state()

    def _state(self) -> dict[str, Any]:
        return {
            "name": self.order["name"],
            "address": f"http://127.0.0.1:{self._port('server')}",
            "token": self.order["token"],
            "keeper": os.getpid(),
            "first": self.first,
            "size": self.order["size"],
            "folder": str(self.folder),
            "environment": self.known,
            "lower": [str(path) for path in self.lower],
            "ports": {name: self._port(name) for name in RELAYED},
        }

    def _note(self) -> None:
        replace_file(self.folder / "state.json", json.dumps(self._state()).encode())

    def _port(self, name: str) -> int:
        return int(self.listeners[name].getsockname()[1])

    def _reap(self) -> None:
        self.removing = [one for one in self.removing if one.poll() is None]
        with contextlib.suppress(ChildProcessError):
            while self.first and (pid := os.waitpid(self.first, os.WNOHANG)[0]) != 0:
                self.first = 0 if pid == self.first else self.first

    def _run(self, reading: int, writing: int, watched: int, alive: int) -> None:
        """The guest's first process: starts its user's part and reaps whatever ends in it."""
        os.close(reading)
        os.close(alive)
        self.door.close()
        parts = [_fork(lambda: self._serve_desktop(writing))]
        if not self.order["network"]:
            parts += [
                _fork(lambda name=name, port=port: _relay(self.listeners[name], port))
                for name, port in RELAYED.items()
            ]
        os.close(writing)
        while not select.select([watched], [], [], REAPING)[0]:
            with contextlib.suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                    if ended == parts[0]:
                        return

    def _serve_desktop(self, writing: int) -> None:
        """The desktop and its server, as the guest's user."""
        namespaces.become_user()
        runtime = f"/run/user/{UID}"
        folder = Path(runtime) / "display"
        folder.mkdir(mode=0o700)
        shimmed = f"{OWN}/bin:/usr/local/bin:/usr/bin:/bin:/usr/games:/usr/sbin:/sbin"
        person = {"USER": USER, "LOGNAME": USER, "PATH": shimmed, "SHELL": "/bin/bash"}
        adopt({**for_programs(folder, HOME), **person})
        os.chdir(HOME)
        with PrivateDisplay(Size(*self.order["size"]), home=HOME, folder=folder) as private:
            running = private.running
            adopt(
                known := {
                    **for_programs(folder, HOME),
                    **person,
                    "DISPLAY": running.display,
                    "DBUS_SESSION_BUS_ADDRESS": running.bus,
                    "XAUTHORITY": str(folder / "Xauthority"),
                    "XDG_RUNTIME_DIR": str(folder / "runtime"),
                }
            )

            def ready() -> None:
                os.write(writing, json.dumps(known).encode() + b"\n")
                os.close(writing)

            server.serve(
                self.listeners["server"],
                display=running.display,
                session=running.bus,
                token=self.order["token"],
                execute=self.order["execute"],
                renamed=RENAMED,
                ready=ready,
            )


def _fork(work: Any) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - nothing of it may come back to its parent
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(0)
    return child


def _relay(listener: socket.socket, port: int) -> None:
    """Pass on connections from outside to a port of the guest's own network."""
    namespaces.become_user()

    async def passed(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
        sink.close()

    async def came(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(passed(reader, there[1]), passed(there[0], writer))

    async def serve() -> None:
        async with await asyncio.start_server(came, sock=listener) as relay:
            await relay.serve_forever()

    asyncio.run(serve())


def preload() -> None:
    """Load everything that a guest will need."""
    from importlib import import_module
    from importlib.util import find_spec

    for name in (
        *("uvicorn.protocols.http.auto", "uvicorn.loops.auto", "uvicorn.lifespan.off", "h11", "mss", "numpy"),
        *("starlette.applications", "starlette.responses", "starlette.concurrency", "python_multipart"),
        *("PIL.PngImagePlugin", "PIL.JpegImagePlugin", "Xlib.display", "Xlib.ext.xtest", "dbus_fast.aio"),
        *(point.module for point in plugins.known("guest_routes").values()),
        "gui_agent.computers.x11.computer",
        "gui_agent.computers.x11.device",
        "gui_agent.computers.x11.programs",
        "gui_agent.computers.desktop.person_watch",
        "gui_agent.computers.atspi.source",
        *(["gui_agent.computers.vision.source"] if find_spec("rapidocr") else []),
    ):
        import_module(name)


def main(order: dict[str, Any]) -> int:
    """Keep a guest as ordered."""
    namespaces.reap_orphans()
    preload()
    keeper = GuestKeeper(order)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        keeper.start()
        keeper.serve()
    except (GuiAgentError, OSError) as error:
        with contextlib.suppress(OSError):
            os.write(1, json.dumps({"error": str(error)}).encode() + b"\n")
        return 1
    finally:
        keeper.end()
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
