"""The shared part of all API formats: how a model sees a request, and requests for a point."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Protocol

from gui_agent.core.actions import Click
from gui_agent.core.aiming import places
from gui_agent.core.dialogue import (
    Asked,
    Call,
    Part,
    Reply,
    Request,
    Results,
    Stop,
    ToolResult,
    Turn,
    Usage,
    pictures,
)
from gui_agent.core.errors import BadReply, ConfigError
from gui_agent.core.observation import Point, Screenshot, Size
from gui_agent.models import _fields as fields
from gui_agent.models import function_tools as functions
from gui_agent.models.dialects import Dialect
from gui_agent.models.families import Family
from gui_agent.models.pictures import Space, picture
from gui_agent.models.spec import Wire

ONE_CLICK = "Click once, on the thing that is described. Do nothing else."
CUT = "the answer was cut at the length limit and not carried out; write less"
FILTERED = "the content filter stopped it"


@dataclass(frozen=True, slots=True)
class ModelView:
    """One model's view of a request: its family, its coordinates, the sizes of its pictures."""

    model: str
    family: Family
    wire: Wire
    home: bool = False
    """Whether the service is the provider's own and supports all of its newest fields."""
    cap: Size | None = None
    """The maximum picture size that the service reported."""
    space: Space | None = None
    cursor: Point | None = None

    @property
    def native(self) -> bool:
        """Whether this wire supports the family's own computer tool."""
        return bool(self.family.tool) and self.family.tool_wire == self.wire

    def headers(self, request: Request) -> Mapping[str, str]:
        """Headers that a request needs in addition to the SDK's."""
        beta = self.family.beta if request.computer and self.native else ""
        return {"anthropic-beta": beta} if beta else {}

    def for_request(self, request: Request) -> ModelView:
        """This view with the coordinates and the pointer of a request."""
        screen, cap = request.screen, self.cap
        if screen is not None and request.shrink < 1.0:
            usual = self.family.rule.size(screen, cap)
            cap = Size(int(usual.width * request.shrink), int(usual.height * request.shrink))
        space = None if screen is None else self.family.space(screen, cap)
        return replace(self, cap=cap, space=space, cursor=cursor(request))

    def picture(self, shot: Screenshot) -> tuple[str, str]:
        """The media type and base64 data of a screenshot in this model's size."""
        return picture(shot, self.family.rule.size(shot.size, self.cap))

    def data_url(self, shot: Screenshot) -> str:
        """A screenshot as a data URL, as OpenAI's APIs accept pictures."""
        media, data = self.picture(shot)
        return f"data:{media};base64,{data}"

    def coordinates(self) -> Space:
        """The coordinates. Raises BadReply if the request has no picture."""
        if self.space is None:
            raise BadReply("there was no picture in the request; ask for a look first")
        return self.space


class Codec(Protocol):
    """One wire format, without any input or output."""

    @property
    def wire(self) -> Wire: ...

    @property
    def path(self) -> str: ...

    def body(self, request: Request, view: ModelView) -> dict[str, Any]:
        """The request as JSON."""

    def parse(self, answer: Mapping[str, Any], request: Request, view: ModelView) -> Reply:
        """The reply in an answer's JSON. Raises Fault if the service reports one in it."""


def without_pictures(request: Request) -> Request:
    texts = [
        _with_parts(turn, lambda part: part if isinstance(part, str) else None) for turn in request.turns
    ]
    return replace(request, turns=tuple(texts))


def _with_parts(turn: Turn, change: Callable[[Part], Part | None]) -> Turn:
    def change_all(parts: Sequence[Part]) -> tuple[Part, ...]:
        return tuple(part for part in map(change, parts) if part is not None)

    if isinstance(turn, Asked):
        return replace(turn, parts=change_all(turn.parts))
    if isinstance(turn, Results):
        return replace(turn, results=tuple(replace(one, parts=change_all(one.parts)) for one in turn.results))
    return turn


def prepare(request: Request, view: ModelView) -> Request:
    """The request with the instructions that this model needs about its actions and coordinates."""
    family = view.family
    if request.purpose == "point":
        return _pointing(request, view)
    if family.only_points:
        raise ConfigError(f"{view.model} can only point; use it as the grounder and another model as planner")
    if request.computer and not (family.dialect or view.native):
        raise ConfigError(f"{view.model} has no computer tool of its own; give it tools")
    if view.space is None:
        return request
    if request.computer and family.dialect:
        request = _with_dialect(request, family.dialect, view.space)
    if request.tools:
        request = _with_system(request, f"In the arguments of tools, {view.space.sentence()}.")
    return replace(request, turns=tuple(_in_units(turn, view.space) for turn in request.turns))


def _with_dialect(request: Request, dialect: Dialect, space: Space) -> Request:
    """The request with the instructions for a model that writes actions in its own dialect."""
    actions = dialect.actions(space, request.platform)
    if dialect.frame is None:
        return _with_system(request, actions)
    return _with_frame(request, dialect.frame(actions, request.system))


def _with_system(request: Request, added: str) -> Request:
    return replace(request, system=f"{request.system}\n\n{added}".lstrip())


def _with_frame(request: Request, frame: str) -> Request:
    """The request without a system turn: its text moves to the start of the first turn."""
    first, *rest = request.turns
    if not isinstance(first, Asked):
        first, rest = Asked(()), [first, *rest]
    told, *parts = first.parts or ("",)
    if not isinstance(told, str):
        told, parts = "", [told, *parts]
    lead = replace(first, parts=(frame + told, *parts))
    return replace(request, system="", turns=(lead, *rest))


_POINT = re.compile(r"the point \((\d+), (\d+)\)")


def _in_units(turn: Turn, space: Space) -> Turn:
    def in_model_units(part: Part) -> Part:
        return _POINT.sub(_unit, part) if isinstance(part, str) else part

    def _unit(found: re.Match[str]) -> str:
        x, y = space.units(Point(int(found[1]), int(found[2])))
        return f"the point ({x:g}, {y:g})"

    return _with_parts(turn, in_model_units)


def _pointing(request: Request, view: ModelView) -> Request:
    turn = next((turn for turn in request.turns if isinstance(turn, Asked)), None)
    if turn is None or view.space is None:
        raise ConfigError("a request for a point needs words and a screenshot")
    dialect = view.family.dialect
    if dialect is not None:
        asked = dialect.point(view.space, words(turn.parts))
        only = tuple(shots(turn.parts))
        return replace(request, system=asked, turns=(Asked(only),), computer=True, tools=())
    if view.native:
        return replace(request, system=request.system or ONE_CLICK, computer=True, tools=(), must_call=True)
    told = f"{request.system or functions.POINT.description} {view.space.sentence().capitalize()}."
    return replace(request, system=told, tools=(functions.POINT,), computer=False, must_call=True)


def as_single_click(reply: Reply) -> Reply:
    """The answer to a request for a point, reduced to one call with one click."""
    for call in reply.calls:
        for proposal in call.proposals:
            place = next(iter(places(proposal).values()), None)
            if isinstance(place, Point):
                return replace(reply, calls=(Call(call.id, call.name, proposals=(Click(place),)),))
    why = next((call.error for call in reply.calls if call.error), "")
    raise BadReply(
        f"the model named no point: {why or reply.refusal or reply.text[:100] or 'an empty answer'}"
    )


def make_reply(
    answer: Mapping[str, Any],
    view: ModelView,
    *,
    stop: Stop,
    refusal: str,
    calls: Iterable[Call],
    raw: Iterable[Mapping[str, Any]],
    usage: Usage,
    text: str,
    thought: str,
) -> Reply:
    """The reply of an answer; a refused one has no calls and is not sent to the model again."""
    return Reply(
        text=text,
        thought=thought,
        calls=() if refusal else tuple(calls),
        stop="refusal" if refusal else stop,
        refusal=refusal,
        raw=() if refusal else tuple(raw),
        wire=view.wire,
        usage=usage,
        model=str(answer.get("model") or view.model),
        id=str(answer.get("id") or ""),
    )


def own_calls(reply: Reply, request: Request, view: ModelView) -> Iterator[tuple[Call, Any]]:
    """The calls of another API's reply to tools of this request, with arguments in model units."""
    known = {tool.name for tool in request.tools}
    for call in reply.calls:
        if call.name in known:
            yield call, functions.in_units(call.arguments, view.space)


def openai_usage(answer: Mapping[str, Any], read: str, wrote: str) -> Usage:
    """The token usage reported by OpenAI's APIs, which differ in the names for input and output.

    Fields that another server omits count as zero.
    """
    usage = answer.get("usage") or {}
    details = usage.get(f"{read}_tokens_details") or {}
    thought = usage.get(f"{wrote}_tokens_details") or {}
    return Usage(
        read=usage.get(f"{read}_tokens") or 0,
        cached=details.get("cached_tokens") or 0,
        written=details.get("cache_write_tokens") or 0,
        wrote=usage.get(f"{wrote}_tokens") or 0,
        reasoning=thought.get("reasoning_tokens") or 0,
    )


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


def _missing(call: Call) -> ToolResult:
    return ToolResult(call.id, (call.error or NOT_DONE,), failed=True)


def cursor(request: Request) -> Point | None:
    """The pointer's position after the last action with a point; None before one."""
    for turn in reversed(request.turns):
        if isinstance(turn, Reply):
            point = fields.last_point(chain.from_iterable(call.proposals for call in turn.calls))
            if point is not None:
                return point
    return None


def last_picture(turns: Iterable[Turn]) -> Screenshot | None:
    found = list(chain.from_iterable(map(pictures, turns)))
    return found[-1] if found else None


def words(parts: Iterable[Part]) -> str:
    """The text of a message, its pieces as paragraphs."""
    return "\n\n".join(part for part in parts if isinstance(part, str))


def shots(parts: Iterable[Part]) -> list[Screenshot]:
    return [part for part in parts if isinstance(part, Screenshot)]
