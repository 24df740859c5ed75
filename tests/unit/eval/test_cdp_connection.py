"""The connection to a page, against a real WebSocket server: messages of any size, in parts, and its end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from guiagent_eval.app_server import free_ports
from guiagent_eval.page_computer import CdpConnection
from websockets.asyncio.server import ServerConnection, serve

Page = Callable[[ServerConnection], Awaitable[None]]


def against(page: Page, use: Callable[[CdpConnection], Awaitable[Any]]) -> Any:
    async def both() -> Any:
        async with serve(page, "127.0.0.1", 0, max_size=None, max_queue=None) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            connection = await CdpConnection.open(port, "A" * 32)
            assert connection is not None
            try:
                return await asyncio.wait_for(use(connection), 10)
            finally:
                connection.close()

    return asyncio.run(both())


async def echo(page: ServerConnection) -> None:
    """Answers every message with its parameters, in three parts, after a ping that must be answered."""
    async for text in page:
        message = json.loads(text)
        await (await page.ping())
        answer = json.dumps({"id": message["id"], "result": message["params"]})
        await page.send([answer[:3], answer[3:9], answer[9:]])


async def hang_up(page: ServerConnection) -> None:
    await page.recv()


@pytest.mark.parametrize("size", [0, 60, 125, 126, 65_535, 65_536, 3_000_000])
def test_a_message_of_any_size_comes_back_whole_though_in_parts(size: int) -> None:
    text = "é" * size

    async def ask(connection: CdpConnection) -> Any:
        return await connection.send("Echo", {"text": text})

    assert against(echo, ask) == {"text": text}


def test_messages_of_one_turn_are_answered_each_to_its_own() -> None:
    async def ask(connection: CdpConnection) -> list[Any]:
        return await asyncio.gather(*(connection.send("Echo", {"n": n}) for n in range(50)))

    assert against(echo, ask) == [{"n": n} for n in range(50)]


def test_a_page_that_hangs_up_ends_what_waits_and_what_is_sent_later() -> None:
    async def ask(connection: CdpConnection) -> list[str]:
        answers = await asyncio.gather(connection.send("Echo"), return_exceptions=True)
        answers += await asyncio.gather(connection.send("Echo"), return_exceptions=True)
        return [str(answer) for answer in answers]

    assert against(hang_up, ask) == ["Target page has been closed"] * 2


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", b"what?\r\n\r\n", b""]
)
def test_who_does_not_take_up_the_connection_gives_none(answer: bytes) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async def ask() -> CdpConnection | None:
        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            return await CdpConnection.open(server.sockets[0].getsockname()[1], "A" * 32)

    assert asyncio.run(ask()) is None


def test_where_nobody_listens_there_is_no_connection() -> None:
    assert asyncio.run(CdpConnection.open(free_ports()[0], "A" * 32)) is None
