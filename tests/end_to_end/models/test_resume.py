"""`guiagent resume` with a model, a real browser and a shop: what was paid before the break is paid once."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gui_agent.cli import call
from tests.contract.models.conftest import Service
from tests.end_to_end.models.store import Store, commands, decides, next_move

SHOP = """<!doctype html><title>Shop</title><h1>Your order</h1>
<form onsubmit="event.preventDefault(); fetch('/orders', {method: 'POST', body: card.value})
  .then(() => { card.value = ''; answer.textContent = 'Order received' })">
<label>Card number <input id="card" autocomplete="off"></label>
<button id="pay">Pay now</button></form><p id="answer"></p>"""


class Shop:
    """A page with a form, and the orders that came of it."""

    def __init__(self) -> None:
        self.orders: list[str] = []
        shop = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.give(SHOP.encode())

            def do_POST(self) -> None:
                shop.orders.append(self.rfile.read(int(self.headers["content-length"])).decode())
                self.give(b"ok")

            def give(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: Any) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    made = Shop()
    yield made
    made.close()


def pays(number: int) -> Any:
    card = {"action": {"kind": "type", "text": "4000 1234", "at": {"text": "Card number"}, "replace": True}}
    return decides(number, actions=[card, {"action": {"kind": "click", "at": {"text": "Pay now"}}}])


def gives_up(number: int) -> Any:
    return decides(number, end={"kind": "give_up", "reason": "it is paid already"})


def test_what_was_paid_before_the_break_is_not_paid_again(
    shop: Shop, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"{service.url}/v1#local"
    service.script = [lambda body: pays(len(service.asked))]
    asked = ["run", "Pay the order", "--url", shop.url, "--max-steps", "2", "--model", address]
    assert call([*asked, "--yes", "--json"]) == 4
    assert shop.orders == ["4000 1234"]
    first = json.loads(capsys.readouterr().out)
    assert first["ending"] == "limit" and (Path(first["folder"]) / "ledger.jsonl").is_file()

    for _ in range(2):  # a run that was resumed can be resumed again
        service.asked.clear()
        service.script = [lambda body: pays(len(service.asked)), lambda body: gives_up(len(service.asked))]
        rest = ["resume", "last", "--max-steps", "20", "--yes", "--json"]
        assert call(rest) == 2  # the folder does not choose the server
        assert f'model.name = "{address}"' in capsys.readouterr().err and not service.asked
        assert call([*rest, "--model", address]) in (4, 5)
        again = json.loads(capsys.readouterr().out)
        told = json.dumps(service.asked[0].body)
        assert "interrupted after step" in told and "looked at again" in told
        assert "was done already with the same contents" in json.dumps(service.asked[1].body)
        assert shop.orders == ["4000 1234"]
        assert again["folder"] != first["folder"] and (Path(again["folder"]) / "ledger.jsonl").is_file()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    made = Store()
    yield made
    made.close()


@pytest.mark.parametrize(
    "planner", [pytest.param("plain", marks=pytest.mark.nightly), "demonstration", "model"]
)
def test_what_was_typed_and_not_sent_is_typed_again_before_it_is_sent(
    store: Store, service: Service, planner: str
) -> None:
    model = f"{service.url}/v1#local"
    service.script = [lambda body: next_move(len(service.asked), body, [("hello", "B")])]
    rest: tuple[str, ...] = ()
    match planner:
        case "plain":
            asked = [commands([("hello", "B")]), "--url", store.url]
        case "demonstration":
            assert call(["run", commands([("Ada", "B")]), "--url", store.url, "--yes", "--quiet"]) == 0
            assert call(["learn", "last", "--task", "Store 'Ada' as 'B'"]) == 0
            store.entries.clear()
            asked = ["Store 'hello' as 'B'"]
        case _:
            asked, rest = ["Store hello as B", "--url", store.url], ("--model", model)
    assert call(["run", *asked, *rest, "--yes", "--quiet", "--max-steps", "2"]) == 4
    assert store.entries == []
    assert call(["resume", "last", *rest, "--yes", "--quiet", "--max-steps", "20"]) == 0
    assert store.entries == [("hello", "B")]
