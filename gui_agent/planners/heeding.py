"""Heeds the person during a run whose planner reads no messages: what they say is done first, as commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gui_agent.core.protocols import Grounder, Planner, PlannerCapabilities, Situation, capabilities
from gui_agent.core.trajectory import PERSON, Decision, Finish, GiveUp, Task, Turn
from gui_agent.elements.text import words
from gui_agent.planners.commands import PlainPlanner, Unparsed, parse

SAID = "said"
"""Name under which what the person said is carried out."""


class HeedingPlanner(PlannerCapabilities):
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
        """The next actions for what the person said in a turn; None when nothing is left to do for it."""
        text = turn.decision.thought
        if turn.decision.planner != PERSON or not text:
            return None
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
