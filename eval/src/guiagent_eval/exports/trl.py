"""TRL's conversational rows with calls of tools, for `SFTTrainer` and vision models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from guiagent_eval.exports import Pictures
from guiagent_eval.practice.turns import Conversation, Utterance

FILE = "train.jsonl"
CALLS = True


def rows(told: Conversation, pictures: Pictures) -> Iterator[Mapping[str, Any]]:
    """One row a run: `messages`, the `tools` it may call, and `images` in order."""
    images = [pictures.name(shot) for message in told.messages for shot in message.pictures]
    tools = [
        {
            "type": "function",
            "function": {"name": one.name, "description": one.description, "parameters": one.parameters},
        }
        for one in told.tools
    ]
    names = {call.id: call.name for one in told.messages for call in one.calls}
    row = {
        "messages": [_message(one, names) for one in told.messages],
        "tools": tools,
        "reward": told.kept.reward,
    }
    yield {**row, **({"images": images} if images else {})}


def _message(one: Utterance, names: Mapping[str, str]) -> dict[str, Any]:
    if one.role == "tool":
        told = [{"type": "text", "text": one.text}]
        return {"role": "tool", "name": names.get(one.call, ""), "content": told}
    if not one.calls:
        return {"role": one.role, "content": _content(one)}
    calls = [
        {"type": "function", "function": {"name": call.name, "arguments": dict(call.arguments)}}
        for call in one.calls
    ]
    return {"role": one.role, "content": [], "tool_calls": calls}


def _content(one: Utterance) -> list[dict[str, str]]:
    return [{"type": "text", "text": it} if isinstance(it, str) else {"type": "image"} for it in one.parts]
