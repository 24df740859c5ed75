"""Finds other wordings for a task that no planner understands, and learns from the person's answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gui_agent.agent.person import Listens
from gui_agent.core.clarification import Offer, Wordings, resolutions
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Grounder, Planner
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Result, Task
from gui_agent.planners.cascade import RewordedPlanner
from gui_agent.planners.commands import commands_for_wish
from gui_agent.settings import Settings, memory_file
from gui_agent.wiring.routing import Route, route

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_LEARNED, _MOST_COMMANDS = 2, 5


@dataclass(slots=True)
class KnownWordings:
    """What can be said in place of a task: learned wordings, then commands for what the screen shows."""

    settings: Settings
    grounder: Grounder
    make: Callable[[Route], Planner]
    """Returns the planner of a route."""
    taken: Route | None = None
    """The route of the wording that the run went on with."""
    hint: str = "or set a language model, which understands more: --model NAME"

    def offers(self, task: Task, screen: Observation) -> Sequence[Offer]:
        """The wordings that mean the same as a task on this screen, the likeliest first."""
        learned = list(self._learned_offers(task, screen))[:_MOST_LEARNED]
        proposed = commands_for_wish(task.full_text, screen, self.grounder)[:_MOST_COMMANDS]
        return [*learned, *(Offer(text, element.box) for text, element in proposed)]

    def _learned_offers(self, task: Task, screen: Observation) -> Iterator[Offer]:
        """The nearest learned wordings, those that were shown on the screen's page before others."""
        memory = self.settings.memory
        if not memory.enabled or not memory_file(memory).is_file():
            return
        from gui_agent.procedures.language.view import View
        from gui_agent.procedures.library.memory import open_memory
        from gui_agent.procedures.recognition.nearest import nearest_wordings

        here = screen.place.url
        with closing(open_memory(self.settings)) as known:
            near = known.nearest(task.full_text, urlsplit(task.start or here).netloc)
            near = sorted(near, key=lambda one: one.start.partition("?")[0] != here.partition("?")[0])
            for procedure in near:
                if task.start and procedure.app and procedure.app != screen.place.app:
                    continue
                for said, _ in nearest_wordings(task.full_text, procedure.programs, View(screen)):
                    yield Offer(said, start=procedure.start, is_learned=True)

    def refusal(self, text: str) -> str:
        """Why neither the commands nor what is learned understand a text; empty if they do."""
        try:
            found = route(Task(text), self.settings)
        except GuiAgentError as error:
            return str(error)
        return "" if found.runs else found.why or str(found.commands)

    def take_wording(self, planner: Planner) -> Planner:
        """The planner, which from now on does the task in the person's latest words."""
        return RewordedPlanner(planner, self._make_planner)

    def _make_planner(self, text: str) -> Planner:
        self.taken = route(Task(text), self.settings)
        return self.make(self.taken)


def route_taken(wordings: Wordings | None, chosen: Route) -> Route:
    """The route of the wording with which the run went on, else the one that was chosen first."""
    taken = wordings.taken if isinstance(wordings, KnownWordings) else None
    return taken or chosen


def learn_answer(settings: Settings, result: Result, observers: Sequence[object]) -> None:
    """Learn a run under the sentence that was asked, if the person reworded it or showed how it is done."""
    if not settings.memory.enabled or not _teaches(result):
        return
    from gui_agent.memory.entry import UNTRUSTED
    from gui_agent.procedures.library.evidence import joining
    from gui_agent.procedures.library.memory import open_memory
    from gui_agent.procedures.recordings.from_run import from_trajectory

    trajectory, memory = result.trajectory, open_memory(settings)
    sentence = shorten(trajectory.task.text, 80)
    try:
        origin = f"run {Path(result.folder).name}" if result.folder else "answer"
        shown = from_trajectory(trajectory, settings.computer.kind, origin=origin)
        shown = replace(shown, start=shown.start or trajectory.steps[0].before.place.url)
        reason = UNTRUSTED if memory.untrusted(trajectory) else ""
        entry, _ = memory.keep(shown, joining(shown, memory).family, reason=reason)
        told = f'learned as "{sentence}"; to undo: guiagent memory forget {entry}'
    except GuiAgentError as error:
        told = f'not learned as "{sentence}": {error}'
    finally:
        memory.close()
    for observer in observers:
        if isinstance(observer, Listens):
            observer.tell(told)


def _teaches(result: Result) -> bool:
    """Whether the person's last answer shows or words the whole task of a run that is done."""
    task, answers = result.trajectory.task, resolutions(result.trajectory.turns)
    meant = [one for one in answers if one.kind in ("shown", "wording") and one.step == task.text]
    if not meant or not meant[-1].keeps or not result.ok or not result.trajectory.steps:
        return False
    return result.verified or meant[-1].kind == "shown"
