"""A benchmark run with a model that costs money: it ends when that is spent, tells the cost, and goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gui_agent.cli import call
from tests.contract.models.conftest import Service, chat

pytestmark = pytest.mark.nightly

TOKENS = 730
"""Of one answer of the service."""
PRICE = 100.0
"""Dollars per million tokens."""


def clicks(body: Any) -> Any:
    arguments = {"actions": [{"kind": "click", "at": {"text": "Click Me!"}}]}
    function = {"name": "decide", "arguments": json.dumps(arguments)}
    return chat(None, "tool_calls", tool_calls=[{"id": "call_1", "type": "function", "function": function}])


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    own = tmp_path / ".config" / "guiagent"
    own.mkdir(parents=True)
    (own / "prices.toml").write_text(f'[[price]]\nmodel = "local"\ninput = {PRICE}\noutput = {PRICE}\n')
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    made = Service()
    made.script = [clicks]
    yield made
    made.close()


def test_no_episode_begins_when_the_money_is_spent(service: Service, capsys: Any) -> None:
    model = f"{service.url}/v1#local"
    run = [
        "eval",
        "miniwob",
        "--tasks",
        "click-test",
        "--slowness",
        "10",
        "--episodes",
        "5",
        "--planner",
        "model",
        "--out",
        "run",
    ]
    each = TOKENS * PRICE / 1e6
    assert call([*run, "--model", model, "--max-cost", str(2.5 * each), "--quiet"]) == 4
    assert "2 are left; go on with `guiagent eval resume`" in capsys.readouterr().err
    assert len(service.asked) == 3

    rest = ["eval", "resume", "run", "--quiet"]
    assert call(rest) == 2
    assert "give it explicitly: --model" in capsys.readouterr().err
    rest += ["--model", model]
    assert call(rest) == 4
    assert "give a larger --max-cost" in capsys.readouterr().err
    assert len(service.asked) == 3

    assert call([*rest, "--max-cost", "5", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["overall"]
    assert (told["successes"], told["calls"], told["tokens"]) == (5, 1.0, 5 * TOKENS)
    assert told["cost"] == pytest.approx(5 * each)
    assert call(["eval", "show", "run"]) == 0
    said = capsys.readouterr().out
    assert f"{5 * TOKENS} tokens; cost {5 * each:.2f}" in said
    assert call(["eval", "show", "run", "--html"]) == 0
    assert f"{each:.4f}" in Path("run/report.html").read_text()
