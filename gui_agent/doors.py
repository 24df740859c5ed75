"""Doors of rooms: the names that a package offers, imported from their modules at first use."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from itertools import chain
from typing import Any


def names_of(homes: Mapping[str, str]) -> list[str]:
    """The names of a table from modules to names, in order."""
    return sorted(chain.from_iterable(names.split() for names in homes.values()))


def find_name(package: str, homes: Mapping[str, str], name: str) -> Any:
    """The value of a name that a package offers, kept there for the next use.

    Args:
        homes: by module of the package the names that it offers, parted by spaces.

    Raises:
        AttributeError: the package does not offer it.
    """
    for module, names in homes.items():
        if name in names.split():
            value = getattr(import_module(f"{package}.{module}"), name)
            setattr(sys.modules[package], name, value)
            return value
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
