"""A model that can only copy: it does what the exemplar in its request did, with the values of its own task.

It knows nothing but what a request shows. Without an exemplar it gives up.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from typing import Any

_EXAMPLE = re.compile(r"⟦example\n(.*?)\n/example⟧", re.DOTALL)
_TASK = re.compile(r"^Task: (.*)$", re.MULTILINE)
_ACTIONS = re.compile(r"^Actions:\n((?:[{].*\n?)+)", re.MULTILINE)
_TOKEN = re.compile(r'"[^"]*"|\w+(?:[-/:.@]\w+)*|[^\w\s]')


def beginning(body: Mapping[str, Any]) -> str:
    """The text of the first message of a person in a request in the Chat Completions format."""
    said = next(message["content"] for message in body["messages"] if message["role"] == "user")
    return said if isinstance(said, str) else "\n".join(part.get("text", "") for part in said)


def exemplars(body: Mapping[str, Any]) -> list[str]:
    """The exemplars that a request holds."""
    return _EXAMPLE.findall(beginning(body))


def copied(body: Mapping[str, Any]) -> dict[str, Any]:
    """The decision: the turn of the first exemplar that comes next, or the end after its last."""
    shown = exemplars(body)
    if not shown:
        return {"thought": "I know nothing.", "end": {"kind": "give_up", "reason": "no exemplar to copy"}}
    own = _TASK.findall(_EXAMPLE.sub("", beginning(body)))[-1]
    turns = [turn.splitlines() for turn in _ACTIONS.findall(shown[0])]
    done = sum(message["role"] == "assistant" for message in body["messages"])
    if done >= len(turns):
        return {"thought": "All of it is copied.", "end": {"kind": "finish"}}
    values = differing(_TASK.findall(shown[0])[0], own)
    return {"thought": "As before.", "actions": [_with(values, json.loads(line)) for line in turns[done]]}


def differing(old: str, new: str) -> dict[str, str]:
    """The values of one task by those of another in the same words."""
    one, two = _TOKEN.findall(old), _TOKEN.findall(new)
    matched = difflib.SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    pairs = [(one[a:b], two[c:d]) for kind, a, b, c, d in matched if kind == "replace"]
    found: dict[str, str] = {}
    for before, after in pairs:
        if len(before) == len(after):
            found |= zip(map(_bare, before), map(_bare, after), strict=True)
        found[_bare(" ".join(before))] = _bare(" ".join(after))
    return found


def _bare(value: str) -> str:
    return value.strip('"')


def _with(values: Mapping[str, str], part: Any) -> Any:
    """What was said with the new values in place of the old ones."""
    if isinstance(part, dict):
        return {name: item if name == "kind" else _with(values, item) for name, item in part.items()}
    if isinstance(part, list):
        return [_with(values, item) for item in part]
    if not isinstance(part, str) or not values:
        return part
    longest = sorted(filter(None, values), key=len, reverse=True)
    known = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)
    lower = {old.lower(): new for old, new in values.items()}
    return known.sub(lambda found: lower[found[0].lower()], part)
