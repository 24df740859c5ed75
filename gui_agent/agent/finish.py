"""Checking that a task is done before it is called done, and what of its aftermath speaks against it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gui_agent.agent.answers import complaint
from gui_agent.agent.outcome import CodeReflector
from gui_agent.core.actions import Click, Move, Navigate, Open, Press, Scroll, Switch, Wait
from gui_agent.core.conditions import Condition, holds
from gui_agent.core.observation import Element, Observation
from gui_agent.core.protocols import Grounder, Verifier
from gui_agent.core.targets import Target
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Ending, Step, Trajectory
from gui_agent.elements.roles import NOTICES

REFUSALS = 2
"""How often "done" may be refused before the run ends as not done."""


@dataclass(slots=True)
class Finishing:
    """Holds a planner's "done" against the task's criteria, the planner's own, and a verifier's look.

    The criteria of the task are decided by code alone. Those that a planner set itself when it began may be
    wrong guesses: where code does not see them, or they held from the beginning, the verifier has the word,
    and without one the planner is believed after two refusals.
    """

    grounder: Grounder
    verifier: Verifier | None = None
    calls: int = 0
    """Model calls spent."""
    refused: int = 0
    misfits: int = 0
    """How often the answer was not of the form that was wanted."""

    @property
    def patient(self) -> bool:
        """Whether the planner gets another chance after the last refusal."""
        return max(self.refused, self.misfits) <= REFUSALS

    def missing(self, trajectory: Trajectory, answer: str, observe: Callable[[], Observation]) -> str:
        """What is missing in plain words; empty when the task is done as far as can be told.

        A criterion that the screen cannot decide counts as missing: done is only what was seen.

        Raises:
            Unavailable: the verifier's model is down.
        """
        task, decision = trajectory.task, trajectory.turns[-1].decision
        own = [c for turn in trajectory.turns for c in turn.decision.criteria]
        verifier = self.verifier if decision.calls else None
        if not (task.criteria or own or verifier or task.wanted):
            return ""
        screen = observe()
        wrong = complaint(task.wanted, trajectory, answer, screen) if task.wanted else ""
        if wrong:
            self.misfits += 1
            return wrong
        missing = self._unseen(task.criteria, screen)
        if not missing and self.refused < REFUSALS:
            missing = self._unseen(own, screen)
            if verifier is not None and (missing or not self._proven(trajectory, own, answer)):
                verdict = verifier.verify(trajectory, answer, screen)
                self.calls += verdict.calls
                missing = verdict.missing if verdict.judged else missing
        self.refused += bool(missing)
        return missing

    def _proven(self, trajectory: Trajectory, own: Sequence[Condition[Target]], answer: str) -> bool:
        """Whether code has seen enough for nobody to have to look.

        The task's own criteria are enough. One that the planner set proves something only when it did not
        hold before anything was done, and says nothing of an answer.
        """
        if trajectory.task.criteria:
            return True
        return not answer and bool(self._unseen(own, trajectory.turns[0].observation))

    def _unseen(self, criteria: Sequence[Condition[Target]], screen: Observation) -> str:
        find = CodeReflector(self.grounder).finder(screen)
        open_points = [str(criterion) for criterion in criteria if not holds(criterion, screen, find)]
        if not open_points:
            return ""
        return f"it was not seen that {open_points[0]}" + (
            f" (nor {len(open_points) - 1} more)" if len(open_points) > 1 else ""
        )


_SEEN_BY_THEMSELVES = (Move, Scroll, Wait)
_OPENING = (Open, Navigate, Switch)
"""Actions of which a new window is the effect."""
LONGEST = 160


def faults(trajectory: Trajectory, screen: Observation | None) -> str:
    """What went wrong with programs during the run; empty when nothing did."""
    crashed = dict.fromkeys(name for step in trajectory.steps for name in step.after.crashed)
    told = [f"{name} crashed or was killed during the run" for name in crashed]
    if screen is not None and screen.stuck:
        told.append(f"{screen.place.app} does not answer; nobody knows whether it took the last input")
    return "; ".join(told)


def verifiable(trajectory: Trajectory) -> bool:
    """Whether an end that was said together with actions counts: the last effect, or criteria, confirm it."""
    turns = trajectory.turns
    checked = bool(trajectory.task.criteria) or any(turn.decision.criteria for turn in turns)
    return checked or turns[-1].steps[-1].outcome.kind == "confirmed"


def given_up(trajectory: Trajectory, screen: Observation | None, reason: str) -> Ending:
    """The ending of a run whose planner does not know how to go on."""
    last = trajectory.steps[-1] if trajectory.steps else None
    refused = last is not None and last.error == "Forbidden"
    advice = last.outcome.advice if last is not None else ""
    why = "; ".join(filter(None, (reason, advice, faults(trajectory, screen))))
    return Ending("refused" if refused else "not_done", why)


def done(trajectory: Trajectory, screen: Observation | None, answer: str) -> Ending:
    """The ending of a run whose planner says that it is done, as far as criteria tell.

    What went wrong counts where nobody has judged the result: neither criteria of the task nor a model.
    """
    last = trajectory.steps[-1] if trajectory.steps else None
    wrong = "; ".join(filter(None, (faults(trajectory, screen), objection(last))))
    if wrong and not trajectory.task.criteria and not trajectory.turns[-1].decision.calls:
        return Ending("not_done", wrong, answer)
    return Ending("done", "; ".join(filter(None, (wrong, remarks(trajectory)))), answer)


def objection(step: Step | None) -> str:
    """What the page holds against a form that the last step sent; empty when nothing.

    A field counts that was put in front of the person again, or that is wrong since then and was not just
    left, as pages check a field when it is left, whatever the click was for.
    """
    if step is None or not step.outcome.good or not _sends(step):
        return ""
    before = {element.id: element for element in step.before.elements}
    for field in step.after.elements:
        then = before.get(field.id)
        if then is None or "invalid" not in field.states:
            continue
        held = {"focused", "invalid"} & field.states
        left = "focused" in then.states - held
        if held - then.states and not left:
            why = _said(step) or f"{field} is not valid" + (
                f": {field.description}" * bool(field.description)
            )
            return f"the page does not accept what was sent: {why}"
    return ""


def _sends(step: Step) -> bool:
    """Whether a step may have sent a form: a button or Enter."""
    action = step.planned.action
    if isinstance(action, Press):
        return "enter" in (key.casefold() for key in action.keys)
    aimed = step.found["at"].element if "at" in step.found else None
    return isinstance(action, Click) and aimed is not None and aimed.role == "button"


def remarks(trajectory: Trajectory) -> str:
    """What a person would want to know although the run is done: what came up last, and what nobody saw."""
    last = trajectory.steps[-1] if trajectory.steps else None
    told = [said] if last and (said := _said(last)) else []
    if last and not isinstance(last.planned.action, (*_OPENING, *_SEEN_BY_THEMSELVES)):
        told += [notice for notice in last.after.notices if notice not in last.before.notices]
    for turn in trajectory.turns:
        silent = [] if turn.decision.calls else [step for step in turn.steps if _showed_nothing(step)]
        told += [f"nothing visible changed after: {step.planned.why.rstrip('.')}" for step in silent]
    return "; ".join(dict.fromkeys(told))


def _showed_nothing(step: Step) -> bool:
    unseen = step.outcome.kind == "no_change" and bool(step.planned.why)
    return unseen and not isinstance(step.planned.action, _SEEN_BY_THEMSELVES)


def _said(step: Step) -> str:
    """What alerts and dialogs say that came up with a step."""
    before = {element.id: element.name for element in step.before.elements}
    fresh = [one for one in step.after.elements if before.get(one.id) != one.name and one.name]
    told = []
    for kind in sorted(NOTICES):
        text = " ".join(dict.fromkeys(one.name for one in _first_texts(fresh, kind)))
        if text:
            told.append(f'{"an" if kind[0] == "a" else "a"} {kind} says "{shorten(text, LONGEST)}"')
    return "; ".join(told)


def _first_texts(elements: Iterable[Element], kind: str) -> Iterator[Element]:
    """What of these is a notice of a kind, or a text in one; its buttons say nothing by themselves."""
    for element in elements:
        inside = element.attributes.get("notice") == kind and (element.is_text or element.role == "heading")
        if element.role == kind or inside:
            yield element
