"""What every recorder can do, whatever computer the person uses."""

from __future__ import annotations

from typing import Protocol

from gui_agent.core.trajectory import Task, Trajectory


class Recorder(Protocol):
    """Follows what a person does, from the moment it is made; nobody else may act meanwhile."""

    platform: str
    start: str
    """The address, program or file with which the recording began; empty for none."""

    @property
    def open(self) -> bool:
        """Whether what the person works in is still there."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Names of the secrets that were typed."""

    def poll(self, seconds: float = 0.0) -> tuple[tuple[int, str], ...]:
        """Wait for something to happen, at most about so long.

        Returns:
            Number and sentence of the steps that were finished since the last call; 0 for what is not kept.
        """

    def undo(self) -> str:
        """Forget the last step; what was done stays done.

        Returns:
            The step in words, empty when there is none.
        """

    def stop(self, task: Task) -> Trajectory:
        """End the recording.

        Returns:
            All steps under the task, without secrets and pictures, ended as done.
        """
