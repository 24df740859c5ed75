"""Function tools: their description, the conversion of arguments to pixels, and the shape of answers."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from gui_agent.core.actions import Click
from gui_agent.core.dialogue import Call, Request, Tool
from gui_agent.core.errors import BadReply
from gui_agent.core.observation import Point
from gui_agent.core.parsing import TOO_DEEP, is_too_deep, parse_json
from gui_agent.core.texts import shorten
from gui_agent.models.pictures import Space
from gui_agent.models.transport import ServiceFault, in_body

POINT = Tool(
    "point_at",
    "Say where on the picture the described thing is: the middle of it.",
    {
        "type": "object",
        "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
        "required": ["x", "y"],
        "additionalProperties": False,
    },
)


def signature(tool: Tool) -> dict[str, Any]:
    """A tool in the format of OpenAI's APIs."""
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}


def call(identity: str, name: str, written: Any, request: Request, space: Space | None) -> Call:
    """A call of one of the request's tools; faults are in its `error`."""
    try:
        given = parse_json(written) if isinstance(written, str) else written
    except ValueError as error:
        return Call(identity, name, error=f"the arguments of {name} are not valid JSON ({error})")
    if not isinstance(given, dict):
        return Call(identity, name, error=f"the arguments of {name} have to be a JSON object")
    known = [tool.name for tool in request.tools]
    if name not in known:
        return Call(identity, name, error=f"there is no tool {name}; use one of: {', '.join(known)}")
    tool = request.tools[known.index(name)]
    try:
        arguments = in_pixels(unfold(given, tool), space)
    except BadReply as error:
        return Call(identity, name, given, error=shorten(str(error), 300))
    if name == POINT.name and POINT in request.tools:
        return _point_call(identity, arguments)
    return Call(identity, name, arguments)


def unfold(given: Mapping[str, Any], tool: Tool) -> dict[str, Any]:
    """The arguments, with JSON text parsed where an object or a list is expected."""
    properties = tool.parameters.get("properties", {})
    read = dict(given)
    for name, value in given.items():
        if isinstance(value, str) and value.strip()[:1] in ("[", "{") and name in properties:
            with contextlib.suppress(ValueError):
                read[name] = value if properties[name].get("type") == "string" else parse_json(value)
    return read


def _point_call(identity: str, arguments: Mapping[str, Any]) -> Call:
    if not all(isinstance(arguments.get(key), int) for key in ("x", "y")):
        return Call(identity, POINT.name, arguments, error="x and y have to be numbers")
    return Call(identity, POINT.name, proposals=(Click(Point(arguments["x"], arguments["y"])),))


def in_pixels(value: Any, space: Space | None) -> Any:
    """The arguments with all points (objects with numbers `x` and `y`, and pairs) in screenshot pixels."""
    if isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)):
        value = {"x": value[0], "y": value[1]}
    if isinstance(value, list):
        return [in_pixels(item, space) for item in value]
    if not isinstance(value, dict):
        return value
    if space is not None and all(_is_number(value.get(key)) for key in ("x", "y")):
        point = space.point(value["x"], value["y"])
        value = {**value, "x": point.x, "y": point.y}
    return {key: in_pixels(item, space) for key, item in value.items()}


def in_units(value: Any, space: Space | None) -> Any:
    """The inverse of `in_pixels`, for calls of ours that are shown to the model as its own."""
    if isinstance(value, (list, tuple)):
        return [in_units(item, space) for item in value]
    if not isinstance(value, Mapping):
        return value
    told = dict(value)
    if space is not None and all(isinstance(told.get(key), int) for key in ("x", "y")):
        told["x"], told["y"] = space.units(Point(told["x"], told["y"]))
    return {key: in_units(item, space) for key, item in told.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


Shape = Mapping[str, Any] | list[Any] | type
"""An object's relevant parts, a list with the shape of its items, or a plain type."""
_NAMES: Mapping[type, str] = {int: "whole number", str: "text"}


def check(answer: Mapping[str, Any], shape: Shape) -> None:
    """Raise for an answer that reports a fault or violates its wire format.

    Absent or null values match any shape, and parts that the shape does not name are ignored.
    """
    fault = in_body(answer)
    if fault is not None:
        raise fault
    wrong = TOO_DEEP if is_too_deep(answer) else _misfit_in_words(answer, shape, "it")
    if wrong:
        raise ServiceFault(f"a broken answer: {wrong}", 500)


def _misfit_in_words(value: Any, shape: Shape, place: str) -> str:
    if isinstance(shape, Mapping):
        if not isinstance(value, Mapping):
            return f"{place} is no object"
        given = {name: value[name] for name in shape if value.get(name) is not None}
        faults = (_misfit_in_words(part, shape[name], f'"{name}"') for name, part in given.items())
    elif isinstance(shape, list):
        if not isinstance(value, list):
            return f"{place} is no list"
        faults = (_misfit_in_words(item, shape[0], f"an item of {place}") for item in value)
    else:
        fits = isinstance(value, shape) and not isinstance(value, bool)
        return "" if fits else f"{place} is no {_NAMES[shape]}"
    return next(filter(None, faults), "")


def openai_usage_shape(read: str, wrote: str) -> Shape:
    """The shape of the usage that `codec.openai_usage` reads."""
    return {
        f"{read}_tokens": int,
        f"{read}_tokens_details": {"cached_tokens": int, "cache_write_tokens": int},
        f"{wrote}_tokens": int,
        f"{wrote}_tokens_details": {"reasoning_tokens": int},
    }
