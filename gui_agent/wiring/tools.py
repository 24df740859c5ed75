"""Tools that a model may call: custom functions, files of given folders, MCP servers, and skills."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import shlex
import threading
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import TimeoutError as Late
from contextlib import ExitStack
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from gui_agent.content import content
from gui_agent.core import deadline
from gui_agent.core.actions import PHONES
from gui_agent.core.dialogue import GuardedTool, Tool
from gui_agent.core.errors import ActionFailed, ConfigError, GuiAgentError, MissingExtra
from gui_agent.core.os_errors import real_folders, real_path, user_path
from gui_agent.core.protocols import Planner
from gui_agent.planners.llm.planner import SKILL, from_function
from gui_agent.planners.llm.skill_calls import Begin, CallableSkill
from gui_agent.settings import Settings
from gui_agent.skills.guides import ENOUGH, Guide, trusted_folders
from gui_agent.skills.pack import Parameter, Skill, list_skills
from gui_agent.wiring._terminal import Terminal

T = TypeVar("T")
STARTING, CALLING = 120.0, 60.0
"""Seconds for a server to start, which may include a download, and for a call to end."""
UNKNOWN = "unclear"
"""The guard's meaning of a call, unless the person has listed the tool as read-only."""


def connect(servers: Mapping[str, str], reading: Collection[str], stack: ExitStack) -> list[GuardedTool]:
    """The tools of MCP servers, each named `SERVER_TOOL`.

    A server's own description is not trusted: every call is judged as `unclear`, except for tools that the
    person has listed as read-only.

    Args:
        servers: the command of each, by name.
        reading: names of tools that only read.
        stack: closes the servers.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True, name="mcp")
    thread.start()
    stack.callback(loop.call_soon_threadsafe, loop.stop)
    found: list[GuardedTool] = []
    for name, command in servers.items():
        server = _Server(name, command, loop)
        stack.callback(server.close)
        found += server.tools(reading)
    return found


class _Server:
    """One server, kept open by its own task, because its client must be closed in the task that opened it."""

    def __init__(self, name: str, command: str, loop: asyncio.AbstractEventLoop) -> None:
        self._name, self._command, self._loop = name, command, loop
        self._client: Any = None
        self._ready, self._over = asyncio.Event(), asyncio.Event()
        self._fault = ""
        self._task = asyncio.run_coroutine_threadsafe(self._hold(), loop)
        self._wait(self._ready.wait(), STARTING)
        if self._fault or self._client is None:
            self.close()
            raise ConfigError(f"tools.mcp.{name}: {self._fault or 'it does not answer'}; command: {command}")

    def tools(self, reading: Collection[str]) -> list[GuardedTool]:
        listed = self._wait(self._client.list_tools(), STARTING)
        return [self._tool(tool, reading) for tool in listed.tools]

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        try:
            self._task.result(CALLING)
        except (Late, OSError, RuntimeError):
            self._task.cancel()

    def _tool(self, tool: Any, reading: Collection[str]) -> GuardedTool:
        name = f"{self._name}_{tool.name}"
        meaning = "" if name in reading else UNKNOWN

        def run(arguments: Mapping[str, Any]) -> str:
            result = self._wait(self._client.call_tool(tool.name, dict(arguments)), CALLING)
            text = "\n".join(str(part.text) for part in result.content if hasattr(part, "text"))
            if result.is_error:
                raise ActionFailed(text or "the server reports an error")
            return text or "Done."

        schema = tool.input_schema or {"type": "object", "properties": {}}
        return GuardedTool(Tool(name, tool.description or tool.name, schema), run, lambda arguments: meaning)

    async def _hold(self) -> None:
        try:
            from mcp import Client, StdioServerParameters
        except ImportError as error:
            self._fault = f"{MissingExtra('mcp', 'a server of MCP')} ({error})"
            self._ready.set()
            return
        program, *arguments = shlex.split(self._command)
        try:
            async with Client(StdioServerParameters(command=program, args=arguments)) as client:
                self._client = client
                self._ready.set()
                await self._over.wait()
        except (OSError, RuntimeError, ValueError, ExceptionGroup) as error:
            self._fault = f"it does not start: {error}"
        finally:
            self._ready.set()

    def _wait(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(deadline.remaining(seconds))
        except Late as error:
            future.cancel()
            raise ActionFailed(f"{self._name} gave no answer within {seconds:g} s") from error
        except GuiAgentError:
            raise
        except (OSError, RuntimeError, ValueError) as error:
            raise ActionFailed(f"{self._name}: {error}") from error


LARGEST = 2_000_000
"""Most bytes of a file that are read."""
MOST = 200
"""Most files that are listed."""
SKILLS = 20
"""Most skills that are offered, because each one lengthens every request."""
_CELL = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})")


@runtime_checkable
class MeansSomething(Protocol):
    """A function with its meaning for the guard, as `@tool` makes it."""

    function: Callable[..., Any]
    guard: str


def make_tools(settings: Settings, own: Sequence[object], stack: ExitStack) -> tuple[GuardedTool, ...]:
    """All tools of a run. `stack` closes their resources when the run ends."""
    tools = [_guarded_tool(tool) for tool in own]
    if settings.tools.folders:
        tools += Files(settings.tools.folders).tools()
    if settings.tools.terminal:
        tools.append(Terminal(settings.tools.terminal).tool())
    if settings.tools.mcp:
        tools += connect(settings.tools.mcp, settings.tools.reading, stack)
    names = [tool.tool.name for tool in tools]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise ConfigError(f"two tools are called {twice}; rename one")
    return tuple(tools)


def _guarded_tool(tool: object) -> GuardedTool:
    if isinstance(tool, GuardedTool):
        return tool
    if isinstance(tool, MeansSomething):
        return from_function(tool.function, tool.guard)
    if callable(tool):
        return from_function(tool)
    raise ConfigError(f"{tool!r} is not a tool: give a function, best with @tool(guard=...)")


class Files:
    """Text files and sheets in the folders that the person has named, and nowhere else."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = real_folders(folders, "tools.folders")

    def tools(self) -> list[GuardedTool]:
        """The tools for listing and reading, which the guard need not judge, and for writing, which it
        judges.
        """

        def meaning_of_write(arguments: Mapping[str, Any]) -> str:
            try:
                there = self._allowed_path(str(arguments.get("path", ""))).exists()
            except ActionFailed:
                there = False
            return "delete" if there else "write"

        reading = [from_function(one) for one in (self.list_files, self.read_file, self.read_cells)]
        new = from_function(self.write_file)
        cells = from_function(self.set_cell, "write")
        return [*reading, GuardedTool(new.tool, new.run, meaning_of_write), cells]

    def list_files(self, folder: str = "") -> str:
        """The files and folders in one of the allowed folders; without `folder` in all of them."""
        places = [self._allowed_path(folder)] if folder else self._folders
        paths = chain.from_iterable(sorted(place.iterdir()) for place in places)
        found = [f"{path}{'/' if path.is_dir() else f' ({path.stat().st_size} bytes)'}" for path in paths]
        more = f"\n({len(found) - MOST} more)" if len(found) > MOST else ""
        return "\n".join(found[:MOST]) + more if found else "Nothing is there."

    def read_file(self, path: str) -> str:
        """The text of a file."""
        file = self._allowed_path(path)
        if file.stat().st_size > LARGEST:
            raise ActionFailed(f"{path} has more than {LARGEST} bytes")
        return file.read_text(encoding="utf-8")

    def write_file(self, path: str, text: str) -> str:
        """Write a text file; one that is there is replaced."""
        file = self._allowed_path(path)
        file.write_text(text, encoding="utf-8")
        return f"{file} holds {len(text)} characters now."

    def read_cells(self, path: str) -> str:
        """The rows of a sheet (.csv), one on a line, with their numbers and letters."""
        lines = []
        for number, row in enumerate(self._rows(path), start=1):
            cells = (f"{_letters(column)}={value}" for column, value in enumerate(row))
            lines.append(f"{number}: {', '.join(cells)}")
        return "\n".join(lines)

    def set_cell(self, path: str, cell: str, value: str) -> str:
        """Set one cell of a sheet (.csv), such as B7; the others stay."""
        place = _CELL.fullmatch(cell.upper())
        if place is None:
            raise ActionFailed(f"{cell} is not a cell; write it as B7")
        rows = self._rows(path)
        column, row = _column(place[1]), int(place[2]) - 1
        if row > len(rows) or column > max(map(len, rows), default=0):
            raise ActionFailed(f"{cell} is beyond the sheet, which has {len(rows)} rows")
        rows += [[]] * (row + 1 - len(rows))
        rows[row] = rows[row] + [""] * (column + 1 - len(rows[row]))
        rows[row][column] = value
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(rows)
        self._allowed_path(path).write_text(written.getvalue(), encoding="utf-8")
        return f"{cell.upper()} is {value!r} now."

    def _rows(self, path: str) -> list[list[str]]:
        if not path.lower().endswith(".csv"):
            raise ActionFailed("only .csv sheets can be read; open others in their program")
        return list(csv.reader(io.StringIO(self.read_file(path))))

    def _allowed_path(self, path: str) -> Path:
        given = user_path(path)
        file = real_path(given if given.is_absolute() else self._folders[0] / given)
        if not any(file.is_relative_to(folder) for folder in self._folders):
            allowed = ", ".join(map(str, self._folders))
            raise ActionFailed(f"{path} is outside the allowed folders: {allowed}")
        return file


def _column(letters: str) -> int:
    return reduce(lambda number, letter: 26 * number + ord(letter) - 64, letters, 0) - 1


def _letters(column: int) -> str:
    return (_letters(column // 26 - 1) if column >= 26 else "") + chr(ord("A") + column % 26)


def callable_skills() -> list[CallableSkill]:
    """Skills from trusted folders; the project's own are offered only for tasks that mention them."""
    shipped = content("skills").resolve()
    found = [(one, one.folder.resolve().parent == shipped) for one in list_skills(trusted_folders())]
    own = [CallableSkill(_tool(one), _begin(one)) for one, is_shipped in found if not is_shipped]
    theirs = (
        CallableSkill(_tool(one), _begin(one), _fitting(one)) for one, is_shipped in found if is_shipped
    )
    return [*own[:SKILLS], *theirs]


def _fitting(skill: Skill) -> Callable[[str, str], bool]:
    known = Guide(skill.name, skill.description, "")
    return lambda task, platform: platform not in ("browser", *PHONES) and known.likeness(task) >= ENOUGH


def _begin(skill: Skill) -> Begin:
    def begin(arguments: Mapping[str, Any]) -> tuple[str, Planner]:
        from gui_agent.planners.demonstration import DemonstrationPlanner
        from gui_agent.procedures.library.learning import prepare

        program, values = prepare(skill, arguments)
        return program.instruction(values), DemonstrationPlanner([program], values=values)

    return begin


def _tool(skill: Skill) -> Tool:
    properties = {name: _property(one) for name, one in skill.parameters.items()}
    required = [name for name, one in skill.parameters.items() if one.is_required]
    where = f" It works in {skill.app}." if skill.app else ""
    about = f"A known procedure, carried out on the screen step by step: {skill.description}{where}"
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(f"{SKILL}{skill.name.replace('-', '_')}", about, schema)


def _property(one: Parameter) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "number": {"type": "number"},
        "list": {"type": "array", "items": {"type": "string"}},
        "date": {"type": "string", "format": "date"},
        "time": {"type": "string", "format": "time"},
    }
    hints = [f"such as {one.example}"] * bool(one.example) + [f"else {one.default}"] * bool(one.default)
    about = {"description": "; ".join(hints)} if hints else {}
    return {**kinds.get(one.type, {"type": "string"}), **about}
