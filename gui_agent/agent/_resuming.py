"""Resumes a broken-off run, and recalls earlier runs that a model is shown.

Planners are stateless: they do again whatever is missing from the turns of a run, each in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

from gui_agent.agent.guard.ledger import IRREVERSIBLE, RecallsLedger
from gui_agent.agent.guard.meaning import classify
from gui_agent.agent.limits import notify
from gui_agent.core.actions import Wait
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.observation import Element, Observation
from gui_agent.core.protocols import Exemplar, ExemplarSource, Guard
from gui_agent.core.redaction import Redactor
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import PERSON, Step, Task, Trajectory, Turn
from gui_agent.elements.describe import describe_step
from gui_agent.elements.roles import CHOICES, FIELDS, LATCHING, RADIOS

_FILLED_IN = FIELDS | CHOICES | LATCHING | RADIOS | {"option", "textarea"}
"""Roles of elements that a step may change although its target is another, such as a combobox by its
option.
"""
_MARKS = frozenset({"checked", "mixed", "selected", "pressed", "expanded"})
_PASSWORD = "password"
_MOST_TOLD = 4
"""How many differences a refusal lists."""

Identity = tuple[str, str, str]
"""How an element is identified on a reloaded screen: role, name and structural path."""
ElementState = tuple[str, frozenset[str]] | None
"""The value and marks of an element; None if it is not shown."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """How an interrupted run goes on."""

    turns: tuple[Turn, ...]
    """The turns whose effects are still there."""
    screen: Observation
    advice: tuple[str, ...] = ()
    refusal: str = ""
    """Why the run cannot go on; empty when it can."""


def resume_run(
    begun: Trajectory,
    start: str,
    observe_start: Callable[[str], Observation],
    guard: Guard,
    observers: Sequence[object],
) -> Resumed:
    """Go to where a run broke off, else to its start, and find the last of its screens that is still valid.

    A screen is valid if everything that the run has touched or filled in is as the trace recorded it. Later
    steps are done again, unless one of them may have sent something: then the run cannot go on.
    Observers get the start and the kept turns, so that the new trace is complete.

    Args:
        begun: the run so far.
        start: where the task begins; empty for whatever is shown.
        observe_start: opens an address, if there is one, and observes the screen.
    """
    turns = begun.turns
    try:
        resumed = _resume_turns(turns, start, observe_start)
        turns = resumed.turns
    finally:
        notify(observers, "started", begun.task)
        for turn in turns:
            notify(observers, "decided", replace(turn, steps=()))
            for step in turn.steps:
                notify(observers, "stepped", step)
    if isinstance(guard, RecallsLedger) and (done := guard.done_before):
        sent = f"Sent or paid before the break; do not repeat: {'; '.join(done)}"
        resumed = replace(resumed, advice=(*resumed.advice, sent))
    return resumed


def _resume_turns(
    turns: tuple[Turn, ...], start: str, observe_start: Callable[[str], Observation]
) -> Resumed:
    done = [*chain.from_iterable(zip(repeat(turn), turn.steps) for turn in turns)]
    if not done:
        return Resumed(_turns_up_to(turns, 0), observe_start(start))
    steps = [step for _, step in done]
    touched = frozenset(chain.from_iterable(map(_touched_elements, steps)))
    screens = [*(step.before for step in steps), steps[-1].after]
    refused: Resumed | None = None
    for address in dict.fromkeys((screens[-1].place.url or start, start)):
        screen = observe_start(address)
        kept = len(steps)
        while (lost := _differences(touched, screens[kept], screen)) and kept:
            if _is_final(*done[kept - 1]):
                break
            kept -= 1
        if not lost:
            return Resumed(_turns_up_to(turns, kept), screen, (_explanation(steps, kept),))
        missing = _differences(touched, screens[-1], screen)
        refused = refused or Resumed(turns, screen, refusal=_refusal(missing, steps, kept))
    assert refused is not None
    return refused


def _touched_elements(step: Step) -> Iterator[Identity]:
    yield from (_identity(at.element) for at in step.found.values() if at.element is not None)
    before = {_identity(one): one for one in step.before.elements if one.role in _FILLED_IN}
    for one in step.after.elements:
        was = before.get(_identity(one))
        if was is not None and _state_of(was) != _state_of(one):
            yield _identity(one)


def _identity(element: Element) -> Identity:
    return element.role, normal(element.name), element.path


def _state_of(element: Element) -> ElementState:
    # A trace does not store the length of a password.
    value = bool(element.value) * _PASSWORD if _PASSWORD in element.states else element.value
    return value, element.states & _MARKS


def _state_on_screen(identity: Identity, screen: Observation) -> ElementState:
    role, name, path = identity
    alike = [one for one in screen.elements if one.role == role and normal(one.name) == name]
    found = next((one for one in alike if one.path == path), alike[0] if alike else None)
    return _state_of(found) if found is not None else None


def _differences(touched: frozenset[Identity], then: Observation, now: Observation) -> list[str]:
    """What differs from the recorded screen, in words; empty if nothing does.

    The address counts only if the screen shows anything that the run touched: otherwise one page is as good
    as another.
    """
    told, shown = [], False
    for one in sorted(touched):
        was, is_now = _state_on_screen(one, then), _state_on_screen(one, now)
        shown = shown or was is not None or is_now is not None
        if was != is_now:
            told.append(_change_in_words(one, was, is_now))
    if shown and (then.place.url or then.place.app) != (now.place.url or now.place.app):
        instead = f"in place of {then.place.url or then.place.app}"
        told.append(f"{now.place.url or now.place.app} is shown {instead}")
    return told


def _change_in_words(identity: Identity, was: ElementState, now: ElementState) -> str:
    what = f'{identity[0]} "{identity[1]}"'
    if was is None or now is None:
        return f"{what} was {'there' if was else 'not there'} and now is{'' if now else ' not'}"
    return f"{what} held {_in_words(*was)} and now holds {_in_words(*now)}"


def _in_words(value: str, marks: frozenset[str]) -> str:
    return " ".join(filter(None, [f'"{value}"' if value else "", *sorted(marks)])) or "nothing"


def _is_final(turn: Turn, step: Step) -> bool:
    """Whether a step must not be repeated: it may have sent something, or was not the agent's own."""
    if step.requests or turn.decision.planner == PERSON or turn.decision.called:
        return True
    if step.action is None or isinstance(step.action, Wait):
        return False
    try:
        readings = classify(step.action, step.found, step.before)
    except GuiAgentError:
        return True
    return any(reading.meaning in IRREVERSIBLE for reading in readings)


def _turns_up_to(turns: tuple[Turn, ...], kept: int) -> tuple[Turn, ...]:
    left = kept
    for place, turn in enumerate(turns):
        if left < len(turn.steps):
            return turns[:place] + ((replace(turn, steps=turn.steps[:left]),) if left else ())
        left -= len(turn.steps)
    while turns and turns[-1].decision.planned and not turns[-1].steps:
        turns = turns[:-1]
    return turns


def _explanation(steps: Sequence[Step], kept: int) -> str:
    again = "; ".join(shorten(describe_step(step), 80) for step in steps[kept:])
    lost = f"what was done after step {kept} is undone and left out here: {again}. Do it again"
    state = lost if again else "it is as it was left: repeat nothing"
    broke = f"The run was interrupted after step {len(steps)} and goes on now."
    return f"{broke} The screen was looked at again; {state}."


def _refusal(missing: Sequence[str], steps: Sequence[Step], kept: int) -> str:
    last = f" step {kept}, {describe_step(steps[kept - 1])}, must not be done a second time:" if kept else ""
    lost = f"the run cannot go on where it broke off: {'; '.join(missing[:_MOST_TOLD])};{last}"
    return f"{lost} check its effect, and start the rest as a new task"


PLACES = 4
"""For how many programs of a run the memory is searched."""


class Recalls:
    """The exemplars of one run. Those once shown stay, so that the provider's prompt cache remains valid."""

    def __init__(self, source: ExemplarSource, secrets: Redactor, task: Task) -> None:
        self._source, self._secrets, self._task = source, secrets, task
        self._shown: tuple[Exemplar, ...] = ()
        self._places: set[str] = set()

    def exemplars_at(self, screen: Observation, turns: int) -> tuple[Exemplar, ...]:
        """Exemplars for the whole task, and, from the turn that first shows another program, for that
        program.
        """
        app = screen.place.app
        if app not in self._places and len(self._places) < PLACES:
            goal = self._task.text if self._places else None
            known = {one.id for one in self._shown}
            found = self._secrets.value(tuple(self._source.recall(self._task, screen, goal)))
            self._shown += tuple(
                replace(one, since=turns if goal else 0) for one in found if one.id not in known
            )
            self._places.add(app)
        return self._shown
