"""Does a task for each row of a table, with one result per row and no row done twice after an
interruption.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import quote
from zipfile import BadZipFile

from gui_agent.agent.guard import LEDGER
from gui_agent.agent.guard.ledger import IRREVERSIBLE
from gui_agent.agent.guard.meaning import HARMLESS, classify
from gui_agent.agent.questions import unanswered_send
from gui_agent.api.screen import LiveScreen
from gui_agent.core.actions import Wait
from gui_agent.core.binding import named_in, slots_named, with_values
from gui_agent.core.errors import ConfigError, ExitCode, GuiAgentError, MissingExtra, Unavailable
from gui_agent.core.os_errors import file_errors, private_folder, replace_file, user_path, why
from gui_agent.core.redaction import REFERENCE
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Result, Step, Task, Trajectory
from gui_agent.elements.describe import describe
from gui_agent.elements.roles import ENTRIES, FIELDS, NAVIGATING, PRESSED
from gui_agent.planners.commands import Unparsed, parse
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.template import right_type
from gui_agent.procedures.library.memory import open_memory
from gui_agent.procedures.library.store import load_program
from gui_agent.settings import Settings, load, override
from gui_agent.skills import Parameter, list_skills
from gui_agent.trace import StoredRun, read_run, write_report
from gui_agent.trace.lines import REPORT
from gui_agent.trace.report import write_list_page
from gui_agent.wiring.routing import route
from gui_agent.wiring.running import run

Row: TypeAlias = Mapping[str, str]
"""Texts by column; empty if the line of the table is blank."""
_MOST_TOLD = 5
"""How many faults of a table one message lists."""


def read_rows(source: Path | str) -> Sequence[Row]:
    """The rows of a CSV file or of the first sheet of an Excel file.

    Raises:
        ConfigError: it cannot be read, has no rows, or a column has no name or a duplicate one.
    """
    path = user_path(source)
    with file_errors(f"cannot read the rows from {path}"):
        try:
            head, *lines = (_excel(path) if path.suffix.lower() == ".xlsx" else _csv_cells(path)) or [[]]
        except (csv.Error, ValueError) as error:
            raise ConfigError(f"cannot read the rows from {path}: it is not a table ({error})") from error
    width = max((at for at, name in enumerate(head, 1) if name), default=0)
    names = head[:width]
    if "" in names or len(set(names)) < width:
        raise ConfigError(f"{path}: its first line must give each column a different name: {names}")
    if long := [number for number, cells in enumerate(lines, 1) if any(cells[width:])]:
        raise ConfigError(f"{path}, row {long[0]}: there are more values than columns")
    rows = [dict(zip(names, [*cells, *[""] * width], strict=False)) if any(cells) else {} for cells in lines]
    if not any(rows):
        raise ConfigError(
            f"{path} has no rows; its first line names the columns, and each further line is a row"
        )
    return rows


def _label(row: Row) -> str:
    """What tells a person which row it is: its first two values."""
    return ", ".join([value for value in row.values() if value][:2])


def _csv_cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        lines = csv.reader(file, delimiter=max(",;\t", key=first.count), strict=True)
        return [[*map(str.strip, cells)] for cells in lines]


def _excel(path: Path) -> list[list[str]]:
    try:
        from openpyxl import load_workbook  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtra("tables", "reading Excel files") from error
    try:
        sheet = load_workbook(path, read_only=True, data_only=True).worksheets[0]
        return [[*map(_cell_text, cells)] for cells in sheet.iter_rows(values_only=True)]
    except _DAMAGED as error:
        raise ValueError(shorten(str(error), 200)) from error


_DAMAGED = (
    ArithmeticError, AttributeError, BadZipFile, EOFError, LookupError, RuntimeError, SyntaxError, TypeError,
    ValueError, zlib.error,
)  # fmt: skip
"""Errors that reading a damaged workbook raises: for its archive, its XML, or its contents."""


def _cell_text(value: object) -> str:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    return "" if whole is None else str(whole).strip().removesuffix(" 00:00:00")


@dataclass(frozen=True, slots=True)
class RowTask:
    """The task for each row: a text with `{column}` in it, or a procedure with the columns as parameters."""

    text: str
    url: str = ""
    check: str = ""
    """A plain command that verifies the result of a row."""
    slots: Mapping[str, Parameter] = field(default_factory=dict)
    """The values that a row must have."""
    programs: Sequence[Program] = ()
    plain: bool = False
    """Whether the text is plain commands."""

    def task_of(self, row: Row) -> Task:
        """The task of one row; for plain commands it includes the check."""
        start = with_values(self.url, {name: quote(text, safe="") for name, text in row.items()})
        values = {name: text for name, text in row.items() if text and name in self.slots}
        if self.programs:
            return Task(self.programs[0].instruction(values), start, values)
        text = f"{self.text}\n{self.check}".rstrip("\n") if self.plain else self.text
        return Task(text, start, named_in(text, row))

    def fit(self, rows: Sequence[Row], settings: Settings) -> None:
        """Check that each row has its values, and that some planner can do the task. Raises ConfigError."""
        first = next(filter(None, rows), {})
        wanted = dict.fromkeys(slots_named(f"{self.url} {self.check}"), Parameter()) | dict(self.slots)
        faults = [f'no column "{n}"' for n, slot in wanted.items() if n not in first and slot.is_required]
        faults += [f'the task does not use the column "{name}"' for name in first if name not in wanted]
        if faults := faults or [*self._row_faults(rows, wanted)]:
            more = f" and {len(faults) - _MOST_TOLD} more" if len(faults) > _MOST_TOLD else ""
            takes = ", ".join(wanted) or "none; write {column} in the place of its value"
            raise ConfigError(f"{'; '.join(faults[:_MOST_TOLD])}{more}. Columns of this task: {takes}")
        found = route(self.task_of(first), settings, self.programs)
        if found.planners in (("none",), ("plain",)) and not found.runs:
            raise ConfigError(found.why or f"not understood: {found.commands}")

    def _row_faults(self, rows: Sequence[Row], wanted: Mapping[str, Parameter]) -> Iterator[str]:
        for number, row in enumerate(rows, 1):
            if row:
                yield from (f"row {number}: {fault}" for fault in self._faults(row, wanted))

    def _faults(self, row: Row, wanted: Mapping[str, Parameter]) -> Iterator[str]:
        for name, slot in wanted.items():
            if not row.get(name) and slot.is_required:
                yield f"{name} is empty"
            elif REFERENCE.search(row.get(name, "")):
                yield f"{name} holds {row[name]}: a value must not name a secret; write it into the task"
            elif row.get(name) and not right_type(row[name], slot.type):
                yield f'{name} is a {slot.type}, not "{row[name]}"'


def row_task(task: str, settings: Settings, *, url: str = "", check: str = "") -> RowTask:
    """The task for each row, from the name of a skill or procedure, or a text with `{column}` in it."""
    said = re.sub(r"^\s*shown\s+(.+)$", r"\1 is shown", check)
    if check and not _is_plain(f"verify {said}"):
        raise ConfigError(f'there is nothing to verify in {check}; write it as: shown "{{name}}"')
    work = RowTask(task.strip(), url, check and f"verify {said}")
    memory = open_memory(settings) if settings.memory.enabled and " " not in work.text else None
    if skill := {one.name: one for one in list_skills()}.get(work.text):
        program = load_program(skill.procedure)
        return replace(work, url=url or skill.start, slots=skill.parameters, programs=(program,))
    if memory is not None and memory.exists and (known := memory.procedure_called(work.text)):
        given = chain.from_iterable(program.parameters for program in known.programs)
        slots = {o.name: Parameter(o.type, o.default, next(iter(o.examples), "")) for o in given}
        return replace(work, url=url or known.start, slots=slots, programs=known.programs)
    slots = dict.fromkeys(slots_named(work.text), Parameter())
    return replace(work, slots=slots, plain=_is_plain(work.text))


def _is_plain(text: str) -> bool:
    return not isinstance(parse(text), Unparsed)


Line: TypeAlias = dict[str, str]
"""A line of the results: the columns of `OWN`, and the values read, by name."""
OWN = ("row", "outcome", "reason", "seconds", "report", "id")
_UNDER_WAY = ("begun", "stopped")
"""Outcomes of rows that are resumed."""
_REPEATED = HARMLESS | {"type", "choose", "check", "navigate"}
"""Kinds of actions that may be repeated when a row is resumed."""
_BROKE_OFF = "the list broke off while it was under way"
_ALIKE = 0.5
"""Share of its controls by which a screen is recognised."""


@dataclass(frozen=True, slots=True)
class ListResult:
    """The result of a list, including what earlier calls recorded."""

    rows: tuple[Line, ...]
    """By row: `outcome` (done, not_done, unclear ...), `reason`, `seconds`, `report`, and the values read."""
    remaining: int
    """Rows that have not been started."""
    held: str = ""
    """Why the remaining rows were not started; empty if nothing stopped them."""
    seconds_left: float = 0.0
    """Estimated seconds for the rest of this call, from its rows so far."""
    summary: str = ""
    """The page that shows all rows, with links to their reports."""

    def count(self, *outcomes: str) -> int:
        """How many rows have one of these outcomes."""
        return sum(one["outcome"] in outcomes for one in self.rows)

    @property
    def failed(self) -> int:
        return sum(map(has_failed, self.rows))

    @property
    def exit_code(self) -> ExitCode:
        if self.count(*_UNDER_WAY):
            return ExitCode.INTERRUPTED
        return ExitCode.NOT_DONE if self.remaining or self.count("done") < len(self.rows) else ExitCode.DONE


def has_failed(line: Line) -> bool:
    """Whether a row ended with a known outcome other than done."""
    return line["outcome"] not in ("done", "unclear", *_UNDER_WAY)


def run_list(
    task: str,
    rows: Path | str | Sequence[Mapping[str, object]],
    *,
    out: Path | str = "results.csv",
    url: str = "",
    check: str = "",
    go_on: bool = False,
    retry: Sequence[Literal["failed", "unclear"]] = (),
    max_failures: int = 5,
    workers: int = 1,
    on_row: Callable[[Line, ListResult], object] | None = None,
    should_stop: Callable[[], bool] | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> ListResult:
    """Do a task for each row of a table, on screens that stay open, and record the outcome of each row.

    A row is recorded before it starts and when it ends. A row that was under way when the process died is
    resumed if nothing would be done twice; otherwise it is recorded as `unclear`.

    Args:
        task: a skill or procedure with the columns as parameters; or a task with `{column}` in it.
        rows: a CSV or Excel file, or mappings with the same keys.
        out: the file of results; reports are stored in the folder of the same name.
        url: where each row begins; may have `{column}` in it.
        check: what must hold after a row, such as `shown "{name}"`.
        go_on: continue with rows that are not recorded yet; without it, there must be no results.
        retry: repeat rows that `failed` (nothing is sent twice), or that are `unclear`.
        max_failures: consecutive failed rows that end the list; 0 for any number.
        workers: rows at a time, each on its own screen; needs `yes`, because they cannot all ask a person.
        on_row: called with each row that has ended, and with the list so far.
        should_stop: whether to start no further row; called before each.
        options: those of `LiveScreen`, such as `computer`, `yes` and `model`.

    Raises:
        ConfigError: rows, task or settings do not fit together; nothing was done.
        Unavailable: the screen cannot be opened.
    """
    settings = settings or load()
    work = row_task(task, settings, url=url, check=check)
    given = (
        read_rows(rows)
        if isinstance(rows, Path | str)
        else [dict(zip(row, map(str, row.values()), strict=True)) for row in rows]
    )
    work.fit(given, settings)
    todo = _RowList(Path(out), work, given)
    if workers > 1 and (
        options.get("computer") is not None or not (options.get("yes") or settings.guard.yes)
    ):
        raise ConfigError(
            "several workers need separate screens and a general yes: give --yes and no computer"
        )
    with todo.locked_files(resumed=go_on or bool(retry)):
        wanted = todo.rows_to_do(go_on, retry)
        todo.should_stop = should_stop or todo.should_stop
        todo.max_failures, todo.on_row = max_failures, on_row
        try:
            return todo.work_on(wanted, lambda: LiveScreen(settings=settings, **options), workers)
        finally:
            todo.write_summary()


def recorded_list(out: Path, rows: Sequence[Row]) -> ListResult:
    """What a file of results says of these rows; nothing is done. Raises ConfigError: it cannot be read."""
    kept = _RowList(out, RowTask(""), rows)
    if out.exists():
        kept.read_results(is_resumed=True)
    return kept.so_far()


class _RowList:
    def __init__(self, out: Path, work: RowTask, rows: Sequence[Row]) -> None:
        self._out, self._folder, self._work, self._rows = out, out.with_suffix(""), work, rows
        self._lines: dict[int, Line] = {}
        self._first: frozenset[tuple[str, str]] = frozenset()
        """The controls of the screen on which the last successful row began."""
        self._held = ""
        self._failures = 0  # consecutive
        self._ends = False
        self._lock = threading.RLock()
        self.should_stop: Callable[[], bool] = lambda: False
        self.max_failures = 0
        self.on_row: Callable[[Line, ListResult], object] | None = None
        self._left, self._ended, self._began = 0, 0, time.monotonic()
        """Numbers of this call's rows that have not ended, and that have."""
        self._aside = ThreadPoolExecutor(1, "report")  # writes a row's report while the next row runs

    @contextmanager
    def locked_files(self, *, resumed: bool) -> Iterator[None]:
        try:
            private_folder(self._folder)
            lock = sqlite3.connect(self._folder / "in-use", timeout=0.1, isolation_level=None)
            lock.execute("BEGIN EXCLUSIVE")  # the system releases the lock when the process dies
        except (OSError, sqlite3.Error) as error:
            told = why(error) if isinstance(error, OSError) else "another run-list is writing it"
            raise ConfigError(f"cannot use {self._out} and the folder {self._folder}: {told}") from error
        try:
            if self._out.exists():
                self.read_results(is_resumed=resumed)
            yield
        finally:
            lock.close()

    def read_results(self, *, is_resumed: bool) -> None:
        if not is_resumed:
            raise ConfigError(
                f"{self._out} exists; continue it with --continue, or choose another file with --out"
            )
        try:
            with self._out.open(encoding="utf-8-sig", newline="") as file:
                lines = list(csv.DictReader(file, restval="", strict=True))
            self._lines = {int(line["row"]): line for line in lines if line.keys() >= set(OWN)}
            if len(self._lines) < len(lines):
                raise ValueError(lines)
        except (OSError, csv.Error, KeyError, ValueError) as error:
            raise ConfigError(f"{self._out} is not a results file of run-list; give another --out") from error

    def rows_to_do(self, go_on: bool, retry: Sequence[str]) -> list[int]:
        found = []
        for number, row in enumerate(self._rows, 1):
            line = self._lines.get(number, {"outcome": "begun", "id": _digest(row)})
            kind = "failed" if has_failed(line) else line["outcome"]
            if kind not in retry and line["id"] != _digest(row):
                raise ConfigError(f"row {number} is not the one in {self._out}; put new rows at the end")
            if row and (kind in retry or (kind in _UNDER_WAY and (go_on or not retry))):
                found.append(number)
        return found

    def work_on(
        self, numbers: Sequence[int], open_screen: Callable[[], LiveScreen], workers: int
    ) -> ListResult:
        rows, self._left = iter(numbers), len(numbers)

        def work() -> None:
            screen: LiveScreen | None = None
            try:
                while (number := self._next(rows)) is not None:
                    screen = screen or open_screen()
                    line = self._do_row(number, screen)
                    self._count_ended(number, line)
                    if line["outcome"] == "lost":
                        screen.close()
                        screen = None
            finally:
                if screen is not None:
                    screen.close()

        if workers <= 1:
            work()
            return self.so_far()
        faults: list[BaseException] = []

        def work_aside() -> None:
            try:
                work()
            except BaseException as fault:  # noqa: BLE001 - raised again in the calling thread
                self._ends = True
                faults.append(fault)

        threads = [threading.Thread(target=work_aside, daemon=True) for _ in numbers[:workers]]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self._ends = True
            for thread in threads:  # rows under way finish, or stay "begun" after a second interrupt
                thread.join()
            raise
        if faults:
            raise faults[0]
        return self.so_far()

    def _next(self, rows: Iterator[int]) -> int | None:
        with self._lock:
            return None if self._held or self._ends or self.should_stop() else next(rows, None)

    def _count_ended(self, number: int, line: Line) -> None:
        with self._lock:
            again = has_failed(line) or line["outcome"] == "unclear"
            self._failures = self._failures + 1 if again else 0
            if 0 < self.max_failures <= self._failures and not self._held:
                self._held = f"{self._failures} rows failed in a row, the last: {line['reason']}"
            self._ends = self._ends or line["outcome"] == "stopped"
            self._left, self._ended = self._left - 1, self._ended + 1
            if self.on_row is not None and number in self._lines:
                self.on_row(line, self.so_far())

    def so_far(self) -> ListResult:
        with self._lock:
            left = sum(bool(row) and number not in self._lines for number, row in enumerate(self._rows, 1))
            lines = tuple(self._lines[number] for number in sorted(self._lines))
            rest = self._left * (time.monotonic() - self._began) / max(1, self._ended)
            return ListResult(
                lines, left, self._held, rest if self._ended else 0.0, str(self._folder / REPORT)
            )

    def write_summary(self) -> None:
        """Write the page that shows all rows, and the reports that a crash left out."""
        self._aside.shutdown()
        now = self.so_far()
        for report in (self._out.parent / line["report"] for line in now.rows):
            if report.name == REPORT and report.parent.is_dir() and not report.exists():
                with suppress(ConfigError, OSError):  # a report that cannot be written must not end the list
                    write_report(report.parent)
        told = {"task": self._work.text, "done": now.count("done"), "unclear": now.count("unclear")}
        told |= {
            "failed": now.failed,
            "left": now.remaining,
            "held": now.held,
            "whole": now.remaining + len(now.rows),
        }
        whose = {str(number): _label(row) for number, row in enumerate(self._rows, 1)}
        write_list_page(self._folder / REPORT, self._out, now.rows, OWN, whose=whose, **told)

    def _do_row(self, number: int, screen: LiveScreen) -> Line:
        row, was = self._rows[number - 1], self._lines.get(number, {})
        task = self._work.task_of(row)
        line = {"row": str(number), "outcome": "begun", "id": _digest(row)}
        begun = self._resumed_row(was, task) if was.get("outcome") in _UNDER_WAY else None
        if isinstance(begun, dict):
            return self._note_line(number, begun)
        had_ended = was.get("outcome", "unclear") != "unclear"
        sent = max(self._runs(number, LEDGER), key=_age, default=None) if had_ended else None
        root = begun.folder.parent if begun else self._new_folder(number)
        self._note_line(number, {**line, "report": self._from_here(root)})
        options = {**screen.options, "settings": override(screen.settings, {"trace": {"folder": str(root)}})}
        try:
            ended = run(
                task,
                demo=self._work.programs or None,
                computer=screen.computer,
                begun=begun.trajectory if begun else None,
                ledger=sent,  # the ledger's side effects are not repeated
                **options,
            )
        except (ConfigError, Unavailable):
            self._note_line(number, was)  # nothing was touched
            raise
        line |= self._run_line(ended)
        if ended.ok and self._work.check and not self._work.plain:
            line |= _check_line(self._work.check, named_in(self._work.check, row), screen)
        else:
            line |= _unclear(_open_end(ended, is_resumed=begun is not None))
        self._note_line(number, line)
        self._look_where_it_began(number, was, ended)
        return line

    def _note_line(self, number: int, line: Line) -> Line:
        """Record a row, or remove its record if `line` is empty; on disk when this returns."""
        with self._lock:
            self._lines.pop(number, None)
            self._lines |= {number: line} if line else {}
            self._write_lines([self._lines[number] for number in sorted(self._lines)])
        return line

    def _write_lines(self, lines: Sequence[Line]) -> None:
        names = dict.fromkeys(chain(OWN, *lines))
        writer = csv.DictWriter(text := io.StringIO(newline=""), list(names), restval="")
        writer.writeheader()
        writer.writerows(dict(zip(one, map(_no_formula, one.values()), strict=True)) for one in lines)
        with file_errors(f"cannot write {self._out}"):
            replace_file(self._out, text.getvalue().encode(), durable=True)

    def _new_folder(self, number: int) -> Path:
        attempts = len(list(self._folder.glob(f"{number:04}-*")))
        private_folder(made := self._folder / f"{number:04}-{attempts + 1}")
        return made

    def _runs(self, number: int, file: str) -> Iterator[Path]:
        return self._folder.glob(f"{number:04}-*/*/{file}")

    def _from_here(self, path: Path) -> str:
        return os.path.relpath(path, self._out.parent)

    def _run_line(self, ended: Result) -> Line:
        read = ended.notes or ({"answer": ended.answer} if ended.answer else {})
        return {f"{name}_" if name in OWN else name: text for name, text in read.items()} | {
            "outcome": ended.outcome,
            "reason": ended.reason,
            "seconds": f"{ended.seconds:.2f}",
            "report": self._write_report(Path(ended.folder)) if ended.folder else "",
        }

    def _write_report(self, folder: Path) -> str:
        self._aside.submit(write_report, folder)
        return self._from_here(folder / REPORT)

    def _look_where_it_began(self, number: int, was: Line, ended: Result) -> None:
        """Hold the list if a row did not begin on the usual screen, and record the row as never started."""
        shown = ended.turns[0].observation.elements if ended.turns else ()
        first = frozenset((e.role, e.name) for e in shown if e.name and e.role in FIELDS | PRESSED)
        begun = any(step.found and step.outcome.good for step in ended.steps)
        if ended.ok:
            self._first = first or self._first
            return
        known = len(first & self._first) >= _ALIKE * len(self._first) if self._first else begun
        if not known and ended.outcome in ("not_done", "limit", "lost"):
            self._held = f"row {number} does not begin on the usual screen: {ended.reason}"
            if not begun:
                self._note_line(number, was)

    def _resumed_row(self, was: Line, task: Task) -> Line | StoredRun | None:
        """The final line of an interrupted row, or its run to resume; None if it never started."""
        newest = max(self._runs(int(was["row"]), "run.json"), key=_age, default=None)
        if newest is None or (
            was["outcome"] == "begun" and self._out.parent / was["report"] not in newest.parents
        ):
            return None
        stored = read_run(newest.parent)
        before = stored.trajectory
        if before.ending is not None and before.ending.kind != "stopped":
            line = was | self._run_line(Result(before, stored.seconds, str(stored.folder)))
            checked = self._work.plain or not self._work.check or line["outcome"] != "done"
            return line if checked else line | _unclear(f"{_BROKE_OFF}: done, but not checked")
        doubt = _doubt(before) if before.task.full_text == task.full_text else "with another task"
        report = {"report": self._write_report(stored.folder)} if doubt else {}
        return was | report | _unclear(f"{_BROKE_OFF}: {doubt}") if doubt else stored


def _check_line(command: str, values: Row, screen: LiveScreen) -> Line:
    try:
        screen.act(command, **values)
    except GuiAgentError as error:
        return {"outcome": "not_done", "reason": str(error)}
    return {}


def _open_end(ended: Result, *, is_resumed: bool) -> str:
    """Why it is unknown whether a row was done; empty if it is known."""
    if ended.ok:
        return "" if ended.verified else f"done, but not verified: {ended.reason}"
    if is_resumed and ended.outcome != "stopped":
        return f"{_BROKE_OFF}: {ended.reason}"
    left = unanswered_send(ended.trajectory)
    return f"{ended.reason}; the outcome of this is unknown: {left}" if left else ""


def _unclear(doubt: str) -> Line:
    if not doubt:
        return {}
    reason = f"{doubt}; check it, and run it with --retry unclear if it was not done"
    return {"outcome": "unclear", "reason": reason}


def _doubt(before: Trajectory) -> str:
    """What may have been done unseen, or would be repeated by resuming, in words; empty if nothing."""
    for step in before.steps:
        if not _may_be_repeated(step):
            return f"done: {describe(step.planned.action)}"
    last = before.turns[-1] if before.turns else None
    left = last.decision.planned[len(last.own_steps) :] if last is not None else ()
    if not left or left[0].action.kind in _REPEATED:
        return ""
    return f"perhaps done: {describe(left[0].action)}"


def _may_be_repeated(step: Step) -> bool:
    """Whether a step only looks or fills in, or the ledger keeps it from being repeated."""
    action, at = step.action, step.found.get("at")
    if action is None or isinstance(action, Wait):
        return not step.requests
    leads = at is not None and at.element is not None and at.element.role in NAVIGATING | ENTRIES | FIELDS
    if not step.requests and (leads or action.kind in _REPEATED):
        return True
    return any(one.meaning in IRREVERSIBLE for one in classify(action, step.found, step.before))


def _no_formula(cell: str) -> str:
    """A cell that no spreadsheet program takes for a formula; needed because texts come from pages.

    Some programs also separate cells by semicolons or tabs, and skip blanks and marks before a formula.
    """
    return re.sub(r"(?:^|(?<=[;\t\r\n]))(?=[\s\ufeff\u200b\"]*(?:[=@]|[+-](?![\d.,]*$)))", "'", cell)


def _age(file: Path) -> int:
    return file.stat().st_mtime_ns


def _digest(row: Row) -> str:
    return sha256(json.dumps(sorted(row.items())).encode()).hexdigest()[:12]
