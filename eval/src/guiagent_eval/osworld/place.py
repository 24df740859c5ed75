"""The guest of a worker, and the process that scores the work on it."""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from guiagent_platforms.guest import guests
from guiagent_platforms.remote.client import GuestClient

from gui_agent.computers.environment import for_children
from gui_agent.core.errors import BenchmarkError, ComputerLost, ConfigError
from gui_agent.core.observation import Size
from guiagent_eval.app_data import AppData
from guiagent_eval.app_server import end_process, free_ports, output_of
from guiagent_eval.osworld.evaluators import EvaluatorProcess
from guiagent_eval.osworld.tasks import OsWorldTask

PROGRAM, TOKEN = "docker", "GUIAGENT_GUEST_TOKEN"
IMAGE = "guiagent-guest"
"""The image that docs/osworld.md builds."""
PORTS = {"server": 5000, "chromium": 9222, "vlc": 8080}
STARTING, COMMAND = 120.0, 60.0
"""Seconds until a server must answer, and for a command of Docker."""


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
        """The address of its server on this machine; another one after a reset."""
        return f"http://127.0.0.1:{self.ports['server']}"

    def reset(self) -> None:
        """Begin again with the image.

        Raises:
            ComputerLost: the container does not start again.
        """
        self.close()
        self._start()

    def close(self) -> None:
        """End the container, which removes it; safe to call twice."""
        container, self._container = self._container, ""
        if container:
            with suppress(ConfigError):
                self._ran("rm", "--force", "--volumes", container)

    def _start(self) -> None:
        published = [part for port in PORTS.values() for part in ("--publish", f"127.0.0.1::{port}")]
        limits = ("--init", "--shm-size", "1g", "--security-opt", "no-new-privileges", "--cap-drop", "ALL")
        # The value comes from our environment: as an argument every user of this machine could read it.
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
        raise ComputerLost(f"the container's server does not answer: {told or 'it printed nothing'}")

    def _ran(self, *arguments: str) -> str:
        return output_of([PROGRAM, *arguments], COMMAND, env={**for_children(), TOKEN: self.token})


SIZE = Size(1920, 1080)
LOCAL, DOCKER, QEMU, REMOTE = "local", "docker", "qemu:", "remote:"
SETTING_UP = ("launch", "open", "execute", "activate_window", "close_window")
"""Steps that our own suite may use, each the route of this name; `files` and `sleep` are done here."""
FILES = 60.0
PROGRAMS = "programs.json"
"""The command lines of programs that showed windows when their guest was saved."""


class GuestPlace:
    """A guest, and the process that scores the work on it."""

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
        """The description of the second-generation task that was set up last."""
        if guest == LOCAL:
            name = f"eval-{os.getpid()}"
            self.local = guests.start(name, SIZE, execute=True, evaluators=evaluators, owner=os.getpid())
        elif guest == DOCKER or guest.startswith(f"{DOCKER}:"):
            self.machine = DockerGuest(guest.removeprefix(DOCKER).removeprefix(":") or IMAGE)
        elif guest.startswith(QEMU):
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
        """The evaluators, started on first use."""
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
            self.told = self.process.ask("setup_class", path=str(task.path))
            return
        if not task.own:
            if (
                task.windows
                and (told := GuestClient(self.address, self.token).get("/platform").line) != "Windows"
            ):
                raise ConfigError(f"{task.name} needs Windows, and the guest at {self.address} is {told}")
            self.process.ask("setup", task=task.raw)
            return
        for step in task.file.config:
            self.step(step.type, step.parameters)

    @property
    def keeps(self) -> bool:
        """Whether the guest can be saved in a folder and restored from it."""
        return self.local is not None or hasattr(self.machine, "go_back")

    def keep(self, folder: Path) -> None:
        """Save the guest: a virtual machine whole, of a local guest its files and its running programs.

        Raises:
            GuiAgentError: the guest cannot be saved.
        """
        if self.local is None:
            self.machine.keep(folder)  # type: ignore[union-attr]
            return
        programs = GuestClient(self.address, self.token).get("/v1/programs").json()
        self.local.keep(folder)
        (folder / PROGRAMS).write_text(json.dumps(programs), encoding="utf-8")

    def go_back(self, folder: Path) -> None:
        """Continue with a saved guest; programs of a local one are started again.

        Raises:
            GuiAgentError: the guest cannot be restored.
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
        """The content of the checked files, to see later whether any was written."""
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
        """A copy of the guest's home, whose links stay inside it."""
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


QEMU_PROGRAM, IMAGES = "qemu-system-x86_64", "qemu-img"
MACHINE_PORTS = {"server": 5000, "chromium": 9222, "vlc": 8080, "vnc": 8006}
"""Ports of the machine that are forwarded to this one."""
QEMU_TOKEN = "opt/guiagent/token"
"""The file in which a machine of our own recipe finds its token; others have none and do not look."""
FIRST, KEPT = "begun", "kept"
"""The snapshots for a reset, and for keeping the machine outside."""
DISK = "disk.qcow2"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}")
BOOTING = 900.0
"""Maximum seconds of a start without acceleration; some minutes are usual."""
TRYING, ANSWERING, SAVING = 3.0, 20.0, 300.0


@dataclass(frozen=True, slots=True)
class Machine:
    """The parts of a machine."""

    image: Path
    """Never written to: each machine has an overlay of its own."""
    memory: int = 4096
    """Megabytes."""
    processors: int = 2

    def command(self, overlay: Path, control: Path, ports: dict[str, int], token: Path) -> list[str]:
        """The command line that starts it; a kernel beside the image is started without a boot loader."""
        forwards = [f"hostfwd=tcp:127.0.0.1:{ports[name]}-:{port}" for name, port in MACHINE_PORTS.items()]
        kernel, first = (self.image.with_name(f"{self.image.name}.{end}") for end in ("vmlinuz", "initrd"))
        direct = ["-kernel", str(kernel), "-initrd", str(first)] if kernel.is_file() else []
        direct += ["-append", "root=/dev/vda rw console=ttyS0 quiet"] if direct else []
        kind = accelerator()
        return [
            *(QEMU_PROGRAM, "-accel", kind, "-cpu", "host" if kind == "kvm" else "max"),
            *("-m", str(self.memory), "-smp", str(self.processors), "-display", "none", "-vga", "std"),
            *("-drive", f"file={overlay},if=virtio,format=qcow2"),
            *("-netdev", ",".join(["user,id=net", *forwards]), "-device", "virtio-net-pci,netdev=net"),
            *("-qmp", f"unix:{control},server=on,wait=off", "-monitor", "none"),
            *("-serial", f"file:{overlay.with_name('console.txt')}"),
            *("-fw_cfg", f"name={QEMU_TOKEN},file={token}"),
            *direct,
        ]


class QemuGuest:
    """A virtual machine that runs until it is stopped, or this object is closed."""

    def __init__(self, machine: Machine, *, seconds: float = BOOTING) -> None:
        """Start it, wait for its server, and take the first snapshot."""
        if missing := [one for one in (QEMU_PROGRAM, IMAGES) if shutil.which(one) is None]:
            names = " and ".join(missing)
            raise ConfigError(f"{names} are not installed: apt-get install qemu-system-x86 qemu-utils")
        if not machine.image.is_file():
            raise ConfigError(f"{machine.image}: no such image; docs/osworld.md says how to build one")
        self.token = secrets.token_urlsafe(24)
        self.ports = dict(zip(MACHINE_PORTS, free_ports(len(MACHINE_PORTS)), strict=True))
        self._machine = machine
        self._folder = Path(tempfile.mkdtemp(prefix="guiagent-qemu-"))
        self._overlay, self._log = self._folder / DISK, self._folder / "log.txt"
        backing = ["-F", "qcow2", "-b", str(machine.image.resolve())]
        output_of([IMAGES, "create", "-q", "-f", "qcow2", *backing, str(self._overlay)], SAVING)
        try:
            self._start()
            self._wait(time.monotonic() + seconds)
            self.snapshot(FIRST)
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        control, token = self._folder / "qmp.sock", self._folder / "token"
        control.unlink(missing_ok=True)
        token.touch(mode=0o600)
        token.write_text(self.token)  # As an argument every user of this machine could read it.
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._machine.command(self._overlay, control, self.ports, token),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=for_children(),
            )
        self._control = Qmp(control, self._process)

    @property
    def address(self) -> str:
        """The address of its server on this machine."""
        return f"http://127.0.0.1:{self.ports['server']}"

    def snapshot(self, name: str) -> None:
        """Save the whole machine: files, memory, running programs."""
        if not NAME.fullmatch(name):
            raise ConfigError(f'"{name}" cannot be the name of a snapshot; use letters, digits, dots, dashes')
        self._control.monitor(f"savevm {name}")

    def reset(self, name: str = FIRST) -> None:
        """Return to a snapshot, and wait until the server answers."""
        self._control.monitor(f"loadvm {name}")
        self._wait(time.monotonic() + SAVING)

    def keep(self, folder: Path) -> None:
        """Save the whole machine in a folder that outlives it, see `go_back`."""
        folder.mkdir(mode=0o700, parents=True)
        self._control.ask("stop")
        try:
            self.snapshot(KEPT)
            shutil.copyfile(self._overlay, folder / DISK)
            (folder / "token").write_text(self.token)
        except OSError as error:
            raise ComputerLost(f"the virtual machine cannot be kept: {error}") from error
        finally:
            self._control.ask("cont")

    def go_back(self, folder: Path) -> None:
        """Continue as a machine of the same image that was saved in a folder."""
        self._end()
        try:
            shutil.copyfile(folder / DISK, self._overlay)
            self.token = (folder / "token").read_text()
        except OSError as error:
            raise ComputerLost(f"{folder} holds no virtual machine: {error}") from error
        self._start()
        self.reset(KEPT)

    def close(self) -> None:
        """End the machine and remove its overlay; safe to call twice."""
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _end(self) -> None:
        process: subprocess.Popen[bytes] | None = getattr(self, "_process", None)
        if process is not None and process.poll() is None:
            process.terminate()
            end_process(process, 10)

    def _wait(self, until: float) -> None:
        """Wait until the server reports its platform."""
        while time.monotonic() < until:
            if self._process.poll() is not None:
                told = self._log.read_text(errors="replace").strip().rpartition("\n")[2]
                raise ComputerLost(f"the virtual machine has ended: {told or 'it gave no reason'}")
            if GuestClient(self.address, self.token).answers():
                return
            time.sleep(0.5)
        raise ComputerLost("the virtual machine's server does not answer; does the image serve port 5000?")


class Qmp:
    """The control socket of a machine."""

    def __init__(self, path: Path, process: subprocess.Popen[bytes]) -> None:
        """Connect."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(SAVING)
        until = time.monotonic() + ANSWERING
        while True:
            try:
                self._socket.connect(str(path))
                break
            except OSError as error:
                if process.poll() is not None or time.monotonic() > until:
                    raise ComputerLost(f"the virtual machine does not start: {error}") from error
                time.sleep(0.05)
        self._lines = self._socket.makefile("rwb")
        self._lines.readline()  # the greeting
        self.ask("qmp_capabilities")

    def ask(self, command: str, **arguments: Any) -> Any:
        """The result of a command; events in between are ignored."""
        try:
            self._lines.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
            self._lines.flush()
            while line := self._lines.readline():
                told = json.loads(line)
                if "error" in told:
                    raise ComputerLost(f"{command}: {told['error'].get('desc', told['error'])}")
                if "return" in told:
                    return told["return"]
        except (OSError, ValueError) as error:
            raise ComputerLost(f"{command}: the virtual machine does not answer: {error}") from error
        raise ComputerLost(f"{command}: the virtual machine has ended")

    def monitor(self, line: str) -> None:
        """Run a command of the monitor, which answers only with errors."""
        if said := str(self.ask("human-monitor-command", **{"command-line": line})).strip():
            raise ComputerLost(f"{line}: {said}")


@cache
def accelerator() -> str:
    """`kvm` if a machine starts with it, else `tcg`: a device alone does not prove that it works."""
    if not Path("/dev/kvm").exists():
        return "tcg"
    tried = [QEMU_PROGRAM, "-accel", "kvm", "-cpu", "host", "-display", "none", "-S", "-monitor", "none"]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(tried, stdin=nothing, stdout=nothing, stderr=nothing)
    try:
        process.wait(TRYING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)
        return "kvm"
    return "tcg"
