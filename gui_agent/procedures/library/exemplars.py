"""Remembered runs that a model is shown: recalled for a task, and scored by its outcome."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gui_agent.core.errors import MissingExtra
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Exemplar, ExemplarSource
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.memory.exemplars import ExemplarMemory
from gui_agent.memory.lessons import LessonSource
from gui_agent.procedures.library.evidence import REPLAY, deciders
from gui_agent.procedures.library.memory import open_memory
from gui_agent.settings import Settings


class ShownRuns:
    """What an agent recalls of a memory for its model; it keeps no run by itself."""

    def __init__(self, exemplars: ExemplarMemory) -> None:
        self._exemplars = exemplars

    def recall(self, task: Task, observation: Observation) -> Sequence[Exemplar]:
        """The runs worth showing, best first; none where the search of the memory is not installed."""
        try:
            return self._exemplars.recall(task, observation)
        except MissingExtra:
            return ()

    def remember(self, trajectory: Trajectory) -> None:
        """Count the run for or against what was shown; whether it is kept is decided elsewhere.

        A run in which a procedure acted is counted for that alone (`evidence.note_run`), and only once.
        """
        if REPLAY not in deciders(trajectory):
            self._exemplars.score(trajectory)


def shown_runs(settings: Settings) -> ExemplarSource | None:
    """The memory of the settings as a model is shown it, with lessons; None when nothing was remembered."""
    memory, lessons = open_memory(settings), settings.memory.lessons
    runs = ShownRuns(memory.exemplars) if settings.memory.enabled and memory.exists else None
    return LessonSource(Path(lessons), runs) if lessons else runs
