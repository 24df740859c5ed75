"""Generated screens of small applications: what a task is about, and what only lies there on that day."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from gui_agent.core.observation import TEXT, Box, Element, Observation, Place, Size
from gui_agent.testing import field as text_field
from gui_agent.testing import widget

PEOPLE = (
    *("Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov", "Ken Thompson"),
    *("Margaret Hamilton", "Donald Knuth", "Radia Perlman", "Tim Lee", "Frances Allen", "John Backus"),
)
CITIES = ("Bergen", "Oslo", "Rome", "Lima", "Quito", "Porto", "Turin", "Cork", "Graz", "Kyoto")
REASONS = ("late", "broken", "wet", "too small", "lost", "used")
STATES = ("open", "closed", "waiting", "paid")
WIDTH = 190


def code(rng: random.Random) -> str:
    return f"{rng.choice('ABCDEFGH')}-{rng.randrange(1000, 9999)}"


@dataclass(frozen=True)
class Cell:
    """An element before it has a place."""

    element: Element
    path: str
    column: int = 0


Line = list[Cell]


@dataclass
class Sheet:
    """A screen that is put together line by line."""

    structured: bool
    """Whether elements have paths, as on web pages; on desktops they may have none."""
    lines: list[Line] = field(default_factory=list)
    sections: int = 0

    def add(self, *blocks: list[Line]) -> Sheet:
        for block in blocks:
            self.sections += 1
            for line in block:
                self.lines.append(
                    [replace(cell, path=f"body/section[{self.sections}]/{cell.path}") for cell in line]
                )
        return self

    def observation(self, title: str = "") -> Observation:
        elements: list[Element] = []
        for down, line in enumerate(self.lines):
            for cell in line:
                box = Box(20 + (WIDTH + 10) * cell.column, 20 + 34 * down, WIDTH, 24)
                path = cell.path if self.structured else ""
                elements.append(replace(cell.element, id=len(elements) + 1, box=box, path=path))
        return Observation(Size(1300, 40 + 34 * len(self.lines)), tuple(elements), Place("", title))


def heading(words: str) -> list[Line]:
    return [[Cell(widget("heading", words), "h1")]]


def button(words: str) -> list[Line]:
    return [[Cell(widget("button", words), "button")]]


def texts(words: Iterable[str]) -> list[Line]:
    return [[Cell(widget(TEXT, one), f"p[{number}]")] for number, one in enumerate(words, start=1)]


def entries(words: Iterable[str], role: str = TEXT) -> list[Line]:
    """A list, such as a side bar of recent things."""
    return [[Cell(widget(role, one), f"ul/li[{number}]/a")] for number, one in enumerate(words, start=1)]


def labelled(pairs: Iterable[tuple[str, str]], style: str = "line") -> list[Line]:
    """Names with values: beside each other, after a colon, in a field, or as a list of definitions."""
    lines: list[Line] = []
    for number, (name, value) in enumerate(pairs, start=1):
        if style == "colon":
            lines.append([Cell(widget(TEXT, f"{name}: {value}"), f"p[{number}]")])
        elif style == "field":
            lines.append([Cell(replace(text_field(name), value=value), f"div[{number}]/input")])
        else:
            first = Cell(widget(TEXT, f"{name}:"), f"div[{number}]/span[1]")
            lines.append([first, Cell(widget(TEXT, value), f"div[{number}]/span[2]", 1)])
    return lines


def fields(*names: str) -> list[Line]:
    return [
        [Cell(text_field(name), f"form/div[{number}]/input")] for number, name in enumerate(names, start=1)
    ]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], press: str = "") -> list[Line]:
    """A table; with `press` each row ends with a button of that name."""
    lines = [
        [Cell(widget("columnheader", name), f"table/tr[1]/th[{at + 1}]", at) for at, name in enumerate(head)]
    ]
    for number, row in enumerate(rows, start=2):
        line = [
            Cell(widget("cell", value), f"table/tr[{number}]/td[{at + 1}]", at)
            for at, value in enumerate(row)
        ]
        if press:
            place = f"table/tr[{number}]/td[{len(row) + 1}]/button"
            line.append(Cell(widget("button", press), place, len(row)))
        lines.append(line)
    return lines


def chance(rng: random.Random, include: Sequence[str] = ()) -> Iterator[list[Line]]:
    """What lies on a screen on one day: side bars, dates, counts, news; and the texts to be included."""
    day = f"{rng.randrange(1, 28)} {rng.choice(('May', 'June', 'July'))} 2026"
    recent = [*rng.sample(PEOPLE, 2), *rng.sample(CITIES, 1), *include]
    rng.shuffle(recent)
    blocks = [
        entries(recent, rng.choice((TEXT, "link", "listitem"))),
        texts([f"Today is {day}"]),
        texts(
            [
                f"{rng.randrange(2, 90)} messages",
                rng.choice(("Free shipping", "New version", "Out of office")),
            ]
        ),
        labelled(
            [("Signed in as", rng.choice(PEOPLE)), ("Branch", rng.choice(CITIES))],
            rng.choice(("line", "colon")),
        ),
    ]
    yield from rng.sample(blocks, rng.randrange(1, len(blocks) + 1)) if not include else [
        blocks[0], *rng.sample(blocks[1:], rng.randrange(0, 3))]  # fmt: skip
