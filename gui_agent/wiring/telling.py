"""Who else hears of a run: log and spans when they are switched on, and questions told as events."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from gui_agent.agent.guard.guard import Answer, AnswersQuestions, Question
from gui_agent.core.actions import Action
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Approver, Observer
from gui_agent.settings import Settings
from gui_agent.trace.events import LOG, Events, Sink, logged
from gui_agent.wiring.parts import Ask

if TYPE_CHECKING:
    from gui_agent.wiring.models import ModelParts


def listeners(settings: Settings, models: ModelParts | None) -> list[Observer]:
    """The observers for the log and the spans, where they are wanted.

    Raises:
        MissingExtra: spans are wanted, and OpenTelemetry is not installed.
    """
    sinks: list[Sink] = [logged] if LOG.isEnabledFor(logging.INFO) else []
    if settings.trace.spans:
        from gui_agent.trace.spans import Spans

        def used() -> tuple[int, int]:
            usage = models.budget.total.usage if models is not None else None
            return (usage.read, usage.wrote) if usage else (0, 0)

        sinks.append(Spans(settings.model.name, used))
    return [Events(*sinks)] if sinks else []


class Answerer(Approver, AnswersQuestions, Protocol):
    """An approver who answers both kinds of questions."""


class Announced:
    """Puts the guard's questions to another approver, and tells both question and answer; an Approver."""

    def __init__(self, approver: Answerer, events: Events) -> None:
        self._approver, self._events = approver, events

    def approve(self, question: str, action: Action, observation: Observation) -> bool:
        """Ask for a plain yes or no."""
        self._events.say("question", question, asks="guard", meanings=[], scope="")
        allowed = self._approver.approve(question, action, observation) is True
        self._events.say("answered", "allowed" if allowed else "refused", allowed=allowed)
        return allowed

    def answer(self, question: Question, observation: Observation) -> Answer:
        """Ask for once, always or no."""
        asked = {"asks": "guard", "meanings": list(question.meanings), "scope": question.scope}
        self._events.say("question", question.text, **asked)
        answer = self._approver.answer(question, observation)
        self._events.say("answered", "refused" if answer == "no" else "allowed", allowed=answer != "no")
        return answer


def announced(ask: Ask, events: Events) -> Ask:
    """Puts a planner's questions to the person, and tells that they were asked; answers stay between them."""

    def told(question: str) -> str | None:
        events.say("question", question, asks="planner")
        answer = ask(question)
        events.say("answered", "answered" if answer is not None else "no answer", allowed=answer is not None)
        return answer

    return told
