"""The runs that a model is shown: for the task, in each further program, and for parts of the task."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Exemplar, ExemplarSource
from gui_agent.core.redaction import Redactor
from gui_agent.core.trajectory import Task

PLACES = 4
"""Programs of a run in which the memory is searched."""


class Recalls:
    """What was recalled in one run. What was shown stays, so that a provider's cache of it holds."""

    def __init__(self, source: ExemplarSource, secrets: Redactor, task: Task) -> None:
        self._source, self._secrets, self._task = source, secrets, task
        self._shown: tuple[Exemplar, ...] = ()
        self._places: set[str] = set()

    def at(self, screen: Observation, turns: int) -> tuple[Exemplar, ...]:
        """The runs for the whole task, those of a further program by the turn that first saw it."""
        app = screen.place.app
        if app not in self._places and len(self._places) < PLACES:
            goal = self._task.text if self._places else None
            known = {one.id for one in self._shown}
            found = self._search(screen, goal)
            self._shown += tuple(
                replace(one, since=turns if goal else 0) for one in found if one.id not in known
            )
            self._places.add(app)
        return self._shown

    def of_part(self, screen: Observation, goal: str) -> tuple[Exemplar, ...]:
        """The runs for a part of the task."""
        return self._search(screen, goal)

    def _search(self, screen: Observation, goal: str | None) -> tuple[Exemplar, ...]:
        return self._secrets.value(tuple(self._source.recall(self._task, screen, goal)))
