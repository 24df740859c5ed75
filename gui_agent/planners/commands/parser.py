"""The grammar of plain commands: splits a sentence and applies the rule of each verb (`verbs`).

A sentence is a chain of commands separated by joints: a comma, "and", a full stop, or one that always
separates: "then", a semicolon, a new line. After a comma, "and" or a full stop a new command starts only
if the following text parses as one, so that `click Terms and Conditions` stays one click.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from gui_agent.core.binding import with_values
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import Task
from gui_agent.planners.commands import _rules_input as inputs
from gui_agent.planners.commands import _rules_pointer as pointer
from gui_agent.planners.commands._noun_phrases import plain_name
from gui_agent.planners.commands._rules_navigation import as_address
from gui_agent.planners.commands._rules_pointer import Rule
from gui_agent.planners.commands._verbs import ON_BUTTONS, PAIRED, RULES, similar_verb
from gui_agent.planners.commands.commands import Command, Put, Unparsed
from gui_agent.planners.commands.lexer import Fault, Span, Token, Unclosed, phrases, tokenize

GUIDE = "see docs/commands.md for what plain commands can say"
LONGEST_TEXT = 20_000
"""Maximum characters; a longer text is a document, not commands."""
_FILLERS = phrases(
    "please, now, next, finally, also, first, afterwards, lastly, after that, you should, after this, "
    "could you, can you, would you, will you, you can, i want to, i want you to, i would like to, "
    "i'd like to, i'd like you to, i need to, let's, just, kindly, so"
)
_FAREWELLS = ("please", "for me", "for me please")
"""Phrases that may follow a command without belonging to it."""

_JOINING = ("into", "to", "with", "from", "as", "in")
_PLACES = ("in", "under", "on", "from", "at", "into")
_LONGEST_PLACE, _LONGEST_LABEL = 12, 4
"""Maximum words of a place before the verb, and of a field name before a colon."""
_SHORT_COMMAND = 4
"""Maximum words of a text without quotes in which the first word may be a misspelled verb."""
_STATING = ("should", "must", "is")
_WORDS_READ, _SHORT = 8, 100
"""How often the rules may read each word, and the word count up to which any text may be parsed."""


@lru_cache(maxsize=256)
def parse(text: str) -> tuple[Command, ...] | Unparsed:
    """Parse a text as plain commands, in order, in English or else another language with tables; or say where
    and why it is none in English."""
    if len(text) > LONGEST_TEXT:
        return Unparsed(text, 0, f"longer than {LONGEST_TEXT} characters", GUIDE)
    try:
        found = _Reader(text, tokenize(text)).read()
    except Unclosed as error:
        return Unparsed(text, error.position, str(error), 'close it, or write the quote as \\"')
    except _TooMuch:
        return Unparsed(text, 0, "a command in it is too long", "put names and texts in quotes")
    return _parse_translation(found) if isinstance(found, Unparsed) else found


def _parse_translation(found: Unparsed) -> tuple[Command, ...] | Unparsed:
    """The commands of a text that is English in no way, by the first language that it can be read in."""
    from gui_agent.planners.commands._languages import translations

    for english in translations(found.text):
        if english != found.text and not isinstance(commands := parse(english), Unparsed):
            return commands
    return found


def parse_task(task: Task) -> tuple[Command, ...] | Unparsed:
    """Parse a task as plain commands, then bind its values: no value can add a command or end a quotation."""
    commands = parse(task.text)
    if isinstance(commands, Unparsed) or not task.values:
        return commands
    return tuple(as_address(with_values(command, task.values)) for command in commands)


class _TooMuch(Exception):
    """The rules have read more words than a text of that length may cost."""


class _Reader:
    """One sentence being parsed, with cached results for each position.

    Caching finds the end of each part once, and a limit bounds the total work. If each word may start a
    command that extends to the end of the text, the rules would read the square of its length.
    """

    def __init__(self, text: str, tokens: tuple[Token, ...]) -> None:
        self._text = text
        self._tokens = tokens
        self._tried: dict[int, tuple[tuple[Command, ...], int] | Fault] = {}
        self._left = _WORDS_READ * (len(tokens) + _SHORT)
        self._ends, self._begins = dict[int, int](), dict[int, int]()
        self._places = {token.start: at for at, token in enumerate(tokens)}
        self._joints = [at for at, token in enumerate(tokens) if token.joins]
        self._parts = [at for at in self._joints if tokens[at].parts]
        self._marks = [at for at, token in enumerate(tokens) if token.text == ">"]
        self._states = [at for at, token in enumerate(tokens) if token.word in _STATING]

    def read(self) -> tuple[Command, ...] | Unparsed:
        commands: list[Command] = []
        for joint in reversed(self._joints):
            # Parse from the end backwards, so that the text after a joint never recurses deeply.
            if (after := self._skip_to_command(joint)) < len(self._tokens):
                self._read_at(after)
        at = self._skip_to_command(0)
        while at < len(self._tokens):
            found = self._read_at(at)
            if isinstance(found, Fault):
                return Unparsed(self._text, found.position, found.reason, found.hint or GUIDE)
            commands.extend(found[0])
            at = self._skip_to_command(found[1])
        if not commands:
            return Unparsed(self._text, 0, "there is no command here", GUIDE)
        return tuple(commands)

    def _skip_to_command(self, at: int) -> int:
        passed: list[int] = []
        while at < len(self._tokens) and at not in self._begins and (step := self._needless(at)):
            passed.append(at)
            at += step
        begin = self._begins.get(at, at)
        self._begins.update(dict.fromkeys(passed, begin))
        return begin

    def _needless(self, at: int) -> int:
        rest = self._span(at, len(self._tokens))
        filler = rest.begins(_FILLERS)
        if rest[0].joins or rest[0].word in ("-", "*", "•"):
            return 1
        if filler and not isinstance(self._read_at(at), Fault):
            return 0
        if filler and len(rest) > filler and not rest[filler].parts:
            return filler
        return 1 if self._is_numbered(at) else 0

    def _is_numbered(self, at: int) -> bool:
        token = self._tokens[at]
        following = self._tokens[at + 1 : at + 2]
        number = token.text.rstrip(")")
        return (
            token.kind == "word"
            and number.isdecimal()
            and (token.text.endswith(")") or (bool(following) and following[0].kind == "stop"))
        )

    def _read_at(self, start: int) -> tuple[tuple[Command, ...], int] | Fault:
        if start not in self._tried:
            self._tried[start] = self._try(start)
        return self._tried[start]

    def _try(self, start: int) -> tuple[tuple[Command, ...], int] | Fault:
        try:
            if (bare := self._without_verb(start)) is not None:
                return bare
        except Fault as fault:
            return fault
        entries = RULES.get(self._tokens[start].word, [])
        everything = self._span(start, len(self._tokens))
        best: Fault | None = None
        for phrase, rule in entries:
            length = everything.starts_with(phrase)
            if not length or (phrase in ON_BUTTONS and self._in_a_name(start)):
                continue
            end = self._end(start + length, rule)
            try:
                result = rule(self._span_said(start + length, end))
            except Fault as fault:
                best = fault if best is None or fault.position > best.position else best
                continue
            again, end = self._and_so_on(rule, start + length, end)
            return (*result, *again), end
        stated = self._read_statement(start) if best is None else None
        if stated is None and best is None and everything.begins(_PLACES):
            stated = self._read_fronted(start)
        return stated or self._explain(best, start)

    def _without_verb(self, start: int) -> tuple[tuple[Command, ...], int] | None:
        """`File > Open` alone chooses from menus; `Name: Ann` fills in a field."""
        said = self._span(start, self._first(self._joints, start))
        possible = range(1, min(len(said), _LONGEST_LABEL))
        label = next((n for n in possible if self._text[said[n - 1].end :][:1] == ":"), 0)
        if label and said.text[:1].isupper() and isinstance(self._read_at(start + label), Fault):
            end = self._end(start + label, None)
            value = self._span_said(start + label, end).without_joints()
            text = value.as_value()
            with contextlib.suppress(Fault):
                plain_name(value)  # refuses several quoted texts; a value keeps its article
                return (Put(text, Words(plain_name(said.cut(0, label)))),), end
        mark = self._first(self._marks, start) - start
        if mark >= len(said) or (mark > 1 and said[0].word in RULES):
            return None
        with contextlib.suppress(Fault):
            path = pointer.menu_path(said)
            return (pointer.unfold_path(path), start + len(said)) if len(path) > 1 else None
        return None

    def _first(self, places: Sequence[int], start: int) -> int:
        at = bisect_left(places, start)
        return places[at] if at < len(places) else len(self._tokens)

    def _read_statement(self, start: int) -> tuple[tuple[Command, ...], int] | None:
        """`the country should be Canada` and `my name is Ada` set a field."""
        end = self._end(start, None)
        if self._first(self._states, start) >= end:
            return None
        said = self._span_said(start, end)
        own = ("is",) if said[0].word == "my" else ()
        halves = said.split(("should be", "must be")) or said.split(own)
        with contextlib.suppress(Fault):
            return (inputs.set_to(*halves), end) if halves is not None else None
        return None

    def _spend(self, words: int) -> None:
        self._left -= max(words, 0)
        if self._left < 0:
            raise _TooMuch

    def _span_said(self, start: int, end: int) -> Span:
        self._spend(end - start)
        span = self._span(start, max(end, start)).without_joints()
        bare = span.part_before(_FAREWELLS)
        return bare if len(bare) else span

    def _in_a_name(self, start: int) -> bool:
        """Whether a capital word after `and` or a comma belongs to a name, as in Save and Close."""
        before = self._tokens[start - 1].kind if start else ""
        return before in ("comma", "and") and self._tokens[start].text[0].isupper()

    def _and_so_on(self, rule: Rule, start: int, end: int) -> tuple[tuple[Command, ...], int]:
        """Further objects of the same verb: `set A to 1, B to 2`, `click A, then B`."""
        begin = self._skip_to_command(end)
        if begin >= len(self._tokens) or begin == end or not isinstance(self._read_at(begin), Fault):
            return (), end
        between = self._tokens[end:begin]
        then = any(token.parts for token in between)
        named = self._tokens[begin].kind == "quoted" or self._tokens[begin].text[0].isupper()
        listed = any(token.text in ("\n", ";") for token in between)
        if then and (listed or not named or rule is not RULES["click"][0][1]):
            return (), end
        if not then and not self._says_as_much(rule, start, end, begin):
            return (), end
        joint = self._end(begin, rule)
        try:
            more = rule(self._span_said(begin, joint))
        except Fault:
            return (), end
        again, joint = self._and_so_on(rule, begin, joint)
        return (*more, *again), joint

    def _says_as_much(self, rule: Rule, start: int, end: int, begin: int) -> bool:
        """Whether the text at `begin` is a value and its place too; a third one or a command ends it."""
        if rule not in PAIRED:
            return False
        ends = self._first(self._joints, begin), self._end(begin, None)
        seconds = [self._span_said(begin, end) for end in ends]
        if all(one.split((joint,)) is None for one, joint in product(seconds, _JOINING)):
            return False
        first = self._span_said(start, end)
        for joint in _JOINING:
            if first.split((joint,), last=True) is not None:
                self._spend(2 * len(first))
                joined = [one for one in seconds if one.split((joint,)) is not None]
                return _is_said(rule, first) and any(_is_said(rule, one) for one in joined)
        return False

    def _read_fronted(self, start: int) -> tuple[tuple[Command, ...], int] | None:
        """`in the row of Ada, click Edit` as `click Edit in the row of Ada`."""
        for at in range(start + 2, min(start + _LONGEST_PLACE, len(self._tokens))):
            if not self._tokens[at].joins and self._tokens[at].word in RULES:
                end = self._end(at, None)
                turned = (self._span_said(at, end), self._span_said(start, at).without_joints())
                found = parse(" ".join(self._text[said[0].start : said[-1].end] for said in turned))
                if not isinstance(found, Unparsed):
                    return found, end
        return None

    def _explain(self, fault: Fault | None, start: int) -> Fault:
        if fault is not None:
            inner = self._tried.get(self._places.get(fault.position, start))
            if isinstance(inner, Fault) and "not a plain command" not in inner.reason:
                return inner
            return fault
        said = self._span(start, self._first(self._parts, start)).without_joints()
        reason = f"'{self._text[said.position : said[-1].end]}' is not a plain command"
        # A long sentence without quotes is a wish, and no command with a misspelled verb.
        is_short = len(said) <= _SHORT_COMMAND or '"' in self._text[said.position : said[-1].end]
        return Fault(said.position, reason, similar_verb(said[0].word) if is_short else "")

    def _end(self, start: int, rule: Rule | None) -> int:
        """The end of the command that starts at `start`; its `rule` may continue it with another value."""
        passed: list[int] = []
        at = self._first(self._joints, start)
        while at < len(self._tokens) and not self._ends_at(at):
            if rule in PAIRED and self._says_as_much(rule, start, at, self._skip_to_command(at)):
                return at
            if rule not in PAIRED and at in self._ends:
                at = self._ends[at]
                break
            passed.append(at)
            at = self._first(self._joints, at + 1)
        self._ends.update(dict.fromkeys(passed, at))
        return at

    def _ends_at(self, joint: int) -> bool:
        after = self._skip_to_command(joint)
        apart = self._first(self._parts, joint) < max(after, joint + 1)
        return apart or after >= len(self._tokens) or not isinstance(self._read_at(after), Fault)

    def _span(self, start: int, stop: int) -> Span:
        return Span(self._text, self._tokens, start, stop)


def _is_said(rule: Rule, said: Span) -> bool:
    with contextlib.suppress(Fault):
        return bool(rule(said))
    return False
