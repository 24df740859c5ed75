"""A scripted stand-in for a language model, in memory: says its lines and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from gui_agent.core.actions import Click, Proposal
from gui_agent.core.dialogue import Call, Reply, Request, Traits
from gui_agent.core.geometry import Point

Line = Reply | BaseException | Callable[[Request], Reply]
"""One line of a script: what to answer, what to raise, or how to answer."""


def saying(**arguments: Any) -> Reply:
    """A call of the planner's tool, such as `saying(actions=[{"kind": "click", "at": 3}])`."""
    return Reply(calls=(Call("", "decide", arguments),), stop="calls")


def acting(*proposals: Proposal, text: str = "") -> Reply:
    """Actions of a model's own computer tool, each a call of its own."""
    return Reply(text, calls=tuple(Call("", proposals=(proposal,)) for proposal in proposals), stop="calls")


def pointing_at(x: int, y: int) -> Reply:
    """The answer of a pointing model."""
    return Reply(calls=(Call("", proposals=(Click(Point(x, y)),)),), stop="calls")


class ScriptedModel:
    """A model that says its lines one after the other; beyond the last one it repeats that.

    Calls get the ids that services give them, so lines may be written without.
    """

    def __init__(
        self, lines: Iterable[Line], *, traits: Traits | None = None, name: str = "scripted/model"
    ) -> None:
        self._lines = list(lines)
        self.name = name
        self.traits = traits or Traits()
        self.requests: list[Request] = []
        """What was asked, in order."""

    def complete(self, request: Request) -> Reply:
        """The next line; an exception in the script is raised."""
        number = len(self.requests)
        self.requests.append(request)
        line = self._lines[min(number, len(self._lines) - 1)]
        if isinstance(line, BaseException):
            raise line
        reply = line if isinstance(line, Reply) else line(request)
        return _numbered(reply, number)


def _numbered(reply: Reply, number: int) -> Reply:
    calls = tuple(
        replace(call, id=call.id or f"call-{number}-{place}") for place, call in enumerate(reply.calls)
    )
    return replace(reply, calls=calls)
