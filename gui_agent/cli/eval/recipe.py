"""How a benchmark is run: which benchmark, which agent, what is kept. Picklable, and kept in the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from gui_agent.content import content
from gui_agent.core.errors import ConfigError
from gui_agent.eval.ablations import check

Keep = Literal["none", "failed", "all"]
OWN, ALL = "own", "all"
ASKING = frozenset({"model", "subgoals"})
"""Planners that ask a model; `auto` and `cascade` do when the settings name one."""

OPTIONS = frozenset({"headless", "mode", "slowness", "pictures", "reload"})
"""Options of benchmarks that say how their pages are shown."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what a run gives, except cases and pace."""

    benchmark: str
    folder: str
    """The run's folder."""
    settings: Mapping[str, Any]
    """The agent's settings, as sections."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the benchmark."""
    planner: str = "demonstration"
    demos: str = ""
    """Folder with one folder of demonstrations per task."""
    max_demos: int = 5
    """Demonstrations used of each task."""
    demos_of: str = OWN
    """own: an agent knows the demonstrations of its task. all: it knows those of all tasks and has to choose
    by the instruction. A suite: it knows those of that suite's tasks and has to choose."""
    without: tuple[str, ...] = ()
    trace: Keep = "none"

    def check(self) -> None:
        """Raises: ConfigError: the folder of demonstrations or a part to be left out is not there."""
        if self.demos and not Path(self.demos).is_dir():
            raise ConfigError(
                f"--demos {self.demos}: no such folder; give one that holds a folder for each task"
            )
        check(self.without, self.planner, pooled=self.demos_of != OWN)

    def as_json(self) -> dict[str, Any]:
        """For the journal."""
        return asdict(self)

    @classmethod
    def from_json(cls, table: Mapping[str, Any]) -> Recipe:
        """Back from the journal.

        Raises:
            ConfigError: it was written by another version.
        """
        try:
            return cls(**{**table, "without": tuple(table.get("without", ()))})
        except TypeError as error:
            raise ConfigError(f"this run was started by another version of guiagent: {error}") from error


def asks(planner: str, settings: Mapping[str, Any]) -> bool:
    """Whether a model is asked; a key that just happens to be set puts none into a benchmark."""
    named = bool(settings.get("model", {}).get("name"))
    return planner in ASKING or (planner in ("auto", "cascade") and named)


def default_demos(benchmark: str) -> str:
    """The folder of the demonstrations that come with the project; empty when there are none."""
    folder = Path(str(content("eval"))) / benchmark / "demonstrations"
    return str(folder) if folder.is_dir() else ""


def open_policy() -> dict[str, str]:
    """The rules of the guard on the pages of benchmarks, as a section of the settings."""
    return {"policy": str(content("configs/guard-open.toml"))}
