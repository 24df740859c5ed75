"""A file tree, processes and network of their own for one guest; needs root, and leaves nothing behind."""

from __future__ import annotations

import ctypes
import os
import re
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gui_agent.core.errors import ComputerLost

USER, UID, HOME = "user", 1000, "/home/user"
"""Who works in a guest, as in OSWorld's machines."""
OWN = "/run/guest"
"""What a guest is given, as it sees it."""
NEWNS, NEWUTS, NEWIPC, NEWPID, NEWNET = 0x00020000, 0x04000000, 0x08000000, 0x20000000, 0x40000000
BIND, PRIVATE, RECURSIVE, NODEV, NOSUID = 4096, 1 << 18, 16384, 4, 2
SUBREAPER = 36
UP, SET_FLAGS = 0x1 | 0x40, 0x8914
"""Of a network interface: up and running, and the request that sets it."""
HIDDEN = ("/home", "/root", "/tmp", "/var/tmp", "/mnt", "/media", "/srv", "/run", "/dev/shm")
"""Folders of the machine that a guest sees empty."""
libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Layers:
    """The folders that a home is made of."""

    lower: tuple[Path, ...]
    """Read only, the uppermost first."""
    top: Path
    """Holds `upper` and `work`; everything that the guest writes goes there."""


def reason_against() -> str:
    """Why local guests cannot be had here; empty when they can."""
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
    """Let processes whose parent ends become children of this one."""
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
    """Start a guest's first process in namespaces of its own.

    Args:
        merged: an empty folder for the joined layers.
        files: a folder whose files take the place of those in /etc.
        given: folders that the guest sees in `OWN`, by name.
        network: it shares the network of this machine.
        first: what the first process does; the guest ends with it.

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
    number = re.search(r"#(\d+);", said)  # the two that write are not one after the other
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
    """Make the file tree and the network of the guest, from inside its namespaces."""
    _call("mount", b"none", b"/", None, PRIVATE | RECURSIVE, None)
    lower = ":".join(str(path) for path in layers.lower)
    options = f"lowerdir={lower},upperdir={layers.top / 'upper'},workdir={layers.top / 'work'}"
    # A layer may come from a folder of somebody else: nothing in it may give rights or be a device.
    _mount("overlay", merged, "overlay", options, NODEV | NOSUID)
    for path in files.iterdir():
        _bind(path, Path("/etc") / path.name)
    kept = [Path(path) for path in _code() if any(path.startswith(f"{root}/") for root in HIDDEN)]
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


def _code() -> set[str]:
    """The folders of this program, which a guest must see where they are."""
    return {str(Path(__file__).parents[3]), sys.prefix, sys.base_prefix}


def become_user() -> None:
    """Give up all rights of root for good."""
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
