"""The exemplar memory as the agent sees it: recall runs similar to the task, and count what they led to."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from gui_agent.core.actions import Proposal, Recorded, Wait
from gui_agent.core.aiming import aim, places
from gui_agent.core.codec import decode, plain
from gui_agent.core.conditions import TextGone
from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.core.observation import NOWHERE, STRICT, Element, Fingerprint, Observation, Place, Words
from gui_agent.core.protocols import Exemplar, ExemplarSource
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration, DemoStep, Task, Trajectory
from gui_agent.elements.abstraction import lines, surroundings
from gui_agent.elements.describe import describe, describe_step
from gui_agent.elements.roles import CHOSEN_ONCE, ENTRIES, OPERABLE, SURFACES
from gui_agent.elements.words import task_stems
from gui_agent.memory.entry import (
    Entry,
    Gates,
    mask_values,
    now,
    reason_not_to_keep,
    screen_text,
    step_without_value,
    steps_without_values,
)
from gui_agent.memory.store import Store

if TYPE_CHECKING:
    from gui_agent.memory.embedding import Embedder
    from gui_agent.memory.recall import Recall, RecalledEntry

_BLAMES_EXEMPLARS = ("not_done", "limit")
"""Endings that count against the shown exemplars; a refusal, a person's stop or a crash does not."""
BUDGET, LESSON_BUDGET = 2_000, 1_700
"""Characters for the exemplars of one search (a quarter of a usual request), and for the lessons besides."""
COMMANDING = re.compile(
    r"\b(ignore|disregard|forget|override)\b.{0,40}\b(instructions?|prompts?|rules|task|above|previous)\b"
    r"|^\W*(system|developer|assistant)( prompt| message| note)?:|\byour new (task|instructions?)\b"
    r"|\b(ai|llm|assistants?|agents?|language models?)\b.{0,40}\b(must|should|shall|have to|need to|please)\b"
    r"|\byou (must|should|shall|have to|are to) (now|instead|immediately)\b",
    re.IGNORECASE,
)
"""Matches a line of a screen that gives instructions to its reader."""


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """One turn of a remembered run: the screen and the actions that followed."""

    seen: str
    done: tuple[str, ...]

    def __str__(self) -> str:
        return f"Screen:\n{self.seen}\nActions:\n" + "\n".join(self.done)


def action_text(step: DemoStep) -> str:
    """A step as a planner answers it, as JSON with words that mean its targets on the screen of the step; in
    plain words if it points at a place without a name.
    """
    said: Proposal | Recorded = step.action
    if not isinstance(step.action, Wait):
        elements = step.screen.elements if step.screen else ()
        marks = {name: _nameable(mark, elements) for name, mark in places(step.action).items()}
        if any(mark.spot for mark in marks.values()):
            return f"{describe(aim(step.action, marks))} (give points as x and y)"
        said = aim(step.action, {name: _words(mark, elements) for name, mark in marks.items()})
    action = {"kind": said.kind} | plain(said, Proposal, sparse=True)
    return json.dumps(action, ensure_ascii=False).encode("utf-8", "replace").decode()


def turns(demonstration: Demonstration) -> tuple[FinishedTurn, ...]:
    """A demonstration as finished turns, each with what is new on the screen; steps on an unchanged screen
    form one turn.
    """
    told: set[str] = set()
    place = NOWHERE
    found: list[FinishedTurn] = []
    following = [*demonstration.steps[1:], None]
    for _, group in groupby(map(_with_detour, demonstration.steps, following), key=_look):
        batch = [*group]
        shown = _calm_elements(batch, demonstration.task)
        now = batch[0].screen.place if batch[0].screen else NOWHERE
        fresh = [element for element in shown if str(element) not in told]
        seen = place_and_lines(NOWHERE if now == place else now, fresh)
        done = tuple(map(_as_done, batch))
        if found and not seen:
            found[-1] = replace(found[-1], done=found[-1].done + done)
        else:
            found.append(FinishedTurn(seen or "(not recorded)", done))
        told.update(map(str, shown))
        place = now
    return tuple(found)


def _look(step: DemoStep) -> object:
    """Equal for two steps on one screen, whatever the values of its fields."""
    return step.screen and (step.screen.place, [(one.role, one.name) for one in step.screen.elements])


def _with_detour(step: DemoStep, following: DemoStep | None) -> DemoStep:
    """The step, as idle if it only made things disappear and was then done again."""
    again = following is not None and action_text(following) == action_text(step)
    closed = again and {type(effect) for effect in step.expect} == {TextGone}
    return replace(step, idle=step.idle or closed)


def _as_done(step: DemoStep) -> str:
    if step.idle:
        return f"(Caution: {describe(step.action)} had no effect; it may only have closed an open list.)"
    if step.why and not COMMANDING.search(step.why):
        return f"Why: {step.why}\n{action_text(step)}"
    return action_text(step)


def full_text(entry: Entry) -> str:
    """An entry in full: task, turns and answer; only the outline if it has no demonstration."""
    demonstration = entry.demonstration
    if not (demonstration and demonstration.steps):
        return outline(entry)
    body = "\n".join(map(str, turns(demonstration)))
    values = ", ".join(f'{name} = "{value}"' for name, value in entry.values.items())
    given = f"\nIts values, to be replaced by yours: {values}" if values else ""
    answer = f"\nAnswer: {demonstration.answer}" if demonstration.answer else ""
    return f"Task: {entry.task}{given}\n{body}{answer}"


def outline(entry: Entry) -> str:
    """An entry in short: the task and one line for each step."""
    said = entry.outlines or (_outline(entry.demonstration) if entry.demonstration else ())
    steps = [f"{number}. {text}" for number, text in enumerate(said, start=1)]
    return "\n".join([f"Task: {entry.task}", *steps])


def _outline(demonstration: Demonstration) -> tuple[str, ...]:
    return tuple(describe(step.action) for step in demonstration.steps)


def pack(entries: Sequence[Entry], room: int = BUDGET) -> list[tuple[Entry, str]]:
    """Texts of the entries, nearest first, that fit into this many characters.

    Each is shown in full, or else as its outline. An entry whose outline does not fit either is left out.
    """
    packed: list[tuple[Entry, str]] = []
    for entry in entries:
        text = next((text for text in (full_text(entry), outline(entry)) if len(text) <= room), "")
        packed += [(entry, text)] if text else []
        room -= len(text)
    return packed


def _words(mark: Fingerprint, elements: Sequence[Element]) -> Words:
    name = mark.name or mark.label
    # Words without a name may mean any element of the role.
    alike = [e.box for e in elements if e.role == mark.role and normal(mark.name) in ("", normal(e.name))]
    rank = alike.index(mark.box) + 1 if mark.box in alike else mark.rank
    # Elements of one label are not counted: their rank among others says nothing.
    counts = (mark.name or not name) and max(rank, len(alike)) > 1
    near = mark.neighbours[0] if mark.neighbours and not name and not counts else ""
    return Words(name, mark.role, rank if counts else 0, near)


def _nameable(mark: Fingerprint, elements: Sequence[Element]) -> Fingerprint:
    """The mark, or the place of a nameless thing in the smallest named area around it, or in the screen."""
    if mark.name or mark.label or mark.role in OPERABLE or mark.box is None or mark.screen is None:
        return mark
    point = mark.box.point_at(*(mark.spot or (0.5, 0.5)))
    areas = [one for one in elements if one.name and one.role in SURFACES and one.box.contains(point)]
    whole = Element(0, "", "", mark.screen.box)
    around = min(areas, key=lambda one: one.box.area, default=whole)
    return Fingerprint(around.role, around.name, spot=around.box.shares_at(point))


def _calm_elements(batch: list[DemoStep], task: str) -> list[Element]:
    """What the screen of some steps showed that tells why they fit, without what gives instructions."""
    screen = batch[0].screen
    if screen is None:
        return []
    used = set(chain.from_iterable((step.element, step.to_element) for step in batch)) - {0}
    kept = surroundings(screen, task, used)
    return [one for one in kept if one.id in used or not COMMANDING.search(one.name or one.value)]


def place_and_lines(place: Place, elements: Sequence[Element]) -> str:
    """A screen as remembered runs show it."""
    where = " - ".join(filter(None, (place.app, place.title)))
    return f"{where}\n{lines(elements)}".strip()


class ExemplarMemory:
    """Verified runs in one file, found again by task, place and first screen; an `ExemplarSource`."""

    def __init__(
        self,
        path: Path | str,
        *,
        embedder: Embedder | str = "auto",
        shown: int = 4,
        budget: int = BUDGET,
        gates: Gates | None = None,
    ) -> None:
        """Nothing is opened or loaded before it is needed.

        Args:
            embedder: an embedder, or the name of one for `embedding.choose`.
            shown: most exemplars recalled.
            budget: characters for their texts.
        """
        self.store = Store(path)
        self.exclude: Set[str] = frozenset()
        """Ids of entries that must not be recalled, so that an evaluation does not see its own answers."""
        self._embedder = embedder
        self._shown = shown
        self._budget = budget
        self._gates = gates or Gates()
        self._search: Recall | None = None
        self._given: dict[str, tuple[str, ...]] = {}

    def recall(self, task: Task, observation: Observation, goal: str | None = None) -> Sequence[Exemplar]:
        """The nearest runs, best first, as text within the budget; none if no run is similar."""
        wanted = task.text if goal is None else goal
        given = () if goal is None else self._given.get(task.text, ())
        before = self.store.readable(given) if goal == task.text else []
        matches = [match for match in self.why(wanted, observation, before=before) if not match.refused]
        packed = pack(self.store.readable(match.entry.id for match in matches), self._budget)
        self._given[task.text] = tuple(dict.fromkeys((*given, *(entry.id for entry, _ in packed))))
        return [Exemplar(entry.id, entry.task, text) for entry, text in packed]

    def remember(self, trajectory: Trajectory) -> None:
        """Count a run for or against the exemplars that it was shown; other code stores runs.

        It counts only for those of which it did an action, and not if it ended by a refusal, a person's stop
        or a crash.
        """
        given = self._given.pop(trajectory.task.text, ())
        failed = trajectory.ending is not None and trajectory.ending.kind in _BLAMES_EXEMPLARS
        won = not reason_not_to_keep(trajectory)
        if given and (won or failed):
            done = {step_without_value(describe_step(step)) for step in trajectory.steps if step.outcome.good}
            followed = [one.id for one in self.store.readable(given) if done & steps_without_values(one)]
            self.store.note(followed, won=won, now=now())

    def why(
        self, task: str, observation: Observation | None = None, app: str = "", before: Sequence[Entry] = ()
    ) -> list[RecalledEntry]:
        """Every entry considered for a task, best first: the parts of its score, and why it is refused.

        Args:
            before: entries that the run was shown already.

        Raises like `recall`.
        """
        recall = self._recall()
        from gui_agent.memory.embedding import EmbeddingKey

        screen = screen_text(observation, task) if observation else ""
        where = observation.place.app if observation and not app else app
        key = EmbeddingKey(mask_values(task), where, screen)
        return recall.matches(key, self._shown, self.exclude, before)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.store.close()

    def _recall(self) -> Recall:
        if self._search is None:
            try:
                import faiss  # noqa: F401 - loaded with the first search

                from gui_agent.memory.embedding import KeyEmbedder, choose
                from gui_agent.memory.recall import Recall, VectorTable
            except ModuleNotFoundError as error:
                raise MissingExtra("memory", "the search of the memory") from error
            embedder = choose(self._embedder) if isinstance(self._embedder, str) else self._embedder
            vectors = VectorTable(self.store, KeyEmbedder(embedder))
            self._search = Recall(self.store, vectors, self._gates)
        return self._search


def entry_of(
    demonstration: Demonstration,
    *,
    kind: str = "demonstration",
    origin: str = "",
    family: str = "",
    procedure: str = "",
    reason: str = "",
) -> Entry:
    """A demonstration as an entry, quarantined if a reason is given."""
    first = next((step.screen for step in demonstration.steps if step.screen is not None), None)
    return Entry(
        task=demonstration.task,
        app=first.place.app if first else "",
        screen=screen_text(first, demonstration.task) if first else "",
        kind=kind,
        family=family,
        demonstration=demonstration,
        procedure=procedure,
        outlines=_outline(demonstration),
        origin=origin or demonstration.origin,
        values=_entered_values(demonstration) | dict(demonstration.slots),
        created=demonstration.created,
        quarantined=reason,
    )


def _entered_values(demonstration: Demonstration) -> dict[str, str]:
    """The values of the task that were typed or chosen, by the name of the field."""
    found: dict[str, str] = {}
    for step in demonstration.steps:
        at, task = getattr(step.action, "at", None), normal(demonstration.task)
        if isinstance(at, Fingerprint):
            typed = getattr(step.action, "text", "") or getattr(step.action, "option", "")
            value = typed or at.name * (at.role in CHOSEN_ONCE | ENTRIES)
            if value and normal(value) in task:
                found[(typed and (at.name or at.label)) or f"value {len(found) + 1}"] = value
    return found


ALIKE = 0.5
"""Share of the words of a lesson's task that another task must have."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson, the runs that it comes from, and the results of runs that were shown it."""

    id: str
    text: str
    task: str = ""
    app: str = ""
    evidence: tuple[str, ...] = ()
    wins: int = 0
    losses: int = 0
    created: str = ""
    quarantined: str = ""
    """Why it is not shown until a person removes this reason."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT

    def likeness(self, task: str, app: str) -> float:
        """The share of the words of its task that another task has, 0 to 1."""
        own = frozenset() if self.app and app and self.app != app else task_stems(self.task)
        return len(own & task_stems(task)) / max(1, len(own))


def read_lessons(path: Path) -> tuple[Lesson, ...]:
    try:
        table = json.dumps(tomllib.loads(path.read_text(encoding="utf-8")).get("lesson", []))
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(f"{path} is not a file of lessons: {error}") from error
    return decode(tuple[Lesson, ...], table, source=str(path))


@dataclass(frozen=True)
class LessonSource:
    """Lessons of a file, in addition to another source's exemplars; only experiments count their results."""

    path: Path
    rest: ExemplarSource | None = None

    def recall(self, task: Task, observation: Observation, goal: str | None = None) -> Sequence[Exemplar]:
        wanted = task.text if goal is None else goal
        room = LESSON_BUDGET
        found = [*self.rest.recall(task, observation, goal)] if self.rest is not None else []
        near = [(-one.likeness(wanted, observation.place.app), one) for one in read_lessons(self.path)]
        for score, one in sorted(near, key=lambda pair: (pair[0], pair[1].losses - pair[1].wins)):
            told = f"Lesson from {len(one.evidence)} runs: {one.text}"
            if -score >= ALIKE and not one.quarantined and (room := room - len(told)) >= 0:
                found.append(Exemplar(one.id, one.task, told))
        return found

    def remember(self, trajectory: Trajectory) -> None:
        if self.rest is not None:
            self.rest.remember(trajectory)
