"""Planners that wrap others: a cascade, one that gives up, and one that takes the user's instructions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from gui_agent.core.actions import Action
from gui_agent.core.binding import named_in
from gui_agent.core.clarification import Resolution
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
"""Number of times in a run that an earlier planner takes over again."""


class CascadePlanner(PlannerCapabilities):
    """Asks the first planner; when it gives up, asks the next one with the reason and the remaining steps.

    A planner that can resume its plan continues as soon as the next one has overcome the obstacle. If it
    cannot, the next planner keeps the rest of the run. An action that the guard or the user refused is not
    passed to the next planner, so that none can circumvent a refusal.
    """

    name = "cascade"

    def __init__(self, planners: Sequence[Planner]) -> None:
        if not planners:
            raise ConfigError("a cascade needs at least one planner")
        self._planners = tuple(planners)

    def decide(self, situation: Situation) -> Decision:
        """The decision of the planner in charge, under that planner's name.

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
        """Why none of the planners can do the task, in the last one's words; empty if one may be able to."""
        reasons = [capabilities(planner).cannot_do(task) for planner in self._planners]
        return reasons[-1] if all(reasons) else ""

    def count_commands(self, text: str) -> int:
        """How many plain commands a text is for one of the planners; 0 if none can carry them out."""
        return max(capabilities(one).count_commands(text) for one in self._planners)

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
        told.append(
            "Its remaining steps: " + " ".join(f"{i}. {step}" for i, step in enumerate(rest, start=1))
        )
        if capabilities(planner).can_resume:
            told.append("Do the step that it could not do; it continues once the rest of its plan fits.")
    return tuple(told)


class NullPlanner(PlannerCapabilities):
    """Gives up at once with the reason, so that the run is recorded and ends as not done."""

    name = "none"

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def decide(self, situation: Situation) -> Decision:
        return Decision(end=GiveUp(self._reason, "NotUnderstood"), planner=self.name)

    def cannot_do(self, task: Task) -> str:
        """The reason, for every task."""
        return self._reason


class NullComputer(Closing):
    """A placeholder for a run that ends before it looks at a screen."""

    platform = "none"

    def observe(self, *, picture: bool = True) -> Observation:
        """An empty screen."""
        return Observation(Size(0, 0))

    def perform(self, action: Action, expected: Element | None = None) -> None:
        raise ActionFailed(f"{action.kind}: no screen was opened for this task")

    def settle(self) -> Settled:
        """Nothing moves."""
        return Settled(0.0, changed=False)

    def start(self, where: str) -> None:
        """Do nothing."""

    def opening(self, name: str) -> Opening:
        """Opens nothing."""
        return Opening("nothing")

    def clipboard(self) -> str:
        """Nothing was copied."""
        return ""

    def close(self) -> None:
        """Do nothing."""


class RewordedPlanner(PlannerCapabilities):
    """Does the task in the words that the person gave for it, once they have given any."""

    def __init__(self, planner: Planner, make: Callable[[str], Planner]) -> None:
        """
        Args:
            planner: does the task as it is worded.
            make: returns the planner for another wording.
        """
        self._first = self._planner = planner
        self._make = cache(make)

    @property
    def name(self) -> str:
        return self._planner.name

    def decide(self, situation: Situation) -> Decision:
        """The decision of the planner for the latest wording, which sees the turns since then."""
        turns = situation.turns
        for place in range(len(turns) - 1, -1, -1):
            turn = turns[place]
            said = bookmark(Resolution, turn) if turn.decision.planner == PERSON else None
            if said is not None and said.kind == "wording":
                task, self._planner = situation.task, self._make(said.command)
                task = replace(task, text=said.command, values=named_in(said.command, task.values))
                return self._planner.decide(replace(situation, task=task, turns=turns[place + 1 :]))
        self._planner = self._first
        return self._planner.decide(situation)

    def cannot_do(self, task: Task) -> str:
        """Why the first planner cannot do it as it is worded."""
        return capabilities(self._first).cannot_do(task)

    def count_commands(self, text: str) -> int:
        """Whether the planner in charge does."""
        return capabilities(self._planner).count_commands(text)

    def read_target(self, text: str) -> Target | None:
        """What a text names, for the planner in charge."""
        return capabilities(self._planner).read_target(text)

    def remaining(self, situation: Situation) -> Sequence[str]:
        """The rest of the plan of the planner in charge."""
        return capabilities(self._planner).remaining(situation)

    def resume(self, situation: Situation) -> Decision | None:
        """The next decision of the planner in charge."""
        return capabilities(self._planner).resume(situation)


SAID = "said"
"""Planner name for steps that the user's messages ask for."""


class InstructedPlanner(PlannerCapabilities):
    """Wraps another planner; the user's messages and actions interrupt it.

    A message that consists of plain commands is carried out before the plan continues. Any other message goes
    to the wrapped planner if it reads messages; otherwise the user learns that it was not understood. A plan
    continues after the steps that the user performed while in control.

    It enters a run only after the user has paused the run or sent a message.
    """

    def __init__(
        self, planner: Planner, grounder: Grounder, tell: Callable[[str], None], *, reads: bool = False
    ) -> None:
        """
        Args:
            tell: shows a text to the user.
            reads: whether the planner can read messages itself.
        """
        self._planner, self._grounder, self._tell, self._reads = planner, grounder, tell, reads

    @property
    def name(self) -> str:
        return self._planner.name

    @property
    def reads_messages(self) -> bool:  # type: ignore[override]
        return self._reads

    def count_commands(self, text: str) -> int:
        """How many plain commands a text consists of."""
        return PlainPlanner(self._grounder).count_commands(text)

    def read_target(self, text: str) -> Target | None:
        """What a text names, as in a plain command."""
        return PlainPlanner(self._grounder).read_target(text)

    def decide(self, situation: Situation) -> Decision:
        """The decision for the user's message, otherwise that of the wrapped planner."""
        turns = situation.turns
        planned = [n for n, turn in enumerate(turns) if turn.decision.planner not in (PERSON, SAID)]
        since = planned[-1] + 1 if planned else 0
        for number in range(since, len(turns)):
            decision = self._heed(turns[number], turns[number + 1 :], situation)
            if decision is not None:
                return decision
        helped = any(turn.steps for turn in turns[since:])
        resumed = capabilities(self._planner).resume(situation) if helped else None
        return resumed or self._planner.decide(situation)

    def _heed(self, turn: Turn, after: tuple[Turn, ...], situation: Situation) -> Decision | None:
        answer = bookmark(Resolution, turn)
        text = turn.decision.thought if answer is None else answer.command * answer.is_done_apart
        if turn.decision.planner != PERSON or not text:
            return None  # an answer about a step of the plan is read by the planner that asked
        new = not after
        if not words(text) or isinstance(parse(text), Unparsed):
            if new and not self._reads:
                self._tell(f'not understood: "{text}"; say it as a command, such as: click "Next"')
            return None
        # Turns of an earlier message precede this one; those of a later one do not exist yet.
        plain = PlainPlanner(self._grounder)
        own = tuple(replace(one, decision=replace(one.decision, planner=plain.name)) for one in after)
        decision = plain.decide(replace(situation, task=Task(text), turns=own))
        if isinstance(decision.end, GiveUp):
            self._tell(f"could not carry out your message: {decision.end.reason}")
        if isinstance(decision.end, Finish | GiveUp):
            return None
        return replace(decision, planner=SAID)
