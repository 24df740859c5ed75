"""A recorder of a person's work in a browser, for `guiagent teach` and for programs."""

from __future__ import annotations

import queue
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from gui_agent.computers.browser.recording.listening import PageListener
from gui_agent.computers.recording.events import Heard
from gui_agent.computers.recording.secrets import Secrecy
from gui_agent.computers.recording.steps import Steps
from gui_agent.core.errors import ActionFailed, ComputerLost
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Task, Trajectory

if TYPE_CHECKING:
    from gui_agent.computers.browser.computer import BrowserComputer
    from gui_agent.computers.browser.controller import Browsing

PATIENCE = 15.0


class BrowserRecorder:
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
        all_typed: bool = False,
    ) -> None:
        """
        Args:
            secrets: values that are never recorded, by name.
            secret_fields: names of fields whose text is secret though the page shows it.
            all_typed: keep nothing of what is typed, whatever the field.
        """
        self._computer = computer
        self._steps = Steps(Secrecy(secrets, secret_fields, all_typed=all_typed))
        self._heard: queue.SimpleQueue[Heard] = queue.SimpleQueue()
        self._listener = computer.on_loop(self._begun, PATIENCE)
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
        return self._steps.secrets

    @property
    def hidden(self) -> frozenset[str]:
        """What was typed into fields that hide it."""
        return self._steps.hidden

    def poll(self, seconds: float = 0.0) -> tuple[tuple[int, str], ...]:
        """Wait for something to happen, at most so long; the steps that were finished since the last call."""
        self._take(seconds)
        return self._steps.finished()

    def undo(self) -> str:
        """Forget the last step; what was done on the page stays done. The step in words, or nothing."""
        self._take(0.0)
        return self._steps.undo()

    def stop(self, task: Task) -> Trajectory:
        """End the recording; all steps under the task, without secrets and pictures, ended as done."""
        try:
            self._computer.on_loop(lambda _: self._listener.finish(), PATIENCE)
        except (ComputerLost, ActionFailed):
            self._listener.ended = True  # the window has been closed: the last quiet look is the end
        self._take(0.0)
        return self._steps.trajectory(task, self._listener.latest)

    async def _begun(self, browsing: Browsing) -> PageListener:
        listener = PageListener(browsing, self._heard.put)
        await listener.begin()
        return listener

    def _take(self, seconds: float) -> None:
        waiting = seconds
        while True:
            try:
                event = self._heard.get(timeout=waiting) if waiting else self._heard.get_nowait()
            except queue.Empty:
                return
            waiting = 0.0
            self._steps.hear(event)


def _address(screen: Observation | None) -> str:
    return "" if screen is None or screen.place.url.startswith("about:") else screen.place.url
