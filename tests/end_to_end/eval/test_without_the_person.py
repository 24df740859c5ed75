"""A benchmark is not told what its person has taught, set or kept, unless it is asked to use that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gui_agent.cli import call
from gui_agent.skills import Skill, save_skill
from tests.contract.models.conftest import Service, chat

RUN = ["miniwob", "--tasks", "click-test", "--episodes", "1", "--slowness", "10"]
RUN += ["--planner", "model", "--quiet", "--out"]


def clicks(body: Any) -> Any:
    arguments = {"actions": [{"kind": "click", "at": {"text": "Click Me!"}}]}
    function = {"name": "decide", "arguments": json.dumps(arguments)}
    return chat(None, "tool_calls", tool_calls=[{"id": "call_1", "type": "function", "function": function}])


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A model's service, and a home with a skill, a guide, settings, answers for good and a memory."""
    config, data = tmp_path / ".config/guiagent", tmp_path / ".local/share/guiagent"
    for folder in (config, data):
        folder.mkdir(parents=True)
    (config / "config.toml").write_text("[model]\nbatch = 3\n")
    (data / "memory.db").write_bytes(b"no database")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for skills in (data / "skills", tmp_path / "skills"):
        save_skill(Skill("greet", "Greets somebody."), b"{}", "# Greet\n", skills)
    made = Service()
    made.script = [clicks]
    yield made
    made.close()


def offered(service: Service, run: str) -> tuple[set[str], str, dict[str, Any]]:
    """The tools and the system prompt of the only request, and the run's journal."""
    (request,) = service.asked[-1:]
    names = {one["function"]["name"] for one in request.body["tools"]}
    return names, request.body["messages"][0]["content"], json.loads(Path(run, "journal.json").read_text())


def test_a_benchmark_is_told_nothing_of_the_person(service: Service) -> None:
    model = ["--model", f"{service.url}/v1#local"]
    assert call(["eval", *RUN, "clean", *model]) == 0
    tools, prompt, journal = offered(service, "clean")
    assert tools == {"decide", "look", "read"} == {*journal["offered"]["tools"]}
    assert "greet" not in journal["offered"]["skills"]
    assert "at most 5" in prompt and journal["recipe"]["settings"]["model"]["batch"] == 5
    assert not Path(journal["offered"]["memory"]).exists()

    assert call(["eval", "--own", "skills,settings,memory", *RUN, "own", *model]) == 0
    tools, prompt, journal = offered(service, "own")
    assert tools == {"decide", "look", "read", "skill_greet"}
    assert "greet" in journal["offered"]["skills"]
    assert "at most 3" in prompt and journal["recipe"]["settings"]["model"]["batch"] == 3
    assert Path(journal["offered"]["memory"]).read_bytes() == b"no database"


def test_an_unknown_part_is_named_with_those_there_are(capsys: Any) -> None:
    assert call(["eval", "--own", "skils", "miniwob", "--list"]) == 2
    assert "--own skils: give some of settings, rules, answers, skills, memory" in capsys.readouterr().err
