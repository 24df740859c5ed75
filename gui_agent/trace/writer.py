"""The folder of a run, and the observer that writes the run to it while it happens, without secrets."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import shutil
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

from gui_agent.core.actions import Wait
from gui_agent.core.codec import encode
from gui_agent.core.dialogue import Reply, Request
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Element, Observation, Screenshot, Size
from gui_agent.core.os_errors import private, private_folder, replace_file, take_back, why
from gui_agent.core.redaction import HIDDEN, SECRET_NAME, Redactor
from gui_agent.core.trajectory import Decision, Outcome, Planned, Step, Task, Trajectory, Turn
from gui_agent.trace.lines import (
    AUDIT,
    ENDING,
    IMAGES,
    OBSERVATIONS,
    REQUESTS,
    RUN,
    SEAL,
    STEPS,
    DecisionLine,
    EndingLine,
    ObservationLine,
    RunMeta,
    StepLine,
)

SYNC_EVERY = 1.0
"""Most seconds of work that a power cut can lose; a killed process loses nothing."""
SLUG = 40
"""Characters of the task in a folder's name."""


def make_folder(root: Path, task: str, now: datetime | None = None) -> Path:
    """A new folder named by the time and the task; two concurrent processes get two folders."""
    moment = (now or datetime.now(UTC)).strftime("%Y%m%d-%H%M%S")
    slug = re.sub(r"[^a-z0-9]+", "-", task.lower()).strip("-")
    if len(slug) > SLUG:
        # Cut at the end of a word, unless the first word is too long.
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
    """Remove old runs not changed within `spared` seconds. Returns the removed folders."""
    runs = sorted(child for child in root.iterdir() if (child / RUN).is_file())
    old = [run for run in runs[: max(0, len(runs) - keep)] if time.time() - run.stat().st_mtime > spared]
    for run in old:
        shutil.rmtree(run, ignore_errors=True)
    return tuple(run for run in old if not run.exists())


def check_writable(root: Path) -> None:
    """Check, before anything is started, whether runs can be stored here."""
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

    Each line is passed to the system at once, so that a killed process loses nothing that was reported;
    syncing to disk and painting over pictures happen in the background. After a failed write the run goes on,
    and `problems` says once what is missing.
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
        """Chain the steps: each seal includes the one before, so no line can be changed or left out."""
        self._chain = hashlib.sha256(self._chain.encode() + line).hexdigest()
        self.append(AUDIT, f'{{"at": {time.time():.3f}, "chain": "{self._chain}"}}'.encode())

    def write(self, name: str, data: bytes) -> None:
        try:
            replace_file(self.path / name, data)
        except OSError as error:
            self._trouble(f"{name} is missing", error)

    def picture(self, name: str, data: bytes) -> None:
        """Write a picture; after the first failure, no more are tried, to leave space for the text."""
        if not self._pictures:
            return
        try:
            (self.path / name).parent.mkdir(mode=0o700, exist_ok=True)
            replace_file(self.path / name, data)
        except OSError as error:
            self._pictures = False
            self._trouble("pictures are missing", error)

    def run_in_background(self, work: Callable[[], None]) -> None:
        """Do something in the background; an OSError in it is a problem, not a failure."""
        self._background.submit(self._guard, work)

    def seal(self) -> None:
        from gui_agent.trace.reader import seal_of

        try:
            self.write(SEAL, seal_of(self.path, self._chain))
        except OSError as error:
            self._trouble(f"{SEAL} is missing", error)

    def close(self) -> None:
        """Finish everything and close the files; safe to call twice."""
        self._background.shutdown(wait=True)
        self._sync()
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _guard(self, work: Callable[[], None]) -> None:
        try:
            work()
        except OSError as error:
            self._trouble("a picture is missing", error)

    def _sync_soon(self) -> None:
        # Not after every line, because a write must wait while the same file is being synced.
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
        "or an empty one to store nothing"
    )


LIBRARIES = ("playwright", "pydantic", "pillow", "rapidfuzz")
_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
_REMEMBERED = 4
"""How many observations are recognised again: a step's `before` is the last step's `after`."""


class RunWriter:
    """Stores a run in a folder of its own; an Observer.

    Observers get whole observations, but each element and picture is written once and then referred to.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        settings: Mapping[str, Any] | None = None,
        pictures: bool = True,
        requests: Redactor | None = None,
        state: Callable[[Observation], str] = lambda seen: "",
    ) -> None:
        """
        Args:
            root: the folder in which each run gets a folder.
            settings: the resolved settings; values named like secrets are replaced.
            requests: redacts the questions to models, which are stored; None stores none.
            state: identifies a screen, equal for screens that a person would call the same.
        """
        self.root = Path(root)
        check_writable(self.root)
        self._settings = without_secrets(settings or {})
        self._pictures, self._requests, self._state = pictures, requests, state
        self._folder: RunFolder | None = None
        self._forget()

    @property
    def folder(self) -> Path | None:
        """The folder of the current or last run, None before the first."""
        return self._folder.path if self._folder else None

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be written and why, to be shown at the end."""
        return tuple(self._folder.problems) if self._folder else ()

    def started(self, task: Task) -> None:
        self.close()
        self._folder = None
        self._forget()
        path = make_folder(self.root, task.full_text)
        self._folder = RunFolder(path)
        now = datetime.now().astimezone().isoformat()
        meta = RunMeta(path.name, task, now, self._settings, versions_of())
        self._folder.write(RUN, encode(meta))
        self._folder.run_in_background(_warm_up)
        self._began = time.monotonic()

    def decided(self, turn: Turn) -> None:
        self._turns += 1
        line = DecisionLine(turn.decision, self._number(turn.observation), turn.seconds, self._seconds())
        self._append(STEPS, line)

    def stepped(self, step: Step) -> None:
        self._steps = step.number
        before, after = self._number(step.before), self._number(step.after)
        done = (step.outcome, step.action, step.found, step.error, step.seconds)
        line = StepLine(
            step.number, step.planned, before, after, *done, at=self._seconds(), requests=step.requests,
            allowed=step.allowed, means=step.means,
        )  # fmt: skip
        self._append(STEPS, line)

    def asked(self, said: tuple[Request, Reply, float | None]) -> None:
        """Write a question to a model with its answer, if these are wanted, and add up the cost."""
        self._cost += said[2] or 0.0
        if self._requests is None or self._folder is None:
            return
        from gui_agent.trace.questions import question_line

        turn = self._turns + (said[0].purpose == "plan")
        line = {"step": self._steps + 1, "turn": turn, **question_line(*said, self._image)}
        self._append(REQUESTS, self._requests.value(line))

    def ended(self, trajectory: Trajectory) -> None:
        """Finish all files; everything is on disk when this returns."""
        folder = self._folder
        if folder is None:
            return
        self.close()
        if trajectory.ending is not None:
            counted = (round(self._seconds(), 3), len(trajectory.steps), trajectory.model_calls)
            line = EndingLine(trajectory.ending, *counted, tuple(folder.problems), round(self._cost, 6))
            folder.write(ENDING, encode(line))
            folder.seal()

    def close(self) -> None:
        """Finish pending writes, even without an ending; safe to call twice."""
        if self._folder is not None:
            self._folder.close()

    def _forget(self) -> None:
        self._began = time.monotonic()
        self._recent: deque[tuple[Observation, int]] = deque(maxlen=_REMEMBERED)
        self._count, self._steps, self._turns, self._cost = 0, 0, 0, 0.0
        self._table: dict[Element, int] = {}
        self._images: dict[bytes, str] = {}

    def _seconds(self) -> float:
        return round(time.monotonic() - self._began, 4)

    def _append(self, name: str, line: Any) -> None:
        if self._folder is not None:
            self._folder.append(name, encode(line))

    def _number(self, observation: Observation) -> int:
        """The number of an observation, which is written if it was not observed just before."""
        for known, number in self._recent:
            if known is observation:
                return number
        self._count += 1
        self._recent.append((observation, self._count))
        first = len(self._table)
        # The value of a password field becomes a fixed number of bullets.
        shown = [
            replace(e, value=BULLETS) if PASSWORD in e.states and e.value else e for e in observation.elements
        ]
        places = tuple(self._table.setdefault(element, len(self._table)) for element in shown)
        picture = observation.screenshot if self._pictures else None
        line = ObservationLine(
            self._count,
            observation.size,
            observation.place,
            tuple(dict.fromkeys(e for e, place in zip(shown, places, strict=True) if place >= first)),
            first,
            places,
            self._image(picture) if picture else "",
            picture.size if picture else None,
            observation.more,
            observation.left_out,
            observation.news,
            self._state(observation),
            observation.console,
        )
        self._append(OBSERVATIONS, line)
        return self._count

    def _image(self, picture: Screenshot) -> str:
        """File name of a picture, which is written if its content is new."""
        if not self._pictures:
            return hashlib.sha256(picture.data).hexdigest()
        folder = self._folder
        if folder is None:
            return ""
        key = hashlib.blake2b(picture.data, digest_size=16).digest()
        if key in self._images:
            return self._images[key]
        name = self._images[key] = f"{len(self._images) + 1:04}.{_SUFFIXES[picture.media_type]}"
        folder.picture(f"{IMAGES}/{name}", picture.data)
        return name


def _warm_up() -> None:
    """Build the encoders while the first page loads, because they would delay the first step by 0.1 s."""
    encode(ObservationLine(0, Size(0, 0)))
    encode(DecisionLine(Decision(), 0))
    encode(StepLine(0, Planned(Wait()), 0, 0, Outcome("changed")))


@cache
def versions_of(libraries: Sequence[str] = LIBRARIES) -> Mapping[str, str]:
    """The versions of this program, of Python, the system and the installed libraries."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for library in ("guiagent", *libraries):
        with contextlib.suppress(PackageNotFoundError):
            found[library] = version(library)
    return found


BULLETS, PASSWORD = "••••••••", "password"


def without_secrets(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as plain JSON values; values named like secrets are replaced."""
    return {str(key): _setting(str(key), value) for key, value in settings.items()}


def _setting(key: str, value: Any) -> Any:
    if SECRET_NAME.search(key.lower()) and value not in ("", None) and not isinstance(value, bool):
        return HIDDEN
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_setting("", item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
