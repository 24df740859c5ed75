"""Starts, lists, resets, snapshots, forks and stops local guests, each with its own keeper process."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import select
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from gui_agent.computers.environment import for_children, private_place
from gui_agent.computers.virtual.private import NAME, Shelf, ask, is_gone
from gui_agent.core.errors import ComputerLost, ConfigError, MissingExtra
from gui_agent.core.observation import Size
from gui_agent.core.texts import suggestion
from guiagent_platforms.guest import keeper
from guiagent_platforms.guest.keeper import UID, USER

FOLDERS = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Public", "Templates", "Videos")
IMAGE = Path(__file__).parent / "image"
"""Initial files of homes; `bin` has the program names that OSWorld's tasks use."""


def make_image(folder: Path) -> Path:
    """The lowest layer of homes, made once for each version of its content."""
    files = sorted(path for path in (IMAGE / "home").rglob("*") if path.is_file())
    held = [(str(path.relative_to(IMAGE)), path.read_bytes()) for path in files]
    mark = hashlib.sha256(repr(held).encode()).hexdigest()[:12]
    image = folder / f"image-{mark}"
    if image.exists():
        return image
    part = folder / f"part-{os.getpid()}"
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(IMAGE / "home", part)
    for name in FOLDERS:
        (part / name).mkdir()
    for path in (part, *part.rglob("*")):
        shutil.chown(path, UID, UID)
    part.rename(image)
    return image


def make_surroundings(folder: Path) -> Path:
    """The files of one guest outside its home: its user in `etc`, program names in `bin`."""
    person = f"{USER}:x:{UID}:{UID}:{USER}:/home/{USER}:/bin/bash\n"
    accounts = {"passwd": person, "group": f"{USER}:x:{UID}:\n"}
    (folder / "etc").mkdir()
    for name, line in accounts.items():
        here = [one for one in Path("/etc", name).read_text().splitlines(True) if f":{UID}:" not in one]
        (folder / "etc" / name).write_text("".join(here) + line)
    (folder / "etc" / "hosts").write_text("127.0.0.1 localhost guest\n")
    shims = Path(shutil.copytree(IMAGE / "bin", folder / "bin"))
    for shim in shims.iterdir():
        shim.chmod(0o755)
    (shims / "guest-python").symlink_to(sys.executable)
    return shims


KEPT = "guiagent-guests"
"""The folder of the guests' files; it must not be below a layer."""
STARTING, ENDING = 60.0, 15.0
"""Maximum seconds for a guest to report that it runs, and to end."""
TOOLS = {"Xvfb": "xvfb", "openbox": "openbox", "dbus-daemon": "dbus", "nsenter": "util-linux"}


@dataclass(frozen=True, slots=True)
class LocalGuest:
    """A running guest."""

    name: str
    address: str
    token: str
    folder: Path
    first: int
    """The id of its first process; 0 if it has ended by itself."""
    size: Size
    environment: dict[str, str]
    lower: tuple[str, ...]
    ports: dict[str, int]
    """Ports of the guest's services on this machine: chromium, vlc."""

    def reset(self, snapshot: str = "") -> float:
        """Discard its changes, all or since a snapshot. Returns the seconds until its server answered."""
        request: dict[str, Any] = {"do": "reset"}
        if snapshot:
            request["lower"] = json.loads((self._snapshot(snapshot) / "layers.json").read_text())
        return float(_ask_keeper(self.folder, request)["seconds"])

    def keep(self, folder: Path) -> None:
        """Save its changed files in a folder, which outlives the guest; see `go_back`."""
        folder.mkdir(parents=True)
        inside = folder.resolve()
        told = _ask_keeper(self.folder, {"do": "snapshot", "to": str(inside / "0")})
        # The layers that it has gone back to are saved with it.
        for number, path in enumerate(told["lower"][1:], 1):
            if Path(path).parent.name.startswith("back-"):
                _copy(Path(path), to=inside / str(number))

    def go_back(self, folder: Path) -> None:
        """Start with saved files of this guest or of an earlier one with the same image."""
        kept = sorted(folder.glob("[0-9]"))
        if not kept:
            raise ComputerLost(f"{folder} contains no files of a guest")
        own = self.folder / f"back-{secrets.token_hex(3)}"  # the folder may disappear while the guest runs
        own.mkdir()
        _copy(*kept, to=own)
        layers = [str(own / path.name) for path in kept]
        _ask_keeper(self.folder, {"do": "reset", "lower": [*layers, *self.lower]})

    def snapshot(self, name: str) -> None:
        """Save its current files; running programs are not part of a snapshot."""
        if not NAME.fullmatch(name):
            raise ConfigError(f'"{name}" cannot be the name of a snapshot; use letters, digits, dots, dashes')
        folder = self.folder / "snapshots" / name
        if folder.exists():
            raise ConfigError(f'a snapshot "{name}" already exists; give another name')
        folder.mkdir(parents=True)
        told = _ask_keeper(self.folder, {"do": "snapshot", "to": str(folder / "layer")})
        (folder / "layers.json").write_text(json.dumps(told["lower"]))

    def fork(self, name: str, **options: Any) -> LocalGuest:
        """Start another guest with the files of this one; from then on, they are independent."""
        taken = f"fork-{name}-{secrets.token_hex(3)}"
        self.snapshot(taken)
        kept = self.folder / "snapshots" / taken
        lower = json.loads((kept / "layers.json").read_text())
        own = private_place(KEPT) / f"layer-{secrets.token_hex(6)}"
        (kept / "layer").rename(own)
        shutil.rmtree(kept)
        return start(name, self.size, lower=[str(own), *lower[1:]], **options)

    def stop(self) -> None:
        """End it and remove all of it."""
        _ask_keeper(self.folder, {"do": "stop"})
        if not is_gone(self.folder, ENDING):
            raise ComputerLost(f'the guest "{self.name}" did not end; kill process {self.first}')

    def run(self, *command: str) -> int:
        """Run a command in it as its user, on this process's terminal. Returns the exit code."""
        return subprocess.run(inside(self, command), check=False).returncode

    def _snapshot(self, name: str) -> Path:
        folder = self.folder / "snapshots" / name
        if not NAME.fullmatch(name) or not folder.is_dir():
            known = [path.name for path in (self.folder / "snapshots").glob("*")]
            raise ConfigError(f'the guest "{self.name}" has no snapshot "{name}"{suggestion(name, known)}')
        return folder


def inside(guest: LocalGuest, command: Sequence[str]) -> list[str]:
    """The command line that runs a command in a guest as its user."""
    variables = [f"{name}={value}" for name, value in guest.environment.items()]
    given = ["env", f"--chdir={keeper.HOME}", "-i", *variables]
    return keeper.inside(guest.first, [*given, *command])


def start(
    name: str,
    size: Size,
    *,
    ttl: float = 0.0,
    execute: bool = False,
    network: bool = False,
    evaluators: Path | None = None,
    lower: list[str] | None = None,
    owner: int = 0,
) -> LocalGuest:
    """Start a guest that runs until it is stopped.

    Args:
        ttl: seconds after which it ends by itself; 0 for never.
        execute: let clients of its server run commands, for benchmarks.
        network: let it use the network of this machine; it then shares its ports too.
        evaluators: folder of the isolated environment that its `python` uses.
        lower: layers of its home; None for the standard image.
        owner: a process with which it ends, however that ends; 0 for none.
    """
    if why := keeper.reason_against():
        raise ConfigError(why)
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if missing:
        raise ConfigError(f"a guest needs more programs: apt-get install {' '.join(missing)}")
    _needs_extra()
    folder = _SHELF.new_place(name)
    folder.chmod(0o711)  # the guest's user needs to pass through it
    given = {"bin": str(make_surroundings(folder))}
    if evaluators is not None and evaluators.is_dir():
        given["evaluators"] = str(evaluators)
    order = {
        "name": name,
        "folder": str(folder),
        "size": [size.width, size.height],
        "ttl": ttl,
        "owner": owner,
        "execute": execute,
        "network": network,
        "token": secrets.token_urlsafe(24),
        "lower": lower or [str(make_image(private_place(KEPT)))],
        "given": given,
    }
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "guiagent_platforms.guest.keeper", json.dumps(order)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**for_children(), "OPENBLAS_NUM_THREADS": "1"},
            cwd=Path(__file__).parents[2],
            start_new_session=True,
        )
    assert process.stdout is not None
    said = process.stdout.readline() if select.select([process.stdout], [], [], STARTING)[0] else b""
    process.stdout.close()
    told = json.loads(said or b"{}")
    if "ok" not in told:
        process.kill()
        raise ComputerLost(f"the guest does not start: {told.get('error') or _last_word(folder / 'log.txt')}")
    process.returncode = 0  # detached: we do not wait for it
    return running(name)


def _last_word(log: Path) -> str:
    last = ""
    with contextlib.suppress(OSError):  # a keeper that has ended removed it
        last = log.read_text("utf-8", errors="replace").strip().rpartition("\n")[2]
    return f"{last or 'no reason is known'}; its log is {log}"


def prune() -> list[str]:
    """Remove files of killed guests, and unused layers. Returns what was removed."""
    alive = [running(name) for name in names()]
    used = set(chain.from_iterable(guest.lower for guest in alive))
    for guest in alive:
        for told in guest.folder.glob("snapshots/*/layers.json"):
            used.update(json.loads(told.read_text()))
    kept = {guest.name for guest in alive}
    gone = [path for path in private_place(KEPT).iterdir() if path.name not in kept and str(path) not in used]
    for path in gone:
        shutil.rmtree(path, ignore_errors=True)
    return sorted(path.name for path in gone)


def _needs_extra() -> None:
    from importlib.util import find_spec

    if any(find_spec(name) is None for name in ("starlette", "uvicorn", "Xlib", "dbus_fast", "mss")):
        raise MissingExtra("guest", "a guest")


def _copy(*paths: Path, to: Path) -> None:
    command = ["cp", "-a", "--reflink=auto", *map(str, paths), str(to)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ComputerLost(f"the files of a guest cannot be copied: {done.stderr[-200:].strip()}")


def _ask_keeper(folder: Path, request: dict[str, Any]) -> dict[str, Any]:
    told = ask(folder, request)
    if "error" in told:
        raise ComputerLost(str(told["error"]))
    return told


def _state(folder: Path) -> LocalGuest | None:
    state: dict[str, Any] = {}
    with contextlib.suppress(ComputerLost):
        state = ask(folder, {"do": "look"})
    if "address" not in state:
        return None
    return LocalGuest(
        state["name"],
        state["address"],
        state["token"],
        Path(state["folder"]),
        state["first"],
        Size(*state["size"]),
        state["environment"],
        tuple(state["lower"]),
        state["ports"],
    )


_SHELF = Shelf("guest", KEPT, _state)
names, running = _SHELF.names, _SHELF.find
