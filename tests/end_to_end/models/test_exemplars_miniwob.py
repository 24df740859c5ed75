"""`guiagent eval miniwob --exemplars K`: a model that can only copy does as well as what it is shown."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.cli.demonstrations import Knowledge
from guiagent_eval.cli.recipe import Recipe, default_demos, open_policy
from guiagent_eval.cli.solver import AgentSolver
from guiagent_eval.miniwob import MiniWob

from gui_agent.cli import call
from gui_agent.settings import Settings
from tests.contract.models.conftest import Service, chat
from tests.end_to_end.models.copier import copied, exemplars

pytest.importorskip("miniwob")

COPIED = (
    *("click-button", "click-link", "click-test", "click-test-2", "click-dialog", "click-dialog-2"),
    *("click-tab", "focus-text", "focus-text-2", "enter-text", "enter-password", "login-user", "enter-date"),
    *("click-option", "choose-list", "unicode-test", "click-button-sequence", "enter-text-dynamic"),
    *("enter-time", "click-menu"),
)
"""Tasks of which one run shows what to do in all others, values apart."""
NUMBERS = itertools.count()


def called(arguments: dict[str, Any]) -> dict[str, Any]:
    """An answer that calls the tool for decisions."""
    function = {"name": "decide", "arguments": json.dumps(arguments)}
    call = {"id": f"call_{next(NUMBERS)}", "type": "function", "function": function}
    return chat(None, "tool_calls", tool_calls=[call])


def deciding(service: Service) -> list[dict[str, Any]]:
    """The requests for a decision; the others judge what came of one."""
    bodies = [asked.body for asked in service.asked]
    return [
        body for body in bodies if any(one["function"]["name"] == "decide" for one in body.get("tools", ()))
    ]


@pytest.mark.parametrize("count", [1, 0])
def test_a_model_that_can_only_copy_does_what_it_is_shown_and_nothing_without(
    pages: MiniWob, service: Service, count: int
) -> None:
    service.script = [lambda body: called(copied(body))]
    settings = Settings.model_validate(
        {"model": {"name": f"{service.url}/v1#copier"}, "guard": open_policy()}
    )
    recipe = Recipe(
        benchmark="miniwob",
        folder="",
        settings=settings.model_dump(mode="json"),
        planner="model",
        demos=default_demos("miniwob"),
        exemplars=count,
    )
    solver = AgentSolver(recipe, Knowledge(recipe))
    for case in (Case("enter-text", 10001), Case("login-user", 10001)):
        solver.prepare(case)
        with pages.episode(case) as episode:
            solver.solve(episode, case)
            assert episode.grade().success == bool(count)
    assert [len(exemplars(body)) for body in deciding(service)] == [count] * len(deciding(service)) != []


@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_twenty_tasks_are_done_by_copying_one_exemplar_each(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service.script = [lambda body: called(copied(body))]
    model = ("--planner", "model", "--model", f"{service.url}/v1#copier", "--slowness", "10")
    shares = []
    for count in (1, 0):
        service.asked.clear()
        out = str(tmp_path / f"run{count}")
        told = [*model, "--tasks", ",".join(COPIED), "--episodes", "1", "--exemplars", str(count)]
        assert call(["eval", "miniwob", *told, "--out", out, "--json", "--quiet"]) == 0
        shares.append(json.loads(capsys.readouterr().out)["mean"]["value"])
        assert {len(exemplars(body)) for body in deciding(service)} == {count}
    assert len(COPIED) == 20
    assert shares[0] >= 0.9
    assert shares[1] == 0.0
    assert call(["eval", "compare", str(tmp_path / "run0"), str(tmp_path / "run1")]) == 0
    assert "exemplars: 0 -> 1" in capsys.readouterr().out
