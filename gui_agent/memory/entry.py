"""One remembered run and everything that is known about its use."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from gui_agent.core.geometry import Strict
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration

_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")
_NUMBER = re.compile(r"\d+")
_ADDRESS = re.compile(r"[^\s,;]+@[^\s,;]+|\w+://\S+")


@dataclass(frozen=True, slots=True)
class Entry(Strict):
    """A remembered run: what it was for, where it began, how it went, and how often it has helped since."""

    task: str
    app: str = ""
    """Program or host it was done in."""
    screen: str = ""
    """The abstract of the first screen as text, one element per line."""
    kind: str = "run"
    """run, demonstration, import, procedure ...; free, for filters."""
    family: str = ""
    """What the task has in common with others of its sort; derived from the task text when empty."""
    demonstration: Demonstration | None = field(default=None, repr=False)
    procedure: str = field(default="", repr=False)
    """A learned procedure as JSON; opaque to the memory."""
    outlines: tuple[str, ...] = ()
    """The steps as one plain line each, for prompts with little room."""
    origin: str = ""
    """Where it comes from: teach, run <id>, import <file> ..."""
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Values of this run by slot name, or by the field that they were entered into."""
    id: str = ""
    """Short and unique; given by the store when empty."""
    created: str = ""
    """ISO 8601, UTC; given by the store when empty."""
    wins: float = 0.0
    """Verified runs it has helped since, halved every half-life."""
    losses: float = 0.0
    """Failed runs in which it was shown, halved every half-life."""
    used: str = ""
    """When it last won or lost, ISO 8601; empty when never."""
    quarantined: str = ""
    """Why it must not be recalled; empty when it may be."""

    @property
    def digest(self) -> str:
        """What makes two entries the same experience: task, place and the way it was done."""
        parts = (normal(self.task), self.app, self.kind, self.procedure, *self.outlines)
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def family_of(task: str) -> str:
    """The task without its values: quoted texts become `*`, numbers `#`; equal for tasks of one sort."""
    return _NUMBER.sub("#", _QUOTED.sub("*", normal(task)))


def mask_values(task: str, values: Iterable[str] = ()) -> str:
    """The task with `*` in the place of addresses and of these values, which tell nothing of its sort."""
    for value in sorted(filter(None, values), key=len, reverse=True):
        task = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "*", task, flags=re.IGNORECASE)
    return _ADDRESS.sub("*", task)


def new_id() -> str:
    """An id that no other process gives out: twelve random hexadecimal digits."""
    return uuid.uuid4().hex[:12]


def stamp() -> str:
    """The time now as stored: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
