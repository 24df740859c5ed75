"""What planners write into their decisions for next time, read back from the turns of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar, cast

from gui_agent.core.codec import decode
from gui_agent.core.errors import ConfigError
from gui_agent.core.geometry import Strict
from gui_agent.core.trajectory import Turn

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Baton(Strict):
    """What a cascade writes into its decisions: who is in charge and why, and that planner's own bookmark."""

    stage: int
    inner: str = ""
    advice: tuple[str, ...] = ()
    """Why the planners before gave up, and what they still meant to do."""
    returns: int = 0
    """How often an earlier planner has gone on."""


def bookmark(kind: type[T], turn: Turn) -> T | None:
    """The value of this kind in a turn's bookmark; None when there is none, or another planner's.

    The same turns are read again with each decision, so what was read is kept.
    """
    text = turn.decision.bookmark
    found: Any = _read(cast(Any, kind), text) if text else None
    return cast("T | None", found)


@lru_cache(maxsize=512)
def _read(kind: Any, text: str) -> Any:
    try:
        return decode(kind, text)
    except ConfigError:
        return None


def unwrap(turn: Turn, kind: type[Any] = Baton) -> Turn:
    """The turn as a planner knows it whose bookmark is the `inner` of one of this kind; others stay."""
    around = bookmark(kind, turn)
    return turn if around is None else replace(turn, decision=replace(turn.decision, bookmark=around.inner))
