"""Explains data that does not fit the vocabulary in one line: where, what, and the likely intention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from itertools import chain
from typing import Any

from gui_agent.core import actions, conditions, observation, trajectory
from gui_agent.core.texts import nearest, shorten

TARGETS: Mapping[str, type] = {
    kind.__name__: kind for kind in (observation.Mark, observation.Words, observation.Point)
}
TARGET_FORMS = '{"mark": 3}, {"text": "Send"} or {"x": 10, "y": 20}'
_ABOUT_KEYS = ("unexpected_keyword_argument", "extra_forbidden", "missing", "missing_argument")
_NOUNS = (("click", "an action"), ("text_shown", "a condition"), ("finish", "an end"))


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a fault is: its place in the data, the class expected there, the form of a target."""

    place: tuple[str, ...]
    value: Any
    owner: type | None
    target: str = ""


def explain(error: Any, data: Any = None, root: Any = None) -> str:
    """One line for a pydantic ValidationError: where the first fault is, what it is, how many others there
    are.

    Args:
        data: the data as plain Python values; with it, type names do not appear as places.
        root: the class expected at the top level.
    """
    faults = error.errors(include_url=False)
    told: dict[tuple[str, ...], str] = {}
    for fault in faults:
        spot = _spot(fault["loc"], data, root, names_key=fault["type"] in _ABOUT_KEYS)
        if not spot.target:
            told.setdefault(spot.place, _message(fault, spot))
        elif not any(place[: len(spot.place)] == spot.place for place in told):
            deeper, message = _target_fault(spot, faults, data)
            told[(*spot.place, *deeper)] = message
    first = next(iter(told))
    # A misspelt key also causes a missing one; reporting the misspelling helps more.
    beside = (place for place in told if place[:-1] == first[:-1] and told[place].startswith("unknown key"))
    first = next(beside, first)
    others = len(told) - 1
    more = f" (and {others} more fault{'s' * (others > 1)})" if others else ""
    return f"at {'.'.join(first) or 'the top level'}: {shorten(told[first], 600)}{more}"


def _spot(loc: tuple[Any, ...], data: Any, root: Any, *, names_key: bool = False) -> _Spot:
    """Follow a location of pydantic through the data; a part that is not a key there names a type."""
    place: list[str] = []
    owner = root if is_dataclass(root) else None
    for number, part in enumerate(loc):
        last = number == len(loc) - 1
        inside = (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and part < len(data)
        )
        if inside:
            place.append(str(part))
            data = data[part]
            owner = owner if last else None
        elif part in TARGETS:
            return _Spot(tuple(place), data, TARGETS[part], part)
        elif part in _kinds() and not (last and (names_key or isinstance(data, dict))):
            owner = _kinds()[part]
        else:
            place.append(str(part))
    return _Spot(tuple(place), data, owner if isinstance(owner, type) else None)


def _message(fault: Mapping[str, Any], spot: _Spot) -> str:
    match fault["type"]:
        case "union_tag_invalid":
            known = [tag.strip("' ") for tag in fault["ctx"]["expected_tags"].split(",")]
            return f'"{fault["ctx"]["tag"]}" is not {_noun(known)}{_suggestion(fault["ctx"]["tag"], known)}'
        case "union_tag_not_found":
            return '"kind" is missing; it says what kind of value this is'
        case "unexpected_keyword_argument" | "extra_forbidden":
            key = spot.place[-1]
            known = _field_names(spot.owner) if spot.owner is not None else []
            return f'unknown key "{key}"{_suggestion(key, known or _all_keys(), tell=bool(known))}'
        case "missing" | "missing_argument":
            return "it is missing"
        case "json_invalid":
            return f"not valid JSON: {fault['ctx']['error']}"
        case _:
            return _plain_message(fault)


def _target_fault(spot: _Spot, faults: Iterable[Mapping[str, Any]], data: Any) -> tuple[tuple[str, ...], str]:
    value = spot.value
    if not isinstance(value, dict):
        return (), f"a target is {TARGET_FORMS}, not {value!r}"
    every = [*chain.from_iterable(map(_field_names, TARGETS.values()))]
    unknown = next((key for key in value if key not in every), None)
    if unknown is not None:
        return (unknown,), f'unknown key "{unknown}" in a target{_suggestion(unknown, every)}'
    form = next((name for name, kind in TARGETS.items() if value.keys() <= {*_field_names(kind)}), None)
    if form is None:
        return (), f"a target is one of {TARGET_FORMS}, not several at once"
    needed = [item.name for item in fields(TARGETS[form]) if item.default is MISSING]
    missing = next((name for name in needed if name not in value), None)
    if missing is not None:
        return (missing,), "it is missing"
    return _fault_within(form, spot, faults, data) or ((), f"a target is {TARGET_FORMS}")


def _fault_within(
    form: str, spot: _Spot, faults: Iterable[Mapping[str, Any]], data: Any
) -> tuple[tuple[str, ...], str] | None:
    """The first fault in a target's value, as reported for the form of target that has these keys."""
    for fault in faults:
        part = fault["loc"][-1]
        is_here = form in fault["loc"] and part in spot.value
        if is_here and _spot(fault["loc"], data, None).place == spot.place:
            return (str(part),), _plain_message(fault)
    return None


def _plain_message(fault: Mapping[str, Any]) -> str:
    said = str(fault["msg"])
    return said[:1].lower() + said[1:]


def _suggestion(word: str, known: Iterable[str], *, tell: bool = True) -> str:
    names = list(dict.fromkeys(known))
    near = nearest(word, names)
    said = f'; did you mean "{near}"?' if near else ""
    if not tell:
        return said
    return f"{said}{' Known' if said else '; known'}: {', '.join(names)}"


def _noun(tags: list[str]) -> str:
    return next((noun for tag, noun in _NOUNS if tag in tags), "known here")


def _field_names(kind: Any) -> list[str]:
    return [item.name for item in fields(kind)]


@cache
def _classes() -> tuple[Any, ...]:
    """The dataclasses of the vocabulary."""
    modules = (actions, conditions, trajectory, observation)
    named = chain.from_iterable(vars(module).values() for module in modules)
    return tuple(kind for kind in named if isinstance(kind, type) and is_dataclass(kind))


@cache
def _kinds() -> dict[str, type]:
    """The classes with a `kind`, by its value."""
    defaults = ((getattr(kind, "__dataclass_fields__", {}).get("kind"), kind) for kind in _classes())
    return {item.default: kind for item, kind in defaults if item and isinstance(item.default, str)}


@cache
def _all_keys() -> tuple[str, ...]:
    return tuple(sorted({*chain.from_iterable(map(_field_names, _classes()))}))
