"""Records: the rows, list items and cards of a screen, each known by its key."""

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
from gui_agent.elements.roles import CELLS, NOUNS, OPERATED, TICKABLE
from gui_agent.elements.roles import ROWS as ROW_ROLES
from gui_agent.elements.text import VERY, compare, likeness, name_words, singular
from gui_agent.scene.structure import HEADER_CELLS, Part, Structure, tag_of

_NAME = re.compile(r"[^\W\d_]{2}")
"""Two letters: what has them is a name, and no number, rank or initial."""
_COLUMN = 0.85
"""How well a noun fits the header of a column that it names: `order` is `Order no.`, not `Order date`."""
MOST_KEYS = 5
"""Keys that a message lists."""
MOST_CELLS = 3
"""Further texts by which a record is described, besides its key."""


@dataclass(frozen=True, slots=True)
class ScreenRecord:
    """A row, list item or card: the elements in it, in reading order."""

    part: Part
    """The part of the screen that it is; empty where only its place tells, as on desktops."""
    parts: tuple[Element, ...]
    texts: tuple[Element, ...]
    """What says something about the record: its row header first, then its texts as they stand."""

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

    def __init__(
        self, screen: Observation, tree: Structure, matches: Callable[[str], Sequence[Element]]
    ) -> None:
        """Read the records of a screen.

        Args:
            matches: the elements that carry the words of a phrase.
        """
        self._screen, self._tree, self._matches = screen, tree, matches
        self._by_part: dict[Part, ScreenRecord | None] = {}

    @cached_property
    def _all_parts(self) -> set[Part]:
        return {self._tree.repeated_part(one) for one in self._screen.elements} - {()}

    def record_of(self, element: Element) -> ScreenRecord | None:
        """The record that an element is in; None for a header, and for what is in no record."""
        if element.role == "columnheader":
            return None
        part = self._tree.repeated_part(element) or self._row_of_companions(element)
        if not part:
            return self._record((), self._cells_beside(element))
        if part not in self._by_part:
            self._by_part[part] = self._record(part, self._tree.inside(part))
        return self._by_part[part]

    def _record(self, part: Part, parts: tuple[Element, ...]) -> ScreenRecord | None:
        """The record that has these parts; None for a row of headers, and for what says nothing."""
        named = [one for one in parts if one.name]
        whole = [one for one in named if part and self._tree.steps(one) == part]
        texts = [one for one in named if one not in whole and self._says_something(one)]
        # An entry may have a name of its own; that of a row is what its cells say.
        texts = [one for one in whole if not any(text.name in one.name for text in texts)] + texts
        texts = texts or [one for one in named if one.role in TICKABLE]
        if not texts or all(self.is_header(one) for one in parts):
            return None
        return ScreenRecord(part, parts, tuple(sorted(texts, key=lambda one: one.role != "rowheader")))

    def _says_something(self, element: Element) -> bool:
        """Whether a text is about its record; a link of every record, such as `Edit`, tells none of them."""
        is_common = element.role == "link" and self._links[self._list_of(element), element.name] > 1
        return element.role not in OPERATED and not is_common

    def _list_of(self, element: Element) -> Part:
        return self._tree.repeated_part(element)[:-1]

    @cached_property
    def _links(self) -> Counter[tuple[Part, str]]:
        links = ((self._list_of(one), one.name) for one in self._screen.elements if one.role == "link")
        return Counter(link for link in links if link[0])

    def is_header(self, element: Element) -> bool:
        """Whether an element is, or stands in, the header of a column or a row."""
        return element.role == "columnheader" or bool(self._tree.part_around(element, HEADER_CELLS))

    def _cells_beside(self, element: Element) -> tuple[Element, ...]:
        """The cells on the line of a cell; without a structure only cells are known to stand in a row."""
        if element.role not in CELLS:
            return ()
        cells = (one for one in self._screen.elements if one.role in CELLS)
        return tuple(one for one in cells if on_one_line(one.box, element.box))

    def _row_of_companions(self, element: Element) -> Part:
        """The row of an element whose twin in another record may be cut off: what is around it has twins."""
        steps = self._tree.steps(element)
        rows = (steps[:depth] for depth in range(len(steps) - 1, 0, -1))
        row = next((one for one in rows if one in self._all_parts), ())
        holders = {self._tree.parent(one) for one in self._tree.inside(row)} if row else set()
        builds = {tuple(map(tag_of, holder)) for holder in holders}
        return row if len(builds) == len(holders) else ()  # else it holds several records

    def anchors_of(self, phrase: str, *, in_any_column: bool) -> list[Element]:
        """The elements by which a phrase names something: keys of records, and what is in no record.

        `order 5` is the record with the key 5, or with 5 in the column `Order`, and no record that has 5
        somewhere else. Where nothing is known by the phrase and nothing is out of sight, it may name a record
        by its very text in another column, but never by a number, which says nothing without its column.

        Args:
            in_any_column: whether a record may be named by a text in another column.
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
        """The error for a phrase that names no record, with the keys of those that the elements are in.

        None where they are in no record.
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
        """The record that a control is in, such as one of many buttons `Delete`; empty for anything else."""
        names_itself = element.is_text or element.role in CELLS
        record = None if names_itself else self.record_of(element)
        return str(record) if record is not None else ""

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
        fits = [one for one in self._matches(value) if is_name or _is_number(value, one.name)]
        columns = [one for one in self._screen.elements if label_fit(one, noun) >= _COLUMN]
        if columns:
            return [one for one in fits if one in columns]
        if is_name and not self._is_noun(noun):
            return []
        records = [(one, self.record_of(one)) for one in fits]
        return [one for one, record in records if record is not None and one in record.keys]

    def _is_noun(self, noun: str) -> bool:
        """Whether records are called so: a common noun, or one that the screen has outside of its records."""
        if NOUNS.get(noun.casefold()) in ROW_ROLES:
            return True
        texts = [one.name for one in self._screen.elements if self.record_of(one) is None]
        return any(_word_set(noun) <= _word_set(text) for text in (*texts, self._screen.place.title))


def label_fit(element: Element, name: str) -> float:
    """How well a text fits one of those that the structure gives the element as a label, 0 to 1."""
    return max((likeness(name, one) for one in element.labels), default=0.0)


def _is_number(number: str, text: str) -> bool:
    """Whether a text is a number and nothing else but marks, as `#5` and `5.` are 5."""
    words = [word for word in name_words(normal(text)) if word.isalnum()]
    return words == [word for word in name_words(normal(number)) if word.isalnum()]


def _word_set(text: str) -> set[str]:
    return set(map(singular, name_words(normal(text))))
