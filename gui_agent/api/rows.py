"""The rows of a table, and the task that each of them fills in."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote
from zipfile import BadZipFile

from gui_agent.api.tools import SLOT, filled
from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.core.os_errors import user_path, why
from gui_agent.core.trajectory import Task
from gui_agent.planners.commands import Unparsed, parse
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.template import right_type
from gui_agent.procedures.library.memory import open_memory
from gui_agent.procedures.library.store import load_program
from gui_agent.settings import Settings
from gui_agent.skills import Parameter, list_skills
from gui_agent.wiring.routing import route

Row: TypeAlias = Mapping[str, str]
"""Texts by column; empty where the line of the table is blank."""
_MOST_TOLD = 5


def read_rows(source: Path | str) -> Sequence[Row]:
    """The rows of a CSV file or of the first sheet of an Excel file.

    Raises:
        ConfigError: it cannot be read, has no rows, or a column has no name or that of another.
    """
    path = user_path(source)
    try:
        head, *lines = (_excel(path) if path.suffix.lower() == ".xlsx" else _csv(path)) or [[]]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the rows from {path}: {why(error)}") from error
    except (csv.Error, BadZipFile, KeyError, ValueError) as error:
        raise ConfigError(f"cannot read the rows from {path}: it is no table ({error})") from error
    width = max((at for at, name in enumerate(head, 1) if name), default=0)
    names = head[:width]
    if "" in names or len(set(names)) < width:
        raise ConfigError(f"{path}: its first line has to give each column a name of its own: {names}")
    if long := [number for number, cells in enumerate(lines, 1) if any(cells[width:])]:
        raise ConfigError(f"{path}, row {long[0]}: there are more values than columns")
    rows = [dict(zip(names, [*cells, *[""] * width], strict=False)) if any(cells) else {} for cells in lines]
    if not any(rows):
        raise ConfigError(f"{path} has no rows; its first line names the columns, one row follows on each")
    return rows


def _csv(path: Path) -> list[list[str]]:
    """The cells of a file in which comma, semicolon or tabulator stands between values."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        lines = csv.reader(file, delimiter=max(",;\t", key=first.count), strict=True)
        return [[cell.strip() for cell in cells] for cells in lines]


def _excel(path: Path) -> list[list[str]]:
    try:
        from openpyxl import load_workbook  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtra("tables", "reading Excel files") from error
    sheet = load_workbook(path, read_only=True, data_only=True).worksheets[0]
    return [[_written(value) for value in cells] for cells in sheet.iter_rows(values_only=True)]


def _written(value: object) -> str:
    """A cell as a person would write it."""
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    return "" if whole is None else str(whole).strip().removesuffix(" 00:00:00")


@dataclass(frozen=True, slots=True)
class RowTask:
    """What is done with each row: a task with `{column}` in it, or a procedure that takes the columns."""

    text: str
    url: str = ""
    check: str = ""
    """A plain command that verifies what came of a row."""
    slots: Mapping[str, Parameter] = field(default_factory=dict)
    """What a row has to tell."""
    programs: Sequence[Program] = ()
    plain: bool = False
    """Whether the text is plain commands: no value can add one to them, or end its quotes."""

    def filled(self, row: Row) -> Task:
        """The task of one row; plain commands check themselves what came of it."""
        start = re.sub(SLOT, lambda named: quote(row[named[1]], safe=""), self.url)
        if self.programs:
            values = {name: text for name, text in row.items() if text and name in self.slots}
            return Task(self.programs[0].instruction(values), start, values)
        if self.plain:
            return Task(filled("\n".join(filter(None, (self.text, self.check))), row), start)
        return Task(re.sub(SLOT, lambda named: row[named[1]], self.text), start)

    def fit(self, rows: Sequence[Row], settings: Settings) -> None:
        """Make sure that each row can be filled in, and that something here can do the task.

        Raises:
            ConfigError: columns or values are missing, of no use or of another type, or nothing can do it.
        """
        first = next((row for row in rows if row), {})
        wanted = dict.fromkeys(re.findall(SLOT, f"{self.url} {self.check}"), Parameter()) | dict(self.slots)
        faults = [f'no column "{n}"' for n, slot in wanted.items() if n not in first and slot.required]
        faults += [f'nothing takes the column "{name}"' for name in first if name not in wanted]
        if not faults:
            told = ((number, self._faults(row, wanted)) for number, row in enumerate(rows, 1) if row)
            faults = [f"row {number}: {fault}" for number, found in told for fault in found]
        if faults:
            more = f" and {len(faults) - _MOST_TOLD} more" if len(faults) > _MOST_TOLD else ""
            takes = ", ".join(wanted) or "none; write {column} where its value belongs"
            raise ConfigError(f"{'; '.join(faults[:_MOST_TOLD])}{more}. Columns of this task: {takes}")
        found = route(self.filled(first), settings, self.programs)
        if found.planners in (("none",), ("plain",)) and not found.runs:
            raise ConfigError(found.why or f"not understood: {found.commands}")

    def _faults(self, row: Row, wanted: Mapping[str, Parameter]) -> Iterator[str]:
        for name, slot in wanted.items():
            if not row.get(name) and slot.required:
                yield f"{name} is empty"
            elif row.get(name) and not right_type(row[name], slot.type):
                yield f'{name} is a {slot.type}, not "{row[name]}"'
        if self.plain and (
            bare := re.search(SLOT, filled(f"{self.text}\n{self.check}", dict.fromkeys(row, "1")))
        ):
            yield f"{bare[0]} has to stand in quotes, so that a value is never taken for a command"


def row_task(task: str, settings: Settings, *, url: str = "", check: str = "") -> RowTask:
    """What is done with each row, by the name of a skill or procedure, or by a task with `{column}` in it.

    Raises:
        ConfigError: the check is no plain command.
    """
    said = re.sub(r"^\s*shown\s+(.+)$", r"\1 is shown", check)
    if check and not _is_plain(f"verify {said}"):
        raise ConfigError(f'there is nothing to verify in {check}; write it as: shown "{{name}}"')
    work = RowTask(task.strip(), url, check and f"verify {said}")
    memory = open_memory(settings) if settings.memory.enabled and " " not in work.text else None
    if skill := next((one for one in list_skills() if one.name == work.text), None):
        program = load_program(skill.procedure)
        return replace(work, url=url or skill.start, slots=skill.parameters, programs=(program,))
    if memory is not None and memory.exists and (known := memory.procedure_called(work.text)):
        named = {one.name: one for program in known.programs for one in program.parameters}
        slots = {name: Parameter(one.type, one.default) for name, one in named.items()}
        return replace(work, url=url or known.start, slots=slots, programs=known.programs)
    slots = dict.fromkeys(re.findall(SLOT, work.text), Parameter())
    return replace(work, slots=slots, plain=_is_plain(work.text))


def _is_plain(text: str) -> bool:
    return not isinstance(parse(text), Unparsed)
