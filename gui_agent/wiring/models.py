"""The language models of a run under one budget, and the parts of an agent that call them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from gui_agent import plugins
from gui_agent.content import content
from gui_agent.core.clarification import AskPerson, Clarification
from gui_agent.core.dialogue import GuardedTool, Model, Reply, Request, Traits, close
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Grounder, Planner, Verifier
from gui_agent.core.redaction import Redactor
from gui_agent.core.trajectory import Result, Task
from gui_agent.planners.llm import (
    AnswerForm,
    ModelPlanner,
    ModelVerifier,
    Relay,
)
from gui_agent.settings import Settings, api_key, secrets, user_file
from gui_agent.trace import LiveView
from gui_agent.wiring.routing import DEFAULTS, default_model, has_model

if TYPE_CHECKING:
    from gui_agent.models import Budget, Prices, Tape

Ask = AskPerson


@dataclass(frozen=True)
class ModelParts:
    """The models of one run under one budget, and the agent's parts made from them."""

    settings: Settings
    model: Model
    cheaper: Model | None
    pointing: Model | None
    budget: Budget
    opened: tuple[Model, ...]
    tools: tuple[GuardedTool, ...] = ()
    """Tools besides the screen that a model may call."""

    def planner(self, ask: Ask | None = None) -> Planner:
        """The planner `model`."""
        own = self.settings.model

        from gui_agent.planners.llm.skill_calls import SkillPlanner
        from gui_agent.planners.llm.skill_calls import tools as skill_tools
        from gui_agent.wiring.tools import callable_skills

        def approve(question: str) -> bool:
            answer = ask(Clarification(f"{question} (yes/no)")) if ask else None
            return (answer or "").strip().lower() in ("y", "yes")

        skills = callable_skills() if own.skills and own.native != "always" else []
        worker: Planner = ModelPlanner(
            self.model,
            cheaper=self.cheaper,
            batch=own.batch,
            pictures=own.pictures,
            marks=own.marks,
            native=None if own.native == "auto" else own.native == "always",
            answer=AnswerForm(own.form, own.answer_tokens),
            skills=guidance if own.skills else None,
            tools=(*self.tools, *skill_tools(skills)),
            spent=lambda: self.budget.share,
            approve=approve,
        )
        return SkillPlanner(worker, skills) if skills else worker

    def verifier(self) -> Verifier | None:
        """The verifier that checks a run before it counts as done; None if the settings want none."""
        if not self.settings.model.verifier:
            return None
        return ModelVerifier(self.model, spent=lambda: self.budget.share)

    def grounder(self, first: Grounder) -> Grounder:
        """The given grounder, followed by a pointing model if the settings name one."""
        from gui_agent.planners.llm.asking import PointingGrounder

        return first if self.pointing is None else PointingGrounder(self.pointing, first)

    def with_costs(self, result: Result, observers: Sequence[object]) -> Result:
        """The result with the cost of the run's models, which is also shown in the terminal."""
        spent = self.budget.total
        for observer in observers:
            if spent.calls and isinstance(observer, LiveView):
                observer.tell_cost(self.budget.summary())
        return replace(result, tokens=spent.usage.read + spent.usage.wrote, cost=spent.cost)

    def close(self) -> None:
        for model in self.opened:
            close(model)


def open_models(settings: Settings, stack: ExitStack, tools: Sequence[object]) -> ModelParts | None:
    """The models of a run and their tools, closed at its end."""
    from gui_agent.wiring.tools import make_tools

    models = make_models(settings)
    if models is None:
        return None
    stack.callback(models.close)
    return replace(models, tools=make_tools(settings, tools, stack))


class LateModel:
    """A model that is opened at the first request, so that a run without requests costs nothing."""

    def __init__(self, name: str, make: Callable[[], Model]) -> None:
        self.name = name
        self._make = make
        self._opened: Model | None = None

    @property
    def traits(self) -> Traits:
        return self._model().traits

    def complete(self, request: Request) -> Reply:
        return self._model().complete(request)

    def close(self) -> None:
        if self._opened is not None:
            close(self._opened)

    def _model(self) -> Model:
        if self._opened is None:
            self._opened = self._make()
        return self._opened


def make_models(settings: Settings) -> ModelParts | None:
    """The models that the settings name, or a provider's default model; None if there is none."""
    own = settings.model
    if not has_model(settings):
        return None
    name = own.name or default_model()
    from gui_agent.models import Budget, Tape

    # A model named in the settings is checked at once, a default one only when it is needed.
    opened = _open if own.name else _late_model
    budget = Budget(prices(), own.max_cost or None, own.max_tokens or None)
    tape = Tape(own.tape, replay=own.replay, secrets=Redactor(secrets())) if own.tape else None
    first = opened(settings, name, budget, tape)
    spare = _late_model(settings, own.fallback, budget, tape) if own.fallback else None
    cheaper, pointing = (
        _open(settings, other, budget, tape) if other else None for other in (own.cheaper, own.grounder)
    )

    def with_fallback(model: Model) -> Model:
        return model if spare is None else Relay(model, spare)

    return ModelParts(
        settings,
        with_fallback(first),
        with_fallback(cheaper) if cheaper else None,
        pointing,
        budget,
        tuple(model for model in (first, spare, cheaper, pointing) if model is not None),
    )


def prices() -> Prices:
    """The project's price table, overridden by the person's own `prices.toml`."""
    from gui_agent.models import read_prices

    shipped, own = read_prices(content("configs/prices.toml")), user_file("prices.toml")
    return read_prices(own).with_fallback(shipped) if own.is_file() else shipped


def guidance(task: Task, screen: Observation) -> Sequence[str]:
    """The guides for the task and the programs on the screen, as texts for a prompt."""
    from gui_agent.skills.guides import find_guides, trusted_folders

    return [guide.body for guide in find_guides(task.text, screen, trusted_folders())]


def _open(settings: Settings, name: str, budget: Budget, tape: Tape | None) -> Model:
    """A model under the budget: a service by its name, or a custom class as `package.module:Class`."""
    from gui_agent.models import meter, open_model
    from gui_agent.models.remote import RetryPolicy
    from gui_agent.models.spec import PROVIDERS

    own = settings.model
    if ":" in name and "/" not in name:
        return meter(cast(Model, plugins.make("models", name, {})), budget, listed_as=name, own_server=True)
    main = name == (own.name or default_model())
    opened = open_model(
        name,
        key=api_key,
        wire=own.wire or None if main else None,
        family=own.family if main else "",
        key_variable=own.key if main else "",
        effort=own.effort if main else "",
        extra=own.extra if main else None,
        pictures=own.pictures > 0 if main else True,
        tape=tape,
        patience=RetryPolicy(seconds=own.seconds),
    )
    served = opened.spec.url not in {provider.url for provider in PROVIDERS.values() if provider.key}
    return meter(opened, budget, listed_as=opened.spec.model, own_server=served)


def _late_model(settings: Settings, name: str, budget: Budget, tape: Tape | None) -> Model:
    return LateModel(name, lambda: _open(settings, name, budget, tape))


def need_models(models: ModelParts | None) -> ModelParts:
    if models is None:
        raise ConfigError(
            f"this needs a model: give --model, or set {' or '.join(DEFAULTS)}; a local one is "
            "--model http://localhost:8000/v1#NAME"
        )
    return models
