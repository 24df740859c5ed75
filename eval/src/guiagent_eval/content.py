"""Locations of the files of benchmarks: beside the package in a checkout, inside it when installed."""

from __future__ import annotations

from pathlib import Path

from gui_agent.content import shipped_path

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parents[1]


def content(name: str) -> Path:
    """A file or folder of a benchmark, such as `content("osworld/oracles.json")`."""
    return shipped_path("guiagent-eval", PACKAGE, CHECKOUT, name)
