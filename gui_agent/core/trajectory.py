"""Values of a run: task, decisions, steps, turns, endings, its result; and demonstrations of a task.

Planners write bookmarks into their decisions, and get them back next time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any, Literal, Self, TypeAlias, TypeVar, cast

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

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Task(Strict):
    """What a person wants done."""

    text: str
    """In its words; `{name}` is the place of a value, which is no part of them."""
    start: str = ""
    """Address, application or file to begin with; empty means the screen as it is."""
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Values given by name: of places in the text, or of the slots of a demonstration."""
    criteria: tuple[Condition[Target], ...] = ()
    """When all of these hold the task is done."""
    wanted: str = ""
    """A JSON Schema that the answer has to fit; empty leaves it free."""

    @property
    def full_text(self) -> str:
        """The text with its values in it, for people; what acts reads `text` and binds the values itself."""
        return with_values(self.text, self.values) if self.values else self.text


@dataclass(frozen=True, slots=True)
class Planned(Strict):
    """One action of a decision and what it is expected to bring about."""

    action: Proposal
    expect: tuple[Condition[Target], ...] = ()
    why: str = ""
    optional: bool = False
    """When its target is not there, go on with the next action instead of ending the batch."""
    signs: tuple[Condition[Target], ...] = ()
    """What showed in an example that it was taken: where most of it appears, the step is confirmed."""


@dataclass(frozen=True, slots=True)
class Finish(Strict):
    """The planner says that the task is done; `answer` is what was asked for, if anything."""

    answer: str = ""
    looked: bool = field(default=False, kw_only=True, compare=False)
    """Whether the last thing the task asked for was to look at what the screen shows."""
    kind: Literal["finish"] = field(default="finish", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class GiveUp(Strict):
    """The planner does not know how to go on, and says what it did not know or find."""

    reason: str
    error: str = ""
    """Class name of what stood in the way, such as NotFound."""
    candidates: tuple[Element, ...] = field(default=(), repr=False)
    """What could have been meant, best first."""
    step: str = ""
    """The step of the plan that cannot be done, in words; empty where no step is at fault."""
    sought: Words | None = None
    """What the step names and the screen does not show for sure."""
    verb: str = ""
    """The kind of action for which it was looked for, such as click."""
    kind: Literal["give_up"] = field(default="give_up", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Ask(Strict):
    """The planner needs a word from the person before it can go on."""

    question: str
    kind: Literal["ask"] = field(default="ask", kw_only=True, repr=False)


End: TypeAlias = Annotated[Finish | GiveUp | Ask, BY_KIND]
ALIAS = "alias"
"""How a target was found that is what the person called so, see `core.clarification`."""
PERSON = "person"
"""Who decided a turn in which the person acted, or said something: that is its `thought`."""


@dataclass(frozen=True, slots=True)
class ToolUse(Strict):
    """A tool beside the screen that a decision has called, and what came of it."""

    what: str
    """The call in words, `write_file(path="a.txt", text="...")`."""
    result: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Decision(Strict):
    """What a planner said at one moment: a batch of actions, or an end of the run, or a question."""

    thought: str = ""
    planned: tuple[Planned, ...] = ()
    end: End | None = None
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Values read off the screen, by name; kept for the rest of the run and given back in the result."""
    bookmark: str = ""
    """Opaque to the loop. Planners are stateless: what they need to know next time they write here."""
    planner: str = ""
    """Who decided: plain, demonstration, model ..."""
    calls: int = 0
    criteria: tuple[Condition[Target], ...] = ()
    """What the planner says will be true once the task is done; it says so when it begins."""
    called: tuple[ToolUse, ...] = ()
    """Tools that were called in place of actions; each counts as a step of the run's limit."""
    pictured: bool = False
    """Whether who decided was shown a picture of the screen."""


@dataclass(frozen=True, slots=True)
class Found(Strict):
    """Where a target is: the point to act on, the element there, and how sure the grounder is."""

    point: Point
    element: Element | None = None
    box: Box | None = None
    score: float = 1.0
    """0 to 1."""
    how: str = ""
    """Which way found it: mark, exact name, fuzzy name, label, neighbour, role, point ..."""
    calls: int = 0
    """Model calls spent on finding it."""
    record: str = ""
    """The row, list item or card that it is in, in words; empty where its name alone tells it apart."""


def found_element(found: Mapping[str, Found]) -> Element | None:
    """The element that an action is done to; None where it is done to none, or to an unknown one."""
    return found["at"].element if "at" in found else None


OutcomeKind = Literal["confirmed", "changed", "no_change", "unexpected", "unverifiable", "failed"]


@dataclass(frozen=True, slots=True)
class Outcome(Strict):
    """What an action did, as far as code could tell.

    confirmed: the expectation holds, or the value was read back. changed: the screen changed, nothing
    more is known. no_change: nothing visible happened. unexpected: an expectation is contradicted.
    unverifiable: the screen cannot tell. failed: the action was not carried out; `summary` says why.
    """

    kind: OutcomeKind
    summary: str = ""
    """One line for people and planners: what visibly changed, or the error and the next sensible step."""
    evidence: tuple[str, ...] = ()
    calls: int = 0
    """Model calls spent on this judgement."""
    advice: str = ""
    """What the person can do about a failure; models are not told."""
    candidates: tuple[Element, ...] = field(default=(), repr=False)
    """What could have been meant, where the action failed because nothing or too much fits."""

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
    """What was sent to the device; None when it was not found or refused."""
    found: Mapping[str, Found] = field(default_factory=dict, hash=False)
    """Grounded places by field: at, to."""
    error: str = ""
    """Class name of the StepFailed, empty when none."""
    seconds: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Time by part: ground, guard, act, settle, observe, check."""
    requests: tuple[str, ...] = ()
    """What left during the step and changes something: method, address and a keyed digest of the contents."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A decision and the steps that were taken on it."""

    decision: Decision
    observation: Observation = field(repr=False)
    """The screen that was decided upon."""
    steps: tuple[Step, ...] = ()
    seconds: float = 0.0
    """Time the planner took."""

    @property
    def screens(self) -> tuple[Observation, ...]:
        """The screen that was decided upon, and those that its steps left."""
        return self.observation, *(step.after for step in self.steps)

    @property
    def own_steps(self) -> tuple[Step, ...]:
        """The steps that carried out what was planned; not those that first brought its target into sight."""
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
    """Class name of what kept it from being done, where one is known: NotFound, CheckFailed ..."""
    candidates: tuple[Element, ...] = field(default=(), repr=False)
    """What could have been meant, best first."""
    verified: bool = True
    """False for a run that counts as done although nothing confirmed it; `reason` says why."""

    @property
    def exit_code(self) -> ExitCode:
        return EXIT_CODES[self.kind]


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A run, whole or so far."""

    task: Task
    turns: tuple[Turn, ...] = ()
    ending: Ending | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(chain.from_iterable(turn.steps for turn in self.turns))

    @property
    def screens(self) -> tuple[Observation, ...]:
        """All screens on which something was decided, or that an action left, in their order."""
        return tuple(chain.from_iterable(turn.screens for turn in self.turns))

    @property
    def own_criteria(self) -> tuple[Condition[Target], ...]:
        """The criteria that planners set for the task when they began."""
        return tuple(chain.from_iterable(turn.decision.criteria for turn in self.turns))

    @property
    def model_calls(self) -> int:
        """All model calls of the run: decisions, places, judgements and the check at the end."""
        decided = sum(turn.decision.calls for turn in self.turns)
        judged = sum(step.outcome.calls for step in self.steps)
        places = chain.from_iterable(step.found.values() for step in self.steps)
        found = sum(place.calls for place in places)
        return decided + judged + found + (self.ending.calls if self.ending else 0)

    @property
    def notes(self) -> dict[str, str]:
        """All values read off the screen so far; a later one replaces an earlier one of the same name."""
        merged: dict[str, str] = {}
        for turn in self.turns:
            merged.update(turn.decision.notes)
        return merged


EVENTS = ("started", "decided", "stepped", "ended")
"""The methods of an observer."""


@dataclass(frozen=True, slots=True)
class Screen(Strict):
    """The abstract of a screen: what was on it when a step was taken, without the picture."""

    size: Size
    place: Place = NOWHERE
    elements: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True)
class DemoStep(Strict):
    """One recorded action with its target's fingerprint and the change that was observed."""

    action: Recorded
    screen: Screen | None = None
    """The screen just before the action."""
    element: int = 0
    """Id of the target among `screen.elements`; 0 when it had none."""
    to_element: int = 0
    """Id of the place where a drag ended; 0 when it had none."""
    expect: tuple[Condition[Fingerprint], ...] = ()
    """Post-conditions: what had changed when the screen was quiet again."""
    seconds: float = 0.0
    """Time from the action to the quiet screen, without the person's thinking time."""
    why: str = ""
    """Why it was done, in a person's or a model's words; shown to models, never needed to do it."""


@dataclass(frozen=True, slots=True)
class Demonstration(Strict):
    """A task and the steps that did it."""

    task: str
    steps: tuple[DemoStep, ...]
    start: str = ""
    """Address, application or file it began with."""
    slots: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Values of this recording by slot name, when the recorder knows them."""
    platform: str = ""
    """browser, x11, windows, android ..."""
    answer: str = ""
    """What the run read off the screen as its result."""
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    final: Screen | None = None
    """The screen after the last step."""
    origin: str = ""
    """Where it comes from: teach, run <id>, import <file> ..."""
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
"""What the endings raise that say no class themselves."""


@dataclass(frozen=True, slots=True)
class Result:
    """What the caller of a run gets: how it ended, what was read, all that happened, what it cost."""

    trajectory: Trajectory
    seconds: float = 0.0
    folder: str = ""
    """The run's folder with the trace; empty when none was written."""
    tokens: int = 0
    """Read and written by models."""
    cost: float = 0.0
    """Dollars, of the models whose price is known."""
    output: Any = None
    """The answer as a value of the `schema` that was asked for; None without one."""

    @property
    def ending(self) -> Ending:
        """How it ended and why."""
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
        """Whether the task is done and that was confirmed: by code for what it did itself, or by a check."""
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
        """What kept the task from being done, with its candidates; None when it is done."""
        ending = self.ending
        if self.ok:
            return None
        kind = getattr(errors, ending.error, _ERRORS.get(ending.kind, errors.NotDone))
        found: errors.GuiAgentError = kind(ending.reason)
        found.result, found.candidates = self, ending.candidates
        return found

    def raise_for_status(self) -> Self:
        """This result when the task is done.

        Raises:
            GuiAgentError: it is not; the class says why (NotFound, Ambiguous, CheckFailed, Unproven,
                Forbidden, Stopped, NotUnderstood, LimitReached ...), `candidates` what was near.
        """
        if (error := self.error) is not None:
            raise error
        return self


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
