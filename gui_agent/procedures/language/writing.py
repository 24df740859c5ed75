"""Whether a thing is written as it was asked for, capitals and marks included.

People are free with capitals, so the only thing of a name is what they mean, also where other names on the
screen do differ by capitals alone. Of several such things the one that is written just so is meant; when none
is, they are not told apart, and nothing is done. Only a search, which can still find the thing that is
written just so on a page it has not seen, goes on past the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gui_agent.core.observation import Element
from gui_agent.procedures.language.tokens import QUOTE, plain_quotes
from gui_agent.procedures.language.view import label_or_text

_LABEL_MARKS = " :*"
"""Marks that belong to a label and not to what it says."""


def as_written(elements: Iterable[Element], wanted: str) -> list[Element]:
    """The elements without those that are only like what is wanted, where another of its role is just so."""
    found = list(elements)
    exact = {element.role for element in found if _exactly(element, wanted)}
    return [element for element in found if element.role not in exact or _exactly(element, wanted)]


def written_otherwise(elements: Sequence[Element], wanted: str, instruction: str) -> bool:
    """Whether what was asked for in quotes is there only with other capitals or marks.

    For a search that is another thing than the one it looks for.
    """
    if f"{QUOTE}{wanted.strip()}{QUOTE}" not in plain_quotes(instruction):
        return False
    alike = all(label_or_text(element.name) == label_or_text(wanted) for element in elements)
    return bool(elements) and alike and not any(_exactly(element, wanted) for element in elements)


def _exactly(element: Element, wanted: str) -> bool:
    return _plain(wanted) in (_plain(element.name), _plain(element.description))


def _plain(text: str) -> str:
    spaced = " ".join(text.split())
    return spaced.strip(_LABEL_MARKS) or spaced
