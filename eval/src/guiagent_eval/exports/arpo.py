"""ARPO's trajectories: messages with their pictures, the reward and the task of each run."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from gui_agent.core.dialogue import Part
from guiagent_eval.exports import Pictures
from guiagent_eval.practice.stepping import PIXELS
from guiagent_eval.practice.turns import Conversation

FILE = "trajectories.jsonl"
CALLS = False


def rows(told: Conversation, pictures: Pictures) -> Iterator[Mapping[str, Any]]:
    """One row a run; all rows together are the three lists of ARPO's saved trajectories."""
    kept = told.kept
    record, task = kept.record, kept.trajectory.task
    domain = kept.benchmark or "guiagent"
    config: dict[str, Any] = {"id": kept.name, "instruction": task.text, "domain": domain}
    if record is not None:
        config |= {"task": record.task, "seed": record.seed}
    messages = [{"role": one.role, "content": [_part(part) for part in one.parts]} for one in told.messages]
    yield {"history_messages": messages, "eval_results": kept.reward, "task_configs": config}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    code = base64.b64encode(part.data).decode()
    return {"type": "image", "image": f"data:{part.media_type};base64,{code}", **PIXELS}
