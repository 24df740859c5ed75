"""Values of a run (task, decisions, steps, turns, ending, result), and demonstrations of a task.

Planners write bookmarks into their decisions, and get them back with the next decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape
from itertools import chain
from typing import Annotated, Any, Generic, Literal, Self, TypeAlias, TypeVar, cast

from typing_extensions import TypeVar as DefaultTypeVar

from gui_agent.core import errors
from gui_agent.core.actions import Action, Proposal, Recorded, Wait
from gui_agent.core.binding import with_values
from gui_agent.core.codec import decode
from gui_agent.core.conditions import Condition
from gui_agent.core.errors import ConfigError, ExitCode
from gui_agent.core.observation import (
    BY_KIND,
    NOWHERE,
    Box,
    Element,
    Fingerprint,
    Observation,
    Place,
    Point,
    Size,
    Strict,
    Target,
    Words,
)
from gui_agent.core.texts import shorten

T = TypeVar("T")
Output = DefaultTypeVar("Output", default=Any)
"""The type that a caller wants the answer of a run in."""


@dataclass(frozen=True, slots=True)
class Task(Strict):
    """A person's task."""

    text: str
    """The task in words; `{name}` is a slot for a value."""
    start: str = ""
    """Address, application or file to begin with; empty means the current screen."""
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Values by name: of slots in the text, or of a demonstration."""
    criteria: tuple[Condition[Target], ...] = ()
    """The task is done when all of these hold."""
    wanted: str = ""
    """A JSON Schema that the answer must fit; empty allows any answer."""

    @property
    def full_text(self) -> str:
        """The text with its values filled in, for people; planners use `text` and bind the values
        themselves.
        """
        return with_values(self.text, self.values) if self.values else self.text


@dataclass(frozen=True, slots=True)
class Planned(Strict):
    """One action of a decision and its expected effect."""

    action: Proposal
    expect: tuple[Condition[Target], ...] = ()
    why: str = ""
    optional: bool = False
    """If its target is missing, go on with the next action instead of ending the batch."""
    signs: tuple[Condition[Target], ...] = ()
    """What an example showed after the step: if most of it newly appears, the step is confirmed."""


@dataclass(frozen=True, slots=True)
class Finish(Strict):
    """The planner says that the task is done; `answer` is the requested answer, if any."""

    answer: str = ""
    looked: bool = field(default=False, kw_only=True, compare=False)
    """Whether the task ended with looking at what the screen shows."""
    kind: Literal["finish"] = field(default="finish", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class GiveUp(Strict):
    """The planner cannot go on, and says what it did not know or find."""

    reason: str
    error: str = ""
    """Class name of the error, such as NotFound."""
    candidates: tuple[Element, ...] = field(default=(), repr=False)
    """The elements that the target may mean, best first."""
    step: str = ""
    """The step of the plan that cannot be done, in words; empty if no step is at fault."""
    sought: Words | None = None
    """The target of the step that the screen does not show for sure."""
    verb: str = ""
    """The kind of action that the target was looked for, such as click."""
    kind: Literal["give_up"] = field(default="give_up", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Ask(Strict):
    """The planner needs an answer from the person before it can go on."""

    question: str
    kind: Literal["ask"] = field(default="ask", kw_only=True, repr=False)


End: TypeAlias = Annotated[Finish | GiveUp | Ask, BY_KIND]
ALIAS = "alias"
"""How a target was found that is what the person called so, see `core.clarification`."""
PERSON = "person"
"""The planner name of a turn in which the person acted, or wrote a message (its `thought`)."""


@dataclass(frozen=True, slots=True)
class ToolUse(Strict):
    """A tool call of a decision that does not use the screen, and its result."""

    what: str
    """The call in words, `write_file(path="a.txt", text="...")`."""
    result: str
    failed: bool = False

    def __str__(self) -> str:
        return f"{self.what}: {shorten(self.result, 240)}"


@dataclass(frozen=True, slots=True)
class Decision(Strict):
    """One decision of a planner: a batch of actions, an end of the run, or a question."""

    thought: str = ""
    planned: tuple[Planned, ...] = ()
    end: End | None = None
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Values read off the screen, by name; kept for the run and returned in the result."""
    bookmark: str = ""
    """The planner's own state, opaque to the loop. Planners are stateless and read it back here."""
    planner: str = ""
    """Name of the planner: plain, demonstration, model ..."""
    calls: int = 0
    criteria: tuple[Condition[Target], ...] = ()
    """What the planner expects to hold when the task is done; set in its first decision."""
    called: tuple[ToolUse, ...] = ()
    """Tools called instead of actions; each counts as a step of the run's limit."""
    pictured: bool = False
    """Whether the planner was shown a picture of the screen."""
    dropped: tuple[str, ...] = ()
    """Names of earlier notes that do not hold any more."""


@dataclass(frozen=True, slots=True)
class Found(Strict):
    """A located target: the point to act on, the element there, and how sure the grounder is."""

    point: Point
    element: Element | None = None
    box: Box | None = None
    score: float = 1.0
    """0 to 1."""
    how: str = ""
    """How it was found: mark, exact name, fuzzy name, label, neighbour, role, point ..."""
    calls: int = 0
    """Model calls spent on finding it."""
    record: str = ""
    """The row, list item or card around it, in words; empty if the name alone is unique."""


def found_element(found: Mapping[str, Found]) -> Element | None:
    """The element that an action acts on; None if it has none or an unknown one."""
    return found["at"].element if "at" in found else None


OutcomeKind = Literal["confirmed", "changed", "no_change", "unexpected", "unverifiable", "failed"]


@dataclass(frozen=True, slots=True)
class Outcome(Strict):
    """What an action did, as far as code could determine.

    confirmed: the expectation holds, or the value was read back. changed: the screen changed, nothing
    more is known. no_change: nothing visible happened. unexpected: an expectation is contradicted.
    unverifiable: the screen cannot tell. failed: the action was not carried out; `summary` says why.
    """

    kind: OutcomeKind
    summary: str = ""
    """One line for people and planners: the visible change, or the error and the next sensible step."""
    evidence: tuple[str, ...] = ()
    calls: int = 0
    """Model calls spent on this judgement."""
    advice: str = ""
    """What the person can do about a failure; models do not see it."""
    candidates: tuple[Element, ...] = field(default=(), repr=False)
    """The elements that the target may mean, if none or several matched."""

    @property
    def for_person(self) -> str:
        """The summary with the advice."""
        return "; ".join(filter(None, (self.summary, self.advice)))

    @property
    def good(self) -> bool:
        """Whether a plan may go on after it."""
        return self.kind in ("confirmed", "changed", "no_change", "unverifiable")


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a run, from proposal to outcome."""

    number: int
    """1-based within the run."""
    planned: Planned
    before: Observation = field(repr=False)
    after: Observation = field(repr=False)
    outcome: Outcome
    action: Action | Wait | None = None
    """The action sent to the device; None if its target was not found or it was refused."""
    found: Mapping[str, Found] = field(default_factory=dict, hash=False)
    """Located targets by field: at, to."""
    error: str = ""
    """Class name of the StepFailed, or empty."""
    seconds: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Seconds by part: ground, guard, act, settle, observe, check."""
    requests: tuple[str, ...] = ()
    """Changing requests during the step: method, address and a keyed digest of the contents."""
    allowed: tuple[str, ...] = ()
    """Answers of the person from earlier runs that let it pass, such as `send@mail.example.org`."""
    means: str = ""
    """`pointer`, `keyboard`, `own pointer`, `own keyboard`, `accessibility` or `script`; empty if the
    computer acted otherwise or does not say so.
    """


@dataclass(frozen=True, slots=True)
class Turn:
    """A decision and the steps taken on it."""

    decision: Decision
    observation: Observation = field(repr=False)
    """The screen on which the planner decided."""
    steps: tuple[Step, ...] = ()
    seconds: float = 0.0
    """Seconds the planner took."""

    @property
    def screens(self) -> tuple[Observation, ...]:
        """The screen of the decision, and the screens after its steps."""
        return self.observation, *(step.after for step in self.steps)

    @property
    def own_steps(self) -> tuple[Step, ...]:
        """The steps that carried out the plan, without those that scrolled to its targets."""
        return tuple(step for step in self.steps if step.planned in self.decision.planned)


EndingKind: TypeAlias = Literal["done", "not_done", "refused", "limit", "stopped", "lost", "crashed"]
EXIT_CODES: Mapping[EndingKind, ExitCode] = {
    "done": ExitCode.DONE,
    "not_done": ExitCode.NOT_DONE,
    "limit": ExitCode.NOT_DONE,
    "refused": ExitCode.REFUSED,
    "stopped": ExitCode.INTERRUPTED,
    "lost": ExitCode.UNAVAILABLE,
    "crashed": ExitCode.BUG,
}


@dataclass(frozen=True, slots=True)
class Ending(Strict):
    """How a run ended and why."""

    kind: EndingKind
    reason: str = ""
    answer: str = ""
    calls: int = 0
    """Model calls spent on checking that the task is done."""
    error: str = ""
    """Class name of the error that prevented the task, if known: NotFound, CheckFailed ..."""
    candidates: tuple[Element, ...] = field(default=(), repr=False)
    """The elements that the target may mean, best first."""
    verified: bool = True
    """False for a run that counts as done although nothing confirmed it; `reason` says why."""

    @property
    def exit_code(self) -> ExitCode:
        return EXIT_CODES[self.kind]


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A run, complete or so far."""

    task: Task
    turns: tuple[Turn, ...] = ()
    ending: Ending | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(chain.from_iterable(turn.steps for turn in self.turns))

    @property
    def screens(self) -> tuple[Observation, ...]:
        """All screens of decisions and after actions, in order."""
        return tuple(chain.from_iterable(turn.screens for turn in self.turns))

    @property
    def own_criteria(self) -> tuple[Condition[Target], ...]:
        """The criteria that planners set for the task in their first decisions."""
        return tuple(chain.from_iterable(turn.decision.criteria for turn in self.turns))

    @property
    def model_calls(self) -> int:
        """All model calls of the run: decisions, grounding, judgements and the final check."""
        decided = sum(turn.decision.calls for turn in self.turns)
        judged = sum(step.outcome.calls for step in self.steps)
        places = chain.from_iterable(step.found.values() for step in self.steps)
        found = sum(place.calls for place in places)
        return decided + judged + found + (self.ending.calls if self.ending else 0)

    @property
    def notes(self) -> dict[str, str]:
        """All values read off the screen so far; a later value replaces an earlier one of the same name."""
        merged: dict[str, str] = {}
        for turn in self.turns:
            merged.update(turn.decision.notes)
            for name in turn.decision.dropped:
                merged.pop(name, None)
        return merged


EVENTS = ("started", "decided", "stepped", "ended")
"""The methods of an observer."""


@dataclass(frozen=True, slots=True)
class Screen(Strict):
    """The abstract of a screen: the elements when a step was taken, without the picture."""

    size: Size
    place: Place = NOWHERE
    elements: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True)
class DemoStep(Strict):
    """One recorded action with its target's fingerprint and its observed effect."""

    action: Recorded
    screen: Screen | None = None
    """The screen just before the action."""
    element: int = 0
    """Id of the target in `screen.elements`; 0 if it had none."""
    to_element: int = 0
    """Id of the element where a drag ended; 0 if there is none."""
    expect: tuple[Condition[Fingerprint], ...] = ()
    """Post-conditions: what had changed when the screen had settled."""
    seconds: float = 0.0
    """Seconds from the action to the settled screen, without the person's thinking time."""
    why: str = ""
    """The reason for the step, in a person's or a model's words; shown to models, never needed to
    replay it.
    """
    idle: bool = False
    """Whether the run saw that it had no effect."""


@dataclass(frozen=True, slots=True)
class Demonstration(Strict):
    """A task and the steps that did it."""

    task: str
    steps: tuple[DemoStep, ...]
    start: str = ""
    """Address, application or file it began with."""
    slots: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Values of this recording by slot name, if the recorder knows them."""
    platform: str = ""
    """browser, x11, windows, android ..."""
    answer: str = ""
    """What the run read off the screen as its result."""
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    final: Screen | None = None
    """The screen after the last step."""
    origin: str = ""
    """Its source: teach, run <id>, import <file> ..."""
    created: str = ""
    """ISO 8601."""
    format: Literal["guiagent-demonstration-1"] = "guiagent-demonstration-1"


_ERRORS: Mapping[EndingKind, type[errors.GuiAgentError]] = {
    "refused": errors.Forbidden,
    "limit": errors.LimitReached,
    "stopped": errors.Stopped,
    "lost": errors.Unavailable,
    "crashed": errors.GuiAgentError,
}
"""The errors of endings that name no error class."""


@dataclass(frozen=True, slots=True)
class Result(Generic[Output]):
    """What the caller of a run gets: its ending, the values it read, its steps and its cost."""

    trajectory: Trajectory
    seconds: float = 0.0
    folder: str = ""
    """The run's folder with the trace; empty if none was written."""
    tokens: int = 0
    """Tokens read and written by models."""
    cost: float = 0.0
    """Dollars, for models with a known price."""
    output: Output | None = None
    """The answer as a value of the given `schema`; None without one."""

    @property
    def ending(self) -> Ending:
        """How the run ended and why."""
        assert self.trajectory.ending is not None
        return self.trajectory.ending

    @property
    def outcome(self) -> EndingKind:
        return self.ending.kind

    @property
    def ok(self) -> bool:
        return self.ending.kind == "done"

    @property
    def verified(self) -> bool:
        """Whether the task is done and that was confirmed, by code or by a verifier."""
        return self.ok and self.ending.verified

    @property
    def reason(self) -> str:
        return self.ending.reason

    @property
    def answer(self) -> str:
        return self.ending.answer

    @property
    def notes(self) -> dict[str, str]:
        """Values read off the screen, by name."""
        return self.trajectory.notes

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.trajectory.steps

    @property
    def turns(self) -> tuple[Turn, ...]:
        return self.trajectory.turns

    @property
    def model_calls(self) -> int:
        return self.trajectory.model_calls

    @property
    def exit_code(self) -> errors.ExitCode:
        return self.ending.exit_code

    @property
    def error(self) -> errors.GuiAgentError | None:
        """The error that prevented the task, with its candidates; None if the task is done."""
        ending = self.ending
        if self.ok:
            return None
        kind = getattr(errors, ending.error, _ERRORS.get(ending.kind, errors.NotDone))
        found: errors.GuiAgentError = kind(ending.reason)
        found.result, found.candidates = self, ending.candidates
        return found

    def _repr_html_(self) -> str:
        """The result in a notebook: how it ended, the values read, and the last picture."""
        said = [(self.outcome, self.answer or self.reason), *self.notes.items()]
        rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in said)
        shot = self.steps[-1].after.screenshot if self.steps else None
        return f"<table>{rows}</table>{shot.as_html() if shot else ''}"

    def raise_for_status(self) -> Self:
        """Return this result if the task is done.

        Raises:
            GuiAgentError: it is not done; the class says why (NotFound, Ambiguous, CheckFailed, Unproven,
                Forbidden, Stopped, NotUnderstood, LimitReached ...), `candidates` lists the nearest elements.
        """
        if (error := self.error) is not None:
            raise error
        return self


@dataclass(frozen=True, slots=True)
class Baton(Strict):
    """The bookmark of a cascade: which planner decides and why, and that planner's own bookmark."""

    stage: int
    inner: str = ""
    advice: tuple[str, ...] = ()
    """Why the planners before gave up, and the rest of their plans."""
    returns: int = 0
    """How often an earlier planner has resumed."""


def bookmark(kind: type[T], turn: Turn) -> T | None:
    """The value of this kind in a turn's bookmark; None if there is none, or another planner's.

    Cached, because every decision reads the same turns again.
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
    """The turn as seen by a planner whose bookmark is the `inner` of one of this kind; others unchanged."""
    around = bookmark(kind, turn)
    return turn if around is None else replace(turn, decision=replace(turn.decision, bookmark=around.inner))
