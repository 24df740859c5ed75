"""OpenEnv's collected episodes: `results.jsonl` of EpisodeRecords."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gui_agent.core.codec import plain
from gui_agent.core.trajectory import Step
from gui_agent.elements.describe import describe_step
from guiagent_eval.exports import Pictures
from guiagent_eval.practice.turns import Conversation, proposal_of

FILE = "results.jsonl"
CALLS = False


def rows(told: Conversation, pictures: Pictures) -> Iterator[Mapping[str, Any]]:
    """One record a run."""
    kept = told.kept
    steps = [step for one in told.taken for step in one.turn.steps]
    shown = [pictures.name(shot) for message in told.messages for shot in message.pictures]
    ending = kept.trajectory.ending
    yield {
        "episode_id": kept.name,
        "messages": [{"role": one.role, "content": one.text} for one in told.messages],
        "reward": kept.reward,
        "done": ending is not None,
        "tool_trace": [_entry(step, step is steps[-1]) for step in steps],
        "metrics": {
            "steps": len(steps),
            "seconds": kept.run.seconds,
            "model_calls": kept.trajectory.model_calls,
            "void_turns": sum(one.void for one in told.taken),
            "first_error": told.first_error,
        },
        "verify_metrics": plain(kept.record) if kept.record else {"ending": ending.kind if ending else ""},
        "artifacts": {"images": shown, "states": [one.state for one in told.taken]},
        "task": {"text": kept.trajectory.task.text, "start": kept.trajectory.task.start},
        "extra": {"benchmark": kept.benchmark, "platform": told.platform},
    }


def _entry(step: Step, last: bool) -> dict[str, Any]:
    arguments = proposal_of(step)
    return {
        "tool_name": arguments.pop("kind"),
        "arguments": arguments,
        "result": {
            "data": {"summary": step.outcome.summary, "outcome": step.outcome.kind},
            "done": last,
            "metadata": {"step": step.number, "said": describe_step(step)},
            "error": step.error or None,
        },
    }
