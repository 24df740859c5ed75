"""What the model planner writes into its decisions, so that it can be stateless."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from gui_agent.core.codec import encode
from gui_agent.core.dialogue import Reply
from gui_agent.core.geometry import STRICT
from gui_agent.core.planner_state import bookmark
from gui_agent.core.trajectory import Turn


@dataclass(frozen=True, slots=True)
class Memo:
    """The reply behind a decision, kept whole so that it can be replayed word by word, and the plan in it.

    It lives in the decision's bookmark and not in the planner: a run that is resumed in another process, or
    handed from one planner to another and back, finds it there.
    """

    reply: Reply
    plan: str = ""
    taken: int = 0
    """Actions that the reply proposed."""
    most: int = 0
    """Actions that are taken at once at most."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    def written(self) -> str:
        """The text for the bookmark."""
        return encode(self).decode()


def memo(turn: Turn) -> Memo | None:
    """The memo of a turn, None when another planner made it or nothing could be read of it."""
    return bookmark(Memo, turn)


def last_plan(turns: Sequence[Turn]) -> str:
    """The plan as it was last stated."""
    return next((found.plan for turn in reversed(turns) if (found := memo(turn)) and found.plan), "")
