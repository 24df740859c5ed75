"""The keeper of a guest: creates its namespaces and file tree, and runs and ends its processes.

All libraries are loaded here once; guests are forked from this process, so they start quickly.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui_agent import plugins
from gui_agent.computers.environment import adopt
from gui_agent.computers.virtual.private import PrivateDisplay, for_programs
from gui_agent.computers.virtual.supervisor import SUBREAPER, answer_one, libc
from gui_agent.content import PACKAGE
from gui_agent.core.errors import ComputerLost, GuiAgentError
from gui_agent.core.observation import Size
from gui_agent.core.os_errors import replace_file
from guiagent_platforms.guest import server

USER, UID, HOME = "user", 1000, "/home/user"
"""The user inside a guest, as in OSWorld's machines."""
OWN = "/run/guest"
NEWNS, NEWUTS, NEWIPC, NEWPID, NEWNET = 0x00020000, 0x04000000, 0x08000000, 0x20000000, 0x40000000
BIND, PRIVATE, RECURSIVE, NODEV, NOSUID = 4096, 1 << 18, 16384, 4, 2
UP, SET_FLAGS = 0x1 | 0x40, 0x8914
"""Network interface flags: up and running, and the request that sets them."""
HIDDEN = ("/home", "/root", "/tmp", "/var/tmp", "/mnt", "/media", "/srv", "/run", "/dev/shm")
"""Folders of the machine that are empty inside a guest."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The folders that a home consists of."""

    lower: tuple[Path, ...]
    """Read only, the uppermost first."""
    writable: Path
    """Contains `upper` and `work`, where everything goes that the guest writes."""


def reason_against() -> str:
    """Why local guests are not possible here; empty if they are."""
    if sys.platform != "linux":
        return "local guests need Linux"
    if os.geteuid() != 0:
        return "local guests need root for namespaces; use sudo, or --on virtual for a private display"
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _call("unshare", NEWNS | NEWPID | NEWIPC | NEWUTS | NEWNET)
            _call("mount", b"none", b"/", None, PRIVATE | RECURSIVE, None)
        except OSError as error:
            os.write(writing, (error.strerror or "not permitted").encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said and f"namespaces are not permitted here ({said}); use --on virtual for a private display"


def reap_orphans() -> None:
    """Adopt processes whose parent ends."""
    libc.prctl(SUBREAPER, 1, 0, 0, 0)


def enter(
    layers: Layers,
    merged: Path,
    files: Path,
    given: dict[str, Path],
    *,
    network: bool,
    first: Callable[[], None],
) -> int:
    """Start a guest's first process in new namespaces.

    Args:
        merged: an empty folder for the joined layers.
        files: a folder whose files replace those in /etc.
        given: folders visible to the guest in `OWN`, by name.
        network: share this machine's network.
        first: the work of the first process; the guest ends with it.

    Returns:
        The id of the first process, a child of this one (see `reap_orphans`).
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _call("unshare", NEWNS | NEWPID | NEWIPC | NEWUTS | (0 if network else NEWNET))
            first_process = os.fork()
            if first_process:
                os.write(writing, f"#{first_process};".encode())
                os._exit(0)
            _arrange(layers, merged, files, given, network)
            os.write(writing, b"ok")
            os.close(writing)
            first()
        except BaseException as error:  # noqa: BLE001 - nothing of it may come back to its parent
            _say(writing, f"{type(error).__name__}: {error}")
        finally:
            os._exit(1)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    number = re.search(r"#(\d+);", said)  # the two writers are not synchronized
    why = said.replace(number[0], "") if number else said
    if number is None or why != "ok":
        raise ComputerLost(f"the guest does not start: {why or 'it ended at once'}; look at guiagent doctor")
    return int(number[1])


def _say(pipe: int, text: str) -> None:
    try:
        os.write(pipe, text.encode())
    except OSError:  # the pipe is closed: the guest had started, and its server's log says more
        os.write(2, f"{text}\n".encode())


def _arrange(layers: Layers, merged: Path, files: Path, given: dict[str, Path], network: bool) -> None:
    _call("mount", b"none", b"/", None, PRIVATE | RECURSIVE, None)
    lower = ":".join(str(path) for path in layers.lower)
    options = f"lowerdir={lower},upperdir={layers.writable / 'upper'},workdir={layers.writable / 'work'}"
    # A layer may come from another person's folder: nothing in it may grant rights or be a device.
    _mount("overlay", merged, "overlay", options, NODEV | NOSUID)
    for path in files.iterdir():
        _bind(path, Path("/etc") / path.name)
    ours = {str(PACKAGE.parent), str(Path(__file__).parents[2]), sys.prefix, sys.base_prefix}
    kept = [Path(path) for path in ours if any(path.startswith(f"{root}/") for root in HIDDEN)]
    opened = {path: os.open(path, os.O_PATH) for path in (merged, *given.values(), *kept)}
    for root in filter(os.path.isdir, HIDDEN):
        mode = "1777" if root in ("/tmp", "/var/tmp", "/dev/shm") else "755"
        _mount("tmpfs", Path(root), "tmpfs", f"mode={mode}", NODEV | NOSUID)
    places = {Path(HOME): merged, **{Path(OWN) / name: path for name, path in given.items()}}
    for place, path in (*places.items(), *((path, path) for path in kept)):
        place.mkdir(parents=True, exist_ok=True)
        _bind(Path(f"/proc/self/fd/{opened[path]}"), place)
    for number in opened.values():
        os.close(number)
    Path("/tmp/.X11-unix").mkdir()
    Path("/tmp/.X11-unix").chmod(0o1777)
    runtime = Path(f"/run/user/{UID}")
    runtime.mkdir(parents=True, mode=0o755)
    os.chown(runtime, UID, UID)
    runtime.chmod(0o700)
    _mount("proc", Path("/proc"), "proc", "", NODEV | NOSUID)
    socket.sethostname("guest")
    if not network:
        import fcntl

        with socket.socket() as any_socket:
            fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))


def become_user() -> None:
    """Give up all root rights permanently."""
    os.setgroups([])
    os.setresgid(UID, UID, UID)
    os.setresuid(UID, UID, UID)
    os.umask(0o022)


def inside(first: int, command: Sequence[str]) -> list[str]:
    """The command line that runs a command in a guest as its user."""
    spaces = ("--mount", "--pid", "--ipc", "--uts", "--net")
    given_up = ("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--no-new-privs")
    return ["nsenter", f"--target={first}", *spaces, *given_up, *command]


def _bind(source: Path, target: Path) -> None:
    _mount(str(source), target, "none", "", BIND | RECURSIVE)


def _mount(source: str, target: Path, kind: str, options: str, flags: int = 0) -> None:
    try:
        _call("mount", source.encode(), bytes(target), kind.encode(), flags, options.encode() or None)
    except OSError as error:
        raise OSError(error.errno, f"{kind} on {target}: {error.strerror}") from error


def _call(name: str, *arguments: object) -> None:
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


STARTING = 40.0
"""Maximum seconds for a guest to answer."""
REAPING = 0.2
"""Seconds between two checks for ended processes of the guest."""
RELAYED = {"chromium": 9222, "vlc": 8080}
"""Ports inside the guest that are reachable from outside, as evaluators expect them."""
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
        """Start with an empty top layer."""
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
            self.first = enter(
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
            raise GuiAgentError("the guest's server did not start; its log is log.txt in its folder")
        self.known = json.loads(told)
        replace_file(self.folder / "state.json", json.dumps(self._state()).encode())

    def stop(self) -> None:
        """End the guest: everything in it ends with its first process."""
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
        """Answer requests until a stop request or the deadline."""
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
                    return  # the owner is gone, however it ended
                continue
            if answer_one(door, self._answer):
                return

    def end(self) -> None:
        self.stop()
        for one in self.removing:
            one.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._carry_out(asked)
        except (GuiAgentError, OSError) as error:
            return {"error": str(error)}

    def _carry_out(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["do"] == "reset":
            self.stop()
            self.lower = [Path(path) for path in asked.get("lower", self.order["lower"])]
            began = time.monotonic()
            self.start()
            return {"seconds": time.monotonic() - began}
        if asked["do"] == "snapshot":  # the current files; running programs are not part of it
            copy = ["cp", "-a", "--reflink=auto", str(self.folder / "top/upper"), asked["to"]]
            done = subprocess.run(copy, capture_output=True, text=True, check=False)
            if done.returncode and not all("No such file" in line for line in done.stderr.splitlines()):
                raise GuiAgentError(f"the files cannot be saved: {done.stderr[-200:].strip()}")
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

    def _port(self, name: str) -> int:
        return int(self.listeners[name].getsockname()[1])

    def _reap(self) -> None:
        self.removing = [one for one in self.removing if one.poll() is None]
        with contextlib.suppress(ChildProcessError):
            while self.first and (pid := os.waitpid(self.first, os.WNOHANG)[0]) != 0:
                self.first = 0 if pid == self.first else self.first

    def _run(self, reading: int, writing: int, watched: int, alive: int) -> None:
        """The guest's first process: starts its user's part and reaps all ended processes."""
        os.close(reading)
        os.close(alive)
        self.door.close()
        parts = [_fork(lambda: self._serve_desktop(writing))]
        if not self.order["network"]:
            parts += [
                _fork(lambda name=name, port=port: _relay_connections(self.listeners[name], port))
                for name, port in RELAYED.items()
            ]
        os.close(writing)
        while not select.select([watched], [], [], REAPING)[0]:
            with contextlib.suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                    if ended == parts[0]:
                        return

    def _serve_desktop(self, writing: int) -> None:
        become_user()
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


def _relay_connections(listener: socket.socket, port: int) -> None:
    become_user()

    async def pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
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
        await asyncio.gather(pass_on(reader, there[1]), pass_on(there[0], writer))

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
        *(point.module for point in plugins.installed_parts("guest_routes").values()),
        "gui_agent.computers.x11.computer",
        "gui_agent.computers.x11.device",
        "gui_agent.computers.x11.programs",
        "gui_agent.computers.desktop.person_watch",
        "gui_agent.computers.atspi.source",
        *(["gui_agent.computers.vision.source"] if find_spec("rapidocr") else []),
    ):
        import_module(name)


def main(order: dict[str, Any]) -> int:
    """Run a guest as ordered."""
    reap_orphans()
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
