"""What a field is for: from its attributes, its names and the shape of its hint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from gui_agent.agent.guard._lexicon import Phrases, fold, identifier_words
from gui_agent.agent.guard.vocabulary import read_table, tagged_phrases
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
"""What a field is for, by its `autocomplete` attribute."""
HEADING_REACH = 60
"""How far (px) a heading may stand from an unlabelled field it names."""
_NUMBERED = re.compile(r"(?<=[^\W\d_])\d+\b")
"""The number in the name of one of several fields: "cvc2", "pwd1"."""
_MASK = re.compile(r"^\s*(?:[•●∙·*＊◦○⚫⬤∗✱✻⁎﹡▪■][\s\-]*){3,}$")
"""A hint of dots or stars, as password fields show them."""
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
    """The words of `fields.toml`, prepared for searching."""

    phrases: Phrases
    whole: Mapping[str, str]
    pairs: tuple[tuple[str, frozenset[str], frozenset[str]], ...]
    parts: tuple[tuple[str, str], ...]

    def kinds_of(self, name: str) -> Iterator[str]:
        """Kinds that one form of a name suggests: by a phrase, as a whole, or by two words of a pair."""
        for hit in self.phrases.find(name):
            yield hit.tag
        yield self.whole.get(name.strip(" :*.()"), "none")
        words = frozenset(CLAUSE_WORD.findall(name))
        for kind, what, whose in self.pairs:
            named, told = words & what, words & whose
            if named and told and len(named | told) > 1:
                yield kind

    def names_recipient(self, name: str) -> bool:
        """Whether a name ends with a word for a recipient: "to" does, "what to do" does not."""
        hits = self.phrases.find(name)
        return any(hit.tag == "recipient" and hit.end == len(name) for hit in hits)


@cache
def _book() -> FieldBook:
    table = read_table("fields.toml")
    return FieldBook(
        phrases=Phrases(tagged_phrases(table["phrase"])),
        whole={fold(name): kind for name, kind in tagged_phrases(table["whole"])},
        pairs=tuple(
            (pair["kind"], frozenset(map(fold, pair["what"])), frozenset(map(fold, pair["whose"])))
            for pair in table["pair"]
        ),
        parts=tuple((fold(part), kind) for part, kind in tagged_phrases(table["part"])),
    )


def field_kind(element: Element, observation: Observation) -> str:
    """The kind of a field: password, card, search, message, address, or empty."""
    attributes, does = element.attributes, element.does
    if "password" in element.states or attributes.get("type") == "password" or does.conceals:
        return "password"
    filling = _FILLED_AS.get(does.fill)
    if filling is None:
        return _kind_by_words(element, observation)
    # A field that browsers fill in, such as a postal "PIN code", is a secret only if its name says so in
    # full.
    is_secret = "password" in field_kinds(element.name) and "pin" not in fold(element.name)
    return filling or "password" * is_secret


def _kind_by_words(element: Element, observation: Observation) -> str:
    attributes = element.attributes
    if element.role == "searchbox" or attributes.get("type") == "search":
        return "search"
    named = [element.name, element.description, *element.does.said]
    named += [attributes.get(key, "") for key in ("name", "id", "placeholder")]
    kinds = field_kinds(*named, hint=attributes.get("placeholder", ""), kind=attributes.get("class", ""))
    if not element.name and not kinds:
        kinds = field_kinds(
            Scene.from_screen(observation).label_of(element), *_headings_above(element, observation)
        )
    return next((kind for kind in ("card", "password", "message", "address") if kind in kinds), "")


def _headings_above(element: Element, observation: Observation) -> list[str]:
    near = (one for one in observation.elements if one.box.gap(element.box) <= HEADING_REACH)
    return [one.name for one in near if one.role == "heading" and one.box.is_above(element.box, slack=2)]


@lru_cache(maxsize=4096)
def field_kinds(*names: str, hint: str = "", kind: str = "") -> frozenset[str]:
    """What a field with these names is for; in `kind`, its class attribute, only unmistakable parts count."""
    book, readings = _book(), {*chain.from_iterable(map(_readings, names))}
    found = {*chain.from_iterable(map(book.kinds_of, readings))}
    found |= {*chain.from_iterable(map(_kinds_by_shape, (*names, hint)))}
    tokens = [CLAUSE_WORD.findall(fold(visible(name[:NAME_LENGTH]))) for name in (*names, kind)]
    text = " ".join(chain.from_iterable(tokens))
    found |= {tag for part, tag in book.parts if part in text}
    to = any(book.names_recipient(fold(name).strip(" :*")) for name in names)
    return frozenset(found - {"none", "recipient"} | ({"recipient"} if to else set()))


def _readings(name: str) -> Iterator[str]:
    for text in read_as(visible(name[:NAME_LENGTH])) if name else ():
        plain = identifier_words(text)
        yield from (plain, fold(text), _NUMBERED.sub("", plain))


def _kinds_by_shape(text: str) -> Iterator[str]:
    text = text[:NAME_LENGTH].strip()
    if _CARD_SHAPE.search(text) or _IBAN_SHAPE.search(text):
        yield "card"
    elif _MASK.search(text):
        yield "password"
    if _EXPIRY_SHAPE.search(text) or _EXPIRY_EXAMPLE.search(text):
        yield "card"
