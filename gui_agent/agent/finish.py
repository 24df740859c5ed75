"""Checking that a task is done before it is called done, and what of its aftermath speaks against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from gui_agent.agent.answers import EVIDENCE, misfit, unseen
from gui_agent.agent.outcome import CodeReflector
from gui_agent.core.actions import Move, Navigate, Open, Press, Proposal, Scroll, Switch, Wait
from gui_agent.core.clarification import resolutions
from gui_agent.core.conditions import Condition
from gui_agent.core.observation import Element, Observation, Target, within_any
from gui_agent.core.protocols import Grounder, Verdict, Verifier
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Ending, GiveUp, Step, Trajectory
from gui_agent.elements.roles import FIELDS, NOTICES, word_set

Look = Callable[[], Observation]

REFUSALS = 2
"""How often "done" may be refused before the run ends as not done."""


@dataclass(slots=True)
class Finishing:
    """Holds a planner's "done" against the task's criteria, the planner's own, and a verifier's look.

    The criteria of the task are decided by code alone. Those that a planner set itself when it began may be
    wrong guesses: where code does not see them, or they held from the beginning, or the run sent, wrote or
    changed anything, the verifier has the word. Without a verdict the planner is believed, after two
    refusals where its own criteria are not seen, and the run counts as not verified.
    """

    grounder: Grounder
    verifier: Verifier | None = None
    calls: int = 0
    """Model calls spent."""
    refused: int = 0
    misfits: int = 0
    """How often the answer was not of the form that was wanted."""
    asked: dict[str, str | float] = field(default_factory=dict)
    """Values of the answer, by path, that no text showed and the planner was asked about."""
    unverified: str = ""
    """Why nothing confirmed the last "done", which was believed all the same; empty where something did."""

    @property
    def patient(self) -> bool:
        """Whether the planner gets another chance after the last refusal."""
        return max(self.refused, self.misfits) <= REFUSALS

    def missing(self, trajectory: Trajectory, answer: str, observe: Look) -> str:
        """What is missing in plain words; empty when the task is done as far as can be told.

        A criterion that the screen cannot decide counts as missing: done is only what was seen.
        """
        task, decision = trajectory.task, trajectory.turns[-1].decision
        own = trajectory.own_criteria
        by_model, self.unverified = bool(decision.calls), ""
        if not (task.criteria or own or by_model or task.wanted):
            return ""
        screen = observe()
        if wrong := self._complaint(trajectory, answer, screen) if task.wanted else "":
            self.misfits += 1
            return wrong
        missing = self._unseen(task.criteria, screen)
        if not missing:
            unmet = self._unseen(own, screen)
            if unmet or (by_model and not self._is_proven(trajectory, own, answer, screen)):
                missing = self._missing_by_verifier(trajectory, answer, screen, unmet)
        self.refused += bool(missing)
        return missing

    def _missing_by_verifier(
        self, trajectory: Trajectory, answer: str, screen: Observation, unmet: str
    ) -> str:
        """What the verifier misses; without a verdict the criteria that are not seen, for two times."""
        by_model = bool(trajectory.turns[-1].decision.calls)
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
        """What is wrong with an answer that has to fit a schema; empty when nothing.

        A value that no text showed is asked about; who saw a picture is believed the second time.
        """
        if wrong := misfit(trajectory.task.wanted, answer):
            return wrong
        bare, asked = unseen(answer, trajectory, screen), self.asked
        self.asked = {**asked, **bare}
        pictured = trajectory.turns[-1].decision.pictured
        if not bare or (pictured and bare.items() <= asked.items()):
            return ""
        again = ", or give the same answer again if the picture shows it" if pictured else ""
        first = next(iter(bare)) if len(bare) == 1 else "answer"
        return (
            f"no text of a screen showed {', '.join(bare)}; correct what is wrong, "
            f'or note as "{EVIDENCE}{first}" on what it rests{again}'
        )

    def _is_proven(
        self, trajectory: Trajectory, own: Sequence[Condition[Target]], answer: str, screen: Observation
    ) -> bool:
        """Whether code has seen enough, so that no model has to look: the task's own criteria are enough.

        Those that the planner set say nothing of an answer, nor of what was sent, written or changed; they
        prove something if they did not hold before, and do without what stands in fields.
        """
        from gui_agent.agent.run_effects import has_effects

        began = trajectory.turns[0].observation
        if trajectory.task.criteria or answer or has_effects(trajectory):
            return bool(trajectory.task.criteria)
        return bool(self._unseen(own, began)) and not self._unseen(own, _without_field_contents(screen))

    def _unseen(self, criteria: Sequence[Condition[Target]], screen: Observation) -> str:
        judge = CodeReflector(self.grounder)
        unmet = [str(criterion) for criterion in criteria if not judge.is_met(criterion, screen, screen)]
        more = f" (nor {len(unmet) - 1} more)" if len(unmet) > 1 else ""
        return f"it was not seen that {unmet[0]}{more}" if unmet else ""


def _without_field_contents(screen: Observation) -> Observation:
    fields = [one for one in screen.elements if "editable" in one.states or one.role in FIELDS]
    kept = [one for one in screen.elements if not within_any(one, fields)]
    return replace(screen, elements=(*kept, *(replace(one, value="") for one in fields)))


_SEEN_BY_THEMSELVES = (Move, Scroll, Switch, Wait)  # where a window does not come, switching fails
_CARET = word_set("escape tab home end left right up down pageup pagedown shift ctrl alt")
"""Keys that put the caret elsewhere, or away what may be open: they do nothing that lasts."""
_SELECTING = ({"ctrl", "a"}, {"ctrl", "c"})
OPENING = (Open, Navigate, Switch)
"""Actions of which a new window is the effect."""
LONGEST = 160
"""Characters of what a screen says that are told."""


def faults(trajectory: Trajectory, screen: Observation | None) -> str:
    """What went wrong with programs during the run; empty when nothing did."""
    crashed = dict.fromkeys(chain.from_iterable(step.after.crashed for step in trajectory.steps))
    told = [f"{name} crashed or was killed during the run" for name in crashed]
    if screen is not None and screen.is_stuck:
        told.append(f"{screen.place.app} does not answer; nobody knows whether it took the last input")
    return "; ".join(told)


def verifiable(trajectory: Trajectory) -> bool:
    """Whether an end that was said together with actions counts: the last effect, or criteria, confirm it."""
    checked = bool(trajectory.task.criteria or trajectory.own_criteria)
    return checked or trajectory.turns[-1].steps[-1].outcome.kind == "confirmed"


def given_up(trajectory: Trajectory, screen: Observation | None, end: GiveUp, what: str = "") -> Ending:
    """The ending of a run whose planner does not know how to go on."""
    last = trajectory.steps[-1] if trajectory.steps else None
    refused = last is not None and last.error == "Forbidden"
    advice = last.outcome.advice if last is not None else ""
    why = "; ".join(filter(None, (end.reason, what, advice, faults(trajectory, screen))))
    # A planner that only repeats what the last step failed with need not say so itself.
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
) -> Ending:
    """The ending of a run whose planner says that it is done, as far as criteria tell.

    What went wrong counts where the result was not judged: neither by criteria of the task nor by a model's
    look. So does an action of which no effect was seen, unless `lenient`. What only words answered, or no
    effect, is not verified.

    Args:
        unverified: why nothing confirmed what a model says is done; empty where something did.
    """
    from gui_agent.agent.questions import last_step_verdict, objection, unproven

    wrong = "; ".join(filter(None, (faults(trajectory, screen), objection(trajectory, screen))))
    by_model = bool(trajectory.turns[-1].decision.calls)
    judged = bool(trajectory.task.criteria) or (by_model and not unverified)
    if wrong and not judged:
        return Ending("not_done", wrong, answer)
    told, weight = ("", "") if judged else last_step_verdict(trajectory, screen)
    # A model that says "done" has read the words; it ends as not verified where nobody else looked.
    silent = "" if judged else unproven(trajectory) or told * (weight == "unproven" and not by_model)
    if silent and not lenient:
        return Ending("not_done", silent, answer, error="Unproven")
    open_end = unverified or silent or told
    reasons = dict.fromkeys((open_end, wrong, remarks(trajectory)))
    verified = not open_end and (judged or not _settled_by_person(trajectory))
    return Ending("done", "; ".join(filter(None, reasons)), answer, verified=verified)


def remarks(trajectory: Trajectory) -> str:
    """What a person would want to know although the run is done: what came up last, and what nobody saw."""
    last = trajectory.steps[-1] if trajectory.steps else None
    told = [said] if last and (said := said_by(last, trajectory.turns[0].observation)) else []
    if last and not isinstance(last.planned.action, (*OPENING, *_SEEN_BY_THEMSELVES)):
        told += [notice for notice in last.after.notices if notice not in last.before.notices]
    return "; ".join(dict.fromkeys([*told, *_settled_by_person(trajectory)]))


def _settled_by_person(trajectory: Trajectory) -> list[str]:
    """The steps that the person did or left out, in words."""
    answers = (one for one in resolutions(trajectory.turns) if one.kind in _BY_PERSON)
    return [f"{_BY_PERSON[one.kind]}: {one.step}" for one in answers]


_BY_PERSON = {"skip": "left out, as you said", "did": "done by you"}


def needs_effect(action: Proposal) -> bool:
    """Whether an action has done its work only where something follows from it."""
    if isinstance(action, Press):
        keys = {key.casefold() for key in action.keys}
        return not (keys <= _CARET or keys in _SELECTING)
    return not isinstance(action, _SEEN_BY_THEMSELVES)


def said_by(step: Step, begun: Observation | None = None) -> str:
    """What alerts and dialogs say that came up with a step, and did not stand there when the run began."""
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
