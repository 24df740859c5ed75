"""Chooses the best of several runs of a task: by their endings, and then by a question that compares them."""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.core.dialogue import Asked, Model, Request
from gui_agent.core.errors import BadReply
from gui_agent.core.trajectory import Trajectory
from gui_agent.planners.llm.rendering import history_text, own, render, screen_text
from gui_agent.planners.llm.replies import VERDICT_TOKENS, verdict


def choose_run(runs: Sequence[Trajectory], model: Model | None = None) -> tuple[int, str]:
    """The index of the best of at least one run, and why it is the best.

    Runs that ended as done come first; of up to nine of these the model names one. Without a comparison, the
    fewest steps that went wrong decide, and then the fewest steps.

    Args:
        model: answers in words; None, or one that knows only its own actions, compares nothing.
    """
    order = sorted(runs, key=_rank, reverse=True)
    done = [one for one in order if _rank(one)[0]]
    chosen, why = order[0], "by its ending, faults and steps; no model compared"
    if len(done) > 1 and model is not None and (model.traits.tools or not model.traits.ends):
        told = render("compare", runs=done, history=history_text, listed=screen_text, own=own)
        shots = [one.steps[-1].after.screenshot for one in done if one.steps]
        asked = Asked((told, *filter(None, shots)))
        try:
            found = verdict(model.complete(Request("verify", (asked,), max_tokens=VERDICT_TOKENS)), "BEST")
        except BadReply:
            found = None
        named = dict(zip("123456789", done, strict=False)).get(found[1][:1]) if found else None
        chosen, why = (named, "a model compared the runs") if named else (chosen, why)
    return runs.index(chosen), why


def _rank(run: Trajectory) -> tuple[bool, int, int]:
    done = run.ending is not None and run.ending.kind in ("done", "stopped")  # a benchmark stops at its end
    return done, -sum(not step.outcome.good for step in run.steps), -len(run.steps)
