"""The answer of a task: whether it fits its schema, on which screens its values were seen, and its types."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args, get_type_hints, is_typeddict

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from gui_agent.core.errors import ConfigError, NotFound
from gui_agent.core.observation import Observation
from gui_agent.core.parsing import parse_json
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Result, Trajectory
from gui_agent.core.validation_errors import explain

_NUMBER = re.compile(r"[-+−]?\d[\d.,'\u00a0\u202f ]*")
_YES = frozenset(("checked", "yes", "true", "on", "✓", "✔"))
_NO = frozenset(("not checked", "no", "false", "off", "✗", "✘"))
_DAYS = ("%d.%m.%Y", "%m/%d/%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y")


@lru_cache(maxsize=64)
def fields_of(schema: Any) -> dict[str, tuple[str, Any]]:
    """The fields of a record, each with its label on the screen and its type; empty for a plain type.

    The label is the field's name with spaces, the alias or title in a pydantic model, or
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
    """A text of the screen as a value of a type. Raises NotFound: the text is not of that type."""
    return _valid(_in_form_of(text, kind), kind, text)


def record(schema: Any, values: Mapping[str, str]) -> Any:
    given = {}
    for name, text in values.items():
        label, kind = fields_of(schema)[name]
        try:
            given[name] = as_type(text, kind)
        except NotFound as error:
            raise NotFound(f"{label}: {error}") from error
    if is_typeddict(schema):  # pydantic itself reads these on Python 3.12 and later only
        return given
    model = isinstance(schema, type) and issubclass(schema, BaseModel)
    if model:
        given = {schema.model_fields[name].alias or name: value for name, value in given.items()}
    return _valid(given, schema, "; ".join(f"{name}: {shorten(text, 40)}" for name, text in values.items()))


def read_as(schema: Any, answer: str, notes: Mapping[str, str]) -> Any:
    """The answer as a value of the schema; for a record, made of the notes named like its fields."""
    fields = fields_of(schema)
    if not fields:
        return as_type(answer, schema)
    read = {normal(name): text for name, text in notes.items()}
    texts = {}
    for name, (label, kind) in fields.items():
        text = read.get(normal(label), read.get(normal(name), ""))
        if not text and not is_optional(kind):
            raise NotFound(f'"{label}" was not read; notes that were: {", ".join(notes) or "none"}')
        texts[name] = text
    return record(schema, texts)


def is_optional(kind: Any) -> bool:
    return type(None) in get_args(kind)


def _valid(value: Any, kind: Any, seen: str) -> Any:
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        why = explain(error).removeprefix("at the top level: ")
        raise NotFound(f'{why}; the screen shows "{shorten(seen, 120)}"') from error


@lru_cache(maxsize=64)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _in_form_of(text: str, kind: Any) -> Any:
    """The text in the form that the type takes: a number without its currency, a date in ISO form."""
    kinds = get_args(kind) or (kind,)
    if not text.strip() and is_optional(kind):
        return None
    if bool in kinds and text.casefold() in _YES | _NO:
        return text.casefold() in _YES
    if {int, float, decimal.Decimal} & set(kinds):
        return number(text)
    return _day(text) if datetime.date in kinds else text


def number(text: str) -> str:
    """The only number in a text, as Python writes it; the text itself if it has none or several.

    `EUR 1,234.50` and `1.234,50 €` are the same. A single separator before three digits separates thousands.
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


EVIDENCE = "evidence of "
"""Prefix of a note that says where a value of the answer comes from."""
PICTURE_ONLY = "seen in the picture only"
"""Recorded for a value that the planner saw in a picture and no text showed."""
NAMED = 5
"""How many schema errors of an answer are reported at once."""
_NUMBERS = re.compile(r"[-−]?\d+(?:[.,' \u00a0]\d+)*")


def read_schema(text: str, source: str) -> str:
    """A JSON Schema (2020-12) as the text that a task carries; it must not refer to other documents."""
    from jsonschema import Draft202012Validator, SchemaError
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    try:
        schema = parse_json(text)
    except ValueError as error:
        raise ConfigError(f"{source} is not JSON: {error}") from error
    if not isinstance(schema, dict):
        raise ConfigError(f"{source} cannot be used: the schema must be a JSON object")
    written = json.dumps(schema, ensure_ascii=False)
    try:
        Draft202012Validator.check_schema(schema)
        # Nothing is fetched: the registry contains only this schema.
        resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
        for reference in set(re.findall(r'"\$ref": "([^"]*)"', written)):
            resolver.lookup(reference)
        next(Draft202012Validator(schema, registry=Registry()).iter_errors(None), None)
    except SchemaError as error:
        raise ConfigError(
            f"{source} is not a valid JSON Schema: at {error.json_path}: {error.message}"
        ) from error
    except Unresolvable as error:
        raise ConfigError(f"{source} refers to something outside the schema: {error.ref}") from error
    except RecursionError as error:
        raise ConfigError(f"{source} refers to itself without end") from error
    return written


def schema_of(output: Any) -> str:
    """The schema of an answer: given directly, or made from a type that pydantic supports."""
    schema = output if isinstance(output, Mapping) else TypeAdapter(output).json_schema()
    return read_schema(json.dumps(schema), "output")


def read_by_code(schema: Any, planners: Sequence[str]) -> bool:
    """Whether these planners answer with text of the screen, which code converts to the type."""
    typed = schema is not None and not isinstance(schema, Mapping)
    return typed and {"plain", "demonstration"}.issuperset(planners)


def with_output(result: Result, schema: Any, *, by_code: bool, folder: Path | None) -> Result:
    """The result with its answer as a value of a type; not done if the answer does not fit.

    Args:
        schema: a type, a JSON Schema, or None for plain JSON values.
        by_code: whether the answer and the notes are texts of the screen; otherwise the answer is JSON.
        folder: the run's folder, where `answer.json` records on which screens the values were seen.
    """
    if not result.ok:
        return result
    if not by_code:
        typed = value = parse_json(result.answer)
        if schema is not None and not isinstance(schema, Mapping):
            typed = TypeAdapter(schema).validate_python(value)
    else:
        try:
            typed = read_as(schema, result.answer, result.notes)
        except NotFound as error:
            ending = replace(result.ending, kind="not_done", reason=str(error), error="NotFound")
            return replace(result, trajectory=replace(result.trajectory, ending=ending))
        value = to_jsonable_python(typed)
    if folder is not None:
        told = {} if by_code else {path: PICTURE_ONLY for path, _ in _text_and_number_leaves(value, "answer")}
        kept = {"answer": value, "evidence": told | evidence(value, result.trajectory)}
        written = json.dumps(kept, ensure_ascii=False, indent=2)
        (folder / "answer.json").write_text(written, encoding="utf-8")
    return replace(result, output=typed)


def as_json(wanted: str, answer: str, notes: Mapping[str, str]) -> str:
    """The text read off the screen as JSON of the wanted form; unchanged if it fits or any form does.

    The fields of an object come from the notes with the same names.
    """
    if not wanted or not misfit(wanted, answer):
        return answer
    schema = parse_json(wanted)
    read = {normal(name): text for name, text in notes.items()}
    named = {name: normal(name.replace("_", " ")) for name in schema.get("properties", ())}
    told = {
        name: _of_kind(read[key], schema["properties"][name]) for name, key in named.items() if key in read
    }
    return json.dumps(told if named else _of_kind(answer, schema), ensure_ascii=False)


def _of_kind(text: str, schema: Any) -> Any:
    """A text of the screen as a number or boolean if the schema mentions these, otherwise the text."""
    kinds = json.dumps(schema)
    if '"boolean"' in kinds and text.casefold() in _YES | _NO:
        return text.casefold() in _YES
    with suppress(ValueError):
        return parse_json(number(text)) if '"number"' in kinds or '"integer"' in kinds else text
    return text


def misfit(wanted: str, answer: str, name: str = "answer") -> str:
    """How an answer, or the arguments of a call, violate their schema; empty when they fit."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import UnknownType, best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        value = parse_json(answer)
    except ValueError:
        return f"the answer is not JSON; it has to fit this schema: {wanted}"
    errors = Draft202012Validator(parse_json(wanted), registry=Registry()).iter_errors(value)
    # Of alternatives that all fail, the closest one is reported.
    with suppress(Unresolvable, UnknownType):  # a server's schema may be wrong
        told = [best_match([error]) for error in itertools.islice(errors, NAMED)]
        return "; ".join(f"{name}{error.json_path[1:]}: {shorten(error.message, 200)}" for error in told)
    return ""


def unseen_values(answer: str, trajectory: Trajectory, screen: Observation) -> dict[str, str | float]:
    """Texts and numbers of an answer, by path, that no text of the run shows and no note accounts for."""
    value = parse_json(answer)
    seen = evidence(value, trajectory, screen)
    return {path: leaf for path, leaf in _text_and_number_leaves(value, "answer") if path not in seen}


def evidence(value: Any, trajectory: Trajectory, screen: Observation | None = None) -> dict[str, str]:
    """Where each text and number of an answer was seen, by path, newest screens first.

    A note on a part of the answer, or on all of it, counts for everything in that part.
    """
    screens, notes = [*trajectory.screens, *([screen] if screen else [])][::-1], trajectory.notes
    found: dict[str, str] = {}
    for path, leaf in _text_and_number_leaves(value, "answer"):
        parts = (path[:end] for end in range(len(path), 0, -1) if path[end : end + 1] in ("", ".", "["))
        noted = next(filter(None, (notes.get(EVIDENCE + part) for part in parts)), "")
        where = next(filter(None, (_place_of(leaf, look) for look in screens)), "")
        if where or noted:
            found[path] = where or f"noted: {noted}"
    return found


def _place_of(leaf: str | float, look: Observation) -> str:
    place = look.place
    for element in look.elements:
        if any(_holds(leaf, text) for text in element.texts if text):
            return f"{shorten(str(element), 120)} on {place.url or place.title or place.app}"
    return f"the address {place.url}" if _holds(leaf, f"{place.title} {place.url}") else ""


def _holds(leaf: str | float, text: str) -> bool:
    if isinstance(leaf, str):
        return normal(leaf) in normal(text)
    return any(leaf in _readings(found) for found in _NUMBERS.findall(text))


def _readings(digits: str) -> set[float]:
    """What a number may mean: a dot or comma may separate thousands or decimals."""
    plain = re.sub(r"[' \u00a0]", "", digits.replace("−", "-"))
    forms = {plain.replace(",", ""), plain.replace(".", "").replace(",", ".")}
    return {float(form) for form in forms if re.fullmatch(r"-?\d+(\.\d+)?", form)}


def _text_and_number_leaves(value: Any, path: str) -> Iterator[tuple[str, str | float]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _text_and_number_leaves(part, f"{path}.{key}")
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _text_and_number_leaves(part, f"{path}[{place}]")
    elif isinstance(value, int | float | str) and not isinstance(value, bool) and value != "":
        yield path, value
