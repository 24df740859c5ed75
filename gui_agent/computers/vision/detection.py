"""One thing seen."""

from __future__ import annotations

from dataclasses import dataclass

from gui_agent.core.geometry import Box


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing seen, before it is known whether it was seen before."""

    role: str
    name: str
    box: Box
    value: str = ""
    states: frozenset[str] = frozenset()
    source: str = "vision"
    """Who found it: `ocr` the words, `vision` the outline, `vision+ocr` both."""
