"""Chooses the best of several runs of a task: by their endings, and then by a question that compares them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gui_agent.core.dialogue import Asked, Model, Request
from gui_agent.core.errors import BadReply
from gui_agent.core.trajectory import Trajectory
from gui_agent.elements.describe import describe_step
from gui_agent.planners.llm.rendering import history_text, own, render, screen_text
from gui_agent.planners.llm.replies import VERDICT_TOKENS, verdict


def choose_run(runs: Sequence[Trajectory], model: Model | None = None) -> tuple[int, str]:
    """The index of the best of at least one run, and why it is the best.

    Runs that ended as done come first; of up to nine of these the model names one. Without a comparison, the
    one that most others agree with is taken (self-consistency, Wang et al. 2022, arXiv 2203.11171), and of
    those one with the fewest steps that went wrong. Few steps are no merit: a run may have ended too early.

    Args:
        model: answers in words; None, or one that knows only its own actions, compares nothing.
    """
    done = [one for one in runs if _is_done(one)]
    left = done or runs
    agreeing = Counter(map(_result, left))
    chosen = min(left, key=lambda one: (-agreeing[_result(one)], _count_faults(one)))
    why = "by its ending, what most runs did, and its faults; no model compared"
    if len(done) > 1 and model is not None and (model.traits.tools or not model.traits.ends):
        told = render("compare", runs=done, history=history_text, listed=screen_text, own=own)
        shots = [one.steps[-1].after.screenshot for one in done if one.steps]
        asked = Asked((told, *filter(None, shots)))
        try:
            found = verdict(model.complete(Request("verify", (asked,), max_tokens=VERDICT_TOKENS)), "BEST")
        except BadReply:
            found = None
        named = dict(zip("123456789", done, strict=False)).get(found[1][:1]) if found else None
        if named:
            chosen, why = named, "a model compared the runs"
    return runs.index(chosen), why


def _is_done(run: Trajectory) -> bool:
    return run.ending is not None and run.ending.kind in ("done", "stopped")  # a benchmark stops at its end


def _result(run: Trajectory) -> str | frozenset[str]:
    """What runs that agree have in common: the answer, or what they did where there is none."""
    answer = run.ending.answer if run.ending else ""
    return answer or frozenset(describe_step(step) for step in run.steps if step.outcome.good)


def _count_faults(run: Trajectory) -> int:
    return sum(not step.outcome.good for step in run.steps)
