"""Effects outside the screen: a run is done only if the file, row, address or mail says so."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from gui_agent import Result, run
from gui_agent.cli import call
from gui_agent.core.errors import ConfigError
from gui_agent.wiring import _effects
from tests.mail_server import PASSWORD, mail_server

PAGE = """<!doctype html><title>Orders</title><form method=post action=/save>
<label>Item <input name=item></label><button>Save</button></form>"""
SAVE = 'type "Lamp" into "Item", click "Save"'


class Shop:
    """A site that says "Saved", and keeps the order only if it is honest."""

    def __init__(self, folder: Path) -> None:
        self.file, self.honest = folder / "orders.db", True
        with closing(sqlite3.connect(self.file)) as base:
            base.execute("create table orders (item text, status text)")
        shop = self

        class Site(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(PAGE if self.path == "/" else shop.items())

            def do_POST(self) -> None:
                sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                shop.keep(sent["item"][0])
                self.answer(f"<!doctype html><title>Orders</title><p role=status>Saved {sent['item'][0]}</p>")

            def answer(self, text: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def keep(self, item: str) -> None:
        if self.honest:
            with closing(sqlite3.connect(self.file)) as base, base:
                base.execute("insert into orders values (?, 'new')", [item])

    def items(self) -> str:
        with closing(sqlite3.connect(self.file)) as base:
            return ", ".join(item for (item,) in base.execute("select item from orders"))

    def run(self, *effects: str, task: str = SAVE, **more: Any) -> Result:
        return run(task, url=self.url, yes=True, outcome={"effects": effects}, **more)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    monkeypatch.setattr(_effects, "WAIT", 1.0)
    served = Shop(tmp_path)
    yield served
    served.server.shutdown()


def test_a_row_in_the_database_proves_the_run(shop: Shop) -> None:
    row = f'sql {shop.file} "select status from orders where item = {{item}}" is new'
    result = shop.run(row, task='type "{item}" into "Item", click "Save"', values={"item": "Lamp's"})
    assert (result.outcome, result.verified) == ("done", True)


def test_a_page_that_says_saved_and_keeps_nothing_is_not_believed(shop: Shop) -> None:
    shop.honest = False
    result = shop.run(
        f'sql {shop.file} "select count(*) from orders" is 1', f"http {shop.url}items contains Lamp"
    )
    assert result.outcome == "not_done"
    assert 'is 1) is not true: it says "0"' in result.reason
    assert "contains Lamp) is not true: it is empty" in result.reason


def test_an_effect_that_held_before_the_run_proves_nothing(shop: Shop) -> None:
    shop.keep("Lamp")
    result = shop.run(f"http {shop.url}items contains Lamp")
    assert (result.outcome, result.verified) == ("done", False)
    assert "was true before the run" in result.reason


def test_a_file_and_a_mail_prove_the_run(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAILBOX", PASSWORD)
    with mail_server() as server:
        keep = shop.keep

        def keep_and_confirm(item: str) -> None:
            keep(item)
            (tmp_path / "sent").mkdir()
            (tmp_path / "sent" / "order-1.csv").write_text(f"item\n{item}\n")
            server.deliver(f"We got your order of a {item}.")

        shop.keep = keep_and_confirm  # type: ignore[method-assign]
        effects = (
            f"file {tmp_path}/sent/*.csv contains Lamp",
            f'mail "{server.source()}" contains "order of a Lamp"',
        )
        result = shop.run(*effects)
        assert (result.outcome, result.verified) == ("done", True), result.reason
        again = shop.run(effects[1].replace("of a Lamp", "of a Tea"))
        assert again.outcome == "not_done" and "of a Tea" in again.reason


def test_only_what_is_missing_is_read_again_and_a_mailbox_every_two_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_effects, "WAIT", 0.5)
    monkeypatch.setattr(_effects, "PAUSE", 0.05)
    looks: list[str] = []

    def reader(name: str) -> Any:
        read = {"there": "yes", "late": "no"}

        def look(_: object) -> str:
            looks.append(name)
            return read.get(name, "no") if len(looks) > 3 else "no"

        return look

    readers = dict.fromkeys(("file", "mail"), (1, reader))
    monkeypatch.setattr(_effects, "READERS", readers)
    wanted = _effects.WantedEffects(("file there is yes", "file late is yes", "mail box is yes"), {})
    looks[:] = ["before"] * 3
    said = wanted.missing()
    assert '(file late is yes) is not true: it says "no"; (mail box is yes) is not true' in said
    assert looks.count("there") == 1
    assert looks.count("late") >= 5
    assert 1 <= looks.count("box") <= looks.count("late") / 4 + 1


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        ("nonsense x", "write file PATH"),
        ("sql nowhere.db", "write file PATH"),
        ('sql /nowhere/x.db "select 1" is 1', "unable to open database file"),
        ("http ftp://x.example", "begins with http"),
        ("http http://127.0.0.1:9/x", "cannot read the effect"),
        ('file "unclosed', "write file PATH"),
    ],
)
def test_an_effect_that_cannot_be_read_is_refused_before_anything_is_touched(
    shop: Shop, effect: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        shop.run(effect)
    assert shop.items() == ""


def test_a_query_can_neither_write_nor_run_for_ever(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_effects, "ANSWER", 0.3)
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    with pytest.raises(ConfigError, match="interrupted"):
        shop.run(f'sql {shop.file} "{endless}"')
    with pytest.raises(ConfigError, match="readonly"):
        shop.run(f"sql {shop.file} \"insert into orders values ('x', 'y') returning item\"")
    assert shop.items() == ""


def test_the_command_line_takes_effects_and_says_which_one_is_missing(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.honest = False
    command = ["run", SAVE, "--url", shop.url, "--yes", "--quiet"]
    assert call([*command, "--effect", f"http {shop.url}items contains Lamp"]) == 4
    assert "contains Lamp) is not true" in capsys.readouterr().err
