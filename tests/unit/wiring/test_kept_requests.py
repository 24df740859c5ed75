"""A run with `trace.requests` keeps each question to a model whole, with its answer, and no secret in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gui_agent import wiring
from gui_agent.agent.limits import identity
from gui_agent.core.dialogue import Reply, Request, Traits, Usage
from gui_agent.core.trajectory import Task
from gui_agent.settings import load
from gui_agent.testing import FakeComputer, button, field, screen, text, when
from gui_agent.testing.scripted import saying
from gui_agent.trace.reader import read_run
from gui_agent.trace.report import render
from gui_agent.wiring.models import make_models


class Talkative:
    """A model that types a word, presses Send, and says it is done; each answer has its price."""

    name, traits = "own/talkative", Traits()
    lines = (
        saying(actions=[{"kind": "type", "text": "Xyzzy-4711", "at": 1, "replace": True}]),
        saying(actions=[{"kind": "click", "at": 2}]),
        saying(end={"kind": "finish"}),
    )

    def __init__(self) -> None:
        self._asked = 0

    def complete(self, request: Request) -> Reply:
        if request.purpose != "plan":
            return Reply("DONE", usage=Usage(read=7, wrote=1))
        line, self._asked = self.lines[self._asked], self._asked + 1
        return Reply(
            calls=line.calls, stop="calls", usage=Usage(read=1000 + self._asked, wrote=10), model="talk-1"
        )


@pytest.mark.parametrize("kept", [True, False])
def test_each_question_is_kept_with_its_role_its_answer_and_its_price(
    kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GUIAGENT_SECRET_DOOR", "Xyzzy-4711")
    own = f"{__name__}:Talkative"
    settings = load(
        (), [f"model.name={own}", f"trace.requests={str(kept).lower()}", f"trace.folder={tmp_path}"]
    )
    models, writer = make_models(settings), wiring.make_writer(settings)
    assert models is not None and writer is not None
    screens = {"form": screen(field("Name"), button("Next")), "thanks": screen(text("Thank you"))}
    computer = FakeComputer(screens, [when("click", "Next", go="thanks")])
    agent = wiring.build(
        settings,
        computer,
        planner=models.planner(),
        observers=[writer],
        models=models,
    )
    result = agent.run(Task("Fill in Xyzzy-4711"))
    assert writer.folder is not None and result.ok, result.reason
    path = writer.folder / "requests.jsonl"
    assert path.exists() == kept
    run = read_run(writer.folder)
    seen = [json.loads(line) for line in (writer.folder / "observations.jsonl").read_text().splitlines()]
    assert seen[0]["state"] == identity(run.trajectory.turns[0].observation) != seen[-1]["state"]
    page = render(run)
    if not kept:
        assert "tokens in" not in page
        return
    whole = path.read_text("utf-8")
    assert "Xyzzy-4711" not in whole and "${secret:DOOR}" in whole
    lines = [json.loads(line) for line in whole.splitlines()]
    planned = [one for one in lines if one["role"] == "planner"]
    assert [(one["step"], one["turn"], one["usage"]["read"]) for one in planned][:2] == [
        (1, 1, 1001),
        (2, 2, 1002),
    ]
    assert planned[0]["messages"][0]["role"] == "user" and planned[0]["tools"][0]["name"] == "decide"
    assert planned[0]["reply"]["calls"][0]["arguments"]["actions"][0]["kind"] == "type"
    assert planned[0]["model"] == "talk-1"
    shown = [
        part["image"]
        for one in planned[0]["messages"]
        for part in one.get("parts", ())
        if isinstance(part, dict)
    ]
    assert shown and all((writer.folder / "images" / name).is_file() for name in shown)
    assert "1,001 tokens in, 10 out" in page
