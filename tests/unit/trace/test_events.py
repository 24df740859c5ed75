"""One form of events for programs: live, from a kept run, in the log and as spans."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import Decision, Finish, GiveUp, Planned
from gui_agent.testing import FakeComputer, ScriptedPlanner, button, screen
from gui_agent.trace import RunWriter, read_run
from gui_agent.trace.events import VERSION, Event, Events, Spans, log_sink, replay

SEND = Decision(planned=(Planned(Click(Words("Next"))),), calls=1, thought="send it now")
DONE = Decision(end=Finish("sent"), notes={"who": "Ada\x1b[2J"})


def run(*observers: object, decisions: tuple[Decision, ...] = (SEND, DONE)) -> list[Event]:
    """The events of a short run."""
    found: list[Event] = []
    planner = ScriptedPlanner(decisions)
    computer = FakeComputer(screen(button("Next")))
    Agent(computer, planner, observers=[Events(found.append), *observers]).run("send it")  # type: ignore[list-item]
    return found


def test_each_event_has_the_next_number_and_is_json() -> None:
    found = run()
    assert [event.id for event in found] == list(range(1, len(found) + 1))
    assert [event.kind for event in found] == ["started", "decision", "step", "decision", "ended"]
    for event in found:
        line = json.loads(event.as_json())
        assert line["version"] == VERSION and line["data"] == json.loads(json.dumps(event.data))
    assert found[2].data["performed"] and found[2].data["action"]["kind"] == "click"
    assert found[-1].data["notes"]["who"].startswith("Ada") and found[-1].data["exit_code"] == 0


def test_a_second_run_counts_anew() -> None:
    found: list[Event] = []
    events = Events(found.append)
    for _ in range(2):
        agent = Agent(FakeComputer(screen()), ScriptedPlanner([Decision(end=Finish())]), observers=[events])
        agent.run("nothing")
    assert [event.id for event in found if event.kind == "started"] == [1, 1]


def test_a_kept_run_gives_the_same_events_again(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path)
    live = run(writer)
    assert writer.folder is not None
    again = replay(read_run(writer.folder))
    assert [(one.id, one.kind, one.text, one.data) for one in again] == [
        (one.id, one.kind, one.text, one.data) for one in live
    ]
    assert [one.at for one in again] == sorted(one.at for one in again)


def test_the_log_of_the_standard_library_has_each_event(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "gui_agent.run"):
        run(Events(log_sink), decisions=(SEND, Decision(end=GiveUp("there is no Send"))))
    kinds = [record.event["kind"] for record in caplog.records]  # type: ignore[attr-defined]
    assert kinds == ["started", "decision", "step", "decision", "ended"]
    assert caplog.records[-1].levelno == logging.WARNING and "there is no Send" in caplog.text


def test_spans_follow_the_conventions_for_generative_ai(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr("opentelemetry.trace.get_tracer", provider.get_tracer)
    used = iter([(120, 30)])
    run(Events(Spans("acme/model-1", lambda: next(used))))
    chat, tool, whole = kept.get_finished_spans()
    assert [span.name for span in (chat, tool, whole)] == [
        "chat model-1",
        "execute_tool click",
        "invoke_agent guiagent",
    ]
    assert chat.attributes is not None and tool.attributes is not None and whole.attributes is not None
    assert chat.attributes["gen_ai.usage.input_tokens"] == 120
    assert chat.attributes["gen_ai.provider.name"] == "acme"
    assert tool.attributes["gen_ai.tool.name"] == "click"
    assert whole.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert whole.context is not None and tool.parent is not None
    assert tool.parent.span_id == whole.context.span_id
