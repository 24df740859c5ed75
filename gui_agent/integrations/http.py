"""Runs and screens over HTTP: an API for programs, and pages for users who watch, answer and take over."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from importlib.metadata import version
from typing import Any

from pydantic import Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from gui_agent.core.errors import ConfigError, GuiAgentError, Unavailable
from gui_agent.core.validation_errors import explain
from gui_agent.integrations._messages import language_of
from gui_agent.integrations._pages import PACKAGE, RunChoices, words_of
from gui_agent.integrations.choices import chosen_settings
from gui_agent.integrations.corrections import Misread
from gui_agent.integrations.lists import begin_list, kept_lists
from gui_agent.integrations.local import SANDBOX, Body, Text, Word, own_page, read_body, read_json
from gui_agent.integrations.runs import InUse, ServedRun
from gui_agent.integrations.screen_client import UnknownHandle
from gui_agent.integrations.session_registry import SessionRegistry
from gui_agent.integrations.workbench import Pages
from gui_agent.server import live
from gui_agent.server.live import BOUNDARY, FRAMES, jpeg, stream_part, view_page
from gui_agent.trace.report import resource

BEAT = 15.0
"""Seconds without news after which a stream sends a heartbeat."""
GATHERED = 0.02
"""Seconds during which events are collected after some were sent."""
LEASE = 60.0
"""Seconds after which a screen taken over returns to its run, unless the lease is renewed."""


REFERENCE = "#/components/schemas/{model}"
"""How the document at `/openapi.json` refers to a model."""


class NewRun(RunChoices):
    """A task to start."""

    task: Text = ""
    """Plain commands, or a task in words; empty with a skill."""
    url: Text = ""
    screen: Word = ""
    """The handle of an open screen; without one, the run gets its own."""
    skill: Word = ""
    """A skill or procedure to run with `values`, instead of a task."""
    values: dict[Word, Text] = Field(default_factory=dict, max_length=100)
    max_steps: int = Field(default=50, ge=1, le=1000)
    max_seconds: float = Field(default=600, gt=0, le=86_400)


class NewScreen(Body):
    """A screen to open."""

    on: Word = ""
    url: Text = ""


class NewList(RunChoices):
    """A task to do for each row."""

    task: Text = Field(min_length=1)
    """A skill or procedure, or a task with `{column}` in it."""
    rows: list[dict[Word, Text]] = Field(min_length=1, max_length=5000)
    url: Text = ""
    check: Text = ""
    max_failures: int = Field(default=5, ge=0)


class Message(Body):
    """A message to a run."""

    text: Text = Field(min_length=1)


class NewAnswer(Body):
    """The user's answer to a question of a run; for the guard `yes`, `always` or `no`."""

    question: Word
    answer: Text


class NewLease(Body):
    """Takes over the screen of a run, or renews that."""

    seconds: float = Field(default=LEASE, ge=1, le=3600)
    lease: Word = ""


class Api:
    """The routes over a registry."""

    def __init__(self, registry: SessionRegistry) -> None:
        self.registry = registry
        self._leases: dict[str, tuple[str, float]] = {}
        """By run: the lease that holds its screen, and its end time."""
        self._lists = kept_lists(registry.settings)
        self._pages = Pages(registry, self._lists)

    def app(self) -> Starlette:
        routes = [
            *self._pages.routes(),
            Route("/openapi.json", self.openapi),
            Route("/screens", self.screens, methods=["GET", "POST"]),
            Route("/screens/{screen}", self.screen, methods=["DELETE"]),
            Route("/lists", self.lists, methods=["GET", "POST"]),
            Route("/lists/{list}", self.list),
            Route("/lists/{list}/stop", self.stop_list, methods=["POST"]),
            Route("/lists/{list}/report", self.list_report),
            Route("/runs", self.runs, methods=["GET", "POST"]),
            Route("/runs/{run}", self.run),
            Route("/runs/{run}/events", self.events),
            Route("/runs/{run}/messages", self.message, methods=["POST"]),
            Route("/runs/{run}/answers", self.answer, methods=["POST"]),
            Route("/runs/{run}/question.png", self.question_picture),
            Route("/runs/{run}/lease", self.lease, methods=["POST", "DELETE"]),
            Route("/runs/{run}/report", self.report),
            Route("/runs/{run}/view/", self.view),
            Route("/runs/{run}/view/steps", self.steps),
            Route("/runs/{run}/view/stream", self.stream),
            Route("/runs/{run}/view/do", self.do, methods=["POST"]),
            Route("/runs/{run}/{do}", self.control, methods=["POST"]),
        ]
        handlers: Mapping[Any, Callable[[Request, Exception], Awaitable[Response]]] = {
            GuiAgentError: _refusal,
            HTTPException: _http,
            ValidationError: _problem_of_request,
        }
        return Starlette(routes=routes, exception_handlers=handlers)

    async def openapi(self, _: Request) -> Response:
        return JSONResponse(description())

    async def screens(self, request: Request) -> Response:
        if request.method == "POST":
            wanted = await read_body(request, NewScreen)
            opened = await run_in_threadpool(self.registry.open, wanted.on, wanted.url)
            return JSONResponse({"screen": opened.handle, "kind": opened.kind}, 201)
        held = [
            {"screen": one.handle, "kind": one.kind, "busy": one.busy.locked()}
            for one in self.registry.screens
        ]
        return JSONResponse({"screens": held})

    async def screen(self, request: Request) -> Response:
        await run_in_threadpool(self.registry.close, request.path_params["screen"])
        return Response(status_code=204)

    async def lists(self, request: Request) -> Response:
        if request.method == "GET":
            return JSONResponse({"lists": [one.as_dict() for one in self._lists.values()]})
        wanted = await read_body(request, NewList)
        settings = chosen_settings(self.registry.settings, **wanted.by_name())
        told = wanted.model_dump(exclude={*RunChoices.model_fields})
        begun = await run_in_threadpool(begin_list, settings, **told)
        self._lists[begun.id] = begun
        return JSONResponse(begun.as_dict(), 201, {"location": f"/lists/{begun.id}"})

    async def list(self, request: Request) -> Response:
        """The state of a list, and the results of its rows."""
        return JSONResponse(self._pages.list_of(request).as_dict(rows=True))

    async def stop_list(self, request: Request) -> Response:
        """Ends a list after the current row."""
        self._pages.list_of(request).stopping.set()
        return JSONResponse({}, 202)

    async def list_report(self, request: Request) -> Response:
        page = self._pages.list_of(request).page
        if not page.is_file():
            raise HTTPException(404, "the list has not ended")
        return FileResponse(page, media_type="text/html", headers=SANDBOX)

    async def runs(self, request: Request) -> Response:
        if request.method == "GET":
            return JSONResponse({"runs": [run.as_dict() for run in self.registry.runs]})
        wanted = await read_body(request, NewRun)
        limits = {"steps": wanted.max_steps, "seconds": wanted.max_seconds}
        key = request.headers.get("idempotency-key", "")[:200]
        begun = await run_in_threadpool(
            lambda: self.registry.start(
                wanted.task,
                screen=wanted.screen,
                url=wanted.url,
                values=wanted.values,
                skill=wanted.skill,
                limits=limits,
                key=key,
                choices=wanted.by_name(),
            )
        )
        return JSONResponse(begun.as_dict(), 201, {"location": f"/runs/{begun.id}"})

    async def run(self, request: Request) -> Response:
        return JSONResponse(self._run_of(request).as_dict())

    async def events(self, request: Request) -> Response:
        """The events of a run as server-sent events; continues after `Last-Event-ID`."""
        run = self._run_of(request)
        last = request.headers.get("last-event-id") or request.query_params.get("after", "0")
        if not (last.isascii() and last.isdecimal() and len(last) < 10):
            raise HTTPException(400, "Last-Event-ID must be the number of an event")
        if "text/event-stream" not in request.headers.get("accept", "text/event-stream").replace(
            "*/*", "text/event-stream"
        ):
            found = [event.as_dict() for event in run.events[int(last) :]]
            return JSONResponse({"events": found})
        return StreamingResponse(
            _follow_events(run, int(last)),
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def message(self, request: Request) -> Response:
        said = await read_body(request, Message)
        self._going(request).control.tell(said.text)
        return JSONResponse({}, 202)

    async def answer(self, request: Request) -> Response:
        """Answers a question of the run; each can be answered once."""
        given = await read_body(request, NewAnswer)
        run = self._run_of(request)
        run.reply(given.question, given.answer)
        return JSONResponse(run.as_dict(), 202)

    async def control(self, request: Request) -> Response:
        do = request.path_params["do"]
        if do not in ("pause", "resume", "stop"):
            raise HTTPException(404, "the page does not exist")
        run = self._going(request)
        if do == "stop":
            run.stop()
        elif self._lease_of(run):
            raise InUse(f"the screen of {run.id} is taken over; release the lease first")
        elif do == "pause":
            run.control.pause()
        else:
            run.control.resume()
        return JSONResponse(run.as_dict(), 202)

    async def lease(self, request: Request) -> Response:
        """Takes over the screen of a run for a while, renews that, or returns it."""
        run = self._going(request)
        holder = self._lease_of(run)
        if request.method == "DELETE":
            if holder and request.query_params.get("lease") != holder:
                raise InUse(f"another lease holds the screen of {run.id}")
            self._hand_back(run)
            return Response(status_code=204)
        wanted = await read_body(request, NewLease)
        if holder and wanted.lease != holder:
            raise InUse(f"another lease holds the screen of {run.id}")
        lease = holder or f"l-{secrets.token_hex(8)}"
        self._leases[run.id] = (lease, time.monotonic() + wanted.seconds)
        run.control.take_over()
        asyncio.get_running_loop().call_later(wanted.seconds + 0.05, self._lapse, run)
        return JSONResponse({"lease": lease, "seconds": wanted.seconds}, 201)

    async def report(self, request: Request) -> Response:
        """The report of an ended run, as a page that can run no scripts here."""
        path = await run_in_threadpool(self.registry.report, self._run_of(request).id)
        return FileResponse(path, media_type="text/html", headers=SANDBOX)

    async def question_picture(self, request: Request) -> Response:
        """The screen with the choices of the open question framed and numbered."""
        question = self._run_of(request).question
        if question is None or not question.picture:
            raise HTTPException(404, "no question with a picture is open")
        return Response(question.picture, media_type="image/png", headers={"cache-control": "no-store"})

    async def view(self, request: Request) -> Response:
        title, words = self._run_of(request).task, words_of(request)
        language = language_of(request.headers.get("accept-language", ""))
        return own_page(lambda nonce: view_page(title, nonce, language, words))

    async def steps(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(live.state, self._run_of(request).folder))

    async def do(self, request: Request) -> Response:
        """Performs an input from the live view."""
        run = self._run_of(request)
        asked = await read_json(request)
        if not isinstance(asked, dict):
            raise HTTPException(422, "a request must be a JSON object")
        if not live.ask(run.folder, asked):
            raise InUse("no run listens")
        return JSONResponse({})

    async def stream(self, request: Request) -> Response:
        kind = f"multipart/x-mixed-replace; boundary={BOUNDARY}"
        return StreamingResponse(
            _pictures(self._run_of(request)), media_type=kind, headers={"cache-control": "no-store"}
        )

    def _run_of(self, request: Request) -> ServedRun:
        return self.registry.run(request.path_params["run"])

    def _going(self, request: Request) -> ServedRun:
        run = self._run_of(request)
        if run.result is not None:
            raise InUse(f"{run.id} has ended")
        return run

    def _lease_of(self, run: ServedRun) -> str:
        lease, until = self._leases.get(run.id, ("", 0.0))
        return lease if time.monotonic() < until else ""

    def _lapse(self, run: ServedRun) -> None:
        if run.id in self._leases and not self._lease_of(run):
            self._hand_back(run)

    def _hand_back(self, run: ServedRun) -> None:
        self._leases.pop(run.id, None)
        run.control.resume()


async def _follow_events(run: ServedRun, last: int) -> AsyncIterator[bytes]:
    with run.changes() as changed:
        while True:
            changed.clear()
            ended, news = run.result is not None, run.lines[last:]
            if news:
                last += len(news)
                yield "".join(news).encode()
                await asyncio.sleep(GATHERED)
            elif ended:
                return
            else:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), BEAT)
                if not changed.is_set():
                    yield b": alive\n\n"


async def _pictures(run: ServedRun) -> AsyncIterator[bytes]:
    last, sent = b"", 0.0
    while True:
        ended = run.result is not None
        picture = await run_in_threadpool(run.screen_now)
        raw = picture.tobytes() if picture is not None else b""
        if picture is not None and (ended or raw != last or time.monotonic() - sent > BEAT):
            last, sent = raw, time.monotonic()
            yield stream_part(await run_in_threadpool(jpeg, picture))
        if ended:
            return
        await asyncio.sleep(1 / FRAMES)


def _problem(status: int, title: str, **more: Any) -> Response:
    told = {"type": "about:blank", "title": title, "status": status, **more}
    return JSONResponse(told, status, media_type="application/problem+json")


async def _refusal(_: Request, error: Exception) -> Response:
    if isinstance(error, Misread):
        return _problem(422, str(error), faults={str(line): why for line, why in error.faults.items()})
    kinds = {UnknownHandle: 404, InUse: 409, ConfigError: 422, Unavailable: 503}
    status = next((code for kind, code in kinds.items() if isinstance(error, kind)), 500)
    return _problem(status, str(error), error=type(error).__name__)


async def _http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _problem(error.status_code, str(error.detail))


async def _problem_of_request(_: Request, error: Exception) -> Response:
    assert isinstance(error, ValidationError)
    return _problem(422, explain(error), error="ConfigError")


MODELS = (NewRun, NewList, NewScreen, Message, NewAnswer, NewLease)


def description() -> dict[str, Any]:
    """The document at `/openapi.json`: its file, with the models and the version."""
    told: dict[str, Any] = json.loads(resource(PACKAGE, "openapi.json"))
    models = {one.__name__: one.model_json_schema(ref_template=REFERENCE) for one in MODELS}
    told["components"]["schemas"] |= models
    told["info"]["version"] = version("guiagent")
    return told
