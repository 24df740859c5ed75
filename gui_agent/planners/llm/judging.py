"""Judging with a model where code cannot: what an action did, and whether the task is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from gui_agent.core.dialogue import Asked, Model, Part, Request, Turn
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Reflector, Verdict
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Found, Outcome, OutcomeKind, Planned, Trajectory
from gui_agent.elements.describe import describe, describe_condition
from gui_agent.planners.llm.conversation import rung
from gui_agent.planners.llm.prompts import fence, own, render
from gui_agent.planners.llm.rendering import history_text, screen_text
from gui_agent.planners.llm.replies import VERDICT_TOKENS, verdict

UNDECIDED = frozenset({"changed", "no_change", "unverifiable"})
IDLE = frozenset({"move", "scroll", "swipe", "wait", "hold"})
"""Actions whose effect is not worth a call."""

_KINDS: dict[str, OutcomeKind] = {"YES": "confirmed", "NO": "unexpected"}


class ModelReflector:
    """Asks a model what an action did when another reflector, which goes first, could not tell.

    A call is made only when something was expected that the screen's elements cannot decide, and the action
    is one that matters.
    """

    def __init__(self, model: Model, first: Reflector, *, spent: Callable[[], float] | None = None) -> None:
        """Args: spent: the share of the budget that is used up, 0 to 1."""
        self._model = model
        self._first = first
        self._spent = spent or (lambda: 0.0)

    def judge(
        self, planned: Planned, found: Mapping[str, Found], before: Observation, after: Observation
    ) -> Outcome:
        """What the first reflector says, or the model when that is undecided."""
        outcome = self._first.judge(planned, found, before, after)
        undecided = outcome.kind in UNDECIDED and bool(planned.expect) and planned.action.kind not in IDLE
        pictures = before.screenshot is not None and after.screenshot is not None
        if not undecided or not pictures or rung(self._spent()).frugal:
            return outcome
        return self._ask(planned, found, before, after, outcome)

    def _ask(
        self,
        planned: Planned,
        found: Mapping[str, Found],
        before: Observation,
        after: Observation,
        outcome: Outcome,
    ) -> Outcome:
        wanted = "; ".join(describe_condition(condition, before) for condition in planned.expect)
        text = render(
            "judge",
            action=own(describe(planned.action, found)),
            wanted=own(wanted),
            seen=fence(outcome.summary, "change"),
        )
        parts: list[Part] = [text]
        parts += [look.screenshot for look in (before, after) if look.screenshot]
        try:
            reply = self._model.complete(Request("judge", (Asked(tuple(parts)),), max_tokens=VERDICT_TOKENS))
        except BadReply:
            return replace(outcome, calls=1)
        word, seen = verdict(reply, "YES", "NO", "UNCLEAR") or ("UNCLEAR", "")
        kind = _KINDS.get(word)
        if kind is None:
            return replace(outcome, calls=1)
        said = shorten(seen, 160)
        return Outcome(kind, said or outcome.summary, (f"a model looked: {said}", *outcome.evidence), calls=1)


STEPS = 30
"""Steps that the verifier is told one by one."""
AGAIN = "That holds no verdict. Answer in one line: `DONE`, or `MISSING:` and what is missing."


class ModelVerifier:
    """Looks at the end of a run with fresh context: no thoughts and no plans of the planner."""

    def __init__(self, model: Model, *, spent: Callable[[], float] | None = None) -> None:
        """
        Args:
            spent: the share of the budget that is used up, 0 to 1; from three quarters on nothing is asked.
        """
        self._model = model
        self._spent = spent or (lambda: 0.0)

    def verify(self, trajectory: Trajectory, answer: str, screen: Observation) -> Verdict:
        """Ask, and once more when the answer was cut or holds no verdict; without any it did not judge."""
        if rung(self._spent()).frugal:
            return Verdict(judged=False)
        task = trajectory.task
        criteria = [*task.criteria, *(c for turn in trajectory.turns for c in turn.decision.criteria)]
        noted = [f"{name}: {value}" for name, value in trajectory.notes.items()]
        text = render(
            "verify",
            task=task,
            answer=own(answer),
            criteria=[own(str(criterion)) for criterion in criteria],
            notes=fence("\n".join(noted), "notes") if noted else "",
            history=fence(history_text(trajectory.turns, STEPS) or "Nothing.", "history"),
            screen=fence(screen_text(screen, task.text), "screen"),
        )
        asked: tuple[Turn, ...] = (Asked((text, screen.screenshot) if screen.screenshot else (text,)),)
        for calls in (1, 2):
            try:
                reply = self._model.complete(Request("verify", asked, max_tokens=VERDICT_TOKENS))
            except BadReply:
                continue
            said = verdict(reply, "DONE", "MISSING")
            if said is not None:
                word, what = said
                return Verdict("" if word == "DONE" else what or "the check did not say what", calls)
            if reply.text:
                asked = (asked[0], reply, Asked((AGAIN,)))
        return Verdict(calls=2, judged=False)
