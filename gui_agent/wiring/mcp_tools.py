"""Tools of MCP servers for a model: each server is a command of the person's, spoken to over its pipes."""

from __future__ import annotations

import asyncio
import shlex
import threading
from collections.abc import Collection, Coroutine, Mapping
from concurrent.futures import TimeoutError as Late
from contextlib import ExitStack
from typing import Any, TypeVar

from gui_agent.core import deadline
from gui_agent.core.dialogue import GuardedTool, Tool
from gui_agent.core.errors import ActionFailed, ConfigError, GuiAgentError, MissingExtra

T = TypeVar("T")
STARTING, CALLING = 20.0, 60.0
"""Seconds that a server has to come up, and a call to end."""
UNKNOWN = "unclear"
"""What a call means to the guard when the person has not said that the tool only reads."""


def connected(servers: Mapping[str, str], reading: Collection[str], stack: ExitStack) -> list[GuardedTool]:
    """The tools of some servers, each called `SERVER_TOOL`.

    What a server says of itself is not trusted: every call is judged as `unclear`, except of tools that the
    person has named as only reading.

    Args:
        servers: the command of each, by name.
        reading: names of tools that only read.
        stack: ends the servers.

    Raises:
        ConfigError: a server does not start, or the `mcp` extra is missing.
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
    """One server, held open by a task of its own, as its client has to be left where it was entered."""

    def __init__(self, name: str, command: str, loop: asyncio.AbstractEventLoop) -> None:
        self._name, self._command, self._loop = name, command, loop
        self._client: Any = None
        self._ready, self._over = asyncio.Event(), asyncio.Event()
        self._fault = ""
        self._task = asyncio.run_coroutine_threadsafe(self._held(), loop)
        self._wait(self._ready.wait(), STARTING)
        if self._fault or self._client is None:
            self.close()
            raise ConfigError(f"tools.mcp.{name}: {self._fault or 'it does not answer'}; command: {command}")

    def tools(self, reading: Collection[str]) -> list[GuardedTool]:
        """What it offers."""
        listed = self._wait(self._client.list_tools(), STARTING)
        return [self._tool(tool, reading) for tool in listed.tools]

    def close(self) -> None:
        """End the server; safe to call twice."""
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

    async def _held(self) -> None:
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
            return future.result(deadline.left(seconds))
        except Late as error:
            future.cancel()
            raise ActionFailed(f"{self._name} gave no answer within {seconds:g} s") from error
        except GuiAgentError:
            raise
        except (OSError, RuntimeError, ValueError) as error:
            raise ActionFailed(f"{self._name}: {error}") from error
