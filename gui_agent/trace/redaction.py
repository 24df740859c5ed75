"""What a trace leaves out: settings that are named like secrets, and how long passwords are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gui_agent.core.observation import Element
from gui_agent.core.redaction import HIDDEN, SECRET_NAME

BULLETS = "••••••••"
PASSWORD = "password"


def without_lengths(elements: Sequence[Element]) -> tuple[Element, ...]:
    """The elements; what stands in password fields becomes bullets of a fixed number."""
    return tuple(replace(e, value=BULLETS) if PASSWORD in e.states and e.value else e for e in elements)


def without_secrets(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as plain JSON values; what is named like a secret is replaced."""
    return {str(key): _setting(str(key), value) for key, value in settings.items()}


def _setting(key: str, value: Any) -> Any:
    if SECRET_NAME.search(key.lower()) and value not in ("", None) and not isinstance(value, bool):
        return HIDDEN
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_setting("", item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
