"""Tries several decisions in forks of the state, and takes the one whose effects there are the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from gui_agent import wiring
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Wait
from gui_agent.core.errors import BadReply, StepFailed
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Computer, Grounder, Planner, Situation
from gui_agent.core.trajectory import Ask, Decision, End, Ending, Finish, GiveUp, Step, Trajectory, Turn
from gui_agent.settings import Settings
from guiagent_eval.benchmark import Episode
from guiagent_eval.episodes import WatchedComputer
from guiagent_eval.practice.best_of import choose_with_costs
from guiagent_eval.records import Record

UNFINISHED = "(No run is finished: choose the one whose last steps bring the task forward the most.)"
"""Follows the task in the question that compares what decisions led to."""


class LookAhead:
    """A planner that asks another one several times, and tries the decisions that differ before it takes one.

    A fork is an episode of the same case in which the actions so far are done again. If its task is another
    one then, or its screen does not show the same elements, the first decision is taken untried. The judge
    learns nothing that the benchmark says of a fork, not even how it ended.
    """

    def __init__(
        self,
        planner: Planner,
        candidates: int,
        fork: Callable[[], AbstractContextManager[Episode]],
        settings: Settings,
        grounder: Grounder,
        judge: str,
    ) -> None:
        """
        Args:
            candidates: how often the planner is asked, 2 to 9.
            settings: of the agent, whose guard and limits hold in forks too.
            judge: the model that compares; it is not asked whether to give up, which comes last.
        """
        self._planner, self._candidates, self._fork = planner, candidates, fork
        self._settings, self._grounder, self._judge = settings, grounder, judge
        self._forks = self._failed = self._calls = self._tokens = 0
        self._cost = 0.0

    @property
    def name(self) -> str:
        return self._planner.name

    def decide(self, situation: Situation) -> Decision:
        """Decide like the planner, or better; raises like it."""
        first = self._planner.decide(situation)
        if first.called:  # What its tools did cannot be undone, and is not done again.
            return first
        decisions, self._calls = [first], 0
        # Without a guard, tools that act outside the screen are refused; those of the page are not offered.
        harmless = replace(situation, guard=None, tools=tuple)
        for _ in range(self._candidates - 1):
            try:
                decisions.append(self._planner.decide(harmless))
            except BadReply as error:
                self._calls += error.calls
        different: dict[object, Decision] = {}
        for one in decisions:
            if not one.called:
                different.setdefault(_actions_and_end(one), one)
        chosen = self._best(situation, [*different.values()]) if len(different) > 1 else first
        return replace(chosen, calls=self._calls + sum(one.calls for one in decisions))

    def add_costs(self, record: Record) -> Record:
        """The record of the episode with the tokens and dollars of the judge, and the number of forks."""
        told = {"look_ahead": self._candidates, "forks": self._forks, "failed_forks": self._failed}
        return replace(
            record,
            tokens=record.tokens + self._tokens,
            cost=round(record.cost + self._cost, 6),
            details={**record.details, **told},
        )

    def _best(self, situation: Situation, decisions: Sequence[Decision]) -> Decision:
        """The decision that led to the best screen; the first where they cannot be tried."""
        tried: list[Trajectory] = []
        for one in decisions:
            led_to = self._try(situation, one)
            if led_to is None:
                self._failed += 1
                return decisions[0]
            tried.append(led_to)
        place, judged = choose_with_costs(tried, self._settings, self._judge)
        self._calls += judged.calls
        self._tokens += judged.usage.read + judged.usage.wrote
        self._cost += judged.cost
        return decisions[place]

    def _try(self, situation: Situation, decision: Decision) -> Trajectory | None:
        """The run so far and what this decision adds to it; None if the state cannot be forked."""
        turn = Turn(decision, situation.observation)
        if decision.planned:
            with self._fork() as episode:
                self._forks += 1
                computer = WatchedComputer(episode)
                if episode.task.text != situation.task.text or not _bring_to(computer, situation):
                    return None
                turn = self._carry_out(computer, situation, decision)
        end = decision.end
        ending = Ending("not_done" if isinstance(end, GiveUp | Ask) else "stopped", answer=_answer(end))
        task = replace(situation.task, text=f"{situation.task.text}\n{UNFINISHED}")
        return Trajectory(task, (*situation.turns, turn), ending)

    def _carry_out(self, computer: WatchedComputer, situation: Situation, decision: Decision) -> Turn:
        """The decision with its steps in a fork, numbered as if they followed those of the run."""
        settings = self._settings
        agent = Agent(
            computer,
            _Once(decision),
            grounder=self._grounder,
            guard=wiring.make_guard(settings),
            limits=Limits(**settings.limits.model_dump()),
        )
        computer.stop = agent.control.stop
        tried = agent.run(situation.task).trajectory
        self._calls += tried.model_calls
        done = len(_steps(situation))
        numbered = (replace(step, number=done + step.number) for step in tried.steps)
        return Turn(decision, situation.observation, tuple(numbered))


class _Once:
    """A planner that decides once."""

    name = "look-ahead"

    def __init__(self, decision: Decision) -> None:
        self._decision = replace(decision, end=None, calls=0)

    def decide(self, situation: Situation) -> Decision:
        return Decision(end=GiveUp("it was tried")) if situation.turns else self._decision


def _steps(situation: Situation) -> tuple[Step, ...]:
    return Trajectory(situation.task, situation.turns).steps


def _actions_and_end(decision: Decision) -> object:
    """What makes two decisions the same: their actions and their ending, whatever the words beside them."""
    end = decision.end
    return tuple(one.action for one in decision.planned), end and end.kind, _answer(end)


def _answer(end: End | None) -> str:
    return end.answer if isinstance(end, Finish) else ""


def _bring_to(computer: Computer, situation: Situation) -> bool:
    """Do the actions so far; returns whether the screen is the one of the situation then."""
    try:
        for step in _steps(situation):
            if step.action is not None and not isinstance(step.action, Wait):
                computer.perform(step.action)
                computer.settle()
    except StepFailed:
        return False
    return _visible_state(computer.observe(picture=False)) == _visible_state(situation.observation)


def _visible_state(screen: Observation) -> object:
    # Ids are compared too, because decisions name elements by them.
    return screen.size, screen.place, screen.elements, screen.more
