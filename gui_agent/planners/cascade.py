"""Planners around others: the next takes over, nobody does the impossible, and the person is heard first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gui_agent.core.actions import Action
from gui_agent.core.codec import encode
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.observation import Element, Observation, Size, Target
from gui_agent.core.protocols import (
    Closing,
    Grounder,
    Opening,
    Planner,
    PlannerCapabilities,
    Settled,
    Situation,
    capabilities,
)
from gui_agent.core.trajectory import PERSON, Baton, Decision, Finish, GiveUp, Task, Turn, bookmark, unwrap
from gui_agent.elements.words import words
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse

MOST_RETURNS = 6
"""How often in a run an earlier planner is given the lead again."""


class CascadePlanner(PlannerCapabilities):
    """Asks the first planner, and when it gives up the next, which is told why and what was still to be done.

    A planner that can resume its plan goes on with it as soon as the next one has got it past what it could
    not do; for the others the rest of the run belongs to the next one. An action that the guard or the
    person refused is not handed on, so nobody gets round a refusal.
    """

    name = "cascade"

    def __init__(self, planners: Sequence[Planner]) -> None:
        if not planners:
            raise ConfigError("a cascade needs at least one planner")
        self._planners = tuple(planners)

    def decide(self, situation: Situation) -> Decision:
        """The decision of the planner in charge; it carries that planner's name.

        Raises like the planner in charge.
        """
        batons = (bookmark(Baton, turn) for turn in reversed(situation.turns))
        baton = next(filter(None, batons), Baton(0))
        inner = replace(situation, turns=tuple(unwrap(turn) for turn in situation.turns))
        stage, advice = min(baton.stage, len(self._planners) - 1), baton.advice
        taken_back = self._taken_back(baton, stage, inner)
        if taken_back is not None:
            return taken_back
        while True:
            planner = self._planners[stage]
            told = replace(inner, advice=(*advice, *inner.advice))
            decision = planner.decide(told)
            last = stage + 1 == len(self._planners)
            if last or not isinstance(decision.end, GiveUp) or _is_refused(situation):
                break
            advice = (*advice, *_handover(planner, told, decision.end.reason))
            stage += 1
        return _wrap(decision, replace(baton, stage=stage, advice=advice), planner)

    def cannot_do(self, task: Task) -> str:
        """Why none of the planners can do the task, as the last one says it; empty when one may."""
        reasons = [capabilities(planner).cannot_do(task) for planner in self._planners]
        return reasons[-1] if all(reasons) else ""

    def takes_command(self, text: str) -> bool:
        """Whether one of the planners can do it in place of a step."""
        return any(capabilities(one).takes_command(text) for one in self._planners)

    def read_target(self, text: str) -> Target | None:
        """What a text names, by the first planner that can tell."""
        read = (capabilities(one).read_target(text) for one in self._planners)
        return next((target for target in read if target is not None), None)

    def _taken_back(self, baton: Baton, stage: int, situation: Situation) -> Decision | None:
        last = situation.turns[-1] if situation.turns else None
        if last is None or not last.steps or baton.returns >= MOST_RETURNS:
            return None
        if any(not step.outcome.good for step in last.steps):
            return None
        for earlier, planner in enumerate(self._planners[:stage]):
            decision = capabilities(planner).resume(situation)
            if decision is not None:
                return _wrap(decision, Baton(earlier, returns=baton.returns + 1), planner)
        return None


def _wrap(decision: Decision, baton: Baton, planner: Planner) -> Decision:
    written = encode(replace(baton, inner=decision.bookmark)).decode()
    return replace(decision, bookmark=written, planner=decision.planner or planner.name)


def _is_refused(situation: Situation) -> bool:
    return situation.last is not None and situation.last.error == "Forbidden"


def _handover(planner: Planner, situation: Situation, reason: str) -> tuple[str, ...]:
    told = [f"The {planner.name} planner gave up: {reason}"]
    rest = capabilities(planner).remaining(situation)
    if rest:
        told.append("It still meant to: " + " ".join(f"{i}. {step}" for i, step in enumerate(rest, start=1)))
        if capabilities(planner).can_resume:
            told.append("Do what it could not do; it continues by itself once the rest of its plan fits.")
    return tuple(told)


class NullPlanner(PlannerCapabilities):
    """Gives up at once with the reason, so that the run is kept and ends as not done."""

    name = "none"

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def decide(self, situation: Situation) -> Decision:
        return Decision(end=GiveUp(self._reason), planner=self.name)

    def cannot_do(self, task: Task) -> str:
        """The reason, for every task."""
        return self._reason


class NullComputer(Closing):
    """Stands where a computer would, for a run that ends before anything is looked at."""

    platform = "none"

    def observe(self, *, picture: bool = True) -> Observation:
        """Nothing is to be seen."""
        return Observation(Size(0, 0))

    def perform(self, action: Action, expected: Element | None = None) -> None:
        raise ActionFailed(f"{action.kind}: no screen was opened for this task")

    def settle(self) -> Settled:
        """Nothing moves."""
        return Settled(0.0, changed=False)

    def start(self, where: str) -> None:
        """Nothing is opened."""

    def opening(self, name: str) -> Opening:
        """Nothing is opened."""
        return Opening("nothing")

    def close(self) -> None:
        """Nothing is open."""


SAID = "said"
"""Name under which what the person said is carried out."""


class InstructedPlanner(PlannerCapabilities):
    """Another planner, interrupted by what the person says or does.

    A message that is made of plain commands is carried out before the plan goes on. One that is not is left
    to a planner that reads messages, or else the person is told that it was not understood. A plan goes on
    behind what the person has done of it while the screen was theirs.

    It comes into a run only once the person has held it or spoken to it.
    """

    def __init__(
        self, planner: Planner, grounder: Grounder, tell: Callable[[str], None], *, reads: bool = False
    ) -> None:
        """
        Args:
            tell: says something to the person.
            reads: whether the planner can read messages itself.
        """
        self._planner, self._grounder, self._tell, self._reads = planner, grounder, tell, reads

    @property
    def name(self) -> str:
        return self._planner.name

    def decide(self, situation: Situation) -> Decision:
        """What the person has said comes first; then what the planner behind this one decides."""
        turns = situation.turns
        planned = [n for n, turn in enumerate(turns) if turn.decision.planner not in (PERSON, SAID)]
        since = planned[-1] + 1 if planned else 0
        for number in range(since, len(turns)):
            decision = self._heed(turns[number], turns[number + 1 :], situation)
            if decision is not None:
                return decision
        did = any(turn.steps for turn in turns[since:] if turn.decision.planner == PERSON)
        if did and (resumed := capabilities(self._planner).resume(situation)) is not None:
            return resumed
        return self._planner.decide(situation)

    def _heed(self, turn: Turn, after: tuple[Turn, ...], situation: Situation) -> Decision | None:
        text = turn.decision.thought
        if turn.decision.planner != PERSON or turn.decision.bookmark or not text:
            return None  # an answer to a question is read by the planner that asked
        new = not after
        if not words(text) or isinstance(parse(text), Unparsed):
            if new and not self._reads:
                self._tell(f'not understood: "{text}"; say it as a command, such as: click "Next"')
            return None
        # Turns of an earlier message lie before this one; those of a later one are not there yet.
        plain = PlainPlanner(self._grounder)
        own = tuple(replace(one, decision=replace(one.decision, planner=plain.name)) for one in after)
        decision = plain.decide(replace(situation, task=Task(text), turns=own))
        if isinstance(decision.end, GiveUp):
            self._tell(f"could not do what you said: {decision.end.reason}")
        if isinstance(decision.end, Finish | GiveUp):
            return None
        return replace(decision, planner=SAID)
