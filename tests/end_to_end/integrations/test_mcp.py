"""The MCP server as its clients meet it: the SDK's own client, over stdio and HTTP, with a real browser."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ElicitResult

from tests.end_to_end.integrations.conftest import Site

SEND = 'type "hello" into "Message", click "Send message", wait for "Thank you"'
nightly = pytest.mark.nightly
MODES = pytest.mark.parametrize("mode", [pytest.param("legacy", marks=nightly), "2026-07-28"])
WAYS = pytest.mark.parametrize("way", ["stdio", pytest.param("http", marks=nightly)])
Answers = Callable[[Any, Any], Any]


def over_stdio(mode: str, answers: Answers | None = None) -> Client:
    """A client that starts the server as a client's settings say."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "gui_agent", "mcp"], env=dict(os.environ), cwd=str(Path.cwd())
    )
    return Client(command, mode=mode, elicitation_callback=answers)


@asynccontextmanager
async def over_http(mode: str, answers: Answers | None = None) -> AsyncIterator[Client]:
    """A client of a server that was started beside it."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gui_agent", "mcp", "--http", "--port", "0", stderr=subprocess.PIPE
    )
    assert server.stderr is not None
    url = (await server.stderr.readline()).decode().split()[-1]
    token = (await server.stderr.readline()).decode().split()[-1]
    try:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as web,
            Client(
                streamable_http_client(url, http_client=web), mode=mode, elicitation_callback=answers
            ) as client,
        ):
            yield client
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.terminate()
        await asyncio.wait_for(server.wait(), 20)


def told(result: CallToolResult) -> dict[str, Any]:
    """The values of a result."""
    assert result.structured_content is not None, result.content
    return result.structured_content


def test_ten_tools_take_less_than_3000_tokens() -> None:
    async def run() -> list[Any]:
        async with over_stdio("2026-07-28") as client:
            return (await client.list_tools()).tools

    tools = asyncio.run(run())
    assert sorted(tool.name for tool in tools) == sorted(
        ["list", "open", "look", "find", "act", "run_task", "run_skill", "get_run", "answer", "control"]
    )
    listed = json.dumps([tool.model_dump(mode="json", exclude_none=True, by_alias=True) for tool in tools])
    assert len(listed) / 3.5 < 3000, len(listed)  # a token of JSON has 3.5 letters and more
    for tool in tools:
        assert tool.description and tool.annotations is not None
    hints = {tool.name: tool.annotations.read_only_hint for tool in tools}
    assert hints["look"] is True and hints["act"] is False


@WAYS
@MODES
def test_a_screen_is_opened_looked_at_and_acted_upon(way: str, mode: str, site: Site) -> None:
    async def run() -> None:
        steps: list[str] = []

        async def progress(done: float, of: float | None, message: str | None) -> None:
            steps.append(message or "")

        async with (over_stdio if way == "stdio" else over_http)(mode) as client:
            opened = await client.call_tool("open", {"url": site.url})
            handle = told(opened)["screen"]
            assert told(opened)["place"]["title"] == "Orders"
            assert [one.type for one in opened.content] == ["text", "image"]
            names = [one.get("name") for one in told(opened)["elements"]]
            assert "Press me" in names
            found = told(await client.call_tool("find", {"screen": handle, "what": "Press me"}))
            assert found["found"]["role"] == "button"
            lost = told(await client.call_tool("find", {"screen": handle, "what": "Fly away"}))
            assert lost["found"] is None and lost["reason"]
            commands = 'click "Press me", type "Ada" into "Name", read "Name"'
            done = await client.call_tool(
                "act", {"screen": handle, "commands": commands}, progress_callback=progress
            )
            assert told(done)["result"]["answer"] == "Ada" and not done.is_error
            assert [step["outcome"] for step in told(done)["steps"]] == ["changed", "confirmed"]
            assert done.content[-1].type == "image"
            assert 'Click button "Press me"' in steps
            missing = await client.call_tool("act", {"screen": handle, "commands": 'click "Fly"'})
            assert missing.is_error and "Fly" in told(missing)["result"]["reason"]
            run = told(done)["run"]
            kept = await client.read_resource(f"guiagent://runs/{run}")
            assert json.loads(kept.contents[0].text)["status"] == "ended"
            report = await client.read_resource(f"guiagent://runs/{run}/report")
            assert "<html" in report.contents[0].text
            closed = await client.call_tool("control", {"handle": handle, "do": "close"})
            assert told(closed) == {"closed": handle}
            gone = await client.call_tool("look", {"screen": handle})
            assert gone.is_error

    asyncio.run(run())


@pytest.mark.nightly
@pytest.mark.parametrize("allow", [True, pytest.param(False, marks=nightly)])
@MODES
def test_the_person_is_asked_by_elicitation_and_the_action_is_done_once(
    mode: str, allow: bool, site: Site
) -> None:
    asked: list[str] = []

    async def answers(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"allow": allow})

    async def run() -> CallToolResult:
        async with over_stdio(mode, answers) as client:
            return await client.call_tool("run_task", {"task": SEND, "url": site.url})

    result = asyncio.run(run())
    assert len(asked) == 1 and "Send message" in asked[0]
    assert site.posted == (["message=hello"] if allow else [])
    assert told(result)["result"]["ending"] == ("done" if allow else "refused")


@MODES
def test_a_person_who_answers_for_good_is_not_asked_again(mode: str, site: Site) -> None:
    asked: list[str] = []

    async def answers(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"allow": True, "always": True})

    async def run() -> None:
        async with over_stdio(mode, answers) as client:
            for _ in range(2):
                result = await client.call_tool("run_task", {"task": SEND, "url": site.url})
                assert told(result)["result"]["ending"] == "done"

    asyncio.run(run())
    assert len(asked) == 1 and "With always: send on 127.0.0.1" in asked[0]
    assert len(site.posted) == 2


@nightly
@MODES
def test_declining_is_refusing(mode: str, site: Site) -> None:
    async def answers(_: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="decline")

    async def run() -> CallToolResult:
        async with over_stdio(mode, answers) as client:
            return await client.call_tool("run_task", {"task": SEND, "url": site.url})

    assert told(asyncio.run(run()))["result"]["ending"] == "refused"
    assert site.posted == []


@nightly
@MODES
def test_a_client_that_cannot_ask_waits_for_the_person_and_cannot_answer_itself(
    mode: str, site: Site
) -> None:
    async def run() -> None:
        async with over_http(mode) as client:
            waiting = told(await client.call_tool("run_task", {"task": SEND, "url": site.url}))
            assert waiting["status"] == "waiting" and "guiagent answer" in waiting["next"]
            question = {"run": waiting["run"], "question": waiting["question"]["id"]}
            yes = await client.call_tool("answer", {**question, "answer": "yes"})
            assert yes.is_error and site.posted == []
            # Nor can a program that starts the command without a terminal.
            asked = [sys.executable, "-m", "gui_agent", "answer"]
            listed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
            assert waiting["run"] in listed
            alone = subprocess.run(
                [*asked, waiting["run"], "yes"], capture_output=True, text=True, check=False
            )
            assert alone.returncode == 2 and "terminal" in alone.stderr
            person = await asyncio.to_thread(at_terminal, [*asked, waiting["run"], "yes"])
            assert "has the answer" in person
            ended = told(await client.call_tool("get_run", {"run": waiting["run"], "wait": 30}))
            assert ended["result"]["ok"] and site.posted == ["message=hello"]
            again = await client.call_tool("answer", {**question, "answer": "no"})
            assert again.is_error

    asyncio.run(run())


def at_terminal(command: list[str]) -> str:
    """What a command prints that is started at a terminal."""
    import pty

    person, terminal = pty.openpty()
    done = subprocess.run(command, stdin=terminal, stdout=terminal, stderr=terminal, timeout=60, check=False)
    os.close(terminal)
    said = b""
    with contextlib.suppress(OSError):
        while piece := os.read(person, 4096):
            said += piece
    assert done.returncode == 0, said
    return said.decode()


@pytest.mark.nightly
@WAYS
@MODES
def test_a_call_that_is_cancelled_leaves_a_finished_trace(
    way: str, mode: str, site: Site, home: Path
) -> None:
    async def run() -> None:
        async with (over_stdio if way == "stdio" else over_http)(mode) as client:
            begun = asyncio.Event()

            async def progress(done: float, of: float | None, message: str | None) -> None:
                begun.set()

            task = asyncio.create_task(
                client.call_tool(
                    "run_task",
                    {"task": "wait 60 seconds, wait 60 seconds", "url": site.url},
                    progress_callback=progress,
                )
            )
            await asyncio.wait_for(begun.wait(), 30)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            for _ in range(100):
                (listed,) = told(await client.call_tool("list", {}))["runs"]
                if listed["status"] == "ended":
                    break
                await asyncio.sleep(0.1)
            ended = told(await client.call_tool("get_run", {"run": listed["run"]}))
            assert ended["result"]["ending"] == "stopped"

    asyncio.run(run())
    (folder,) = (home / "state/guiagent/runs").iterdir()
    assert json.loads((folder / "ending.json").read_text())["ending"]["kind"] == "stopped"
