"""What was learned: keeping it, running it as a skill, and explaining what would be done with a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.core.trajectory import Demonstration, Result, Task
from gui_agent.settings import Settings, load
from gui_agent.wiring.routing import Demo, Route, is_command, load_known, route
from gui_agent.wiring.running import as_task, run

if TYPE_CHECKING:
    from gui_agent.procedures.library.learning import Learned
    from gui_agent.procedures.library.memory import Memory as ProcedureMemory
    from gui_agent.skills import Skill


def learn(
    source: Path | str,
    *,
    task: str = "",
    name: str = "",
    memory: ProcedureMemory | None = None,
    start: str = "",
    review: Callable[[Demonstration], Demonstration] | None = None,
) -> Learned:
    """Keep a finished, verified run, a demonstration or another tool's recording in the memory.

    Like `procedures.learning.learn`, but a run of plain commands has to be given a name by `task`.
    """
    from gui_agent.procedures.library import learning

    return learning.learn(
        source, task=task, name=name, memory=memory, start=start, is_command=is_command, review=review
    )


def run_skill(
    skill: Skill | str, values: Mapping[str, object] | None = None, *, url: str = "", **options: Any
) -> Result:
    """Run a skill pack with values for its parameters; returns what `run` returns.

    Args:
        skill: the pack, its name, or its folder.
        values: by parameter; texts, numbers, dates, times and lists are taken.
        url: where to begin, in place of the skill's own address.
        options: those of `run`.
    """
    from gui_agent.procedures.library.learning import prepare
    from gui_agent.skills import load_skill

    found = load_skill(skill) if isinstance(skill, str) else skill
    program, given = prepare(found, values or {})
    return run(program.instruction(given), url=url or found.start, demo=program, values=given, **options)


def explain(
    task: Task | str,
    *,
    url: str = "",
    demo: Demo | Sequence[Demo] | None = None,
    values: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Route:
    """What `run` would do with a task, and why. Nothing is done."""
    settings = settings or load()
    known = load_known(demo)
    found = route(as_task(task, url, values, known), settings, known)
    if not known:
        return found
    from gui_agent.procedures.library.memory import given_procedures
    from gui_agent.procedures.library.recognise import among

    return replace(found, recognition=among(found.task, given_procedures(known)))
