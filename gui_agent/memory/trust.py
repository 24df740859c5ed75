"""Safeguards of the memory: trust by use, decay, retirement, quarantine, leave-one-out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from gui_agent.core.trajectory import Trajectory
from gui_agent.memory.entry import Entry, family_of

UNTRUSTED = "learnt while untrusted content was on the screen"
KEPT_UNASKED = frozenset({"run", "commands", "proposal"})
"""Kinds of entries that no person chose to keep; only these are retired by failures."""
BELIEF = 2.0
"""Runs' worth of belief that a verified run is good before it has ever been used."""


@dataclass(frozen=True, slots=True)
class Upkeep:
    """How fast proof fades, and when an entry is retired."""

    half_life_days: float = 60.0
    """After this time a win or a loss counts half."""
    retire_losses: float = 2.5
    """An entry that nobody taught, with at least so many (faded) losses ..."""
    retire_below: float = 0.5
    """... and trust below this is quarantined."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What must not be recalled, so that an evaluation does not see its own answers."""

    ids: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    """Exact origins, such as `run 2026-11-20-a`."""
    families: frozenset[str] = frozenset()
    """Names of task families, or tasks whose whole family is meant."""
    tasks: frozenset[str] = frozenset()
    """Task texts; other tasks of their family stay."""

    def __bool__(self) -> bool:
        return bool(self.ids or self.origins or self.families or self.tasks)

    def covers(self, entry: Entry) -> bool:
        """Whether the entry is left out."""
        return (
            entry.id in self.ids
            or entry.origin in self.origins
            or entry.task in self.tasks
            or entry.family in self.families
            or any(family_of(task) == entry.family for task in self.families)
        )


NOTHING_EXCLUDED = Exclusion()


@dataclass(frozen=True, slots=True)
class Gates:
    """When a remembered run is near enough to be shown; whoever reads it judges whether it fits."""

    floor: float = 0.2
    """Likeness that an entry must reach, however it fared."""
    spread: float = 0.25
    """Entries that lie further behind the best one are left out."""


def fade(amount: float, since: str, now: datetime, half_life_days: float) -> float:
    """An amount of proof after the time since `since` (ISO 8601), halved every half-life."""
    if not amount or not since:
        return amount
    days = max(0.0, (now - _moment(since)).total_seconds() / 86400)
    return float(amount * 0.5 ** (days / half_life_days))


def trust(entry: Entry, now: datetime, upkeep: Upkeep) -> float:
    """How far an entry is trusted, 0 to 1: 1 until it loses, less with every loss, more again with wins."""
    wins = fade(entry.wins, entry.used, now, upkeep.half_life_days)
    losses = fade(entry.losses, entry.used, now, upkeep.half_life_days)
    return (wins + BELIEF) / (wins + losses + BELIEF)


def score_after_use(entry: Entry, won: bool, now: datetime, upkeep: Upkeep) -> tuple[float, float, str]:
    """Wins, losses and the reason for quarantine of an entry after one more use.

    A reason that stands is kept: a win does not lift a quarantine, only a person does. What a person taught
    is never retired, however often it failed: the person decides.
    """
    wins = fade(entry.wins, entry.used, now, upkeep.half_life_days) + (1.0 if won else 0.0)
    losses = fade(entry.losses, entry.used, now, upkeep.half_life_days) + (0.0 if won else 1.0)
    reason = entry.quarantined
    if not won and not reason and entry.kind in KEPT_UNASKED and is_failing(wins, losses, upkeep):
        reason = f"retired after {losses:.0f} failed and {wins:.0f} good uses"
    return wins, losses, reason


def is_failing(wins: float, losses: float, upkeep: Upkeep) -> bool:
    """Whether (faded) losses outweigh wins so far that what was remembered seems to serve no longer."""
    return losses >= upkeep.retire_losses and (wins + BELIEF) / (wins + losses + BELIEF) < upkeep.retire_below


def unfit(trajectory: Trajectory) -> str:
    """Why a run must not be remembered; empty when it is finished and verified."""
    if trajectory.ending is None:
        return "the run has not ended"
    if trajectory.ending.kind != "done":
        return f"the run ended as {trajectory.ending.kind}"
    if not trajectory.steps:
        return "the run did nothing"
    bad = next((step for step in trajectory.steps if step.outcome.kind == "unexpected"), None)
    if bad is not None:
        return f"step {bad.number} had an unexpected outcome: {bad.outcome.summary}"
    return ""


def trusts_every_screen(_trajectory: Trajectory) -> bool:
    """The default judgement on a run's screens: none of them was untrusted."""
    return False


Untrusted = Callable[[Trajectory], bool]
"""Says whether untrusted content was on the screen in a run."""


def now() -> datetime:
    """The time now, UTC."""
    return datetime.now(UTC)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
