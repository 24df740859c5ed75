"""A run with `trace.requests` keeps each question to a model whole, with its answer, and no secret in it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest

from gui_agent import testing, wiring
from gui_agent.agent.limits import identity
from gui_agent.cli import call
from gui_agent.core.dialogue import Asked, Call, Reply, Request, Results, Tool, ToolResult, Traits, Usage
from gui_agent.core.redaction import Redactor
from gui_agent.core.trajectory import Ending, Task, Trajectory
from gui_agent.settings import load
from gui_agent.testing import FakeComputer, button, screen, text, when
from gui_agent.testing.scripted import saying
from gui_agent.trace import RunWriter
from gui_agent.trace.questions import read_questions
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
    screens = {"form": screen(testing.field("Name"), button("Next")), "thanks": screen(text("Thank you"))}
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
        assert "tokens in" not in page and not read_questions(writer.folder)
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
    assert "Asked by the planner talk-1: " in page and "1,001 tokens in, 10 out" in page


@pytest.fixture
def kept_run(tmp_path: Path) -> Path:
    """A run of one step, with its questions."""
    writer = RunWriter(tmp_path, requests=Redactor({}))
    writer.started(Task("Press Next"))
    shot = FakeComputer(screen(button("Next"))).observe().screenshot
    assert shot is not None
    called = Reply(calls=(Call("c1", "decide", {"end": None}),), stop="calls", model="talk-1")
    turns = (Asked(("Press Next\n5 + 5", shot)), called, Results((ToolResult("c1", ("pressed",)),)))
    tool = Tool("decide", "What to do.", {"type": "object"})
    asked = Request("plan", turns, "Be brief.", (tool,), must_call=True, platform="browser", max_tokens=77)
    writer.asked((asked, Reply("fine", usage=Usage(read=12, wrote=3), model="talk-1"), 0.25))
    writer.ended(Trajectory(Task("Press Next"), (), Ending("done")))
    assert writer.folder is not None
    (read,) = read_questions(writer.folder)
    assert read.request == asked and read.reply.text == "fine"
    assert read.figures == "102 characters, 1 picture, 12 tokens in, 3 out, $0.2500"
    return writer.folder


@dataclass
class Listening:
    """A model that keeps what it is asked."""

    name: str = "own/listening"
    traits: Traits = field(default_factory=Traits)
    heard: ClassVar[list[Request]] = []

    def complete(self, request: Request) -> Reply:
        self.heard.append(request)
        return Reply("something else", model="listening-1")


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ("s/Be brief/Be long/", ""),
        ("s/pressed/not pressed/", ""),
        ("/picture/d", ""),
        ("s/decide/undecided/", "was changed; only the messages to the model can be"),
        ("s/1: user/1: nobody/", 'unknown heading "1: nobody"'),
        ("", ""),
    ],
)
def test_a_kept_question_is_asked_again_as_a_person_edits_it(
    edit: str, told: str, kept_run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Listening.heard.clear()
    (kept,) = read_questions(kept_run)
    monkeypatch.setenv("EDITOR", f"sed -i '{edit}'")
    words = ["models", "ask", str(kept_run), "1", "--model", f"{__name__}:Listening"]
    code = call([*words, "--edit"] if edit else words)
    out, err = capsys.readouterr()
    assert told in err and (code == 2) == bool(told), err
    if told:
        return
    assert "answer then (talk-1) =====\nfine" in out
    assert "answer now (listening-1) =====\nsomething else" in out
    (request,) = Listening.heard
    assert (request == kept.request) == (not edit)
    document = str(request)
    assert ("Be long" in document, "not pressed" in document, "Screenshot" not in document) == (
        "long" in edit,
        "not pressed" in edit,
        "picture" in edit,
    )
    assert request.must_call and request.max_tokens == 77 and request.tools == kept.request.tools


def test_a_damaged_line_takes_neither_the_report_nor_the_other_questions(kept_run: Path) -> None:
    path = kept_run / "requests.jsonl"
    (whole,) = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([whole, "{}", whole[:50]]), "utf-8")
    assert [one.reply.text for one in read_questions(kept_run)] == ["fine"]
    assert render(read_run(kept_run))


def test_a_question_that_was_not_kept_is_said_to_be_missing(
    kept_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["models", "ask", str(kept_run), "--role", "verifier"]) == 2
    assert "no such question of the verifier; it has questions of: planner" in capsys.readouterr().err
    assert call(["models", "ask", kept_run.name, "--runs", str(kept_run.parent), "--print"]) == 0
    assert "===== answer =====\nfine" in capsys.readouterr().out
    (kept_run / "requests.jsonl").unlink()
    assert call(["models", "ask", str(kept_run)]) == 2
    assert "run with --set trace.requests=true" in capsys.readouterr().err
