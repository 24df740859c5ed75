"""A browser page as a computer: Chromium, Chrome or Edge, driven with real mouse and keyboard input."""

from typing import Any

from gui_agent.doors import find_name, names_of

_HOMES = {"computer": "BrowserComputer"}

__all__ = names_of(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    return find_name(__name__, _HOMES, name)
