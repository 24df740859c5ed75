"""Requests to a language model and its replies, as values that know no vendor.

A planner writes a `Request`; a `Model` speaks it in its own wire format, resizes the pictures, maps every
point back and returns a `Reply`. All points in both are pixels of the screenshots that were given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from gui_agent.core.actions import Proposal
from gui_agent.core.observation import Box, Screenshot, Size
from gui_agent.core.trajectory import End

Part: TypeAlias = str | Screenshot
"""A piece of a message: text or a picture."""

Purpose: TypeAlias = Literal["plan", "point", "judge", "verify"]
"""What a call is for; the budget is told by it, and pointing models have a prompt of their own."""

Stop: TypeAlias = Literal["end", "calls", "length", "refusal", "paused"]
"""Why a model stopped: it had said all, it wants its calls carried out, the answer was cut at the limit, it
or its provider declined, or the provider paused in the middle of it, which models go on with themselves."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GuardedTool:
    """A tool that is carried out here and not on the screen, once the guard has let the call pass."""

    tool: Tool
    run: Callable[[Mapping[str, Any]], str]
    """Takes the arguments of a call and gives its result in words.

    Raises:
        StepFailed, OSError, ValueError, TypeError, LookupError: it could not be done; the model is told.
    """
    meaning: Callable[[Mapping[str, Any]], str] = lambda arguments: ""
    """What a call means to the guard, such as `send` or `write`; empty for what only reads or computes."""
    fits: Callable[[str, str], bool] = lambda task, platform: True
    """Whether it is offered for a task, by its text, on a platform: each costs its part of every request."""


@dataclass(frozen=True, slots=True)
class Call:
    """Something a model wants done: a call of one of the given tools, or of its own computer tool.

    Exactly one of these is the case: `error` says why it could not be understood; `proposals` (a batch, in
    order), `end` or `look` come from the model's own action space; else `name` is one of the request's
    tools and `arguments` its input, in which each object with number fields `x` and `y` is a point already
    mapped to screenshot pixels. Every call must be answered by one `ToolResult` in the next turn.
    """

    id: str
    name: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    proposals: tuple[Proposal, ...] = ()
    end: End | None = None
    look: bool = False
    """The model only wants to see the screen, or `region` of it."""
    region: Box | None = None
    checks: tuple[Mapping[str, Any], ...] = ()
    """Safety questions of the provider; a result that carries them on says that a person approved."""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call.

    `read` is all input; `cached` and `written` are those parts of it that came from the cache and were
    put there; `wrote` is all output and `reasoning` a part of it.
    """

    read: int = 0
    cached: int = 0
    written: int = 0
    wrote: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.read + other.read,
            self.cached + other.cached,
            self.written + other.written,
            self.wrote + other.wrote,
            self.reasoning + other.reasoning,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered. As an earlier turn of a request it is replayed just as it came."""

    text: str = ""
    thought: str = ""
    """Reasoning that the model showed, if any."""
    calls: tuple[Call, ...] = ()
    stop: Stop = "end"
    refusal: str = ""
    """Why the model declined; empty when it did not."""
    raw: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """The provider's own items, opaque; empty for a turn that we wrote ourselves, such as an exemplar."""
    wire: str = ""
    """The format of `raw`; another format is shown the text and the calls instead."""
    usage: Usage = Usage()
    model: str = ""
    seconds: float = 0.0
    id: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn of ours: text and pictures."""

    parts: tuple[Part, ...]
    cache: bool = False
    """Everything up to the end of this turn comes again word by word in later requests."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of one call: what to tell the model, and the screen after it."""

    call: str
    parts: tuple[Part, ...] = ()
    failed: bool = False
    """Not done, or only in part; the text says why."""
    checks: tuple[Mapping[str, Any], ...] = ()
    """The safety questions of the call that a person approved."""


@dataclass(frozen=True, slots=True)
class Results:
    """A turn of ours: the results of all calls of the reply before it, in the same order."""

    results: tuple[ToolResult, ...]
    cache: bool = False


Turn: TypeAlias = Asked | Reply | Results


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    For `purpose="point"` one `Asked` with words and a screenshot is enough for every model; the answer is one
    call whose only proposal is a click on the place. Otherwise give `tools`, or want `computer` of a model
    that has it, or neither for an answer in text.
    """

    purpose: Purpose
    turns: tuple[Turn, ...]
    system: str = ""
    tools: tuple[Tool, ...] = ()
    must_call: bool = False
    """The answer has to be a call."""
    computer: bool = False
    """Let the model use its own action space: a computer tool, or the actions it was trained on."""
    platform: str = ""
    """browser, x11, windows, android ...; some models have different action spaces for phones."""
    schema: Mapping[str, Any] | None = None
    """A JSON schema that the text of the answer has to fit, for services that can hold a model to one."""
    max_tokens: int = 4096
    seconds: float | None = None
    """Give up after this long, retries included; None takes the model's own limit."""
    shrink: float = 1.0
    """Sides of the pictures as a share of what the model usually gets, to save tokens."""
    cache_key: str = ""
    """The same for all requests that share a beginning, such as the run's id."""

    @property
    def screen(self) -> Size | None:
        """The size of the last screenshot, in whose pixels the answer's points are."""
        shots = [*chain.from_iterable(map(pictures, self.turns))]
        return shots[-1].size if shots else None


@dataclass(frozen=True, slots=True)
class Traits:
    """What a model can do."""

    computer: bool = False
    """It has an action space of its own: `Request.computer` may be wanted."""
    tools: bool = True
    """It takes function tools."""
    pictures: int = 20
    """How many screenshots it can take in one request."""
    only_points: bool = False
    """It answers `purpose="point"` and nothing else."""
    ends: bool = False
    """Its own actions say that a task is done, or that the person is needed."""


@runtime_checkable
class Model(Protocol):
    """A language model that can see."""

    @property
    def name(self) -> str:
        """As in the settings: `anthropic/claude-...`, `http://host:8000/v1#Qwen3-VL-8B`."""

    @property
    def traits(self) -> Traits: ...

    def complete(self, request: Request) -> Reply:
        """Ask once; retries, deadline and picture sizes are taken care of.

        A call that cannot be understood is a `Call` with an `error`; a refusal and an answer cut short are
        replies too.

        Raises:
            BadReply: the whole answer could not be understood, or the request is too long for the model.
            ModelUnavailable: the service does not answer, or has refused for good.
            ConfigError: the model is unknown to the service, the key is wrong, or the request cannot be
                put to this model.
        """


@runtime_checkable
class Holds(Protocol):
    """A model that holds something which it has to let go of, such as connections."""

    def close(self) -> None: ...


def close(model: Model) -> None:
    """Let go of what a model holds; safe to call twice."""
    if isinstance(model, Holds):
        model.close()


def pictures(turn: Turn) -> tuple[Screenshot, ...]:
    match turn:
        case Asked():
            parts: tuple[Part, ...] = turn.parts
        case Results():
            parts = tuple(chain.from_iterable(result.parts for result in turn.results))
        case Reply():
            parts = ()
    return tuple(part for part in parts if isinstance(part, Screenshot))
