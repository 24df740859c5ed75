"""The rules of a run, read from TOML: what is allowed, asked about and forbidden.

A policy that cannot be read stops the run; a mistake never turns into permission.
"""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast, get_args

from gui_agent.agent.guard.addresses import origin_fits
from gui_agent.agent.guard.meaning import HARMLESS, MEANINGS, UNKNOWN, ActionMeaning
from gui_agent.core.actions import ALL, Action
from gui_agent.core.errors import ConfigError
from gui_agent.core.keys import chord
from gui_agent.core.observation import Observation
from gui_agent.core.os_errors import why
from gui_agent.core.texts import suggestion

Effect = Literal["allow", "ask", "forbid"]
CAREFUL = "careful"
"""The name of the rules that come with the guard."""
KINDS = frozenset(item.default for kind in ALL for item in fields(kind) if item.name == "kind")


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """One rule; it fits when everything that it names fits. The first rule that fits decides."""

    effect: Effect
    actions: tuple[str, ...] = ()
    """Kinds of actions."""
    meaning: tuple[str, ...] = ()
    """What the action would mean, one of `MEANINGS`."""
    target: str = ""
    """Regular expression searched in the target's name, description and value; case does not matter."""
    role: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    """States that the target must all have."""
    domain: tuple[str, ...] = ()
    """Hosts of the page, `*.example.org` with all subdomains."""
    app: tuple[str, ...] = ()
    """Patterns for the application's name."""
    text: str = ""
    """Regular expression searched in the typed text, the chosen option, the address, the files."""
    reason: str = ""
    """Said to the person when the rule asks or forbids."""

    def fits(self, action: Action, reading: ActionMeaning, observation: Observation) -> bool:
        """Whether the rule speaks of this."""
        element, place = reading.element, observation.place
        role = element.role if element is not None else ""
        states: frozenset[str] = element.states if element is not None else frozenset()
        return (
            (not self.actions or action.kind in self.actions)
            and (not self.meaning or reading.meaning in self.meaning)
            and (not self.role or role in self.role)
            and states.issuperset(self.states)
            and (not self.domain or origin_fits(origin_of(reading, place.url), self.domain))
            and (not self.app or any(_app_fits(place.app, pattern) for pattern in self.app))
            and (not self.target or any(_search(self.target, text) for text in _texts(reading, self.effect)))
            and (not self.text or any(_search(self.text, text) for text in _given(action)))
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """All the rules of a run."""

    rules: tuple[PolicyRule, ...] = ()
    default: Effect = "ask"
    """For what no rule speaks of."""
    unknown: Effect = "ask"
    """For a place of which nothing is known, such as a point on a canvas."""
    repeat: Effect = "ask"
    """For submitting the same thing a second time; no grant covers it."""
    domains: tuple[str, ...] = ()
    """When given, pages elsewhere may be looked at and left, nothing else."""
    folders: tuple[str, ...] = ()
    """When given, files from elsewhere are never handed over."""
    source: str = field(default="", compare=False)
    """Where the rules were read from."""

    def effect(self, action: Action, reading: ActionMeaning, observation: Observation) -> tuple[Effect, str]:
        """What the rules say to one reading of an action, and the reason they give."""
        for number, rule in enumerate(self.rules, 1):
            if rule.fits(action, reading, observation):
                return rule.effect, rule.reason or f"rule {number} of {self.source or 'the policy'}"
        if action.kind in HARMLESS:
            return "allow", ""
        if reading.meaning == UNKNOWN:
            return self.unknown, "nothing is known of that place"
        return self.default, f"the default of {self.source or 'the policy'}"


@cache
def careful() -> Policy:
    """The rules that come with the guard."""
    return parse(_shipped().decode(), "the careful policy")


def load(path: str | Path) -> Policy:
    """Read a policy file; an empty path means the careful rules that come with the guard.

    Raises:
        ConfigError: there is no such file, it is not TOML, or a rule is wrong; names file and rule.
    """
    if not str(path):
        return careful()
    file = Path(path).expanduser()
    try:
        return parse(file.read_bytes().decode("utf-8"), str(path))
    except OSError as error:
        raise ConfigError(f"guard.policy: {path} cannot be read: {why(error)}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"the guard's policy {path} is not UTF-8 text; save it as UTF-8") from error


def parse(text: str, source: str) -> Policy:
    """Read a policy.

    Raises:
        ConfigError: not TOML, an unknown key, a wrong value, a bad expression; names source and rule.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not valid TOML: {error}") from error
    base = table.pop("extends", "")
    if base not in ("", CAREFUL):
        raise ConfigError(f'{source}: extends: there is only "{CAREFUL}" to extend, not {base!r}')
    inherited = careful() if base else None
    entries = table.pop("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError(f"{source}: rules are written as [[rule]] tables")
    rules = tuple(_rule(entry, f"{source}: rule {number}") for number, entry in enumerate(entries, 1))
    known = {"default", "unknown", "repeat", "domains", "folders"}
    _only_known(table, known | {"extends", "rule"}, source)
    values: dict[str, Any] = {}
    for key, value in table.items():
        lists = key in ("domains", "folders")
        values[key] = _strings(value, f"{source}: {key}") if lists else _effect(value, f"{source}: {key}")
    if inherited is None:
        return Policy(rules, **values, source=source)
    return replace(inherited, rules=(*rules, *inherited.rules), **values, source=source)


def _rule(entry: Mapping[str, Any], where: str) -> PolicyRule:
    known = {item.name for item in fields(PolicyRule)}
    _only_known(entry, known, where)
    if "effect" not in entry:
        raise ConfigError(f'{where}: effect is missing; write effect = "allow", "ask" or "forbid"')
    values: dict[str, Any] = {"effect": _effect(entry["effect"], f"{where}: effect")}
    for key in entry.keys() - {"effect"}:
        at = f"{where}: {key}"
        if key in ("target", "text", "reason"):
            values[key] = _string(entry[key], at)
        else:
            values[key] = _strings(entry[key], at)
    if entry.keys() <= {"effect", "reason"}:
        raise ConfigError(f"{where}: it names nothing to fit; what fits everything is `default`")
    for key in ("target", "text"):
        if key in values:
            _compiled(values[key], f"{where}: {key}")
    _all_known(values.get("meaning", ()), MEANINGS, f"{where}: meaning")
    _all_known(values.get("actions", ()), KINDS, f"{where}: actions")
    return PolicyRule(**values)


def _only_known(table: Mapping[str, Any], known: set[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ConfigError(f'{where}: unknown key "{key}"{suggestion(key, known)}')


def _all_known(given: Sequence[str], known: Any, where: str) -> None:
    for word in given:
        if word not in known:
            raise ConfigError(f'{where}: "{word}" is not known{suggestion(word, known)}')


def _effect(value: Any, where: str) -> Effect:
    if isinstance(value, str) and value in get_args(Effect):
        return cast(Effect, value)
    raise ConfigError(f'{where}: must be "allow", "ask" or "forbid", not {value!r}')


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{where}: must be a text that is not empty, not {value!r}")
    return value


def _strings(value: Any, where: str) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise ConfigError(f"{where}: the list is empty; leave the key out to mean anything")
    return tuple(_string(one, where) for one in values)


def _compiled(pattern: str, where: str) -> None:
    try:
        re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigError(f"{where}: not a regular expression: {error}") from error


def _search(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _app_fits(app: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(app.casefold(), pattern.casefold())


def origin_of(reading: ActionMeaning, url: str) -> str:
    """The address of the page or frame in which something is touched."""
    element = reading.element
    return element.does.get("frame", url) if element is not None else url


def _texts(reading: ActionMeaning, effect: Effect) -> tuple[str, ...]:
    """What a rule's `target` is looked for in; a page may not add words that something is allowed for."""
    element = reading.element
    if element is None:
        return (reading.subject,)
    if effect == "allow":
        return (element.name,)
    return (element.name, element.description, element.value)


def _given(action: Action) -> tuple[str, ...]:
    """What the action carries to the screen."""
    match action.kind:
        case "type":
            return (action.text,)
        case "choose":
            return (action.option,)
        case "upload":
            return action.files
        case "navigate":
            return (action.url,)
        case "open":
            return (action.name,)
        case "switch":
            return (action.to,)
        case "press" | "hold":
            return ("+".join(chord(action.keys)),)
        case _:
            return ()


def _shipped() -> bytes:
    return files("gui_agent.agent.guard").joinpath("careful.toml").read_bytes()


__all__ = ["CAREFUL", "Effect", "Policy", "PolicyRule", "careful", "load", "parse"]
