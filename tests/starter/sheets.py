"""Everyday work with spreadsheets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.end_to_end.desktop.effects import Effect, cells, has_bytes
from tests.starter.documents import TEAS, workbook
from tests.starter.work import Work

SAVE = 'press ctrl+s; click "Use Excel 2007–365 Format"'
CALC = ("localc",)
BOOK: Mapping[str, Callable[..., None]] = {"{file}": workbook}


def first_sheet(name: str, holds: Callable[..., object]) -> Effect:
    """The first sheet of a workbook is as it should be."""

    def effect(home: Path) -> object:
        from openpyxl import load_workbook

        return holds(load_workbook(home / name).worksheets[0])

    return effect


def sheets(name: str, names: list[str]) -> Effect:
    """A workbook has these sheets."""

    def effect(home: Path) -> object:
        from openpyxl import load_workbook

        return load_workbook(home / name).sheetnames == names

    return effect


def is_without(column: Any, row: int) -> bool:
    """Whether one row is missing from the list and no other one."""
    held = [cell.value for cell in column]
    return held == [kind for kind, _ in (*TEAS[: row - 1], *TEAS[row : len(held) + 1])]


SHEETS = (
    Work(
        "make-spreadsheet",
        'Make a spreadsheet {file} with "{text}" in cell {cell}',
        'open LibreOffice Calc; type "{text}" into cell {cell}; press ctrl+s; type "~/{file}"; press Enter; '
        'click "Use Excel 2007–365 Format"',
        (
            {"file": "prices.xlsx", "text": "Tea", "cell": "A1"},
            {"file": "guests.xlsx", "text": "Ida", "cell": "B2"},
        ),
        {"file": "trips.xlsx", "text": "Oslo and back", "cell": "C3"},
        lambda v: cells(v["file"], {v["cell"]: v["text"]}),
        CALC,
    ),
    Work(
        "fill-cell",
        'Put "{text}" into cell {cell} of the spreadsheet {file}',
        'open "~/{file}"; type "{text}" into cell {cell}; ' + SAVE,
        (
            {"file": "prices.xlsx", "text": "Oolong", "cell": "A9"},
            {"file": "teas.xlsx", "text": "sold out", "cell": "C2"},
        ),
        {"file": "stock.xlsx", "text": "on Friday", "cell": "D4"},
        lambda v: cells(v["file"], {"A2": "Assam", v["cell"]: v["text"]}),
        CALC,
        BOOK,
    ),
    Work(
        "add-up-cells",
        "Add up the cells {range} in cell {cell} of the spreadsheet {file}",
        'open "~/{file}"; type "=SUM({range})" into cell {cell}; ' + SAVE,
        (
            {"file": "prices.xlsx", "range": "B2:B3", "cell": "B9"},
            {"file": "teas.xlsx", "range": "B2:B4", "cell": "C1"},
        ),
        {"file": "stock.xlsx", "range": "B3:B5", "cell": "D2"},
        lambda v: cells(v["file"], {v["cell"]: f"=SUM({v['range']})"}),
        CALC,
        BOOK,
    ),
    Work(
        "rename-sheet",
        "Rename the sheet of the spreadsheet {file} to {name}",
        'open "~/{file}"; choose Sheet > Rename Sheet...; press ctrl+a; type "{name}"; press Enter; ' + SAVE,
        ({"file": "prices.xlsx", "name": "Tea"}, {"file": "teas.xlsx", "name": "Summer"}),
        {"file": "stock.xlsx", "name": "Shelf"},
        lambda v: sheets(v["file"], [v["name"]]),
        CALC,
        BOOK,
    ),
    Work(
        "add-sheet",
        "Add a sheet called {name} to the spreadsheet {file}",
        'open "~/{file}"; choose Sheet > Insert Sheet at End...; press ctrl+a; type "{name}"; press Enter; '
        + SAVE,
        ({"file": "prices.xlsx", "name": "Coffee"}, {"file": "teas.xlsx", "name": "Winter"}),
        {"file": "stock.xlsx", "name": "Cellar"},
        lambda v: sheets(v["file"], ["Sheet", v["name"]]),
        CALC,
        BOOK,
    ),
    Work(
        "make-cell-bold",
        "Make cell {cell} of the spreadsheet {file} bold",
        'open "~/{file}"; click cell {cell}; press ctrl+b; ' + SAVE,
        ({"file": "prices.xlsx", "cell": "A1"}, {"file": "teas.xlsx", "cell": "B2"}),
        {"file": "stock.xlsx", "cell": "A3"},
        lambda v: first_sheet(v["file"], lambda sheet: sheet[v["cell"]].font.b),
        CALC,
        BOOK,
    ),
    Work(
        "insert-row",
        "Insert a row above cell {cell} in the spreadsheet {file}",
        'open "~/{file}"; click cell {cell}; choose Sheet > Insert Rows > Rows Above; ' + SAVE,
        ({"file": "prices.xlsx", "cell": "A2"}, {"file": "teas.xlsx", "cell": "A3"}),
        {"file": "stock.xlsx", "cell": "A4"},
        lambda v: cells(
            v["file"], {v["cell"]: None, f"A{int(v['cell'][1:]) + 1}": TEAS[int(v["cell"][1:]) - 1][0]}
        ),
        CALC,
        BOOK,
    ),
    Work(
        "delete-row",
        "Delete the row of cell {cell} in the spreadsheet {file}",
        'open "~/{file}"; click cell {cell}; choose Sheet > Delete Rows; ' + SAVE,
        ({"file": "prices.xlsx", "cell": "A2"}, {"file": "teas.xlsx", "cell": "A3"}),
        {"file": "stock.xlsx", "cell": "A4"},
        lambda v: first_sheet(v["file"], lambda sheet: is_without(sheet["A"], int(v["cell"][1:]))),
        CALC,
        BOOK,
    ),
    Work(
        "export-spreadsheet",
        "Convert the spreadsheet {file} into {csv}",
        'open "~/{file}"; press ctrl+shift+s; press ctrl+a; type "~/{csv}"; press Enter; '
        'click "Use Text CSV Format"; click "OK"',
        ({"file": "prices.xlsx", "csv": "list.csv"}, {"file": "teas.xlsx", "csv": "all.csv"}),
        {"file": "stock.xlsx", "csv": "stock-1.csv"},
        lambda v: has_bytes(v["csv"], b"Assam,4\n"),
        CALC,
        BOOK,
    ),
)
