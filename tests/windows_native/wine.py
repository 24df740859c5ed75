"""Windows' own Python, running under Wine on a display of its own, for as long as a test session lasts."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import prefix

ROOT = Path(__file__).parents[2]
PYTHON = r"C:\py\python.exe"
DISPLAYS = range(150, 250)
STARTING = 15.0


class Wine:
    """A prefix with a display; programs that are run in it see the checkout as drive Z."""

    def __init__(self, folder: Path, display: str) -> None:
        self.folder = folder
        self.display = display
        self.drive = folder / "drive_c"
        self.scratch = self.drive / "t"
        """A folder for what tests write, empty at the beginning."""
        self._runs = 0

    @property
    def variables(self) -> dict[str, str]:
        """The environment of programs here."""
        sources = (ROOT, ROOT / "eval" / "src", ROOT / "platforms" / "src", Path(__file__).parent / "inside")
        paths = ";".join((*map(windows_path, sources), r"C:\site"))
        own = {"PYTHONPATH": paths, "PYTHONPYCACHEPREFIX": r"C:\pyc", "PYTHONUTF8": "1"}
        return prefix.environment(self.folder, self.display) | own

    def python(self, arguments: Sequence[str], seconds: float) -> tuple[int, str]:
        """Run Windows' Python; its exit code, 124 when the time was over, and what it printed."""
        self._runs += 1
        out = self.folder / f"told{self._runs}.txt"
        code = prefix.run([PYTHON, *arguments], self.variables, seconds, out)
        told = out.read_text("utf-8", "replace")
        out.unlink()
        return code, told


@contextmanager
def started() -> Iterator[Wine]:
    """Wine on a display of its own; all that runs in it ends with it. A missing prefix is built.

    A session that is asked to end ends as by Ctrl+C; what one that is killed leaves, the next one ends.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        folder = prefix.folder()
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = stack.enter_context((folder.parent / f"{folder.name}.lock").open("w"))
        fcntl.flock(lock, fcntl.LOCK_EX)  # a prefix has one display at a time
        display = stack.enter_context(_display())
        if not folder.exists():
            prefix.build(folder, display)
        wine = Wine(folder, display)
        _end(wine)  # what a session that was killed has left behind would take part in this one
        shutil.rmtree(wine.scratch, ignore_errors=True)
        wine.scratch.mkdir()
        _describe(wine.drive / "site")
        stack.callback(_end, wine)
        yield wine


def windows_path(path: Path) -> str:
    """A path of this machine as Wine's drive Z has it."""
    return "Z:" + str(path).replace("/", "\\")


def _describe(site: Path) -> None:
    """Let the checkout count as installed there: its commands and parts are found by this."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for old in site.glob("guiagent-*.dist-info"):
        shutil.rmtree(old)
    folder = site / f"guiagent-{project['version']}.dist-info"
    folder.mkdir()
    lines = [f"Name: {project['name']}", f"Version: {project['version']}", "Metadata-Version: 2.1"]
    lines += [f"Requires-Dist: {one}" for one in project["dependencies"]]
    lines += [f"Requires-Dist: {one} ; extra == 'desktop'" for one in ("comtypes", "mss", "numpy")]
    (folder / "METADATA").write_text("\n".join(lines) + "\n")
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(groups))


@contextmanager
def _display() -> Iterator[str]:
    width, height = prefix.DESKTOP.split("x")
    for number in DISPLAYS:
        if Path(f"/tmp/.X{number}-lock").exists():
            continue
        # With its parent, also when that is killed.
        command = [
            "setpriv",
            "--pdeathsig",
            "TERM",
            "Xvfb",
            f":{number}",
            "-screen",
            "0",
            f"{width}x{height}x24",
            "-nolisten",
            "tcp",
        ]
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        socket, end = Path(f"/tmp/.X11-unix/X{number}"), time.monotonic() + STARTING
        while not socket.exists() and server.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        if server.poll() is None:
            try:
                yield f":{number}"
            finally:
                server.terminate()
                server.wait(10)
            return
    raise RuntimeError("no display could be started; see whether Xvfb works")


def _end(wine: Wine) -> None:
    for way in ("-k", "-w"):
        subprocess.run(
            [str(prefix.SERVER), way], env={**os.environ, **wine.variables}, check=False, timeout=60
        )
