"""Runs a task from its text to its ending: route, parts, run, report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_bytes
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gui_agent.agent import answers
from gui_agent.agent.guard.asking import AnyApprover
from gui_agent.agent.guard.ledger import LedgerKeeper
from gui_agent.agent.limits import RunControl, limited_time
from gui_agent.core.clarification import Wordings
from gui_agent.core.errors import ConfigError, MissingKey
from gui_agent.core.private_data import PrivateData
from gui_agent.core.protocols import Computer, ExemplarSource, Grounder, Guard, Planner
from gui_agent.core.redaction import REFERENCE
from gui_agent.core.trajectory import Demonstration, Output, Result, Step, Task, Trajectory
from gui_agent.planners.commands import Unparsed
from gui_agent.settings import Settings, load, override
from gui_agent.trace.report import file_report
from gui_agent.wiring._aliases import remember_aliases
from gui_agent.wiring._wordings import learn_answer, route_taken
from gui_agent.wiring.observers import listeners
from gui_agent.wiring.parts import Ask, build, known_secrets, make_guard, make_writer
from gui_agent.wiring.routing import Demo, Known, Route, has_model, load_known, route

if TYPE_CHECKING:
    from gui_agent.trace import RunWriter
    from gui_agent.wiring._effects import WantedEffects
    from gui_agent.wiring.models import ModelParts

Part = str | Mapping[str, Any]
_KEYS = {"computer": "kind", "planner": "kind", "grounder": "kind", "model": "name", "guard": "policy"}
"""The setting of a section that a plain name stands for."""


def run(  # noqa: PLR0913 - one for each thing that a caller may decide
    task: Task | str,
    *,
    url: str = "",
    demo: Demo | Sequence[Demo] | None = None,
    values: Mapping[str, str] | None = None,
    schema: type[Output] | Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    computer: Computer | Part | None = None,
    planner: Planner | Part | None = None,
    grounder: Grounder | Part | None = None,
    guard: Guard | Part | None = None,
    yes: bool = False,
    observers: Sequence[object] = (),
    on_step: Callable[[Step], object] | None = None,
    approver: AnyApprover | None = None,
    ask: Ask | None = None,
    control: RunControl | None = None,
    tools: Sequence[object] = (),
    begun: Trajectory | None = None,
    ledger: Path | str | None = None,
    private: PrivateData | None = None,
    **sections: Part,
) -> Result[Output]:
    """Do a task and return how it ended; the trace is in `result.folder`.

    Args:
        task: plain commands, or the instruction of a demonstration or of a learned procedure.
        url: address to begin at; if empty, that of the demonstration.
        demo: recorded demonstrations of the task, to run again with new `values`.
        schema: the type of the answer, which is then `Result.output`: float, a dataclass, a pydantic model
            or, for language models, a JSON Schema. It contains only values that a screen showed.
        computer: an open screen, which stays open; or the name or settings of one.
        planner, grounder, guard: an object, a name, or a table of settings.
        yes: answer every question of the guard with yes; what is forbidden stays forbidden.
        observers: objects with any of the methods of `Observer`.
        on_step: called with each step.
        approver: answers the guard's questions; by default the person at the terminal, if there is one.
        ask: asks the person a planner's question.
        control: stops, pauses and messages the run from another thread.
        tools: what a model may call besides the screen: functions, `@tool` functions (which the guard judges
            by their meaning) and `GuardedTool` objects.
        begun: the earlier part of this run, which was interrupted.
        ledger: the file with that part's side effects; none of them is repeated.
        private: personal data that earlier runs on the open screen have seen.
        sections: settings by section, such as `limits={"steps": 20}`, or a name: `model="openai/..."`.

    Raises:
        ConfigError: a setting or the demonstration is wrong, or the task names a secret that is not set;
            nothing was touched.
        Unavailable, LimitReached: the browser, display or phone could not be started, or not in time.
    """
    objects: dict[str, Any] = {"computer": computer, "planner": planner, "grounder": grounder, "guard": guard}
    settings = _with_tables(settings or load(), objects, sections, yes=yes)
    known = load_known(demo)
    task = as_task(task, url, values, known)
    if schema is not None:
        task = replace(task, wanted=answers.schema_of(schema))
    _know_secrets(task, settings, private)
    with limited_time(settings.limits.seconds):
        effects = _outside_effects(settings, task) if settings.outcome.effects else None
        chosen = route(task, settings, known)
        by_code = schema and not objects["planner"] and answers.read_by_code(schema, chosen.planners)
        if by_code:
            chosen = _with_answer_as_text(chosen)
        with ExitStack() as stack:
            writer = make_writer(settings)
            done = _ledger_keeper(writer, ledger)
            models = _open_models(settings, stack, tools) if has_model(settings) else None
            observers = [*observers, *listeners(settings, models)]
            objects["guard"] = objects["guard"] or make_guard(settings, approver, done)
            agent = build(
                settings,
                route=chosen,
                observers=[*_run_keepers(writer, done, on_step), *observers],
                control=control,
                ask=ask,
                private=private,
                models=models,
                memory=_exemplar_source(settings, chosen) if models is not None else None,
                **objects,
            )
            if objects["computer"] is None:
                stack.callback(agent.computer.close)
            agent.effects = effects
            if effects is not None:
                effects.read_clipboard(agent.computer)
            stack.push(partial(file_report, writer, observers))
            result = agent.run(chosen.task, begun)
            result = models.with_costs(result, observers) if models is not None else result
        result = _filed_result(result, writer, task, schema, by_code=bool(by_code))
        _remember(settings, chosen, result, observers, agent.wordings)
    return result


def _filed_result(
    result: Result, writer: RunWriter | None, task: Task, schema: Any, *, by_code: bool
) -> Result:
    """The result with its folder, and with its answer as a value if the task wants one."""
    folder = writer.folder if writer else None
    if task.wanted:
        result = answers.with_output(result, schema, by_code=by_code, folder=folder)
    return replace(result, folder=str(folder or ""))


def _with_answer_as_text(chosen: Route) -> Route:
    """The route with an answer in the words of the screen, which code converts afterwards."""
    return replace(chosen, task=replace(chosen.task, wanted=""))


def _outside_effects(settings: Settings, task: Task) -> WantedEffects:
    from gui_agent.wiring._effects import WantedEffects

    return WantedEffects(settings.outcome.effects, task.values, known_secrets(settings))


def _with_tables(
    settings: Settings, parts: dict[str, Any], sections: Mapping[str, Part], *, yes: bool
) -> Settings:
    """The settings with parts given by name or as a table; only objects remain in `parts`."""
    tables: dict[str, Any] = dict(sections)
    for name, part in parts.items():
        if isinstance(part, str | Mapping):
            tables[name], parts[name] = part, None
    for name, part in tables.items():
        if isinstance(part, str) and name in _KEYS:
            tables[name] = {_KEYS[name]: part}
    if yes:
        tables["guard"] = {**tables.get("guard", {}), "yes": True}
    return override(settings, tables) if tables else settings


def as_task(task: Task | str, url: str, values: Mapping[str, str] | None, demos: Sequence[Known]) -> Task:
    """The task, completed from the demonstrations where the caller gives nothing."""
    given = Task(task) if isinstance(task, str) else task
    start = url or given.start or next((demo.start for demo in demos if demo.start), "")
    named = {**given.values, **(values or {})}
    said = (demo.task if isinstance(demo, Demonstration) else demo.instruction(named) for demo in demos)
    return replace(given, text=given.text or next(said, ""), start=start, values=named)


def _know_secrets(task: Task, settings: Settings, private: PrivateData | None) -> None:
    known, said = known_secrets(settings), " ".join([task.text, *task.values.values()])
    for name, value in task.values.items():
        if f"{{{name}}}" in task.text and not known.keys().isdisjoint(REFERENCE.findall(value)):
            raise ConfigError(f"{name} is {value}: a value must not name a secret; write it into the task")
    unknown = sorted(set(REFERENCE.findall(said)).difference(known, private.found if private else ()))
    if unknown:
        names = f"; secrets that are set: {', '.join(sorted(known))}" if known else ""
        raise MissingKey(
            f"the secret {unknown[0]} is not set: export GUIAGENT_SECRET_{unknown[0]}=..., or give "
            f"--secret {unknown[0]}=...{names}; give personal data directly if this run has not seen it"
        )


def _ledger_keeper(writer: RunWriter | None, earlier: Path | str | None) -> LedgerKeeper:
    """Stores the run's side effects; without a writer, only for the duration of the run."""
    before = Path(earlier) if earlier else None
    if writer is None:
        return LedgerKeeper(lambda: None, before, bytes)
    return LedgerKeeper(lambda: writer.folder, before, _digest_key)


def _digest_key() -> bytes:
    """The key for digests of sent contents; valid only for this run if the installation cannot store one."""
    from gui_agent.wiring.secrets import installation_key

    try:
        return installation_key()
    except ConfigError:
        return token_bytes(32)


def _open_models(settings: Settings, stack: ExitStack, tools: Sequence[object]) -> ModelParts | None:
    from gui_agent.wiring.models import open_models

    return open_models(settings, stack, tools)


def _run_keepers(
    writer: RunWriter | None, done: LedgerKeeper, on_step: Callable[[Step], object] | None
) -> Sequence[object]:
    kept: list[object] = [
        *([writer, done] if writer else ()),
        *([done.resuming_observer()] if done.before else ()),
    ]
    return [*kept, SimpleNamespace(stepped=on_step)] if on_step else kept


def _exemplar_source(settings: Settings, chosen: Route) -> ExemplarSource | None:
    """The runs that a model is shown; None for plain commands, to save the memory search."""
    if chosen.recognition is None and settings.planner.kind in ("auto", "plain", "demonstration", "cascade"):
        return None
    from gui_agent.procedures.library.evidence import shown_runs

    return shown_runs(settings)


def _remember(
    settings: Settings,
    chosen: Route,
    result: Result,
    observers: Sequence[object],
    wordings: Wordings | None = None,
) -> None:
    """Tell the memory the result of the run, if it chose the procedure or learns from verified runs."""
    remember_aliases(settings, result.trajectory)
    learn_answer(settings, result, observers)
    chosen = route_taken(wordings, chosen)
    if chosen.recognition is None and settings.memory.learn != "verified":
        return
    from gui_agent.procedures.library.evidence import take_note

    plain = not isinstance(chosen.commands, Unparsed)
    take_note(settings, chosen.recognition, result, plain=plain, observers=observers)
