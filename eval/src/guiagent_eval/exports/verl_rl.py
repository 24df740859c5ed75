"""Rows of verl's RL data set: each run's task as a prompt, with the data for its reward."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from guiagent_eval.exports import Pictures
from guiagent_eval.exports.verl_sft import chat, picture_bytes
from guiagent_eval.practice.turns import Conversation

FILE = "train.parquet"
CALLS = False
AGENT = "tool_agent"
"""The loop of verl's agents that acts in several turns."""


def rows(told: Conversation, pictures: Pictures) -> Iterator[Mapping[str, Any]]:
    """One row a run: the prompt before its first answer, and the case by which it can begin again."""
    record, task = told.kept.record, told.kept.trajectory.task
    first = next(place for place, one in enumerate(told.messages) if one.role == "assistant")
    case = {"task": record.task, "seed": record.seed} if record else {"task": task.text, "start": task.start}
    images = picture_bytes(told.messages[:first])
    row = {
        "prompt": chat(told.messages[:first]),
        "data_source": f"guiagent/{told.kept.benchmark or 'runs'}",
        "ability": "gui",
        "reward_model": {"style": "rule", "ground_truth": json.dumps(case)},
        "agent_name": AGENT,
        "extra_info": {
            "index": told.kept.name,
            "need_tools_kwargs": False,
            "tools_kwargs": {"guiagent": {"create_kwargs": case}},
            "interaction_kwargs": {"name": "guiagent", **case},
            "reward": told.kept.reward,
        },
    }
    yield {**row, **({"images": images} if images else {})}
