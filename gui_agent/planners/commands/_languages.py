"""Plain commands in other languages, turned into the English ones by tables.

Each file of `languages` is a grammar: a kind of phrase has English forms, and each form the patterns that say
it in the language. In a pattern `{kind}` stands for a phrase of that kind (`{kind.2}` for a second one,
`{kind:name}` for one that the English form calls so), `(a|b)` for one of several words and `[a ]` for one
that may be missing, with its space. A text counts as a language's only if each of its clauses fits.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from gui_agent.planners.commands.lexer import quoted_parts

_FOLDER = Path(__file__).parent / "languages"
_LONGEST, _MOST_PIECES = 1_000, 40
"""Maximum characters of a text, and pieces between its joints, that are tried."""
_LONGEST_NAME = 40
"""Maximum characters of a name without quotes; a longer one is a sentence that was not understood."""
_MARGIN = " \t.!?¡¿。！？…"
"""What may stand around a clause."""
_FIRST_MARK = 0xE000
_MARK = "[\ue000-\uf8ff]"
"""A character of the private use area, which stands for a quoted text."""
_PLAIN = '[^\ue000-\uf8ff;,，。"“”„«»「」『』]'
"""A sign of a text without quotes."""
_SLOT = re.compile(r"\{(\w+)(?:\.\d|:(\w+))?\}")
_SHORT = frozenset(("quoted", "number", "letter"))
"""Kinds of which a pattern finds the end by itself."""
_PIECE = re.compile(r"\{[\w.:]+\}|[()|\[\]]|\s+|[^\s{}()|\[\]]+")
_WORD = re.compile(r"[^\W\d_]+")
_OPTIONAL, _CHOICE, _NESTED = re.compile(r"\[[^\]]*\]"), re.compile(r"\(([^()]*)\)"), re.compile(r"\([^)]*\(")
_SHORTEST = 4
"""Minimum letters of a word that tells a language from others; in Chinese one sign does."""
_GROUPING = {"(": "(?:", ")": ")", "|": "|", "[": "(?:", "]": ")?"}
_TERMINALS = {
    "quoted": re.compile(_MARK),
    "name": re.compile(rf"{_MARK}|{_PLAIN}{{1,{_LONGEST_NAME}}}"),
    "value": re.compile(rf"{_MARK}|{_PLAIN}+"),
    "number": re.compile(r"\d+(?:[.,]\d+)?"),
    "letter": re.compile(r"[A-Za-z0-9]|[Ff]\d\d?"),
    "address": re.compile(rf"{_MARK}|\S*[./:]\S+"),
}
"""What the kinds are that no table explains; they stay as they are, names and values in quotes."""


def translations(text: str) -> Iterator[str]:
    """The text as English plain commands, once for each language that it can be read in."""
    if len(text) <= _LONGEST and not re.search(_MARK, text):
        for path in sorted(_FOLDER.glob("*.toml")):
            if (found := _grammar(path).translate(text)) is not None:
                yield found


@cache
def _grammar(path: Path) -> _Grammar:
    return _Grammar(tomllib.loads(path.read_text("utf-8")))


@dataclass(frozen=True, slots=True)
class _Form:
    """One pattern of a phrase, and what it is in English."""

    said: str
    kinds: tuple[str, ...]
    english: str
    order: tuple[int, ...]
    """For each slot of the English form, the place of its phrase in the pattern."""
    words: tuple[str, ...]
    """Words of which a text must have one; none if other texts fit too."""


class _Grammar:
    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = table
        self._kinds = {kind: forms for kind, forms in table.items() if isinstance(forms, dict)}
        self._translate = lru_cache(4_096)(self._translate_anew)

    @cache  # noqa: B019 - the grammars live as long as the process
    def _forms(self, kind: str) -> Sequence[_Form]:
        """The forms of a kind in the order of the table."""
        forms: list[_Form] = []
        for english, patterns in self._kinds[kind].items():
            forms += [self._form(english, said) for said in patterns]
        return forms

    def _form(self, english: str, said: str) -> _Form:
        slots = [*_SLOT.finditer(said)]
        names = [f"{{{slot[2]}}}" if slot[2] else slot[0] for slot in slots]
        order = tuple(names.index(slot[0]) for slot in _SLOT.finditer(english))
        kinds = tuple(slot[1] for slot in slots)
        return _Form(said, kinds, _SLOT.sub("{}", english), order, self._needed_words(said, kinds))

    def _needed_words(self, said: str, kinds: Sequence[str]) -> tuple[str, ...]:
        """Words of which a text must have one to fit a pattern; empty if only short words would tell."""
        bare = _OPTIONAL.sub(" ", said)
        if _NESTED.search(bare):
            return ()
        choices = [choice.split("|") for choice in _CHOICE.findall(bare)]
        choices += filter(None, map(self._words_of, kinds))
        choices += ([word] for word in _CHOICE.sub(" ", _SLOT.sub(" ", bare)).split())
        shortest = _SHORTEST if self._table["spaced"] else 1
        for choice in choices:
            words = tuple(map(_longest_word, choice))
            if min(map(len, words)) >= shortest:
                return words
        return ()

    def _patterns(self, kind: str) -> list[str]:
        return [*chain.from_iterable(self._kinds.get(kind, {}).values())]

    def _words_of(self, kind: str) -> list[str]:
        """The words of a kind that has nothing but words; else nothing."""
        words = self._patterns(kind)
        return [] if any(map(_SLOT.search, words)) else words

    @cache  # noqa: B019 - the grammars live as long as the process
    def _pattern(self, said: str, phrase: str) -> re.Pattern[str]:
        return re.compile(self._regex(said, phrase), re.IGNORECASE)

    def _regex(self, said: str, phrase: str = ".+?", opening: str = "(") -> str:
        """The regular expression of a pattern.

        Args:
            phrase: what a slot takes whose kind tells nothing of its length.
            opening: the start of the group of a slot.
        """
        parts: list[str] = []
        for piece in _PIECE.findall(said):
            slot = _SLOT.fullmatch(piece)
            if slot:
                parts.append(f"{opening}{self._group(slot[1]) or phrase})")
            else:
                space = r"\s*\n\s*" if "\n" in piece else r"\s+"
                parts.append(space if piece.isspace() else _GROUPING.get(piece) or re.escape(piece))
        return "".join(parts)

    def _group(self, kind: str) -> str:
        """What a kind takes if it is one of some words or signs; else empty."""
        if kind in _SHORT:
            return _TERMINALS[kind].pattern
        words = self._patterns(kind)
        if not {slot[1] for slot in _SLOT.finditer(" ".join(words))} <= _SHORT:
            return ""
        return "|".join(self._regex(word, opening="(?:") for word in sorted(words, key=len, reverse=True))

    def _any_of(self, name: str) -> str:
        """The regular expression of one of the phrases in a list of the table."""
        return f"(?:{'|'.join(map(self._regex, self._table[name]))})"

    @cached_property
    def _joint(self) -> re.Pattern[str]:
        return re.compile(f"({self._any_of('joints')})", re.IGNORECASE)

    @cached_property
    def _never(self) -> re.Pattern[str]:
        """Words that no name without quotes holds: they deny, restrict or set a condition."""
        edge = r"\b" if self._table["spaced"] else ""
        return re.compile(f"{edge}{self._any_of('never')}{edge}", re.IGNORECASE)

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        return re.compile(rf"\s*\b{self._any_of('anywhere')}\b\s*", re.IGNORECASE)

    @cached_property
    def _fillers(self) -> re.Pattern[str]:
        words = self._any_of("fillers")
        edge = r"[\s,]+" if self._table["spaced"] else r"\s*"
        return re.compile(rf"^(?:{words}(?:{edge}|$))+|(?:{edge}{words})+$", re.IGNORECASE)

    def translate(self, text: str) -> str | None:
        """The text in English; None if it is not a chain of sentences of this language."""
        bare, quoted = _with_marks(text)
        bare = self._anywhere.sub(" ", bare) if self._table["anywhere"] else bare
        if not self._table["spaced"]:
            bare = re.sub(r"\s*([^\x00-\u2fff])\s*", r"\1", bare)
        pieces = self._joint.split(bare)
        if len(pieces) > 2 * _MOST_PIECES:
            return None
        rest: dict[int, str | None] = {len(pieces) + 1: ""}
        for start in range(len(pieces) - 1, -1, -2):
            rest[start] = self._chain(pieces, start, rest)
        found = rest[0]
        return found and re.sub(_MARK, lambda mark: quoted[ord(mark[0]) - _FIRST_MARK], found)

    def _chain(self, pieces: Sequence[str], start: int, rest: Mapping[int, str | None]) -> str | None:
        """The clauses from a piece on; the shortest clause that a chain of clauses can follow comes first."""
        if not pieces[start].strip(_MARGIN):
            return rest[start + 2]
        for end in range(start + 2, len(pieces) + 2, 2):
            after = rest[end]
            clause = None if after is None else self._command("".join(pieces[start : end - 1]))
            if clause is not None:
                return "; ".join(filter(None, (clause, after)))
        return None

    def _command(self, clause: str) -> str | None:
        return self._translate("command", self._fillers.sub("", clause.strip(_MARGIN)).strip(_MARGIN))

    def _translate_anew(self, kind: str, text: str) -> str | None:
        """A phrase of this kind in English; None if it is none."""
        if kind in _TERMINALS:
            return self._as_it_is(kind, text)
        known = text.casefold()
        for form in self._forms(kind):
            if form.words and not any(map(known.__contains__, form.words)):
                continue  # most patterns never are compiled
            for phrase in (".+?", ".+"):  # the first slot takes as little as it can, then as much
                match = self._pattern(form.said, phrase).fullmatch(text)
                if match is None:
                    break
                parts = zip(form.kinds, match.groups(""), strict=True)
                said = [part and self._translate(kind, part) for kind, part in parts]
                if None not in said:
                    return form.english.format(*(said[place] for place in form.order))
        return None

    def _as_it_is(self, kind: str, text: str) -> str | None:
        """A name, value, number or address; names and values without quotes end where a clause may."""
        if not _TERMINALS[kind].fullmatch(text):
            return None
        if kind not in ("name", "value") or re.fullmatch(_MARK, text):
            return text
        return None if self._joint.search(text) or self._never.search(text) else f'"{text}"'


def _longest_word(said: str) -> str:
    return max(_WORD.findall(_OPTIONAL.sub(" ", said).casefold()), key=len, default="")


def _with_marks(text: str) -> tuple[str, list[str]]:
    """The text with one character in place of each quoted part, and these parts in straight quotes."""
    found: list[str] = []
    bare, at = "", 0
    for start, end in quoted_parts(text):
        inner = text[start + 1 : end - 1]
        found.append(f'"{inner}"' if text[start] == '"' else '"{}"'.format(inner.replace('"', r"\"")))
        bare += text[at:start] + chr(_FIRST_MARK + len(found) - 1)
        at = end
    return bare + text[at:], found
