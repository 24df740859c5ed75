"""Effects outside the screen: a run is done only if the file, row, address or mail says so."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from guiagent_eval.app_server import free_ports
from private import needs, until

from gui_agent import Result, run
from gui_agent.cli import call
from gui_agent.computers.browser.computer import BrowserComputer
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.core.errors import ConfigError
from gui_agent.testing import FakeComputer, button, screen
from gui_agent.wiring import _effects
from tests.mail_server import PASSWORD, mail_server
from tests.small_site import SmallSite

PAGE = """<!doctype html><title>Orders</title><form method=post action=/save>
<label>Item <input name=item></label><button>Save</button></form>"""
SAVE = 'type "Lamp" into "Item", click "Save"'


class Shop:
    """A site that says "Saved", and keeps the order only if it is honest."""

    def __init__(self, folder: Path) -> None:
        self.file, self.honest, self.front = folder / "orders.db", True, PAGE
        with closing(sqlite3.connect(self.file)) as base:
            base.execute("create table orders (item text, status text)")
        self.site = SmallSite(self.page, self.save)
        self.url = self.site.url

    def page(self, path: str) -> str:
        return self.front if path == "/" else self.items()

    def save(self, form: str) -> str:
        (item,) = parse_qs(form)["item"]
        self.keep(item)
        return f"<!doctype html><title>Orders</title><p role=status>Saved {item}</p>"

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
    served.site.close()


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

    def reader(_: object, name: str) -> Any:
        read = {"there": "yes", "late": "no"}

        def look() -> str:
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
        ("clipboard of mine", "write file PATH"),
        ("clipboard is", "write file PATH"),
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


COPYING = """<!doctype html><title>Voucher</title>
<button onclick="navigator.clipboard.writeText('LAMP 5\\n').then(() => said.textContent = 'Copied')">
Copy</button>
<button onclick="said.textContent = 'Copied'">Pretend</button>
<input aria-label=Code value="TEA 7"> <p role=status id=said></p>"""


@pytest.fixture
def voucher(shop: Shop) -> Shop:
    shop.front = COPYING
    return shop


@pytest.mark.parametrize("effect", ["clipboard is 'LAMP 5'", "clipboard contains lamp", "clipboard"])
def test_a_copied_text_proves_the_run(voucher: Shop, effect: str) -> None:
    result = voucher.run(effect, task='click "Copy"')
    assert (result.outcome, result.verified) == ("done", True), result.reason


def test_a_text_copied_by_keys_proves_the_run(voucher: Shop) -> None:
    result = voucher.run("clipboard is 'TEA 7'", task='click "Code", press ctrl+a, press ctrl+c')
    assert (result.outcome, result.verified) == ("done", True), result.reason


def test_a_page_that_says_copied_and_copies_nothing_is_not_believed(voucher: Shop) -> None:
    result = voucher.run("clipboard is 'LAMP 5'", task='click "Pretend"')
    assert result.outcome == "not_done"
    assert "(clipboard is 'LAMP 5') is not true: nothing is there" in result.reason


def test_what_else_was_copied_is_written_nowhere(voucher: Shop, tmp_path: Path) -> None:
    result = voucher.run(
        "clipboard is Lamp", task='click "Copy"', trace={"folder": str(tmp_path / "runs"), "pictures": False}
    )
    assert result.outcome == "not_done"
    assert "is not true: it holds another text" in result.reason
    assert "LAMP 5" not in "".join(file.read_text() for file in Path(result.folder).rglob("*.json*"))


def test_a_text_that_was_copied_before_the_run_proves_nothing(voucher: Shop) -> None:
    with BrowserComputer(voucher.url) as computer:
        first = voucher.run("clipboard is 'LAMP 5'", task='click "Copy"', computer=computer)
        assert (first.outcome, first.verified) == ("done", True), first.reason
        again = voucher.run("clipboard is 'LAMP 5'", task='click "Copy"', computer=computer)
    assert (again.outcome, again.verified) == ("done", False)
    assert "(clipboard is 'LAMP 5') was true before the run" in again.reason


def test_reading_the_clipboard_gives_pages_no_permission_and_leaves_no_tab(voucher: Shop) -> None:
    with BrowserComputer(voucher.url) as computer:
        voucher.run("clipboard is 'LAMP 5'", task='click "Copy"', computer=computer)
        assert computer.clipboard() == "LAMP 5\n"
        page = computer.driver_page()
        assert "NotAllowedError" in page.evaluate("navigator.clipboard.readText().catch(String)")
        assert not computer.observe(picture=False).place.others


def test_the_clipboard_of_a_persons_browser_is_refused_before_anything_is_done(voucher: Shop) -> None:
    (port,) = free_ports()
    with BrowserComputer(arguments=(f"--remote-debugging-port={port}",)) as persons:
        attached = {"kind": "browser", "options": {"attach": f"http://127.0.0.1:{port}"}}
        with pytest.raises(ConfigError, match=r"open before the run, .* is theirs; nothing was done"):
            voucher.run("clipboard", task='click "Copy"', computer=attached)
        assert not persons.observe(picture=False).place.url.startswith(voucher.url)


def test_a_screen_without_a_clipboard_is_refused_before_anything_is_done(shop: Shop) -> None:
    phone = FakeComputer(screen(button("Save")))
    with pytest.raises(ConfigError, match="no way to it on this kind of screen; nothing was done"):
        shop.run("clipboard", task='click "Save"', computer=phone)
    assert not phone.performed


def test_a_text_copied_in_a_program_proves_the_run(shop: Shop, tmp_path: Path) -> None:
    needs("Xvfb", "openbox", "dbus-daemon", "mousepad")
    (tmp_path / "order.txt").write_text("Lamp 5\n")
    with VirtualComputer(home=str(tmp_path), open="mousepad order.txt", observe="tree") as desktop:
        until(lambda: desktop.observe(picture=False).place.app == "mousepad", "the editor")

        def run_there(task: str, effect: str) -> Result:
            return run(task, computer=desktop, yes=True, outcome={"effects": [effect]})

        missed = run_there("press ctrl+a", "clipboard is 'Lamp 5'")
        assert missed.outcome == "not_done" and "nothing is there" in missed.reason
        wrong = run_there("press ctrl+a, press ctrl+c", "clipboard is 'Tea 7'")
        assert wrong.outcome == "not_done" and "it holds another text" in wrong.reason
        again = run_there("press ctrl+a, press ctrl+c", "clipboard is 'Lamp 5'")
        assert (again.outcome, again.verified) == ("done", False), again.reason
    with VirtualComputer(home=str(tmp_path), open="mousepad order.txt", observe="tree") as desktop:
        until(lambda: desktop.observe(picture=False).place.app == "mousepad", "the editor")
        result = run_there("press ctrl+a, press ctrl+c", "clipboard is 'Lamp 5'")
        assert (result.outcome, result.verified) == ("done", True), result.reason
