"""The agent that works on the episodes of a benchmark run, built from the run's recipe."""

from __future__ import annotations

import functools
import json
import shutil
from dataclasses import replace
from pathlib import Path

from gui_agent import plugins, wiring
from gui_agent.content import LEFT_OUT
from gui_agent.core.errors import ConfigError
from gui_agent.core.protocols import Grounder, Planner
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.memory.exemplars import LessonSource
from gui_agent.models import Spending
from gui_agent.procedures.language.program import Program
from gui_agent.settings import Settings, override
from gui_agent.wiring import remember_aliases
from gui_agent.wiring.models import ModelParts, make_models
from gui_agent.wiring.parts import Ask
from guiagent_eval.apps import PROOFS, ProofSolver
from guiagent_eval.baselines import LEARNING, BlindSubmit, NoReflection, OneAtATime, RandomClicks
from guiagent_eval.benchmark import Benchmark, Case, Episode, Forks
from guiagent_eval.checkpoints import CHECKPOINTS, TRACE, CheckpointKeeper, Keeps
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe, asks
from guiagent_eval.episodes import Peopled, Setup, Solver, WatchedComputer
from guiagent_eval.live import LiveFile
from guiagent_eval.practice.best_of import BestOf
from guiagent_eval.practice.look_ahead import LookAhead
from guiagent_eval.records import Record

NAMES = "names.db"
"""File in a run's folder: what the person's answers called things, which later episodes know."""
TRACES = "traces"
"""Folder in a run's folder: one folder per task, one in that per seed."""
UNKNOWN = "no procedure could be learned for this task"


def setup(recipe: Recipe, knowledge: Knowledge) -> Setup:
    """The function that a worker process calls; shared knowledge is learned here, once.

    Args:
        knowledge: of this recipe.
    """
    if recipe.planner in LEARNING:
        knowledge.programs(knowledge.shared_tasks)
    return functools.partial(make, recipe, knowledge)


def make(recipe: Recipe, knowledge: Knowledge) -> tuple[Benchmark, Solver]:
    """The benchmark and the agent of a recipe.

    Raises:
        ConfigError: a part or one of its options is wrong.
    """
    LEFT_OUT.update(recipe.left_out)
    benchmark: Benchmark = plugins.make("benchmarks", recipe.benchmark, recipe.options)
    if recipe.planner in PROOFS and recipe.benchmark in ("apps", "osworld"):
        return benchmark, ProofSolver(recipe.planner)
    if recipe.options.get("path"):
        from guiagent_eval.model_path.solver import PathSolver

        return benchmark, PathSolver(recipe.settings, recipe.folder)
    if recipe.planner == "recorded" and recipe.benchmark == "osworld":
        from guiagent_eval.osworld.actions import RecordedSolver

        return benchmark, RecordedSolver(recipe.demos)
    forks = benchmark if isinstance(benchmark, Forks) else None
    if recipe.look_ahead > 1 and forks is None:
        raise ConfigError(
            f"--look-ahead: {benchmark.name} has no forks, whose actions have no effect outside"
        )
    solver = AgentSolver(recipe, knowledge, forks)
    if recipe.best_of > 1:
        return benchmark, BestOf(solver, recipe.best_of, recipe.judge, Path(recipe.folder))
    return benchmark, solver


class AgentSolver:
    """Works on episodes with a fresh agent for each; demonstrations are learned once."""

    def __init__(self, recipe: Recipe, knowledge: Knowledge, forks: Forks | None = None) -> None:
        self._forks, self._ahead = forks, dict[Case, LookAhead]()
        self._recipe = recipe
        self._asks = asks(recipe.planner, recipe.settings)
        kept = {"folder": "", "pictures": recipe.trace != "none"}
        self._settings = override(
            Settings(), {**recipe.settings, "trace": {**recipe.settings.get("trace", {}), **kept}}
        )
        if recipe.options.get("asks"):
            # What the person called things in this run alone, by application.
            self._settings = override(self._settings, {"memory": {"path": f"{recipe.folder}/{NAMES}"}})
        if "lessons" in recipe.without:
            self._settings = override(self._settings, {"memory": {"lessons": ""}})
        self._grounder = wiring.make_grounder(self._settings)
        self._knowledge = knowledge
        self._planners: dict[tuple[str, ...], Planner] = {}
        self._kept: dict[Case, Path] = {}
        self._costs: dict[Case, Spending] = {}
        self._keepers: dict[Case, CheckpointKeeper] = {}
        self.observers: list[object] = []
        """The observers of all runs."""

    @property
    def settings(self) -> Settings:
        """The settings of the agent."""
        return self._settings

    def prepare(self, case: Case) -> None:
        """Learn what the case needs before its time runs."""
        if self._asks:
            self._programs_for(case)
            self._knowledge.exemplars(case)
        else:
            self._planner(case, self._grounder)

    def solve(self, episode: Episode, case: Case) -> Trajectory:
        """Work on one episode until the agent stops or the benchmark sees its end."""
        # The models of one episode share a budget of their own.
        models = make_models(self._settings) if self._asks else None
        try:
            return self._solve(episode, case, models)
        finally:
            if models is not None:
                self._costs[case] = models.budget.total
                models.close()

    def _solve(self, episode: Episode, case: Case, models: ModelParts | None) -> Trajectory:
        without = self._recipe.without
        grounder = models.grounder(self._grounder) if models is not None else self._grounder
        person = episode.person if isinstance(episode, Peopled) else None
        ask = person.ask if person is not None else None
        planner = self._episode_planner(self._planner(case, grounder, models, ask), case, grounder)
        settings, keeper = self._settings, None
        place = Path(self._recipe.folder) / TRACES / case.task
        if self._recipe.snapshots and isinstance(episode, Keeps) and episode.keeps():
            folder = Path(self._recipe.folder) / CHECKPOINTS / case.task / str(case.seed)
            place = folder / TRACE
            keeper = self._keepers[case] = CheckpointKeeper(
                folder,
                episode,
                self._recipe.snapshots,
                trace=lambda: writer.folder if writer else None,
                spent=lambda: _costs(models.budget.total) if models is not None else (0, 0.0),
            )
        writer = None
        if self._recipe.trace != "none" or keeper is not None:
            settings = override(settings, {"trace": {"folder": str(place)}})
            writer = wiring.make_writer(settings)
        begun = keeper.restore() if keeper is not None else None
        lessons, exemplars = self._settings.memory.lessons, self._knowledge.exemplars(case)
        watched = WatchedComputer(episode)
        for one in self.observers:
            if isinstance(one, LiveFile):
                one.look_at(episode.computer)
        if person is not None and isinstance(episode, Peopled) and episode.policy:
            settings = override(settings, {"guard": {"policy": episode.policy}})
        agent = wiring.build(
            settings,
            watched,
            planner=planner,
            grounder=grounder,
            reflector=NoReflection() if "reflection" in without else None,
            guard=wiring.make_guard(settings, person),
            observers=[*filter(None, (writer, keeper, person)), *self.observers],
            ask=ask,
            models=models,
            memory=LessonSource(Path(lessons), exemplars) if lessons else exemplars,
        )
        watched.stop = agent.control.stop
        trajectory = agent.run(episode.task, begun).trajectory
        if person is not None:
            remember_aliases(settings, trajectory)
        if writer and writer.folder and self._recipe.trace != "none":
            kept = Path(self._recipe.folder) / TRACES / case.task / str(case.seed)
            self._kept[case] = _move(writer.folder, kept)
        return trajectory

    def file_record(self, record: Record) -> Record:
        """Add the cost of the models; keep the trace with its report or delete it, as the recipe says."""
        spent = self._costs.pop(record.case, None)
        tokens, cost = _costs(spent) if spent is not None else (0, 0.0)
        keeper = self._keepers.pop(record.case, None)
        if keeper is not None:
            keeper.forget()
            if (begun := keeper.begun) is not None:
                record = replace(record, resumed=begun.steps)
                tokens, cost = tokens + begun.tokens, cost + begun.cost
        record = replace(record, tokens=tokens, cost=cost)
        if (ahead := self._ahead.pop(record.case, None)) is not None:
            record = ahead.add_costs(record)
        folder = self._kept.pop(record.case, None)
        if folder is None:
            return record
        if self._recipe.trace == "failed" and record.success:
            shutil.rmtree(folder, ignore_errors=True)
            return record
        from gui_agent.trace import write_report

        if told := record.details.get("questions"):
            (folder / "questions.json").write_text(json.dumps(told, indent=1), encoding="utf-8")
        write_report(folder)
        return replace(record, trace=str(folder.relative_to(self._recipe.folder)))

    def _episode_planner(self, planner: Planner, case: Case, grounder: Grounder) -> Planner:
        """The planner with what the recipe adds to its decisions."""
        if "batches" in self._recipe.without:
            planner = OneAtATime(planner)
        if self._forks is None or self._recipe.look_ahead < 2:
            return planner
        fork = functools.partial(self._forks.fork, case)
        planner = LookAhead(
            planner, self._recipe.look_ahead, fork, self._settings, grounder, self._recipe.judge
        )
        self._ahead[case] = planner
        return planner

    def _programs_for(self, case: Case) -> tuple[tuple[str, ...], tuple[Program, ...]]:
        """The tasks whose demonstrations the agent knows here, and the programs learned from them."""
        group = self._knowledge.group(case.task) if self._recipe.planner in LEARNING else ()
        return group, self._knowledge.programs(group)

    def _planner(
        self, case: Case, grounder: Grounder, models: ModelParts | None = None, ask: Ask | None = None
    ) -> Planner:
        """The planner for a case; learning planners are made once for all tasks with the same knowledge."""
        kind = self._recipe.planner
        if kind == "random":
            return RandomClicks(case.seed)
        if kind == "blind":
            return BlindSubmit()
        group, known = self._programs_for(case)
        if group not in self._planners or models is not None or ask is not None:
            settings = override(self._settings, {"planner": {"kind": kind}})
            # An episode's instruction is no plain command, and the recipe bounds what is learned.
            first = "demonstration" if known else "none"
            planners = wiring.stages(settings, first)
            route = wiring.Route(Task(""), planners, "" if known else UNKNOWN, known=known)
            made = wiring.make_planner(route, settings, grounder, models=models, ask=ask)
            if ask is not None:  # The person of one episode is not the person of the next.
                return made
            self._planners[group] = made
        return self._planners[group]


def _costs(spending: Spending) -> tuple[int, float]:
    return spending.usage.read + spending.usage.wrote, spending.cost


def _move(folder: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    return folder.rename(target)
