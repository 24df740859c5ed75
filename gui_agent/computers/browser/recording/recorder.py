"""A recorder of a person's work in a browser, for `guiagent teach` and for programs."""

from __future__ import annotations

import queue
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from gui_agent.computers.browser.recording.drafts import (
    Draft,
    Drafts,
    is_secret,
    without_secret,
)
from gui_agent.computers.browser.recording.heard import Heard
from gui_agent.computers.browser.recording.listening import Listener
from gui_agent.computers.browser.recording.pointing import TICKABLE, has_effect
from gui_agent.computers.browser.recording.secrecy import Secrecy
from gui_agent.core.actions import Check, Click
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.observation import Observation
from gui_agent.core.sentences import describe
from gui_agent.core.trajectory import (
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

if TYPE_CHECKING:
    from gui_agent.computers.browser.computer import BrowserComputer

STABLE = 0.7
"""Seconds after which a step counts as finished; a double click takes less."""
PATIENCE = 15.0


class Recorder:
    """Follows what a person does in the window of a browser, from the moment it is made.

    Nobody else may act on the browser meanwhile. What is typed into password fields is kept in memory only,
    to be found and replaced wherever else it shows.
    """

    def __init__(
        self,
        computer: BrowserComputer,
        *,
        secrets: Mapping[str, str] | None = None,
        secret_fields: Collection[str] = (),
    ) -> None:
        """
        Args:
            secrets: values that are never recorded, by name.
            secret_fields: names of fields whose text is secret though the page shows it.

        Raises:
            ComputerLost: the browser is gone.
        """
        self._computer = computer
        self._secrecy = Secrecy(secrets, secret_fields)
        self._drafts = Drafts(self._secrecy)
        self._heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
        self._listener = Listener(computer.browsing, self._heard.put)
        self._told = 0
        self._changed = time.monotonic()
        computer.wait_for(self._listener.begin(), PATIENCE)
        self.platform = computer.platform
        self.start = _address(self._listener.latest)
        """The address at which the recording began; empty for an empty page."""

    @property
    def open(self) -> bool:
        """Whether the window is still there."""
        return not self._listener.ended

    @property
    def secrets(self) -> tuple[str, ...]:
        """Names of the secrets that were typed."""
        return self._secrecy.names

    def poll(self, seconds: float = 0.0) -> tuple[tuple[int, str], ...]:
        """Wait for something to happen, at most so long.

        Returns:
            Number and sentence of the steps that were finished since the last call.
        """
        self._take(seconds)
        drafts = self._drafts.all
        quiet = time.monotonic() - self._changed > STABLE
        until = len(drafts) if quiet else max(0, len(drafts) - 1)
        new: list[tuple[int, str]] = []
        while self._told < until and not drafts[self._told].open and not drafts[self._told].idle:
            new.append((self._told + 1, self._sentence(drafts[self._told])))
            self._told += 1
        return tuple(new)

    def undo(self) -> str:
        """Forget the last step; what was done on the page stays done.

        Returns:
            The step in words, empty when there is none.
        """
        self._take(0.0)
        draft = self._drafts.undo()
        self._told = min(self._told, len(self._drafts.all))
        return "" if draft is None else self._sentence(draft)

    def stop(self, task: Task) -> Trajectory:
        """End the recording.

        Returns:
            All steps under the task, without secrets and pictures, ended as done.
        """
        try:
            self._computer.wait_for(self._listener.finish(), PATIENCE)
        except (ComputerLost, ActionFailed):
            self._listener.ended = True  # the window has been closed: the last quiet look is the end
        self._take(0.0)
        final = self._listener.latest
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
        decision = Decision(planned=tuple(step.planned for step in steps), planner="person")
        return Trajectory(task, (Turn(decision, clean[0], steps),), Ending("done"))

    def _take(self, seconds: float) -> None:
        waiting = seconds
        while True:
            try:
                event = self._heard.get(timeout=waiting) if waiting else self._heard.get_nowait()
            except queue.Empty:
                break
            waiting = 0.0
            self._changed = time.monotonic()
            self._drafts.hear(event)
        told = self._drafts.all[: self._told]
        self._drafts.prune()
        self._told = sum(draft in told for draft in self._drafts.all) if told else 0

    def _sentence(self, draft: Draft) -> str:
        secret = is_secret(draft.action)
        action = without_secret(draft.action, self._secrecy)
        sentence = describe(action, draft.found)
        return sentence if secret else self._secrecy.text(sentence)


def _step(number: int, draft: Draft, before: Observation, after: Observation) -> Step:
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


def _address(screen: Observation | None) -> str:
    return "" if screen is None or screen.place.url.startswith("about:") else screen.place.url
