"""Where a run of plain commands stands, as it is kept in the bookmark of each decision."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from gui_agent.core.trajectory import Step, Turn
from gui_agent.elements.scroll_search import Search


@dataclass(frozen=True, slots=True)
class Progress:
    """How many commands are done, and what is under way."""

    done: int = 0
    ends: tuple[int, ...] = ()
    """For each action of the last batch: how many commands are done once it was carried out."""
    search: Search | None = None
    retried: int = -1
    """The command that was already tried a second time."""
    seen: str | None = None
    """The value that the command in hand read at the last look; None when it has not looked yet."""
    looks: int = 0
    """How often it was looked at."""

    def bookmark(self) -> str:
        """As text, to be read by `resume`."""
        return json.dumps(asdict(self), separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known when a decision begins: the progress, the last steps, and the one that failed."""

    progress: Progress = field(default_factory=Progress)
    steps: tuple[Step, ...] = ()
    """What was carried out of the last decision."""
    failed: Step | None = None


def resume(turns: Sequence[Turn], planner: str) -> Standing:
    """Where the planner stands after its last decision was carried out, wholly or in part."""
    turn = next((turn for turn in reversed(turns) if turn.decision.planner == planner), None)
    if turn is None or not turn.decision.bookmark:
        return Standing()
    kept = json.loads(turn.decision.bookmark)
    search = kept.pop("search")
    found = Search(**{**search, "lists": tuple(search["lists"])}) if search else None
    progress = Progress(**{**kept, "ends": tuple(kept["ends"])}, search=found)
    failed = next((step for step in turn.steps if not step.outcome.good), None)
    carried = len(turn.steps) - (1 if failed else 0)
    done = progress.ends[carried - 1] if carried else progress.done
    advanced = done > progress.done
    progress = replace(progress, done=done, ends=())
    if advanced:
        progress = replace(progress, search=None, seen=None, looks=0)
    return Standing(progress, turn.steps, failed)
