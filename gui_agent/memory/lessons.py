"""Lessons: in words, what a comparison of runs has taught. A model is shown them as text from outside."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from gui_agent.core.codec import decode
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import STRICT
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Exemplar, ExemplarSource
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.elements.text import task_stems
from gui_agent.memory.exemplars import tokens

BUDGET, ALIKE = 500, 0.5
"""Tokens for the lessons of a prompt; share of the words of a lesson's task that another has to have."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson, with the runs that it comes from, and how those fared that were shown it."""

    id: str
    text: str
    task: str = ""
    app: str = ""
    evidence: tuple[str, ...] = ()
    wins: int = 0
    losses: int = 0
    created: str = ""
    quarantined: str = ""
    """Why it is not shown until a person takes this out."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    def likeness(self, task: str, app: str) -> float:
        """How much of its task another has, 0 to 1."""
        own = frozenset() if self.app and app and self.app != app else task_stems(self.task)
        return len(own & task_stems(task)) / max(1, len(own))


def read_lessons(path: Path) -> tuple[Lesson, ...]:
    try:
        table = json.dumps(tomllib.loads(path.read_text(encoding="utf-8")).get("lesson", []))
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(f"{path} is no file of lessons: {error}") from error
    return decode(tuple[Lesson, ...], table, source=str(path))


@dataclass(frozen=True)
class LessonSource:
    """Lessons of a file beside what another source recalls; they are counted where runs are compared."""

    path: Path
    rest: ExemplarSource | None = None

    def recall(self, task: Task, observation: Observation, goal: str | None = None) -> Sequence[Exemplar]:
        wanted = task.text if goal is None else goal
        app, room = observation.place.app, float(BUDGET)
        near = [(one.likeness(wanted, app), one) for one in read_lessons(self.path) if not one.quarantined]
        found = list(self.rest.recall(task, observation, goal)) if self.rest is not None else []
        for score, one in sorted(near, key=lambda pair: (-pair[0], pair[1].losses - pair[1].wins)):
            told = f"Lesson from {len(one.evidence)} runs: {one.text}"
            if score >= ALIKE and (room := room - tokens(told)) >= 0:
                found.append(Exemplar(one.id, one.task, told, score))
        return found

    def remember(self, trajectory: Trajectory) -> None:
        if self.rest is not None:
            self.rest.remember(trajectory)
