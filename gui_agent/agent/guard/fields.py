"""What a field is for, by what the page says of it, its names and the shape of its hint."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from gui_agent.agent.guard.lexicon import Phrases, fold, identifier_words
from gui_agent.agent.guard.words import NAME_LENGTH
from gui_agent.core.observation import Element, Observation
from gui_agent.elements.text import CLAUSE_WORD, read_as, visible
from gui_agent.scene import Scene

_FILLED_AS = {
    **dict.fromkeys(("current-password", "new-password", "one-time-code"), "password"),
    **dict.fromkeys(
        ("cc-number", "cc-csc", "cc-exp", "cc-exp-month", "cc-exp-year", "cc-name", "cc-type"), "card"
    ),
    **dict.fromkeys(("postal-code", "name", "email", "tel", "street-address", "organization", "country"), ""),
}
"""What a field is for by its `autocomplete` attribute."""
HEADING_REACH = 60
"""Pixels between a heading and a field without a name that it tells of."""
_NUMBERED = re.compile(r"(?<=[^\W\d_])\d+\b")
"""The number of one of several fields: "cvc2", "pwd1"."""
_MASK = re.compile(r"^\s*(?:[•●∙·*＊◦○⚫⬤∗✱✻⁎﹡▪■][\s\-]*){3,}$")
"""A hint that shows dots or stars in the place of letters."""
_CARD_SHAPE = re.compile(r"(?<!\S)(?:\d{4}|[0xX#•●*_]{4})(?:[ \-–.]?(?:\d{4}|[0xX#•●*_]{4})){3}(?!\S)")
_IBAN_SHAPE = re.compile(r"(?<!\S)[A-Z]{2}\d\d(?: ?[\dA-Z]{4}){3,}")
_EXPIRY_SHAPE = re.compile(
    r"(?<![\w/.\-])(?:mm|мм|кк|kk|aa|ay|ll|hh|月|m)\s?[/\-–|]\s?(?:yy|aa|jj|åå|aa|vv|yil|rr|гг|рр|éé|ee|yyyy|年|y)(?![\w/.\-])",
    re.IGNORECASE,
)
"""A month and a year, as on a card: "MM/YY", "MM / AA", "кк/рр"."""
_EXPIRY_EXAMPLE = re.compile(r"^(?:(?:0[1-9]|1[0-2])\s?/\s?\d\d|mm (?:yy|aa|jj))$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FieldBook:
    """The words of `fields.toml`, ready to be looked for."""

    phrases: Phrases
    whole: Mapping[str, str]
    pairs: tuple[tuple[str, frozenset[str], frozenset[str]], ...]
    parts: tuple[tuple[str, str], ...]


@cache
def _book() -> FieldBook:
    table = tomllib.loads(files("gui_agent.agent.guard").joinpath("fields.toml").read_text("utf-8"))
    kinds = [(kind, group) for kind, languages in table["phrase"].items() for group in languages.values()]
    return FieldBook(
        phrases=Phrases((phrase, kind) for kind, group in kinds for phrase in group),
        whole={fold(name): kind for kind, names in table["whole"].items() for name in names},
        pairs=tuple(
            (pair["kind"], frozenset(map(fold, pair["what"])), frozenset(map(fold, pair["whose"])))
            for pair in table["pair"]
        ),
        parts=tuple((fold(part), kind) for kind, parts in table["part"].items() for part in parts),
    )


def field_kind(element: Element, observation: Observation) -> str:
    """password, card, search, message, address, or empty."""
    attributes, does = element.attributes, element.does
    if "password" in element.states or attributes.get("type") == "password" or does.conceals:
        return "password"
    filling = _FILLED_AS.get(does.fill)
    if filling:
        return filling
    named = [element.name, element.description, *does.said]
    named += [attributes.get(key, "") for key in ("name", "id", "placeholder")]
    kinds = field_kinds(*named, hint=attributes.get("placeholder", ""), kind=attributes.get("class", ""))
    if filling is not None:
        # What is filled in by itself, such as a postal "PIN code", is no secret, unless it says so in full.
        is_secret = "password" in field_kinds(element.name) and "pin" not in fold(element.name)
        return "password" if is_secret else ""
    if element.role == "searchbox" or attributes.get("type") == "search":
        return "search"
    if not element.name and not kinds:
        above = [
            one.name
            for one in observation.elements
            if one.role == "heading"
            and one.box.bottom <= element.box.top + 2
            and one.box.gap(element.box) <= HEADING_REACH
        ]
        kinds = field_kinds(Scene.of(observation).label_of(element), *above)
    return next((kind for kind in ("card", "password", "message", "address") if kind in kinds), "")


@lru_cache(maxsize=4096)
def field_kinds(*names: str, hint: str = "", kind: str = "") -> tuple[str, ...]:
    """What a field with these names is for; of `kind`, its class attribute, only unmistakable parts count."""
    book, read = _book(), tuple(dict.fromkeys(_readings(names)))
    found = [hit.tag for name in read for hit in book.phrases.find(name)]
    found += [book.whole[name.strip(" :*.()")] for name in read if name.strip(" :*.()") in book.whole]
    for tokens in map(CLAUSE_WORD.findall, read):
        found += [tag for tag, what, whose in book.pairs if _both(tokens, what, whose)]
    long = {
        token for name in (*names, kind) for token in CLAUSE_WORD.findall(fold(visible(name[:NAME_LENGTH])))
    }
    found += [tag for part, tag in book.parts if any(part in one for one in long)]
    found += [tag for text in (*names, hint) if text for tag in _kinds_by_shape(text)]
    exact = {fold(name).strip(" :*") for name in names}
    told = (tag for tag in dict.fromkeys(found) if tag != "none")
    hits = [(hit, len(name)) for name in exact for hit in book.phrases.find(name)]
    goes_to = any(hit.tag == "recipient" and hit.end == length for hit, length in hits)
    return tuple(tag for tag in told if tag != "recipient" or goes_to)


def _readings(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        for text in read_as(visible(name[:NAME_LENGTH])) if name else ():
            plain = identifier_words(text)
            yield from (plain, fold(text))
            yield _NUMBERED.sub("", plain)


def _both(tokens: Sequence[str], what: frozenset[str], whose: frozenset[str]) -> bool:
    named = [place for place, token in enumerate(tokens) if token in what]
    said = [place for place, token in enumerate(tokens) if token in whose]
    return any(one != other for one in named for other in said)


def _kinds_by_shape(text: str) -> Iterator[str]:
    text = text[:NAME_LENGTH].strip()
    if _CARD_SHAPE.search(text) or _IBAN_SHAPE.search(text):
        yield "card"
    elif _MASK.search(text):
        yield "password"
    if _EXPIRY_SHAPE.search(text) or _EXPIRY_EXAMPLE.search(text):
        yield "card"
