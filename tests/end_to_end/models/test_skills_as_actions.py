"""A model calls a promoted skill by its name with typed values; its steps are done, then it goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from guiagent_eval.model_path.screen import texts

from gui_agent import run
from gui_agent.cli import call
from gui_agent.core.trajectory import Result
from tests.contract.models.conftest import Service, chat

PAGE = """<!doctype html><title>Guests</title><label>Name <input id=n></label> <button onclick="
const one = document.createElement('li'); one.textContent = n.value; list.append(one);
n.value = '';">Add guest</button>
<ul id=list></ul>"""
SKILL = "skill_add_guest"


def says(name: str, /, **arguments: Any) -> Any:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return chat(
        None,
        "tool_calls",
        tool_calls=[{"id": f"c{name}{len(arguments)}", "type": "function", "function": function}],
    )


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A page, and a skill for it that was learned from one run and promoted."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / "guests.html"
    file.write_text(PAGE)
    shown = ["--url", file.as_uri(), "--yes"]
    assert call(["run", 'type "Ada" into "Name", click "Add guest"', *shown]) == 0
    assert call(["learn", "last", "--task", 'Add the guest "Ada"', "--name", "add-guest"]) == 0
    assert call(["skills", "promote", "add-guest"]) == 0
    return file.as_uri()


def done(service: Service, page: str, *script: Any) -> Result:
    service.script = [lambda body: script[min(len(service.asked), len(script)) - 1]]
    model = {"name": f"{service.url}/v1#local", "verifier": False}
    return run("Add two guests", url=page, planner="model", yes=True, model=model)


def test_a_skill_is_offered_with_its_values_and_its_steps_are_done(service: Service, page: str) -> None:
    finish = says("decide", end={"kind": "finish"})
    value = _parameter(page)
    result = done(service, page, says(SKILL, **{value: "Grace"}), says(SKILL, **{value: "Edsger"}), finish)
    assert result.ok, result.reason
    offered = next(tool for tool in service.asked[0].body["tools"] if tool["function"]["name"] == SKILL)
    assert value in offered["function"]["parameters"]["properties"]
    assert [str(step.action.kind) for step in result.steps if step.action] == ["type", "click"] * 2
    names = [element.name for element in result.steps[-1].after.elements]
    assert {"Grace", "Edsger"} <= set(names)
    assert len(service.asked) == 3, "no step of a skill asks the model"
    assert any(f"The skill {SKILL} has been carried out" in text for text in texts(service.asked[1].body))


@pytest.mark.nightly
def test_a_wrong_value_is_told_and_nothing_is_done(service: Service, page: str) -> None:
    give_up = says("decide", end={"kind": "give_up", "reason": "no"})
    result = done(service, page, says(SKILL, colour="red"), give_up)
    assert not result.ok and not result.steps
    told = [str(message.get("content")) for message in service.asked[1].body["messages"]]
    assert any("'colour' was unexpected" in text for text in told)


def _parameter(page: str) -> str:
    from gui_agent.skills import load_skill

    (name,) = load_skill("add-guest").parameters
    return name
