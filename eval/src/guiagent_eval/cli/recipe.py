"""The recipe of a benchmark run, a picklable record of benchmark, agent and kept traces for the journal."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from gui_agent.content import LEFT_OUT
from gui_agent.core.errors import ConfigError
from gui_agent.trace.writer import versions_of
from guiagent_eval.app_server import output_of
from guiagent_eval.baselines import check
from guiagent_eval.content import content
from guiagent_eval.schedule import RunLimits

Keep = Literal["none", "failed", "all"]
OWN, ALL = "own", "all"
ASKING = frozenset({"model"})
"""Planners that ask a model; `auto`, `cascade` and planners of other modules do if the settings name one."""

OPTIONS = frozenset(
    {"headless", "mode", "slowness", "pictures", "reload", "goal", "release", "pages", "asks", "path"}
)
"""Options of benchmarks that set how pages are shown, tasks worded and questions answered."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides the results of a run, except cases and pace."""

    benchmark: str
    folder: str
    """The run's folder."""
    settings: Mapping[str, Any]
    """The agent's settings, as sections."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the benchmark."""
    planner: str = "demonstration"
    demos: str = ""
    """Folder with one folder of demonstrations per task."""
    max_demos: int = 5
    """Demonstrations used of each task."""
    demos_of: str = OWN
    """own: the agent knows the demonstrations of its task. all: it knows those of all tasks and must choose
    by the instruction. A suite: it knows those of that suite's tasks and must choose."""
    exemplars: int = 0
    """Demonstrations that a model is shown in each episode, those nearest to it."""
    best_of: int = 1
    """Runs of each episode; one is chosen without its grade."""
    judge: str = ""
    """The model that chooses if the endings alone leave several runs."""
    look_ahead: int = 1
    """Decisions asked for at each screen, which are tried in forks of the state if they differ."""
    without: tuple[str, ...] = ()
    trace: Keep = "none"
    left_out: tuple[str, ...] = field(default_factory=lambda: tuple(sorted(LEFT_OUT)))
    """The person's own files that the episodes do not find."""
    snapshots: int = 0
    """Steps between two checkpoints of an episode, from which it can resume; 0 for none."""

    def check(self) -> None:
        """Raises:
        ConfigError: the demonstrations, a part to leave out, or a model to show them to, does not exist.
        """
        if self.demos and not Path(self.demos).is_dir():
            raise ConfigError(f"--demos {self.demos}: no such folder; give one with a folder for each task")
        if self.exemplars and not asks(self.planner, self.settings):
            raise ConfigError(
                f"--exemplars {self.exemplars}: --planner {self.planner} asks no model that could use "
                "demonstrations; use it with --planner model --model NAME"
            )
        lessons = bool(self.settings.get("memory", {}).get("lessons"))
        if lessons and not asks(self.planner, self.settings):
            raise ConfigError(f"memory.lessons: --planner {self.planner} asks no model that could read any")
        if self.judge and self.best_of < 2 and self.look_ahead < 2:
            raise ConfigError(
                "--judge chooses among several runs or decisions; give --best-of or --look-ahead"
            )
        self._check_look_ahead()
        check(
            self.without, self.planner, pooled=self.demos_of != OWN, exemplars=self.exemplars, lessons=lessons
        )

    def _check_look_ahead(self) -> None:
        reasons = {
            "name the model that compares what the decisions lead to, with --judge": not self.judge,
            "both ask the judge, and no figure would show which of them helped; leave out --best-of": (
                self.best_of > 1
            ),
            "it is not known what your own pages send; leave out --pages": self.options.get("pages"),
            f"--planner {self.planner} asks no model, and decides the same again; use --planner model": (
                not asks(self.planner, self.settings)
            ),
        }
        for reason, holds in reasons.items():
            if holds and self.look_ahead > 1:
                raise ConfigError(f"--look-ahead {self.look_ahead}: {reason}")

    def as_json(self) -> dict[str, Any]:
        """The recipe as JSON, for the journal."""
        return asdict(self)

    @classmethod
    def from_json(cls, table: Mapping[str, Any]) -> Recipe:
        """The recipe from the journal's JSON.

        Raises:
            ConfigError: another version wrote it.
        """
        try:
            tuples = {name: tuple(table.get(name, ())) for name in ("without", "left_out")}
            return cls(**{**table, **tuples})
        except TypeError as error:
            raise ConfigError(f"this run was started by another version of guiagent: {error}") from error


def asks(planner: str, settings: Mapping[str, Any]) -> bool:
    """Whether a model is asked; a key in the environment alone adds none to a benchmark."""
    named = bool(settings.get("model", {}).get("name"))
    return planner in ASKING or (named and (planner in ("auto", "cascade") or ":" in planner))


def default_demos(benchmark: str) -> str:
    """The folder of the demonstrations that come with the project; empty if there are none."""
    folder = content("") / benchmark / "demonstrations"
    return str(folder) if folder.is_dir() else ""


LIBRARIES = ("miniwob", "playwright", "pydantic", "rapidfuzz", "ray")
FORMAT = "guiagent-eval-1"


def journal(
    recipe: dict[str, Any],
    tasks: Sequence[str],
    seeds: Sequence[int],
    pace: RunLimits,
    engine: dict[str, str],
) -> dict[str, Any]:
    """Everything that decides the results of a run, and when and where it was started."""
    return {
        "format": FORMAT,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": ["guiagent", *sys.argv[1:]],
        "recipe": recipe,
        "tasks": list(tasks),
        "seeds": list(seeds),
        "pace": asdict(pace),
        "engine": engine,
        "versions": versions(),
        "commit": commit(),
        "offered": offers(recipe),
        "machine": {"platform": platform.platform(), "processors": os.cpu_count(), "load": os.getloadavg()},
    }


def offers(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """What the model of a run may be offered; skills and guides where a task is about them."""
    if not asks(recipe["planner"], recipe["settings"]):
        return {}
    from gui_agent.planners.llm.decision_schema import DECIDE
    from gui_agent.planners.llm.planner import LOOK, READ
    from gui_agent.settings import Settings, memory_file
    from gui_agent.skills import list_skills
    from gui_agent.skills.guides import list_guides, trusted_folders

    settings = Settings.model_validate(recipe["settings"])
    folders = trusted_folders() if settings.model.skills else ()
    return {
        "tools": [DECIDE, LOOK.name, READ.name],
        "skills": [one.name for one in list_skills(folders) if folders],
        "guides": [one.name for one in list_guides(folders)],
        "memory": str(memory_file(settings.memory)),
    }


def versions() -> dict[str, str]:
    """Python, the browser and the libraries that matter."""
    browser = _browser()
    return {**versions_of(LIBRARIES), **({"browser": browser} if browser else {})}


def commit() -> str:
    """The commit of the running checkout, with `+changes` if files differ; empty in an installed copy."""
    here = Path(__file__).resolve().parents[4]
    known = _output_of("git", "-C", str(here), "rev-parse", "HEAD")
    if not known:
        return ""
    code = ("gui_agent", "eval/src")
    changed = _output_of("git", "-C", str(here), "status", "--porcelain", "--untracked-files=no", "--", *code)
    return f"{known}+changes" if changed else known


def _browser() -> str:
    from gui_agent.computers.browser.launch import find_executable

    with suppress(ConfigError):
        executable = find_executable("", "", windowless=True)
        told = _output_of(executable, "--version")
        return f"{told} ({Path(executable).name})" if told else ""
    return ""


def _output_of(*command: str) -> str:
    with suppress(ConfigError):
        return output_of(command, 20).strip()
    return ""


def open_policy() -> dict[str, str]:
    """The guard's rules on the pages of benchmarks, as a section of the settings."""
    return {"policy": "eval"}
