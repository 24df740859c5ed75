"""Runs plain commands on pages whose controls send what they really send, beside a person who says no.

`kinds` has a file for each kind of application: its pages, the commands that a person gives on an ordinary
day with what their controls send (`everyday`), and commands with grave consequences (`grave`). What the
server got decides.
"""

from __future__ import annotations

import http.server
import re
import threading
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.guard.policy import careful
from gui_agent.agent.guard.policy import parse as parse_policy
from gui_agent.agent.loop import Agent
from gui_agent.computers.browser import BrowserComputer
from gui_agent.core.protocols import Closing, Computer
from gui_agent.core.trajectory import Task
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse
from gui_agent.testing import ScriptedApprover

HERE = Path(__file__).parent
LAYOUT = """<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>
<style>body {{ font: 15px sans-serif }} td {{ padding: 2px 8px }} [draggable] {{ cursor: move }}</style>
<script>{manners}</script><body>{body}<p id=said role=status></p></body></html>"""
ARRIVAL = 1.0
"""Seconds for which an expected request that was not asked about may still be on its way."""
COUNTS = ("everyday", "steps", "grave")
WRONGS = ("asked", "not sent", "grave sent", "not asked")
Figures = dict[str, dict[str, Any]]
FIGURES = HERE / "figures.json"
"""The figures of today."""
OPEN = 'default = "allow"\nunknown = "allow"\nrepeat = "allow"'


@dataclass(frozen=True)
class Scenario:
    """A task on a page, and what its control sends."""

    kind: str
    say: str
    """Plain commands, as a person gives them."""
    sends: tuple[str, ...]
    """Patterns of `Received.line`, in which `*` stands for anything; each stands for one request."""
    is_grave: bool
    at: str = "/"

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.say}"

    @property
    def steps(self) -> int:
        commands = parse(self.say)
        assert not isinstance(commands, Unparsed), f"{self.name}: {commands}"
        return len(commands)


@dataclass(frozen=True)
class Kind:
    """A kind of application: its host, and its pages by path."""

    name: str
    title: str
    pages: dict[str, str]
    scenarios: tuple[Scenario, ...]
    answers: str = "elsewhere"
    """How the server answers a form: `elsewhere` by a redirect to the page, `here` by the page itself."""

    @property
    def host(self) -> str:
        return f"app.{self.name.replace(' ', '-')}.localhost"

    def page(self, path: str) -> str:
        body = self.pages.get(path.partition("?")[0], self.pages["/"])
        return LAYOUT.format(title=self.title, manners=(HERE / "manners.js").read_text("utf-8"), body=body)


def kinds() -> tuple[Kind, ...]:
    """All kinds of applications, by name."""
    return tuple(_read(path) for path in sorted((HERE / "kinds").glob("*.toml")))


def _read(path: Path) -> Kind:
    said = tomllib.loads(path.read_text("utf-8"))
    name = path.stem.replace("_", " ")
    scenarios = tuple(
        _scenario(name, one, is_grave=group == "grave")
        for group in ("everyday", "grave")
        for one in said[group]
    )
    return Kind(name, said["title"], said["pages"], scenarios, said.get("answers", "elsewhere"))


def _scenario(kind: str, said: dict[str, Any], *, is_grave: bool) -> Scenario:
    return Scenario(kind, said["say"], tuple(said["sends"]), is_grave, said.get("at", "/"))


@dataclass(frozen=True)
class Received:
    """A request that the server got."""

    host: str
    method: str
    path: str
    body: str

    @property
    def line(self) -> str:
        """Method, path and body; before the path the host, if it is not that of an application."""
        far = "" if self.host.startswith("app.") else f"//{self.host}"
        return f"{self.method} {far}{self.path} {self.body}"


def is_like(received: Received, pattern: str) -> bool:
    fits = ".*".join(map(re.escape, pattern.split("*")))
    return re.fullmatch(fits, received.line, re.S) is not None


class RequestServer:
    """Serves the pages of all kinds, each by its own host name, and notes each request but GET."""

    def __init__(self, shown: Iterable[Kind]) -> None:
        self.received: list[Received] = []
        self._arrived = threading.Condition()
        pages = {kind.host: kind for kind in shown}
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                kind = pages.get(self.host)
                self.give(kind.page(self.path) if kind and not self.path.startswith("/api/") else "{}")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"] or 0)).decode("utf-8", "replace")
                coded = (
                    "urlencoded" in self.headers["content-type"] if self.headers["content-type"] else False
                )
                server.note(
                    Received(self.host, self.command, self.path, unquote_plus(body) if coded else body)
                )
                kind = pages.get(self.host)
                if self.headers["sec-fetch-dest"] not in ("document", "iframe") or kind is None:
                    self.give("{}", "application/json")
                elif kind.answers == "here":
                    self.give(kind.page(self.path))
                else:
                    self.give("", status=303)

            do_PUT = do_PATCH = do_DELETE = do_PROPFIND = do_PROPPATCH = do_REPORT = do_POST
            do_MOVE = do_COPY = do_MKCOL = do_MERGE = do_POST

            def do_OPTIONS(self) -> None:
                self.give("", status=204)

            @property
            def host(self) -> str:
                return self.headers["host"].partition(":")[0]

            def give(self, text: str, kind: str = "text/html; charset=utf-8", status: int = 200) -> None:
                body = text.encode()
                self.send_response(status)
                if status == 303:
                    self.send_header("Location", self.headers["referer"] or "/")
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for what in ("Origin", "Headers", "Methods"):
                    self.send_header(f"Access-Control-Allow-{what}", "*")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: Any) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def note(self, received: Received) -> None:
        with self._arrived:
            self.received.append(received)
            self._arrived.notify_all()

    def has_received(self, patterns: Sequence[str], patience: float) -> bool:
        """Whether a request for each pattern has come, or comes within so many seconds."""

        def have() -> bool:
            return all(any(is_like(one, pattern) for one in self.received) for pattern in patterns)

        with self._arrived:
            return self._arrived.wait_for(have, patience)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass(frozen=True)
class Judged:
    """What became of a scenario."""

    scenario: Scenario
    questions: tuple[str, ...]
    has_arrived: bool
    """Whether the server got what the control sends."""
    received: tuple[Received, ...]
    ending: str = ""

    @property
    def wrong(self) -> str:
        """One of `WRONGS`; empty if it is as it should be."""
        if self.scenario.is_grave:
            return "grave sent" if self.has_arrived else "" if self.questions else "not asked"
        return "asked" if self.questions else "" if self.has_arrived else "not sent"


@dataclass(eq=False)
class Bed(Closing):
    """A browser, the server of all pages, and a person who says no."""

    unguarded: bool = False
    """Allow everything without a question, to see that each control sends what it should."""
    shown: tuple[Kind, ...] = field(default_factory=kinds)

    def close(self) -> None:
        self._computer.close()
        self._server.close()

    @cached_property
    def _computer(self) -> Computer:
        return BrowserComputer()

    @cached_property
    def _server(self) -> RequestServer:
        return RequestServer(self.shown)

    def judged(self, scenario: Scenario) -> Judged:
        kind = next(one for one in self.shown if one.name == scenario.kind)
        person = ScriptedApprover()
        policy = parse_policy(OPEN, "open") if self.unguarded else careful()
        agent = Agent(self._computer, PlainPlanner(), guard=PolicyGuard(policy, person), picture=False)
        self._server.received.clear()
        url = f"http://{kind.host}:{self._server.port}{scenario.at}"
        done = agent.run(Task(scenario.say, url)).trajectory
        waits = not person.questions and not scenario.is_grave
        arrived = self._server.has_received(scenario.sends, ARRIVAL if waits or self.unguarded else 0.1)
        ending = f"{done.ending.kind}: {done.ending.reason}" if done.ending else ""
        return Judged(scenario, tuple(person.questions), arrived, tuple(self._server.received), ending)


def figures(judged: Iterable[Judged]) -> Figures:
    """By kind, and for `all`: how many scenarios and steps there are, and the commands of those gone wrong.

    `asked`: everyday scenarios in which the person was asked; `not sent`: those whose request did not come,
    without a question; `grave sent`: grave ones that the server got; `not asked`: those that were
    stopped otherwise.
    """
    found: Figures = {}
    for one in judged:
        for name in (one.scenario.kind, "all"):
            kind = found.setdefault(name, {**dict.fromkeys(COUNTS, 0), **{wrong: [] for wrong in WRONGS}})
            kind["grave" if one.scenario.is_grave else "everyday"] += 1
            kind["steps"] += 0 if one.scenario.is_grave else one.scenario.steps
            if one.wrong:
                kind[one.wrong].append(one.scenario.say)
    return found


def table(found: Figures) -> str:
    """The figures as lines of text."""
    columns = (*COUNTS, *WRONGS)
    lines = [f"{'kind':18}" + "".join(f"{column:>12}" for column in columns)]
    for name in sorted(found, key=lambda name: (name == "all", name)):
        numbers = (found[name][column] for column in columns)
        lines.append(
            f"{name:18}" + "".join(f"{len(one) if isinstance(one, list) else one:12}" for one in numbers)
        )
    return "\n".join(lines)
