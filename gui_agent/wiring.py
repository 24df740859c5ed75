"""Where settings become objects: the one place that knows which parts make up an agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gui_agent import plugins
from gui_agent.agent.cascade import CascadePlanner
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.agent.plain import PlainPlanner
from gui_agent.agent.unknown import NothingKnown
from gui_agent.core.demonstration import Demonstration
from gui_agent.core.errors import ConfigError
from gui_agent.core.protocols import Approver, Computer, Grounder, Guard, Observer, Planner, Reflector
from gui_agent.core.trajectory import Result, Task, Trajectory
from gui_agent.demos.program import Program
from gui_agent.minds import Mind, make_mind, needed
from gui_agent.settings import Settings, load, override, secrets, user_file

if TYPE_CHECKING:
    from gui_agent.computers.browser.recording import Recorder
    from gui_agent.procedures.recognition import Recognition
    from gui_agent.skills import Skill
    from gui_agent.trace import RunWriter

Ask = Callable[[str], str | None]
Known = Demonstration | Program
"""What the planner `demonstration` can run: a demonstration to learn from, or what was learned."""
Demo = str | Path | Known
"""A demonstration or a procedure, or the file it is in."""


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
        sections: settings by section, such as `limits={"steps": 20}`.

    Raises:
        ConfigError: a setting, the demonstration or a secret is wrong; nothing was touched.
        Unavailable: the browser, display or phone could not be started.
    """
    settings = override(override(settings or load(), sections), {"guard": {"yes": True}} if yes else {})
    demos = load_known(demo)
    task = _task(task, url, values, demos)
    recognition = _recognised(settings, task, demos)
    if recognition is not None:
        demos, task = recognition.programs, recognition.begun
    with ExitStack() as stack:
        writer = make_writer(settings)
        watching = [*([writer] if writer else []), *observers]
        guard = make_guard(settings, approver)
        screen = computer or stack.enter_context(make_computer(settings))
        unknown = recognition.reason if recognition else ""
        mind = make_mind(settings)
        agent = build(
            settings,
            screen,
            demos=demos,
            unknown=unknown,
            guard=guard,
            observers=watching,
            ask=ask,
            mind=mind,
        )
        stack.enter_context(_filed(writer, observers))
        started = time.perf_counter()
        trajectory = agent.run(task, begun)
        seconds = time.perf_counter() - started
    assert trajectory.ending is not None
    if recognition is not None or settings.memory.learn == "verified":
        from gui_agent.procedures.proof import take_note

        folder = writer.folder if writer else None
        take_note(settings, recognition, trajectory, f"run {folder.name}" if folder else "")
    return Result(
        trajectory.ending,
        trajectory.notes,
        len(trajectory.steps),
        seconds,
        trajectory.model_calls,
        str(writer.folder) if writer and writer.folder else "",
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
    from gui_agent.procedures.packs import prepared
    from gui_agent.skills import load_skill

    found = load_skill(skill) if isinstance(skill, str) else skill
    program, given = prepared(found, values or {})
    return run(program.instruction(given), url=url or found.start, demo=program, values=given, **options)


def build(
    settings: Settings | None = None,
    computer: Computer | None = None,
    *,
    demos: Sequence[Known] = (),
    unknown: str = "",
    planner: Planner | None = None,
    guard: Guard | None = None,
    reflector: Reflector | None = None,
    observers: Sequence[Observer] = (),
    ask: Ask | None = None,
    mind: Mind | None = None,
) -> Agent:
    """An agent with the parts that the settings name; the caller closes the computer.

    Args:
        unknown: why no procedure can be run, when one would be needed.
        planner, guard, reflector: in place of those that the settings name.
        mind: the models of the run; without one no model is asked.

    Raises:
        ConfigError: a part or one of its options is wrong.
    """
    settings = settings or load()
    grounder = make_grounder(settings)
    if mind is not None:
        grounder = mind.grounder(grounder)
        reflector = reflector or mind.reflector(grounder)
    return Agent(
        computer or make_computer(settings),
        planner or make_planner(settings, grounder, demos, unknown=unknown, mind=mind, ask=ask),
        grounder=grounder,
        guard=guard or make_guard(settings),
        reflector=reflector,
        verifier=mind.verifier() if mind is not None else None,
        observers=observers,
        limits=Limits(steps=settings.limits.steps, seconds=settings.limits.seconds),
        secrets=secrets(),
        ask=ask,
        picture=mind is not None or (settings.trace.pictures and bool(settings.trace.folder)),
    )


def make_computer(settings: Settings) -> Computer:
    """The screen that the settings name, opened.

    Raises:
        ConfigError: it is unknown, or one of its options is wrong.
        ComputerLost: it cannot be started.
    """
    return cast(Computer, plugins.make("computers", settings.computer.kind, settings.computer.options))


def make_recorder(computer: Computer, secret_fields: Sequence[str] = ()) -> Recorder:
    """A recorder of the person who uses this computer.

    Args:
        secret_fields: names of fields whose text is secret though the screen shows it.

    Raises:
        ConfigError: a person cannot be recorded on this kind of computer.
    """
    from gui_agent.computers.browser import BrowserComputer
    from gui_agent.computers.browser.recording import Recorder

    if not isinstance(computer, BrowserComputer):
        raise ConfigError(f"a person cannot be recorded on {computer.platform} yet; use --on browser")
    return Recorder(computer, secrets=secrets(), secret_fields=secret_fields)


def make_grounder(settings: Settings) -> Grounder:
    """The grounder that the settings name.

    Raises:
        ConfigError: it is unknown, or one of its options is wrong.
    """
    return cast(Grounder, plugins.make("grounders", settings.grounder.kind, settings.grounder.options))


def make_planner(
    settings: Settings,
    grounder: Grounder,
    demos: Sequence[Known] = (),
    *,
    unknown: str = "",
    mind: Mind | None = None,
    ask: Ask | None = None,
) -> Planner:
    """The planner that the settings name; `auto` is what needs no model, and then the model if there is one.

    Args:
        unknown: why no procedure can be run, when one would be needed.

    Raises:
        ConfigError: it is unknown, or one of its options is wrong, or it needs a model and there is none.
    """
    kind = settings.planner.kind

    def stage(one: str, mind: Mind | None = mind) -> Planner:
        planner = settings.planner.model_copy(update={"kind": one, "options": {}})
        own = settings.model_copy(update={"planner": planner})
        return make_planner(own, grounder, demos, unknown=unknown, mind=mind, ask=ask)

    if kind in ("model", "subgoals"):
        return needed(mind).planner(ask, subgoals=kind == "subgoals")
    if kind == "auto" and mind is not None:
        return CascadePlanner([stage("auto", None), mind.planner(ask)])
    if unknown and kind in ("auto", "demonstration"):
        return NothingKnown(unknown)
    if kind == "auto":
        kind = "demonstration" if demos else "plain"

    def part(one: str) -> Planner:  # a cascade's `auto` needs no model, which is a stage of its own
        return stage(one, None if one == "auto" else mind)

    parts = {"grounder": grounder, "make": part, **({"known": demos} if demos else {})}
    return cast(Planner, plugins.make("planners", kind, settings.planner.options, **parts))


def make_guard(settings: Settings, approver: Approver | None = None) -> Guard:
    """The guard with the rules that the settings name.

    Args:
        approver: who is asked; by default the person at the terminal, if there is one.

    Raises:
        ConfigError: the rules or grants are malformed.
    """
    from gui_agent.agent.guard import Grants, PolicyGuard, TerminalApprover
    from gui_agent.agent.guard.policy import load as load_policy

    own = user_file("guard.toml")
    rules = settings.guard.policy or (str(own) if own.is_file() else "")
    grants = Grants.yes() if settings.guard.yes else Grants()
    for grant in Grants.parse(settings.guard.grants).all:
        grants = grants.plus(grant)
    if approver is None and TerminalApprover.available():
        approver = TerminalApprover()
    return PolicyGuard(load_policy(rules), approver, yes=grants)


def make_writer(settings: Settings) -> RunWriter | None:
    """What keeps the run on disk; None when nothing is to be kept.

    Raises:
        ConfigError: the folder cannot be written to.
    """
    from gui_agent.trace import RunWriter

    trace = settings.trace
    if not trace.folder:
        return None
    return RunWriter(
        trace.folder,
        settings=settings.model_dump(mode="json"),
        pictures=trace.pictures,
        redact=tuple(secrets().values()),
    )


def explain(
    task: Task | str,
    *,
    url: str = "",
    demo: Demo | Sequence[Demo] | None = None,
    values: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Recognition | None:
    """Which procedure `run` would run with which values, and why; None for plain commands. Nothing is done.

    Raises:
        ConfigError: a setting or a demonstration is wrong, or the memory cannot be used.
    """
    settings = settings or load()
    known = load_known(demo)
    given = _task(task, url, values, known)
    if not known:
        return _recognised(settings, given, ())
    from gui_agent.procedures.memory import given_procedures
    from gui_agent.procedures.recognition import among

    return among(given, given_procedures(known))


def load_demos(demo: Demo | Sequence[Demo] | None) -> tuple[Demonstration, ...]:
    """The demonstrations, read where a path is given.

    Raises:
        ConfigError: a file cannot be read or holds something else.
    """
    return tuple(one for one in load_known(demo) if isinstance(one, Demonstration))


def load_known(demo: Demo | Sequence[Demo] | None) -> tuple[Known, ...]:
    """The demonstrations and procedures, read where a path is given.

    Raises:
        ConfigError: a file cannot be read or holds something else.
    """
    from gui_agent.demos import store

    single = isinstance(demo, str | Path | Demonstration | Program)
    given: Sequence[Any] = () if demo is None else (demo,) if single else demo  # type: ignore[assignment]
    return tuple(store.load_known(one) if isinstance(one, str | Path) else one for one in given)


def _recognised(settings: Settings, task: Task, demos: Sequence[Known]) -> Recognition | None:
    """What the memory makes of a task; None where it is not asked.

    Plain commands need no procedure, and demonstrations that are given go before those in the memory.
    """
    kind = settings.planner.kind
    if demos or kind not in ("auto", "demonstration", "cascade") or not settings.memory.enabled:
        return None
    plain = PlainPlanner()
    if kind != "demonstration" and plain.understands(task.text):
        return None
    from gui_agent.procedures.memory import open_memory
    from gui_agent.procedures.recognition import recognise

    found = recognise(task, open_memory(settings))
    if kind == "demonstration" or found.chosen:
        return found
    return found.because(f"{plain.preview(task.text)[-1]}; as a task, {found.reason}")


def _task(task: Task | str, url: str, values: Mapping[str, str] | None, demos: Sequence[Known]) -> Task:
    """The task with what the demonstrations say where the caller says nothing."""
    given = Task(task) if isinstance(task, str) else task
    start = url or given.start or next((demo.start for demo in demos if demo.start), "")
    named = {**given.values, **(values or {})}
    text = given.text or next((_said(demo, named) for demo in demos), "")
    return Task(text, start, named, given.criteria)


def _said(demo: Known, values: Mapping[str, str]) -> str:
    """What a demonstration or procedure is for, as one would ask for it."""
    return demo.task if isinstance(demo, Demonstration) else demo.instruction(values)


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
