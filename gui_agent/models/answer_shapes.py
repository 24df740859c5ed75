"""The shape that an answer of a service must have, so that its reader may take every part for what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gui_agent.core.parsing import TOO_DEEP, is_too_deep
from gui_agent.models.service_errors import ServiceFault, in_body

Shape = Mapping[str, Any] | list[Any] | type
"""An object with the parts that are read of it, a list with the shape of each item, or a plain kind."""
_NAMES: Mapping[type, str] = {int: "whole number", str: "text"}


def check(answer: Mapping[str, Any], shape: Shape) -> None:
    """Refuse an answer that reports a fault or is not in its wire format.

    What is absent or null fits any shape, and what the shape does not name is not looked at.
    """
    fault = in_body(answer)
    if fault is not None:
        raise fault
    wrong = TOO_DEEP if is_too_deep(answer) else _misfit(answer, shape, "it")
    if wrong:
        raise ServiceFault(f"a broken answer: {wrong}", 500)


def _misfit(value: Any, shape: Shape, place: str) -> str:
    """What about a value does not fit, empty when all does."""
    if isinstance(shape, Mapping):
        if not isinstance(value, Mapping):
            return f"{place} is no object"
        given = {name: value[name] for name in shape if value.get(name) is not None}
        faults = (_misfit(part, shape[name], f'"{name}"') for name, part in given.items())
    elif isinstance(shape, list):
        if not isinstance(value, list):
            return f"{place} is no list"
        faults = (_misfit(item, shape[0], f"an item of {place}") for item in value)
    else:
        fits = isinstance(value, shape) and not isinstance(value, bool)
        return "" if fits else f"{place} is no {_NAMES[shape]}"
    return next(filter(None, faults), "")


def openai_usage_shape(read: str, wrote: str) -> Shape:
    """The shape of what `codec.openai_usage` reads."""
    return {
        f"{read}_tokens": int,
        f"{read}_tokens_details": {"cached_tokens": int, "cache_write_tokens": int},
        f"{wrote}_tokens": int,
        f"{wrote}_tokens_details": {"reasoning_tokens": int},
    }
