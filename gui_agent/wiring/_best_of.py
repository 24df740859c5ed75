"""Runs a task several times where that leaves nothing behind, and keeps the best run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Result, Task
from gui_agent.settings import Settings
from gui_agent.wiring.models import make_models, need_models
from gui_agent.wiring.running import run

_NEEDED: Mapping[str, Mapping[str, Any]] = {
    "browser": {"profile": "", "login": "", "attach": ""},
    "virtual": {"home": "fresh"},
    "guest": {"reset": True},
}
"""The screens that can begin each run anew, with the options that this takes."""


def run_best(task: Task | str, runs: int, settings: Settings, **how: Any) -> tuple[Result, str]:
    """The best of up to `runs` runs, each on a screen of its own, and why it is that one.

    A run that sent something is the last: another one would send it again. Tokens and dollars of the result
    are those of all runs and of the comparison.

    Args:
        how: as for `run`, without a screen.

    Raises:
        ConfigError: the screen cannot begin anew, or no model is set; nothing was touched.
        As `run`.
    """
    _check_that_runs_begin_anew(settings)
    from gui_agent.planners.llm.choosing import choose_run

    with closing(need_models(make_models(settings))) as models:
        results: list[Result] = []
        sent = False
        while len(results) < runs and not sent:
            results.append(run(task, settings=settings, **how))
            sent = any(step.requests for step in results[-1].trajectory.steps)
        place, why = choose_run([one.trajectory for one in results], models.model)
        paid = [*results, models.with_costs(results[place], ())]
    told = (
        f"run {place + 1} of {len(results)} is kept: {why}{'; the last one sent something' if sent else ''}"
    )
    tokens, cost = sum(one.tokens for one in paid), sum(one.cost for one in paid)
    return replace(results[place], tokens=tokens, cost=cost), told


def _check_that_runs_begin_anew(settings: Settings) -> None:
    kind, options = settings.computer.kind, settings.computer.options
    needed = _NEEDED.get(
        "guest" if kind.startswith("guest:") else kind, {"kind": "browser, virtual or guest"}
    )
    for name, value in needed.items():
        if options.get(name, "") != value:
            said = json.dumps(value)
            raise ConfigError(
                f"--best-of runs a task several times: {kind} would need {name} = {said} to begin anew"
            )
