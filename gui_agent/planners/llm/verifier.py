"""Checking that a task is done with a model that sees only the task, what was done and the screen."""

from __future__ import annotations

from collections.abc import Callable

from gui_agent.core.dialogue import Asked, Model, Request, Turn
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Verdict
from gui_agent.core.trajectory import Trajectory
from gui_agent.planners.llm.budget_tiers import rung
from gui_agent.planners.llm.prompts import own, render, untrusted
from gui_agent.planners.llm.rendering import history_text, screen_text
from gui_agent.planners.llm.replies import VERDICT_TOKENS, verdict

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
        """Ask, and once more when the answer was cut or holds no verdict; without any it did not judge.

        Raises:
            Unavailable: the model's service is down.
        """
        if rung(self._spent()).frugal:
            return Verdict(judged=False)
        task = trajectory.task
        criteria = [*task.criteria, *(c for turn in trajectory.turns for c in turn.decision.criteria)]
        text = render(
            "verify",
            task=task,
            answer=own(answer),
            criteria=[own(str(criterion)) for criterion in criteria],
            history=untrusted(history_text(trajectory.turns, STEPS) or "Nothing.", "history"),
            screen=untrusted(screen_text(screen, task.text), "screen"),
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
