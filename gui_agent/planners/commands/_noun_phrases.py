"""Parses how a person names a target: name, kind, rank, neighbour, or a point in pixels."""

from __future__ import annotations

import re
from functools import cache

from gui_agent.core.observation import Point, Relation, Target, Words
from gui_agent.core.texts import ORDINALS
from gui_agent.elements.roles import NOUNS, PICTURES, REGIONS, ROLE_WORDS, sides, word_set
from gui_agent.elements.text import DETERMINERS
from gui_agent.planners.commands.lexer import Fault, Span, phrases

LONGEST_NAME = 9
"""Maximum words of an unquoted name; a longer text is a sentence that was not understood."""
LONGEST_TAIL = 3
"""Maximum lower-case words from `and` on in an unquoted name: `cut and paste it` is a name."""
_PHRASES: dict[Relation, str] = {
    "in the row of": "in the same row as, in the row of, in the row with, in the row for, in the row called,"
    " in the row, in row, in the line of, in the line with",
    "in the column of": "in the column of, in the column called, in the column, in column, under the column",
    "under the heading": "under the heading, below the heading, in the section, in the section called,"
    " in the group, in the panel, under the title",
    "for": "in the card of, in the card with, in the item with",
    "right of": "to the right of, on the right of, right of",
    "left of": "to the left of, on the left of, left of",
    "next to": "next to, beside",
    "near": "close to, near",
    "below": "below, beneath, underneath, under",
    "above": "above",
}
NEAR: dict[str, Relation] = {
    phrase: relation for relation, phrases in _PHRASES.items() for phrase in phrases.split(", ")
}
"""Phrases between a target and its reference element, and the relation that each expresses."""
_INSIDE: dict[str, Relation] = {
    "row": "in the row of",
    "line": "in the row of",
    "card": "for",
    "column": "in the column of",
    "section": "under the heading",
    "group": "under the heading",
    "panel": "under the heading",
}
"""The same for a noun after the name, as in `in the "City" column`."""
_EVERYWHERE = (
    *("page", "screen", "window in front", "front window", "dialog in front", "front dialog"),
    *("open window", "open dialog", "open menu", "open list"),
)
"""Places that add nothing to a name, as in `on the page`: what is in front is meant anyway."""
_BELONGING = ("of", "for", "with", "in", "on", "at", "from", "by")
_CALLED = phrases(
    "called, named, labelled, labeled, that says, saying, with the text, with the name, with text, "
    "with the label, with name, with, with a, with an, with the"
)
_RANKS = {word: place for place, word in enumerate(ORDINALS, start=1)} | {"last": -1}
_NTH = re.compile(r"(\d{1,3})(?:st|nd|rd|th)$")
_POINT = re.compile(r"\(?\s*(-?\d+)\s*,\s*(-?\d+)\s*\)?$")
_RELATING = word_set("other next previous opposite same before after not")
"""Words that are not nouns: after one of these, a quoted name is not the target's own name."""
_WEAK = word_set(
    "item option list line section header text word label entry window choice select node symbol paragraph"
)
"""Nouns that often end a name, as in `Add item`; they give a kind only next to a quoted name."""


def articles(span: Span) -> int:
    """The number of tokens of the article at the start; a capital `A`, or a single one, is a name."""
    return span.begins(DETERMINERS) if len(span) > 1 and span[0].text not in ("A", "An") else 0


def read_target(span: Span) -> Target:
    """The point or the words that a text names."""
    span = span.without_joints().rest_after(("on", "at"))
    if not len(span):
        raise Fault(span.position, "the target is missing", 'name it, as in: click "Send"')
    place = read_point(span)
    return place if place is not None else read_words(span)


def read_point(span: Span) -> Point | None:
    """A point in pixels, such as `120,80` or `(120, 80)`."""
    if len(span) != 1 or span[0].kind != "word":
        return None
    match = _POINT.match(span.text)
    return Point(int(match.group(1)), int(match.group(2))) if match else None


def read_words(span: Span) -> Words:
    """The words that a text names."""
    span = span.without_joints()
    head, relation, anchor = _near(span)
    article = articles(head)
    head = head.cut(article)
    ordinal, rest = _rank(head)
    text, role = _text_and_role(rest, bool(article or ordinal))
    if not text and not role and not ordinal:
        raise Fault(span.position, "the target is missing", 'name it, as in: click "Send"')
    return Words(text, role, ordinal, anchor, relation)


def plain_name(span: Span) -> str:
    """A name that is one quoted text, or some words without a comma; articles are dropped."""
    span = span.without_joints()
    if not len(span):
        raise Fault(span.position, "a name is missing here")
    span = span.cut(articles(span))
    if span.is_quoted:
        return span.text
    if len(span) == 1 and span.text in DETERMINERS and span.text not in ("a", "an"):
        raise Fault(span.position, f"'{span.text}' alone is not a name", "put names in quotes")
    for index, token in enumerate(span.each):
        if token.kind == "quoted":
            extra = span.cut(index or 1)
            if extra[0].joins:
                raise extra.left_over()
            fault = f"'{extra.text}' does not belong here"
            raise Fault(extra.position, fault, "put the whole name in quotes")
        if token.kind in ("comma", "then"):
            raise span.cut(index).left_over()
        tail = span.cut(index)
        if token.kind == "and" and len(tail) > LONGEST_TAIL and tail.text.islower():
            raise tail.left_over("put names with 'and' in quotes")
    if len(span) > LONGEST_NAME:
        raise Fault(span.position, f"'{span.text}' is too long for a name", "put names in quotes")
    return span.text


def _near(span: Span) -> tuple[Span, Relation, str]:
    """The text before `next to ...`, the relation, and the words after it; accepts `in the Ada row` too."""
    start = 1 if len(span) and span[0].kind == "quoted" else 0
    for index in range(start, len(span) - 1):
        word, head, rest = span[index].word, span.cut(0, index), span.cut(index + 1)
        length = span.begins(NEAR, index)
        if length and index + length < len(span):
            relation = NEAR[_words(span.cut(index, index + length))]
            return head, relation, _anchor(span.cut(index + length))
        inside = _INSIDE.get(rest[-1].word)
        if word == "in" and inside is not None and len(rest) > 2:
            return head, inside, _anchor(rest.cut(0, -1)).removesuffix("'s").removesuffix("’s")
        if index and word in _BELONGING and (owner := _owner(head, rest, word)):
            return head, *owner
    return span, "near", ""


def _without_places(span: Span) -> Span:
    """The span without a place at its end that adds nothing."""
    for index in range(1, len(span)):
        place = span.cut(index + 1)
        if span[index].word in _BELONGING and _words(place.cut(articles(place))) in _EVERYWHERE:
            return span.cut(0, index)
    return span


def _begins_with_picture(span: Span) -> bool:
    lengths = (n for n in (1, 2, 3) if len(span) == n or (len(span) > n and span[n].word in _BELONGING))
    return any(_words(span.cut(0, length)) in PICTURES for length in lengths)


def _owner(head: Span, rest: Span, joint: str) -> tuple[Relation, str] | None:
    """The relation that `of ...` adds to a name: a part of the screen, or the owner of a kind of element."""
    region = "" if rest.is_quoted else rest.cut(articles(rest)).text.lower()
    if joint == "with" and _begins_with_picture(rest.cut(articles(rest))):
        return None  # `the button with the magnifier at the top`
    if region in _EVERYWHERE:
        return "near", ""
    if region in REGIONS or sides(region):
        return "for", region
    return ("for", _anchor(rest)) if _ends_in_kind(head) or rest.is_quoted else None


def _ends_in_kind(head: Span) -> bool:
    if head.begins(_CALLED, len(head) - 1):
        return False
    noun, rest = _cut_noun(head, at_end=True)
    whole = not len(rest) or rest.is_quoted or articles(head) > 0 or bool(_rank(head)[0])
    return head[-1].kind == "quoted" or (bool(noun) and whole)


def _anchor(span: Span) -> str:
    bare = _without_places(span.cut(articles(span)))
    noun, named = _cut_noun(bare, at_end=True)
    if noun and len(named):
        bare = named
    return _with_noun(bare) or plain_name(bare)


def _with_noun(span: Span) -> str:
    """`order "8"` as the words `order 8`: the noun may be the column in which the value is a key."""
    named = len(span) == 2 and span[1].kind == "quoted" and span[0].kind == "word"
    return f"{span[0].text} {span[1].text}" if named and span[0].word not in _RELATING else ""


def _rank(span: Span) -> tuple[int, Span]:
    if len(span) < 2 or span[0].kind != "word":
        return 0, span
    word = span[0].word
    nth = _NTH.match(word)
    ordinal = _RANKS.get(word, int(nth.group(1)) if nth else 0)
    # "First name" is a name; "first link" and "the first Delete" are ranks.
    if not ordinal or (span[0].text[0].isupper() and span[1].word not in NOUNS):
        return 0, span
    if word in _RANKS and span[1].word == "name":
        return 0, span
    return ordinal, span.cut(1)


def _text_and_role(span: Span, definite: bool) -> tuple[str, str]:
    """Text and role of `button "Save"`, `"Save" button`, `Save button`, `button called Save`, `button`."""
    if not len(span):
        return "", ""
    for read in (_role_and_text, _kind_alone, _kind_and_name, _name_and_kind):
        if (found := read(span, definite)) is not None:
            return found
    if noun := _with_noun(span):  # `the letter "Lunch"`: only the program knows the meaning of the noun
        return span[1].text if definite else noun, ""
    return plain_name(span), ""


def _role_and_text(span: Span, definite: bool) -> tuple[str, str] | None:
    """`menuitem "Save"`: a role as programs call it."""
    if len(span) != 2:
        return None
    roles = [token.word for token in span.each if token.word in ROLE_WORDS and token.word not in NOUNS]
    texts = [token.text for token in span.each if token.kind == "quoted"]
    return (texts[0], roles[0]) if roles and texts else None


def _kind_alone(span: Span, definite: bool) -> tuple[str, str] | None:
    """`button` as a kind, singular only: `open pictures` is a name, `click the button` a kind."""
    noun, rest = _cut_noun(span)
    if not noun or len(rest):
        return None
    is_name = not definite and (span.text[0].isupper() or noun != _words(span))
    return (span.text, "") if is_name else ("", NOUNS[noun])


def _kind_and_name(span: Span, definite: bool) -> tuple[str, str] | None:
    """`button "Save"`, `button called Save`; `the folder Documents`: a capital starts a name."""
    noun, rest = _cut_noun(span)
    if not noun or (span[0].text[0].isupper() and not definite and rest[0].kind == "word"):
        return None
    called = rest.begins(_CALLED)
    is_named = called or rest.is_quoted or (rest[0].text[0].isupper() and span[0].text.islower())
    is_plural = noun != _words(span.cut(0, -len(rest)))  # `items per page` is a name
    if not is_named and (is_plural or _cut_noun(span, at_end=True)[0]):
        return None
    name = plain_name(rest.cut(called))
    if name.isdecimal() and not called and not rest.is_quoted:
        name = f"{span.cut(0, -len(rest)).text} {name}"  # in `tab 2`, the number may be a name or a rank
    return name, NOUNS[noun]


def _name_and_kind(span: Span, definite: bool) -> tuple[str, str] | None:
    """`"Save" button`, `the Save button`; `Add item` may also be a name as a whole."""
    noun, head = _cut_noun(span, at_end=True)
    is_weak = noun in _WEAK or (not definite and span[-1].word in _WEAK)
    return (plain_name(head), NOUNS[noun]) if noun and (head.is_quoted or not is_weak) else None


@cache
def _nouns() -> dict[str, str]:
    plural = {noun + ("es" if noun.endswith("x") else "s"): noun for noun in NOUNS}
    return plural | {noun: noun for noun in NOUNS}


def _words(span: Span) -> str:
    return " ".join(token.word for token in span.each)


def _cut_noun(span: Span, *, at_end: bool = False) -> tuple[str, Span]:
    """The longest noun at the start or end, in the singular, and the rest; empty and the span if none."""
    for length in range(min(3, len(span)), 0, -1):
        at = len(span) - length if at_end else length
        noun = _nouns().get(_words(span.cut(at) if at_end else span.cut(0, at)))
        if noun:
            return noun, span.cut(0, at) if at_end else span.cut(at)
    return "", span
