"""TRL's conversational rows for `SFTTrainer`, as text or with calls of tools, for text and vision models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from guiagent_eval.exports import Pictures
from guiagent_eval.practice.turns import Conversation, Utterance

FILE = "train.jsonl"
CALLS = True


def rows(told: Conversation, pictures: Pictures) -> Iterator[Mapping[str, Any]]:
    """One row a run: `messages`, the `tools` it may call, and `images` in order.

    Without pictures, contents are strings, since templates of text models refuse lists of parts.
    """
    images = [pictures.name(shot) for message in told.messages for shot in message.pictures]
    row = {
        "messages": [_message(one, bool(images)) for one in told.messages],
        "reward": told.kept.reward,
        **({"images": images} if images else {}),
    }
    tools = [
        {
            "type": "function",
            "function": {"name": one.name, "description": one.description, "parameters": one.parameters},
        }
        for one in told.tools
    ]
    yield {**row, **({"tools": tools} if tools else {})}


def _message(one: Utterance, as_parts: bool) -> dict[str, Any]:
    parts = [{"type": "text", "text": it} if isinstance(it, str) else {"type": "image"} for it in one.parts]
    told = {"role": one.role, "content": parts if as_parts else one.text}
    calls = [
        {"type": "function", "function": {"name": call.name, "arguments": dict(call.arguments)}}
        for call in one.calls
    ]
    return told | ({"name": one.tool} if one.tool else {}) | ({"tool_calls": calls} if calls else {})
