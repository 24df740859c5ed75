"""The text that an action carries, whatever its kind: what is typed, chosen, opened or waited for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, cast

from gui_agent.core.actions import Choose, Navigate, Open, Switch, TypeText, Upload, Wait

A = TypeVar("A")


def data_of(action: object) -> str | None:
    """The text of an action; None when its kind has none."""
    match action:
        case (
            TypeText(text=text) | Choose(option=text) | Navigate(url=text) | Open(name=text) | Switch(to=text)
        ):
            return text
        case Upload(files=files):
            return "\n".join(files)
        case Wait(until=until):
            return until or None
    return None


def with_data(action: A, text: str) -> A:
    """The same action with another text."""
    fields: dict[type, str] = {
        TypeText: "text",
        Choose: "option",
        Navigate: "url",
        Open: "name",
        Switch: "to",
        Wait: "until",
    }
    if isinstance(action, Upload):
        return cast(A, replace(cast(Any, action), files=tuple(text.split("\n"))))
    name = fields.get(type(action))
    return action if name is None else cast(A, replace(cast(Any, action), **{name: text}))
