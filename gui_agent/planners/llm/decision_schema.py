"""What a model says when it decides: the tool it calls, and how its answer is read."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gui_agent.core.codec import decode, schema
from gui_agent.core.conditions import Condition
from gui_agent.core.dialogue import Tool
from gui_agent.core.errors import BadReply, ConfigError
from gui_agent.core.geometry import STRICT
from gui_agent.core.targets import Target
from gui_agent.core.trajectory import End, Planned

DECIDE = "decide"
"""The name of the tool."""

_FENCED = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)
_PLACES = ("at", "to", "of")


@dataclass(frozen=True, slots=True)
class Said:
    """Say what is to be done next: a batch of actions, or the end, or both when the batch completes all."""

    thought: str = ""
    """What you see and why you do this, in one or two sentences."""
    plan: str = ""
    """What is done and what is left of the whole task, in short; shown to you again next time."""
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Values read off the screen that are needed later, by name; kept for you."""
    criteria: tuple[Condition[Target], ...] = ()
    """Only in your first answer: one to three statements that will be true on the screen when all is done."""
    actions: tuple[Planned, ...] = ()
    """Carried out in order; the rest is dropped when one of them does not go as expected."""
    end: End | None = None
    """finish, give_up or ask; none while there is more to do."""
    __pydantic_config__: ClassVar[dict[str, Any]] = {**STRICT, "use_attribute_docstrings": True}


@functools.cache
def decide_tool() -> Tool:
    """The tool by which a model decides; its schema is made of the vocabulary and its docstrings."""
    whole = schema(Said)
    description = " ".join(str(whole.pop("description", "")).split())
    return Tool(DECIDE, description, compact(whole))


def compact(whole: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema without what a model does not need: titles, long names, repeated targets."""
    target = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("Point", "Mark", "Words")]}
    names = {name: name.partition("_Union_")[0] for name in whole.get("$defs", {})}

    def tidy(node: Any, inside: str = "") -> Any:
        if isinstance(node, list):
            return [tidy(item) for item in node]
        if not isinstance(node, dict):
            return node
        if node.get("anyOf") == target["anyOf"]:
            return {"$ref": "#/$defs/Target"}
        if "$ref" in node:
            return {"$ref": f"#/$defs/{names[node['$ref'].rpartition('/')[2]]}"}
        kept = {}
        for key, value in node.items():
            if inside != "properties" and key in ("title", "discriminator"):
                continue
            if inside != "properties" and key == "description":
                kept[key] = " ".join(value.split())
            else:
                kept[key] = tidy(
                    value, "properties" if key == "properties" and inside != "properties" else ""
                )
        if "const" in kept:
            kept = {"const": kept["const"]}
        return kept

    definitions = {names[name]: tidy(part) for name, part in whole.get("$defs", {}).items()}
    for part in definitions.values():
        if "kind" in part.get("properties", {}):
            part["required"] = ["kind", *part.get("required", [])]
    body = tidy({key: value for key, value in whole.items() if key != "$defs"})
    return {**body, "$defs": {**definitions, "Target": target}}


def read(arguments: Mapping[str, Any]) -> Said:
    """What a call of the tool says.

    Raises:
        BadReply: it does not fit the schema; names the place.
    """
    try:
        said: Said = decode(Said, json.dumps(_mended(arguments)), source="your answer")
    except ConfigError as error:
        raise BadReply(str(error)) from error
    return said


def read_text(text: str) -> Said:
    """The same from an answer in plain text that holds one JSON object.

    Raises:
        BadReply: there is no JSON object in it, or it does not fit the schema.
    """
    fenced = _FENCED.search(text)
    body = fenced[1] if fenced else text[text.find("{") : text.rfind("}") + 1]
    try:
        value = json.loads(body)
    except ValueError as error:
        raise BadReply("your answer holds no JSON object; answer with one and nothing else") from error
    if not isinstance(value, dict):
        raise BadReply("your answer is no JSON object; answer with one and nothing else")
    return read(value)


def _mended(value: Any) -> Any:
    """The arguments with harmless slips set right: a bare number for a mark, a bare text for words, an
    action without its wrapping."""
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    mended = {key: _place(item) if key in _PLACES else _mended(item) for key, item in value.items()}
    if "to" in mended and mended.get("kind") == "switch":
        mended["to"] = value["to"]
    actions = mended.get("actions")
    if isinstance(actions, list):
        mended["actions"] = [_wrapped(item) for item in actions]
    return mended


def _place(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return {"mark": value}
    return {"text": value} if isinstance(value, str) else value


def _wrapped(item: Any) -> Any:
    bare = isinstance(item, dict) and "kind" in item and "action" not in item
    if not bare:
        return item
    beside = {key: item[key] for key in ("expect", "why", "optional") if key in item}
    return {"action": {key: part for key, part in item.items() if key not in beside}, **beside}
