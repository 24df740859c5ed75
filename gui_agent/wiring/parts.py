"""The parts of an agent, made as the settings name them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gui_agent import plugins
from gui_agent.agent.cascade import CascadePlanner
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.agent.unknown import NothingKnown
from gui_agent.core.errors import ConfigError, StepFailed
from gui_agent.core.protocols import (
    Approver,
    Computer,
    Grounder,
    Guard,
    Memory,
    Observer,
    Planner,
    Reflector,
)
from gui_agent.core.redaction import Redactor
from gui_agent.core.texts import suggestion
from gui_agent.minds import Mind, needed
from gui_agent.settings import Settings, load, secrets, session_bus, user_file
from gui_agent.trace.settles import usual_settles
from gui_agent.wiring.known import Known

if TYPE_CHECKING:
    from gui_agent.agent.guard import Ledger
    from gui_agent.computers.recording import Recorder
    from gui_agent.trace import RunWriter

PLANNERS = ("auto", "model", "subgoals")
"""Kinds of planners that are put together here and are no single part."""
DESKTOPS = ("desktop", "virtual")
"""Kinds of computers that learn from earlier runs how long programs take."""
Ask = Callable[[str], str | None]
"""Puts a planner's question to the person; None when there is no answer."""


def make_computer(settings: Settings) -> Computer:
    """The screen that the settings name, opened.

    Raises:
        ConfigError: it is unknown, or one of its options is wrong.
        ComputerLost: it cannot be started.
    """
    return prepared_computer(settings)()


def prepared_computer(settings: Settings) -> Callable[[], Computer]:
    """What opens the screen that the settings name; raises like `make_computer`."""
    kind, colon, name = settings.computer.kind.partition(":")
    options = dict(settings.computer.options)
    if colon and kind in plugins.known("computers"):  # virtual:NAME, one of several of a kind
        options.setdefault("name", name)
    else:
        kind = settings.computer.kind
    settles = settings.trace.folder if kind in DESKTOPS else ""
    known = usual_settles(Path(settles)) if settles else None
    ready = plugins.prepared("computers", kind, options, session=session_bus(), settle_known=known)

    def opened() -> Computer:
        try:
            return cast(Computer, ready())
        except StepFailed as error:  # the program to begin with (`open`) is a setting, and no step of a run
            raise ConfigError(f"computer {settings.computer.kind}: {error}") from error

    return opened


def make_recorder(computer: Computer, secret_fields: Sequence[str] = ()) -> Recorder:
    """A recorder of the person who uses this computer.

    Args:
        secret_fields: names of fields whose text is secret though the screen shows it.

    Raises:
        ConfigError: a person cannot be recorded on this kind of computer.
    """
    from gui_agent.computers.browser import BrowserComputer
    from gui_agent.computers.desktop.computer import DesktopComputer

    if isinstance(computer, BrowserComputer):
        from gui_agent.computers.browser.recording import Recorder as BrowserRecorder

        return BrowserRecorder(computer, secrets=secrets(), secret_fields=secret_fields)
    if isinstance(computer, DesktopComputer) and computer.platform == "x11":
        from gui_agent.computers.x11.recording import X11Recorder

        return X11Recorder(computer, secrets=secrets(), secret_fields=secret_fields)
    raise ConfigError(
        f"a person cannot be recorded on {computer.platform} yet; use --on browser, or on Linux --on virtual"
    )


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
    names = (*PLANNERS, *plugins.known("planners"))
    if ":" not in kind and kind not in names:
        raise ConfigError(f'planners: nothing is called "{kind}"{suggestion(kind, names)}')
    if unknown and kind in ("auto", "demonstration"):
        return NothingKnown(unknown)
    if kind == "auto":
        kind = "demonstration" if demos else "plain"

    def part(one: str) -> Planner:  # a cascade's `auto` needs no model, which is a stage of its own
        return stage(one, None if one == "auto" else mind)

    parts = {"grounder": grounder, "make": part, **({"known": demos} if demos else {})}
    return cast(Planner, plugins.make("planners", kind, settings.planner.options, **parts))


def make_guard(settings: Settings, approver: Approver | None = None, ledger: Ledger | None = None) -> Guard:
    """The guard with the rules that the settings name.

    Args:
        approver: who is asked; by default the person at the terminal, if there is one.
        ledger: what was sent or paid already and is not to be done again.

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
    return PolicyGuard(load_policy(rules), approver, yes=grants, ledger=ledger)


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
        settings=Redactor(secrets()).value(settings.model_dump(mode="json")),
        pictures=trace.pictures,
    )


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
    memory: Memory | None = None,
) -> Agent:
    """An agent with the parts that the settings name; the caller closes the computer.

    Args:
        unknown: why no procedure can be run, when one would be needed.
        planner, guard, reflector: in place of those that the settings name.
        mind: the models of the run; without one no model is asked.
        memory: recalls runs that a model is shown.

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
        memory=memory,
        observers=observers,
        limits=Limits(steps=settings.limits.steps, seconds=settings.limits.seconds),
        secrets=secrets(),
        ask=ask,
        picture=mind is not None or (settings.trace.pictures and bool(settings.trace.folder)),
    )
