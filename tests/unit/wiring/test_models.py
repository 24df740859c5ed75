"""From settings to the parts that think: which model, under which budget, opened when."""

from __future__ import annotations

import pytest

from gui_agent import wiring
from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.dialogue import Reply
from gui_agent.core.errors import ConfigError, MissingKey
from gui_agent.core.trajectory import Task
from gui_agent.settings import load
from gui_agent.testing import ScriptedModel
from gui_agent.wiring.models import make_models
from gui_agent.wiring.routing import default_model

LOCAL = "model.name=http://127.0.0.1:9/v1#local"


class Connected(ScriptedModel):
    """A model of one's own that has something to let go of."""

    closed = 0

    def __init__(self) -> None:
        super().__init__([Reply("hello")])

    def close(self) -> None:
        Connected.closed += 1


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def planner(*assignments: str) -> str:
    settings = load((), assignments)
    chosen = wiring.route(Task('click "Next"'), settings)
    return wiring.make_planner(chosen, settings, ScreenGrounder(), models=make_models(settings)).name


def test_without_a_key_and_a_name_no_model_is_asked() -> None:
    assert default_model() == "" and make_models(load()) is None
    assert planner() == "plain"


def test_a_key_makes_the_cascade_the_default_and_none_undoes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert default_model().startswith("openai/")
    assert planner() == "cascade"
    assert planner("model.name=none") == "plain"


@pytest.mark.parametrize(
    ("kind", "name"),
    [("auto", "cascade"), ("cascade", "cascade"), ("model", "model")],
)
def test_each_kind_of_planner_is_made(kind: str, name: str) -> None:
    assert planner(LOCAL, f"planner.kind={kind}") == name


@pytest.mark.parametrize("kind", ["model", "cascade"])
def test_a_planner_that_needs_a_model_says_what_to_set(kind: str) -> None:
    with pytest.raises(ConfigError, match="give --model, or set ANTHROPIC_API_KEY"):
        planner(f"planner.kind={kind}")


def test_a_model_asked_for_by_name_is_checked_at_once() -> None:
    with pytest.raises(MissingKey, match="ANTHROPIC_API_KEY"):
        planner("model.name=anthropic/claude-sonnet-5-5")
    with pytest.raises(ConfigError, match="is not a model"):
        planner("model.name=nonsense")


def test_a_model_that_just_happens_to_be_there_is_opened_only_when_it_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    models = make_models(load())
    assert models is not None and type(models.model).__name__ == "LateModel"
    models.planner()
    assert models.model._opened is None  # type: ignore[attr-defined]


def test_the_models_are_closed_with_the_mind_and_what_was_never_asked_is_not_opened_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = f"{__name__}:Connected"
    models = make_models(load((), [f"model.name={own}", f"model.cheaper={own}", f"model.grounder={own}"]))
    assert models is not None
    Connected.closed = 0
    models.close()
    assert Connected.closed == 3
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    late = make_models(load())
    assert late is not None
    late.close()
    assert late.model._opened is None  # type: ignore[attr-defined]


def test_the_verifier_can_be_switched_off() -> None:
    models = make_models(load((), [LOCAL, "model.verifier=false"]))
    assert models is not None and models.verifier() is None


def test_a_pointing_model_stands_behind_the_grounder_of_the_settings() -> None:
    first = ScreenGrounder()
    alone = make_models(load((), [LOCAL]))
    both = make_models(load((), [LOCAL, "model.grounder=http://127.0.0.1:9/v1#UI-TARS-1.5-7B"]))
    assert alone is not None and alone.grounder(first) is first
    assert both is not None and type(both.grounder(first)).__name__ == "PointingGrounder"
