"""Checks that a task is done before the run says so, and reports what contradicts that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from gui_agent.agent.answers import EVIDENCE, misfit, unseen_values
from gui_agent.agent.outcome import CodeReflector
from gui_agent.core.actions import Move, Navigate, Open, Press, Proposal, Scroll, Switch, Wait
from gui_agent.core.clarification import resolutions
from gui_agent.core.conditions import Condition
from gui_agent.core.observation import Element, Observation, Target, is_part_of_any
from gui_agent.core.protocols import Grounder, OutsideEffects, Verdict, Verifier
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Ending, GiveUp, Step, Trajectory
from gui_agent.elements.roles import FIELDS, NOTICES, word_set

Look = Callable[[], Observation]

REFUSALS = 2
"""How often "done" may be refused before the run ends as not done."""


@dataclass(slots=True)
class Finishing:
    """Checks a planner's "done" against the task's criteria, the planner's own criteria and a verifier.

    Code alone decides the criteria of the task. Criteria that a planner set when it began may be wrong
    guesses: if code cannot check them, or they held from the beginning, or the run sent, wrote or changed
    anything, the verifier decides. Without a verdict the planner is believed (after two refusals, if its own
    criteria are not met), and the run counts as not verified.
    """

    grounder: Grounder
    verifier: Verifier | None = None
    effects: OutsideEffects | None = None
    calls: int = 0
    """Model calls spent."""
    refused: int = 0
    misfits: int = 0
    """How often the answer did not fit its schema."""
    asked: dict[str, str | float] = field(default_factory=dict)
    """Values of the answer, by path, that no text showed and the planner was asked about."""
    unverified: str = ""
    """Why the last "done" was accepted without confirmation; empty if something confirmed it."""
    proven: bool = False
    """Whether effects outside the screen prove the last "done"."""

    @property
    def has_patience(self) -> bool:
        """Whether the planner gets another chance after the last refusal."""
        return max(self.refused, self.misfits) <= REFUSALS

    def missing(self, trajectory: Trajectory, answer: str, observe: Look) -> str:
        """What is missing, in plain words; empty when the task is done as far as that can be checked.

        A criterion that the screen cannot decide counts as missing: only what was observed counts as done.
        """
        task, decision = trajectory.task, trajectory.turns[-1].decision
        own = trajectory.own_criteria
        by_model, self.unverified = bool(decision.calls), ""
        if not (task.criteria or own or by_model or task.wanted or self.effects):
            return ""
        screen = observe()
        if wrong := self._complaint(trajectory, answer, screen) if task.wanted else "":
            self.misfits += 1
            return wrong
        missing = self._unmet(task.criteria, screen)
        if not missing:
            unmet = self._unmet(own, screen)
            if unmet or (by_model and not self._is_proven(trajectory, own, answer, screen)):
                missing = self._missing_by_verifier(trajectory, answer, screen, unmet)
        missing = missing or self._missing_effects()
        self.refused += bool(missing)
        return missing

    def _missing_effects(self) -> str:
        """The effects outside the screen that do not appear; those that were there before are no proof."""
        if self.effects is None:
            return ""
        missing, doubt = self.effects.missing(), self.effects.doubt
        self.proven = not (missing or doubt)
        self.unverified = "" if self.proven else doubt or self.unverified
        return missing

    def _missing_by_verifier(
        self, trajectory: Trajectory, answer: str, screen: Observation, unmet: str
    ) -> str:
        """What the verifier says is missing; without a verdict, the unmet criteria, at most twice."""
        by_model = _is_by_model(trajectory)
        verdict = Verdict("no check looked at what a model did", judged=False)
        if self.verifier is not None and by_model:
            verdict = self.verifier.verify(trajectory, answer, screen)
            self.calls += verdict.calls
        if verdict.judged:
            return verdict.missing
        if unmet and self.refused < REFUSALS:
            return unmet
        self.unverified = "" if trajectory.task.criteria else unmet or verdict.missing
        return ""

    def _complaint(self, trajectory: Trajectory, answer: str, screen: Observation) -> str:
        """How an answer violates its schema, or which of its values no text showed; empty if it is fine.

        A planner that saw a picture is believed when it repeats such a value.
        """
        if wrong := misfit(trajectory.task.wanted, answer):
            return wrong
        bare, asked = unseen_values(answer, trajectory, screen), self.asked
        self.asked = {**asked, **bare}
        pictured = trajectory.turns[-1].decision.pictured
        if not bare or (pictured and bare.items() <= asked.items()):
            return ""
        again = ", or give the same answer again if the picture shows it" if pictured else ""
        first = next(iter(bare)) if len(bare) == 1 else "answer"
        return (
            f"no text of a screen showed {', '.join(bare)}; correct the answer, "
            f'or note as "{EVIDENCE}{first}" where it comes from{again}'
        )

    def _is_proven(
        self, trajectory: Trajectory, own: Sequence[Condition[Target]], answer: str, screen: Observation
    ) -> bool:
        """Whether code has seen enough, so that no model has to look; the task's own criteria are enough.

        The planner's own criteria say nothing about an answer, nor about what was sent, written or changed.
        They are proof if they did not hold at the start, and hold now without the contents of fields.
        """
        from gui_agent.agent.run_effects import has_effects

        began = trajectory.turns[0].observation
        if trajectory.task.criteria or answer or has_effects(trajectory):
            return bool(trajectory.task.criteria)
        return bool(self._unmet(own, began)) and not self._unmet(own, _without_field_contents(screen))

    def _unmet(self, criteria: Sequence[Condition[Target]], screen: Observation) -> str:
        judge = CodeReflector(self.grounder)
        unmet = [str(criterion) for criterion in criteria if not judge.is_met(criterion, screen, screen)]
        more = f" (nor {len(unmet) - 1} more)" if len(unmet) > 1 else ""
        return f"the screen does not show that {unmet[0]}{more}" if unmet else ""


def _is_judged(trajectory: Trajectory, unverified: str) -> bool:
    """Whether the task's criteria or a model's look confirmed the result."""
    return bool(trajectory.task.criteria) or (_is_by_model(trajectory) and not unverified)


def _is_by_model(trajectory: Trajectory) -> bool:
    """Whether a model took part in the last decision."""
    return bool(trajectory.turns[-1].decision.calls)


def _without_field_contents(screen: Observation) -> Observation:
    fields = [one for one in screen.elements if "editable" in one.states or one.role in FIELDS]
    kept = [one for one in screen.elements if not is_part_of_any(one, fields)]
    return replace(screen, elements=(*kept, *(replace(one, value="") for one in fields)))


_SEEN_BY_THEMSELVES = (Move, Scroll, Switch, Wait)  # switching to a missing window fails by itself
_CARET = word_set("escape tab home end left right up down pageup pagedown shift ctrl alt")
"""Keys that move the caret or dismiss something, without a lasting effect."""
_SELECTING = ({"ctrl", "a"}, {"ctrl", "c"})
OPENING = (Open, Navigate, Switch)
"""Actions whose effect is a new window."""
LONGEST = 160
"""How many characters of a screen's message are quoted."""


def faults(trajectory: Trajectory, screen: Observation | None) -> str:
    """Crashed and frozen programs of the run, in words; empty if there are none."""
    crashed = dict.fromkeys(chain.from_iterable(step.after.crashed for step in trajectory.steps))
    told = [f"{name} crashed or was killed during the run" for name in crashed]
    if screen is not None and screen.is_stuck:
        told.append(f"{screen.place.app} is not responding; the last input may not have arrived")
    return "; ".join(told)


def is_verifiable(trajectory: Trajectory) -> bool:
    """Whether to accept "done" when it came in the same reply as actions: the last effect, or criteria,
    confirm it.
    """
    checked = bool(trajectory.task.criteria or trajectory.own_criteria)
    return checked or trajectory.turns[-1].steps[-1].outcome.kind == "confirmed"


def given_up(trajectory: Trajectory, screen: Observation | None, end: GiveUp, what: str = "") -> Ending:
    """The ending of a run whose planner gave up."""
    last = trajectory.steps[-1] if trajectory.steps else None
    refused = last is not None and last.error == "Forbidden"
    advice = last.outcome.advice if last is not None else ""
    why = "; ".join(filter(None, (end.reason, what, advice, faults(trajectory, screen))))
    # A planner that only repeats the last step's error need not say so itself.
    failed = last is not None and not last.outcome.good and not end.error
    error = last.error if failed and last is not None else end.error
    candidates = last.outcome.candidates if failed and last is not None else end.candidates
    return Ending("refused" if refused else "not_done", why, error=error, candidates=candidates)


def checked_ending(
    trajectory: Trajectory,
    screen: Observation | None,
    answer: str,
    *,
    lenient: bool = False,
    unverified: str = "",
    proven: bool = False,
) -> Ending:
    """The ending of a run whose planner says that it is done, as far as code can check.

    Problems count unless the result was judged by the task's criteria or a model's look. So does an action
    without a visible effect, unless `lenient`. A result that only words on the screen confirm, or nothing, is
    not verified.

    Args:
        unverified: why nothing confirmed a model's "done"; empty if something did.
        proven: whether effects outside the screen prove it.
    """
    from gui_agent.agent.questions import last_step_verdict, objection, unproven_action

    wrong = "; ".join(filter(None, (faults(trajectory, screen), objection(trajectory, screen))))
    by_model = _is_by_model(trajectory)
    judged = proven or _is_judged(trajectory, unverified)
    if wrong and not judged:
        return Ending("not_done", wrong, answer)
    told, weight = ("", "") if judged else last_step_verdict(trajectory, screen)
    # A model that says "done" has read the words; if nothing else checked, the run ends as not verified.
    silent = "" if judged else unproven_action(trajectory) or told * (weight == "unproven" and not by_model)
    if silent and not lenient:
        return Ending("not_done", silent, answer, error="Unproven")
    open_end = unverified or silent or told
    reasons = dict.fromkeys((open_end, wrong, remarks(trajectory)))
    verified = not open_end and (judged or not _settled_by_person(trajectory))
    return Ending("done", "; ".join(filter(None, reasons)), answer, verified=verified)


def remarks(trajectory: Trajectory) -> str:
    """Notes on a finished run: final notices and unverified effects."""
    last = trajectory.steps[-1] if trajectory.steps else None
    told = [said] if last and (said := said_by(last, trajectory.turns[0].observation)) else []
    if last and not isinstance(last.planned.action, (*OPENING, *_SEEN_BY_THEMSELVES)):
        told += [notice for notice in last.after.notices if notice not in last.before.notices]
    return "; ".join(dict.fromkeys([*told, *_settled_by_person(trajectory)]))


def _settled_by_person(trajectory: Trajectory) -> list[str]:
    """The steps that the person did or left out, in words."""
    answers = (one for one in resolutions(trajectory.turns) if one.kind in _BY_PERSON)
    return [f"{_BY_PERSON[one.kind]}: {one.step}" for one in answers if one.step != trajectory.task.text]


_BY_PERSON = {"skip": "left out, as you said", "did": "done by you", "shown": "done by you"}


def needs_effect(action: Proposal) -> bool:
    """Whether an action needs a visible effect to count as successful."""
    if isinstance(action, Press):
        keys = {key.casefold() for key in action.keys}
        return not (keys <= _CARET or keys in _SELECTING)
    return not isinstance(action, _SEEN_BY_THEMSELVES)


def said_by(step: Step, begun: Observation | None = None) -> str:
    """The texts of alerts and dialogs that appeared with a step and were not there when the run began."""
    before = (*step.before.elements, *(begun.elements if begun is not None else ()))
    known = {(one.id, one.name) for one in before}
    fresh = [one for one in step.after.elements if (one.id, one.name) not in known and one.name]
    told = []
    for kind in sorted(NOTICES):
        text = " ".join(dict.fromkeys(one.name for one in _first_texts(fresh, kind)))
        if text:
            told.append(f'{"an" if kind[0] == "a" else "a"} {kind} says "{shorten(text, LONGEST)}"')
    return "; ".join(told)


def _first_texts(elements: Iterable[Element], kind: str) -> Iterator[Element]:
    for element in elements:
        inside = element.attributes.get("notice") == kind and (element.is_text or element.role == "heading")
        if element.role == kind or inside:
            yield element
