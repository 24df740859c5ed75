"""The policy of a run, read from TOML: which actions are allowed, asked about or forbidden.

A policy that cannot be read stops the run, so a mistake never becomes a permission.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any, Literal, cast, get_args

from gui_agent.agent.guard.hosts import is_host_pattern, name_fits, origin_fits
from gui_agent.agent.guard.meaning import HARMLESS
from gui_agent.agent.guard.vocabulary import MEANINGS, UNKNOWN, ActionMeaning, read_table
from gui_agent.core.actions import ALL, Action
from gui_agent.core.errors import ConfigError
from gui_agent.core.keys import chord
from gui_agent.core.observation import Observation
from gui_agent.core.os_errors import file_errors, user_path
from gui_agent.core.parsing import expression_fault, toml_table
from gui_agent.core.texts import suggestion
from gui_agent.elements.roles import KNOWN, word_set
from gui_agent.elements.text import read_as, visible

Effect = Literal["allow", "ask", "forbid"]
Reader = Callable[[Any, str], Any]
"""Reads one value of a table. Raises ConfigError, naming the table and the key, if the value is invalid."""
DEFAULT = "default"
"""The name of the profile used when no policy is named."""
_STRICTER: tuple[Effect, ...] = ("allow", "ask", "forbid")
STATES = word_set(
    "checked mixed selected pressed expanded collapsed focused disabled required readonly invalid "
    "busy editable multiline password haspopup scrollable new"
)
SEARCHED = 1000
"""How many characters of a text a rule searches."""
KINDS = frozenset(signature(kind).parameters["kind"].default for kind in ALL)


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """One rule. It applies when everything that it names fits; the first rule that applies decides."""

    effect: Effect
    actions: tuple[str, ...] = ()
    meaning: tuple[str, ...] = ()
    """What the action would mean, one of `MEANINGS`."""
    target: str = ""
    """Regular expression searched in the target's name, description and value, ignoring case."""
    role: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    """Hosts of the page, `*.example.org` with all subdomains."""
    app: tuple[str, ...] = ()
    """Patterns for the application's name."""
    text: str = ""
    """Regular expression searched in the typed text, the chosen option, the address, the files."""
    reason: str = ""
    """Shown to the person when the rule asks or forbids."""

    def fits(self, action: Action, reading: ActionMeaning, observation: Observation) -> bool:
        element, place = reading.element, observation.place
        role, states = (element.role, element.states) if element is not None else ("", frozenset())
        return (
            action.kind in (self.actions or (action.kind,))
            and reading.meaning in (self.meaning or (reading.meaning,))
            and role in (self.role or (role,))
            and states.issuperset(self.states)
            and (not self.domain or origin_fits(origin_of(reading, place.url), self.domain))
            and (not self.app or any(name_fits(place.app, pattern) for pattern in self.app))
            and _is_found(self.target, _texts(reading, self.effect))
            and _is_found(self.text, _texts_of(action))
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """All rules of a run."""

    rules: tuple[PolicyRule, ...] = ()
    default: Effect = "ask"
    """The decision when no rule matches."""
    unknown: Effect = "ask"
    """The decision for a click on an unknown target, such as a point on a canvas."""
    repeat: Effect = "ask"
    """The decision for submitting the same thing a second time; no grant covers it."""
    domains: tuple[str, ...] = ()
    """If given, pages on other hosts may only be looked at and left."""
    folders: tuple[str, ...] = ()
    """If given, files outside these folders are never uploaded."""
    source: str = field(default="", compare=False)

    @property
    def asks(self) -> bool:
        """Whether it asks about or forbids anything besides destructive commands and secret files."""
        final = {"destructive-command", "secret-file"}
        ruled = (one.meaning for one in self.rules if one.effect != "allow")
        return self.default != "allow" or not all(meaning and final.issuperset(meaning) for meaning in ruled)

    def effect(self, action: Action, reading: ActionMeaning, observation: Observation) -> tuple[Effect, str]:
        """What the policy decides about one meaning of an action, and the reason."""
        for number, rule in enumerate(self.rules, 1):
            if rule.fits(action, reading, observation):
                return rule.effect, rule.reason or f"rule {number} of {self.source or 'the policy'}"
        if action.kind in HARMLESS:
            return "allow", ""
        if reading.meaning == UNKNOWN:
            return self.unknown, "the target is unknown"
        return self.default, f"the default of {self.source or 'the policy'}"


@cache
def profiles() -> Mapping[str, Policy]:
    known: dict[str, Policy] = {}
    for name, table in read_table("profiles.toml").items():
        known[name] = _read(dict(table), f"the {name} policy", known)
    return known


def careful() -> Policy:
    """The policy used when none is named."""
    return profiles()[DEFAULT]


def combine(policies: Sequence[Policy]) -> Policy:
    """Combine policies: all rules, forbidding ones first, and the strictest value of every other key."""
    first = policies[0]
    for other in policies[1:]:
        levels: dict[str, Any] = {
            key: max(getattr(first, key), getattr(other, key), key=_STRICTER.index)
            for key in ("default", "unknown", "repeat")
        }
        rules = sorted((*first.rules, *other.rules), key=lambda rule: rule.effect != "forbid")
        source = " + ".join(filter(None, (first.source, other.source)))
        domains, folders = _common(first.domains, other.domains), _common(first.folders, other.folders)
        first = Policy(tuple(dict.fromkeys(rules)), **levels, domains=domains, folders=folders, source=source)
    return first


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    if not one or not other:
        return one or other
    return tuple(entry for entry in one if entry in other) or ("nothing.invalid",)


def load(path: str | Path) -> Policy:
    """Read a policy file, or profiles by name (`strict+unattended`); empty means the default profile."""
    names = str(path).split("+") if str(path) else [DEFAULT]
    if all(name.strip() in profiles() for name in names):
        return combine([profiles()[name.strip()] for name in names])
    file = user_path(path)
    with file_errors(f"guard.policy: {path} cannot be read"):
        return parse(file.read_text("utf-8"), str(path))


def parse(text: str, source: str) -> Policy:
    return _read(toml_table(text, source), source, profiles())


def _read(table: dict[str, Any], source: str, known_profiles: Mapping[str, Policy]) -> Policy:
    inherited = _base_policy(table.pop("extends", ""), source, known_profiles)
    entries = table.pop("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError(f"{source}: rules are written as [[rule]] tables")
    rules = tuple(_rule(entry, f"{source}: rule {number}") for number, entry in enumerate(entries, 1))
    values = _values(table, _POLICY, source)
    return replace(inherited, rules=(*rules, *inherited.rules), **values, source=source)


def _base_policy(names: Any, source: str, known: Mapping[str, Policy]) -> Policy:
    bases = _strings(names, f"{source}: extends") if names else ()
    for name in bases:
        if name not in known:
            there = ", ".join(known)
            raise ConfigError(f'{source}: extends: there is no profile "{name}"; there are {there}')
    return combine([known[name] for name in bases]) if bases else Policy()


def _rule(entry: Mapping[str, Any], where: str) -> PolicyRule:
    values = _values(entry, _RULE, where)
    if "effect" not in values:
        raise ConfigError(f'{where}: effect is missing; write effect = "allow", "ask" or "forbid"')
    if entry.keys() <= {"effect", "reason"}:
        raise ConfigError(f"{where}: it has no condition; for a rule that always applies, set `default`")
    return PolicyRule(**values)


def _values(table: Mapping[str, Any], readers: Mapping[str, Reader], where: str) -> dict[str, Any]:
    """The values of a table, each read by its key's reader."""
    for key in table:
        if key not in readers:
            raise ConfigError(f'{where}: unknown key "{key}"{suggestion(key, readers)}')
    return {key: readers[key](value, f"{where}: {key}") for key, value in table.items()}


def _effect(value: Any, where: str) -> Effect:
    if isinstance(value, str) and value in get_args(Effect):
        return cast(Effect, value)
    raise ConfigError(f'{where}: must be "allow", "ask" or "forbid", not {value!r}')


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{where}: must be a text that is not empty, not {value!r}")
    return value


def _expression(value: Any, where: str) -> str:
    if fault := expression_fault(_string(value, where)):
        raise ConfigError(f"{where}: {fault}")
    return str(value)


def _strings(value: Any, where: str) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise ConfigError(f"{where}: the list is empty; leave the key out to mean anything")
    return tuple(_string(one, where) for one in values)


def _known_words(known: Collection[str], value: Any, where: str) -> tuple[str, ...]:
    words = _strings(value, where)
    for word in words:
        if word not in known:
            raise ConfigError(f'{where}: "{word}" is not known{suggestion(word, known)}')
    return words


def _hosts(value: Any, where: str) -> tuple[str, ...]:
    patterns = _strings(value, where)
    for pattern in patterns:
        if not is_host_pattern(pattern):
            form = "write a host alone, such as example.org, *.example.org or localhost:8000"
            advice = f"{form}; its last two parts must be whole, or hosts of other people would match"
            raise ConfigError(f'{where}: "{pattern}" can never match a host: {advice}')
    return patterns


_POLICY: Mapping[str, Reader] = {
    "default": _effect,
    "unknown": _effect,
    "repeat": _effect,
    "domains": _hosts,
    "folders": _strings,
}
_RULE: Mapping[str, Reader] = {
    "effect": _effect,
    "actions": partial(_known_words, KINDS),
    "meaning": partial(_known_words, MEANINGS),
    "target": _expression,
    "role": partial(_known_words, KNOWN),
    "states": partial(_known_words, STATES),
    "domain": _hosts,
    "app": _strings,
    "text": _expression,
    "reason": _string,
}
"""The keys allowed in a policy (besides `extends` and its rules), and in a rule."""


def _is_found(pattern: str, texts: Iterable[str]) -> bool:
    """Whether a pattern matches one of the texts; an empty pattern always does."""
    expression = re.compile(pattern, re.IGNORECASE)
    return not pattern or any(expression.search(text[:SEARCHED]) for text in texts)


def origin_of(reading: ActionMeaning, url: str) -> str:
    """The address of the page or frame that holds the element."""
    element = reading.element
    return url if element is None else element.does.frame or url


def _texts(reading: ActionMeaning, effect: Effect) -> tuple[str, ...]:
    element = reading.element
    if element is None:
        return (reading.subject,)
    if effect == "allow":
        return (visible(element.name),)
    read = (read_as(text[:SEARCHED]) for text in element.texts)
    return (*element.texts, *chain.from_iterable(read))


def _texts_of(action: Action) -> tuple[str, ...]:
    if action.kind == "upload":
        return action.files
    if action.kind in ("press", "hold"):
        return ("+".join(chord(action.keys)),)
    named = {"type": "text", "choose": "option", "navigate": "url", "open": "name", "switch": "to"}
    return (getattr(action, named[action.kind]),) if action.kind in named else ()
