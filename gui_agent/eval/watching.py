"""Noticing at once that the benchmark itself has ended an episode."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from gui_agent.core.actions import Action
from gui_agent.core.observation import Element, Observation
from gui_agent.core.opening import Opening
from gui_agent.core.protocols import Opens, Settled
from gui_agent.core.trajectory import Ending
from gui_agent.eval.benchmark import Episode

TIMED_OUT = "timed out"
"""The reason that benchmarks give when they end an episode because its time is over."""


class WatchedComputer:
    """The computer of an episode, which stops the agent when the benchmark ends the episode.

    It asks when the screen has come to rest after an action, before the agent looks for effects that a
    finished page no longer shows.
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._computer = episode.computer
        self.stop: Callable[[Ending], None] = lambda ending: None

    @property
    def platform(self) -> str:
        return self._computer.platform

    def observe(self, *, picture: bool = True) -> Observation:
        """As the computer does."""
        return self._computer.observe(picture=picture)

    def perform(self, action: Action, expected: Element | None = None) -> None:
        """As the computer does."""
        self._computer.perform(action, expected)

    def settle(self) -> Settled:
        """As the computer does; then ask the benchmark."""
        settled = self._computer.settle()
        over = self._episode.over()
        if over:
            reason = f"the benchmark ended the episode: {over}"
            self.stop(Ending("limit" if over == TIMED_OUT else "stopped", reason))
        return settled

    def start(self, where: str) -> None:
        """As the computer does."""
        self._computer.start(where)

    def opening(self, name: str) -> Opening:
        """As the computer does."""
        return self._computer.opening(name) if isinstance(self._computer, Opens) else Opening("unknown")

    def close(self) -> None:
        """Nothing: the benchmark closes its computer."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
