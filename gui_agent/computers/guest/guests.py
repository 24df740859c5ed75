"""Local guests by name: start, list, reset, snapshot, fork, stop; each is kept by a process of its own."""

from __future__ import annotations

import contextlib
import json
import secrets
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui_agent.computers.environment import for_children
from gui_agent.computers.guest import namespaces
from gui_agent.computers.guest.image import make_image, make_surroundings
from gui_agent.computers.virtual.named import NAME, private_place
from gui_agent.computers.virtual.private import ask
from gui_agent.core.errors import ComputerLost, ConfigError, MissingExtra
from gui_agent.core.geometry import Size
from gui_agent.core.texts import suggestion

KEPT = "guiagent-guests"
"""The folder of their files; they must not lie below a layer."""
STARTING, ENDING = 60.0, 15.0
"""Seconds within which a guest has to say that it runs, or has to be gone."""
TOOLS = {"Xvfb": "xvfb", "openbox": "openbox", "dbus-daemon": "dbus", "nsenter": "util-linux"}


@dataclass(frozen=True, slots=True)
class LocalGuest:
    """A guest that runs."""

    name: str
    address: str
    token: str
    folder: Path
    first: int
    """The id of its first process; 0 when it has ended by itself."""
    size: Size
    environment: dict[str, str]
    """Of its programs."""
    lower: tuple[str, ...]
    ports: dict[str, int]
    """Where ports of the guest are on this machine: chromium, vlc."""

    def reset(self, snapshot: str = "") -> float:
        """Throw away what was done in it; seconds until its server answered.

        Args:
            snapshot: go back to this one, instead of to the beginning.

        Raises:
            ConfigError: there is no such snapshot.
            ComputerLost: it does not start again.
        """
        request: dict[str, Any] = {"do": "reset"}
        if snapshot:
            request["lower"] = json.loads((self._snapshot(snapshot) / "layers.json").read_text())
        return float(_asked(self.folder, request)["seconds"])

    def keep(self, folder: Path) -> None:
        """Keep in a folder what was changed in its files; it outlives the guest, see `go_back`.

        Raises:
            ComputerLost: it cannot be kept.
        """
        folder.mkdir(parents=True)
        inside = folder.resolve()
        told = _asked(self.folder, {"do": "snapshot", "to": str(inside / "0")})
        # What it has gone back to lies below, and is kept with it.
        for number, path in enumerate(told["lower"][1:], 1):
            if Path(path).parent.name.startswith("back-"):
                _copied(Path(path), to=inside / str(number))

    def go_back(self, folder: Path) -> None:
        """Begin with files that were kept, of this guest or of an earlier one with the same image.

        Raises:
            ComputerLost: they are not there, or it does not start again.
        """
        kept = sorted(folder.glob("[0-9]"))
        if not kept:
            raise ComputerLost(f"{folder} holds no files of a guest")
        own = self.folder / f"back-{secrets.token_hex(3)}"  # the folder may go while the guest runs
        own.mkdir()
        _copied(*kept, to=own)
        layers = [str(own / path.name) for path in kept]
        _asked(self.folder, {"do": "reset", "lower": [*layers, *self.lower]})

    def snapshot(self, name: str) -> None:
        """Keep its files as they are now; programs that run are no part of a snapshot.

        Raises:
            ConfigError: the name is taken or can be none.
        """
        if not NAME.fullmatch(name):
            raise ConfigError(f'"{name}" cannot be the name of a snapshot; use letters, digits, dots, dashes')
        folder = self.folder / "snapshots" / name
        if folder.exists():
            raise ConfigError(f'there is a snapshot "{name}" already; give another name')
        folder.mkdir(parents=True)
        told = _asked(self.folder, {"do": "snapshot", "to": str(folder / "layer")})
        (folder / "layers.json").write_text(json.dumps(told["lower"]))

    def fork(self, name: str, **options: Any) -> LocalGuest:
        """Start another guest with the files of this one; both go their own ways from here.

        Raises:
            ConfigError: the name is taken.
        """
        taken = f"fork-{name}-{secrets.token_hex(3)}"
        self.snapshot(taken)
        kept = self.folder / "snapshots" / taken
        lower = json.loads((kept / "layers.json").read_text())
        own = private_place(KEPT) / f"layer-{secrets.token_hex(6)}"
        (kept / "layer").rename(own)
        shutil.rmtree(kept)
        return start(name, self.size, lower=[str(own), *lower[1:]], **options)

    def stop(self) -> None:
        """End it and remove all of it.

        Raises:
            ComputerLost: it does not end.
        """
        _asked(self.folder, {"do": "stop"})
        deadline = time.monotonic() + ENDING
        while self.folder.exists():
            if time.monotonic() > deadline:
                raise ComputerLost(f'the guest "{self.name}" does not end; kill process {self.first}')
            time.sleep(0.02)

    def run(self, *command: str) -> int:
        """Run a command in it as its user, on the terminal of this process; its exit code."""
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
    given = ["env", f"--chdir={namespaces.HOME}", "-i", *variables]
    return namespaces.inside(guest.first, [*given, *command])


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
    """Start a guest that stays until it is stopped.

    Args:
        ttl: seconds after which it ends by itself; 0 for never.
        execute: let clients of its server run commands, for benchmarks.
        network: let it use the network of this machine; it then shares its ports too.
        evaluators: folder with the isolated environment whose Python its `python` is.
        lower: layers of its home; None for the image that all begin with.
        owner: a process with which it ends, however that ends; 0 for none.

    Raises:
        ConfigError: the name cannot be used, or guests are not possible here.
        ComputerLost: it does not start.
    """
    if not NAME.fullmatch(name):
        raise ConfigError(f'"{name}" cannot be the name of a guest; use letters, digits, dots and dashes')
    if why := namespaces.permitted():
        raise ConfigError(why)
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if missing:
        raise ConfigError(f"a guest needs more programs: apt-get install {' '.join(missing)}")
    _needs_extra()
    folder = private_place(KEPT) / name
    if _state(folder) is not None:
        raise ConfigError(f'a guest "{name}" runs already; stop it first, or use --on guest:{name}')
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o711)
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
        keeper = subprocess.Popen(
            [sys.executable, "-m", "gui_agent.computers.guest.keeper", json.dumps(order)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**for_children(), "OPENBLAS_NUM_THREADS": "1"},
            cwd=Path(__file__).parents[3],
            start_new_session=True,
        )
    assert keeper.stdout is not None
    said = keeper.stdout.readline() if select.select([keeper.stdout], [], [], STARTING)[0] else b""
    keeper.stdout.close()
    told = json.loads(said or b"{}")
    if "ok" not in told:
        keeper.kill()
        last = (folder / "log.txt").read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
        why = str(told.get("error") or f"{last or 'nothing is said why'}; its log is {folder / 'log.txt'}")
        raise ComputerLost(f"the guest does not start: {why}")
    keeper.returncode = 0  # its end is nobody's business here
    return running(name)


def running(name: str) -> LocalGuest:
    """The guest of this name.

    Raises:
        ConfigError: none runs under it.
    """
    state = _state(private_place(KEPT) / name) if NAME.fullmatch(name) else None
    if state is None:
        known = names()
        hint = suggestion(name, known) if known else f"; start it: guiagent guest start {name}"
        raise ConfigError(f'no guest "{name}" runs{hint}')
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


def names() -> list[str]:
    """The names of the guests that run."""
    return sorted(path.name for path in private_place(KEPT).iterdir() if _state(path) is not None)


def prune() -> list[str]:
    """Remove what guests have left that were killed, and layers that none uses; what was removed."""
    alive = [running(name) for name in names()]
    used = {path for guest in alive for path in guest.lower}
    for guest in alive:
        for told in guest.folder.glob("snapshots/*/layers.json"):
            used.update(json.loads(told.read_text()))
    gone = [
        path
        for path in private_place(KEPT).iterdir()
        if path.name not in {guest.name for guest in alive} and str(path) not in used
    ]
    for path in gone:
        shutil.rmtree(path, ignore_errors=True)
    return sorted(path.name for path in gone)


def _needs_extra() -> None:
    from importlib.util import find_spec

    if any(find_spec(name) is None for name in ("starlette", "uvicorn", "Xlib", "dbus_fast", "mss")):
        raise MissingExtra("guest", "a guest")


def _copied(*paths: Path, to: Path) -> None:
    """
    Raises:
        ComputerLost: a layer cannot be copied.
    """
    command = ["cp", "-a", "--reflink=auto", *map(str, paths), str(to)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ComputerLost(f"the files of a guest cannot be copied: {done.stderr[-200:].strip()}")


def _asked(folder: Path, request: dict[str, Any]) -> dict[str, Any]:
    told = ask(folder, request)
    if "error" in told:
        raise ComputerLost(str(told["error"]))
    return told


def _state(folder: Path) -> dict[str, Any] | None:
    """What the keeper of a folder says, None when none lives there."""
    with contextlib.suppress(ComputerLost):
        told = ask(folder, {"do": "look"})
        return told if "address" in told else None
    return None
