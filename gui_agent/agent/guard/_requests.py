"""Reads what a request would change from its method, address, fields, sums and recipients."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from gui_agent.agent.guard import words
from gui_agent.agent.guard._lexicon import fold, identifier_words
from gui_agent.agent.guard.hosts import host_of, netloc_of
from gui_agent.agent.guard.meaning import has_card
from gui_agent.agent.guard.vocabulary import read_table
from gui_agent.core.protocols import Outgoing
from gui_agent.core.texts import shorten
from gui_agent.elements.roles import word_set
from gui_agent.elements.text import singular

if TYPE_CHECKING:
    from gui_agent.agent.guard._outflow import StepUnderway

GRAVE = frozenset({"pay", "transfer", "sign", "delete", "unsubscribe", "publish", "send", "share", "format"})
"""Meanings that an address, or an action named in a body, can have."""
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_NUMBER = re.compile(r"\d|^[0-9a-f-]{16,}$|^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[\w-]{10,}$")
"""Parts of an address that identify one of many things, such as a record number."""
_GENERAL = word_set(
    "api rest v ajax rpc index php do aspx jsp html json xml action confirm confirmation submit create new"
    " add save update execute run go apply process handle handler bulk batch all"
)
"""Words of an address that mean nothing without the words before them."""
_PART = re.compile(
    r'name="([^"]*)"(?:; filename="([^"]*)")?[^\r\n]*\r?\n(?:[\w-]+:[^\r\n]*\r?\n)*\r?\n(.*?)\r?\n--', re.S
)
_SUM = re.compile(r"[1-9]")
_MUTATES = re.compile(r"^\s*mutation\b|[}\s]mutation\b")
_CALLS = re.compile(r"\{\s*(?:\w+\s*:\s*)?(\w+)")
_BY_BUTTON = frozenset({"delete", "pay", "transfer", "unsubscribe"})
"""Meanings that a field's name may give, such as the name of a button."""
FIELDS, DEPTH, LONGEST = 200, 6, 200_000
"""Limits on reading a body: number of fields, depth of nesting, characters."""
_LEAVING = word_set("logout signout confirm confirmed")
"""Parts of an address, and names of fields, for which even a GET request may end something."""
_ADMINS = word_set("admin administrator owner root superuser moderator true 1 yes public everyone")


@cache
def _word_groups() -> Mapping[str, Mapping[str, frozenset[str]]]:
    groups: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for part, group in read_table("request_words.toml").items():
        groups[part] = {key: frozenset(named) for key, named in group.items()}
    return groups


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request, split into address parts and fields."""

    request: Outgoing
    parts: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]

    @classmethod
    def from_request(cls, request: Outgoing) -> SentRequest:
        url = urlsplit(request.url)
        parts = tuple(part for part in unquote(url.path).split("/") if part and not _NUMBER.search(part))
        return cls(request, parts, tuple(_fields(request.body[:LONGEST], url.query)))

    @property
    def template(self) -> str:
        """Method, host, address, actions and field names: the same for every record it may be about."""
        names = {key.partition(".")[0] for key, _ in self.fields}
        told = " ".join(sorted({*self.acts, *(name for name in names if not name.isdecimal())}))
        return f"{self.request.method} {netloc_of(self.request.url)}/{'/'.join(self.parts)} {told}"

    @property
    def only_asks(self) -> bool:
        """Whether its method changes nothing on a page that follows HTTP's rules."""
        return self.request.method in _READS

    @property
    def acts(self) -> tuple[str, ...]:
        """Actions that its fields name, such as `action=delete_selected`, a button's name or a GraphQL
        mutation.
        """
        mutations = "\n".join(filter(_MUTATES.search, self._queries))
        named = (value for value in self.holds("act") if len(value) < 60)
        return (*named, *_CALLS.findall(mutations))

    @property
    def _queries(self) -> tuple[str, ...]:
        return tuple(value for key, value in self.fields if _bare_name(key) == "query" and "{" in value)

    @property
    def values(self) -> list[str]:
        return [value for _, value in self.fields]

    def holds(self, kind: str) -> tuple[str, ...]:
        """The values of all fields of a kind listed in `request_words.toml`."""
        names = _word_groups()["holds"][kind]
        return tuple(value for key, value in self.fields if value and _bare_name(key) in names)

    @property
    def reads(self) -> bool:
        """Whether the request only reads, or changes something too minor to ask about."""
        return self._is_light("words", "kept")

    @property
    def changes(self) -> bool:
        """Whether it may change something, however small, and so must not be sent twice."""
        return not (self.only_asks or self._is_light("words"))

    def _is_light(self, *kinds: str) -> bool:
        if self._queries:
            return not any(map(_MUTATES.search, self.values))
        said = _meaningful_words(" ".join((*self.parts, *self.acts)))
        return any({*said, *map(singular, said)} & _word_groups()["light"][kind] for kind in kinds)

    def meanings(self, told: Sequence[str] = (), *, makes: bool = True) -> tuple[str, ...]:
        """What the request would do that cannot easily be undone, gravest first.

        Args:
            makes: whether its step may create or order something; one that only sets a value does not.
        """
        if self.only_asks:
            last = identifier_words(" ".join(self.parts[-1:]))
            said = words.commands(last) if len(last.split()) < 3 else ()
            return tuple(one for one in said if one in ("delete", "unsubscribe"))
        method = self.request.method
        makes = makes and method == "POST" and not self.reads
        removed = ("delete",) * (method == "DELETE" and not self._is_light("undone"))
        found = (*removed, *self._meanings_of_fields(), *self._meanings_of_words(makes=makes))
        return tuple(dict.fromkeys(found)) or ("pay",) * (makes and self._has_new_sum(told))

    def _meanings_of_fields(self) -> Iterator[str]:
        """Meanings that follow from the values of fields, whatever the address says."""
        if self.holds("card") or any(map(has_card, self.values)):
            yield "pay"
        if self.holds("payee") and any(map(_SUM.search, self.holds("amount"))):
            yield "transfer"
        if (
            self.holds("text")
            and any(map(words.has_letters, self.holds("recipient")))
            and not self._is_light("kept")
        ):
            yield "send"
        if any(len(value) > 1 for value in self.holds("password")):
            yield "submit-credentials"
        if not _ADMINS.isdisjoint(map(str.casefold, self.holds("rights"))):
            yield "share"

    def _has_new_sum(self, told: Sequence[str]) -> bool:
        """Whether it holds a sum of money that the agent did not type."""
        money = self.holds("currency") or self.holds("items")
        return bool(money) and any(_SUM.search(one) and fold(one) not in told for one in self.holds("amount"))

    def _meanings_of_words(self, *, makes: bool) -> Iterator[str]:
        """Meanings from the end of the address, the named actions and short field names.

        Args:
            makes: whether the request creates something of the kind that ends the address.
        """
        tail = [*filter(_meaningful_words, self.parts)][-1:]
        for said in map(_meaningful_words, (*tail, *self.acts)):
            last = {*said[-1:], *map(singular, said[-1:])}
            yield from (kind for kind, names in _word_groups()["made"].items() if makes and last & names)
            yield from filter(GRAVE.__contains__, words.commands(" ".join(said)))
        for key in (identifier_words(key) for key, value in self.fields if 0 < len(value) <= 20):
            yield from filter(_BY_BUTTON.__contains__, words.commands(key) if key.count(" ") < 2 else ())

    @property
    def form(self) -> bool:
        """Whether it sends a form and loads a page as the answer."""
        return self.request.kind == "Document" and not self.only_asks

    def describe(self, meaning: str) -> str:
        what = next(iter(_word_groups()["called"].get(meaning, ())), meaning)
        details = [f"{what} ({self.request.method} {shorten(urlsplit(self.request.url).path, 60)})"]
        sums = [*filter(_SUM.search, self.holds("amount"))]
        currency = next(iter(self.holds("currency")), "")
        details += [f"{shorten(sums[-1], 20)} {currency[:5]}".strip()] if sums else []
        to = self.holds("recipient") or self.holds("payee")
        details += [f"to {shorten(', '.join(to[:3]), 60)}"] if to else []
        return f"this step would send to {netloc_of(self.request.url)}: {', '.join(details)}"


def unannounced_meanings(
    sent: SentRequest, doing: StepUnderway, usual: Collection[str] = ()
) -> tuple[str, ...]:
    """Meanings of a request that its step was not allowed; empty when it may leave."""
    grave = sent.meanings(doing.typed, makes=not doing.sets)
    expected = _is_harmless_visit(sent, doing) if sent.only_asks else _is_expected(sent, doing, usual)
    return tuple(one for one in grave if one not in doing.meanings) or ("unclear",) * (not expected)


def _is_harmless_visit(sent: SentRequest, doing: StepUnderway) -> bool:
    """Whether a GET request neither signs out nor confirms, or the step announced that it would."""
    named = {*sent.parts[-1:], *(key for key, value in sent.fields if value)}
    return sent.request.kind != "Document" or not named & _LEAVING - doing.subjects


def _is_expected(sent: SentRequest, doing: StepUnderway, usual: Collection[str]) -> bool:
    """Whether a request without a grave meaning is what its step announced, pressed, set or touched.

    Any form holds the fields in it, so a form needs more than that: its own button, or a value set in it.
    """
    labels = tuple(_word_groups()["light"]["labels"])
    if doing.presses and any(one.startswith(labels) for one in doing.subjects):
        return True
    acts = doing.presses or doing.sets or not sent.form
    if doing.meanings - {"submit"} or (acts and _is_about(sent, doing)):
        return True
    if sent.form:
        return doing.presses and bool(doing.meanings)
    return bool(doing.meanings) or sent.reads or sent.request.fresh or _is_background(sent, doing, usual)


def _is_background(sent: SentRequest, doing: StepUnderway, usual: Collection[str]) -> bool:
    """Whether a request carries typed text, or goes to another site that hears of everything.

    A site is, approximately, what has the same last two labels of a host.
    """
    url, typed = sent.request.url, product(doing.typed, map(fold, sent.values))
    known = sent.request.kind == "Ping" or any(f" {netloc_of(url)}/" in one for one in usual)
    here, there = (host_of(one).split(".")[-2:] for one in (doing.observation.place.url, url))
    return (known and here != there) or any(len(told) > 2 and told in value for told, value in typed)


def _is_about(sent: SentRequest, doing: StepUnderway) -> bool:
    """Whether a request to the page's own host names what its step touched or set."""
    own = netloc_of(sent.request.url) == netloc_of(doing.observation.place.url)
    return own and any(_is_alike(*pair) for pair in product(_naming_words(sent), doing.subjects))


def _naming_words(sent: SentRequest) -> Iterator[str]:
    """The words of a request that may name its subject: of its address, fields and short values."""
    for key, value in (*sent.fields, (" ".join(sent.parts), "")):
        yield from (word for word in _meaningful_words(key) if len(word) > 2)
        counts = len(_bare_name(key)) > 2
        found = _meaningful_words(value) if len(value) <= 60 or not key else ()
        yield from (word for word in found if len(word) > 3 or (counts and word.isdecimal()))


def _is_alike(one: str, other: str) -> bool:
    """Whether two words are the same, or have the same stem: expand, expansion."""
    stem = min(len(one), len(other), 5)
    return one == other if stem < 4 else one[:stem] == other[:stem]


def _meaningful_words(text: str) -> list[str]:
    """The words of an identifier that carry a meaning of their own."""
    return [word for word in identifier_words(text).split() if word not in _GENERAL]


def _bare_name(key: str) -> str:
    """The last name in the path of a field; entries of a list have the name of the list."""
    path = re.sub(r"(?:[.\[]\d*\]?)+$", "", key)
    return re.sub(r"[\W_]+", "", path.rpartition(".")[2].rpartition("[")[2]).casefold()


def _fields(body: str, query: str) -> list[tuple[str, str]]:
    found = [*parse_qsl(query, keep_blank_values=True, max_num_fields=FIELDS * 10)] if query else []
    plain = body.strip()
    if plain.startswith(("{", "[")):
        try:
            found += _flat(json.loads(plain), "", DEPTH)
        except (ValueError, RecursionError):
            found.append(("", plain[:2000]))
    elif 'form-data; name="' in plain[:400]:
        found += [(name, file or value) for name, file, value in _PART.findall(f"{plain}\r\n--")]
    elif re.match(r"[\w.\[\]%:$+-]+=", plain):
        found += parse_qsl(plain, keep_blank_values=True)
    elif plain:
        found.append(("", plain[:2000]))
    return found[:FIELDS]


def _flat(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict | list) and depth:
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in entries:
            yield from _flat(one, f"{path}.{key}" if path else str(key), depth - 1)
    else:
        yield path, "true" if value is True else str(value or "")
