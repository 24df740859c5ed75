"""A recorded script as statements: chains of calls on a page, whatever language it was written in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """One link of a chain: a method that was called, or a property that was read."""

    name: str
    """In snake case."""
    args: tuple[Any, ...] = ()
    """Literals: texts, numbers, lists, dictionaries, `Pattern`, `Chain`; else `Computed`."""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def first(self) -> Any:
        """The first argument, None when there is none."""
        return self.args[0] if self.args else None


@dataclass(frozen=True, slots=True)
class Chain:
    """`page.get_by_role("button").click()`: a name and the calls on it."""

    root: str
    calls: tuple[ScriptCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression in a script."""

    source: str


@dataclass(frozen=True, slots=True)
class ScriptExpression:
    """An expression whose value is not in the script."""

    source: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script that does something."""

    line: int
    source: str
    chain: Chain | None = None
    """None when it is not a chain of calls."""
    gives: str = ""
    """Name of the variable that the value is put into."""


def snake(name: str) -> str:
    """`getByRole` as `get_by_role`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
