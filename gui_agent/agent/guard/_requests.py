"""Reads what a request would change from its method, address, fields, sums and recipients."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from urllib.parse import parse_qsl, unquote, urlsplit

from gui_agent.agent.guard import words
from gui_agent.agent.guard._bodies import RequestBody
from gui_agent.agent.guard._lexicon import fold, identifier_words
from gui_agent.agent.guard.hosts import netloc_of
from gui_agent.agent.guard.meaning import has_card
from gui_agent.agent.guard.vocabulary import read_table
from gui_agent.core.protocols import READING, Outgoing
from gui_agent.core.texts import shorten
from gui_agent.elements.roles import word_set
from gui_agent.elements.text import singular

GRAVE = frozenset({"pay", "transfer", "sign", "delete", "unsubscribe", "publish", "send", "share", "format"})
"""Meanings that an act can have."""
_ID = re.compile(r"\d+|[0-9a-f-]{16,}|(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[\w-]{10,}")
"""Parts of an address that identify one of many things, such as a record number."""
_DIGITS = re.compile(r"\d+")
_GENERAL = word_set(
    "api rest ajax rpc index php do aspx jsp html json xml action confirm confirmation submit create new add"
    " save execute run go apply process handle handler bulk batch all my now service call operation"
    " admin reorder"
)
"""Words of an address that mean nothing without the words before them."""
_ENVELOPE = word_set("query variables operation name extensions persisted version hash jsonrpc method params")
"""Names that every call of some protocol has."""
_SUM = re.compile(r"[1-9]")
_ENDING = frozenset({"delete", "unsubscribe"})
_BY_NAME = frozenset({"delete", "pay", "transfer", "unsubscribe"})
"""Meanings that a field's name may give, such as the name of a button."""
_METHODS = READING | {"POST", "PUT", "PATCH"}
_FALSE = frozenset({"", "false", "0", "no", "off", "null"})
_ADMINS = word_set("admin administrator owner root superuser moderator true 1 yes")
_EVERYONE = word_set("true 1 yes on public everyone all world")
_CALLS = re.compile("[a-z][A-Z]")
_CODE = re.compile(r"[\s(;]")
_LONGEST_SLUG = 4
"""Words of a link's address that may name an act; a longer one is a title."""


@cache
def _word_kinds(part: str) -> Mapping[str, str]:
    """What each word of a part of `request_words.toml` stands for."""
    found = dict[str, str]()
    for kind, names in read_table("request_words.toml")[part].items():
        found |= dict.fromkeys(names, kind)
    return found


@dataclass(frozen=True)
class SentRequest:
    """A request, split into address parts, acts and fields."""

    request: Outgoing
    parts: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]
    mutations: tuple[str, ...]
    queries: int
    is_whole: bool
    """Whether all of it was understood."""

    @classmethod
    def from_request(cls, request: Outgoing) -> SentRequest:
        url, body = urlsplit(request.url), RequestBody()
        for key, value in parse_qsl(url.query, keep_blank_values=True):
            body.read_value(value, key, 1)
        body.read(request.body)
        parts = tuple(part for part in unquote(url.path).split("/") if part and not _ID.fullmatch(part))
        return cls(request, parts, tuple(body.fields), tuple(body.mutations), body.queries, body.is_whole)

    @cached_property
    def template(self) -> str:
        """Method, host, address, acts and field names: the same for every record it may be about."""
        names = {key.partition(".")[0] for key, _ in self.fields}
        said = " ".join(sorted({*self.acts, *(name for name in names if not name.isdecimal())}))
        path = _DIGITS.sub("#", "/".join(self.parts))
        return f"{self.request.method} {netloc_of(self.request.url)}/{path} {said}"

    @property
    def only_asks(self) -> bool:
        """Whether its method changes nothing on a page that follows HTTP's rules."""
        return self.request.method in READING

    @cached_property
    def acts(self) -> tuple[str, ...]:
        """Acts that its fields name, such as `action=delete_selected`, a button's name or a mutation."""
        named = (value for value in self.holds("act") if len(value) < 60 and value.upper() not in _METHODS)
        return (*named, *self.mutations)

    @cached_property
    def _path(self) -> tuple[str, ...]:
        """The last part of the address that means something of its own; the address names an act by it."""
        return tuple([*filter(_meaningful_words, self.parts)][-1:])

    @cached_property
    def _values_by_kind(self) -> Mapping[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for key, value in self.fields:
            name, known = _bare_name(key), _word_kinds("holds")
            found[known.get(name) or known.get(singular(name), "")] += [value] * bool(value)
        return found

    def holds(self, kind: str) -> tuple[str, ...]:
        """The values of all fields of a kind that `request_words.toml` lists."""
        return tuple(self._values_by_kind.get(kind, ()))

    def _distinct_values(self, kind: str) -> set[str]:
        return {*map(fold, self.holds(kind))}

    @cached_property
    def is_light(self) -> bool:
        """Whether its address, or else each of its acts, says that it reads or tells how a page is used."""
        said = self._path or self.acts
        named = bool(self.queries) or (bool(said) and all(map(_is_light, said)))
        return named and self.is_whole and not self.mutations

    @property
    def changes(self) -> bool:
        """Whether it may change something, however small, and so must not be sent twice."""
        return not (self.only_asks or self.is_light)

    @cached_property
    def is_readable(self) -> bool:
        """Whether a word in it says what it is about: of its address, acts or names of fields."""
        said = _meaningful_words(" ".join((*self.parts, *self.acts, *(key for key, _ in self.fields))))
        return self.is_whole and any(
            len(one) > 3 or not one.isascii() for one in said if one not in _ENVELOPE
        )

    def meanings(self, *, makes: bool = True, given: Sequence[str] = ()) -> tuple[str, ...]:
        """What the request would do that cannot easily be undone.

        Args:
            makes: whether its step may create or order something; one that only sets a value does not.
            given: the value that its step sets.
        """
        found = [*self._meanings_of_acts(makes=makes), *self._meanings_of_names()]
        if self.only_asks:
            return tuple(dict.fromkeys(one for one in found if one in _ENDING))
        if self.request.method == "DELETE" and not self._is_about("undone", "kept"):
            found.append("delete")
        return tuple(dict.fromkeys((*found, *self._meanings_of_fields(given))))

    def _is_about(self, *kinds: str) -> bool:
        """Whether a word of its address, or the name of a field that is set, is of these kinds."""
        named = (key for key, value in self.fields if value.casefold() not in _FALSE)
        said = _meaningful_words(" ".join((*self.parts, *named)))
        return any(_word_kinds("light").get(word) in kinds for word in (*said, *map(singular, said)))

    def _meanings_of_fields(self, given: Sequence[str]) -> Iterator[str]:
        """Meanings that follow from the values of fields, whatever the address says."""
        said, kept = self._distinct_values, self._is_about("kept")
        sums = any(map(_SUM.search, said("amount")))
        names = {*".".join(key for key, _ in self.fields).casefold().split(".")}
        ordered = sums and "items" in map(_word_kinds("holds").get, names) and not (kept or self.is_light)
        lent = said("protection") & _FALSE or said("rights") & _ADMINS
        meant = {
            "pay": ordered or said("card") or any(has_card(value) for _, value in self.fields),
            "transfer": sums and said("payee"),
            "send": not kept and said("text") and any(map(words.has_letters, said("recipient"))),
            "submit-credentials": said("password") - _FALSE - {"true"},
            "share": lent or any(map(words.has_letters, said("owned").difference(given))),
            "publish": said("open") & _EVERYONE,
            "delete": said("gone") - _FALSE,
        }
        return (meaning for meaning, is_so in meant.items() if is_so)

    def _meanings_of_acts(self, *, makes: bool) -> Iterator[str]:
        kept, acts = self._is_about("kept"), _word_kinds("acts")
        made = _word_kinds("made") if makes and not kept else {}
        for part in self.parts[:-1]:
            yield from _ENDING.intersection(_meanings_of_act(part))
        for one in self._path:
            if not (self.only_asks and len(_meaningful_words(one)) > _LONGEST_SLUG):
                yield from _meanings_of_act(one, acts, made if self.request.method == "POST" else {})
        for one in self.acts:
            found = _meanings_of_act(one, made, acts if one in self.mutations else {})
            yield from (meaning for meaning in found if not (kept and meaning == "send"))

    def _meanings_of_names(self) -> Iterator[str]:
        """Meanings of the names of fields that are set, such as the name of a button."""
        for key, value in self.fields:
            name = identifier_words(key)
            if value.casefold() not in _FALSE and len(value) <= 20 and name.count(" ") < 2:
                yield from filter(_BY_NAME.__contains__, words.commands(name))

    @property
    def form(self) -> bool:
        """Whether it sends a form and loads a page as the answer."""
        return self.request.kind == "Document" and not self.only_asks

    def has_code(self, typed: Collection[str]) -> bool:
        """Whether it holds code that the agent did not type."""
        return any(_CODE.search(one) and fold(one).strip() not in typed for one in self.holds("code"))

    def carries(self, typed: Iterable[str]) -> bool:
        """Whether a typed text is anywhere in it."""
        said = fold("\n".join((unquote(self.request.url), *(value for _, value in self.fields))))
        return any(len(text) > 2 and text in said for text in typed)

    def repeats(self, typed: Collection[str]) -> bool:
        """Whether a typed text is the whole of a value in it."""
        return any(len(value) > 2 and fold(value).strip() in typed for _, value in self.fields)

    def describe(self, meaning: str) -> str:
        what, path = _word_kinds("called").get(meaning, meaning), shorten(urlsplit(self.request.url).path, 60)
        details = [f"{what} ({self.request.method} {path})"]
        sums = [*filter(_SUM.search, self.holds("amount"))]
        currency = next(iter(self.holds("currency")), "")
        details += [f"{shorten(sums[-1], 20)} {currency[:5]}".strip()] if sums else []
        to = self.holds("recipient") or self.holds("payee")
        details += [f"to {shorten(', '.join(to[:3]), 60)}"] if to else []
        return f"this step would send to {netloc_of(self.request.url)}: {', '.join(details)}"


def _meanings_of_act(act: str, *ends: Mapping[str, str]) -> list[str]:
    """Grave meanings of an act as programs write it: `deleteNote`, `note_delete`, `orders`, `comment.create`.

    Args:
        ends: the meanings of words with which an act may end that creates or does such a thing.
    """
    parts = [*filter(_meaningful_words, re.split(r"[.:/$]", act))]
    if not parts:
        return []
    first, *more = said = _meaningful_words(parts[-1])
    last, nouns, found = singular(said[-1]), _word_kinds("made"), list[str | None]()
    if not (more and first in nouns):
        found += words.leading_commands(" ".join(said))
    found += words.commands(last) if more and last not in nouns else ()
    found += [words.one_word_meaning(first)] if not more else ()
    if not (any(found) or (more and _CALLS.search(parts[-1])) or _is_light(parts[-1])):
        for known in ends:
            found += map(known.get, (said[-1], last, "".join(said)))
    return [meaning for meaning in found if meaning in GRAVE]


def _is_light(act: str) -> bool:
    said = _meaningful_words(act)
    return "words" in map(_word_kinds("light").get, (*said[:1], *said[-1:], *map(singular, said[-1:])))


def _meaningful_words(text: str) -> list[str]:
    """The words of an identifier that carry a meaning of their own, without digits."""
    plain = identifier_words(_DIGITS.sub(" ", text)).split()
    return [word for word in plain if word not in _GENERAL and (len(word) > 1 or not word.isascii())]


def _bare_name(key: str) -> str:
    """The last name in the path of a field; entries of a list have the name of the list."""
    path = re.sub(r"(?:[.\[]\d*\]?)+$", "", key)
    return re.sub(r"[\W_]+", "", path.rpartition(".")[2].rpartition("[")[2]).casefold()
