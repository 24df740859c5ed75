"""Following a person: recorders of what they do, and what becomes of it during a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gui_agent.agent.person import Listens
from gui_agent.core.errors import ConfigError
from gui_agent.core.protocols import Computer, Grounder, Planner, Recorder
from gui_agent.core.trajectory import Trajectory
from gui_agent.settings import secrets


def make_recorder(
    computer: Computer, secret_fields: Sequence[str] = (), *, all_typed: bool = False
) -> Recorder:
    """A recorder of the person who uses this computer.

    Args:
        secret_fields: names of fields whose text is secret though the screen shows it.
        all_typed: keep nothing of what is typed, whatever the field.

    Raises:
        ConfigError: a person cannot be recorded on this kind of computer.
    """
    from gui_agent.computers.browser import BrowserComputer
    from gui_agent.computers.desktop.computer import DesktopComputer

    if isinstance(computer, BrowserComputer):
        from gui_agent.computers.browser.recording import BrowserRecorder

        return BrowserRecorder(computer, secrets=secrets(), secret_fields=secret_fields, all_typed=all_typed)
    if isinstance(computer, DesktopComputer) and computer.platform == "x11":
        from gui_agent.computers.x11.recording import X11Recorder

        return X11Recorder(computer, secrets=secrets(), secret_fields=secret_fields, all_typed=all_typed)
    raise ConfigError(
        f"a person cannot be recorded on {computer.platform} yet; use --on browser, or on Linux --on virtual"
    )


@dataclass(frozen=True, slots=True)
class PersonFollower:
    """How a run heeds the person who holds it, speaks to it or takes it over.

    What they do while the screen is theirs is kept as a demonstration in the folder of the run.
    """

    computer: Computer
    observers: Sequence[object]
    grounder: Grounder
    planners: Sequence[str]
    """Kinds of planners of the run; models read messages themselves."""

    def recorder(self) -> Recorder:
        """What follows them; nothing of what they type is kept."""
        return make_recorder(self.computer, all_typed=True)

    def keep(self, trajectory: Trajectory) -> None:
        """Keep what they did as a demonstration."""
        from gui_agent.procedures.library.store import save_demonstration
        from gui_agent.procedures.recordings.from_run import from_trajectory
        from gui_agent.trace import RunWriter

        folder = next((one.folder for one in self.observers if isinstance(one, RunWriter)), None)
        if folder is not None:
            number = 1 + len(list(folder.glob("taken-over-*.json")))
            demonstration = from_trajectory(trajectory, self.computer.platform, origin="taken over")
            save_demonstration(folder / f"taken-over-{number}.json", demonstration)

    def heed(self, planner: Planner) -> Planner:
        """The planner, which from now on does what they say before it goes on."""
        from gui_agent.planners.heeding import HeedingPlanner

        models = [kind in ("model", "subgoals") for kind in self.planners]
        return (
            planner if all(models) else HeedingPlanner(planner, self.grounder, self._tell, reads=any(models))
        )

    def _tell(self, what: str) -> None:
        for observer in self.observers:
            if isinstance(observer, Listens):
                observer.told(what)
