"""Lists that a server runs, with the records by which they outlive it."""

from __future__ import annotations

import json
import secrets
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from gui_agent.api.row_list import ListResult, RowTask, recorded_list, row_task, run_list
from gui_agent.core.errors import ConfigError, GuiAgentError
from gui_agent.core.os_errors import private_folder, replace_file
from gui_agent.core.parsing import parse_json
from gui_agent.integrations.runs import InUse
from gui_agent.settings import Settings, state_folder
from gui_agent.wiring import explain

RECORD, RESULTS = "list.json", "results.csv"


class ServedList:
    """A list under way, or one that has ended."""

    def __init__(self, folder: Path, wanted: Mapping[str, Any]) -> None:
        """
        Args:
            folder: where its record, its results and the runs of its rows are.
            wanted: task, rows, url, check, max_failures, and when it was begun.
        """
        self.id, self.folder = folder.name, folder
        self.task: str = wanted["task"]
        self.rows: Sequence[Mapping[str, str]] = wanted["rows"]
        self.begun: str = wanted["begun"]
        self.reason = ""
        self.stopping = threading.Event()
        self._wanted = {name: wanted[name] for name in ("url", "check", "max_failures")}
        self._result = recorded_list(folder / RESULTS, self.rows)
        self._thread: threading.Thread | None = None

    @property
    def page(self) -> Path:
        """The page with all rows; written when a list ends."""
        return (self.folder / RESULTS).with_suffix("") / "report.html"

    @property
    def is_going(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def work(self, settings: Settings, *, retry: Sequence[Any] = ()) -> None:
        """Begin its rows, or go on with those that are left, or repeat those of an outcome."""
        if self.is_going:
            raise InUse(f"{self.id} is under way; wait until it ends, or stop it")
        self.reason = ""
        self.stopping.clear()

        def work() -> None:
            try:
                self._result = run_list(
                    self.task, self.rows, out=self.folder / RESULTS, settings=settings, on_row=self._note,
                    go_on=True, retry=retry, should_stop=self.stopping.is_set, **self._wanted,
                )  # fmt: skip
            except (GuiAgentError, OSError) as error:
                self.reason = str(error)

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()

    def forget(self) -> None:
        """Delete its record, its results and the runs of its rows."""
        if self.is_going:
            raise InUse(f"{self.id} is under way; stop it first")
        shutil.rmtree(self.folder, ignore_errors=True)

    def row_report(self, number: int) -> Path:
        """The report of a row. Raises ConfigError: there is none."""
        line = next((one for one in self._result.rows if one["row"] == str(number)), {})
        path = (self.folder / line.get("report", "")).resolve()
        if not path.is_file() or self.folder.resolve() not in path.parents:
            raise ConfigError(
                f"row {number} of {self.id} has no report yet; look again when the list has ended"
            )
        return path

    def _note(self, _line: Mapping[str, str], so_far: ListResult) -> None:
        self._result = so_far

    def as_dict(self, *, rows: bool = False) -> dict[str, Any]:
        """Its state, and with `rows` the result of each."""
        now, going = self._result, self.is_going
        told = {"list": self.id, "task": self.task, "status": "running" if going else "ended"}
        counts = {"done": now.count("done"), "failed": now.failed, "unclear": now.count("unclear")}
        rest = {"left": now.remaining, "seconds_left": round(now.seconds_left) if going else 0}
        reasons = {"reason": self.reason or now.held, "begun": self.begun}
        return {**told, **counts, **rest, **reasons, **({"rows": list(now.rows)} if rows else {})}


def begin_list(
    settings: Settings, task: str, rows: Sequence[Mapping[str, str]], *, url: str = "", check: str = "",
    max_failures: int = 5,
) -> ServedList:  # fmt: skip
    """Start a list on its own screen. Raises ConfigError if rows and task do not match."""
    row_task(task, settings, url=url, check=check).fit(rows, settings)
    folder = _folder(settings) / f"l-{secrets.token_hex(4)}"
    begun = f"{datetime.now().astimezone():%Y-%m-%dT%H:%M:%S%z}"
    wanted: dict[str, Any] = {"task": task, "rows": [*rows], "url": url, "check": check, "begun": begun}
    wanted["max_failures"] = max_failures
    private_folder(folder)
    replace_file(folder / RECORD, json.dumps(wanted, ensure_ascii=False).encode())
    made = ServedList(folder, wanted)
    made.work(settings)
    return made


def kept_lists(settings: Settings) -> dict[str, ServedList]:
    """The lists of earlier servers by their ids, the oldest first; unreadable ones are left out."""
    found = sorted(_readable(_folder(settings)), key=lambda one: one.begun)
    return {one.id: one for one in found}


def _readable(folder: Path) -> Iterator[ServedList]:
    for record in folder.glob(f"l-*/{RECORD}"):
        try:
            yield ServedList(record.parent, parse_json(record.read_bytes()))
        except (GuiAgentError, LookupError, OSError, TypeError, ValueError):
            continue


def _folder(settings: Settings) -> Path:
    return Path(settings.trace.folder or state_folder("runs"))


def first_row(work: RowTask, rows: Sequence[Mapping[str, str]], settings: Settings) -> list[str]:
    """How the first row of a table will be done, one line each. Raises ConfigError if it does not fit."""
    work.fit(rows, settings)
    row = next(filter(None, rows))
    task = work.task_of(row)
    found = explain(task, demo=work.programs, settings=settings)
    told = [f"{name}: {text}" for name, text in row.items()]
    return [*told, *found.lines()]
