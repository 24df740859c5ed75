"""Records: the rows, list items and cards of a screen, each identified by its key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from gui_agent.core.errors import NotFound
from gui_agent.core.observation import Element, Observation, on_one_line
from gui_agent.core.texts import normal, shorten
from gui_agent.elements.roles import CELLS, NOUNS, OPERATED, TABLED, TICKABLE, VERBS
from gui_agent.elements.roles import ROWS as ROW_ROLES
from gui_agent.elements.text import VERY, compare, likeness, name_words, singular
from gui_agent.scene.structure import HEADER_CELLS, TABLE_ROWS, Part, Structure, tag_of

_NAME = re.compile(r"[^\W\d_]{2}")
"""Two letters: a text with them is a name, not a number, rank or initial."""
_COLUMN = 0.85
"""How well a noun must match a column's header: `order` means `Order no.`, not `Order date`."""
MOST_KEYS = 5
"""How many keys a message lists."""
BESIDE_CELL = 120
"""Pixels beside a cell within which an element without a structure belongs to its row."""
MOST_CELLS = 3
"""How many further texts describe a record, besides its key."""


@dataclass(frozen=True, slots=True)
class ScreenRecord:
    """A row, list item or card: the elements in it, in reading order."""

    part: Part
    """Its part of the screen; empty if only its position shows it, as on desktops."""
    parts: tuple[Element, ...]
    texts: tuple[Element, ...]
    """Its descriptive elements: the row header first, then the texts in their order."""

    @property
    def keys(self) -> list[Element]:
        """Its first text; if that is a number or an initial, also its first name."""
        first, *others = self.texts
        names = [] if _NAME.search(first.name) else [one for one in others if _NAME.search(one.name)]
        return [first, *names[:1]]

    def __str__(self) -> str:
        key, *others = [
            f"{one.labels[-1]} {one.name}" if one.labels and not _NAME.search(one.name) else one.name
            for one in self.texts
        ]
        more = ", ".join(shorten(text, 40) for text in others[:MOST_CELLS])
        return f"{shorten(key, 40)}: {more}" if more else shorten(key, 40)


class ScreenRecords:
    """The records of one screen."""

    def __init__(
        self, screen: Observation, tree: Structure, matches: Callable[[str], Sequence[Element]]
    ) -> None:
        """Read the records of a screen.

        Args:
            matches: returns the elements that contain the words of a phrase.
        """
        self._screen, self._tree, self._matches = screen, tree, matches
        self._by_part: dict[Part, ScreenRecord | None] = {}

    @cached_property
    def _all_parts(self) -> set[Part]:
        return {self._tree.repeated_part(one) for one in self._screen.elements} - {()}

    def record_of(self, element: Element) -> ScreenRecord | None:
        """The record that an element is in; None for a header, or outside records."""
        if element.role == "columnheader":
            return None
        part = self._tree.repeated_part(element) or self._row_of_companions(element)
        if not part:
            return self._record((), self._cells_beside(element))
        if part not in self._by_part:
            self._by_part[part] = self._record(part, self._tree.elements_in(part))
        return self._by_part[part]

    def table_row(self, element: Element) -> Part | int:
        """The row of a table that an element is in, as a key that its elements share; empty outside tables.

        Without a structure, a row is the cells on one line and what is close beside them.
        """
        part = self._tree.part_around(element, TABLE_ROWS) or self._tree.repeated_part(element)
        if any(one.role in TABLED for one in self._tree.elements_in(part) if part):
            return part
        return next((one.id for one in self._table_parts if self._is_beside_cell(element, one)), 0)

    @cached_property
    def _table_parts(self) -> list[Element]:
        return [one for one in self._screen.elements if one.role in TABLED]

    def _is_beside_cell(self, element: Element, cell: Element) -> bool:
        one, other = element.box, cell.box
        # A cell that spans several rows is in none of them.
        fits = one.height <= 2 * other.height and (
            element.role not in TABLED or other.height <= 2 * one.height
        )
        near = element.role in TABLED or one.gap(other) <= BESIDE_CELL
        own = not element.path or self._tree.is_inside(element, self._tree.parent(cell))
        return fits and near and own and on_one_line(one, other)

    def _record(self, part: Part, parts: tuple[Element, ...]) -> ScreenRecord | None:
        """The record with these elements; None for a row of headers, or without any text."""
        named = [one for one in parts if one.name]
        whole = [one for one in named if part and self._tree.steps(one) == part]
        texts = [one for one in named if one not in whole and self._says_something(one)]
        # An entry may have a name of its own; a row is named by its cells.
        texts = [one for one in whole if not any(text.name in one.name for text in texts)] + texts
        texts = texts or [one for one in named if one.role in TICKABLE]
        if not texts or all(self.is_header(one) for one in parts):
            return None
        return ScreenRecord(part, parts, tuple(sorted(texts, key=lambda one: one.role != "rowheader")))

    def _says_something(self, element: Element) -> bool:
        """Whether a text describes its record; a link that acts or that every record has does not."""
        if element.role != "link":
            return element.role not in OPERATED
        is_common = self._links[self._list_of(element), element.name] > 1
        return not is_common and element.name.casefold() not in VERBS

    def _list_of(self, element: Element) -> Part:
        return self._tree.repeated_part(element)[:-1]

    @cached_property
    def _links(self) -> Counter[tuple[Part, str]]:
        links = ((self._list_of(one), one.name) for one in self._screen.elements if one.role == "link")
        return Counter(link for link in links if link[0])

    def is_header(self, element: Element) -> bool:
        """Whether an element is, or is in, the header of a column or a row."""
        return element.role == "columnheader" or bool(self._tree.part_around(element, HEADER_CELLS))

    def _cells_beside(self, element: Element) -> tuple[Element, ...]:
        """The cells on the line of a cell; without a structure, only cells can be assigned to a row."""
        if element.role not in CELLS:
            return ()
        cells = (one for one in self._screen.elements if one.role in CELLS)
        return tuple(one for one in cells if on_one_line(one.box, element.box))

    def _row_of_companions(self, element: Element) -> Part:
        """The row around an element whose counterparts in other records may be cut off, by the elements
        around it.
        """
        steps = self._tree.steps(element)
        rows = (steps[:depth] for depth in range(len(steps) - 1, 0, -1))
        row = next((one for one in rows if one in self._all_parts), ())
        holders = {self._tree.parent(one) for one in self._tree.elements_in(row)} if row else set()
        builds = {tuple(map(tag_of, holder)) for holder in holders}
        return row if len(builds) == len(holders) else ()  # otherwise it contains several records

    def anchors_of(self, phrase: str, *, in_any_column: bool) -> list[Element]:
        """The elements by which a phrase names something: keys of records, and elements outside records.

        `order 5` is the record with the key 5, or with 5 in the column `Order`, and no record with 5
        elsewhere. If the phrase matches none of these and nothing is out of sight, it may name a record by
        its exact text in another column, but never by a number, which means nothing without its column.

        Args:
            in_any_column: whether a text in another column may name a record.
        """
        fits = self._matches(phrase)
        keys = [one for one in fits if self._is_key(phrase, one)]
        others = self._texts_of_other_columns(phrase, fits)
        if keys:
            said = chain.from_iterable((one.name, one.value) for one in keys)
            is_sure = any(compare(phrase, text)[1] == VERY for text in said)
            return keys if is_sure else [*keys, *others]
        more = self._screen.more
        in_sight = not (more.get("above") or more.get("below"))
        return self._behind_noun(phrase) or (others if in_any_column and in_sight else [])

    def not_found(self, phrase: str, elements: Iterable[Element]) -> NotFound | None:
        """The error for a phrase that names no record, with the keys of the records around the elements.

        None if they are in no record.
        """
        lists = {record.part[:-1] for one in elements if (record := self.record_of(one))}
        if not lists:
            return None
        records = filter(None, map(self.record_of, self._screen.elements))
        keys = list(dict.fromkeys(one.keys[0] for one in records if one.part[:-1] in lists))
        listed = ", ".join(shorten(one.name, 40) for one in keys[:MOST_KEYS])
        more = f" and {len(keys) - MOST_KEYS} more" if len(keys) > MOST_KEYS else ""
        same = (one for one in self._screen.elements if normal(one.name) == normal(phrase))
        column = next((one.labels[-1] for one in same if one.labels and one not in keys), "")
        other = f'; to name it by another column, say "{column} {phrase}"' if column else ""
        return NotFound(f'no "{phrase}" here; there are {listed}{more}{other}', keys)

    def in_words(self, element: Element) -> str:
        """The record around a control, such as one of many `Delete` buttons; empty for other elements."""
        names_itself = element.is_text or element.role in CELLS
        record = None if names_itself else self.record_of(element)
        return str(record) if record is not None else ""

    def _is_key(self, phrase: str, element: Element) -> bool:
        """Whether an element that matches the phrase is a key, is outside records, or operates on one."""
        record = self.record_of(element)
        if record is None:
            return True
        if element.role in OPERATED and element not in record.keys:
            # A button that every record has, such as `Open`, identifies none of them.
            return sum(normal(one.name) == normal(element.name) for one in self._screen.elements) == 1
        return element in record.keys and (bool(_NAME.search(phrase)) or _is_number(phrase, element.name))

    def _texts_of_other_columns(self, phrase: str, fits: Iterable[Element]) -> list[Element]:
        if not _NAME.search(phrase):
            return []
        very = (one for one in fits if compare(phrase, one.name)[1] == VERY and one.role not in OPERATED)
        return [one for one in very if not self._is_key(phrase, one)]

    def _behind_noun(self, phrase: str) -> list[Element]:
        """The elements that a phrase names by a noun and a value: `order 5`, `customer Ann Lee`."""
        words = phrase.split()
        for count in range(1, len(words)):
            found = self._value_of_noun(" ".join(words[:count]), " ".join(words[count:]))
            if found:
                return found
        return []

    def _value_of_noun(self, noun: str, value: str) -> list[Element]:
        """The values in the column that the noun names; otherwise the keys, if the noun names the records."""
        is_name = bool(_NAME.search(value))
        fits = [one for one in self._matches(value) if is_name or _is_number(value, one.name)]
        columns = [one for one in self._screen.elements if label_fit(one, noun) >= _COLUMN]
        if columns:
            return [one for one in fits if one in columns]
        if is_name and not self._is_noun(noun):
            return []
        records = [(one, self.record_of(one)) for one in fits]
        return [one for one, record in records if record is not None and one in record.keys]

    def _is_noun(self, noun: str) -> bool:
        """Whether the noun may name records: a common noun, or one that the screen shows outside its
        records.
        """
        if NOUNS.get(noun.casefold()) in ROW_ROLES:
            return True
        texts = [one.name for one in self._screen.elements if self.record_of(one) is None]
        return any(_word_set(noun) <= _word_set(text) for text in (*texts, self._screen.place.title))


def label_fit(element: Element, name: str) -> float:
    """How well a text matches one of the element's structural labels, 0 to 1."""
    return max((likeness(name, one) for one in element.labels), default=0.0)


def _is_number(number: str, text: str) -> bool:
    """Whether a text is this number with nothing but symbols, as `#5` and `5.` are 5."""
    words = [word for word in name_words(normal(text)) if word.isalnum()]
    return words == [word for word in name_words(normal(number)) if word.isalnum()]


def _word_set(text: str) -> set[str]:
    return set(map(singular, name_words(normal(text))))
