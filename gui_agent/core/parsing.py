"""Parses external data: JSON and TOML of files, services and models, and regular expressions of rules."""

from __future__ import annotations

import json
import re
import re._parser as sre  # type: ignore[import-not-found]
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gui_agent.core.errors import ConfigError
from gui_agent.core.os_errors import file_errors

DEEPEST = 100
"""How many levels data may be nested: ten times more than needed, because the parsers recurse."""
MANY = 20
"""From this many repetitions an expression counts as unbounded."""
TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError: it is not JSON, or nested too deeply."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    if is_too_deep(value):
        raise ValueError(TOO_DEEP)
    return value


def parse_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text. Raises TOMLDecodeError, also when it is nested too deeply."""
    try:
        table = tomllib.loads(text)
    except RecursionError as error:
        raise tomllib.TOMLDecodeError(TOO_DEEP) from error
    if is_too_deep(table):
        raise tomllib.TOMLDecodeError(TOO_DEEP)
    return table


def toml_table(text: str, source: str) -> dict[str, Any]:
    """The table of a person's TOML text. Raises ConfigError, which names the source."""
    try:
        return parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not valid TOML: {error}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as a table. Raises ConfigError: it cannot be read or is not TOML."""
    with file_errors(str(path)):
        return toml_table(path.read_text(encoding="utf-8"), str(path))


def is_too_deep(value: Any) -> bool:
    """Whether a value of lists and mappings is nested more than `DEEPEST` levels."""
    level = [value]
    for _ in range(DEEPEST + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, Mapping):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        if not inner:
            return False
        level = inner
    return True


def expression_fault(pattern: str) -> str:
    """Why a regular expression cannot be used; empty if it can."""
    try:
        re.compile(pattern, re.IGNORECASE)
        endless = _may_be_endless(sre.parse(pattern))
    except (re.error, OverflowError, RecursionError) as error:
        return f"not a regular expression: {error}"
    why = f"{pattern!r} nests one repetition in another, which may never finish; use a single +"
    return why if endless else ""


def _may_be_endless(parsed: Any, repeated: bool = False) -> bool:
    """Whether an unbounded repetition contains another one, or alternatives with the same beginning."""
    for kind, given in parsed:
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, most, body = given
                unbounded = most is sre.MAXREPEAT or int(most) > MANY
                endless = (repeated and least != most) or _may_be_endless(body, repeated or unbounded)
            case "BRANCH":
                inside = any(_may_be_endless(branch, repeated) for branch in given[1])
                endless = inside or (repeated and _begin_alike(given[1]))
            case "SUBPATTERN" | "ASSERT" | "ASSERT_NOT":
                endless = _may_be_endless(given[-1], repeated)
            case _:
                endless = False
        if endless:
            return True
    return False


def _begin_alike(branches: Any) -> bool:
    """Whether two alternatives may begin with the same letter; anything but a letter may."""
    heads = [str(branch[0]) if len(branch) else "" for branch in branches]
    return len(set(heads)) < len(heads) or not all(head.startswith("(LITERAL") for head in heads)
