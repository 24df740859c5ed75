"""Makes the parts of an agent from the settings."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gui_agent import plugins
from gui_agent.agent.guard.asking import AnyApprover
from gui_agent.agent.guard.kept_answers import ANSWERS, KeptAnswers
from gui_agent.agent.limits import Limits, RunControl, identity, notify
from gui_agent.agent.loop import Agent
from gui_agent.core.clarification import AnswersLater, AskPerson
from gui_agent.core.errors import ConfigError, StepFailed
from gui_agent.core.private_data import KnownSecrets, PrivateData
from gui_agent.core.protocols import (
    Computer,
    ExemplarSource,
    Grounder,
    Guard,
    Planner,
    PlannerCapabilities,
    Reflector,
)
from gui_agent.core.redaction import Redactor
from gui_agent.core.trajectory import Task
from gui_agent.planners.cascade import CascadePlanner, NullComputer, NullPlanner
from gui_agent.settings import (
    Settings,
    guest_token,
    load,
    screen_kind,
    secrets,
    session_bus,
    state_folder,
    user_file,
)
from gui_agent.trace.reader import usual_settles
from gui_agent.wiring._aliases import known_aliases
from gui_agent.wiring._wordings import KnownWordings
from gui_agent.wiring.observers import PersonFollower
from gui_agent.wiring.routing import Route

if TYPE_CHECKING:
    from gui_agent.agent.guard.ledger import LedgerKeeper
    from gui_agent.trace import RunWriter
    from gui_agent.wiring.models import ModelParts

LEARN_WAITS = ("desktop", "virtual", "wayland", "android")
"""Kinds of computers that learn from earlier runs how long programs take to settle."""
Ask = AskPerson
"""Asks the person a planner's question; returns None if there is no answer."""


def make_computer(settings: Settings) -> Computer:
    return prepared_computer(settings)()


def prepared_computer(settings: Settings) -> Callable[[], Computer]:
    """A function that opens the screen named by the settings; raises like `make_computer`."""
    kind, colon, name = settings.computer.kind.partition(":")
    options = dict(settings.computer.options)
    if colon and kind in plugins.installed_parts("computers"):  # virtual:NAME, one of several of a kind
        options.setdefault("name", name)
    else:
        kind = screen_kind(settings.computer)
    known = usual_settles(Path(runs)) if kind in LEARN_WAITS and (runs := settings.trace.folder) else None
    given: dict[str, object] = {"session": session_bus(), "settle_known": known, "guest_token": guest_token()}
    if kind in ("rdp", "vnc"):
        given["password"] = lambda: known_secrets(settings).get(f"{kind.upper()}_PASSWORD", "")
    given |= {"hide": _hide_in_record(settings)} if "har" in options else {}
    ready = plugins.prepare("computers", kind, options, **given)

    def open_screen() -> Computer:
        try:
            return cast(Computer, ready())
        except StepFailed as error:  # the program to start (`open`) is a setting, not a step of a run
            raise ConfigError(f"computer {settings.computer.kind}: {error}") from error

    return open_screen


def _hide_in_record(settings: Settings) -> Callable[[str], str]:
    """A function that hides secrets in a network record, which is written when all codes have been made."""
    from gui_agent.wiring.secrets import BoundSecret

    redactor = Redactor(known_secrets(settings))

    def hide(text: str) -> str:
        redactor.hide(BoundSecret.codes)
        return redactor.value(text)

    return hide


def known_secrets(settings: Settings, private: PrivateData | None = None) -> KnownSecrets:
    """The secrets of a run by name, with other data to hide.

    Args:
        private: personal data known from the run's screen; without it, none is known yet.
    """
    if settings.secrets:
        from gui_agent.wiring.secrets import all_secrets

        known = KnownSecrets(all_secrets(settings))
    else:
        known = KnownSecrets(secrets())
    if settings.privacy.patterns:
        known.private = private or private_data(settings.privacy.patterns)
    return known


def private_data(patterns: Sequence[str]) -> PrivateData | None:
    """Hides personal data of these kinds, if any, with this installation's references.

    Raises:
        ConfigError: a pattern is invalid, or the installation's key cannot be read.
    """
    if not patterns:
        return None
    from gui_agent.wiring.secrets import installation_key

    return PrivateData(patterns, installation_key())


def make_grounder(settings: Settings, models: ModelParts | None = None) -> Grounder:
    grounder = cast(Grounder, plugins.make("grounders", settings.grounder.kind, settings.grounder.options))
    return grounder if models is None else models.grounder(grounder)


def make_planner(
    route: Route,
    settings: Settings,
    grounder: Grounder,
    *,
    models: ModelParts | None = None,
    ask: Ask | None = None,
) -> Planner:
    """The planner of a route; a cascade if the route names several."""

    def stage(kind: str) -> Planner:
        if kind == "none":
            return NullPlanner(route.why)
        if kind in ("model", "subgoals"):
            from gui_agent.wiring.models import need_models

            return need_models(models).planner(ask, subgoals=kind == "subgoals")
        options = settings.planner.options if kind == settings.planner.kind else {}
        parts: dict[str, object] = {"grounder": grounder, "ask": ask, "model": settings.model.name}
        parts |= {"known": route.known} if route.known else {}
        return cast(Planner, plugins.make("planners", kind, options, **parts))

    stages = [stage(kind) for kind in route.planners]
    return stages[0] if len(stages) == 1 and settings.planner.kind != "cascade" else CascadePlanner(stages)


def make_guard(
    settings: Settings, approver: AnyApprover | None = None, ledger: LedgerKeeper | None = None
) -> Guard:
    """The guard with the policy that the settings name.

    Args:
        approver: answers questions; by default the person at the terminal, if there is one.
        ledger: earlier side effects, which must not be repeated.
    """
    from gui_agent.agent.guard import Grants, PolicyGuard, TerminalApprover, at_terminal
    from gui_agent.agent.guard.policy import load as load_policy

    own = user_file("guard.toml")
    rules = settings.guard.policy or (str(own) if own.is_file() else "")
    grants = Grants.yes() if settings.guard.yes else Grants()
    if settings.guard.grants:
        grants = Grants((*grants.all, *Grants.parse(settings.guard.grants).all))
    approver = approver or (TerminalApprover() if at_terminal() else None)
    kept = KeptAnswers(state_folder(ANSWERS))
    return PolicyGuard(load_policy(rules), approver, yes=grants, ledger=ledger, kept=kept)


def make_writer(settings: Settings) -> RunWriter | None:
    """The writer of the run's folder; None if nothing is to be stored."""
    from gui_agent.trace import RunWriter, clean

    trace = settings.trace
    if not trace.folder:
        return None
    if trace.keep and Path(trace.folder) == state_folder("runs"):
        with contextlib.suppress(OSError):
            clean(Path(trace.folder), trace.keep - 1)
    hidden = Redactor(known_secrets(settings))
    told, requests = hidden.value(settings.model_dump(mode="json")), hidden if trace.requests else None
    return RunWriter(
        trace.folder, settings=told, pictures=bool(trace.pictures), requests=requests, state=identity
    )


def build(  # noqa: PLR0913 - one for each part
    settings: Settings | None = None,
    computer: Computer | None = None,
    *,
    route: Route | None = None,
    planner: Planner | None = None,
    grounder: Grounder | None = None,
    guard: Guard | None = None,
    reflector: Reflector | None = None,
    observers: Sequence[object] = (),
    ask: Ask | None = None,
    models: ModelParts | None = None,
    memory: ExemplarSource | None = None,
    control: RunControl | None = None,
    private: PrivateData | None = None,
) -> Agent:
    """An agent with the parts that the settings name; the caller closes `agent.computer`.

    Args:
        computer: an open screen; by default the settings' computer, opened unless the planner cannot do
            anything.
        route: which planners do the task; by default plain commands.
        planner, grounder, guard, reflector: replace the parts that the settings name.
        models: the language models of the run; without them, none is called.
        memory: recalls runs that a model is shown.
        private: personal data known from an open screen.
    """
    settings = settings or load()
    route = route or Route(Task(""), ("plain",))
    # Planner and executor share one grounder, so that a pointing model is asked only once per target.
    grounder = grounder or make_grounder(settings, models)
    if models is not None:
        models.budget.heard = lambda said: notify(observers, "asked", said)
    make = partial(make_planner, settings=settings, grounder=grounder, models=models, ask=ask)
    planner = planner or make(route)
    guard = guard or make_guard(settings)
    if computer is None:
        # If the task alone shows that it cannot be done, a screen is opened only to ask what it means.
        open_computer = prepared_computer(settings)
        match ask, planner:
            case None | AnswersLater(), PlannerCapabilities() if planner.cannot_do(route.task):
                computer = NullComputer()
            case _:
                computer = open_computer()
    agent = Agent(
        computer,
        planner,
        grounder=grounder,
        guard=guard,
        reflector=reflector,
        verifier=models.verifier() if models is not None else None,
        memory=memory,
        observers=observers,
        limits=Limits(**settings.limits.model_dump()),
        secrets=known_secrets(settings, private),
        ask=ask,
        picture=models is not None or bool(settings.trace.pictures and settings.trace.folder),
        share_screenshots=models is None and settings.trace.pictures == "auto",
        control=control,
    )
    agent.aliases = known_aliases(settings)
    agent.wordings = KnownWordings(settings, grounder, make)
    agent.follower = PersonFollower(agent.computer, observers, grounder, route.planners)
    return agent
