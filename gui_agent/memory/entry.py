"""One remembered run, its use so far, and the rules that keep or retire it."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby

from gui_agent.core.observation import Observation, Strict
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration, Screen, Trajectory
from gui_agent.elements.abstraction import abstract, lines

UNTRUSTED = "learnt while untrusted content was on the screen"
KEPT_UNASKED = frozenset({"run", "commands", "proposal"})
"""Kinds of entries that no person chose to keep; only these are retired after failures."""
BELIEF = 2.0
"""Initial wins: how many runs' worth of trust a verified run has before its first use."""


_SCREEN_CAP = 30
"""Most elements of a screen that the memory compares."""
HALF_LIFE = 60.0
"""Days after which a win or a loss counts half."""
LOSSES, TRUST = 2.5, 0.5
"""An untaught entry is retired with at least this many (faded) losses and trust below this value."""


@dataclass(frozen=True, slots=True)
class Gates:
    """Which remembered runs are similar enough to be shown; the reader judges whether they fit."""

    floor: float = 0.22
    """Least likeness of an entry, whatever its success."""
    spread: float = 0.05
    """Entries this far behind the best one are left out."""
    overlap: float = 0.8
    """Two runs with at least this share of their steps in common are runs of one procedure."""


def fade(amount: float, since: str, now: datetime) -> float:
    """An amount of evidence after the time since `since` (ISO 8601), halved every half-life."""
    if not amount or not since:
        return amount
    days = max(0.0, (now - datetime.fromisoformat(since).astimezone(UTC)).total_seconds() / 86400)
    return float(amount * 0.5 ** (days / HALF_LIFE))


def trust(entry: Entry, now: datetime) -> float:
    """Trust in an entry, 0 to 1: 1 until its first loss, lower with every loss, higher again with wins."""
    wins = fade(entry.wins, entry.used, now)
    losses = fade(entry.losses, entry.used, now)
    return _share_of_wins(wins, losses)


def _share_of_wins(wins: float, losses: float) -> float:
    return (wins + BELIEF) / (wins + losses + BELIEF)


def score_after_use(entry: Entry, won: bool, now: datetime) -> tuple[float, float, str]:
    """Wins, losses and quarantine reason of an entry after one more use.

    An existing reason stays: only a person lifts a quarantine, not a win. An entry that a person taught is
        never retired, however often it failed.
    """
    wins = fade(entry.wins, entry.used, now) + won
    losses = fade(entry.losses, entry.used, now) + (not won)
    reason = entry.quarantined
    if not won and not reason and entry.kind in KEPT_UNASKED and is_failing(wins, losses):
        reason = f"retired after {losses:.0f} failed and {wins:.0f} good uses"
    return wins, losses, reason


def is_failing(wins: float, losses: float) -> bool:
    """Whether (faded) losses outweigh wins so far that the entry no longer seems useful."""
    return losses >= LOSSES and _share_of_wins(wins, losses) < TRUST


def reason_not_to_keep(trajectory: Trajectory) -> str:
    """Why a run must not be remembered; empty if it is finished and verified."""
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


def now() -> datetime:
    return datetime.now(UTC)


_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")
_NUMBER = re.compile(r"\d+")
_ENTERED = re.compile(r'(?<=^Type )"[^"]*"|(?<=^Choose )"[^"]*"')
_ADDRESS = re.compile(r"[^\s,;]+@[^\s,;]+|\w+://\S+")


@dataclass(frozen=True, slots=True)
class Entry(Strict):
    """A remembered run: its task, its start, its steps, and how often it has helped since."""

    task: str
    app: str = ""
    """The program or host it was done in."""
    screen: str = ""
    """The abstract of the first screen as text, one element per line."""
    kind: str = "run"
    """run, demonstration, import, procedure ...; free text, for filters."""
    family: str = ""
    """The common part of similar tasks; derived from the task's text if empty."""
    demonstration: Demonstration | None = field(default=None, repr=False)
    procedure: str = field(default="", repr=False)
    """A learned procedure as JSON; opaque to the memory."""
    outlines: tuple[str, ...] = ()
    """The steps as one plain line each, for prompts with little room."""
    origin: str = ""
    """Its source: teach, run <id>, import <file> ..."""
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Values of this run by slot name, or by the field in which they were entered."""
    id: str = ""
    """Short and unique; assigned by the store if empty."""
    created: str = ""
    """ISO 8601, UTC; assigned by the store if empty."""
    wins: float = 0.0
    """Verified runs that it has helped since, halved every half-life."""
    losses: float = 0.0
    """Failed runs in which it was shown, halved every half-life."""
    used: str = ""
    """When it last won or lost, ISO 8601; empty if never."""
    quarantined: str = ""
    """Why it must not be recalled; empty if it may be."""

    @property
    def digest(self) -> str:
        """Equal for two entries of the same experience: task, place and steps."""
        parts = (normal(self.task), self.app, self.kind, self.procedure, *self.outlines)
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def procedure_overlap(one: Entry, other: Entry) -> float:
    """The share of the steps that two runs have in common but for their values, 1 for runs of one family."""
    if one.family == other.family:
        return 1.0
    first, second = steps_without_values(one), steps_without_values(other)
    return len(first & second) / max(1, len(first | second))


def steps_without_values(entry: Entry) -> set[str]:
    """The lines of the outline that name something, without the values of the run."""
    return {mask_values(step_without_value(line), entry.values.values()) for line in entry.outlines} - {""}


def step_without_value(line: str) -> str:
    """A step in words without what was typed or chosen; empty if it names nothing, as the press of a key."""
    return _ENTERED.sub("", line) if '"' in line else ""


def places_of(entry: Entry) -> dict[str, str]:
    """The programs in which a run did something, in order, each with the abstract of its first screen there.

    A program that the run only left again, such as a launcher or an empty desktop, says nothing about it.
    """
    shown = entry.demonstration
    screens = [step.screen for step in shown.steps if step.screen is not None] if shown else []
    last = [shown.final] if shown and shown.final else screens[-1:]
    found: dict[str, str] = {}
    for app, visit in groupby(screens + last, key=lambda screen: screen.place.app):
        first, *more = visit
        if app and more and app not in found:
            found[app] = screen_text(first, entry.task)
    return found or {entry.app: entry.screen}


def screen_text(screen: Observation | Screen, task: str) -> str:
    """The abstract of a screen as the memory stores it."""
    return lines(abstract(screen, task, cap=_SCREEN_CAP).elements)


def family_of(task: str) -> str:
    """The task without its values: quoted texts become `*`, numbers `#`; equal for similar tasks."""
    return _NUMBER.sub("#", _QUOTED.sub("*", normal(task)))


def mask_values(task: str, values: Iterable[str] = ()) -> str:
    """The task with `*` in place of addresses and these values, which say nothing about its kind."""
    for value in sorted(filter(None, values), key=len, reverse=True):
        task = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "*", task, flags=re.IGNORECASE)
    return _ADDRESS.sub("*", task)


def new_id() -> str:
    """A random id of twelve hexadecimal digits, unique across processes."""
    return uuid.uuid4().hex[:12]


def stamp() -> str:
    """The current time as stored: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
