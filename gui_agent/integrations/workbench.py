"""The workbench: renders the pages of `guiagent serve` for users."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from gui_agent.api.row_list import read_rows, row_task
from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import shorten
from gui_agent.integrations import schedules
from gui_agent.integrations._learned_pages import LearnedPages
from gui_agent.integrations._pages import RunChoices, page_response
from gui_agent.integrations.choices import SENDING, choices_here, chosen_settings
from gui_agent.integrations.lists import ServedList, begin_list, first_row
from gui_agent.integrations.local import LARGEST, SANDBOX, Body, Text, Word, read_body
from gui_agent.integrations.logins import login_file, login_files, sites_of
from gui_agent.integrations.recordings import log_in
from gui_agent.integrations.runs import ServedRun
from gui_agent.integrations.schedules import KeptSchedule
from gui_agent.integrations.screen_client import UnknownHandle
from gui_agent.integrations.session_registry import SessionRegistry
from gui_agent.settings import Settings, state_folder
from gui_agent.trace.lines import ENDINGS, INTERRUPTED, Wording, duration, plural
from gui_agent.trace.reader import RunSummary, list_runs, read_run
from gui_agent.trace.report import moment, write_report

PACKAGE, STYLE = "gui_agent.integrations", "gui_agent.trace"
MOST = 60
"""Maximum earlier runs on a page; a search finds the others."""
NEWS = 0.5
"""Seconds between two checks for news."""
BEAT = 15.0
"""Seconds without news after which a stream sends a heartbeat."""
WORKING: Mapping[str, Wording] = {
    "running": Wording("Working", "●", "*", "calm"),
    "waiting": Wording("Waits for you", "?", "?", "warn"),
    "paused": Wording("Paused", "■", "!", "warn"),
    "yours": Wording("The screen is yours", "■", "!", "warn"),
    "interrupted": INTERRUPTED,
    **{str(kind): wording for kind, wording in ENDINGS.items()},
}


@dataclass(frozen=True, slots=True)
class ShownRun:
    """One run in the list of runs."""

    id: str
    task: str
    state: str
    said: str = ""
    """Why it ended as it did, or the values that it read."""
    facts: Sequence[str] = ()
    report: str = ""
    question: Mapping[str, Any] | None = None
    is_going: bool = False
    can_repeat: bool = True
    """Whether the agent did it, and not the person."""

    @property
    def wording(self) -> Wording:
        return WORKING.get(self.state, INTERRUPTED)


def shown_runs(registry: SessionRegistry, search: str = "") -> tuple[list[ShownRun], list[ShownRun]]:
    """The active runs, and the ended ones, the newest first."""
    served = [_line_of_run(one) for one in reversed(registry.runs)]
    here = {
        Path(one.result["folder"]).name for one in registry.runs if one.result and one.result.get("folder")
    }
    under_way = {one.task for one in served if one.is_going}  # whose traces have no ending yet
    stored = [
        _line_of_trace(one)
        for one in kept_runs(registry.settings)
        if one.folder.name not in here and not (one.ending == "interrupted" and one.task in under_way)
    ]
    wanted = search.casefold().split()
    ended = [one for one in (*(one for one in served if not one.is_going), *stored) if _fits(one, wanted)]
    return [one for one in served if one.is_going], ended[:MOST]


def kept_runs(settings: Settings) -> Sequence[RunSummary]:
    """The runs with stored traces, the newest first."""
    folder = runs_folder(settings)
    return list_runs(folder) if folder.is_dir() else ()


def runs_folder(settings: Settings) -> Path:
    """Where the traces of runs are."""
    return Path(settings.trace.folder or state_folder("runs"))


def _fits(run: ShownRun, wanted: Sequence[str]) -> bool:
    words = f"{run.task} {run.wording.label} {run.said} {' '.join(run.facts)}".casefold()
    return all(word in words for word in wanted)


def _line_of_run(run: ServedRun) -> ShownRun:
    told = run.result or {}
    facts = _figures(told["steps"], told["seconds"], told["cost"]) if told.get("folder") else ()
    said = shorten(told.get("answer") or told.get("reason") or "", 200)
    question, state = run.question, told.get("ending") or run.status
    asked = question.as_dict() if question is not None else None
    report = f"/runs/{run.id}/report" if told.get("folder") else ""
    going, again = run.result is None, bool(run.request)
    return ShownRun(run.id, run.task, state, said, facts, report, asked, going, again)


def _line_of_trace(run: RunSummary) -> ShownRun:
    facts = (moment(run.started), *_figures(run.steps, run.seconds, run.cost))
    return ShownRun(run.id, run.task, run.ending, shorten(run.reason, 200), facts, f"/reports/{run.id}")


def _figures(steps: int, seconds: float, cost: float) -> Sequence[str]:
    spent = f"${cost:.2f}" if cost >= 0.01 else f"${cost:.4f}"
    return (plural(steps, "step"), duration(seconds), *([spent] if cost else ()))


def rows_of(name: str, data: str) -> list[dict[str, str]]:
    """The rows of an uploaded file, given in Base64."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"rows{Path(name).suffix.lower() or '.csv'}"
        try:
            file.write_bytes(base64.b64decode(data, validate=True))
        except binascii.Error as error:
            raise ConfigError("the file did not arrive completely; choose it again") from error
        try:
            return [dict(row) for row in read_rows(file)]
        except ConfigError as error:
            raise ConfigError(str(error).replace(str(file), Path(name).name)) from error


def kept_logins() -> list[tuple[str, list[str]]]:
    """The names of the stored logins, with the sites of each."""
    return [(file.stem, _sites(file)) for file in login_files()]


def _sites(file: Path) -> list[str]:
    try:
        return list(sites_of(file))
    except ConfigError as error:
        return [str(error)]


def shown_schedules(settings: Settings) -> list[dict[str, Any]]:
    """The schedules, with their next times, their last results and what one of their runs asks."""
    return [_shown_schedule(one, settings) for one in schedules.schedules()]


def _shown_schedule(one: KeptSchedule, settings: Settings) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": one.name,
        "task": one.arguments[0],
        "when": one.cron,
        "on_file": one.on_file,
    }
    told |= {"next": [f"{time:%Y-%m-%d %H:%M}" for time in schedules.next_times(one.cron)]}
    told |= {"last": [_shown_result(line, settings) for line in one.runs[:-4:-1]]}
    return told | {"question": schedules.open_question(one.name)}


def _shown_result(line: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    folder = Path(line.get("folder", ""))
    here = folder.name and folder.parent == runs_folder(settings).resolve() and folder.is_dir()
    wording = WORKING.get(line["ending"]) or replace(INTERRUPTED, label=line["ending"].capitalize())
    report = f"/reports/{folder.name}" if here else ""
    return {"time": line["time"], "reason": line.get("reason", ""), "wording": wording, "report": report}


async def news(state: Callable[[], object]) -> AsyncIterator[bytes]:
    """A server-sent event whenever the state has changed."""
    before, quiet = state(), 0.0
    yield b": listening\n\n"
    while True:
        await asyncio.sleep(NEWS)
        now, quiet = state(), quiet + NEWS
        if now != before or quiet >= BEAT:
            yield b"data: changed\n\n" if now != before else b": alive\n\n"
            before, quiet = now, 0.0


def state_of(registry: SessionRegistry, lists: Mapping[str, ServedList]) -> object:
    """A value that changes whenever there is something new to show."""
    runs = [(one.id, one.status, one.question and one.question.id) for one in registry.runs]
    planned = [(one.name, len(one.runs), schedules.open_question(one.name)) for one in schedules.schedules()]
    return runs, [one.as_dict() for one in lists.values()], planned


class NewRows(RunChoices):
    """A list started in the workbench, with its file."""

    task: Text = Field(min_length=1)
    name: Word
    data: Annotated[str, StringConstraints(max_length=LARGEST)]
    """The file's content, in Base64."""
    url: Text = ""
    check: Text = ""


class Retry(Body):
    """How a list goes on: with the rows that are left, or again with those that failed."""

    failed: bool = False
    yes: bool = False


class NewSchedule(RunChoices):
    """A schedule made in the workbench."""

    task: Text = Field(min_length=1)
    often: Word = "day"
    """How often, as `as_cron` reads it, but for the time of the day; `file` for each file that arrives."""
    at: Word = ""
    """The time of the day, as HH:MM."""
    on_file: Text = ""
    name: Word = ""
    url: Text = ""

    def options(self) -> list[str]:
        """The choices as options of `guiagent run`."""
        named = {"--url": self.url, "--on": self.on, "--profile": self.profile, "--model": self.model}
        told = list(chain.from_iterable(pair for pair in named.items() if pair[1]))
        sends = ["--set", f"guard.grants={json.dumps(SENDING)}"] if self.may_send else []
        return [*told, *sends, *(["--yes"] if self.yes else [])]

    def keep(self, settings: Settings) -> KeptSchedule:
        """Keep the schedule, if a run could begin with these choices."""
        chosen_settings(settings, **self.by_name())
        by_clock = self.at if self.often not in ("hour", "15m", "30m") else ""
        is_file = self.often == "file"
        every = "" if is_file else f"{self.often}@{by_clock}" if by_clock else self.often
        on_file = (self.on_file or "*") if is_file else ""
        return schedules.plan_schedule(
            self.task.strip(), self.options(), every=every, on_file=on_file, name=self.name
        )


class NewLogin(Body):
    """A login to make, or to renew."""

    name: Word = Field(min_length=1)
    url: Text = Field(min_length=1)


class GivenAnswer(Body):
    """The answer to what a schedule's run asks."""

    answer: Text = Field(min_length=1)


class Pages:
    """The pages over a registry and its lists."""

    def __init__(self, registry: SessionRegistry, lists: dict[str, ServedList]) -> None:
        self.registry, self._lists = registry, lists

    def routes(self) -> list[Route]:
        return [
            Route("/", self.runs_page),
            *LearnedPages(self.registry).routes(),
            Route("/rows", self.rows_page, methods=["GET", "POST"]),
            Route("/rows/preview", self.preview, methods=["POST"]),
            Route("/lists/{list}/retry", self.retry, methods=["POST"]),
            Route("/lists/{list}/forget", self.forget_list, methods=["POST"]),
            Route("/lists/{list}/rows/{row:int}", self.row_report),
            Route("/schedules", self.schedules_page, methods=["GET", "POST"]),
            Route("/schedules/{name}/run", self.run_schedule, methods=["POST"]),
            Route("/schedules/{name}/answer", self.answer_schedule, methods=["POST"]),
            Route("/schedules/{name}/remove", self.remove_schedule, methods=["POST"]),
            Route("/logins", self.logins_page, methods=["GET", "POST"]),
            Route("/logins/{name}/forget", self.forget_login, methods=["POST"]),
            Route("/news", self.news),
            Route("/reports/{run}", self.kept_report),
            Route("/again/{run}", self.again, methods=["POST"]),
        ]

    async def runs_page(self, request: Request) -> Response:
        search = request.query_params.get("find", "")
        going, ended = await run_in_threadpool(shown_runs, self.registry, search)
        offer = choices_here(self.registry.settings)
        return page_response(request, "runs", going=going, ended=ended, search=search, offer=offer)

    async def rows_page(self, request: Request) -> Response:
        """The page of lists; starts one with a file."""
        settings = self.registry.settings
        if request.method == "GET":
            lists = [
                one.as_dict(rows=True) | {"has_page": one.page.is_file(), "given": one.rows}
                for one in reversed(self._lists.values())
            ]
            task = request.query_params.get("task", "")
            return page_response(request, "rows", lists=lists, task=task, offer=choices_here(settings))
        wanted = await read_body(request, NewRows)
        rows = await run_in_threadpool(rows_of, wanted.name, wanted.data)
        chosen = chosen_settings(settings, **wanted.by_name())
        begun = await run_in_threadpool(
            begin_list, chosen, wanted.task, rows, url=wanted.url, check=wanted.check
        )
        self._lists[begun.id] = begun
        return JSONResponse(begun.as_dict(), 201, {"location": f"/lists/{begun.id}"})

    async def preview(self, request: Request) -> Response:
        """Says how the first row of a file will be done."""
        wanted = await read_body(request, NewRows)

        def preview_lines() -> list[str]:
            rows, settings = rows_of(wanted.name, wanted.data), self.registry.settings
            work = row_task(wanted.task, settings, url=wanted.url, check=wanted.check)
            return [plural(len(rows), "row"), *first_row(work, rows, settings)]

        return JSONResponse({"text": "\n".join(await run_in_threadpool(preview_lines))})

    def list_of(self, request: Request) -> ServedList:
        if (id_ := request.path_params["list"]) not in self._lists:
            raise UnknownHandle(f'there is no list "{id_}"')
        return self._lists[id_]

    async def retry(self, request: Request) -> Response:
        """Goes on with the rows that are left, or repeats those that failed."""
        wanted, found = await read_body(request, Retry), self.list_of(request)
        settings = chosen_settings(self.registry.settings, yes=wanted.yes)
        await run_in_threadpool(found.work, settings, retry=("failed",) if wanted.failed else ())
        return JSONResponse(found.as_dict(), 202)

    async def forget_list(self, request: Request) -> Response:
        found = self.list_of(request)
        await run_in_threadpool(found.forget)
        del self._lists[found.id]
        return JSONResponse({})

    async def row_report(self, request: Request) -> Response:
        path = self.list_of(request).row_report(request.path_params["row"])
        return FileResponse(path, media_type="text/html", headers=SANDBOX)

    async def schedules_page(self, request: Request) -> Response:
        """The page of schedules; makes one."""
        settings = self.registry.settings
        if request.method == "GET":
            told, offer = await run_in_threadpool(shown_schedules, settings), choices_here(settings)
            task = request.query_params.get("task", "")
            return page_response(request, "schedules", schedules=told, task=task, offer=offer)
        wanted = await read_body(request, NewSchedule)
        made = await run_in_threadpool(wanted.keep, settings)
        how = await run_in_threadpool(schedules.look_each_minute)
        return JSONResponse({"name": made.name, "text": f"{made.name}: {how}"}, 201)

    async def run_schedule(self, request: Request) -> Response:
        schedules.begin_run(request.path_params["name"])
        return JSONResponse({}, 202)

    async def answer_schedule(self, request: Request) -> Response:
        given = await read_body(request, GivenAnswer)
        schedules.answer_question(request.path_params["name"], given.answer)
        return JSONResponse({}, 202)

    async def remove_schedule(self, request: Request) -> Response:
        await run_in_threadpool(schedules.forget, request.path_params["name"])
        return JSONResponse({})

    async def logins_page(self, request: Request) -> Response:
        """The page of logins; begins one."""
        if request.method == "GET":
            return page_response(request, "logins", logins=await run_in_threadpool(kept_logins))
        wanted = await read_body(request, NewLogin)
        login_file(wanted.name)
        work = partial(log_in, settings=self.registry.settings, url=wanted.url, name=wanted.name)
        begun = self.registry.begin(f"log in: {wanted.name}", work)
        return JSONResponse(begun.as_dict(), 201)

    async def forget_login(self, request: Request) -> Response:
        login_file(request.path_params["name"], existing=True).unlink()
        return JSONResponse({})

    async def news(self, _: Request) -> Response:
        """Sends a server-sent event when there is something new to show."""
        told = news(lambda: state_of(self.registry, self._lists))
        return StreamingResponse(told, media_type="text/event-stream", headers={"cache-control": "no-store"})

    async def kept_report(self, request: Request) -> Response:
        path = await run_in_threadpool(lambda: write_report(self._kept_run(request).folder))
        return FileResponse(path, media_type="text/html", headers=SANDBOX)

    async def again(self, request: Request) -> Response:
        """Repeats the task of an earlier run."""
        begun = await run_in_threadpool(self._repeat, request)
        return JSONResponse(begun.as_dict(), 201, {"location": f"/runs/{begun.id}"})

    def _kept_run(self, request: Request) -> RunSummary:
        wanted = request.path_params["run"]
        found = (one for one in kept_runs(self.registry.settings) if one.id == wanted)
        if (stored := next(found, None)) is None:
            raise UnknownHandle(f'there is no run "{wanted}"')
        return stored

    def _repeat(self, request: Request) -> ServedRun:
        earlier = next((one for one in self.registry.runs if one.id == request.path_params["run"]), None)
        if earlier is not None:
            return self.registry.start(**earlier.request)
        task = read_run(self._kept_run(request).folder, pictures=False).meta.task
        return self.registry.start(task.text, url=task.start, values=task.values)
