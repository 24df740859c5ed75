"""Reads what a request would change from its method, address, fields, sums and recipients."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
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
    def act_words(self) -> list[str]:
        """The words in the address, and in the fields that name an action."""
        return _meaningful_words(" ".join((*self.parts, *self.acts)))

    @property
    def acts(self) -> tuple[str, ...]:
        """Actions that its fields name, such as `action=delete_selected`, a button's name or a GraphQL
        mutation.
        """
        mutations = "\n".join(filter(_MUTATES.search, self._queries))
        return (*(value for value in self.holds("act") if len(value) < 60), *_CALLS.findall(mutations))

    @property
    def _queries(self) -> tuple[str, ...]:
        return tuple(value for key, value in self.fields if _bare_name(key) == "query" and "{" in value)

    @property
    def _values(self) -> list[str]:
        return [value for _, value in self.fields]

    def holds(self, kind: str) -> tuple[str, ...]:
        """The values of all fields of a kind listed in `request_words.toml`."""
        names = _word_groups()["holds"][kind]
        return tuple(value for key, value in self.fields if value and _bare_name(key) in names)

    @property
    def reads(self) -> bool:
        """Whether the request only reads, or changes something too minor to ask about."""
        if self._queries:
            return not any(map(_MUTATES.search, self._values))
        return self._is_light("words", "kept")

    @property
    def changes(self) -> bool:
        """Whether it may change something, however small, and so must not be sent twice."""
        reads = self.reads if self._queries else self._is_light("words")
        return not (self.only_asks or reads)

    def _is_light(self, *kinds: str) -> bool:
        said = {*self.act_words, *map(singular, self.act_words)}
        return not all(said.isdisjoint(_word_groups()["light"][kind]) for kind in kinds)

    def meanings(self, told: Sequence[str] = ()) -> tuple[str, ...]:
        """What the request would do that cannot easily be undone, gravest first."""
        if self.only_asks:
            last = identifier_words(self.parts[-1]) if self.parts else ""
            said = words.commands(last) if len(last.split()) < 3 else ()
            return tuple(one for one in said if one in ("delete", "unsubscribe"))
        method = self.request.method
        found = ["delete"] if method == "DELETE" and not self._is_light("undone") else []
        found += self._meanings_of_fields()
        found += self._meanings_of_words(makes=method == "POST" and not self.reads)
        if not found and method == "POST" and not self.reads and self._has_new_sum(told):
            found.append("pay")
        return tuple(dict.fromkeys(found))

    def _meanings_of_fields(self) -> Iterator[str]:
        """Meanings that follow from the values of fields, whatever the address says."""
        if self.holds("card") or any(map(has_card, self._values)):
            yield "pay"
        if self.holds("payee") and any(map(_is_sum, self.holds("amount"))):
            yield "transfer"
        if self.holds("text") and any(map(words.has_letters, self.holds("recipient"))):
            yield "send"
        if any(len(value) > 1 for value in self.holds("password")):
            yield "submit-credentials"
        if not _ADMINS.isdisjoint(map(str.casefold, self.holds("rights"))):
            yield "share"

    def _has_new_sum(self, told: Sequence[str]) -> bool:
        """Whether it holds a sum of money that the agent did not type."""
        money = self.holds("currency") or self.holds("items")
        return bool(money) and any(_is_sum(one) and fold(one) not in told for one in self.holds("amount"))

    def _meanings_of_words(self, *, makes: bool) -> Iterator[str]:
        """Meanings from the end of the address, the named actions and short field names.

        Args:
            makes: whether the request creates something of the kind that ends the address.
        """
        tail = list(self.parts)
        while len(tail) > 1 and _GENERAL.issuperset(identifier_words(tail[-1]).split()):
            tail.pop()
        for text in (*tail[-1:], *self.acts):
            said = _meaningful_words(text) or identifier_words(text).split()
            last = {*said[-1:], *map(singular, said[-1:])}
            yield from (kind for kind, names in _word_groups()["made"].items() if makes and last & names)
            yield from filter(GRAVE.__contains__, words.commands(" ".join(said)))
        keys = (identifier_words(key) for key, value in self.fields if value and len(value) <= 20)
        for key in keys:
            yield from filter(_BY_BUTTON.__contains__, words.commands(key) if len(key.split()) <= 2 else ())

    @property
    def form(self) -> bool:
        """Whether it sends a form and loads a page as the answer."""
        return self.request.kind == "Document" and not self.only_asks

    def describe(self, kind: str, meaning: str) -> str:
        what = next(iter(_word_groups()["called"].get(meaning, ())), meaning)
        details = [f"{what} ({self.request.method} {shorten(urlsplit(self.request.url).path, 60)})"]
        items = {key.rpartition(".")[0] for key, _ in self.fields if re.match(r"(?:\w+\.)?\w+\.\d+\.", key)}
        details += [f"{len(items)} items"] if len(items) > 1 else []
        sums = [value for value in self.holds("amount") if re.search(r"\d", value)]
        currency = next(iter(self.holds("currency")), "")
        details += [f"{shorten(sums[-1], 20)} {shorten(currency, 5)}".strip()] if sums else []
        to = self.holds("recipient") or self.holds("payee")
        details += [f"to {shorten(', '.join(to[:3]), 60)}"] if to else []
        said = {"press": "key", "type": "typing"}.get(kind, kind)
        return f"this {said} would send to {netloc_of(self.request.url)}: {', '.join(details)}"


def unannounced_meanings(sent: SentRequest, doing: StepUnderway, met: Container[str] = ()) -> tuple[str, ...]:
    """Meanings of a request that its step was not allowed; empty when it may leave."""
    grave = [one for one in sent.meanings(doing.typed) if not doing.allows(one)]
    if grave:
        return tuple(grave)
    if sent.only_asks:
        announced = _is_harmless_visit(sent, doing)
    elif sent.form:
        announced = _is_pressed(sent, doing) or bool(doing.meanings - {"submit"})
    else:
        announced = _is_background(sent, doing, met) or _is_pressed(sent, doing) or bool(doing.meanings)
    return () if announced else ("unclear",)


def _is_harmless_visit(sent: SentRequest, doing: StepUnderway) -> bool:
    """Whether a GET request neither signs out nor confirms, or the step announced that it would."""
    named = [*sent.parts[-1:], *(key for key, value in sent.fields if value)]
    is_page = sent.request.kind == "Document"
    return not is_page or _LEAVING.isdisjoint(named) or doing.announces(named)


def _is_pressed(sent: SentRequest, doing: StepUnderway) -> bool:
    """Whether the step presses the control that sends this request, by that control's words.

    A form sent by a tab, or by a click on something else, was not pressed.
    """
    said = (*sent.act_words, *_word_groups()["light"]["labels"])
    submits = sent.form and "submit" in doing.meanings
    return doing.presses and (submits or doing.announces(said))


def _is_background(sent: SentRequest, doing: StepUnderway, met: Container[str]) -> bool:
    """Whether a request changes something minor, carries typed text, or goes to a host contacted all the
    time.
    """
    request, typed = sent.request, product(doing.typed, [fold(value) for _, value in sent.fields])
    if sent.reads or request.fresh or any(len(told) > 2 and told in value for told, value in typed):
        return True
    far = site_of(request.url) != site_of(doing.observation.place.url)
    return far and (request.kind == "Ping" or host_of(request.url) in met)


def _meaningful_words(text: str) -> list[str]:
    """The words of an identifier that carry a meaning of their own."""
    return [word for word in identifier_words(text).split() if word not in _GENERAL]


def _is_sum(text: str) -> bool:
    return re.search(r"[1-9]", text) is not None


def site_of(url: str) -> str:
    """The registered domain of a host, approximately: its last two labels."""
    host = host_of(url)
    return host if host.replace(".", "").isdigit() else ".".join(host.split(".")[-2:])


def _bare_name(key: str) -> str:
    return re.sub(r"[\W_]+", "", key.rpartition(".")[2].rpartition("[")[2]).casefold()


def _fields(body: str, query: str) -> Iterator[tuple[str, str]]:
    found = [*parse_qsl(query, keep_blank_values=True, max_num_fields=FIELDS * 10)] if query else []
    plain = body.strip()
    if plain[:1] in "{[" and plain:
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
    return iter(found[:FIELDS])


def _flat(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict | list) and depth:
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in entries:
            yield from _flat(one, f"{path}.{key}" if path else str(key), depth - 1)
    else:
        yield path, "true" if value is True else str(value or "")
