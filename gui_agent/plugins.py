"""Finds parts by name and makes them, loading built-in and external parts in the same way.

A part is named by an entry point of the group `gui_agent.<group>` or as `package.module:Class`. The signature
of its constructor is the schema of its options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Literal, get_args

from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.core.texts import suggestion, table

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Group = Literal[
    "computers",
    "desktops",
    "planners",
    "grounders",
    "models",
    "benchmarks",
    "importers",
    "domains",
    "commands",
    "guest_routes",
    "weights",
]
EXTRAS = table(
    "rdp=desktop,vision virtual=desktop wayland=desktop,vision remote=guest guest=guest osworld=guest vnc=vnc"
    " own-browser=own-browser background=desktop android=android devices=android ios=desktop"
    " win32=desktop darwin=desktop eyes=vision"
    " miniwob=eval apps=eval tasks=eval eval=eval practice=eval redteam=eval web=eval"
)
"""The extra that brings a part of the other packages, or the libraries of a part."""
OWN = ("gui_agent", "guiagent_eval", "guiagent_platforms")
GROUPS: tuple[Group, ...] = get_args(Group)
_ENTRY_POINTS = lru_cache(entry_points)  # each call reads a file of every package


@lru_cache
def installed_parts(group: Group) -> dict[str, EntryPoint]:
    """The installed parts of a group by name, as of the first call."""
    return {point.name: point for point in sorted(_ENTRY_POINTS().select(group=f"gui_agent.{group}"))}


def find(group: Group, name: str) -> Callable[..., Any]:
    """The class or function that a name stands for."""
    if ":" in name:
        return _load(EntryPoint(name=name, value=name, group=f"gui_agent.{group}"), group)
    installed = installed_parts(group)
    if name not in installed:
        raise _not_installed(group, name, installed)
    return _load(installed[name], group)


def _not_installed(group: Group, name: str, installed: Iterable[str]) -> ConfigError:
    if name in EXTRAS:
        return MissingExtra(EXTRAS[name], f'{group[:-1]} "{name}"')
    hint = suggestion(name, installed) or "; none is installed, install guiagent again"
    return ConfigError(f'{group}: there is no "{name}"{hint}')


def make(group: Group, name: str, options: Mapping[str, Any], **given: Any) -> Any:
    """Make the part with this name.

    Args:
        options: arguments from the settings, checked against the constructor's signature.
        given: arguments from the wiring; passed on if the constructor takes them.
    """
    return prepare(group, name, options, **given)()


def prepare(group: Group, name: str, options: Mapping[str, Any], **given: Any) -> Callable[[], Any]:
    """A function that makes the part with this name, checked as by `make`; raises like `make`."""
    part = find(group, name)
    parameters = _parameters(part)
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    # Building type adapters takes longer than observing a page, and most parts have no options.
    settable = _settable(parameters) if options else {}
    for key in options:
        if key not in settable and not takes_all:
            hint = suggestion(key, settable) or "; it has no options"
            raise ConfigError(f'{group} "{name}": unknown option "{key}"{hint}')
    arguments = {key: value for key, value in given.items() if takes_all or key in parameters}
    for key, value in options.items():
        arguments[key] = _check_value(f'{group} "{name}": option "{key}"', settable.get(key), value)
    for key, parameter in parameters.items():
        if parameter.default is parameter.empty and _by_name(parameter) and key not in arguments:
            raise ConfigError(f'{group} "{name}": option "{key}" is required; set it in the options table')
    return partial(part, **arguments)


def options_of(part: Callable[..., Any]) -> dict[str, str]:
    """The options of a part, each with its type and default as in the source."""
    parameters = _parameters(part)
    return {key: str(parameters[key]).partition(":")[2].strip() or key for key in _settable(parameters)}


def _load(point: EntryPoint, group: Group) -> Callable[..., Any]:
    try:
        part = getattr(import_module(point.module), point.attr) if point.attr else point.load()
    except (ImportError, AttributeError, SyntaxError, ValueError) as error:
        missing = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
        if missing and point.module.partition(".")[0] in OWN and missing not in OWN:
            extra = EXTRAS.get(point.name, point.name)
            raise MissingExtra(extra, f'{group} "{point.name}" ({missing} is not installed)') from error
        again = "; install guiagent again" if missing in OWN else ""
        raise ConfigError(f'{group} "{point.name}": cannot import {point.value}: {error}{again}') from error
    if not callable(part):
        raise ConfigError(f'{group} "{point.name}": {point.value} is not a class or function')
    return part  # type: ignore[no-any-return]


def _parameters(part: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(part, eval_str=True).parameters
    except NameError:  # a type imported only for type checkers: accept the option as it is
        return inspect.signature(part).parameters


def _by_name(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)


def _settable(parameters: Mapping[str, inspect.Parameter]) -> dict[str, TypeAdapter[Any]]:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticSchemaGenerationError

    found = {}
    for key, parameter in parameters.items():
        if _by_name(parameter):
            known = not isinstance(parameter.annotation, str) and parameter.annotation is not parameter.empty
            try:
                found[key] = TypeAdapter(parameter.annotation if known else Any)
            except PydanticSchemaGenerationError:  # an object that only the wiring can give
                continue
    return found


def _check_value(where: str, adapter: TypeAdapter[Any] | None, value: Any) -> Any:
    from pydantic import ValidationError

    from gui_agent.core.validation_errors import explain

    try:
        return value if adapter is None else adapter.validate_python(value)
    except ValidationError as error:
        fault = explain(error).removeprefix("at the top level: ")
        raise ConfigError(f"{where}: {fault} (given: {value!r})") from error
