"""OpenTelemetry spans of a run, named and attributed by the semantic conventions for generative AI.

Only the API is used: where the spans go is configured as for any other program, for instance by starting
`opentelemetry-instrument guiagent run ...`. Without an SDK they cost nothing and go nowhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from gui_agent.core.errors import MissingExtra
from gui_agent.trace.events import Event

if TYPE_CHECKING:
    from opentelemetry.trace import Span

Used = Callable[[], tuple[int, int]]
"""Tokens that models have read and written so far."""


class Spans:
    """A sink with a span for each run (`invoke_agent`), step (`execute_tool`) and model call (`chat`)."""

    def __init__(self, model: str = "", used: Used | None = None) -> None:
        """Args: model: `provider/name` of the model that decides, if any."""
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
        """Begin, add to, or end the span of the run."""
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
