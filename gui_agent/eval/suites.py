"""Suites: named lists of tasks in `eval/<benchmark>/*.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from gui_agent.content import content
from gui_agent.core.errors import ConfigError
from gui_agent.core.texts import suggestion


@dataclass(frozen=True, slots=True)
class Suite:
    """A named list of tasks."""

    name: str
    description: str
    tasks: tuple[str, ...]


def suites(benchmark: str) -> tuple[Suite, ...]:
    """All suites of a benchmark, by name.

    Raises:
        ConfigError: this copy has none.
    """
    folder = Path(str(content(f"eval/{benchmark}")))
    found = []
    for path in sorted(folder.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        found.append(Suite(path.stem, str(table.get("description", "")), tuple(table["tasks"])))
    return tuple(found)


def suite_tasks(benchmark: str, suite: str) -> tuple[str, ...]:
    """The tasks named in `eval/<benchmark>/<suite>.toml`.

    Raises:
        ConfigError: there is no such suite; the message names those there are.
    """
    known = {one.name: one.tasks for one in suites(benchmark)}
    if suite not in known:
        raise ConfigError(f"{benchmark} has no suite {suite!r}{suggestion(suite, known)}")
    return known[suite]
