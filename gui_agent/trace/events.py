"""The events of a run for observers, and as OpenTelemetry spans.

A stored run gives the same events again (`replay`), so a program that reads them needs one parser.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from gui_agent.core.codec import plain
from gui_agent.core.errors import MissingExtra
from gui_agent.core.trajectory import PERSON, Ending, Result, Step, Task, Trajectory, Turn
from gui_agent.elements.describe import describe, describe_step, printable
from gui_agent.trace.lines import REPORT
from gui_agent.trace.reader import StoredRun

if TYPE_CHECKING:
    from opentelemetry.trace import Span

VERSION: Final = "guiagent-events-1"
EventKind = Literal["started", "decision", "step", "said", "question", "answered", "state", "ended", "result"]
LOG = logging.getLogger("gui_agent.run")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run; `docs/events.md` lists the `data` of each kind."""

    id: int
    """1-based within the run, without gaps."""
    kind: EventKind
    text: str
    """One sentence for people."""
    at: float
    """Seconds since the start of the run."""
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """JSON values by name."""

    def as_dict(self) -> dict[str, Any]:
        """The event as JSON, with the version of its format."""
        named = {"version": VERSION, "id": self.id, "kind": self.kind, "text": self.text, "at": self.at}
        return {**named, "data": dict(self.data)}

    def as_json(self) -> str:
        return json_line(self.as_dict())


def json_line(value: Mapping[str, Any]) -> str:
    """A value on one line; an unpaired surrogate, which a page can contain, becomes `?`."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")


Sink = Callable[[Event], None]
"""Takes each event, in order; like any observer's error, a sink's error ends the run."""


class Events:
    """Makes events of a run and passes them to its sinks; an Observer."""

    def __init__(self, *sinks: Sink, clock: Callable[[], float] = time.monotonic) -> None:
        self._sinks, self._clock = sinks, clock
        self._began = clock()
        self._count = 0
        self._calls = 0

    def started(self, task: Task) -> None:
        self._began, self._count, self._calls = self._clock(), 0, 0
        self.say("started", task.full_text, task=task.full_text, start=task.start)

    def decided(self, turn: Turn) -> None:
        """A planner, or the person, decided what comes next."""
        decision = turn.decision
        planned = [describe(one.action) for one in decision.planned]
        spoken = decision.thought if decision.planner == PERSON or not planned else ""
        end = plain(decision.end) if decision.end is not None else None
        said = spoken or "; ".join(planned) or str((end or {}).get("kind", "")).replace("_", " ")
        self._calls += decision.calls
        self.say(
            "decision",
            said,
            planner=decision.planner,
            thought=decision.thought,
            planned=planned,
            called=[*map(str, decision.called)],
            end=end,
            notes=dict(decision.notes),
            model_calls=decision.calls,
            seconds=round(turn.seconds, 4),
        )

    def stepped(self, step: Step) -> None:
        self.say(
            "step",
            describe_step(step),
            number=step.number,
            action=plain(step.action if step.action is not None else step.planned.action),
            performed=step.action is not None,
            means=step.means,
            outcome=step.outcome.kind,
            summary=printable(step.outcome.summary),
            error=step.error,
            place=step.after.place.url or step.after.place.app,
            seconds={part: round(seconds, 4) for part, seconds in step.seconds.items()},
        )

    def tell(self, what: str) -> None:
        """The run reports something that is not a step."""
        self.say("said", what)

    def ended(self, trajectory: Trajectory) -> None:
        ending = trajectory.ending
        if ending is None:
            return
        self.say(
            "ended",
            f"{ending.kind}: {ending.reason}".rstrip(": "),
            kind=ending.kind,
            ok=ending.kind == "done",
            verified=ending.kind == "done" and ending.verified,
            reason=ending.reason,
            answer=ending.answer,
            notes=trajectory.notes,
            steps=len(trajectory.steps),
            model_calls=trajectory.model_calls,
            exit_code=int(ending.exit_code),
        )

    def say(self, event_kind: EventKind, text: str, **data: Any) -> None:
        self._count += 1
        at = round(self._clock() - self._began, 4)
        event = Event(self._count, event_kind, printable(text), at, data)
        for sink in self._sinks:
            sink(event)


def log_sink(event: Event) -> None:
    """A sink that writes to the standard library's log: `gui_agent.run`, level INFO, `record.event`."""
    level = logging.WARNING if event.data.get("error") or event.data.get("ok") is False else logging.INFO
    LOG.log(level, "%s %s", event.kind, event.text, extra={"event": event.as_dict()})


def replay(run: StoredRun) -> Sequence[Event]:
    """The events of a stored run: tasks, decisions, steps and the ending."""
    found: list[Event] = []
    now = [0.0]
    events = Events(found.append, clock=lambda: now[0])
    events.started(run.trajectory.task)
    ends = iter(run.at)
    for turn in run.trajectory.turns:
        events.decided(turn)
        for step in turn.steps:
            now[0] = next(ends, now[0])
            events.stepped(step)
    now[0] = max(now[0], run.seconds)
    events.ended(run.trajectory)
    return found


def result_json(result: Result) -> str:
    """The result on one line, for `--json`."""
    return json_line(result_data(result))


def result_data(result: Result) -> dict[str, Any]:
    """The result as JSON values; these keys are stable:

    ok (bool), verified (bool: done and confirmed), ending, reason, error (class name), candidates (list),
    answer (str), notes (by name), steps (int), seconds (float), model_calls, tokens (int), cost (dollars),
    exit_code (int), folder, report (paths, empty if nothing was stored).
    """
    report = Path(result.folder) / REPORT if result.folder else None
    return {
        "ok": result.ok,
        "verified": result.verified,
        "ending": result.ending.kind,
        "reason": result.reason,
        "error": result.ending.error,
        "candidates": [str(one) for one in result.ending.candidates],
        "answer": result.answer,
        "notes": dict(result.notes),
        "steps": len(result.steps),
        "seconds": round(result.seconds, 3),
        "model_calls": result.model_calls,
        "tokens": result.tokens,
        "cost": round(result.cost, 6),
        "exit_code": int(result.exit_code),
        "folder": result.folder,
        "report": str(report) if report and report.is_file() else "",
    }


def failure_data(error: Exception) -> dict[str, Any]:
    """An error that kept the run from starting, in the form of a result."""
    ending = Ending("crashed", str(error), error=type(error).__name__)
    told = result_data(Result(Trajectory(Task(""), ending=ending)))
    return {**told, "ending": "error", "exit_code": int(getattr(error, "exit_code", 1))}


Used = Callable[[], tuple[int, int]]
"""Tokens that models have read and written so far."""


class Spans:
    """A sink with a span for each run (`invoke_agent`), step (`execute_tool`) and model call (`chat`)."""

    def __init__(self, model: str = "", used: Used | None = None) -> None:
        try:
            from opentelemetry import trace
        except ImportError as error:
            raise MissingExtra("otel", "spans (trace.spans)") from error
        self._trace = trace
        self._tracer = trace.get_tracer("gui_agent")
        self._provider, _, self._model = model.rpartition("/")
        self._used = used or (lambda: (0, 0))
        self._before = (0, 0)
        self._run: Span | None = None

    def __call__(self, event: Event) -> None:
        now = time.time_ns()
        if event.kind == "started":
            names = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "guiagent"}
            self._run = self._tracer.start_span(
                "invoke_agent guiagent", kind=self._trace.SpanKind.INTERNAL, attributes=names
            )
        elif self._run is None:
            return
        elif event.kind == "decision" and event.data["model_calls"]:
            self._chat(event, now)
        elif event.kind == "step":
            self._tool(event, now)
        elif event.kind == "ended":
            self._run.set_attribute("guiagent.run.ending", event.data["kind"])
            self._run.set_attribute("guiagent.run.steps", event.data["steps"])
            self._fail(self._run, "" if event.data["ok"] else event.data["kind"], event.text)
            self._run.end()
            self._run = None
        elif event.kind in ("said", "question", "answered", "state"):
            self._run.add_event(f"guiagent.{event.kind}", {"text": event.text})

    def _chat(self, event: Event, now: int) -> None:
        read, wrote = self._used()
        span = self._child(f"chat {self._model}".strip(), now - int(event.data["seconds"] * 1e9))
        span.set_attributes(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": self._provider or "custom",
                "gen_ai.request.model": self._model,
                "gen_ai.usage.input_tokens": read - self._before[0],
                "gen_ai.usage.output_tokens": wrote - self._before[1],
            }
        )
        self._before = (read, wrote)
        span.end(now)

    def _tool(self, event: Event, now: int) -> None:
        name = str(event.data["action"].get("kind", "action"))
        span = self._child(f"execute_tool {name}", now - int(sum(event.data["seconds"].values()) * 1e9))
        span.set_attributes(
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.type": "function",
                "gen_ai.tool.call.id": str(event.data["number"]),
                "guiagent.step.text": event.text,
                "guiagent.step.outcome": event.data["outcome"],
            }
        )
        self._fail(span, event.data["error"], event.data["summary"])
        span.end(now)

    def _child(self, name: str, begun: int) -> Span:
        assert self._run is not None
        return self._tracer.start_span(name, self._trace.set_span_in_context(self._run), start_time=begun)

    def _fail(self, span: Span, error: str, why: str) -> None:
        if error:
            span.set_attribute("error.type", error)
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, why))
