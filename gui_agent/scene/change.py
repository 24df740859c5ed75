"""The elements that differ between a screen and the one before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from gui_agent.core.observation import Element, Observation

Pair = tuple[Element, Element]
"""One element on the earlier screen and on the later one."""


class Change:
    """The elements of two screens, paired; a rebuilt element with the same content counts as the same."""

    def __init__(self, before: Observation, after: Observation) -> None:
        self.before, self.after = before, after
        self.pairs: list[Pair] = []
        """Elements that are on both screens."""
        self.gone: list[Element] = []
        self.came: list[Element] = []
        self._pair_by_id()
        self._pair_by_content()
        self._pair_by_name()

    @property
    def moved_on(self) -> bool:
        """Whether it is another page or program."""
        return self.before.place.url != self.after.place.url or self.before.place.app != self.after.place.app

    @property
    def notices(self) -> list[str]:
        """The computer's new messages."""
        return [notice for notice in self.after.notices if notice not in self.before.notices]

    @property
    def focus_gains(self) -> list[Element]:
        """Elements that gained the keyboard focus."""
        return [new for old, new in self.pairs if "focused" in new.states - old.states]

    def scroll_of(self, edge: str) -> int:
        """How many more pixels are out of sight beyond an edge (negative: fewer); 0 if unknown."""
        known = bool(self.before.more)
        return self.after.more.get(edge, 0) - self.before.more.get(edge, 0) if known else 0

    @property
    def is_resized(self) -> bool:
        """Whether the size of the page out of sight changed."""
        return bool(self.before.more) and dict(self.before.more) != dict(self.after.more)

    def movements(self, pairs: Sequence[Pair], least: int) -> dict[tuple[int, int], list[Element]]:
        """Moved elements by distance in pixels to the right and down; `least` counts as moved.

        An element that is partly out of sight seems to move when the rest scrolls, so only whole ones count.
        """
        ways: dict[tuple[int, int], list[Element]] = defaultdict(list)
        for old, new in pairs:
            right, down = old.box.shift_to(new.box)
            is_whole = (old.box.width, old.box.height) == (new.box.width, new.box.height)
            if is_whole and max(abs(right), abs(down)) >= least:
                ways[right, down].append(new)
        return ways

    def _pair_by_id(self) -> None:
        old = {element.id: element for element in self.before.elements}
        for element in self.after.elements:
            then = old.pop(element.id, None)
            if then is None:
                self.came.append(element)
            else:
                self.pairs.append((then, element))
        self.gone = list(old.values())

    def _pair_by_content(self) -> None:
        """Pair rebuilt elements; lists keep their order, so the first of several equal ones is the first
        again.
        """
        alike: dict[tuple[str, str, str], list[Element]] = defaultdict(list)
        for element in self.gone:
            alike[element.role, element.name, element.value].append(element)
        came, self.came = self.came, []
        for element in came:
            same = alike[element.role, element.name, element.value]
            if same:
                self.pairs.append((same.pop(0), element))
            else:
                self.came.append(element)
        left = {element.id for element in chain.from_iterable(alike.values())}
        self.gone = [element for element in self.gone if element.id in left]

    def _pair_by_name(self) -> None:
        """Pair a control with the only one of its name on a rebuilt page, if its value changed."""
        for old, new in self._namesakes():
            self.pairs.append((old, new))
            self.gone.remove(old)
            self.came.remove(new)

    def _namesakes(self) -> Iterator[Pair]:
        sides: dict[tuple[str, str], tuple[list[Element], list[Element]]] = defaultdict(lambda: ([], []))
        for side, elements in enumerate((self.gone, self.came)):
            for element in elements:
                if element.name and not element.is_text:
                    sides[element.role, element.name][side].append(element)
        return ((gone[0], came[0]) for gone, came in sides.values() if len(gone) == len(came) == 1)
