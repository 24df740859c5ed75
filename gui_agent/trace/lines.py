"""The words and the line formats in which a run is stored and shown.

A run's folder contains:

* `run.json`: the task, settings and versions, written before the first step;
* `observations.jsonl`: one line for each distinct screen; its elements are indices into a table to which
  each line adds its `new` elements, so that an unchanged element is written once;
* `steps.jsonl`: one line for each decision and each step, in order;
* `requests.jsonl`: each question to a model with its answer, if `trace.requests` is set;
* `images/`: each distinct picture once;
* `audit.jsonl`: a chain of seals, one for each line of `steps.jsonl`; `audit.json` seals all files;
* `ending.json`: how the run ended; missing if the process was killed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from gui_agent.core.actions import Action, Wait
from gui_agent.core.dialogue import Purpose
from gui_agent.core.observation import BY_KIND, NOWHERE, STRICT, Element, Place, Size
from gui_agent.core.trajectory import Decision, Ending, EndingKind, Found, Outcome, OutcomeKind, Planned, Task

Tone = Literal["good", "calm", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Wording:
    """A label, its symbol and its tone."""

    label: str
    symbol: str
    plain: str
    """The symbol if only ASCII can be shown."""
    tone: Tone


OUTCOMES: Mapping[OutcomeKind, Wording] = {
    "confirmed": Wording("Confirmed", "✓", "ok", "good"),
    "changed": Wording("Changed", "●", "*", "good"),
    "no_change": Wording("No visible change", "○", "-", "calm"),
    "unverifiable": Wording("Cannot be seen", "◌", "?", "calm"),
    "unexpected": Wording("Unexpected", "!", "!", "warn"),
    "failed": Wording("Failed", "✗", "x", "bad"),
}
ENDINGS: Mapping[EndingKind, Wording] = {
    "done": Wording("Done", "✓", "ok", "good"),
    "not_done": Wording("Not done", "✗", "x", "bad"),
    "refused": Wording("Refused", "✗", "x", "bad"),
    "limit": Wording("Stopped at a limit", "■", "!", "warn"),
    "stopped": Wording("Stopped", "■", "!", "warn"),
    "lost": Wording("Unavailable", "✗", "x", "bad"),
    "crashed": Wording("Crashed", "✗", "x", "bad"),
}
UNVERIFIED = Wording("Done, not verified", "✓", "ok?", "warn")
"""For a run that counts as done although nothing confirmed it."""
INTERRUPTED = Wording("Interrupted", "■", "!", "warn")
"""For a run without an ending: its process was killed, or is still running."""

ERRORS: Mapping[str, str] = {
    "BadReply": "The planner's answer could not be understood",
    "NotFound": "Not found on the screen",
    "Ambiguous": "Several things on the screen fit",
    "Forbidden": "Refused by the guard",
    "ActionFailed": "The device could not do it",
    "Stale": "The target had moved, gone or been covered",
}


def verdict(ending: Ending | None) -> Wording:
    if ending is not None and ending.kind == "done" and not ending.verified:
        return UNVERIFIED
    return ENDINGS[ending.kind] if ending else INTERRUPTED


def duration(seconds: float) -> str:
    """A time span at a precision people read: `3 ms`, `1.2 s`, `2 min 5 s`."""
    if seconds < 0.9995:
        milliseconds = seconds * 1000
        return f"{milliseconds:.1f} ms" if 0.05 <= milliseconds < 0.95 else f"{milliseconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


RUN = "run.json"
STEPS = "steps.jsonl"
OBSERVATIONS = "observations.jsonl"
REQUESTS = "requests.jsonl"
ENDING = "ending.json"
IMAGES = "images"
REPORT = "report.html"
MOVING = "run.gif"
AUDIT = "audit.jsonl"
SEAL = "audit.json"
FORMAT: Final = "guiagent-run-1"
ROLES: Final[Mapping[Purpose, str]] = {
    "plan": "planner",
    "point": "grounder",
    "judge": "reflector",
    "verify": "verifier",
}
"""The part of the agent that asks a model, by the purpose of the question."""
MediaType: TypeAlias = Literal["image/png", "image/jpeg", "image/webp"]
MEDIA: Final[Mapping[str, MediaType]] = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
"""Media types of pictures, by file extension."""


@dataclass(frozen=True, slots=True)
class RunMeta:
    """What is known of a run before its first step."""

    id: str
    task: Task
    started: str
    """ISO 8601 with the offset from UTC."""
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The resolved settings without secrets."""
    versions: Mapping[str, str] = field(default_factory=dict, hash=False)
    """guiagent, python, platform and the libraries in use."""
    format: Literal["guiagent-run-1"] = FORMAT
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class ObservationLine:
    """An observed screen."""

    number: int
    """1-based; decisions and steps refer to it."""
    size: Size
    place: Place = NOWHERE
    new: tuple[Element, ...] = ()
    """Elements that no earlier line had in exactly this form."""
    first: int = 0
    """Index in the table at which `new` begins; stored, so that a lost line does not shift the rest."""
    elements: tuple[int, ...] = ()
    """The elements of this screen, as 0-based indices into the table."""
    picture: str = ""
    """File name in `images`."""
    picture_size: Size | None = None
    more: Mapping[str, int] = field(default_factory=dict, hash=False)
    left_out: int = 0
    notices: tuple[str, ...] = ()
    state: str = ""
    """Equal for screens that a person would call the same."""
    console: tuple[str, ...] = ()
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class DecisionLine:
    """A planner's decision."""

    decision: Decision
    observation: int
    seconds: float = 0.0
    at: float = 0.0
    """Seconds since the start of the run."""
    kind: Literal["decision"] = field(default="decision", kw_only=True)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step and its outcome."""

    number: int
    planned: Planned
    before: int
    after: int
    outcome: Outcome
    action: Action | Wait | None = None
    found: Mapping[str, Found] = field(default_factory=dict, hash=False)
    error: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict, hash=False)
    at: float = 0.0
    """Seconds since the start of the run."""
    requests: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    means: str = ""
    kind: Literal["step"] = field(default="step", kw_only=True)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


Line: TypeAlias = Annotated[DecisionLine | StepLine, BY_KIND]


@dataclass(frozen=True, slots=True)
class EndingLine:
    """How the run ended, with the figures for a list of runs; `cost` is in dollars."""

    ending: Ending
    seconds: float
    steps: int
    model_calls: int
    problems: tuple[str, ...] = ()
    """What is missing in this folder and why."""
    cost: float = 0.0
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
