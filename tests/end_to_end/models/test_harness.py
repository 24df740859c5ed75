"""A benchmark run with a model: a budget for each episode, its calls and tokens in the records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gui_agent.cli import call
from tests.contract.models.conftest import Service, chat


def clicks(number: int) -> Any:
    arguments = {"actions": [{"kind": "click", "at": {"text": "Click Me!"}}]}
    function = {"name": "decide", "arguments": json.dumps(arguments)}
    tool = {"id": f"call_{number}", "type": "function", "function": function}
    return chat(None, "tool_calls", tool_calls=[tool])


@pytest.mark.parametrize(
    ("planner", "calls"), [("model", 3), pytest.param("auto", 0, marks=pytest.mark.nightly)]
)
def test_episodes_are_done_with_the_model_of_the_settings(
    service: Service,
    planner: str,
    calls: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    service.script = [lambda body: clicks(len(service.asked))]
    # A budget for two calls is enough for each of three episodes, as it is one of its own.
    settings = [f"model.name={service.url}/v1#local", "model.max_tokens=1500"]
    given = [part for text in settings for part in ("--set", text)]
    run = [
        "eval",
        "miniwob",
        "--planner",
        planner,
        "--tasks",
        "click-test",
        "--episodes",
        "3",
        "--workers",
        "1",
        "--slowness",
        "10",
    ]
    assert call([*run, *given, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["overall"]["successes"] == 3
    # What needs no model asks none, even where there is one.
    assert len(service.asked) == calls and told["overall"]["tokens"] == calls * 730
