"""Which elements pass which tests, as bit masks, so that many conjunctions can be tried quickly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gui_agent.core.observation import Element
from gui_agent.procedures.language.evaluate import Scope, passing, the_one
from gui_agent.procedures.language.expressions import After, Test


class Masks:
    """The tests of one induction problem, worked out once on every screen; bit i is the i-th element."""

    def __init__(self, scopes: Sequence[Scope], tests: Sequence[Test]) -> None:
        self.scopes = scopes
        self._whole = [(1 << len(scope.view.elements)) - 1 for scope in scopes]
        self._masks = {
            index: [self._mask(test, scope) for scope in scopes] for index, test in enumerate(tests)
        }
        self._after = {index for index, test in enumerate(tests) if isinstance(test, After)}

    def conjunction(self, indexes: Sequence[int]) -> list[int]:
        """What passes all of these tests on each screen; `After` takes the first of what the others leave."""
        left = list(self._whole)
        for index in indexes:
            if index not in self._after:
                left = [mask & own for mask, own in zip(left, self._masks[index], strict=True)]
        for index in indexes:
            if index in self._after:
                left = [mask & own for mask, own in zip(left, self._masks[index], strict=True)]
                left = [mask & -mask for mask in left]
        return left

    def elements(self, number: int, mask: int) -> tuple[Element, ...]:
        """The elements of a mask on the screen of this number, in reading order."""
        elements = self.scopes[number].view.elements
        return tuple(elements[bit] for bit in _bits(mask))

    def _mask(self, test: Test, scope: Scope) -> int:
        view = scope.view
        if isinstance(test, After):
            anchor = the_one(test.anchor, scope)
            whole = (1 << len(view.elements)) - 1
            return 0 if anchor is None else whole & ~((2 << view.position(anchor)) - 1)
        mask = 0
        for element in passing(test, view.elements, scope):
            mask |= 1 << view.position(element)
        return mask


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
