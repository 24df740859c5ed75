"""Tasks about the records of an application: find, add, change and remove one, proven by doing them.

Walks show the tables and the forms of an application. A form whose fields are columns of a table may add a
record to it, a control in a row may open or remove one. Each task is done once; the rows of the table before
and after say what it must do again.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from itertools import product
from typing import Any, ClassVar, TypeAlias
from urllib.parse import unquote, urlsplit

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Scroll
from gui_agent.core.observation import STRICT, Element, Observation, Point, Size
from gui_agent.core.protocols import Computer
from gui_agent.core.trajectory import Task
from gui_agent.elements.roles import FIELDS, TICKABLE
from gui_agent.elements.text import singular, singular_words
from gui_agent.elements.words import slug_words
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse
from gui_agent.procedures.language.forms import number_in, parse_date
from gui_agent.procedures.language.template import commands
from gui_agent.scene import Scene
from gui_agent.scene.structure import Part, steps_of, tag_of

Row: TypeAlias = Mapping[str, str]
"""Texts by column."""
Begin: TypeAlias = Callable[[], AbstractContextManager[tuple[Computer, str]]]
"""Fresh data: a screen, and the address where tasks begin."""
Run: TypeAlias = Callable[[Task, Computer], bool]
"""Does plain commands. Returns whether they are done, and verified."""
Way: TypeAlias = tuple[str, ...]
"""Plain commands."""
NAMES = ("Amber", "Birch", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Heron", "Iris", "Jade", "Linden")
"""The words of texts that tasks type."""
LOOKS, CONTROLS, CHANGED, ANSWERS = 20, 4, 3, 2
"""At most: looks at one table, controls of a row to try, columns to change, questions to answer."""
ROWS = {"find": (0, 0), "add": (1, 0), "change": (1, 1), "chain": (1, 0), "remove": (0, 1)}
"""How many rows come and go by the tasks of each kind."""
_LETTER = re.compile(r"[^\W\d_]")
SURE = frozenset({"yes", "ok", "confirm"})
PRESSED = frozenset({"button", "link"})
AT_START = "reload the page"
"""The way to a table that is there at the beginning."""
WORDINGS: Mapping[str, Sequence[str]] = tomllib.loads(
    files("guiagent_eval.practice").joinpath("wordings.toml").read_text("utf-8")
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A task with its check, both as plain commands, and its purpose in words."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    task: str
    start: str = ""
    check: str = ""
    words: tuple[str, ...] = ()
    about: str = ""
    """The procedure that tasks of this kind share."""
    table: str = ""
    """The way to a table, as plain commands; empty if the rows of none are compared."""
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """The rows that the task adds and takes away; all others stay."""


def rows_on(screen: Observation) -> dict[Part, dict[str, str]]:
    """The rows of the largest table of data on a screen, by their place."""
    records, sizes = Scene.from_screen(screen).records, Counter[Part]()
    tables: dict[Part, dict[Part, dict[str, str]]] = {}
    for one in screen.elements:
        record = records.record_of(one)
        if record is not None and record.part and one.labels and one.role not in TICKABLE:
            table, column = record.part[:-1], one.labels[-1]
            row = tables.setdefault(table, {}).setdefault(record.part, {})
            row[column] = row.get(column) or one.value or one.name
            sizes[table] += one.role != "link"  # A list of links is a menu.
    largest = sizes.most_common(1)
    return tables[largest[0][0]] if largest and largest[0][1] else {}


def rows_at(computer: Computer, way: str, start: str) -> Counter[str]:
    """The rows of the table to which a way leads, each as a text."""
    Agent(computer, PlainPlanner(waits=(0.5,)), picture=False).run(Task(way, start))
    found: dict[Part, dict[str, str]] = {}
    for _ in range(LOOKS):
        screen = computer.observe(picture=False)
        for part, row in rows_on(screen).items():
            found.setdefault(part, {}).update(row)
        if not screen.more.get("below"):
            break
        middle = Point(screen.size.width // 2, screen.size.height // 2)
        computer.perform(Scroll(middle, down=screen.size.height // 2))
        computer.settle()
    return Counter(" | ".join(f"{name}: {row[name]}" for name in sorted(row)) for row in found.values())


@dataclass(frozen=True, slots=True)
class RecordTable:
    """A table of records and the way to it."""

    way: Way
    rows: tuple[Row, ...]
    key: str
    """The column that names each record."""
    noun: str
    controls: Way
    """Clicks on the controls of a row; `{key}` is the name of its record."""
    beside: Way
    """Clicks on controls that may add a record."""

    @property
    def way_in_words(self) -> str:
        """The way to it as one text."""
        return ", ".join(self.way) or AT_START

    @classmethod
    def from_screen(cls, screen: Observation, way: Way) -> RecordTable | None:
        """The table on a screen; None if no column names its records."""
        rows = rows_on(screen)
        first = next(iter(rows.values()), {})
        key = next((name for name in first if _names_records(name, [*rows.values()])), "")
        if not key:
            return None
        place, inside, beside = next(iter(rows)), list[str](), list[str]()
        for one in screen.elements:
            if one.role in PRESSED and one.name and steps_of(one)[: len(place)] == place:
                name = "{key}" if one.name == first[key] else one.name
                inside.append(f'click "{name}"' + ' in the row of "{key}"' * (name == one.name))
            elif one.role in PRESSED and _means("add", one.name):
                beside.append(f'click "{one.name}"')
        address = unquote(screen.place.url).casefold()
        nouns = (singular(name.casefold()) for name in re.findall('"(.*?)"', " ".join(way)))
        noun = next((one for one in nouns if one.isalpha() and one in address), "entry")
        return cls(way, (*rows.values(),), key, noun, (*dict.fromkeys(inside),), (*dict.fromkeys(beside),))


def _names_records(column: str, rows: Sequence[Row]) -> bool:
    """Whether a column has a name of its own for each record."""
    texts = {row.get(column, "") for row in rows}
    named = all(_LETTER.search(text) and '"' not in text and not parse_date(text) for text in texts)
    return named and len(texts) == len(rows)


@dataclass(frozen=True, slots=True)
class RecordForm:
    """The fields of a form, by the column of a table that shows them, and its first buttons."""

    fields: Mapping[str, Element]
    buttons: tuple[str, ...]

    @classmethod
    def from_screen(cls, screen: Observation, table: RecordTable) -> RecordForm | None:
        """The form that has most columns of a table, among them the names of its records."""
        forms: dict[Part, list[Element]] = {}
        for one in (*screen.elements, *screen.beyond):
            steps = steps_of(one)
            if ends := [place for place, step in enumerate(steps, 1) if tag_of(step) == "form"]:
                forms.setdefault(steps[: ends[-1]], []).append(one)
        found = [cls(_fields(parts, table), _buttons(parts)) for parts in forms.values()]
        whole = (one for one in found if table.key in one.fields and one.buttons)
        return max(whole, key=lambda one: len(one.fields), default=None)

    def fill(self, values: Row) -> Way:
        """Commands that give the fields of these columns their values."""
        named = ((self.fields[column], value) for column, value in values.items())
        return tuple(
            f'choose "{text}" in "{one.name}"'
            if one.role == "combobox"
            else f'type "{text}" into "{one.name}"'
            for one, text in named
        )

    def value(self, column: str, table: RecordTable, number: int) -> str:
        """A value of the kind that the column has; empty if there is none to choose."""
        samples = [text for row in table.rows if (text := row.get(column, ""))]
        if self.fields[column].role == "combobox":
            options = sorted(set(samples))
            return options[number % len(options)] if options else ""
        if samples and all(map(parse_date, samples)):
            return f"{1950 + 7 * number % 60}-0{number % 9 + 1}-1{number % 8}"
        if samples and all(one[0].isdecimal() and number_in(one) is not None for one in samples):
            return f"{12 + 7 * number}{'.5' * any('.' in one for one in samples)}"
        # Fields with the same text would not show which of them a part of the wording is for.
        number += 4 * list(self.fields).index(column)
        first, last = NAMES[number % len(NAMES)], NAMES[(5 * number + 3) % len(NAMES)]
        return f"{first}@{last}.org".lower() if any("@" in one for one in samples) else f"{first} {last}"


def _fields(parts: Iterable[Element], table: RecordTable) -> dict[str, Element]:
    pairs = product(parts, table.rows[0])
    return {
        column: one
        for one, column in pairs
        if one.role in FIELDS and one.name and _is_about(one.name, column)
    }


def _buttons(parts: Iterable[Element]) -> Way:
    names = (one.name for one in parts if one.role == "button" and one.name and one.does.form.posts)
    return tuple(sorted(names, key=len))[:CONTROLS]


def _is_about(name: str, column: str) -> bool:
    """Whether a field and a column are called the same, but for one word."""
    one, other = _plain_words(name), _plain_words(column)
    return bool(one and other) and (one <= other or other <= one) and len(one ^ other) < 2


def _plain_words(text: str) -> frozenset[str]:
    return frozenset(filter(str.isalnum, singular_words(text)))


Slots: TypeAlias = Mapping[str, str]
"""What the wording of a task says besides its noun."""
Make: TypeAlias = Callable[[int], tuple[Way, Slots]]
"""The commands and the slots of the task with this number."""
Effect: TypeAlias = tuple[list[str], list[str]]
"""The rows that came, and those that went."""


@dataclass
class Proposer:
    """Makes tasks of tables and forms, and tries each on fresh data."""

    begin: Begin
    run: Run
    goals: int
    """Number of tasks of each kind."""
    _start: str = field(default="", init=False)
    _screen: Observation = field(default_factory=lambda: Observation(Size(1, 1)), init=False)
    """The screen after the last try."""
    _working: dict[str, Make] = field(default_factory=dict, init=False)
    """What worked, by the procedure's name."""

    def tasks(self, ways: Iterable[tuple[Way, Observation]], *, writes: bool) -> Iterator[Proposal]:
        """The tasks about the tables that were seen; with `writes`, also those that change something."""
        tables: dict[str, RecordTable] = {}
        for way, screen in sorted(ways, key=lambda one: len(one[0])):
            if table := RecordTable.from_screen(screen, way):
                tables.setdefault("".join(filter(str.isalnum, "".join(table.rows[0]))), table)
        for table in tables.values():
            key = table.rows[0][table.key]
            keeping = [one for one in table.controls if not _means("delete", one)]
            if self._name("find", table) in self._working:
                continue  # another table would be asked for in the same words
            if opened := self._form_opened_by(table, keeping, key):
                links = [one.name for one in self._screen.elements if one.role in PRESSED]
                yield from self._of_records(table, *opened, links, writes)

    def _of_records(
        self, table: RecordTable, opening: str, form: RecordForm, links: Sequence[str], writes: bool
    ) -> Iterator[Proposal]:
        """The tasks about records that a control in their row opens in a form."""
        check = f'check "{form.fields[table.key].name}" is "{{key}}"'
        yield from self._first("find", table, "", [partial(_press, table, (opening,))], check)
        if not writes:
            return
        new = self._form_opened_by(table, table.beside, "")
        adds = [partial(_add, table, *new, button) for button in new[1].buttons] if new else []
        yield from self._first("add", table, "", adds)
        given = new[1].fields if new else form.fields  # Numbers that a server gives are in no new record.
        for column in [one for one in form.fields if one != table.key and one in given][:CHANGED]:
            changes = [partial(_change, table, opening, form, column, one) for one in form.buttons]
            yield from self._first("change", table, column, changes)
            add, change = map(
                self._working.get, (self._name("add", table), self._name("change", table, column))
            )
            if add and change:
                yield from self._first("chain", table, column, [partial(_chain, table, add, change)])
        yield from self._first("remove", table, "", self._removals(table, opening, links))

    def _name(self, kind: str, table: RecordTable, column: str = "") -> str:
        host = urlsplit(self._start).netloc
        return "-".join(slug_words(f"{kind} {table.noun} {column} {host}"))

    def _first(
        self, kind: str, table: RecordTable, column: str, makes: Iterable[Make], check: str = ""
    ) -> Iterator[Proposal]:
        """The tasks of the first of several ways that works."""
        for make in makes:
            tried = dict(map(make, range(self.goals)))
            for number, (way, slots) in enumerate(tried.items()):
                rows = self._try(way, table)
                if rows is None or not _is_right(kind, slots["key"], *rows):
                    if number:
                        continue
                    break
                about = self._name(kind, table, column)
                self._working[about] = make
                told = [
                    one.format(noun=table.noun, column=column.casefold(), **slots) for one in WORDINGS[kind]
                ]
                words = tuple(one for one in told if isinstance(parse(one), Unparsed))
                asked, seen, (gained, lost) = ", ".join(way), check.format(**slots), map(tuple, rows)
                yield Proposal(asked, self._start, seen, words, about, table.way_in_words, gained, lost)
            else:
                return

    def _try(self, way: Way, table: RecordTable) -> Effect | None:
        """The rows that commands add and take away; None if the commands are not done."""
        with self.begin() as (computer, self._start):
            before = rows_at(computer, table.way_in_words, self._start)
            done = self.run(Task(", ".join(way), self._start), computer)
            self._screen = computer.observe(picture=False)
            after = rows_at(computer, table.way_in_words, self._start)
        return (sorted((after - before).elements()), sorted((before - after).elements())) if done else None

    def _form_opened_by(
        self, table: RecordTable, controls: Sequence[str], key: str
    ) -> tuple[str, RecordForm] | None:
        """The first of these controls that opens a form with the name of a record, or with none."""
        for control in controls[:CONTROLS]:
            way, _ = _press(table, (control,), 0)
            form = RecordForm.from_screen(self._screen, table) if self._try(way, table) == ([], []) else None
            if form and form.fields[table.key].value == key:
                return control, form
        return None

    def _removals(self, table: RecordTable, opening: str, links: Sequence[str]) -> Iterator[Make]:
        """The ways that may remove a record, each with the answers to the questions that it brings up."""
        inside = [(opening, f'click "{name}"') for name in links if _means("delete", name)]
        for base in [*((one,) for one in table.controls if _means("delete", one)), *inside]:
            way: Way = base
            for _ in range(ANSWERS + 1):
                yield partial(_press, table, way)
                names = [one.name for one in self._screen.elements if one.role in PRESSED]
                yes = next((one for one in names if _means("delete", one) or SURE & singular_words(one)), "")
                way = (*way, f'click "{yes}"')


def _is_right(kind: str, key: str, gained: list[str], lost: list[str]) -> bool:
    """Whether rows came and went as they should, all of the same record, and differ in one column at most."""
    both = [set(row.split(" | ")) for row in (*gained, *lost)]
    alike = len(both) < 2 or len(both[0] - both[1]) == 1
    return (len(gained), len(lost)) == ROWS[kind] and alike and all(key in row for row in (*gained, *lost))


def _means(command: str, text: str) -> bool:
    """Whether a control is called by a word for a command."""
    said = singular_words(text.partition(" in the row")[0].removeprefix("click"))
    return any(commands(word) & commands(command) for word in said)


def _add(table: RecordTable, opening: str, form: RecordForm, button: str, number: int) -> tuple[Way, Slots]:
    values = {name: value for name in form.fields if (value := form.value(name, table, number))}
    told = [f'{name.casefold()} "{value}"' for name, value in values.items()]
    fields = " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))
    way = (*table.way, opening, *form.fill(values), f'click "{button}" button')
    return way, {"key": values[table.key], "fields": fields}


def _press(table: RecordTable, clicks: Way, number: int) -> tuple[Way, Slots]:
    """Clicks for the record in the row with this number."""
    key = table.rows[number % len(table.rows)][table.key]
    return (*table.way, *(one.format(key=key) for one in clicks)), {"key": key}


def _change(
    table: RecordTable, opening: str, form: RecordForm, column: str, button: str, number: int
) -> tuple[Way, Slots]:
    (way, slots), now = _press(table, (opening,), number), table.rows[number % len(table.rows)].get(column)
    values = (form.value(column, table, number + more) for more in range(5, 9))
    value = next((one for one in values if one != now), "")
    return (*way, *form.fill({column: value}), f'click "{button}" button'), {**slots, "value": value}


def _chain(table: RecordTable, add: Make, change: Make, number: int) -> tuple[Way, Slots]:
    """Add a record, and change it in the table that comes then."""
    (first, added), (then, changed) = add(number + 6), change(number)
    rest = [one.replace(f'"{changed["key"]}"', f'"{added["key"]}"') for one in then[len(table.way) :]]
    return (*first, *rest), {**added, "value": changed["value"]}
