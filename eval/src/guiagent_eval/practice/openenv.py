"""A benchmark as an environment that trainers step through, in the protocol of OpenEnv 0.3.

Each connection is a session. It holds a worker from the beginning of an episode to its end, so a few
workers serve many sessions one after the other.
"""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from gui_agent.core.errors import ConfigError, GuiAgentError
from gui_agent.core.texts import suggestion
from gui_agent.integrations.local import LocalApp, Receive, Scope, Send, problem
from gui_agent.server.live import HOST
from guiagent_eval.benchmark import Case
from guiagent_eval.practice.stepping import Moment, Served, StepWorker

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.websockets import WebSocket

WAITING = 45.0
"""Seconds for which a session waits for a worker; clients wait for 60."""
DECIDED = ("thought", "plan", "notes", "criteria", "actions", "end")
"""Fields of an answer that is given as fields instead of text."""


class ProtocolFault(Exception):
    """An error for the client, with a code of the protocol."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Pool:
    """Workers, started on first use, and again if one has died."""

    def __init__(self, served: Served, size: int) -> None:
        self.size = size
        self._served = served
        self._free: asyncio.LifoQueue[StepWorker | None] = asyncio.LifoQueue()
        for _ in range(size):
            self._free.put_nowait(None)
        self._threads = ThreadPoolExecutor(size, "worker")
        self._started: set[StepWorker] = set()

    async def lease(self) -> StepWorker:
        """A worker for one episode.

        Raises:
            ProtocolFault: all workers are in use for too long, or none starts.
        """
        try:
            worker = await asyncio.wait_for(self._free.get(), WAITING)
        except TimeoutError:
            told = f"all {self.size} workers are in use; start the server with a larger --pool"
            raise ProtocolFault("CAPACITY_REACHED", told) from None
        if worker is not None:
            if worker.alive:
                return worker
            self._started.remove(worker)
        try:
            fresh: StepWorker = await self.run(StepWorker, self._served)
        except BaseException:
            self._free.put_nowait(None)
            raise
        self._started.add(fresh)
        return fresh

    def give_back(self, worker: StepWorker) -> None:
        """Return a worker for others."""
        self._free.put_nowait(worker)

    async def run(self, work: Any, *arguments: Any) -> Any:
        """The result of blocking work, in a thread beside the loop.

        Raises:
            ProtocolFault: the worker failed.
        """
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)
        except ConfigError as error:
            raise ProtocolFault("VALIDATION_ERROR", str(error)) from error
        except GuiAgentError as error:
            raise ProtocolFault("EXECUTION_ERROR", str(error)) from error

    def close(self) -> None:
        """End all workers."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._started:
            worker.close()


class StepSession:
    """One connection: its episodes, one after the other."""

    def __init__(self, pool: Pool, tasks: Sequence[str]) -> None:
        self._pool, self._tasks = pool, tasks
        self._worker: StepWorker | None = None
        self._state: dict[str, Any] = {"episode_id": None, "step_count": 0}
        self._dice = random.Random()

    async def answer(self, message: Any) -> dict[str, Any] | None:
        """The answer to a message; None to one that closes the session.

        Raises:
            ProtocolFault: there is no answer.
        """
        kind = message.get("type") if isinstance(message, Mapping) else None
        data = message.get("data") or {} if isinstance(message, Mapping) else {}
        match kind:
            case "reset":
                return {"type": "observation", "data": await self._reset(data)}
            case "step":
                return {"type": "observation", "data": await self._step(data)}
            case "state":
                return {"type": "state", "data": self._state}
            case "close":
                return None
        raise ProtocolFault("UNKNOWN_TYPE", f"Unknown message type: {kind}")

    async def _reset(self, data: Mapping[str, Any]) -> Moment:
        case = self._case_of(data)
        if self._worker is None or not self._worker.alive:
            self.leave()
            self._worker = await self._pool.lease()
        self._state = {
            "episode_id": str(data.get("episode_id") or uuid.uuid4()),
            "step_count": 0,
            "task": case.task,
            "seed": case.seed,
        }
        return await self._moment(self._worker.reset, case)

    async def _step(self, data: Mapping[str, Any]) -> Moment:
        if self._worker is None:
            raise ProtocolFault("EXECUTION_ERROR", "no episode is running; reset first")
        said = data.get("action_str")
        given = {name: data[name] for name in DECIDED if name in data}
        if not isinstance(said, str) and not given:
            told = f"give action_str, an answer as text, or its fields: {', '.join(DECIDED)}"
            raise ProtocolFault("VALIDATION_ERROR", told)
        self._state["step_count"] += 1
        return await self._moment(self._worker.step, said if isinstance(said, str) else json.dumps(given))

    async def _moment(self, work: Any, what: Any) -> Moment:
        """The result of the work; a worker whose episode is over, or that has failed, is returned."""
        try:
            moment: Moment = await self._pool.run(work, what)
        except ProtocolFault:
            self.leave()
            raise
        if moment["done"]:
            self.leave()
        return moment

    def leave(self) -> None:
        """Return the worker; a running episode is abandoned when the worker begins the next."""
        worker, self._worker = self._worker, None
        if worker is not None:
            self._pool.give_back(worker)

    def _case_of(self, data: Mapping[str, Any]) -> Case:
        """The episode of a reset request: by `task` and `seed`, or by `index` or `seed` alone."""
        try:
            given = data.get("seed")
            seed = self._dice.randrange(1 << 30) if given is None else int(given)
            place = int(data.get("index", seed))
        except (TypeError, ValueError):
            raise ProtocolFault("VALIDATION_ERROR", "seed and index are whole numbers") from None
        task = data.get("task") or self._tasks[place % len(self._tasks)]
        if task not in self._tasks:
            near = suggestion(str(task), self._tasks)
            raise ProtocolFault("VALIDATION_ERROR", f"{task!r} is not among the tasks that are served{near}")
        return Case(str(task), seed)


def env_app(served: Served, tasks: Sequence[str], pool: Pool) -> Starlette:
    """The application: sessions at `/ws`, and a description."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route, WebSocketRoute
    from starlette.websockets import WebSocketDisconnect

    async def serve_session(socket: WebSocket) -> None:
        await socket.accept()
        session = StepSession(pool, tasks)
        try:
            while (told := await _answer(session, await socket.receive_text())) is not None:
                await socket.send_text(json.dumps(told))
            await socket.close()
        except WebSocketDisconnect:
            pass
        finally:
            session.leave()

    about = {
        "health": {"status": "healthy"},
        "metadata": {
            "name": f"guiagent-{served.benchmark}",
            "description": f"Episodes of {served.benchmark}, stepped through by decisions of a GUI agent.",
        },
        "schema": SCHEMA,
        "tasks": {"tasks": list(tasks)},
    }

    def page(name: str) -> Any:
        return lambda request: JSONResponse(about[name])

    pages = [Route(f"/{name}", page(name)) for name in about]
    return Starlette(routes=[*pages, WebSocketRoute("/ws", serve_session)])


async def _answer(session: StepSession, text: str) -> dict[str, Any] | None:
    try:
        return await session.answer(json.loads(text))
    except ValueError as error:
        return _fault("INVALID_JSON", f"Invalid JSON: {error}")
    except ProtocolFault as fault:
        return _fault(fault.code, str(fault))


def _fault(code: str, message: str) -> dict[str, Any]:
    return {"type": "error", "data": {"code": code, "message": message}}


def _object(**properties: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": kind} for name, kind in properties.items()}}


SCHEMA = {
    "action": _object(action_str="string", thought="string", actions="array", end="object"),
    "observation": _object(
        **dict.fromkeys(
            ("goal", "text", "url", "screenshot", "last_action_error", "state", "ending"), "string"
        )
    ),
    "state": _object(episode_id="string", step_count="integer", task="string", seed="integer"),
}


class EnvServer(LocalApp):
    """A server for this machine with the token in its path: OpenEnv's client sends no header for it."""

    @property
    def url(self) -> str:
        """The address for a client."""
        return f"http://{HOST}:{self.port}/{self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        _, token, rest = [*scope["path"].split("/", 2), "", ""][:3]
        # A web page always sends its origin; none of our clients does.
        ours = headers.get(b"host", b"").decode("latin-1") in self._hosts and b"origin" not in headers
        if ours and self._is(token):
            await self._app({**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}, receive, send)
        elif scope["type"] == "http":
            await problem(send, 403, "The address must contain the token; guiagent prints it")
        else:
            await send({"type": "websocket.close", "code": 1008})
