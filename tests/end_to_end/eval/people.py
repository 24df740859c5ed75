"""An application with a table of people in a database: its pages add, change and remove them."""

from __future__ import annotations

import html
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl

FIRST = (("Ada Byron", "1815-12-10", "Oslo"), ("Bo Ek", "1990-01-31", "Bergen"))
Row = tuple[str, ...]


class PeopleServer:
    """The running application."""

    def __init__(self, file: Path) -> None:
        self.file = file
        with closing(sqlite3.connect(file)) as base, base:
            base.execute("create table person (id integer primary key, name text, born text, town text)")
        self.reset()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.address = f"http://{self.host}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def query(self, statement: str, *given: str) -> list[Row]:
        with closing(sqlite3.connect(self.file, timeout=10)) as base, base:
            return base.execute(statement, given).fetchall()

    @property
    def rows(self) -> list[Row]:
        return self.query("select name, born, town from person order by id")

    def reset(self) -> None:
        self.query("delete from person")
        for row in FIRST:
            self.query("insert into person (name, born, town) values (?, ?, ?)", *row)

    def copied(self, file: Path) -> Path:
        """A copy of the data in another file."""
        with closing(sqlite3.connect(self.file)) as base, closing(sqlite3.connect(file)) as copy:
            base.backup(copy)
        return file

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        people = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *given: object) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                body = people.page(self.path).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                people.take(self.path, dict(parse_qsl(sent, keep_blank_values=True)))
                self.send_response(303)
                self.send_header("Location", "/")
                self.end_headers()

        return Handler

    def page(self, path: str) -> str:
        first, _, number = path.strip("/").partition("/")
        if first == "new":
            return self._form("New person", path, ("", "", ""))
        if first == "edit":
            (row,) = self.query("select name, born, town from person where id = ?", number)
            return self._form("Change a person", path, row)
        lines = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{born}</td><td>{town}</td><td><a href=/edit/{key}>Edit</a>"
            f"</td><td><form method=post action=/delete/{key}><button>Delete</button></form></td></tr>"
            for key, name, born, town in self.query("select * from person order by id")
        )
        head = "<tr><th>Name</th><th>Born</th><th>Town</th><th></th><th></th></tr>"
        table = f"<a href=/new>New person</a><table><thead>{head}</thead><tbody>{lines}</tbody></table>"
        return f"<!doctype html><title>People</title><h1>People</h1>{table}"

    def _form(self, title: str, path: str, row: Row) -> str:
        name, born, town = row
        towns = "".join(
            f"<option {'selected' if one == town else ''}>{one}</option>"
            for one in ("Oslo", "Bergen", "Voss")
        )
        return (
            f"<!doctype html><title>{title}</title><h1>{title}</h1><form method=post action={path}>"
            f"<p><label>Name <input name=name value='{html.escape(name)}'></label>"
            f"<p><label>Born <input name=born value='{born}'></label>"
            f"<p><label>Town <select name=town>{towns}</select></label><p><button>Save</button></form>"
            "<a href=/>All people</a>"
        )

    def take(self, path: str, sent: dict[str, str]) -> None:
        first, _, number = path.strip("/").partition("/")
        given = [sent.get(key, "") for key in ("name", "born", "town")]
        if first == "new":
            self.query("insert into person (name, born, town) values (?, ?, ?)", *given)
        elif first == "edit":
            self.query("update person set name = ?, born = ?, town = ? where id = ?", *given, number)
        else:
            self.query("delete from person where id = ?", number)


@contextmanager
def people_server(folder: Path) -> Iterator[PeopleServer]:
    """The application with its first data in a folder."""
    server = PeopleServer(folder / "people.db")
    try:
        yield server
    finally:
        server.close()
