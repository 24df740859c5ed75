"""The folder of a run on disk: made once, appended to line by line, never a reason for a run to fail."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import private, private_folder, replace_file, take_back, why
from gui_agent.core.texts import normal
from gui_agent.trace.lines import AUDIT, RUN, SEAL, STEPS

SYNC_EVERY = 1.0
"""Seconds of work that a power cut can cost at the most; a killed process loses nothing."""
Work = Callable[[], None]
SLUG = 40
"""Characters of the task in a folder's name."""


def make_folder(root: Path, task: str, now: datetime | None = None) -> Path:
    """A new folder named by the time and the task; two processes at once get two folders."""
    moment = (now or datetime.now(UTC)).strftime("%Y%m%d-%H%M%S")
    slug = re.sub(r"[^a-z0-9]+", "-", normal(task)).strip("-")
    if len(slug) > SLUG:
        # At the end of a word, unless the first one is longer than all that may be shown.
        slug = slug[: SLUG + 1].rsplit("-", 1)[0]
    name = f"{moment}-{slug}" if slug else moment
    attempt = 1
    while True:
        folder = root / (name if attempt == 1 else f"{name}-{attempt}")
        try:
            private_folder(root)
            folder.mkdir(mode=0o700)
            return folder
        except FileExistsError:
            if not root.is_dir():
                raise ConfigError(_cannot_write(root, "it is a file")) from None
            attempt += 1
        except OSError as error:
            raise ConfigError(_cannot_write(root, why(error))) from error


def clean(root: Path, keep: int, spared: float = 3600.0) -> tuple[Path, ...]:
    """Remove all but the newest runs of a folder, and give the folders that are gone.

    Args:
        spared: seconds since the last change of runs that stay in any case: they may be going on.
    """
    runs = sorted(child for child in root.iterdir() if (child / RUN).is_file())
    old = [run for run in runs[: max(0, len(runs) - keep)] if time.time() - run.stat().st_mtime > spared]
    for run in old:
        shutil.rmtree(run, ignore_errors=True)
    return tuple(run for run in old if not run.exists())


def check_writable(root: Path) -> None:
    """Find out before anything is started whether runs can be kept here."""
    probe = root / f".probe-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        private_folder(root)
        root.mkdir(exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ConfigError(_cannot_write(root, why(error))) from error
    for earlier in root.glob("*/run.json"):
        with contextlib.suppress(OSError):
            take_back(earlier.parent)


class RunFolder:
    """The open files of one run.

    A line is handed to the system as soon as it is known, so that a killed process loses nothing that
    was reported; making it safe against a power cut, and painting over pictures, happens in the background.
    After a failed write the run goes on: `problems` says once what is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []
        self._files: dict[str, IO[bytes]] = {}
        self._torn: set[str] = set()
        self._chain = ""
        self._pictures = True
        self._background = ThreadPoolExecutor(1, thread_name_prefix="trace")
        self._synced = 0.0

    def append(self, name: str, line: bytes) -> None:
        """Add one line to a file."""
        try:
            if name not in self._files:
                self._files[name] = open(self.path / name, "ab", buffering=0, opener=private)  # noqa: SIM115
            if name in self._torn:
                line = b"\n" + line
            self._torn.add(name)
            _write_all(self._files[name], line + b"\n")
            self._torn.discard(name)
            if name == STEPS:
                self._seal(line)
        except OSError as error:
            self._trouble(f"{name} is incomplete", error)
        self._sync_soon()

    def _seal(self, line: bytes) -> None:
        """Chain what was done: each seal holds the one before, so no line can be changed or left out."""
        self._chain = hashlib.sha256(self._chain.encode() + line).hexdigest()
        self.append(AUDIT, f'{{"at": {time.time():.3f}, "chain": "{self._chain}"}}'.encode())

    def write(self, name: str, data: bytes) -> None:
        """Write a whole file that is either there completely or not at all."""
        try:
            replace_file(self.path / name, data)
        except OSError as error:
            self._trouble(f"{name} is missing", error)

    def picture(self, name: str, data: bytes) -> None:
        """Write a picture; after the first failure no more are tried, to leave the space to the text."""
        if not self._pictures:
            return
        try:
            (self.path / name).parent.mkdir(mode=0o700, exist_ok=True)
            replace_file(self.path / name, data)
        except OSError as error:
            self._pictures = False
            self._trouble("pictures are missing", error)

    def later(self, work: Work) -> None:
        """Do something in the background; an OSError in it is a problem, not a failure."""
        self._background.submit(self._guard, work)

    def seal(self) -> None:
        """Seal all files of a run that has ended."""
        from gui_agent.trace.reader import seal_of

        try:
            self.write(SEAL, seal_of(self.path, self._chain))
        except OSError as error:
            self._trouble(f"{SEAL} is missing", error)

    def close(self) -> None:
        """Finish everything and let go of the files; safe to call twice."""
        self._background.shutdown(wait=True)
        self._sync()
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _guard(self, work: Work) -> None:
        try:
            work()
        except OSError as error:
            self._trouble("a picture is missing", error)

    def _sync_soon(self) -> None:
        # Not after every line: a write has to wait while the same file is being synced.
        now = time.monotonic()
        if now - self._synced >= SYNC_EVERY:
            self._synced = now
            self._background.submit(self._sync)

    def _sync(self) -> None:
        for file in list(self._files.values()):
            with contextlib.suppress(OSError):
                os.fsync(file.fileno())

    def _trouble(self, what: str, error: OSError) -> None:
        problem = f"{self.path.name}: {what}: {why(error)}"
        if problem not in self.problems:
            self.problems.append(problem)


def _write_all(file: IO[bytes], data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def _cannot_write(root: Path, why: str) -> str:
    return (
        f"cannot keep runs in {root}: {why}; choose another folder with --set 'trace.folder = \"PATH\"', "
        "or an empty one to keep nothing"
    )
