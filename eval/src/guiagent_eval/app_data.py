"""The data of an application, which tasks change and checks read: database, HTTP, files, a phone."""

from __future__ import annotations

import copy
import gzip
import json
import re
import shutil
import sqlite3
import subprocess
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui_agent.core.conditions import decompress
from gui_agent.core.errors import BenchmarkError, ConfigError
from gui_agent.core.texts import shorten

if TYPE_CHECKING:
    from guiagent_eval.phone import SimulatedPhone

SECONDS = 20.0
"""Seconds within which an application's interface answers, and a script of a check ends."""
Table = Mapping[str, Any]


def fill_in(value: Any, names: Mapping[str, str]) -> Any:
    """The value with `{name}` replaced in all its texts; other braces stay unchanged."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), value)
    if isinstance(value, Mapping):
        return {fill_in(key, names): fill_in(one, names) for key, one in value.items()}
    return [fill_in(one, names) for one in value] if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class AppData:
    """The places of a running application's data."""

    folder: Path
    """The folder of its data, or the home folder of a desktop program."""
    database: str = ""
    """The SQLite file in the folder."""
    address: str = ""
    """The address of its HTTP interface, without a slash at the end."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers of every request, such as the checker's permission."""
    phone: SimulatedPhone | None = None
    """A simulated phone."""

    def do(self, steps: Sequence[Table]) -> None:
        """Change the data, step by step.

        Raises:
            ConfigError: a step is of an unknown kind.
            BenchmarkError: a step fails.
        """
        for step in steps:
            kind = next((name for name in STEPS if name in step), "")
            if not kind:
                raise ConfigError(f"{dict(step)} is no step; one has a key of {', '.join(STEPS)}")
            try:
                STEPS[kind](self, step)
            except (OSError, sqlite3.Error, subprocess.SubprocessError, ValueError, KeyError) as error:
                raise BenchmarkError(f"{kind} {step[kind]!r}: {error!r}") from error

    def fault(self, checks: Sequence[Table]) -> str:
        """The first check that does not hold, with the value found instead; empty if all hold.

        Raises:
            ConfigError: a check is of an unknown kind, or compares nothing.
        """
        for check in checks:
            kind = next((name for name in LOOKS if name in check), "")
            if not kind or not any(name in check for name in (*COMPARED, "absent")):
                names = ", ".join(LOOKS), ", ".join((*COMPARED, "absent"))
                raise ConfigError(
                    f"{dict(check)} is no check; one has a key of {names[0]} and one of {names[1]}"
                )
            try:
                found = LOOKS[kind](self, check)
            except (
                *(OSError, sqlite3.Error, subprocess.SubprocessError, ValueError),
                *(KeyError, IndexError, TypeError, zipfile.BadZipFile),
            ) as error:
                found = error
            wrong = _difference(found, check)
            if wrong:
                return f"{kind} {shorten(str(check[kind]), 80)}: {wrong}"
        return ""

    def content(self, app: str) -> Any:
        """The state of an app of the phone."""
        if self.phone is None:
            raise ValueError("the application is no phone")
        return self.phone.state()[app]

    def path(self, name: str) -> Path:
        """A file of the data."""
        return self.folder / name

    def query(self, statement: str) -> list[list[Any]]:
        """The rows of a query."""
        with closing(self._connection("ro")) as connection:
            return [list(row) for row in connection.execute(statement)]

    def change(self, script: str) -> None:
        """Run statements of SQL on the database."""
        with closing(self._connection()) as connection:
            connection.executescript(script)
            connection.commit()

    def ask(self, method: str, path: str, table: Table) -> Any:
        """The application's answer over HTTP: JSON as values, anything else as text."""
        headers, body = dict(self.headers), None
        if "json" in table:
            headers["Content-Type"], body = "application/json", json.dumps(table["json"]).encode()
        elif "form" in table:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urllib.parse.urlencode(table["form"]).encode()
        elif "body" in table:
            headers["Content-Type"], body = str(table.get("type", "text/plain")), str(table["body"]).encode()
        headers.update(table.get("headers", {}))
        where = self.address + urllib.parse.quote(path, safe="/?&=%:,+")
        request = urllib.request.Request(where, body, headers, method=method)
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            text = answer.read().decode("utf-8", "replace")
        try:
            return json.loads(text)
        except ValueError:
            return text

    def text(self, name: str) -> str:
        """The text of a file (`a.txt`), of all matching (`**/*.md`), or of a member (`a.ods!content.xml`)."""
        name, _, member = name.partition("!")
        found = sorted(path for path in self.folder.glob(name) if path.is_file())
        if not found:
            raise FileNotFoundError(f"there is no file {name}")
        if member:
            with zipfile.ZipFile(found[0]) as archive:
                return archive.read(member).decode("utf-8", "replace")
        return "\n".join(decompress(path.read_bytes()).decode("utf-8", "replace") for path in found)

    def ran(self, command: Sequence[str]) -> Any:
        """The output of a script of the benchmark: JSON as values, else the text."""
        done = subprocess.run(
            list(command), cwd=self.folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        if done.returncode:
            raise ValueError(shorten((done.stderr or done.stdout).strip()[-300:], 300))
        try:
            return json.loads(done.stdout)
        except ValueError:
            return done.stdout.strip()

    def _connection(self, mode: str = "rwc") -> sqlite3.Connection:
        if not self.database:
            raise ValueError("the application names no database")
        address = f"{self.path(self.database).as_uri()}?mode={mode}"
        return sqlite3.connect(address, uri=True, timeout=SECONDS)


def _write(data: AppData, step: Table) -> None:
    path = data.path(step["write"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(step["text"], encoding="utf-8")


def _replace(data: AppData, step: Table) -> None:
    path = next(iter(sorted(data.folder.glob(step["replace"]))))
    packed = path.read_bytes().startswith(b"\x1f\x8b")
    text = decompress(path.read_bytes()).decode("utf-8", "replace")
    if step["old"] not in text:
        raise ValueError(f"{step['old']!r} is not in it")
    changed = text.replace(step["old"], step["new"]).encode()
    path.write_bytes(gzip.compress(changed) if packed else changed)


def _remove(data: AppData, step: Table) -> None:
    path = data.path(step["remove"])
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def _phone(data: AppData, step: Table) -> None:
    *way, last = step["at"].split("/")
    held = data.content(step["phone"])
    for key in way:
        held = held[key]
    if step.get("drop"):
        del held[last]
    else:
        held[last] = copy.deepcopy(step["set"])


def _to_target(key: str, take: Callable[[Path, Path], object]) -> Callable[[AppData, Table], None]:
    def take_there(data: AppData, step: Table) -> None:
        target = data.path(step["to"])
        target.parent.mkdir(parents=True, exist_ok=True)
        take(data.path(step[key]), target)

    return take_there


def _request(method: str) -> Callable[[AppData, Table], None]:
    return lambda data, step: data.ask(method.upper(), step[method], step) and None


STEPS: Mapping[str, Callable[[AppData, Table], object]] = {
    "sql": lambda data, step: data.change(step["sql"]),
    "write": _write,
    "replace": _replace,
    "remove": _remove,
    "move": _to_target("move", shutil.move),
    "copy": _to_target("copy", shutil.copy),
    "folder": lambda data, step: data.path(step["folder"]).mkdir(parents=True, exist_ok=True),
    "post": _request("post"),
    "put": _request("put"),
    "patch": _request("patch"),
    "delete": _request("delete"),
    "run": lambda data, step: data.ran(step["run"]),
    "phone": _phone,
}
"""Kinds of steps, each with its key."""


def _file(data: AppData, check: Table) -> Any:
    text = data.text(check["file"])
    return json.loads(text) if "at" in check else text


def _picture(data: AppData, check: Table) -> dict[str, Any]:
    """A picture's size, mode, mean colour, and the colours of the `points` that the check names."""
    from PIL import Image

    with Image.open(data.path(check["picture"])) as opened:
        rgb = opened.convert("RGB")
        small = rgb.resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))
        points = [list(rgb.getpixel((x, y))) for x, y in check.get("points", ())]  # type: ignore[arg-type]
        return {"size": list(opened.size), "mode": opened.mode, "mean": list(small), "points": points}  # type: ignore[arg-type]


LOOKS: Mapping[str, Callable[[AppData, Table], Any]] = {
    "sql": lambda data, check: data.query(check["sql"]),
    "file": _file,
    "picture": _picture,
    "names": lambda data, check: sorted(path.name for path in data.path(check["names"]).iterdir()),
    "get": lambda data, check: data.ask("GET", check["get"], check),
    "run": lambda data, check: data.ran(check["run"]),
    "phone": lambda data, check: data.content(check["phone"]),
}
"""Kinds of observed data, each with its key."""


def _json_part(found: Any, where: str) -> Any:
    """A part of JSON, as in `items/0/name`."""
    for key in filter(None, where.split("/")):
        found = found[int(key)] if isinstance(found, list) else found[key]
    return found


COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "is": lambda found, wanted: found == wanted,
    "line": lambda found, wanted: str(found).strip() == wanted,
    "has": lambda found, wanted: all(one in found for one in _several(wanted)),
    "lacks": lambda found, wanted: not any(one in found for one in _several(wanted)),
    "matches": lambda found, wanted: all(re.search(one, str(found), re.DOTALL) for one in _several(wanted)),
}
"""Comparisons of the found value with the wanted one, by key."""


def _several(wanted: Any) -> list[Any]:
    return wanted if isinstance(wanted, list) else [wanted]


def _difference(found: Any, check: Table) -> str:
    """The difference between the found value and the check; empty if there is none."""
    if "absent" in check:
        gone = isinstance(found, FileNotFoundError | urllib.error.HTTPError)
        return "" if gone else "is still there"
    if isinstance(found, Exception):
        return f"{type(found).__name__}: {shorten(str(found), 120)}"
    try:
        found = _json_part(found, check.get("at", ""))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        return f"has nothing at {check['at']}: {error!r}"
    for name, holds in COMPARED.items():
        if name in check and not holds(found, check[name]):
            return f"{name} {shorten(repr(check[name]), 80)}, found {shorten(repr(found), 160)}"
    return ""
