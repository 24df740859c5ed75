"""The best of several runs of an episode, chosen without its grade as `guiagent run --best-of` does it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from gui_agent.core.trajectory import Trajectory
from gui_agent.models import Spending
from gui_agent.planners.llm.choosing import choose_run
from gui_agent.settings import Settings, override
from guiagent_eval.benchmark import Benchmark, Case, Episode
from guiagent_eval.episodes import Solver, run_episode
from guiagent_eval.records import Record


class SettledSolver(Solver, Protocol):
    """A solver whose agent has settings."""

    observers: list[object]

    @property
    def settings(self) -> Settings:
        """The settings of the agent."""


class BestOf:
    """Works on each episode several times, each time from its beginning, and keeps one run."""

    def __init__(self, solver: SettledSolver, runs: int, judge: str, folder: Path) -> None:
        """
        Args:
            judge: the model that chooses among those that ended well; empty for none.
            folder: of the benchmark run, which has the traces.
        """
        self._solver, self._runs, self._judge, self._folder = solver, runs, judge, folder
        self._last: Trajectory | None = None
        self.observers = solver.observers

    def prepare(self, case: Case) -> None:
        """Prepare like the solver."""
        self._solver.prepare(case)

    def solve(self, episode: Episode, case: Case) -> Trajectory:
        """Solve like the solver, once."""
        self._last = self._solver.solve(episode, case)
        return self._last

    def file_record(self, record: Record) -> Record:
        """File the record like the solver."""
        return self._solver.file_record(record)

    def run_case(self, benchmark: Benchmark, case: Case, attempt: int) -> Record:
        """The record of the chosen run, with the cost of all of them; raises like `run_episode`."""
        all_: list[Record] = []
        runs: list[Trajectory] = []
        for number in range(1, self._runs + 1):
            all_.append(self._with_own_trace(run_episode(benchmark, self, case, attempt), number))
            assert self._last is not None
            runs.append(self._last)
        place, judged = choose_with_costs(runs, self._solver.settings, self._judge)
        told = {"best_of": len(all_), "chosen": place + 1}
        return replace(
            all_[place],
            tokens=sum(one.tokens for one in all_) + judged.usage.read + judged.usage.wrote,
            cost=round(sum(one.cost for one in all_) + judged.cost, 6),
            seconds=round(sum(one.seconds for one in all_), 4),
            model_calls=sum(one.model_calls for one in all_) + judged.calls,
            details={**all_[place].details, **told},
        )

    def _with_own_trace(self, record: Record, number: int) -> Record:
        """The record with its trace in a folder that the next run does not use."""
        if not record.trace:
            return record
        own = f"{record.trace}.{number}"
        shutil.rmtree(self._folder / own, ignore_errors=True)
        (self._folder / record.trace).rename(self._folder / own)
        return replace(record, trace=own)


def choose_with_costs(runs: Sequence[Trajectory], settings: Settings, judge: str) -> tuple[int, Spending]:
    """The index of the best run, and what the judge cost.

    Args:
        judge: a model, which gets the rest of its settings from those given; empty for none.
    """
    if not judge:
        return choose_run(runs)[0], Spending()
    from gui_agent.wiring.models import make_models, need_models

    with closing(need_models(make_models(override(settings, {"model": {"name": judge}})))) as models:
        return choose_run(runs, models.model)[0], models.budget.total
