"""What a request would change, told by what it carries: method, address, fields, sums, whom it goes to."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from gui_agent.agent.guard import words
from gui_agent.agent.guard.hosts import host_of, netloc_of
from gui_agent.agent.guard.lexicon import fold, identifier_words
from gui_agent.agent.guard.meaning import has_card
from gui_agent.agent.guard.vocabulary import read_table
from gui_agent.core.protocols import Outgoing
from gui_agent.core.texts import shorten
from gui_agent.elements.roles import word_set
from gui_agent.elements.text import singular

if TYPE_CHECKING:
    from gui_agent.agent.guard.outflow import Doing

GRAVE = frozenset({"pay", "transfer", "sign", "delete", "unsubscribe", "publish", "send", "share", "format"})
"""Meanings that an address or an act in a body can have."""
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_NUMBER = re.compile(r"\d|^[0-9a-f-]{16,}$|^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[\w-]{10,}$")
"""Parts of an address that stand for one thing of many."""
_GENERAL = word_set(
    "api rest v ajax rpc index php do aspx jsp html json xml action confirm confirmation submit create new"
    " add save update execute run go apply process handle handler bulk batch all"
)
"""Words of an address that say nothing without those before them."""
_PART = re.compile(
    r'name="([^"]*)"(?:; filename="([^"]*)")?[^\r\n]*\r?\n(?:[\w-]+:[^\r\n]*\r?\n)*\r?\n(.*?)\r?\n--', re.S
)
_MUTATES = re.compile(r"^\s*mutation\b|[}\s]mutation\b")
_CALLS = re.compile(r"\{\s*(?:\w+\s*:\s*)?(\w+)")
_BY_BUTTON = frozenset({"delete", "pay", "transfer", "unsubscribe"})
"""What the name of a field, such as that of a button, may say."""
FIELDS, DEPTH, LONGEST = 200, 6, 200_000
"""How much of a body is read."""
_ADMINS = word_set("admin administrator owner root superuser moderator true 1 yes public everyone")


@cache
def _book() -> Mapping[str, Mapping[str, frozenset[str]]]:
    groups: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for part, group in read_table("request_words.toml").items():
        groups[part] = {key: frozenset(named) for key, named in group.items()}
    return groups


@dataclass(frozen=True, slots=True)
class Sent:
    """A request, taken apart."""

    request: Outgoing
    parts: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, request: Outgoing) -> Sent:
        url = urlsplit(request.url)
        parts = tuple(part for part in unquote(url.path).split("/") if part and not _NUMBER.search(part))
        return cls(request, parts, tuple(_fields(request.body[:LONGEST], url.query)))

    @property
    def template(self) -> str:
        """Method, host, address, acts and names of fields, whatever thing of many it is about."""
        names = {key.partition(".")[0] for key, _ in self.fields}
        told = " ".join(sorted({*self.acts, *(name for name in names if not name.isdecimal())}))
        return f"{self.request.method} {netloc_of(self.request.url)}/{'/'.join(self.parts)} {told}"

    @property
    def act_words(self) -> tuple[str, ...]:
        """The words of the address and of the fields that name an act."""
        named = " ".join((*self.parts, *self.acts))
        return tuple(word for word in identifier_words(named).split() if word not in _GENERAL)

    @property
    def acts(self) -> tuple[str, ...]:
        """What its fields say that is to be done: `action=delete_selected`, a button's name, a mutation."""
        queries = (value for value in self._queries if _MUTATES.search(value))
        called = (match.group(1) for query in queries for match in _CALLS.finditer(query))
        return (*(value for value in self.holds("act") if len(value) < 60), *called)

    @property
    def _queries(self) -> tuple[str, ...]:
        return tuple(value for key, value in self.fields if _bare(key) == "query" and "{" in value)

    def holds(self, kind: str) -> tuple[str, ...]:
        """The values of fields that hold such a thing."""
        names = _book()["holds"][kind]
        return tuple(value for key, value in self.fields if value and _bare(key) in names)

    @property
    def reads(self) -> bool:
        """Whether it only asks for something, or keeps something small: nobody wants to hear of that."""
        if self._queries:
            return not any(_MUTATES.search(value) for _, value in self.fields)
        return self._is_light("words", "kept")

    @property
    def changes(self) -> bool:
        """Whether it may change something, however small, so that it must not be sent twice by mistake."""
        reads = self.reads if self._queries else self._is_light("words")
        return self.request.method not in _READS and not reads

    def _is_light(self, *kinds: str) -> bool:
        said = {word for one in self.act_words for word in (one, singular(one))}
        return any(not said.isdisjoint(_book()["light"][kind]) for kind in kinds)

    def meanings(self, told: Sequence[str] = ()) -> tuple[str, ...]:
        """What it would do that cannot easily be undone, gravest first."""
        method = self.request.method
        if method in _READS:
            last = identifier_words(self.parts[-1]) if self.parts else ""
            said = words.commands(last) if len(last.split()) < 3 else ()
            return tuple(one for one in said if one in ("delete", "unsubscribe"))
        found = ["delete"] if method == "DELETE" and not self._is_light("undone") else []
        if self.holds("card") or any(has_card(value) for _, value in self.fields):
            found.append("pay")
        sums = [value for value in self.holds("amount") if re.search(r"[1-9]", value)]
        if sums and self.holds("payee"):
            found.append("transfer")
        if self.holds("text") and any(re.search(r"[^\W\d]", one) for one in self.holds("recipient")):
            found.append("send")
        if any(len(value) > 1 for value in self.holds("password")):
            found.append("submit-credentials")
        if any(value.casefold() in _ADMINS for value in self.holds("rights")):
            found.append("share")
        found += self._meanings_of_words(2 if method == "POST" else 1)
        if not found and method == "POST" and not self.reads and any(fold(one) not in told for one in sums):
            found += ["pay"] if self.holds("currency") or self.holds("items") else []
        return tuple(dict.fromkeys(found))

    def _meanings_of_words(self, depth: int) -> list[str]:
        """What the end of the address and the named acts say; of a light one, only what is done to others."""
        tail = list(self.parts)
        while len(tail) > 1 and _GENERAL.issuperset(identifier_words(tail[-1]).split()):
            tail.pop()
        made = _book()["made"] if depth > 1 and not self.reads else {}
        found = []
        for text in (*tail[-1:], *self.acts):
            said = identifier_words(text).split()
            plain = " ".join([word for word in said if word not in _GENERAL] or said)
            last = "".join(plain.split()[-1:])
            found += [kind for kind, names in made.items() if {last, singular(last)} & names]
            found += [one for one in words.commands(plain) if one in GRAVE]
        keys = (identifier_words(key) for key, value in self.fields if value and len(value) <= 20)
        short = [one for key in keys if len(key.split()) <= 2 for one in words.commands(key)]
        return found + [one for one in short if one in _BY_BUTTON]

    @property
    def form(self) -> bool:
        """Whether it sends a form, and a page comes of it."""
        return self.request.kind == "Document" and self.request.method not in _READS

    def describe(self, kind: str, meaning: str) -> str:
        what = next(iter(_book()["called"].get(meaning, ())), meaning)
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


def unannounced_meanings(sent: Sent, doing: Doing, met: Container[str] = ()) -> tuple[str, ...]:
    """What a request would do that its step was not allowed; empty when it may leave."""
    request = sent.request
    grave = [one for one in sent.meanings(doing.typed) if not doing.allows(one)]
    if grave:
        return tuple(grave)
    if request.method in _READS:
        named = [*sent.parts[-1:], *(key for key, value in sent.fields if value)]
        leaves = request.kind != "Document" or {"logout", "signout", "confirm", "confirmed"}.isdisjoint(named)
        return () if leaves or doing.announces(named) else ("unclear",)
    told = any(len(one) > 2 and one in fold(value) for _, value in sent.fields for one in doing.typed)
    said = (*sent.act_words, *_book()["light"]["labels"])
    announced = doing.presses and doing.announces(said)  # what only comes by is not pressed
    if request.kind == "Document":
        # A form that a tab, or a click on something else, sends off was not pressed by anybody.
        pressed = announced or (doing.presses and "submit" in doing.meanings)
        return () if pressed or doing.meanings - {"submit"} else ("unclear",)
    far = site_of(request.url) != site_of(doing.observation.place.url)
    light = sent.reads or request.fresh or (far and (request.kind == "Ping" or host_of(request.url) in met))
    return () if light or told or announced or doing.meanings else ("unclear",)


def site_of(url: str) -> str:
    """The part of a host that names whom it belongs to, about."""
    host = host_of(url)
    return host if host.replace(".", "").isdigit() else ".".join(host.split(".")[-2:])


def _bare(key: str) -> str:
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
