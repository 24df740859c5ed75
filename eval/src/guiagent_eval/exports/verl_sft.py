"""Rows of verl's multi-turn SFT data set, with answers as JSON and pictures in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from guiagent_eval.exports import Pictures
from guiagent_eval.practice.turns import Conversation, Utterance

FILE = "train.parquet"
CALLS = False
_MARK = re.compile(r"<(image|video|audio)>")
"""The marks that verl replaces by pictures, films and sounds."""


def rows(told: Conversation, pictures: Pictures) -> Iterator[Mapping[str, Any]]:
    """One row a run; without pictures there are no columns for them, so that text models can read it."""
    row = {"messages": chat(told.messages), "enable_thinking": False, "reward": told.kept.reward}
    images = picture_bytes(told.messages)
    yield {**row, **({"images": images, "videos": []} if images else {})}


def chat(messages: tuple[Utterance, ...]) -> list[dict[str, str]]:
    """The messages in verl's form."""
    return [
        {
            "role": one.role,
            "content": "\n\n".join(plain(part) if isinstance(part, str) else "<image>" for part in one.parts),
        }
        for one in messages
    ]


def plain(text: str) -> str:
    """Text without verl's marks for pictures: a page that says `<image>` would get a picture."""
    return _MARK.sub(r"< \1>", text)


def picture_bytes(messages: tuple[Utterance, ...]) -> list[dict[str, bytes]]:
    """The pictures of a conversation in order."""
    return [{"bytes": shot.data} for message in messages for shot in message.pictures]
