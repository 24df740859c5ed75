"""What the bulk reading leaves out of the objects that count: places, values, labels and actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gui_agent.computers.atspi.bus import Bus, Reference, ask, get
from gui_agent.computers.atspi.items import Item, Tree
from gui_agent.computers.atspi.vocabulary import HOLDING, MEASURED, OPERABLE, TELLING, TYPED_INTO, Role, State
from gui_agent.core.geometry import Box

LONG = 10_000
"""Characters of a text that are read: the first ones, of a terminal the last ones."""
OF_SCREEN, OF_WINDOW = 0, 1
"""What places are relative to."""
_LABELLED_BY = 2
_LABELLED = OPERABLE | MEASURED | HOLDING


@dataclass(frozen=True, slots=True)
class Action:
    """What can be done to an object without the pointer."""

    name: str
    keys: str
    """Key bindings, `;`-separated, as the toolkit writes them."""


@dataclass(frozen=True, slots=True)
class Details:
    """What is known of the objects of one program besides the bulk reading."""

    boxes: dict[Reference, Box] = field(default_factory=dict)
    values: dict[Reference, str] = field(default_factory=dict)
    labels: dict[Reference, str] = field(default_factory=dict)
    actions: dict[Reference, tuple[Action, ...]] = field(default_factory=dict)


class Remembered:
    """What does not change in the life of an object: what labels it, and what can be done to it."""

    def __init__(self) -> None:
        self._labels: dict[Reference, Sequence[Reference]] = {}
        self._actions: dict[Reference, tuple[Action, ...]] = {}

    async def labels(self, bus: Bus, tree: Tree, items: Iterable[Item]) -> dict[Reference, str]:
        """The texts of the labels of those that have some."""
        wanted = [item for item in items if item.role in _LABELLED and _lacks_name(item)]
        unknown = [item for item in wanted if item.at not in self._labels]
        answers = await bus.many(ask(item.at, "Accessible", "GetRelationSet") for item in unknown)
        for item, relations in zip(unknown, answers, strict=True):
            self._labels[item.at] = [
                (name, path)
                for kind, targets in relations or ()
                if kind == _LABELLED_BY
                for name, path in targets
            ]
        texts = {}
        for item in wanted:
            named = (tree.items[at].name for at in self._labels[item.at] if at in tree.items)
            if text := " ".join(filter(None, named)):
                texts[item.at] = text
        return texts

    async def actions(self, bus: Bus, items: Iterable[Item]) -> dict[Reference, tuple[Action, ...]]:
        """What can be done to each."""
        wanted = [item for item in items if item.role in OPERABLE and item.offers("Action")]
        unknown = [item for item in wanted if item.at not in self._actions]
        answers = await bus.many(ask(item.at, "Action", "GetActions") for item in unknown)
        for item, actions in zip(unknown, answers, strict=True):
            self._actions[item.at] = tuple(Action(name, keys) for name, _, keys in actions or ())
        return {item.at: self._actions[item.at] for item in wanted}

    def forget_all_but(self, living: Iterable[Reference]) -> None:
        """Drop what is gone."""
        kept = set(living)
        self._labels = {at: labels for at, labels in self._labels.items() if at in kept}
        self._actions = {at: actions for at, actions in self._actions.items() if at in kept}


def _lacks_name(item: Item) -> bool:
    """A drop-down list says as its name what is chosen."""
    return not item.name or item.role == Role.COMBO_BOX


async def boxes(bus: Bus, items: Iterable[Item], relative_to: int = OF_SCREEN) -> dict[Reference, Box]:
    """Where things are; those without a place are left out."""
    wanted = [item for item in items if item.offers("Component")]
    answers = await bus.many(ask(item.at, "Component", "GetExtents", "u", relative_to) for item in wanted)
    found = {}
    for item, answer in zip(wanted, answers, strict=True):
        box = box_of(answer)
        if box is not None:
            found[item.at] = box
    return found


def box_of(extents: Any) -> Box | None:
    """A place as the bus sends it; None for the many ways of saying that there is none."""
    if extents is None:
        return None
    left, top, width, height = extents
    return Box(left, top, width, height) if width > 0 and height > 0 else None


async def values(bus: Bus, tree: Tree, items: Iterable[Item]) -> dict[Reference, str]:
    """The texts of fields, the numbers of what has one, what is chosen in drop-down lists."""
    wanted = list(items)
    texts = [item for item in wanted if item.offers("Text") and _says_more(item)]
    found = await _texts(bus, texts)
    measured = [i for i in wanted if i.role in MEASURED and i.offers("Value") and i.at not in found]
    for item, number in zip(
        measured, await bus.many(get(item.at, "Value", "CurrentValue") for item in measured), strict=True
    ):
        if number is not None:
            found[item.at] = f"{number:.6g}"
    lists = [i for i in wanted if i.role == Role.COMBO_BOX and i.at not in found]
    found.update(await _chosen(bus, tree, lists))
    return found


def _says_more(item: Item) -> bool:
    """Whether the text of a thing is not only its name once more."""
    if item.role in TYPED_INTO or item.has(State.EDITABLE):
        return True
    return not item.name and item.role in TELLING


async def _texts(bus: Bus, items: Sequence[Item]) -> dict[Reference, str]:
    counts = await bus.many(get(item.at, "Text", "CharacterCount") for item in items)
    spans = [_span(item, count) for item, count in zip(items, counts, strict=True)]
    answers = await bus.many(
        ask(item.at, "Text", "GetText", "ii", *span) for item, span in zip(items, spans, strict=True)
    )
    return {item.at: str(text) for item, text in zip(items, answers, strict=True) if text is not None}


def _span(item: Item, count: int | None) -> tuple[int, int]:
    length = max(0, count or 0)
    if item.role == Role.TERMINAL:
        return max(0, length - LONG), length
    return 0, min(length, LONG)


async def _chosen(bus: Bus, tree: Tree, lists: Sequence[Item]) -> dict[Reference, str]:
    """What is chosen in drop-down lists: the text inside, the chosen child, or the name itself."""
    inner = {
        item.at: next((kid for kid in tree.children.get(item.at, ()) if kid.role in TYPED_INTO), None)
        for item in lists
    }
    typed = await _texts(bus, [kid for kid in inner.values() if kid is not None and kid.offers("Text")])
    selecting = [item for item in lists if inner[item.at] is None and item.offers("Selection")]
    answers = await bus.many(ask(item.at, "Selection", "GetSelectedChild", "i", 0) for item in selecting)
    found = {item.at: item.name for item in lists}
    chosen = {item.at: (child[0], child[1]) for item, child in zip(selecting, answers, strict=True) if child}
    named = await bus.many(get(child, "Accessible", "Name") for child in chosen.values())
    found.update({at: str(name) for at, name in zip(chosen, named, strict=True) if name})
    for item in lists:
        kid = inner[item.at]
        if kid is not None and kid.at in typed:
            found[item.at] = typed[kid.at]
    return {at: text for at, text in found.items() if text}
