"""What planners write into their decisions for next time, read back from the turns of a run."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar, cast

from gui_agent.core.codec import decode
from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Turn

T = TypeVar("T")


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
