"""A page of all workers of a run with their last pictures, on this machine only."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from gui_agent.integrations.local import LocalApp, own_page
from gui_agent.server.live import SAFE
from gui_agent.trace.report import resource, templates
from guiagent_eval.live import LIVE, WATCHED, WorkerState, reports
from guiagent_eval.records import EvalFolder

PACKAGE = "guiagent_eval"
MOST = 48
"""Maximum number of workers on the page, the latest ones."""


class WatchServer(LocalApp):
    """Serves the page until `close`, to everyone with the token."""

    def __init__(self, run: EvalFolder, progress: Callable[[], dict[str, Any]], port: int = 0) -> None:
        """
        Args:
            progress: returns the texts `head` and `failures`, and whether the run is `going`.
            port: 0 takes a free one.

        Raises:
            ConfigError: the port is not available.
        """
        self._run, self._progress = run, progress
        routes = {"/": self._page, "/state": self._state, "/picture/{name}": self._picture}
        super().__init__(Starlette(routes=[Route(path, answer) for path, answer in routes.items()]), port)

    def _page(self, request: Request) -> Response:
        style = resource("gui_agent.trace", "report.css") + resource(PACKAGE, "watch.css")
        told = {"title": self._run.folder.name, "style": style, "script": resource(PACKAGE, "watch.js")}
        page = templates(PACKAGE).get_template("watch.html.j2")
        return own_page(lambda nonce: page.render(nonce=nonce, **told))

    def _state(self, request: Request) -> Response:
        """What the page shows; asking for it is what makes the workers take pictures."""
        folder = self._run.folder / LIVE
        if folder.is_dir():
            (folder / WATCHED).touch()
        told = self._progress()
        known = [(name, one) for name, one in reports(self._run) if one.alive or not told["going"]]
        known.sort(key=lambda each: each[1].began)
        cards = [self._card(name, one) for name, one in known[-MOST:]]
        return JSONResponse({**told, "workers": cards}, headers=SAFE)

    def _card(self, name: str, one: WorkerState) -> dict[str, Any]:
        path = self._run.folder / LIVE / f"{name}.jpg"
        again = f" (attempt {one.attempt})" if one.attempt > 1 else ""
        return {
            "name": name,
            "alive": one.alive,
            "task": one.task + again if one.task else "",
            "steps": one.steps,
            "seconds": round(time.time() - one.began) if one.task and one.alive else None,
            "doing": one.doing,
            "episodes": one.episodes,
            "picture": f"/picture/{name}?{path.stat().st_mtime_ns}" if path.is_file() else "",
        }

    def _picture(self, request: Request) -> Response:
        name = str(request.path_params["name"])
        path = self._run.folder / LIVE / f"{name}.jpg"
        if not re.fullmatch(r"[\w-]+", name) or not path.is_file():
            return Response("There is no such picture.\n", 404, SAFE)
        return FileResponse(path, headers=SAFE)
