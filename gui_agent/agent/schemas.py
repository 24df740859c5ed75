"""Schemas of what is read: a dataclass, a TypedDict, a pydantic model, or a plain type such as float."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, get_args, get_type_hints, is_typeddict

from pydantic import BaseModel, TypeAdapter, ValidationError

from gui_agent.core.codec import explain
from gui_agent.core.errors import NotFound
from gui_agent.core.texts import normal, shorten

_NUMBER = re.compile(r"[-+−]?\d[\d.,'\u00a0\u202f ]*")
_YES = frozenset(("checked", "yes", "true", "on", "✓", "✔"))
_NO = frozenset(("not checked", "no", "false", "off", "✗", "✘"))
_DAYS = ("%d.%m.%Y", "%m/%d/%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y")


@lru_cache(maxsize=64)
def fields_of(schema: Any) -> dict[str, tuple[str, Any]]:
    """The fields of a record: what each is called on the screen, and its type; empty for a plain type.

    A field is called by its name with spaces, or by its alias or title in a pydantic model, or by
    `field(metadata={"label": ...})` in a dataclass.
    """
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        models = schema.model_fields.items()
        return {
            name: (one.alias or one.title or name.replace("_", " "), one.annotation) for name, one in models
        }
    if dataclasses.is_dataclass(schema) or is_typeddict(schema):
        own = dataclasses.fields(schema) if dataclasses.is_dataclass(schema) else ()
        labels = {one.name: one.metadata.get("label") for one in own}
        hints = get_type_hints(schema)
        return {name: (labels.get(name) or name.replace("_", " "), kind) for name, kind in hints.items()}
    return {}


def as_type(text: str, kind: Any) -> Any:
    """A text of the screen as a value of a type. Raises NotFound: it is none; says what stands there."""
    return _valid(_in_form_of(text, kind), kind, text)


def record(schema: Any, values: Mapping[str, str]) -> Any:
    """A record of the schema from texts by field.

    Raises:
        NotFound: a text is no value of its field's type; names the field and says what stands there.
    """
    given = {}
    for name, text in values.items():
        label, kind = fields_of(schema)[name]
        try:
            given[name] = as_type(text, kind)
        except NotFound as error:
            raise NotFound(f"{label}: {error}") from error
    if is_typeddict(schema):  # what pydantic itself reads on Python 3.12 and later only
        return given
    model = isinstance(schema, type) and issubclass(schema, BaseModel)
    if model:
        given = {schema.model_fields[name].alias or name: value for name, value in given.items()}
    return _valid(given, schema, "; ".join(f"{name}: {shorten(text, 40)}" for name, text in values.items()))


def read_as(schema: Any, answer: str, notes: Mapping[str, str]) -> Any:
    """What was read as a value of the schema: the answer, or for a record the notes named like its fields.

    Raises:
        NotFound: a field was not read, or a text is no value of its type.
    """
    fields = fields_of(schema)
    if not fields:
        return as_type(answer, schema)
    read = {normal(name): text for name, text in notes.items()}
    texts = {}
    for name, (label, kind) in fields.items():
        text = read.get(normal(label), read.get(normal(name), ""))
        if not text and not optional(kind):
            raise NotFound(f'"{label}" was not read; those that were: {", ".join(notes) or "none"}')
        texts[name] = text
    return record(schema, texts)


def optional(kind: Any) -> bool:
    """Whether a field may be without a value."""
    return type(None) in get_args(kind)


def _valid(value: Any, kind: Any, seen: str) -> Any:
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        why = explain(error).removeprefix("at the top level: ")
        raise NotFound(f'{why}; on the screen stands "{shorten(seen, 120)}"') from error


@lru_cache(maxsize=64)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _in_form_of(text: str, kind: Any) -> Any:
    """The text in the form that the type takes: a number without its currency, a day in its ISO form."""
    kinds = get_args(kind) or (kind,)
    if not text.strip() and optional(kind):
        return None
    if bool in kinds and text.casefold() in _YES | _NO:
        return text.casefold() in _YES
    if {int, float, decimal.Decimal} & set(kinds):
        return number(text)
    if datetime.date in kinds:
        return _day(text)
    return text


def number(text: str) -> str:
    """The only number in a text, as Python writes it; the text itself when there is none, or several.

    `EUR 1,234.50` and `1.234,50 €` are the same. A single separator before three digits parts thousands.
    """
    found = _NUMBER.findall(text)
    if len(found) != 1:
        return text
    digits = re.sub(r"['\u00a0\u202f ]", "", found[0]).replace("−", "-").rstrip(".,")
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return digits
    point, rest = digits[last], digits[last + 1 :]
    other = "," if point == "." else "."
    if digits.count(point) > 1 or (point == "," and other not in digits and len(rest) == 3):
        return digits.replace(point, "").replace(other, "")
    return f"{digits[:last].replace(other, '')}.{rest}"


def _day(text: str) -> str:
    for form in _DAYS:
        try:
            return datetime.datetime.strptime(text.strip(), form).date().isoformat()
        except ValueError:
            continue
    return text
