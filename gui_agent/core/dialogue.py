"""Requests to a language model and its replies, as vendor-neutral values.

A planner writes a `Request`; a `Model` sends it in its own wire format, resizes the pictures, maps every
point back and returns a `Reply`. All points in both are pixels of the given screenshots.
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
"""The purpose of a call: the budget counts by it, and pointing models have a prompt of their own."""

Stop: TypeAlias = Literal["end", "calls", "length", "refusal", "paused"]
"""Why a model stopped: it was finished, it wants calls carried out, its answer was cut at the limit, it or
its provider declined, or the provider paused, which `Model` resumes by itself.
"""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GuardedTool:
    """A tool that runs here instead of on the screen, once the guard has allowed the call."""

    tool: Tool
    run: Callable[[Mapping[str, Any]], str]
    """Takes the arguments of a call and returns its result in words.

    Raises:
        StepFailed, OSError, ValueError, TypeError, LookupError: the call failed; the model gets the message.
    """
    meaning: Callable[[Mapping[str, Any]], str] = lambda arguments: ""
    """What a call means to the guard, such as `send` or `write`; empty if it only reads or computes."""
    fits: Callable[[str, str], bool] = lambda task, platform: True
    """Whether to offer it for a task (by its text) on a platform; every tool lengthens every request."""
    own_words: str = ""
    """An argument that must be in the model's own words: what a screen or a file says is refused there."""


@dataclass(frozen=True, slots=True)
class Call:
    """An action that a model requests: a call of a given tool, or of its own computer tool.

    Exactly one of these holds: `error` says why the call could not be understood; `proposals` (a batch, in
    order), `end` or `look` come from the model's own action space; otherwise `name` is one of the request's
    tools and `arguments` its input, in which each object with number fields `x` and `y` is a point already
    mapped to screenshot pixels. Every call must be answered by one `ToolResult` in the next turn.
    """

    id: str
    name: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    proposals: tuple[Proposal, ...] = ()
    end: End | None = None
    look: bool = False
    """Whether the model only wants to see the screen, or `region` of it."""
    region: Box | None = None
    checks: tuple[Mapping[str, Any], ...] = ()
    """Safety questions of the provider; a result that repeats them says that a person approved."""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call.

    `read` is all input; `cached` is the part of it that came from the cache, `written` the part stored there.
    `wrote` is all output and `reasoning` a part of it.
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
    """A model's answer. As an earlier turn of a request, it is replayed unchanged."""

    text: str = ""
    thought: str = ""
    """Reasoning that the model showed, if any."""
    calls: tuple[Call, ...] = ()
    stop: Stop = "end"
    refusal: str = ""
    """Why the model declined; empty if it did not."""
    raw: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """The provider's own items, opaque; empty for a turn written by us, such as an exemplar."""
    wire: str = ""
    """The format of `raw`; a model of another format gets the text and the calls instead."""
    usage: Usage = Usage()
    model: str = ""
    seconds: float = 0.0
    id: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A message to the model: text and pictures."""

    parts: tuple[Part, ...]
    cache: bool = False
    """Whether later requests repeat everything up to the end of this turn word for word."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of one call: a message for the model, and the screen after the call."""

    call: str
    parts: tuple[Part, ...] = ()
    failed: bool = False
    """The call failed completely or in part; the text says why."""
    checks: tuple[Mapping[str, Any], ...] = ()
    """The safety questions of the call that a person approved."""


@dataclass(frozen=True, slots=True)
class Results:
    """The results of all calls of the reply before, in the same order."""

    results: tuple[ToolResult, ...]
    cache: bool = False


Turn: TypeAlias = Asked | Reply | Results


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    For `purpose="point"`, one `Asked` with words and a screenshot is enough for every model; the answer is
    one call whose only proposal is a click on the target. Otherwise give `tools`, or set `computer` for a
    model that has it, or neither for an answer in text.
    """

    purpose: Purpose
    turns: tuple[Turn, ...]
    system: str = ""
    tools: tuple[Tool, ...] = ()
    must_call: bool = False
    """Whether the answer must be a call."""
    computer: bool = False
    """Whether the model may use its own action space: a computer tool, or the actions it was trained on."""
    platform: str = ""
    """browser, x11, windows, android ...; some models have another action space for phones."""
    schema: Mapping[str, Any] | None = None
    """A JSON schema for the text of the answer, for services that can enforce one."""
    max_tokens: int = 4096
    seconds: float | None = None
    """Give up after this many seconds, retries included; None means the model's own limit."""
    shrink: float = 1.0
    """Factor for the sides of the pictures, to save tokens."""
    cache_key: str = ""
    """The same for all requests with a common beginning, such as the run's id."""

    @property
    def screen(self) -> Size | None:
        """The size of the last screenshot, in whose pixels the answer's points are."""
        shots = [*chain.from_iterable(map(pictures, self.turns))]
        return shots[-1].size if shots else None


@dataclass(frozen=True, slots=True)
class Traits:
    """What a model can do."""

    computer: bool = False
    """It has its own action space, so `Request.computer` may be set."""
    tools: bool = True
    """It takes function tools."""
    pictures: int = 20
    """How many screenshots one request may contain."""
    only_points: bool = False
    """It answers only `purpose="point"`."""
    ends: bool = False
    """Its own actions can say that a task is done, or that the person is needed."""


@runtime_checkable
class Model(Protocol):
    """A language model with vision."""

    @property
    def name(self) -> str:
        """The name as in the settings: `anthropic/claude-...`, `http://host:8000/v1#Qwen3-VL-8B`."""

    @property
    def traits(self) -> Traits: ...

    def complete(self, request: Request) -> Reply:
        """Send a request, with retries, deadline and picture sizes handled.

        A call that cannot be understood is a `Call` with an `error`; a refusal and an answer cut short are
        replies too.

        Raises:
            BadReply: the whole answer could not be understood, or the request is too long for the model.
            ModelUnavailable: the service does not answer, or keeps refusing.
            ConfigError: the model is unknown to the service, the key is wrong, or this model cannot take the
                request.
        """


@runtime_checkable
class Holds(Protocol):
    """A model with resources to release, such as connections."""

    def close(self) -> None: ...


def close(model: Model) -> None:
    """Release a model's resources; safe to call twice."""
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
