"""How a benchmark is run: which benchmark, which agent, what is kept. Picklable, and kept in the journal."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from gui_agent import plugins, wiring
from gui_agent.content import content
from gui_agent.core.demonstration import Demonstration
from gui_agent.core.errors import ConfigError
from gui_agent.core.protocols import Planner
from gui_agent.core.texts import suggestion
from gui_agent.core.trajectory import Trajectory
from gui_agent.eval.ablations import ABLATIONS, NoReflection, OneAtATime
from gui_agent.eval.baselines import BlindSubmit, RandomClicks
from gui_agent.eval.benchmark import Benchmark, Case, Episode
from gui_agent.eval.episodes import Setup, Solver
from gui_agent.eval.records import Record
from gui_agent.eval.suites import suites
from gui_agent.eval.watching import WatchedComputer
from gui_agent.settings import Settings, override

Keep = Literal["none", "failed", "all"]
TRACES = "traces"
"""Folder in a run's folder: one folder per task, one in that per seed."""
OWN, ALL = "own", "all"


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

    def setup(self) -> Setup:
        """What a worker process calls.

        Raises:
            ConfigError: something in the recipe is wrong.
        """
        for name in self.without:
            if name not in ABLATIONS:
                raise ConfigError(f"--without {name}: there is no such part{suggestion(name, ABLATIONS)}")
        return functools.partial(make, self)

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


def make(recipe: Recipe) -> tuple[Benchmark, Solver]:
    """The benchmark and the agent of a recipe.

    Raises:
        ConfigError: a part or one of its options is wrong.
    """
    benchmark: Benchmark = plugins.make("benchmarks", recipe.benchmark, recipe.options)
    return benchmark, AgentSolver(recipe)


class AgentSolver:
    """Works on episodes with a fresh agent for each; learns the demonstrations of a task once."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._settings = override(
            Settings(), {**recipe.settings, "trace": {"folder": "", "pictures": recipe.trace != "none"}}
        )
        self._grounder = wiring.make_grounder(self._settings)
        self._planners: dict[str, Planner] = {}
        self._kept: dict[Case, Path] = {}

    def solve(self, episode: Episode, case: Case) -> Trajectory:
        """Work on one episode until the agent stops or the benchmark sees its end."""
        without = self._recipe.without
        planner = self._planner(case)
        settings, writer = self._settings, None
        if self._recipe.trace != "none":
            folder = Path(self._recipe.folder) / TRACES / case.task
            settings = override(settings, {"trace": {"folder": str(folder)}})
            writer = wiring.make_writer(settings)
        watched = WatchedComputer(episode)
        agent = wiring.build(
            settings,
            watched,
            planner=OneAtATime(planner) if "batches" in without else planner,
            reflector=NoReflection() if "reflection" in without else None,
            observers=[writer] if writer else [],
        )
        watched.stop = agent.stop
        trajectory = agent.run(episode.task)
        if writer and writer.folder:
            self._kept[case] = _renamed(writer.folder, str(case.seed))
        return trajectory

    def filed(self, record: Record) -> Record:
        """Keep the trace with its report, or throw it away, as the recipe wants it."""
        folder = self._kept.pop(record.case, None)
        if folder is None:
            return record
        if self._recipe.trace == "failed" and record.success:
            _remove(folder)
            return record
        from gui_agent.trace import write_report

        write_report(folder)
        return replace(record, trace=str(folder.relative_to(self._recipe.folder)))

    def _planner(self, case: Case) -> Planner:
        """The planner for a case; those that learn are made once per task or once for all."""
        kind = self._recipe.planner
        if kind == "random":
            return RandomClicks(case.seed)
        if kind == "blind":
            return BlindSubmit()
        key = case.task if self._recipe.demos_of == OWN else ""
        if key not in self._planners:
            settings = override(self._settings, {"planner": {"kind": kind}})
            self._planners[key] = wiring.make_planner(settings, self._grounder, self._demos(case.task))
        return self._planners[key]

    def _demos(self, task: str) -> list[Demonstration]:
        recipe = self._recipe
        if not recipe.demos:
            return []
        names = [task] if recipe.demos_of == OWN else demonstrated(recipe)
        return [demo for name in names for demo in wiring.load_demos(demo_files(recipe, name))]


def demo_files(recipe: Recipe, task: str) -> Sequence[Path]:
    """The files with demonstrations of a task, as many as the recipe allows."""
    return sorted((Path(recipe.demos) / task).glob("*.json"))[: recipe.max_demos]


def demonstrated(recipe: Recipe) -> list[str]:
    """The tasks whose demonstrations are pooled.

    Raises:
        ConfigError: there is no such suite.
    """
    have = sorted(path.name for path in Path(recipe.demos).iterdir() if path.is_dir())
    if recipe.demos_of == ALL:
        return have
    known = {suite.name: suite.tasks for suite in suites(recipe.benchmark)}
    if recipe.demos_of not in known:
        names = (*known, OWN, ALL)
        raise ConfigError(f"--demos-of {recipe.demos_of}: no such suite{suggestion(recipe.demos_of, names)}")
    return [task for task in have if task in known[recipe.demos_of]]


def default_demos(benchmark: str) -> str:
    """The folder of the demonstrations that come with the project; empty when there are none."""
    folder = Path(str(content("eval"))) / benchmark / "demonstrations"
    return str(folder) if folder.is_dir() else ""


def _renamed(folder: Path, name: str) -> Path:
    target = folder.with_name(name)
    if target.exists():
        _remove(target)
    return folder.rename(target)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
