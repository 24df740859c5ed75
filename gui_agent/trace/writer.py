"""The observer that writes a run to disk while it happens, without secrets."""

from __future__ import annotations

import hashlib
import platform
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gui_agent.core.actions import Wait
from gui_agent.core.codec import encode
from gui_agent.core.dialogue import Reply, Request
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import Size
from gui_agent.core.observation import Element, Observation, Screenshot
from gui_agent.core.redaction import HIDDEN, SECRET_NAME, Redactor
from gui_agent.core.trajectory import Decision, Outcome, Planned, Step, Task, Trajectory, Turn
from gui_agent.trace.folder import RunFolder, check_writable, make_folder
from gui_agent.trace.lines import (
    ENDING,
    IMAGES,
    OBSERVATIONS,
    REQUESTS,
    RUN,
    STEPS,
    DecisionLine,
    EndingLine,
    ObservationLine,
    RunMeta,
    StepLine,
)

LIBRARIES = ("playwright", "pydantic", "pillow", "rapidfuzz")
_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
_REMEMBERED = 4
"""Observations kept to be recognised: a step's before is the last step's after."""


class RunWriter:
    """Keeps a run in a folder of its own; an Observer.

    Observations are handed over whole and written once: elements that were on an earlier screen, and
    pictures that were seen before, are referred to.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        settings: Mapping[str, Any] | None = None,
        versions: Mapping[str, str] | None = None,
        pictures: bool = True,
        requests: Redactor | None = None,
        state: Callable[[Observation], str] = lambda seen: "",
    ) -> None:
        """
        Args:
            root: the folder in which each run gets one of its own.
            settings: the resolved settings; values named like secrets are replaced.
            versions: of parts that the writer does not know by itself, such as the browser.
            requests: takes secrets out of the questions to models, which are kept; None keeps none.
            state: names a screen, the same where a person would see the same.
        """
        self.root = Path(root)
        check_writable(self.root)
        self._settings = without_secrets(settings or {})
        self._versions = dict(versions or {})
        self._pictures, self._requests, self._state = pictures, requests, state
        self._folder: RunFolder | None = None
        self._forget()

    @property
    def folder(self) -> Path | None:
        """The folder of the present or last run, None before the first."""
        return self._folder.path if self._folder else None

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be written and why, to be shown at the end."""
        return tuple(self._folder.problems) if self._folder else ()

    def started(self, task: Task) -> None:
        self.close()
        self._folder = None
        self._forget()
        path = make_folder(self.root, task.text)
        self._folder = RunFolder(path)
        now = datetime.now().astimezone().isoformat()
        meta = RunMeta(path.name, task, now, self._settings, {**_versions(), **self._versions})
        self._folder.write(RUN, encode(meta))
        self._folder.later(_warm_up)
        self._began = time.monotonic()

    def decided(self, turn: Turn) -> None:
        self._turns += 1
        line = DecisionLine(turn.decision, self._number(turn.observation), turn.seconds, self._seconds())
        self._append(STEPS, line)

    def stepped(self, step: Step) -> None:
        self._steps = step.number
        before, after = self._number(step.before), self._number(step.after)
        done = (step.outcome, step.action, step.found, step.error, step.seconds)
        line = StepLine(step.number, step.planned, before, after, *done, at=self._seconds())
        self._append(STEPS, line)

    def asked(self, said: tuple[Request, Reply, float | None]) -> None:
        """Write a question to a model with its answer, where they are wanted."""
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
            figures = (len(trajectory.steps), trajectory.model_calls, tuple(folder.problems))
            line = EndingLine(trajectory.ending, round(self._seconds(), 3), *figures)
            folder.write(ENDING, encode(line))
            folder.seal()

    def close(self) -> None:
        """Finish what is still being written, also when no ending came; safe to call twice."""
        if self._folder is not None:
            self._folder.close()

    def _forget(self) -> None:
        self._began = time.monotonic()
        self._recent: deque[tuple[Observation, int]] = deque(maxlen=_REMEMBERED)
        self._count = self._steps = self._turns = 0
        self._table: dict[Element, int] = {}
        self._images: dict[bytes, str] = {}

    def _seconds(self) -> float:
        return round(time.monotonic() - self._began, 4)

    def _append(self, name: str, line: Any) -> None:
        if self._folder is not None:
            self._folder.append(name, encode(line))

    def _number(self, observation: Observation) -> int:
        """The number of an observation, which is written when it was not seen just before."""
        for known, number in self._recent:
            if known is observation:
                return number
        self._count += 1
        self._recent.append((observation, self._count))
        first = len(self._table)
        new, places = self._place_elements(without_lengths(observation.elements))
        picture = observation.screenshot if self._pictures else None
        line = ObservationLine(
            self._count,
            observation.size,
            observation.place,
            tuple(new),
            first,
            tuple(places),
            self._image(picture) if picture else "",
            picture.size if picture else None,
            observation.more,
            observation.left_out,
            observation.news,
            self._state(observation),
        )
        self._append(OBSERVATIONS, line)
        return self._count

    def _place_elements(self, elements: Iterable[Element]) -> tuple[list[Element], list[int]]:
        """The elements that are new to the table, and the places in it of all of them."""
        new: list[Element] = []
        places: list[int] = []
        for element in elements:
            known = len(self._table)
            place = self._table.setdefault(element, known)
            if place == known:
                new.append(element)
            places.append(place)
        return new, places

    def _image(self, picture: Screenshot) -> str:
        """File name of a picture, which is written when there is none of the same content yet."""
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
    """Build the encoders while the first page loads: they would delay the first step by 0.1 s."""
    encode(ObservationLine(0, Size(0, 0)))
    encode(DecisionLine(Decision(), 0))
    encode(StepLine(0, Planned(Wait()), 0, 0, Outcome("changed")))


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for library in ("guiagent", *LIBRARIES):
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


BULLETS = "••••••••"
PASSWORD = "password"


def without_lengths(elements: Sequence[Element]) -> tuple[Element, ...]:
    """The elements; what stands in password fields becomes bullets of a fixed number."""
    return tuple(replace(e, value=BULLETS) if PASSWORD in e.states and e.value else e for e in elements)


def without_secrets(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as plain JSON values; what is named like a secret is replaced."""
    return {str(key): _setting(str(key), value) for key, value in settings.items()}


def _setting(key: str, value: Any) -> Any:
    if SECRET_NAME.search(key.lower()) and value not in ("", None) and not isinstance(value, bool):
        return HIDDEN
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_setting("", item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


@contextmanager
def file_report(writer: RunWriter | None, observers: Sequence[object]) -> Iterator[None]:
    """Writes the report for whoever watches, however the run ends; an error is told where the trace is.

    A program that wants the report asks for it: `write_report(result.folder)`.
    """
    from gui_agent.trace.report import write_report
    from gui_agent.trace.terminal import LiveView

    watching = [one for one in observers if isinstance(one, LiveView)]
    if writer is None:
        yield
        return
    try:
        yield
    except BaseException as error:
        if writer.folder:
            error.add_note(f"trace: {writer.folder}")
        raise
    finally:
        if writer.folder and watching:
            report, problems = None, writer.problems
            try:
                report = write_report(writer.folder)
            except ConfigError as error:
                problems = (*problems, str(error))
            for view in watching:
                view.tell_report(report, problems)
