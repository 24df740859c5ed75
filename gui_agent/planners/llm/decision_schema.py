"""The schema of the `decide` tool, and the parser of its arguments."""

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
from gui_agent.core.geometry import STRICT, Point
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


def read(arguments: Mapping[str, Any], middle: Point) -> Said:
    """What a call of the tool says.

    Args:
        middle: of the screen: where a scroll goes that names no place.

    Raises:
        BadReply: it does not fit the schema; names the place.
    """
    try:
        said: Said = decode(Said, json.dumps(_mended(arguments, middle)), source="your answer")
    except ConfigError as error:
        raise BadReply(str(error)) from error
    return said


def read_text(text: str, middle: Point) -> Said:
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
    return read(value, middle)


def _mended(arguments: Mapping[str, Any], middle: Point) -> dict[str, Any]:
    """The arguments with slips set right that leave no doubt about what is meant."""
    given = _without_none(arguments)
    for name in ("actions", "criteria", "end", "notes"):
        given[name] = _parsed(given.get(name))
    if given["end"] == "finish":
        given["end"] = {"kind": "finish"}
    end, notes = given["end"], given["notes"]
    if isinstance(end, dict) and _is_number(end.get("answer")):
        given["end"] = {**end, "answer": str(end["answer"])}
    if isinstance(notes, dict):
        given["notes"] = {name: str(note) if _is_number(note) else note for name, note in notes.items()}
    if isinstance(given["actions"], list):
        given["actions"] = [_planned(item, middle) for item in given["actions"]]
    given["criteria"] = _pointed(given["criteria"])
    return {name: value for name, value in given.items() if value is not None}


def _without_none(value: Any) -> Any:
    """Without keys that hold null: that is how some models leave something out."""
    if isinstance(value, list):
        return [_without_none(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {key: _without_none(item) for key, item in value.items() if item is not None}


def _parsed(value: Any) -> Any:
    """What stands in a JSON text where an object or a list belongs."""
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return value
    try:
        return _without_none(json.loads(value))
    except ValueError:
        return value


def _planned(item: Any, middle: Point) -> Any:
    """An action with its wrapping, its expectations beside it, and its places and keys as they should be."""
    item = _parsed(item)
    if not isinstance(item, dict):
        return item
    inner = _parsed(item.get("action")) if "action" in item else item
    if not isinstance(inner, dict):
        return item
    around = inner if inner is item else {**inner, **item}
    beside = {key: around[key] for key in ("expect", "why", "optional") if key in around}
    action = _pointed({key: part for key, part in inner.items() if key not in beside})
    if action.get("kind") == "switch":
        action["to"] = inner.get("to")
    for name in ("keys", "modifiers"):
        if isinstance(action.get(name), str):
            action[name] = [key for key in re.split(r"\s*\+\s*(?!$)", action[name].strip()) if key]
    if action.get("kind") == "scroll" and "at" not in action:
        action["at"] = {"x": middle.x, "y": middle.y}
    if "expect" in beside:
        expect = beside["expect"]
        beside["expect"] = _pointed([expect] if isinstance(expect, dict) else expect)
    # What nobody knows stays where it is, so that the answer says so.
    unknown = {} if inner is item else {key: item[key] for key in item.keys() - {*beside, "action"}}
    return {"action": action, **beside, **unknown}


def _pointed(value: Any) -> Any:
    """A condition, or several, or an action with each place in it in its proper form."""
    if isinstance(value, list):
        return [_pointed(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {key: _place(item) if key in _PLACES else _pointed(item) for key, item in value.items()}


def _place(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return {"mark": value}
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)):
        return {"x": round(value[0]), "y": round(value[1])}
    if isinstance(value, dict) and isinstance(value.get("mark"), int):
        # A number is exact; words beside it only say again what it is.
        return {"mark": value["mark"]}
    if isinstance(value, dict) and _is_number(value.get("x")) and _is_number(value.get("y")):
        return {**value, "x": round(value["x"]), "y": round(value["y"])}
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
