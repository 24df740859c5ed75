"""Generated pages of records whose keys stand in other columns too, and what commands must do on them."""

from __future__ import annotations

import html
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["right", "refused", "wrong"]
NAMES = (
    "Ann Lee", "Bob Ray", "Cy Day", "Dora Fox", "Eli Kay",
    "Fay Orr", "Gus Poe", "Hal Roe", "Ida Sun", "Jo Tate",
)  # fmt: skip
FILES = ("notes.txt", "plan.odt", "budget.ods", "photo.png", "report.pdf", "letter.doc", "map.svg", "todo.md")
STATES = ("draft", "final", "open", "closed", "paid", "sent")
CITIES = ("Oslo", "Rome", "Bern", "Lima", "Kyiv")


@dataclass(frozen=True)
class Kind:
    """What the records of a page are called, and what is in their columns."""

    noun: str
    key: str
    keys: Callable[[random.Random], list[str]]
    columns: Sequence[str]
    second: str = ""
    """The column that names a record whose key is a number."""


def numbers(rng: random.Random) -> list[str]:
    return [str(one) for one in rng.sample(range(1, 13), 8)]


def words_of(pool: Sequence[str]) -> Callable[[random.Random], list[str]]:
    return lambda rng: rng.sample(pool, 8)


KINDS = (
    Kind("order", "Order", numbers, ("Quantity", "Customer", "Status")),
    Kind("order", "Order no.", numbers, ("Customer", "Quantity", "Price", "Status")),
    Kind("user", "Name", words_of(NAMES), ("Logins", "Role", "Manager")),
    Kind("user", "User", words_of(NAMES), ("Manager", "Logins")),
    Kind("file", "File", words_of(FILES), ("Version", "Size", "Based on")),
    Kind("ticket", "Ticket", numbers, ("Title", "Votes", "Owner")),
    Kind("product", "Product", words_of(CITIES + STATES[:3]), ("Stock", "Replaces", "Price")),
    Kind("invoice", "ID", numbers, ("Customer", "Items", "Status"), second="Customer"),
)


@dataclass(frozen=True)
class Command:
    """A plain command, and the number of the record that it is about; None where it is about none."""

    text: str
    record: int | None
    control: str
    """The name of the control, or `read:COLUMN`."""
    may_be: int | None = None
    """A record that the command may mean as well, as it alone has the words in it."""


@dataclass(frozen=True)
class Page:
    """A page and the commands to try on it."""

    seed: int
    shape: str
    html: str
    rows: list[dict[str, str]]
    commands: list[Command]


def page(seed: int) -> Page:
    """The page of a seed: 3 to 5 records of one kind in one shape, with colliding values."""
    rng = random.Random(seed)
    kind, shape = rng.choice(KINDS), rng.choice(list(SHAPES))
    keys = kind.keys(rng)
    present, absent = keys[: rng.randint(3, 5)], keys[5:]
    rows = [{kind.key: key} | _values(kind, rng, present, absent, key) for key in present]
    noun = kind.noun.title()
    body = SHAPES[shape](kind, rows)
    text = (
        f"<!doctype html><meta charset=utf-8><title>{noun}s</title><style>td,th,.cell{{padding:2px 12px}}"
        ".line{display:flex;gap:20px;margin:6px}.card{border:1px solid;margin:8px;padding:4px}</style>"
        f"<h1>{noun}s</h1><button>Add {kind.noun}</button>{body}"
    )
    headed = shape not in HEADLESS
    return Page(seed, shape, text, rows, list(_commands(kind, rows, absent, rng, headed)))


def _values(
    kind: Kind, rng: random.Random, present: list[str], absent: list[str], key: str
) -> dict[str, str]:
    """Values of the other columns: half of them are keys of other records, or of none."""
    found = {}
    for column in kind.columns:
        others = [one for one in (*present, *absent) if one != key]
        if column in ("Customer", "Owner", "Manager"):
            found[column] = rng.choice(others if not others[0].isdigit() else list(NAMES))
        elif column in ("Based on", "Replaces", "Title"):
            found[column] = rng.choice(
                others if not others[0].isdigit() else [f"Fix {one}" for one in CITIES]
            )
        elif column in ("Status", "Version", "Role"):
            found[column] = rng.choice(STATES)
        else:
            found[column] = rng.choice([one for one in others if one.isdigit()] or [str(rng.randint(1, 9))])
    return found


def _commands(
    kind: Kind, rows: list[dict[str, str]], absent: list[str], rng: random.Random, headed: bool
) -> Iterator[Command]:
    number = rng.randrange(len(rows))
    column = rng.choice(kind.columns)
    for key, record in ((rows[number][kind.key], number), (_colliding(kind, rows, absent, rng), None)):
        shared = [place for place, row in enumerate(rows) if key in list(row.values())[1:]]
        only = shared[0] if len(shared) == 1 and not key.isdigit() else None
        yield from (
            Command(f"{verb} {said}", record, verb.title())
            for verb in ("delete", "edit")
            for said in (f"{kind.noun} {key}", f'"{kind.noun} {key}"', f"the {kind.noun} {key}", f'"{key}"')
        )
        named = f'"{key}"' if " " in key else key
        for relation in (
            f'in the row of "{key}"',
            f"in the row of {kind.noun} {key}",
            f"in the row of {key}",
        ):
            may = only if record is None and kind.noun not in relation else None
            yield Command(f'click "Delete" {relation}', record, "Delete", may)
            yield Command(f"tick the checkbox {relation}", record, "checkbox", may)
        yield Command(f'click "Delete" for "{key}"', record, "Delete")
        yield Command(f"open {kind.noun} {key}", record, f"Open:{key}")
        yield Command(f'open "{key}"', record, f"Open:{key}")
        yield Command(f'choose "Later" in the row of {kind.noun} {key}', record, "select")
        yield Command(
            f'choose "Later" in the row of "{key}"', record, "select", only if record is None else None
        )
        yield Command(f"tick {named}", record, "checkbox")
        if headed:
            yield Command(f'read "{column}" for "{key}"', record, f"read:{column}")
            yield Command(f'read "{column}" in the row of "{kind.noun} {key}"', record, f"read:{column}")
            yield Command(f"read the {column.lower()} of {kind.noun} {key}", record, f"read:{column}")
    if headed and column not in ("Customer", "Title", "Owner", "Based on", "Replaces"):
        value = rows[number][column]
        holders = [place for place, row in enumerate(rows) if row[column] == value]
        only = holders[0] if len(holders) == 1 else None
        yield Command(f"delete {column.lower()} {value}", only, "Delete")


def _colliding(kind: Kind, rows: list[dict[str, str]], absent: list[str], rng: random.Random) -> str:
    """A key that no record has, though it stands in another column where one of them can be found."""
    keys = {row[kind.key] for row in rows}
    named = {row[kind.second] for row in rows} if kind.second else set()
    values = {value for row in rows for value in row.values()} - keys - named
    alike = [one for one in values if one in absent or (one.isdigit() and absent[0].isdigit())]
    return rng.choice(sorted(alike) or absent)


def _controls(number: int) -> str:
    return (
        f'<button id="k{number}">Edit</button> <button id="d{number}">Delete</button>'
        f' <button id="o{number}">Open</button>'
        f' <select id="s{number}"><option>Now</option><option>Later</option></select>'
    )


def _box(number: int) -> str:
    return f'<input type=checkbox id="c{number}">'


def _table(
    kind: Kind, rows: list[dict[str, str]], *, head: bool = True, th: bool = False, box: str = "first"
) -> str:
    lines = []
    for number, row in enumerate(rows):
        key, *others = (html.escape(value) for value in row.values())
        first = f"<th scope=row>{key}</th>" if th else f"<td>{key}</td>"
        cells = first + "".join(f"<td>{one}</td>" for one in others)
        ticked = f"<td>{_box(number)}</td>"
        cells = ticked + cells if box == "first" else cells + ticked
        lines.append(f"<tr>{cells}<td>{_controls(number)}</td></tr>")
    names = "".join(f"<th>{name}</th>" for name in rows[0])
    names = f"<th></th>{names}<th></th>" if box == "first" else f"{names}<th></th><th></th>"
    top = f"<thead><tr>{names}</tr></thead>" if head else ""
    return f"<table>{top}<tbody>{''.join(lines)}</tbody></table>"


def _grid(kind: Kind, rows: list[dict[str, str]]) -> str:
    names = "".join(
        f'<span role=columnheader class=cell style="width:110px">{name}</span>' for name in rows[0]
    )
    lines = [f"<div role=row class=line>{names}</div>"]
    for number, row in enumerate(rows):
        cells = "".join(
            f'<span role=gridcell class=cell style="width:110px">{html.escape(one)}</span>'
            for one in row.values()
        )
        tools = f"<span role=gridcell>{_box(number)}</span><span role=gridcell>{_controls(number)}</span>"
        lines.append(f"<div role=row class=line>{cells}{tools}</div>")
    return f"<div role=grid>{''.join(lines)}</div>"


def _lines(kind: Kind, rows: list[dict[str, str]]) -> str:
    """A div for each line and cell, without a role."""
    found = []
    for number, row in enumerate(rows):
        cells = "".join(f"<div class=cell>{html.escape(one)}</div>" for one in row.values())
        found.append(f"<div class=line>{_box(number)}{cells}<div>{_controls(number)}</div></div>")
    return f"<div>{''.join(found)}</div>"


def _items(kind: Kind, rows: list[dict[str, str]]) -> str:
    found = []
    for number, row in enumerate(rows):
        key, *others = (html.escape(one) for one in row.values())
        said = " ".join(f"<span>{one}</span>" for one in others)
        found.append(f"<li>{_box(number)} <a href='#{number}'>{key}</a> {said} {_controls(number)}</li>")
    return f"<ul>{''.join(found)}</ul>"


def _cards(kind: Kind, rows: list[dict[str, str]]) -> str:
    found = []
    for number, row in enumerate(rows):
        key, *others = (html.escape(one) for one in row.values())
        said = "".join(f"<p>{one}</p>" for one in others)
        found.append(f"<article class=card><h3>{key}</h3>{said}{_box(number)}{_controls(number)}</article>")
    return f"<section>{''.join(found)}</section>"


SHAPES: dict[str, Callable[[Kind, list[dict[str, str]]], str]] = {
    "table": _table,
    "table with row headers": lambda kind, rows: _table(kind, rows, th=True),
    "table, boxes last": lambda kind, rows: _table(kind, rows, box="last"),
    "table without header": lambda kind, rows: _table(kind, rows, head=False),
    "grid": _grid,
    "lines": _lines,
    "list": _items,
    "cards": _cards,
}
HEADLESS = ("table without header", "lines", "list", "cards")
