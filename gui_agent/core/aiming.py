"""The targets of an action, their replacement by points, and the limits of one action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from gui_agent.core import actions as do
from gui_agent.core.errors import ActionFailed
from gui_agent.core.texts import shorten

Q = TypeVar("Q")

_BOUNDS: dict[type, tuple[str, float, str]] = {
    do.Click: ("clicks", 10, "clicks"),
    do.Press: ("times", 200, "presses"),
    **dict.fromkeys((do.Hold, do.LongPress, do.Swipe), ("seconds", 60.0, "seconds")),
    do.Pinch: ("scale", 10.0, "times the size"),
}
"""The most that one action may do, by the field with the amount; a plan splits more into several actions."""
MOST_LETTERS = 20_000
"""How many characters one action may type."""


def sets_field_value(action: do.AnyAction[Any] | do.Wait) -> bool:
    """Whether an action puts a value into a field."""
    return isinstance(action, do.TypeText | do.Choose | do.Check)


def input_of(action: do.AnyAction[Any] | do.Wait) -> str:
    """The device that an action is done with, `pointer` or `keyboard`; empty if it is done with neither."""
    if places(action):
        return "pointer"
    return "keyboard" if isinstance(action, do.Press | do.Hold | do.TypeText) else ""


def limit_violation(action: do.AnyAction[Any] | do.Wait) -> str:
    """How an action exceeds its limits, in a sentence; empty when it is within them."""
    if isinstance(action, do.TypeText) and len(action.text) > MOST_LETTERS:
        return (
            f"a text to type has at most {MOST_LETTERS} letters, this one has {len(action.text)}; split it up"
        )
    if isinstance(action, do.Open) and "\0" in action.name:
        return "no program or file has a null byte in its name; remove it"
    name, most, unit = _BOUNDS.get(type(action), ("", 0.0, ""))
    asked = getattr(action, name, 0.0)
    # The comparison also rejects NaN.
    return "" if 0 <= asked <= most else f"{action.kind} takes at most {most:g} {unit}, not {asked:g}"


def demand_once(words: str, count: int) -> None:
    """Raise ActionFailed unless words to select stand exactly once in their text."""
    if count != 1:
        often = f"here {count} times; give more of the words around it"
        raise ActionFailed(
            f'"{shorten(words)}" is {often if count else "not here; give it as it is written"}'
        )


def sole(found: Sequence[Q]) -> Q | None:
    """The only one found; None if there are none or several."""
    return found[0] if len(found) == 1 else None


def places(action: do.AnyAction[Q] | do.Wait) -> dict[str, Q]:
    """The targets of an action by field: `at`, and `to` for a drag or swipe; empty for a key press."""
    if not isinstance(action, do.PLACED):
        return {}
    found = {name: getattr(action, name, None) for name in ("at", "to")}
    return {name: cast(Q, place) for name, place in found.items() if place is not None}


def aim(action: do.AnyAction[Any], at: dict[str, Q]) -> do.AnyAction[Q]:
    """The same action with its targets replaced; the only way from a proposal to a device action."""
    missing = places(action).keys() - at.keys()
    if missing:
        raise ValueError(f"no place given for {', '.join(sorted(missing))} of {action.kind}")
    named = {item.name for item in fields(action)}
    if not isinstance(action, do.PLACED):
        # `to` of a switch is a title, not a target.
        return cast("do.AnyAction[Q]", action)
    given: dict[str, Any] = {name: place for name, place in at.items() if name in named}
    return cast("do.AnyAction[Q]", replace(cast(Any, action), **given))
