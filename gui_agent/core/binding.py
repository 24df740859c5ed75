"""Values in the places that a text names for them, put in after the text was read: they stay values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from operator import is_
from typing import Any, TypeVar, cast

T = TypeVar("T")
SLOT = re.compile(r"(?<!\$)\{([^{}:]+)\}")
"""The name of a value in a text; no reference to a secret."""
_STRUCTURE = frozenset({"kind", "format", "button", "role", "source", "planner", "how", "error", "platform"})
"""Fields whose values come from the program itself and must stay as they are to be understood."""


def slots_named(text: str) -> tuple[str, ...]:
    """The names that stand in a text as `{name}`, each once."""
    return tuple(dict.fromkeys(SLOT.findall(text)))


def named_in(text: str, values: Mapping[str, T]) -> dict[str, T]:
    """Those of the values that a text names."""
    return {name: values[name] for name in slots_named(text) if name in values}


def with_values(given: T, values: Mapping[str, str]) -> T:
    """The same text or value with each `{name}` in its texts replaced by its value, as that stands.

    What is bound is a sentence that was read already, or one that people alone will read.
    """

    def put_in(text: str) -> str:
        return SLOT.sub(lambda named: values.get(named[1], named[0]), text)

    return cast(T, with_each_text(given, put_in))


def with_each_text(given: Any, change: Callable[[str], str]) -> Any:
    """The same value with every text in it changed; what holds none that changes stays the same object."""
    if isinstance(given, str):
        return change(given)
    if type(given) in (list, tuple):
        made = [with_each_text(item, change) for item in given]
        return given if all(map(is_, made, given)) else type(given)(made)
    if isinstance(given, Mapping):
        return {key: with_each_text(item, change) for key, item in given.items()}
    if is_dataclass(given) and not isinstance(given, type):
        was = {field.name: getattr(given, field.name) for field in fields(given) if field.init}
        made_of = {name: _item(name, item, change) for name, item in was.items()}
        changed = {name: item for name, item in made_of.items() if item is not was[name]}
        return replace(given, **changed) if changed else given
    return given


def _item(key: str, item: Any, change: Callable[[str], str]) -> Any:
    if key in _STRUCTURE and isinstance(item, str):
        return item
    made = with_each_text(item, change)
    return item if made == item else made
