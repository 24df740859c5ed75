"""The schema of the `decide` tool, and the parser of its arguments."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from gui_agent.core.actions import ALL
from gui_agent.core.codec import decode
from gui_agent.core.conditions import Condition
from gui_agent.core.dialogue import Tool
from gui_agent.core.errors import BadReply, ConfigError
from gui_agent.core.observation import STRICT, Observation, Point, Target, Words
from gui_agent.core.parsing import parse_json
from gui_agent.core.trajectory import Ask, End, Finish, GiveUp, Planned

DECIDE = "decide"

_FENCED = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)
_PLACES = ("at", "to", "of")
_NUMBERS = ("mark", "x", "y")
_ELEMENT = frozenset({"target", "element", "element_id", "id", "index", "ref", "number", "mark"})
_BESIDE = ("expect", "why", "optional")


@dataclass(frozen=True, slots=True)
class ModelDecision:
    """Say what to do next: a batch of actions, or the end, or both."""

    last: str = ""
    """What the last step achieved, by what the screen shows."""
    thought: str = ""
    """Why you do this, in one or two sentences."""
    plan: tuple[str, ...] = ()
    """The whole task as items: `[x] done`, `[ ] open`."""
    notes: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    """Values needed later, by name; null removes one."""
    criteria: tuple[Condition[Target], ...] = ()
    """Only in your first answer: one to three, true when all is done."""
    actions: tuple[Planned, ...] = ()
    """In order."""
    records: tuple[Mapping[str, str], ...] = field(default=(), hash=False)
    """Values for work that repeats: the actions are done for each, with its values in place of `{name}`."""
    end: End | None = None
    """None while there is more to do."""
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


UNUSED: Mapping[str, frozenset[str]] = {
    "browser": frozenset({"swipe", "pinch", "rotate", "long_press", "hold", "open", "file_exists"}),
    "android": frozenset({"hold", "select", "move", "switch", "close", "upload", "file_exists"}),
    "ios": frozenset({"hold", "select", "move", "close", "upload", "file_exists"}),
    "": frozenset({"swipe", "pinch", "rotate", "long_press"}),
}
"""Kinds not offered on a platform (the empty name: on desktops), but still accepted."""
_ENDS = (Finish, GiveUp, Ask)
_HINTS: Mapping[str, str] = {
    "click": "`clicks` 2: double; `modifiers` held",
    "move": "to hover",
    "scroll": "in pixels",
    "type": "`replace` empties it first",
    "press": "together: ctrl, s",
    "switch": "by title",
    "close": "this tab or window",
    "wait": "at most `seconds`, until the text",
    "open": "program or document",
    "pinch": "a `scale` below 1 zooms out",
    "rotate": "portrait or landscape",
    "state_is": "such as checked",
    "url_is": "`*` is anything",
    "finish": "`answer` is what was asked for",
}
"""What the name and the fields of a kind do not say."""
_INTERNAL = frozenset({"kind", "looked", "error", "candidates", "step", "sought", "verb"})
"""Fields that the kind determines, or that only planners without a model set."""
_TARGET = {
    "mark": {"type": "integer"},
    "text": {"type": "string"},
    "role": {"type": "string"},
    "ordinal": {"type": "integer"},
    "near": {"type": "string"},
    "relation": {"enum": list(get_args(get_type_hints(Words)["relation"]))},
    "x": {"type": "number"},
    "y": {"type": "number"},
}
_POINTING = "`mark`, else words (its name as `text`; `near` another), else a point `x`, `y`."


@functools.cache
def decide_tool(platform: str = "") -> Tool:
    """The tool for a model's decisions on a platform, generated from the action classes and their docstrings.

    One flat object stands for all actions, one for all conditions and one for all ends; descriptions say
    which field belongs to which `kind`. This takes half the length of a schema for each kind, and every
    provider supports it; `read` validates the model's arguments strictly.
    """
    unused = UNUSED.get(platform, UNUSED[""])
    condition = _flat([kind for kind in _members(Condition) if _name(kind) not in unused])
    action = _flat([kind for kind in ALL if _name(kind) not in unused])
    beside = {"expect": {"type": "array", "items": {"$ref": "#/$defs/Condition"}}}
    action["properties"] |= beside
    properties: dict[str, dict[str, Any]] = {
        "last": {"type": "string"},
        "thought": {"type": "string"},
        "plan": {"type": "array", "items": {"type": "string"}},
        "notes": {"type": "object", "additionalProperties": {"type": "string"}},
        "criteria": {"type": "array", "items": {"$ref": "#/$defs/Condition"}},
        "actions": {"type": "array", "items": action},
        "records": {"type": "array", "items": {"type": "object"}},
        "end": _flat(_ENDS),
    }
    parameters = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "$defs": {
            "Target": {"type": "object", "description": _POINTING, "properties": _TARGET},
            "Condition": condition,
        },
    }
    return Tool(DECIDE, "Say what to do next.", parameters)


def decision_form(observation: Observation, platform: str) -> dict[str, Any]:
    """A schema for constrained decoding of an answer about this screen; it admits only what is possible here.

    Weak models fill in every field that a loose schema allows. So each kind of action has only its own
    fields, and a mark must be one on the screen. The schema in the prompt explains the meanings.
    """
    marks = [element.id for element in observation.elements]
    words = {name: part for name, part in _TARGET.items() if name not in _NUMBERS}
    target = [_object(words, "text"), _object({"x": _TARGET["x"], "y": _TARGET["y"]}, "x", "y")]
    if marks:
        target.insert(0, _object({"mark": {"enum": marks}}, "mark"))
    unused = UNUSED.get(platform, UNUSED[""])
    actions = {"type": "array", "items": _any_of([kind for kind in ALL if _name(kind) not in unused])}
    described = decide_tool(platform).parameters["properties"]
    properties = {name: described[name] for name in ("thought", "notes", "records")}
    whole = _object({**properties, "actions": actions, "end": _any_of(_ENDS)}, "actions")
    return whole | {"$defs": {"Target": {"anyOf": target}}}


def _object(properties: Mapping[str, Any], *needed: str) -> dict[str, Any]:
    held = {"properties": dict(properties), "required": list(needed)}
    return {"type": "object", **held, "additionalProperties": False}


def _any_of(kinds: Sequence[type]) -> dict[str, Any]:
    return {"anyOf": [_object(_flat([kind])["properties"], "kind", *_needed_of(kind)) for kind in kinds]}


def _flat(kinds: Sequence[type]) -> dict[str, Any]:
    """One object for several kinds: all of their fields, and which of them belong to which kind."""
    described: list[str] = []
    properties: dict[str, Any] = {}
    for kind in kinds:
        own = [item for item in fields(kind) if item.name not in _INTERNAL]
        needed = _needed_of(kind)
        given = ", ".join(item.name if item.name in needed else f"{item.name}?" for item in own)
        hint = _HINTS.get(_name(kind))
        described.append(f"{_name(kind)}({given})" + (f": {hint}" if hint else ""))
        hints = get_type_hints(kind)
        for item in own:
            properties.setdefault(item.name, _field_schema(item.name, hints[item.name]))
    named = {"enum": [_name(kind) for kind in kinds], "description": "\n".join(described)}
    return {"type": "object", "properties": {"kind": named, **properties}, "required": ["kind"]}


def _needed_of(kind: Any) -> frozenset[str]:
    own = [item for item in fields(kind) if item.default is MISSING and item.default_factory is MISSING]
    return frozenset(item.name for item in own)


def _field_schema(name: str, hint: Any) -> dict[str, Any]:
    target = {"$ref": "#/$defs/Target"}
    if name in _PLACES:
        return {"anyOf": [target, {"type": "string"}]} if name == "to" else target
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if get_origin(hint) is tuple:
        return {"type": "array", "items": {"type": "string"}}
    return {"type": {bool: "boolean", int: "integer", float: "number"}.get(hint, "string")}


def _members(union: Any) -> tuple[type, ...]:
    return tuple(get_origin(member) or member for member in get_args(get_args(union)[0]))


def _name(kind: Any) -> str:
    return next(str(item.default) for item in fields(kind) if item.name == "kind")


def read(arguments: Mapping[str, Any], middle: Point) -> ModelDecision:
    """The decision in a tool call; a scroll without a place goes to the `middle` of the screen."""
    try:
        said: ModelDecision = decode(
            ModelDecision, json.dumps(_mend(arguments, middle)), source="your answer"
        )
    except ConfigError as error:
        raise BadReply(str(error)) from error
    return said


def read_text(text: str, middle: Point) -> ModelDecision:
    """The decision in a plain-text answer that contains one JSON object."""
    fenced = _FENCED.search(text)
    body = fenced[1] if fenced else text[text.find("{") : text.rfind("}") + 1]
    try:
        value = parse_json(body)
    except ValueError as error:
        raise BadReply("your answer contains no JSON object; answer with one and nothing else") from error
    if not isinstance(value, dict):
        raise BadReply("your answer is not a JSON object; answer with one and nothing else")
    return read(value, middle)


def _mend(arguments: Mapping[str, Any], middle: Point) -> dict[str, Any]:
    given = _without_none(arguments)
    given["notes"] = arguments.get("notes")  # null removes a note
    for name in ("actions", "criteria", "end", "notes", "plan", "records"):
        given[name] = _parse_text(given.get(name))
    if isinstance(given["plan"], str):
        given["plan"] = given["plan"].splitlines()
    given["end"] = {"kind": "finish"} if given["end"] == "finish" else _mend_places(given["end"])
    end = given["end"]
    if isinstance(end, dict) and not isinstance(end.get("answer", ""), str):
        given["end"] = {**end, "answer": json.dumps(end["answer"], ensure_ascii=False)}
    given["notes"] = _with_numbers_as_texts(given["notes"])
    if isinstance(given["records"], list):
        given["records"] = [*map(_with_numbers_as_texts, given["records"])]
    if isinstance(given["actions"], list):
        given["actions"] = [_mend_action(item, middle) for item in given["actions"]]
    given["criteria"] = _mend_places(given["criteria"])
    return {name: value for name, value in given.items() if value is not None}


def _with_numbers_as_texts(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: str(one) if _is_number(one) else one for name, one in value.items()}


def _without_none(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_none(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {key: _without_none(item) for key, item in value.items() if item is not None}


def _parse_text(value: Any) -> Any:
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return value
    try:
        return _without_none(parse_json(value))
    except ValueError:
        return value


def _mend_action(item: Any, middle: Point) -> Any:
    item = _parse_text(item)
    inner = _parse_text(item.get("action", item)) if isinstance(item, dict) else None
    if not isinstance(inner, dict):
        return item
    around = {**inner, **item}
    beside = {key: around[key] for key in _BESIDE if key in around}
    if isinstance(beside.get("expect"), dict):
        beside["expect"] = [beside["expect"]]
    # An unknown key stays in place, so that the error names it.
    unknown = {} if inner is item else {key: item[key] for key in item.keys() - {*beside, "action"}}
    action = _mend_fields({key: part for key, part in inner.items() if key not in beside}, middle)
    return {"action": action, **_mend_places(beside), **unknown}


def _mend_fields(action: Mapping[str, Any], middle: Point) -> dict[str, Any]:
    if action.get("kind") == "scroll":
        # An unknown key can only mean the view if no place is given and no other key stands for one.
        ways = {"dy": "down", "dx": "right"}
        action = {"at": {"x": middle.x, "y": middle.y}, **{ways.get(key, key): action[key] for key in action}}
    mended: dict[str, Any] = _mend_places(_rename_field(action))
    for name in ("keys", "modifiers"):
        if isinstance(mended.get(name), str):
            mended[name] = [key for key in re.split(r"\s*\+\s*(?!$)", mended[name].strip()) if key]
    return mended


def _rename_field(action: Mapping[str, Any]) -> dict[str, Any]:
    """An action with its only missing field filled from an unknown key, if no other meaning is possible.

    Either the parts of a place are in the action itself, or there is a single unknown key.
    """
    given = dict(action)
    needed = _needed_by_kind().get(str(given.get("kind")), frozenset()) - given.keys()
    strange = {key for key in given if given[key] not in ("", None) and key not in _action_fields()}
    if len(needed) != 1:
        return given
    (lacking,) = needed
    parts = {key for key in given if key in _TARGET and (key in strange or key == "text")}
    if lacking in _PLACES and parts:
        given[lacking] = {key: given.pop(key) for key in parts}
    elif len(strange) == 1 and not _amount(lacking, next(iter(strange)), given):
        given[lacking] = given.pop(strange.pop())
    return given


def _amount(lacking: str, key: str, given: Mapping[str, Any]) -> bool:
    """Whether the value under an unknown key is a number that need not be an element's."""
    return lacking in _PLACES and _is_number(given[key]) and key not in _ELEMENT


@functools.cache
def _needed_by_kind() -> dict[str, frozenset[str]]:
    return {_name(kind): _needed_of(kind) for kind in ALL}


@functools.cache
def _action_fields() -> frozenset[str]:
    return frozenset({"kind", *_BESIDE}).union(*(_fields_by_kind()[_name(kind)] for kind in ALL))


def _mend_places(value: Any) -> Any:
    if isinstance(value, list):
        return [_mend_places(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    places = _PLACES if value.get("kind") not in ("switch", "rotate") else ()
    placed = {key: _place(item) if key in places else _mend_places(item) for key, item in value.items()}
    return _without_empty_fields(placed)


@functools.cache
def _fields_by_kind() -> dict[str, frozenset[str]]:
    kinds = (*ALL, *_members(Condition), *_ENDS)
    return {_name(kind): frozenset(item.name for item in fields(kind)) for kind in kinds}


def _without_empty_fields(value: Mapping[str, Any]) -> dict[str, Any]:
    kind = value.get("kind")
    own = _fields_by_kind().get(kind) if isinstance(kind, str) else None
    return {key: item for key, item in value.items() if own is None or key in own or item or key in _BESIDE}


def _place(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int():
            return {"mark": value}
        case str():
            return {"text": value}
        case [x, y] if _is_number(x) and _is_number(y):
            return {"x": round(x), "y": round(y)}
        case dict():
            return _place_of_fields(value)
    return value


def _place_of_fields(value: dict[str, Any]) -> dict[str, Any]:
    words = {key: item for key, item in value.items() if item and key not in _NUMBERS}
    numbers = {key: value[key] for key in _NUMBERS if key in value}
    if words and not any(numbers.values()):
        return words
    if numbers.get("mark") == 0 and (words or len(numbers) > 1):
        del numbers["mark"]
    match numbers:
        case {"mark": int(mark)}:
            return {"mark": mark}  # a number is exact; words next to it only repeat it
        case {"x": x, "y": y} if _is_number(x) and _is_number(y):
            numbers |= {"x": round(x), "y": round(y)}
    return words | numbers


def _is_number(value: Any) -> bool:
    """Whether a value is a number that can be rounded: models' JSON also has NaN and Infinity."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
