"""Locations of the files of benchmarks: beside the package in a checkout, inside it when installed."""

from __future__ import annotations

from pathlib import Path

from gui_agent.core.errors import ConfigError

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parents[1]


def content(name: str) -> Path:
    """A file or folder of a benchmark, such as `content("osworld/oracles.json")`."""
    for root in (PACKAGE / "shipped", CHECKOUT):
        if (root / name).exists():
            return root / name
    raise ConfigError(f"{name} is missing from this copy of guiagent-eval; install it again")
