"""The demonstrations and procedures that a caller gives, as values or as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gui_agent.core.demonstration import Demonstration
from gui_agent.core.errors import ConfigError
from gui_agent.demos.program import Program

Known = Demonstration | Program
"""What the planner `demonstration` can run: a demonstration to learn from, or what was learned."""
Demo = str | Path | Known
"""A demonstration or a procedure, or the file it is in."""


def load_demos(demo: Demo | Sequence[Demo] | None) -> tuple[Demonstration, ...]:
    """The demonstrations, read where a path is given.

    Raises:
        ConfigError: a file cannot be read or holds something else.
    """
    return tuple(one for one in load_known(demo) if isinstance(one, Demonstration))


def load_known(demo: Demo | Sequence[Demo] | None) -> tuple[Known, ...]:
    """The demonstrations and procedures, read where a path is given.

    Raises:
        ConfigError: a file cannot be read or holds something else, or a demonstration has no steps.
    """
    from gui_agent.demos import store

    single = isinstance(demo, str | Path | Demonstration | Program)
    given: Sequence[Any] = () if demo is None else (demo,) if single else demo  # type: ignore[assignment]
    found = tuple(store.load_known(one) if isinstance(one, str | Path) else one for one in given)
    for source, one in zip(given, found, strict=True):
        if isinstance(one, Demonstration) and not one.steps:
            named = source if isinstance(source, str | Path) else f'"{one.task}"'
            raise ConfigError(f"the demonstration {named} has no steps; record it again")
    return found
