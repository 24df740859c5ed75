"""A service that listens and speaks each wire format, a screenshot with a target, models opened on it."""

from __future__ import annotations

import base64
import http.server
import io
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from PIL import Image, ImageDraw

from gui_agent.core.dialogue import Asked, Request
from gui_agent.core.observation import Point, Screenshot, Size
from gui_agent.models import RemoteModel, RetryPolicy, open_model

SCREEN = Size(1920, 1080)
TARGET = Point(1403, 741)
MAGENTA = (255, 0, 255)
QUICK = RetryPolicy(seconds=100, tries=4, first=0.01)
WIRES = ("responses", "chat", "messages")
MODELS = {"responses": "gpt-5.4", "chat": "gpt-5.4", "messages": "claude-sonnet-5-5"}


@dataclass
class Answer:
    """One answer of the service: JSON or raw bytes; `cut` ends the connection in the middle of it."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    drip: float = 0.0
    """Seconds between two bytes."""


@dataclass
class Asking:
    """One request that arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Service:
    """Gives the scripted answers one after the other; the last one again and again."""

    def __init__(self) -> None:
        self.asked: list[Asking] = []
        self.script: list[Answer | Callable[[dict[str, Any]], Any]] = []
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.asked.append(Asking(self.path, headers, body))
                number = min(len(service.asked), len(service.script)) - 1
                answer = service.script[number]
                if callable(answer):
                    made = answer(body)
                    answer = made if isinstance(made, Answer) else Answer(made)
                self.give(answer)

            def give(self, answer: Answer) -> None:
                raw = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(raw)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    if answer.cut:
                        self.wfile.write(raw[: len(raw) // 2])
                        self.close_connection = True
                        return
                    for at in range(0, len(raw), 1 if answer.drip else max(1, len(raw))):
                        self.wfile.write(raw[at : at + (1 if answer.drip else len(raw))])
                        self.wfile.flush()
                        time.sleep(answer.drip)
                except OSError:
                    self.close_connection = True

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def opened(service: Service) -> Iterator[Callable[..., RemoteModel]]:
    """Opens a model that is served by the test's service."""
    models: list[RemoteModel] = []

    def open_it(name: str, wire: str = "chat", **options: Any) -> RemoteModel:
        address = f"{service.url}{'' if wire == 'messages' else '/v1'}#{name}"
        options = {"patience": QUICK, "key": no_key, **options}
        models.append(open_model(address, wire=wire, **options))
        return models[-1]

    yield open_it
    for model in models:
        model.close()


def no_key(variable: str) -> str:
    raise AssertionError(f"the key {variable} was asked for")


@cache
def screenshot(screen: Size = SCREEN, target: Point | None = TARGET) -> Screenshot:
    """A grey screen with a small magenta square around the target."""
    image = Image.new("RGB", (screen.width, screen.height), (210, 210, 210))
    if target is not None:
        draw = ImageDraw.Draw(image)
        draw.rectangle((target.x - 15, target.y - 15, target.x + 15, target.y + 15), fill=MAGENTA)
    written = io.BytesIO()
    image.save(written, "PNG", compress_level=1)
    return Screenshot(written.getvalue(), screen)


def asking(text: str = "Click the magenta square.", **options: Any) -> Request:
    return Request(options.pop("purpose", "plan"), (Asked((text, screenshot())),), **options)


def images(body: Any) -> list[str]:
    """The base64 data of all pictures in a request, in order."""
    if isinstance(body, dict):
        if body.get("type") == "base64":
            return [body["data"]]
        return [found for item in body.values() for found in images(item)]
    if isinstance(body, list):
        return [found for item in body for found in images(item)]
    if isinstance(body, str) and body.startswith("data:image/"):
        return [body.partition("base64,")[2]]
    return []


def seen(body: Any) -> tuple[Point, Size]:
    """The middle of the magenta square in the last picture of a request, and the picture's size."""
    with Image.open(io.BytesIO(base64.b64decode(images(body)[-1]))) as image:
        small = image.convert("RGB")
    green = small.getchannel("G").point([255 if level < 60 else 0 for level in range(256)])
    box = green.getbbox()
    assert box is not None, "the picture shows no square"
    return Point((box[0] + box[2] - 1) // 2, (box[1] + box[3] - 1) // 2), Size(small.width, small.height)


def responses(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 900,
        "input_tokens_details": {"cached_tokens": 500, "cache_write_tokens": 40},
        "output_tokens": 60,
        "output_tokens_details": {"reasoning_tokens": 20},
    }
    return {"id": "resp_1", "status": "completed", "output": list(output), "usage": usage, **more}


def computer_call(*actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    call = {"type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed"}
    return {**call, "actions": list(actions), **more}


def chat(content: str | None = "", finish: str = "stop", **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": content, **message}
    usage = {"prompt_tokens": 700, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 100}}
    return {"id": "chat_1", "choices": [{"message": said, "finish_reason": finish}], "usage": usage}


def messages(*content: dict[str, Any], stop: str = "tool_use", **more: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 100,
        "cache_read_input_tokens": 800,
        "cache_creation_input_tokens": 50,
        "output_tokens": 40,
        "output_tokens_details": {"thinking_tokens": 15},
    }
    return {
        "id": "msg_1",
        "type": "message",
        "content": list(content),
        "stop_reason": stop,
        "usage": usage,
        **more,
    }


def member(name: str, identity: str = "tu_1", **given: Any) -> dict[str, Any]:
    use = {"type": "tool_use", "id": identity, "name": name, "toolset_name": "computer"}
    return {**use, "caller": {"type": "direct"}, "input": given}


def single(action: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "tu_1", "name": "computer", "input": {"action": action, **given}}


def text_answer(wire: str, text: str) -> dict[str, Any]:
    """A plain answer in text in any wire format."""
    if wire == "chat":
        return chat(text)
    if wire == "messages":
        return messages({"type": "text", "text": text}, stop="end_turn")
    part = {"type": "output_text", "text": text, "annotations": []}
    return responses(
        {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [part]}
    )
