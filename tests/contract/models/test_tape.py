"""Traffic with a model, recorded and played again without the service."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gui_agent.core.errors import ConfigError
from gui_agent.core.redaction import Redactor
from gui_agent.models import RemoteModel, Tape
from tests.contract.models.conftest import (
    MODELS,
    WIRES,
    Answer,
    Service,
    asking,
    images,
    member,
    messages,
    text_answer,
)

Opened = Callable[..., RemoteModel]


@pytest.mark.parametrize("wire", WIRES)
def test_a_recorded_run_is_repeated_without_the_service(
    opened: Opened, service: Service, wire: str, tmp_path: Path
) -> None:
    service.script = [
        Answer({"error": {"message": "busy"}}, 503),
        Answer(text_answer(wire, "one")),
        Answer(text_answer(wire, "two")),
    ]
    model = opened(MODELS[wire], wire, tape=Tape(tmp_path))
    first = [model.complete(asking("a")), model.complete(asking("b"))]
    asked = len(service.asked)
    again = opened(MODELS[wire], wire, tape=Tape(tmp_path, replay=True))
    second = [again.complete(asking("a")), again.complete(asking("b"))]
    assert [reply.text for reply in second] == ["one", "two"]
    assert [reply.usage for reply in second] == [reply.usage for reply in first]
    assert len(service.asked) == asked
    with pytest.raises(ConfigError, match="used up"):
        again.complete(asking("a"))


@pytest.mark.parametrize("wire", WIRES)
def test_a_tape_holds_no_secret_and_no_picture(
    opened: Opened, service: Service, wire: str, tmp_path: Path
) -> None:
    service.script = [Answer(text_answer(wire, "the word is hunter2"))]
    tape = Tape(tmp_path, secrets=Redactor({"WORD": "hunter2", "KEY": "my-key"}))
    model = opened(MODELS[wire], wire, tape=tape, key_variable="MY_KEY", key=lambda name: "my-key")
    model.complete(asking("type hunter2"))
    written = tape.path.read_text()
    assert "hunter2" not in written and "my-key" not in written
    assert images(service.asked[0].body)[0][:60] not in written
    assert "sha256-" in written and tape.path.stat().st_size < 10_000


def test_another_request_is_told_from_the_recorded_one(
    opened: Opened, service: Service, tmp_path: Path
) -> None:
    service.script = [Answer(text_answer("chat", "one"))]
    opened("some-model", tape=Tape(tmp_path)).complete(asking("the first task"))
    again = opened("some-model", tape=Tape(tmp_path, replay=True))
    with pytest.raises(ConfigError, match=r"first task.*other task"):
        again.complete(asking("the other task"))
    loose = opened("some-model", tape=Tape(tmp_path, replay=True, loose=True))
    assert loose.complete(asking("the other task")).text == "one"


def test_calls_come_back_from_a_tape(opened: Opened, service: Service, tmp_path: Path) -> None:
    service.script = [Answer(messages(member("left_click", coordinate=[5, 6])))]
    first = opened("claude-sonnet-5-5", "messages", tape=Tape(tmp_path)).complete(asking(computer=True))
    again = opened("claude-sonnet-5-5", "messages", tape=Tape(tmp_path, replay=True))
    assert again.complete(asking(computer=True)).calls == first.calls


@pytest.mark.parametrize("content", [None, "no json\n", '{"host": 1}\n'])
def test_what_is_no_tape_is_said(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "models.jsonl").write_text(content)
    with pytest.raises(ConfigError, match="record"):
        Tape(tmp_path, replay=True)
