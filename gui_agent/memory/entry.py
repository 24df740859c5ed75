"""One remembered run, all that is known about its use, and the safeguards that keep or retire it."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from gui_agent.core.observation import Strict
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration, Trajectory

UNTRUSTED = "learnt while untrusted content was on the screen"
KEPT_UNASKED = frozenset({"run", "commands", "proposal"})
"""Kinds of entries that no person chose to keep; only these are retired by failures."""
BELIEF = 2.0
"""Runs' worth of belief that a verified run is good before it has ever been used."""


HALF_LIFE = 60.0
"""Days after which a win or a loss counts half."""
LOSSES, TRUST = 2.5, 0.5
"""An entry that nobody taught is retired with at least so many (faded) losses, and trust below this."""


@dataclass(frozen=True, slots=True)
class Gates:
    """When a remembered run is near enough to be shown; whoever reads it judges whether it fits."""

    floor: float = 0.2
    """Likeness that an entry must reach, however it fared."""
    spread: float = 0.25
    """Entries that lie further behind the best one are left out."""


def fade(amount: float, since: str, now: datetime) -> float:
    """An amount of proof after the time since `since` (ISO 8601), halved every half-life."""
    if not amount or not since:
        return amount
    days = max(0.0, (now - _moment(since)).total_seconds() / 86400)
    return float(amount * 0.5 ** (days / HALF_LIFE))


def trust(entry: Entry, now: datetime) -> float:
    """How far an entry is trusted, 0 to 1: 1 until it loses, less with every loss, more again with wins."""
    wins = fade(entry.wins, entry.used, now)
    losses = fade(entry.losses, entry.used, now)
    return _share_of_wins(wins, losses)


def _share_of_wins(wins: float, losses: float) -> float:
    return (wins + BELIEF) / (wins + losses + BELIEF)


def score_after_use(entry: Entry, won: bool, now: datetime) -> tuple[float, float, str]:
    """Wins, losses and the reason for quarantine of an entry after one more use.

    A reason that stands is kept: a win does not lift a quarantine, only a person does. What a person taught
    is never retired, however often it failed: the person decides.
    """
    wins = fade(entry.wins, entry.used, now) + won
    losses = fade(entry.losses, entry.used, now) + (not won)
    reason = entry.quarantined
    if not won and not reason and entry.kind in KEPT_UNASKED and is_failing(wins, losses):
        reason = f"retired after {losses:.0f} failed and {wins:.0f} good uses"
    return wins, losses, reason


def is_failing(wins: float, losses: float) -> bool:
    """Whether (faded) losses outweigh wins so far that what was remembered seems to serve no longer."""
    return losses >= LOSSES and _share_of_wins(wins, losses) < TRUST


def reason_not_to_keep(trajectory: Trajectory) -> str:
    """Why a run must not be remembered; empty when it is finished and verified."""
    if trajectory.ending is None:
        return "the run has not ended"
    if trajectory.ending.kind != "done":
        return f"the run ended as {trajectory.ending.kind}"
    if not trajectory.ending.verified:
        return f"the run was not verified: {trajectory.ending.reason}"
    if not trajectory.steps:
        return "the run did nothing"
    bad = next((step for step in trajectory.steps if step.outcome.kind == "unexpected"), None)
    if bad is not None:
        return f"step {bad.number} had an unexpected outcome: {bad.outcome.summary}"
    return ""


def nothing_untrusted(_trajectory: Trajectory) -> bool:
    """The default judgement on a run's screens: none of them was untrusted."""
    return False


Untrusted = Callable[[Trajectory], bool]
"""Says whether untrusted content was on the screen in a run."""


def now() -> datetime:
    return datetime.now(UTC)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


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
