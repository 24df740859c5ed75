"""Encodes and decodes every value of the vocabulary as JSON, rejecting unknown keys and kinds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gui_agent.core.errors import ConfigError
from gui_agent.core.parsing import parse_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def encode(value: Any, kind: Any = None, *, indent: int | None = None) -> bytes:
    """A value as UTF-8 JSON; an unpaired surrogate, which a page can contain, becomes `?`."""
    from pydantic_core import PydanticSerializationError

    adapter = _adapter(kind if kind is not None else type(value))
    try:
        return adapter.dump_json(value, indent=indent)
    except PydanticSerializationError:
        text = json.dumps(adapter.dump_python(value, mode="json"), ensure_ascii=False, indent=indent)
        return text.encode("utf-8", "replace")


def plain(value: Any, kind: Any = None, *, sparse: bool = False) -> Any:
    """A value as dictionaries, lists, strings and numbers; with `sparse` without what has its default."""
    adapter = _adapter(kind if kind is not None else type(value))
    return adapter.dump_python(value, mode="json", exclude_defaults=sparse)


def decode(kind: type[T] | Any, data: bytes | str, *, source: str = "JSON") -> T:
    """Read a value of the vocabulary; errors call it `source`. Raises ConfigError."""
    from pydantic import ValidationError

    from gui_agent.core.validation_errors import explain

    try:
        return cast(T, _adapter(kind).validate_json(data))
    except ValidationError as error:
        raise ConfigError(f"{source}: {explain(error, _decode_or_none(data), kind)}") from error


def _decode_or_none(data: bytes | str) -> Any:
    try:
        return parse_json(data)
    except ValueError:
        return None
