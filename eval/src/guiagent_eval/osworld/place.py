"""The guest of a worker, and the process that scores what is done on it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.computers.guest import guests
from gui_agent.computers.remote.client import GuestClient
from gui_agent.core.errors import BenchmarkError, ConfigError
from gui_agent.core.geometry import Size
from guiagent_eval.app_data import AppData
from guiagent_eval.osworld.evaluators import EvaluatorProcess
from guiagent_eval.osworld.tasks import OsWorldTask

if TYPE_CHECKING:
    from gui_agent.computers.guest.qemu import QemuGuest
import secrets
import shutil
from contextlib import suppress

from gui_agent.computers.environment import for_children
from gui_agent.core.errors import ComputerLost

PROGRAM, TOKEN = "docker", "GUIAGENT_GUEST_TOKEN"
IMAGE = "guiagent-guest"
"""The image that docs/osworld.md builds."""
PORTS = {"server": 5000, "chromium": 9222, "vlc": 8080}
STARTING, COMMAND = 120.0, 60.0
"""Seconds until a server must answer, and of a command of Docker."""


class DockerGuest:
    """A container that runs until it is stopped, or this object is closed."""

    def __init__(self, image: str = IMAGE, *, seconds: float = STARTING) -> None:
        """Start it and wait for its server.

        Raises:
            ConfigError: Docker or the image is not there.
            ComputerLost: the server does not answer in time.
        """
        if shutil.which(PROGRAM) is None:
            raise ConfigError("docker is not installed; use --guest local or qemu:IMAGE.qcow2")
        self.token = secrets.token_urlsafe(24)
        self._image, self._seconds = image, seconds
        self._container = ""
        self.ports: dict[str, int] = {}
        self._start()

    @property
    def address(self) -> str:
        """Of its server, on this machine; another one after a reset."""
        return f"http://127.0.0.1:{self.ports['server']}"

    def reset(self) -> float:
        """Begin anew with the image; seconds until the server answered.

        Raises:
            ComputerLost: it does not start again.
        """
        began = time.monotonic()
        self.close()
        self._start()
        return time.monotonic() - began

    def close(self) -> None:
        """End the container, which removes it; safe to call twice."""
        container, self._container = self._container, ""
        if container:
            with suppress(ConfigError):
                self._ran("rm", "--force", "--volumes", container)

    def _start(self) -> None:
        published = [part for port in PORTS.values() for part in ("--publish", f"127.0.0.1::{port}")]
        limits = ("--init", "--shm-size", "1g", "--security-opt", "no-new-privileges", "--cap-drop", "ALL")
        # The value comes from our environment: as an argument everybody on this machine could read it.
        given = ("run", "--detach", "--rm", *limits, *published, "--env", TOKEN, self._image)
        self._container = self._ran(*given).strip()
        try:
            for name, port in PORTS.items():
                where = self._ran("port", self._container, f"{port}/tcp").splitlines()
                self.ports[name] = int(where[0].rpartition(":")[2])
            self._wait(time.monotonic() + self._seconds)
        except BaseException:
            self.close()
            raise

    def _wait(self, until: float) -> None:
        while time.monotonic() < until:
            if GuestClient(self.address, self.token).answers():
                return
            time.sleep(0.2)
        told = self._ran("logs", "--tail", "5", self._container).strip().rpartition("\n")[2]
        raise ComputerLost(f"the container's server does not answer: {told or 'it says nothing'}")

    def _ran(self, *arguments: str) -> str:
        return _output([PROGRAM, *arguments], {**for_children(), TOKEN: self.token})


def _output(command: Sequence[str], environment: dict[str, str]) -> str:
    """What a command of Docker prints.

    Raises:
        ConfigError: it fails, with its last line.
    """
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=COMMAND, env=environment, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"{' '.join(command[:2])}: {error}") from error
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise ConfigError(f"{' '.join(command[:2])}: {last or f'exit code {done.returncode}'}")
    return done.stdout


SIZE = Size(1920, 1080)
LOCAL, DOCKER, QEMU, REMOTE = "local", "docker", "qemu:", "remote:"
SETTING_UP = ("launch", "open", "execute", "activate_window", "close_window")
"""Steps that our own suite may use, each the route of this name; `files` and `sleep` are done here."""
FILES = 60.0
PROGRAMS = "programs.json"
"""The command lines of programs that showed windows when their guest was kept."""


class GuestPlace:
    """A guest, and the process that scores what is done on it."""

    def __init__(self, guest: str, evaluators: Path, checkout: str, plain: bool) -> None:
        self._evaluators, self._checkout, self.plain = evaluators, checkout, plain
        self.local: guests.LocalGuest | None = None
        self.machine: QemuGuest | DockerGuest | None = None
        self.oracles: dict[str, list[str]] = {}
        self.human: dict[str, int] = {}
        """Steps that people needed, by the name of a task."""
        self.classes = False
        """Whether the tasks are of the second generation."""
        self.told: Any = None
        """What the task of the second generation that was set up last says of itself."""
        if guest == LOCAL:
            name = f"eval-{os.getpid()}"
            self.local = guests.start(name, SIZE, execute=True, evaluators=evaluators, owner=os.getpid())
        elif guest == DOCKER or guest.startswith(f"{DOCKER}:"):
            self.machine = DockerGuest(guest.removeprefix(DOCKER).removeprefix(":") or IMAGE)
        elif guest.startswith(QEMU):
            from gui_agent.computers.guest.qemu import Machine, QemuGuest

            self.machine = QemuGuest(Machine(Path(guest.removeprefix(QEMU))))
        elif not guest.startswith(REMOTE):
            raise ConfigError(
                f"--guest {guest}: use local, docker, qemu:IMAGE.qcow2, or remote:http://host:5000"
            )
        if (made := self.local or self.machine) is not None:
            self.address, self.token, self.ports = made.address, made.token, made.ports
        else:
            from gui_agent.settings import guest_token

            self.address, self.token, self.ports = guest.removeprefix(REMOTE), guest_token(), {}
        self._process: EvaluatorProcess | None = None

    @property
    def process(self) -> EvaluatorProcess:
        """The evaluators, started when they are first needed."""
        if self._process is None:
            given = (self._checkout, self.address, self.token, dict(self.ports))
            self._process = EvaluatorProcess(self._evaluators, *given, SIZE, classes=self.classes)
        return self._process

    def begin(self, task: OsWorldTask) -> None:
        """Reset the guest and set the task up."""
        if self.local is not None:
            self.local.reset()
            self.local = guests.running(self.local.name)
        if self.machine is not None:
            self.machine.reset()
            self.address, self.ports = self.machine.address, self.machine.ports
        if task.is_class:
            self.classes = True
            self.told = self.process.prepare_class(task.path)
            return
        if not task.own:
            self.process.prepare(task.raw)
            return
        for step in task.file.config:
            self.step(step.type, step.parameters)

    @property
    def keeps(self) -> bool:
        """Whether the guest can be kept in a folder, to go on from there."""
        return self.local is not None or hasattr(self.machine, "go_back")

    def keep(self, folder: Path) -> None:
        """Keep the guest: a virtual machine as it is, of a local guest its files and what programs run.

        Raises:
            GuiAgentError: it cannot be kept.
        """
        if self.local is None:
            self.machine.keep(folder)  # type: ignore[union-attr]
            return
        programs = GuestClient(self.address, self.token).get("/v1/programs").json()
        self.local.keep(folder)
        (folder / PROGRAMS).write_text(json.dumps(programs), encoding="utf-8")

    def go_back(self, folder: Path) -> None:
        """Go on with a guest that was kept; programs of a local one are started again.

        Raises:
            GuiAgentError: it does not come back.
        """
        if self.local is None:
            self.machine.go_back(folder)  # type: ignore[union-attr]
            self.address, self.token = self.machine.address, self.machine.token  # type: ignore[union-attr]
            return
        self.local.go_back(folder)
        self.local = guests.running(self.local.name)
        for command in json.loads((folder / PROGRAMS).read_text(encoding="utf-8")):
            self.step("launch", {"command": command})

    def step(self, kind: str, given: dict[str, Any]) -> None:
        """One step of our own suite."""
        if kind == "files":
            self.change(given["steps"])
        elif kind == "sleep":
            time.sleep(min(float(given["seconds"]), 30.0))
        elif kind in SETTING_UP:
            route = {"open": "/setup/open_file"}.get(kind, f"/setup/{kind}")
            reply = GuestClient(self.address, self.token).post(route, given, limit=180.0)
            if not reply.ok:
                raise BenchmarkError(f"{kind}: {reply.line}")
        else:
            raise ConfigError(
                f"our own suite has no step {kind!r}; use files, sleep, {', '.join(SETTING_UP)}"
            )

    def change(self, steps: Sequence[dict[str, Any]]) -> None:
        """Change files of the guest's home."""
        with self._home() as home:
            before = set(home.rglob("*"))
            AppData(home).do(steps)
            gone = [f"./{path.relative_to(home)}" for path in before if not path.exists()]
            if gone and self.local is not None:
                self.local.run("rm", "-rf", "--", *gone)
            self._tar("-x", home, into=True)

    def fault(self, checks: Sequence[dict[str, Any]]) -> str:
        """The first check on the guest's files that does not hold."""
        with self._home() as home:
            return AppData(home).fault(checks)

    def fingerprint(self, checks: Sequence[dict[str, Any]]) -> str:
        """What stands in the files that are looked at, to see later whether any was written."""
        with self._home() as home:
            files = {path for one in checks for path in home.glob(_looked_at(one)) if path.is_file()}
            return sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()

    def close(self) -> None:
        """End the evaluators and the guest."""
        if self._process is not None:
            self._process.close()
        if self.local is not None:
            self.local.stop()
        if self.machine is not None:
            self.machine.close()

    @contextmanager
    def _home(self) -> Iterator[Path]:
        """A copy of the guest's home; its links lead nowhere out of it."""
        with tempfile.TemporaryDirectory(prefix="guiagent-home-") as folder:
            self._tar("-c", Path(folder), into=False)
            yield Path(folder)

    def _tar(self, way: str, folder: Path, *, into: bool) -> None:
        """Copy a home out of the guest (`-c`) or into it (`-x`), as the guest's own user there."""
        if self.local is None:
            raise ConfigError("our own suite needs --guest local")
        command = ["tar", way, "-f", "-", "-C", "/home/user", "--exclude=./.cache", *([] if into else ["."])]
        sink = io.BytesIO()
        if into:
            with tarfile.open(fileobj=sink, mode="w") as archive:
                archive.add(folder, arcname=".", recursive=True, filter=_as_user)
        done = subprocess.run(
            guests.inside(self.local, command),
            input=sink.getvalue(),
            capture_output=True,
            timeout=FILES,
            check=False,
        )
        if done.returncode not in (0, 1):  # 1: a file changed while it was read
            raise BenchmarkError(f"the guest's files cannot be copied: {done.stderr.decode()[-200:].strip()}")
        if not into:
            with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
                files = [one for one in archive if one.isfile() or one.isdir()]
                archive.extractall(folder, files, filter="data")


def _looked_at(check: dict[str, Any]) -> str:
    named = str(check.get("file") or check.get("picture") or check.get("names") or "").partition("!")[0]
    return f"{named}/*" if "names" in check else named or "nothing"


def _as_user(info: Any) -> Any:
    info.uid = info.gid = 1000
    return info
