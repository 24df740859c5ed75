"""Observers of a run: log, spans, events for questions, and recorders for a person who takes over."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from gui_agent.agent.guard.asking import Answer, AnswersQuestions, Question
from gui_agent.agent.person import Listens
from gui_agent.core.clarification import Clarification
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Computer, Grounder, Observer, Planner, Recorder
from gui_agent.core.trajectory import Trajectory
from gui_agent.settings import Settings, secrets
from gui_agent.trace.events import LOG, Events, Sink, log_sink

if TYPE_CHECKING:
    from gui_agent.computers.recording.secrets import Secrecy
    from gui_agent.wiring.models import ModelParts
    from gui_agent.wiring.parts import Ask


def listeners(settings: Settings, models: ModelParts | None) -> list[Observer]:
    """The observers for the log and the spans, if these are wanted."""
    sinks: list[Sink] = [log_sink] if LOG.isEnabledFor(logging.INFO) else []
    if settings.trace.spans:
        from gui_agent.trace.events import Spans

        sinks.append(Spans(settings.model.name, partial(_tokens_used, models)))
    return [Events(*sinks)] if sinks else []


def _tokens_used(models: ModelParts | None) -> tuple[int, int]:
    if models is None:
        return 0, 0
    usage = models.budget.total.usage
    return usage.read, usage.wrote


class AnnouncingApprover:
    """Forwards the guard's questions to the person and reports questions and answers."""

    def __init__(self, approver: AnswersQuestions, events: Events) -> None:
        self._approver, self._events = approver, events

    def answer(self, question: Question, observation: Observation) -> Answer:
        asked = {"asks": "guard", "meanings": list(question.meanings), "scope": question.scope}
        self._events.say("question", question.text, **asked)
        answer = self._approver.answer(question, observation)
        self._events.say("answered", "refused" if answer == "no" else "allowed", allowed=answer != "no")
        return answer


def announce(ask: Ask, events: Events) -> Ask:
    """An `ask` function that also reports each question of the planner; the answer's text is not reported."""

    def answer_of(question: Clarification) -> str | None:
        events.say("question", question, asks="planner", choices=question.choices_as_dicts())
        answer = ask(question)
        events.say("answered", "answered" if answer is not None else "no answer", allowed=answer is not None)
        return answer

    return answer_of


@runtime_checkable
class Recordable(Protocol):
    """A computer that can make a recorder for the person who uses it."""

    def make_recorder(self, secrecy: Secrecy) -> Recorder:
        """A recorder that hides the texts named by `secrecy`."""


def make_recorder(
    computer: Computer,
    secret_fields: Sequence[str] = (),
    *,
    all_typed: bool = False,
    bar: Mapping[str, str] | None = None,
) -> Recorder:
    """A recorder for the person who uses this computer.

    Args:
        secret_fields: names of fields whose text is secret even though the screen shows it.
        all_typed: record no typed text, whatever the field.
        bar: shows a bar in the pages of a browser, with these words in place of the English ones.
    """
    from gui_agent.computers.browser.computer import BrowserComputer
    from gui_agent.computers.recording.secrets import Secrecy

    secrecy = Secrecy(secrets(), secret_fields, all_typed=all_typed)
    if isinstance(computer, BrowserComputer):
        from gui_agent.computers.browser.recording import BrowserRecorder

        return BrowserRecorder(computer, secrecy, bar)
    if computer.platform == "x11":
        from gui_agent.computers.desktop.computer import DesktopComputer
        from gui_agent.computers.x11.recording import X11Recorder

        if isinstance(computer, DesktopComputer):
            return X11Recorder(computer, secrecy)
    if isinstance(computer, Recordable):
        return computer.make_recorder(secrecy)
    raise ConfigError(
        f"a person cannot be recorded on {computer.platform} yet; use --on browser, or on Linux --on virtual"
    )


@dataclass(frozen=True, slots=True)
class PersonFollower:
    """How a run follows a person who holds it, messages it or takes it over.

    What they do while they control the screen is stored as a demonstration in the run's folder.
    """

    computer: Computer
    observers: Sequence[object]
    grounder: Grounder
    planners: Sequence[str]
    """Kinds of the run's planners; models read messages themselves."""

    def recorder(self, *, typed: bool = False) -> Recorder:
        """The recorder of the person's actions, with their texts only where `typed`."""
        return make_recorder(self.computer, all_typed=not typed)

    def keep(self, trajectory: Trajectory) -> None:
        from gui_agent.procedures.library.store import save_demonstration
        from gui_agent.procedures.recordings.from_run import from_trajectory
        from gui_agent.trace import RunWriter

        folder = next((one.folder for one in self.observers if isinstance(one, RunWriter)), None)
        if folder is not None:
            number = 1 + len(list(folder.glob("taken-over-*.json")))
            demonstration = from_trajectory(trajectory, self.computer.platform, origin="taken over")
            save_demonstration(folder / f"taken-over-{number}.json", demonstration)

    def with_instructions(self, planner: Planner) -> Planner:
        """The planner, which from now on follows the person's instructions before its own plan."""
        from gui_agent.planners.cascade import InstructedPlanner

        reads = "model" in self.planners
        return InstructedPlanner(planner, self.grounder, self._tell, reads=reads)

    def _tell(self, what: str) -> None:
        for observer in self.observers:
            if isinstance(observer, Listens):
                observer.tell(what)
