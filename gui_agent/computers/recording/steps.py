"""The steps of a recording: told as they are finished, taken back, and at the end a trajectory."""

from __future__ import annotations

import time
from dataclasses import replace

from gui_agent.computers.recording.events import Heard, has_effect
from gui_agent.computers.recording.secrets import Secrecy
from gui_agent.computers.recording.step_builder import Drafts, StepDraft, is_secret, without_secret
from gui_agent.core.actions import Check, Click
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import (
    PERSON,
    Decision,
    Ending,
    Found,
    Outcome,
    Planned,
    Step,
    Task,
    Trajectory,
    Turn,
)
from gui_agent.elements.describe import describe
from gui_agent.elements.roles import TICKABLE

STABLE = 0.7
"""Seconds after which a step counts as finished; a double click takes less."""


class Steps:
    """What was heard of a person, as steps."""

    def __init__(self, secrecy: Secrecy) -> None:
        self._secrecy = secrecy
        self._drafts = Drafts(secrecy)
        self._told = 0
        self._changed = time.monotonic()

    @property
    def secrets(self) -> tuple[str, ...]:
        """Names of the secrets that were typed."""
        return self._secrecy.names

    def refuse(self, why: str) -> None:
        """Take note that something was done that cannot be kept."""
        self._drafts.refused.append(why)

    @property
    def hidden(self) -> frozenset[str]:
        """What was typed into fields that hide it."""
        return frozenset(self._secrecy.hidden)

    def hear(self, event: Heard) -> None:
        """Take one event into the steps."""
        self._changed = time.monotonic()
        self._drafts.hear(event)

    def finished(self) -> tuple[tuple[int, str], ...]:
        """Number and sentence of the steps that were finished since the last call; 0 for what is not kept."""
        self._tidy()
        drafts = self._drafts.all
        quiet = time.monotonic() - self._changed > STABLE
        until = len(drafts) if quiet else max(0, len(drafts) - 1)
        new = [(0, self._secrecy.text(what)) for what in self._drafts.refused]
        self._drafts.refused.clear()
        while self._told < until and not drafts[self._told].open and not drafts[self._told].idle:
            new.append((self._told + 1, self._sentence(drafts[self._told])))
            self._told += 1
        return tuple(new)

    def undo(self) -> str:
        """Forget the last step and say which it was, empty when there is none."""
        self._tidy()
        draft = self._drafts.undo()
        self._told = min(self._told, len(self._drafts.all))
        return "" if draft is None else self._sentence(draft)

    def trajectory(self, task: Task, final: Observation | None) -> Trajectory:
        """All steps under the task, without secrets and pictures, ended as done.

        Args:
            final: the screen after the last step; None when it was never seen.
        """
        self._tidy()
        self._drafts.prune(final)
        drafts = self._drafts.all
        if final is None or not drafts:
            return Trajectory(task, (), Ending("done"))
        for draft in drafts:
            draft.action = without_secret(draft.action, self._secrecy)
        screens = [*(draft.before for draft in drafts), final]
        clean = [self._secrecy.screen(screen) for screen in screens]
        steps = tuple(
            _step(number, draft, clean[number - 1], clean[number])
            for number, draft in enumerate(drafts, start=1)
        )
        task = replace(task, text=self._secrecy.text(task.text), start=self._secrecy.text(task.start))
        decision = Decision(planned=tuple(step.planned for step in steps), planner=PERSON)
        return Trajectory(task, (Turn(decision, clean[0], steps),), Ending("done"))

    def _tidy(self) -> None:
        told = self._drafts.all[: self._told]
        self._drafts.prune()
        self._told = sum(draft in told for draft in self._drafts.all) if told else 0

    def _sentence(self, draft: StepDraft) -> str:
        secret = is_secret(draft.action)
        action = without_secret(draft.action, self._secrecy)
        sentence = describe(action, draft.found)
        return sentence if secret else self._secrecy.text(sentence)


def _step(number: int, draft: StepDraft, before: Observation, after: Observation) -> Step:
    found = {name: _clean(place, before) for name, place in draft.found.items()}
    action = draft.action
    element = found["at"].element if "at" in found else None
    if isinstance(action, Click) and element is not None and element.role in TICKABLE:
        now = after.by_id(element.id)
        if now is not None and ("checked" in now.states) != ("checked" in element.states):
            action = Check(action.at, "checked" in now.states)
    changed = has_effect(before, after)
    outcome = Outcome("changed" if changed else "no_change")
    return Step(number, Planned(action), before, after, outcome, action, found)


def _clean(place: Found, screen: Observation) -> Found:
    element = place.element
    return place if element is None else replace(place, element=screen.by_id(element.id) or element)
