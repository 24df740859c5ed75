"""The OpenAPI description of the HTTP door, from the same models that check its requests."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from gui_agent.integrations.http import Message, NewAnswer, NewLease, NewRun, NewScreen

PROBLEM = {"$ref": "#/components/schemas/Problem"}
RUN = {"$ref": "#/components/schemas/Run"}
NOTHING = {"type": "object"}
MODELS = (NewRun, NewScreen, Message, NewAnswer, NewLease)


def description() -> dict[str, Any]:
    """The document that `/openapi.json` gives."""
    schemas: dict[str, Any] = {
        model.__name__: model.model_json_schema(ref_template="#/components/schemas/{model}")
        for model in MODELS
    }
    schemas["Problem"] = _object({"type": "string", "title": "string", "status": "integer"})
    schemas["Run"] = _object({"run": "string", "task": "string", "status": "string", "events": "integer"})
    screen = _object({"screen": "string", "kind": "string"})
    return {
        "openapi": "3.1.0",
        "info": {"title": "guiagent", "version": version("guiagent")},
        "security": [{"token": []}],
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "paths": {
            "/runs": {
                "get": _does("The runs", {200: _object({"runs": "array"})}),
                "post": _does("Begin a task", {201: RUN}, NewRun, headers=("Idempotency-Key",)),
            },
            "/runs/{run}": {"get": _does("A run and its result", {200: RUN}, at=("run",))},
            "/runs/{run}/events": {"get": _events()},
            "/runs/{run}/messages": {"post": _does("Say something", {202: NOTHING}, Message, at=("run",))},
            "/runs/{run}/answers": {"post": _does("Answer a question", {202: RUN}, NewAnswer, at=("run",))},
            "/runs/{run}/pause": {"post": _does("Hold a run", {202: RUN}, at=("run",))},
            "/runs/{run}/resume": {"post": _does("Let a run go on", {202: RUN}, at=("run",))},
            "/runs/{run}/stop": {"post": _does("End a run", {202: RUN}, at=("run",))},
            "/runs/{run}/lease": {
                "post": _does("Take over the screen, or renew", {201: NOTHING}, NewLease, at=("run",)),
                "delete": _does("Hand the screen back", {204: None}, at=("run",), queries=("lease",)),
            },
            "/runs/{run}/report": {"get": _does("The report", {200: None}, at=("run",), kind="text/html")},
            "/screens": {
                "get": _does("The open screens", {200: _object({"screens": "array"})}),
                "post": _does("Open a screen", {201: screen}, NewScreen),
            },
            "/screens/{screen}": {"delete": _does("Close a screen", {204: None}, at=("screen",))},
        },
    }


def _object(properties: dict[str, str]) -> dict[str, Any]:
    """A schema of an object that has these keys, and may have more."""
    known = {name: {"type": kind} for name, kind in properties.items()}
    return {"type": "object", "properties": known, "required": list(known)}


def _does(
    summary: str,
    answers: dict[int, Any],
    body: type | None = None,
    *,
    at: tuple[str, ...] = (),
    headers: tuple[str, ...] = (),
    queries: tuple[str, ...] = (),
    kind: str = "application/json",
) -> dict[str, Any]:
    """An operation; every one can also answer with a problem."""
    text = {"type": "string"}
    given = [{"name": one, "in": "path", "required": True, "schema": text} for one in at]
    given += [{"name": one, "in": "header", "required": False, "schema": text} for one in headers]
    given += [{"name": one, "in": "query", "required": False, "schema": text} for one in queries]
    told: dict[str, Any] = {"default": _answer("Refused", PROBLEM, "application/problem+json")}
    for code, schema in answers.items():
        told[str(code)] = {"description": summary} if code == 204 else _answer(summary, schema or text, kind)
    operation: dict[str, Any] = {"summary": summary, "parameters": given, "responses": told}
    if body is not None:
        schema = {"$ref": f"#/components/schemas/{body.__name__}"}
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return operation


def _events() -> dict[str, Any]:
    operation = _does("Events as they come", {200: None}, at=("run",), kind="text/event-stream")
    number = {"type": "integer", "minimum": 0}
    operation["parameters"] += [
        {"name": "Last-Event-ID", "in": "header", "required": False, "schema": number},
        {"name": "after", "in": "query", "required": False, "schema": number},
    ]
    operation["responses"]["200"]["content"]["text/event-stream"] = {}  # each event is one of docs/events.md
    operation["responses"]["200"]["content"]["application/json"] = {"schema": _object({"events": "array"})}
    return operation


def _answer(summary: str, schema: Any, kind: str) -> dict[str, Any]:
    return {"description": summary, "content": {kind: {"schema": schema}}}
