"""The supervisor process of one private display: it starts all programs and leaves nothing behind.

It runs as a separate file, on the standard library alone, so that it starts at once. Everything on the
display is its child, and it adopts orphans there (it is a subreaper). It ends everything on request, when
the display dies, or when its owner process is gone, which it detects by the end of its standard input even
after `kill -9`. If it is killed itself, the kernel ends its children.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import secrets
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SUBREAPER, PARENT_DEATH = 36, 1
"""Numbers of prctl."""
STARTING = 15.0
"""Maximum seconds for the display to start."""
ENDING = 1.5
"""Seconds for programs to end after SIGTERM, before SIGKILL."""
KILLING = 8.0
"""Maximum seconds for a killed process to disappear, also on a busy machine."""
LOCAL = 256
"""Address family in an authority file: a host by its name."""
NUMBERS = 20_000
"""The first display number, and the number of candidates."""
COOKIE = b"MIT-MAGIC-COOKIE-1"
libc = ctypes.CDLL(None, use_errno=True)


class Ended(Exception):
    """The display has to end; the message gives the reason."""


class Keeper:
    """Starts the parts of a display, serves requests, ends everything."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.folder = Path(order["folder"])
        self.size = order["size"]
        self.owned = order["owned"]
        self.window = order.get("window", False)
        self.number = -1
        self.bus = ""
        self.parts: dict[str, int] = {}
        self.codes: dict[int, int] = {}
        """Exit codes of ended children, by process id."""
        self.restarts = 3
        self.environment: dict[str, str] = {}

    def start(self) -> dict[str, Any]:
        """Start display, bus and window manager. Returns the data needed to use them."""
        for name in ("runtime", "programs", "said", "tmp", "settings"):
            (self.folder / name).mkdir(mode=0o700, exist_ok=True)
        cookie = secrets.token_bytes(16)
        (self.folder / "server.auth").write_bytes(_authority(0, cookie))
        self._start_display()
        (self.folder / "Xauthority").write_bytes(_authority(self.number, cookie))
        _let_user_in(self.number, cookie)
        self.environment = self._environment()
        self._start_bus()
        self._start_manager()
        return {
            "display": f":{self.number}",
            "bus": self.bus,
            "folder": str(self.folder),
            "home": self.environment["HOME"],
            "size": self.size,
            "keeper": os.getpid(),
        }

    def program(self, argv: list[str], name: str = "", **pipes: Any) -> int:
        """Start a program. Returns its process id."""
        said = self.folder / "said" / f"{name or secrets.token_hex(4)}.txt"
        with said.open("wb") as sink:
            started = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=pipes.get("stdout", sink),
                stderr=sink,
                env=pipes.get("env", self.environment or self._environment()),
                cwd=self.environment.get("HOME", "/"),
                pass_fds=pipes.get("pass_fds", ()),
                start_new_session=True,
                preexec_fn=_die_with_parent,  # noqa: PLW1509 - this process has one thread
            )
        started.returncode = 0  # children are reaped all together
        if not name:
            said.rename(said.with_name(f"{started.pid}.txt"))
        return started.pid

    def serve(self, ready: dict[str, Any]) -> None:
        """Answer requests until the display has to end."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(self.folder / "keeper.sock"))
        listener.listen(16)
        (self.folder / "state.json").write_text(json.dumps(ready), encoding="utf-8")
        print(json.dumps(ready), flush=True)
        os.close(1)
        watched = [listener.fileno(), *([0] if self.owned else [])]
        while True:
            readable, _, _ = select.select(watched, [], [], 0.25)
            self.reap()
            if 0 in readable and not os.read(0, 4096):
                raise Ended("the owner process of this display is gone")
            if listener.fileno() in readable and answer_one(listener, self._answer):
                raise Ended("stopped")

    def reap(self) -> None:
        """Record ended children."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                self.codes[pid] = os.waitstatus_to_exitcode(status)
                if pid in (self.parts.get("display"), self.parts.get("bus")):
                    raise Ended("a part of the display died")
                if pid == self.parts.get("manager") and self.restarts:
                    self.restarts -= 1
                    self._start_manager()

    def end(self) -> None:
        """End all programs, then the display, and remove the folder."""
        display = self.parts.get("display", 0)
        self._end_all(but=display)
        if display and display not in self.codes:
            _kill(display, signal.SIGTERM)  # SIGTERM, so that it removes its socket and lock file
        self._end_all()
        if self.number >= 0:
            _remove_leftovers(self.number)
        _unmount(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["do"] == "start":
            try:
                return {"pid": self.program(request["argv"])}
            except OSError as error:
                return {"error": error.strerror or str(error)}
        if request["do"] == "state":
            pid = request["pid"]
            said = self.folder / "said" / f"{pid}.txt"
            with contextlib.suppress(OSError):
                return {
                    "code": self.codes.get(pid),
                    "said": said.read_bytes()[-2000:].decode("utf-8", "replace"),
                }
            return {"code": self.codes.get(pid), "said": ""}
        return {}

    def _start_display(self) -> None:
        reading, writing = os.pipe()
        width, height = self.size
        screen = f"{width}x{height}"
        # A window needs the environment of this process, as it is on the user's screen.
        server, own, environment = (
            ("Xephyr", ("-screen", screen, "-title", "guiagent"), dict(os.environ))
            if self.window
            else ("Xvfb", ("-screen", "0", f"{screen}x24"), self._environment())
        )
        command = [
            # A server that picks a free number itself may remove the socket of one that starts meanwhile.
            *(server, f":{NUMBERS + secrets.randbelow(NUMBERS)}", "-displayfd", str(writing), *own),
            *("-dpi", "96"),
            *("-nolisten", "tcp", "-noreset", "-auth", str(self.folder / "server.auth")),
        ]
        try:
            self.parts["display"] = self.program(command, "display", pass_fds=(writing,), env=environment)
        finally:
            os.close(writing)
        told = self._ready_line(reading, server)
        self.number = int(told)

    def _start_bus(self) -> None:
        reading, writing = os.pipe()
        address = f"unix:path={self.folder}/runtime/bus"
        command = [
            *("dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={address}"),
            f"--print-address={writing}",
        ]
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        try:
            self.parts["bus"] = self.program(command, "bus", pass_fds=(writing,))
        finally:
            os.close(writing)
        self._ready_line(reading, "dbus-daemon")
        self.bus = address

    def _start_manager(self) -> None:
        rules = Path(__file__).with_name("openbox.xml")
        command = ["openbox", "--sm-disable", "--config-file", str(rules)]
        self.parts["manager"] = self.program(command, "manager")

    def _ready_line(self, reading: int, program: str) -> str:
        deadline, told = time.monotonic() + STARTING, b""
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            while not told.endswith(b"\n"):
                ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
                more = pipe.read(200) if ready else b""
                if not more:
                    why = "does not start" if ready else "did not start in time"
                    name = "bus" if program == "dbus-daemon" else "display"
                    raise Ended(f"{program} {why}{self._last_words(name)}")
                told += more
        return told.decode().strip()

    def _last_words(self, name: str) -> str:
        with contextlib.suppress(OSError):
            lines = (self.folder / "said" / f"{name}.txt").read_text(errors="replace").split("\n")
            told = [line.strip() for line in lines if line.strip()]
            return f": {told[-1]}" if told else ""
        return ""

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "DISPLAY": f":{self.number}",
            "XAUTHORITY": str(self.folder / "Xauthority"),
            "XDG_RUNTIME_DIR": str(self.folder / "runtime"),
            "TMPDIR": str(self.folder / "tmp"),
        }

    def _end_all(self, but: int = 0) -> None:
        """End all descendants but one, SIGTERM first, SIGKILL later, and those that appear meanwhile."""
        deadline = time.monotonic() + ENDING
        told: set[int] = set()
        while left := descendants(os.getpid()) - {but}:
            late = time.monotonic() > deadline
            for pid in left - (set() if late else told):
                _kill(pid, signal.SIGKILL if late else signal.SIGTERM)
            told |= left
            with contextlib.suppress(ChildProcessError, Ended):
                while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                    self.codes[pid] = 0
            time.sleep(0.005)
            if time.monotonic() > deadline + KILLING:
                return


def answer_one(listener: socket.socket, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> bool:
    """Answer the waiting request, a line of JSON, by another line. Returns whether it was to stop."""
    connection, _ = listener.accept()
    with connection, contextlib.suppress(OSError, ValueError):
        connection.settimeout(2)
        request = json.loads(connection.makefile("rb").readline())
        connection.sendall(json.dumps(answer(request)).encode() + b"\n")
        return bool(request["do"] == "stop")
    return False


def main(order: dict[str, Any]) -> int:
    """Run a display as ordered; the exit code is 1 if it could not be started."""
    libc.prctl(SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _told_to_end)
    keeper = Keeper(order)
    served = False
    try:
        ready = keeper.start()
        served = True
        keeper.serve(ready)
    except (Ended, OSError) as why:
        if not served:
            missing = str(why.filename or "") if isinstance(why, FileNotFoundError) else ""
            told = f"{missing} is not installed" if missing else str(why)
            print(json.dumps({"error": told, "missing": missing}), flush=True)
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        keeper.end()
    return 0 if served else 1


def _told_to_end(*_: object) -> None:
    raise Ended("told to end")


def _die_with_parent() -> None:
    libc.prctl(PARENT_DEATH, signal.SIGTERM, 0, 0, 0)


def _kill(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def descendants(root: int) -> set[int]:
    parents: dict[int, int] = {}
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                line = (process / "stat").read_text(errors="replace")
                parents[int(process.name)] = int(line.rpartition(")")[2].split()[1])
    found: set[int] = set()
    fresh = {root}
    while fresh:
        fresh = {pid for pid, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return found


def _unmount(folder: Path) -> None:
    """Unmount file systems that killed programs had mounted there."""
    mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    tool = shutil.which("fusermount3") or shutil.which("fusermount")
    for mount in mounts:
        if tool and mount.startswith(f"{folder}/"):
            subprocess.run(
                [tool, "-u", "-z", mount], stdin=subprocess.DEVNULL, capture_output=True, check=False
            )


def _remove_leftovers(number: int) -> None:
    """Remove the socket of a killed server; one that ended normally has done so itself."""
    address = Path(f"/tmp/.X11-unix/X{number}")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door, contextlib.suppress(OSError):
        if door.connect_ex(str(address)) == errno.ECONNREFUSED:
            address.unlink()


def _authority(number: int, cookie: bytes) -> bytes:
    fields = (socket.gethostname().encode(), str(number).encode(), COOKIE, cookie)
    return struct.pack(">H", LOCAL) + b"".join(struct.pack(">H", len(field)) + field for field in fields)


def _let_user_in(number: int, cookie: bytes) -> None:
    """Let all processes of this user, and only of this user, use the display without the cookie.

    The libraries for pictures and input look for cookies in one place per process, so a process could not
    use several private displays otherwise. Any process of this user could read the cookie anyway.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.settimeout(STARTING)
        address = f"/tmp/.X11-unix/X{number}"
        if server.connect_ex(f"\0{address}"):  # abstract on Linux; other systems have only the file
            server.connect(address)
        hello = struct.pack("<BxHHHHxx", ord("l"), 11, 0, len(COOKIE), len(cookie))
        server.sendall(hello + _pad(COOKIE) + _pad(cookie))
        head = _read(server, 8)
        if head[0] != 1:
            raise Ended("the display refused its own cookie")
        _read(server, 4 * struct.unpack("<H", head[6:8])[0])
        name = _user()
        who = b"localuser\0" + (name.encode() if name else b"#" + str(os.getuid()).encode())
        length = 2 + len(_pad(who)) // 4
        change = struct.pack("<BBHBxH", 109, 0, length, 5, len(who)) + _pad(who)
        server.sendall(change + struct.pack("<BxH", 43, 1))  # and a request with a reply
        if _read(server, 32)[0] != 1:
            raise Ended("the display does not let its own user in")


def _user() -> str:
    import pwd

    with contextlib.suppress(KeyError):
        return pwd.getpwuid(os.getuid()).pw_name
    return ""


def _pad(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def _read(server: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = server.recv(count - len(data))
        if not more:
            raise Ended("the display closed the connection")
        data += more
    return data


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
