"""Virtual machines as guests: an overlay for each, ports on loopback, QMP; a reset loads a snapshot."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gui_agent.computers.environment import for_children
from gui_agent.computers.remote.client import GuestClient
from gui_agent.core.errors import ComputerLost, ConfigError

PROGRAM, IMAGES = "qemu-system-x86_64", "qemu-img"
PORTS = {"server": 5000, "chromium": 9222, "vlc": 8080, "vnc": 8006}
"""Ports of the machine that can be reached on this one."""
TOKEN = "opt/guiagent/token"
"""Where a machine of our own recipe finds its token; others have none and do not look."""
FIRST, KEPT = "begun", "kept"
"""The snapshots to which a reset goes back, and that is kept outside the machine."""
DISK = "disk.qcow2"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}")
STARTING = 900.0
"""Seconds that a machine may take to start without acceleration; some minutes are usual then."""
TRYING, ANSWERING, SAVING = 3.0, 20.0, 300.0


@dataclass(frozen=True, slots=True)
class Machine:
    """What a machine is made of."""

    image: Path
    """Never written to: each machine has an overlay of its own."""
    memory: int = 4096
    """Megabytes."""
    processors: int = 2

    def command(self, overlay: Path, control: Path, ports: dict[str, int], token: Path) -> list[str]:
        """The command line that starts it; a kernel beside the image is started without a boot loader."""
        forwards = [f"hostfwd=tcp:127.0.0.1:{ports[name]}-:{port}" for name, port in PORTS.items()]
        kernel, first = (self.image.with_name(f"{self.image.name}.{end}") for end in ("vmlinuz", "initrd"))
        direct = ["-kernel", str(kernel), "-initrd", str(first)] if kernel.is_file() else []
        direct += ["-append", "root=/dev/vda rw console=ttyS0 quiet"] if direct else []
        kind = accelerator()
        return [
            *(PROGRAM, "-accel", kind, "-cpu", "host" if kind == "kvm" else "max"),
            *("-m", str(self.memory), "-smp", str(self.processors), "-display", "none", "-vga", "std"),
            *("-drive", f"file={overlay},if=virtio,format=qcow2"),
            *("-netdev", ",".join(["user,id=net", *forwards]), "-device", "virtio-net-pci,netdev=net"),
            *("-qmp", f"unix:{control},server=on,wait=off", "-monitor", "none"),
            *("-serial", f"file:{overlay.with_name('console.txt')}"),
            *("-fw_cfg", f"name={TOKEN},file={token}"),
            *direct,
        ]


class QemuGuest:
    """A virtual machine that runs until it is stopped, or this object is closed."""

    def __init__(self, machine: Machine, *, seconds: float = STARTING) -> None:
        """Start it, wait for its server, and remember that moment."""
        if missing := [one for one in (PROGRAM, IMAGES) if shutil.which(one) is None]:
            names = " and ".join(missing)
            raise ConfigError(f"{names} are not installed: apt-get install qemu-system-x86 qemu-utils")
        if not machine.image.is_file():
            raise ConfigError(f"{machine.image}: no such image; docs/osworld.md says how to build one")
        self.token = secrets.token_urlsafe(24)
        self.ports = _free_ports()
        self._machine = machine
        self._folder = Path(tempfile.mkdtemp(prefix="guiagent-qemu-"))
        self._overlay, self._log = self._folder / DISK, self._folder / "log.txt"
        backing = ["-F", "qcow2", "-b", str(machine.image.resolve())]
        _ran([IMAGES, "create", "-q", "-f", "qcow2", *backing, str(self._overlay)])
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
        token.write_text(self.token)  # as an argument it could be read by everybody on this machine
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
        """Of its server, on this machine."""
        return f"http://127.0.0.1:{self.ports['server']}"

    def snapshot(self, name: str) -> None:
        """Keep all of the machine as it is now: files, memory, running programs."""
        if not NAME.fullmatch(name):
            raise ConfigError(f'"{name}" cannot be the name of a snapshot; use letters, digits, dots, dashes')
        self._control.monitor(f"savevm {name}")

    def reset(self, name: str = FIRST) -> float:
        """Go back to a snapshot; seconds until the server answered."""
        began = time.monotonic()
        self._control.monitor(f"loadvm {name}")
        self._wait(began + SAVING)
        return time.monotonic() - began

    def keep(self, folder: Path) -> None:
        """Keep all of the machine in a folder that outlives it, see `go_back`."""
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
        """Go on as a machine of the same image that was kept in a folder."""
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
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)

    def _wait(self, until: float) -> None:
        """Wait until the server tells what platform it is."""
        while time.monotonic() < until:
            if self._process.poll() is not None:
                told = self._log.read_text(errors="replace").strip().rpartition("\n")[2]
                raise ComputerLost(f"the virtual machine has ended: {told or 'it does not say why'}")
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
        """What a command returns; events that come in between are passed over."""
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
        """A command of the monitor, which says something only when it fails."""
        if said := str(self.ask("human-monitor-command", **{"command-line": line})).strip():
            raise ComputerLost(f"{line}: {said}")


@cache
def accelerator() -> str:
    """`kvm` where a machine starts with it, else `tcg`: a device alone does not say that it works."""
    if not Path("/dev/kvm").exists():
        return "tcg"
    tried = [PROGRAM, "-accel", "kvm", "-cpu", "host", "-display", "none", "-S", "-monitor", "none"]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(tried, stdin=nothing, stdout=nothing, stderr=nothing)
    try:
        process.wait(TRYING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)
        return "kvm"
    return "tcg"


def _free_ports() -> dict[str, int]:
    with contextlib.ExitStack() as stack:
        listeners = {name: stack.enter_context(socket.create_server(("127.0.0.1", 0))) for name in PORTS}
        return {name: int(one.getsockname()[1]) for name, one in listeners.items()}


def _ran(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=SAVING, check=False)
    if done.returncode:
        raise ConfigError(f"{command[0]}: {done.stderr.strip()[-200:]}")
