"""JSON in and out for every value of the vocabulary, and for the bookmarks that planners get back next time.

Unknown keys and unknown kinds are errors.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gui_agent.core.actions import Proposal
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Strict
from gui_agent.core.parsing import parse_json
from gui_agent.core.validation_errors import explain

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from gui_agent.core.trajectory import Turn


T = TypeVar("T")
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def encode(value: Any, kind: Any = None, *, indent: int | None = None) -> bytes:
    """A value of the vocabulary as UTF-8 JSON; half a surrogate pair, which pages can show, becomes `?`."""
    from pydantic_core import PydanticSerializationError

    adapter = _adapter(kind if kind is not None else type(value))
    try:
        return adapter.dump_json(value, indent=indent)
    except PydanticSerializationError:
        text = json.dumps(adapter.dump_python(value, mode="json"), ensure_ascii=False, indent=indent)
        return text.encode("utf-8", "replace")


def plain(value: Any, kind: Any = None) -> Any:
    """A value of the vocabulary as dictionaries, lists, strings and numbers."""
    return _adapter(kind if kind is not None else type(value)).dump_python(value, mode="json")


def decode(kind: type[T] | Any, data: bytes | str, *, source: str = "JSON") -> T:
    """Read a value of the vocabulary; `source` is what errors call it. Raises ConfigError."""
    from pydantic import ValidationError

    try:
        return cast(T, _adapter(kind).validate_json(data))
    except ValidationError as error:
        raise ConfigError(f"{source}: {explain(error, _loosely(data), kind)}") from error


def schema(kind: Any = Proposal) -> dict[str, Any]:
    """The JSON schema of a kind of value; descriptions come from the class docstrings."""
    return _adapter(kind).json_schema()


def _loosely(data: bytes | str) -> Any:
    """The data as plain values, None when it is not JSON; only for the error message."""
    try:
        return parse_json(data)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Baton(Strict):
    """What a cascade writes into its decisions: who is in charge and why, and that planner's own bookmark."""

    stage: int
    inner: str = ""
    advice: tuple[str, ...] = ()
    """Why the planners before gave up, and what they still meant to do."""
    returns: int = 0
    """How often an earlier planner has gone on."""


def bookmark(kind: type[T], turn: Turn) -> T | None:
    """The value of this kind in a turn's bookmark; None when there is none, or another planner's.

    The same turns are read again with each decision, so what was read is kept.
    """
    text = turn.decision.bookmark
    found: Any = _read(cast(Any, kind), text) if text else None
    return cast("T | None", found)


@lru_cache(maxsize=512)
def _read(kind: Any, text: str) -> Any:
    try:
        return decode(kind, text)
    except ConfigError:
        return None


def unwrap(turn: Turn, kind: type[Any] = Baton) -> Turn:
    """The turn as a planner knows it whose bookmark is the `inner` of one of this kind; others stay."""
    around = bookmark(kind, turn)
    return turn if around is None else replace(turn, decision=replace(turn.decision, bookmark=around.inner))
