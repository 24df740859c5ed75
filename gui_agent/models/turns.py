"""The turns of a request, put in the order and completeness that every service demands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gui_agent.core.actions import places
from gui_agent.core.dialogue import Call, Part, Reply, Request, Result, Results, Turn, pictures
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Screenshot

NOT_DONE = "Not carried out."


def complete(turns: Iterable[Turn]) -> Iterator[Turn]:
    """The turns with exactly one result for each call, in the order of the calls."""
    open_calls: tuple[Call, ...] = ()
    for turn in turns:
        if isinstance(turn, Results):
            given = {result.call: result for result in turn.results}
            yield Results(tuple(given.get(call.id, _missing(call)) for call in open_calls), turn.cache)
            open_calls = ()
            continue
        if open_calls:
            yield Results(tuple(_missing(call) for call in open_calls))
        open_calls = turn.calls if isinstance(turn, Reply) else ()
        yield turn
    if open_calls:
        yield Results(tuple(_missing(call) for call in open_calls))


def _missing(call: Call) -> Result:
    return Result(call.id, (call.error or NOT_DONE,), failed=True)


def cursor(request: Request) -> Point | None:
    """Where the pointer was left by the last action with a place, None when nothing was done yet."""
    for turn in reversed(request.turns):
        if isinstance(turn, Reply):
            proposals = [proposal for call in turn.calls for proposal in call.proposals]
            points = [place for proposal in proposals for place in places(proposal).values()]
            if points and isinstance(points[-1], Point):
                return points[-1]
    return None


def last_picture(turns: Iterable[Turn]) -> Screenshot | None:
    """The newest screenshot of some turns."""
    found = [shot for turn in turns for shot in pictures(turn)]
    return found[-1] if found else None


def words(parts: Iterable[Part]) -> str:
    """The text of a message, its pieces as paragraphs."""
    return "\n\n".join(part for part in parts if isinstance(part, str))


def shots(parts: Iterable[Part]) -> list[Screenshot]:
    """The screenshots of a message."""
    return [part for part in parts if isinstance(part, Screenshot)]
