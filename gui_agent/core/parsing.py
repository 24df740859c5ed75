"""Reading JSON and TOML that others wrote: a file, an answer of a service, arguments of a model."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

DEEPEST = 100
"""Levels that data may be nested: nothing that is read here needs a tenth of it, and its readers recurse."""
TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"


def parse_json(text: str | bytes) -> Any:
    """The value that a JSON text holds. Raises ValueError: it is no JSON, or is nested too deeply."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    if is_too_deep(value):
        raise ValueError(TOO_DEEP)
    return value


def parse_toml(text: str) -> dict[str, Any]:
    """The table that a TOML text holds. Raises TOMLDecodeError, also where it is nested too deeply."""
    try:
        table = tomllib.loads(text)
    except RecursionError as error:
        raise tomllib.TOMLDecodeError(TOO_DEEP) from error
    if is_too_deep(table):
        raise tomllib.TOMLDecodeError(TOO_DEEP)
    return table


def is_too_deep(value: Any) -> bool:
    """Whether a value of lists and mappings is nested more deeply than is read here."""
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
