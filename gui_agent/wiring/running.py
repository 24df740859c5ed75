"""Runs a task from its text to its ending: route, parts, run, report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.agent.guard import LEDGER, Ledger
from gui_agent.core import deadline
from gui_agent.core.demonstration import Demonstration
from gui_agent.core.errors import ConfigError, MissingKey
from gui_agent.core.protocols import Approver, Computer, ExemplarSource, Observer
from gui_agent.core.redaction import REFERENCE
from gui_agent.core.trajectory import Result, Step, Task, Trajectory, Turn
from gui_agent.planners.commands import Unparsed
from gui_agent.settings import Settings, load, override
from gui_agent.wiring.parts import (
    Ask,
    build,
    known_secrets,
    make_guard,
    make_writer,
)
from gui_agent.wiring.routing import Demo, Known, Route, has_model, is_command, load_known, route

if TYPE_CHECKING:
    from gui_agent.procedures.library.learning import Learned
    from gui_agent.procedures.library.memory import Memory as ProcedureMemory
    from gui_agent.skills import Skill
    from gui_agent.trace import RunWriter
    from gui_agent.wiring.models import ModelParts


def run(
    task: Task | str,
    *,
    url: str = "",
    demo: Demo | Sequence[Demo] | None = None,
    values: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    computer: Computer | None = None,
    yes: bool = False,
    observers: Sequence[Observer] = (),
    approver: Approver | None = None,
    ask: Ask | None = None,
    begun: Trajectory | None = None,
    ledger: Path | str | None = None,
    **sections: Mapping[str, Any],
) -> Result:
    """Do a task and return how it ended; the trace and its report are in `result.folder`.

    Args:
        task: plain commands, or the instruction of a demonstration or of something learned.
        url: address to begin at; that of the demonstration when it is empty.
        demo: one or several recorded demonstrations of the task, to run again with new `values`.
        computer: a screen that is already open, and stays open; otherwise the one in the settings is used.
        yes: answer every question of the guard with yes; what is forbidden stays forbidden.
        approver: who answers the guard's questions; by default the person at the terminal, if there is one.
        ask: puts a planner's question to the person.
        begun: the earlier part of this run, which was interrupted.
        ledger: the file in which that part kept what it sent, paid or submitted; none of it is done again.
        sections: settings by section, such as `limits={"steps": 20}`.

    Raises:
        ConfigError: a setting or the demonstration is wrong, or the task names a secret that is not set;
            nothing was touched.
        Unavailable: the browser, display or phone could not be started.
    """
    settings = override(override(settings or load(), sections), {"guard": {"yes": True}} if yes else {})
    known = load_known(demo)
    task = _task(task, url, values, known)
    _know_secrets(task, settings)
    with deadline.ends_in(settings.limits.seconds):
        chosen = route(task, settings, known)
        with ExitStack() as stack:
            writer = make_writer(settings)
            done = Ledger(before=Path(ledger) if ledger else None)
            kept: list[Observer] = [writer, _Kept(done, writer)] if writer else []
            models = _models(settings, stack) if has_model(settings) else None
            agent = build(
                settings,
                computer,
                route=chosen,
                guard=make_guard(settings, approver, done),
                observers=[*kept, *observers],
                ask=ask,
                models=models,
                memory=_shown(settings, chosen) if models is not None else None,
            )
            if computer is None:
                stack.enter_context(agent.computer)
            stack.enter_context(_filed(writer, observers))
            started = time.perf_counter()
            trajectory = agent.run(chosen.task, begun)
            seconds = time.perf_counter() - started
            _say_what_was_spent(models, observers)
        folder = writer.folder if writer else None
        if chosen.recognition is not None or settings.memory.learn == "verified":
            from gui_agent.procedures.library.evidence import take_note

            plain = not isinstance(chosen.commands, Unparsed)
            take_note(
                settings, chosen.recognition, trajectory, f"run {folder.name}" if folder else "", plain=plain
            )
    return _result(trajectory, seconds, folder, models)


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

    Raises:
        ConfigError: the run is not verified, or the file holds nothing to learn from; says why.
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

    Raises:
        ConfigError: there is no such skill, or a value is unknown, missing or of the wrong type.
        Unavailable: the screen could not be opened.
    """
    from gui_agent.procedures.library.packs import prepared
    from gui_agent.skills import load_skill

    found = load_skill(skill) if isinstance(skill, str) else skill
    program, given = prepared(found, values or {})
    return run(program.instruction(given), url=url or found.start, demo=program, values=given, **options)


def explain(
    task: Task | str,
    *,
    url: str = "",
    demo: Demo | Sequence[Demo] | None = None,
    values: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Route:
    """What `run` would do with a task, and why. Nothing is done.

    Raises:
        ConfigError: a setting or a demonstration is wrong, or the memory cannot be used.
    """
    settings = settings or load()
    known = load_known(demo)
    found = route(_task(task, url, values, known), settings, known)
    if not known:
        return found
    from gui_agent.procedures.library.memory import given_procedures
    from gui_agent.procedures.library.recognise import among

    return replace(found, recognition=among(found.task, given_procedures(known)))


def _task(task: Task | str, url: str, values: Mapping[str, str] | None, demos: Sequence[Known]) -> Task:
    """The task with what the demonstrations say where the caller says nothing."""
    given = Task(task) if isinstance(task, str) else task
    start = url or given.start or next((demo.start for demo in demos if demo.start), "")
    named = {**given.values, **(values or {})}
    text = given.text or next((_said(demo, named) for demo in demos), "")
    return Task(text, start, named, given.criteria)


def _know_secrets(task: Task, settings: Settings) -> None:
    """
    Raises:
        MissingKey: the task refers to a secret that is not set.
    """
    known, said = known_secrets(settings), " ".join([task.text, *task.values.values()])
    unknown = [name for name in REFERENCE.findall(said) if name not in known]
    if unknown:
        names = f"; those that are set: {', '.join(sorted(known))}" if known else ""
        raise MissingKey(
            f"the secret {unknown[0]} is not set: export GUIAGENT_SECRET_{unknown[0]}=..., or give "
            f"--secret {unknown[0]}=...{names}"
        )


def _said(demo: Known, values: Mapping[str, str]) -> str:
    """What a demonstration or procedure is for, as one would ask for it."""
    return demo.task if isinstance(demo, Demonstration) else demo.instruction(values)


def _models(settings: Settings, stack: ExitStack) -> ModelParts | None:
    """The models of the run, closed at its end; their parts are loaded only here."""
    from gui_agent.wiring.models import make_models

    models = make_models(settings)
    if models is not None:
        stack.callback(models.close)
    return models


def _shown(settings: Settings, chosen: Route) -> ExemplarSource | None:
    """The runs that a model is shown; none for plain commands, which cost no search of the memory."""
    if chosen.recognition is None and settings.planner.kind not in ("model", "subgoals"):
        return None
    from gui_agent.procedures.library.exemplars import shown_runs

    return shown_runs(settings)


def _say_what_was_spent(models: ModelParts | None, observers: Sequence[Observer]) -> None:
    from gui_agent.trace import LiveView

    if models is None or not models.budget.total.calls:
        return
    for observer in observers:
        if isinstance(observer, LiveView):
            observer.spent(models.budget.told())


def _result(trajectory: Trajectory, seconds: float, folder: Path | None, models: ModelParts | None) -> Result:
    assert trajectory.ending is not None
    spent = models.budget.total if models is not None else None
    return Result(
        trajectory.ending,
        trajectory.notes,
        len(trajectory.steps),
        seconds,
        spent.calls if spent else trajectory.model_calls,
        str(folder or ""),
        spent.usage.read + spent.usage.wrote if spent else 0,
        spent.cost if spent else 0.0,
    )


class _Kept:
    """Keeps the ledger of a run in its folder, which is there once the run has started; an Observer."""

    def __init__(self, ledger: Ledger, writer: RunWriter) -> None:
        self._ledger, self._writer = ledger, writer

    def started(self, task: Task) -> None:
        if self._writer.folder is not None:
            self._ledger.keep(self._writer.folder / LEDGER)

    def decided(self, turn: Turn) -> None: ...

    def stepped(self, step: Step) -> None: ...

    def ended(self, trajectory: Trajectory) -> None: ...


@contextmanager
def _filed(writer: RunWriter | None, observers: Sequence[Observer]) -> Iterator[None]:
    """Writes the report however the run ends; a live view and an error are told where it is."""
    from gui_agent.trace import LiveView, write_report

    if writer is None:
        yield
        return
    try:
        yield
    except BaseException as error:
        if writer.folder:
            error.add_note(f"trace: {writer.folder}")
        raise
    finally:
        if writer.folder:
            report, problems = None, writer.problems
            try:
                report = write_report(writer.folder)
            except ConfigError as error:
                problems = (*problems, str(error))
            for observer in observers:
                if isinstance(observer, LiveView):
                    observer.filed(report, problems)
