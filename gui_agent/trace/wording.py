"""The wording of outcomes, endings, errors and times, in the terminal and in the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gui_agent.core.trajectory import Ending, EndingKind, OutcomeKind

Tone = Literal["good", "calm", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Wording:
    """A word for something, its mark and its tone."""

    label: str
    symbol: str
    plain: str
    """The mark where only ASCII can be shown."""
    tone: Tone


OUTCOMES: Mapping[OutcomeKind, Wording] = {
    "confirmed": Wording("Confirmed", "✓", "ok", "good"),
    "changed": Wording("Changed", "●", "*", "good"),
    "no_change": Wording("No visible change", "○", "-", "calm"),
    "unverifiable": Wording("Cannot be seen", "◌", "?", "calm"),
    "unexpected": Wording("Unexpected", "!", "!", "warn"),
    "failed": Wording("Failed", "✗", "x", "bad"),
}
ENDINGS: Mapping[EndingKind, Wording] = {
    "done": Wording("Done", "✓", "ok", "good"),
    "not_done": Wording("Not done", "✗", "x", "bad"),
    "refused": Wording("Refused", "✗", "x", "bad"),
    "limit": Wording("Stopped at a limit", "■", "!", "warn"),
    "stopped": Wording("Stopped", "■", "!", "warn"),
    "lost": Wording("Unavailable", "✗", "x", "bad"),
    "crashed": Wording("Crashed", "✗", "x", "bad"),
}
INTERRUPTED = Wording("Interrupted", "■", "!", "warn")
"""For a run without an ending: its process was killed, or it is still going on."""

ERRORS: Mapping[str, str] = {
    "BadReply": "The planner's answer could not be understood",
    "NotFound": "Not found on the screen",
    "Ambiguous": "Several things on the screen fit",
    "Forbidden": "Refused by the guard",
    "ActionFailed": "The device could not do it",
    "Stale": "The target had moved, gone or been covered",
}


def verdict(ending: Ending | None) -> Wording:
    """How a run ended."""
    return ENDINGS[ending.kind] if ending else INTERRUPTED


def duration(seconds: float) -> str:
    """A time span at a precision people read: `3 ms`, `1.2 s`, `2 min 5 s`."""
    if seconds < 0.9995:
        milliseconds = seconds * 1000
        return f"{milliseconds:.1f} ms" if 0.05 <= milliseconds < 0.95 else f"{milliseconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def plural(count: int, noun: str) -> str:
    """`1 step`, `2 steps`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
