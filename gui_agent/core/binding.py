"""Puts values into the slots of a text after the text was parsed, so that values are never parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from operator import is_
from typing import Any, TypeVar, cast

T = TypeVar("T")
SLOT = re.compile(r"(?<!\$)\{([^{}:]+)\}")
"""The slot of a value in a text, as in `{name}`; a reference to a secret does not match."""
_STRUCTURE = frozenset({"kind", "format", "button", "role", "source", "planner", "how", "error", "platform"})
"""Fields with values of the program's own, which no slot may change."""


def slots_named(text: str) -> tuple[str, ...]:
    """The names in a text's `{name}` slots, each once."""
    return tuple(dict.fromkeys(SLOT.findall(text)))


def named_in(text: str, values: Mapping[str, T]) -> dict[str, T]:
    """Those of the values that a text names."""
    return {name: values[name] for name in slots_named(text) if name in values}


def with_values(given: T, values: Mapping[str, str]) -> T:
    """The same text or value with each `{name}` in its texts replaced by its value, verbatim.

    The result is a sentence that was parsed before, or one that only people read.
    """

    def put_in(text: str) -> str:
        return SLOT.sub(lambda named: values.get(named[1], named[0]), text)

    return cast(T, with_each_text(given, put_in))


def with_each_text(given: Any, change: Callable[[str], str]) -> Any:
    """The same value with every text in it changed; a part without changes stays the same object."""
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
