"""Records: the rows, list items and cards of a screen, each known by its key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gui_agent.agent.grounder.structure import HEADER, anchors, by_path, label_fit, row_around
from gui_agent.core.errors import NotFound
from gui_agent.core.observation import Element, Observation, on_one_line
from gui_agent.core.texts import normal, shorten
from gui_agent.elements.roles import CELLS, NOUNS, OPERATED, ROWS, TICKABLE
from gui_agent.elements.text import VERY, compare, name_words, singular

_NAME = re.compile(r"[^\W\d_]{2}")
"""Two letters: what has them is a name, and no number, rank or initial."""
_INDEX = re.compile(r"\[\d+\]")
_COLUMN = 0.85
"""How well a noun fits the header of a column that it names: `order` is `Order no.`, not `Order date`."""
MOST_KEYS = 5
"""Keys that a message lists."""
MOST_CELLS = 3
"""Further texts by which a record is described, besides its key."""


@dataclass(frozen=True, slots=True)
class ScreenRecord:
    """A row, list item or card: the elements in it, in reading order."""

    path: str
    """Its structural path; empty where only its place tells, as on desktops."""
    parts: tuple[Element, ...]

    @property
    def texts(self) -> list[Element]:
        """What says something about the record: its row header first, then its texts as they stand."""
        said = [one for one in self.parts if one.name and one.role not in OPERATED and one.path != self.path]
        said = said or [one for one in self.parts if one.name and one.role in TICKABLE]
        return sorted(said, key=lambda one: one.role != "rowheader")

    @property
    def keys(self) -> list[Element]:
        """Its first text; where that is a number or an initial, its first name too."""
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

    def __init__(self, observation: Observation) -> None:
        self._screen = observation

    @cached_property
    def _by_path(self) -> Mapping[str, Element]:
        return by_path(self._screen)

    @cached_property
    def _rows(self) -> set[str]:
        return {row_around(one, self._by_path) for one in self._screen.elements} - {""}

    def record_of(self, element: Element) -> ScreenRecord | None:
        """The record that an element is in; None for a header, and for what is in no record."""
        if element.role == "columnheader":
            return None
        path = row_around(element, self._by_path) or self._row_of_companions(element)
        record = ScreenRecord(path, self._parts(path) if path else self._cells_beside(element))
        headed = all(HEADER.search(one.path) or one.role == "columnheader" for one in record.parts)
        return record if record.texts and not headed else None

    def _parts(self, path: str) -> tuple[Element, ...]:
        return tuple(one for one in self._screen.elements if f"{one.path}/".startswith(f"{path}/"))

    def _cells_beside(self, element: Element) -> tuple[Element, ...]:
        """The cells on the line of a cell; without a structure only cells are known to stand in a row."""
        if element.role not in CELLS:
            return ()
        cells = (one for one in self._screen.elements if one.role in CELLS)
        return tuple(one for one in cells if on_one_line(one.box, element.box))

    def _row_of_companions(self, element: Element) -> str:
        """The row of an element whose twin in another record may be cut off: what is around it has twins."""
        rows = [row for row in self._rows if element.path.startswith(f"{row}/")]
        row = max(rows, key=len, default="")
        holders = {one.path.rpartition("/")[0] for one in self._parts(row)} if row else set()
        alike = {_INDEX.sub("", holder) for holder in holders}
        return row if len(alike) == len(holders) else ""  # else it holds several records

    def anchors(self, phrase: str, *, in_any_column: bool) -> list[Element]:
        """The elements by which a phrase names something: keys of records, and what is in no record.

        `order 5` is the record with the key 5, or with 5 in the column `Order`, and no record that has 5
        somewhere else. Where nothing is known by the phrase and nothing is out of sight, it may name a record
        by its very text in another column, but never by a number, which says nothing without its column.

        Args:
            in_any_column: whether a record may be named by a text in another column.
        """
        fits = anchors(phrase, self._screen)
        keys = [one for one in fits if self._is_key(phrase, one)]
        others = self._texts_of_other_columns(phrase, fits)
        if keys:
            is_sure = any(
                VERY in (compare(phrase, one.name)[1], compare(phrase, one.value)[1]) for one in keys
            )
            return keys if is_sure else [*keys, *others]
        more = self._screen.more
        in_sight = not (more.get("above") or more.get("below"))
        return self._behind_noun(phrase) or (others if in_any_column and in_sight else [])

    def not_found(self, phrase: str, elements: Iterable[Element]) -> NotFound | None:
        """The error for a phrase that names no record, with the keys of those that the elements are in.

        None where they are in no record.
        """
        lists = {record.path.rpartition("/")[0] for one in elements if (record := self.record_of(one))}
        if not lists:
            return None
        records = filter(None, map(self.record_of, self._screen.elements))
        keys = list(dict.fromkeys(one.keys[0] for one in records if one.path.rpartition("/")[0] in lists))
        listed = ", ".join(shorten(one.name, 40) for one in keys[:MOST_KEYS])
        more = f" and {len(keys) - MOST_KEYS} more" if len(keys) > MOST_KEYS else ""
        same = (one for one in self._screen.elements if normal(one.name) == normal(phrase))
        column = next((one.labels[-1] for one in same if one.labels and one not in keys), "")
        other = f'; to name it by another column, say "{column} {phrase}"' if column else ""
        return NotFound(f'no "{phrase}" here; there are {listed}{more}{other}', keys)

    def _is_key(self, phrase: str, element: Element) -> bool:
        """Whether an element that the phrase fits is a key, is in no record, or operates on one."""
        record = self.record_of(element)
        if record is None:
            return True
        if element.role in OPERATED and element not in record.keys:
            # A button of every record, such as `Open`, tells none of them.
            return sum(normal(one.name) == normal(element.name) for one in self._screen.elements) == 1
        return element in record.keys and (bool(_NAME.search(phrase)) or _is_number(phrase, element.name))

    def _texts_of_other_columns(self, phrase: str, fits: Iterable[Element]) -> list[Element]:
        if not _NAME.search(phrase):
            return []
        very = (one for one in fits if compare(phrase, one.name)[1] == VERY and one.role not in OPERATED)
        return [one for one in very if not self._is_key(phrase, one)]

    def _behind_noun(self, phrase: str) -> list[Element]:
        """What a phrase names by a noun and a value: `order 5`, `customer Ann Lee`."""
        words = phrase.split()
        for count in range(1, len(words)):
            found = self._value_of_noun(" ".join(words[:count]), " ".join(words[count:]))
            if found:
                return found
        return []

    def _value_of_noun(self, noun: str, value: str) -> list[Element]:
        """The values in the column that the noun names; else the keys, where the noun names the records."""
        is_name = bool(_NAME.search(value))
        fits = [one for one in anchors(value, self._screen) if is_name or _is_number(value, one.name)]
        columns = [one for one in self._screen.elements if label_fit(one, noun) >= _COLUMN]
        if columns:
            return [one for one in fits if one in columns]
        if is_name and not self._is_noun(noun):
            return []
        records = [(one, self.record_of(one)) for one in fits]
        return [one for one, record in records if record is not None and one in record.keys]

    def _is_noun(self, noun: str) -> bool:
        """Whether records are called so: a common noun, or one that the screen has outside of its records."""
        if NOUNS.get(noun.casefold()) in ROWS:
            return True
        texts = [one.name for one in self._screen.elements if self.record_of(one) is None]
        return any(_word_set(noun) <= _word_set(text) for text in (*texts, self._screen.place.title))


def record_in_words(element: Element, observation: Observation) -> str:
    """The record that a control is in, such as one of many buttons `Delete`; empty for anything else."""
    names_itself = element.is_text or element.role in CELLS
    record = None if names_itself else ScreenRecords(observation).record_of(element)
    return str(record) if record is not None else ""


def _is_number(number: str, text: str) -> bool:
    """Whether a text is a number and nothing else but marks, as `#5` and `5.` are 5."""
    words = [word for word in name_words(normal(text)) if word.isalnum()]
    return words == [word for word in name_words(normal(number)) if word.isalnum()]


def _word_set(text: str) -> set[str]:
    return set(map(singular, name_words(normal(text))))
