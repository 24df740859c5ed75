"""The grammar of plain commands: which verb is parsed by which rule, and where a command ends.

A sentence is a chain of commands. Between two of them stands a joint: a comma, "and", a full stop, or one
that always parts them: "then", a semicolon, a new line. After a comma, "and" or a full stop a new command
begins only when what follows can be read as one, so that `click Terms and Conditions` stays one click.
"""

from __future__ import annotations

import re
from functools import lru_cache

from gui_agent.core.texts import nearest
from gui_agent.planners.commands import rules_assert as stating
from gui_agent.planners.commands import rules_input as filling
from gui_agent.planners.commands import rules_navigation as going
from gui_agent.planners.commands import rules_pointer as pointing
from gui_agent.planners.commands.commands import Command, Unparsed
from gui_agent.planners.commands.lexer import Fault, Span, Token, Unclosed, tokenize
from gui_agent.planners.commands.rules_pointer import Rule, click
from gui_agent.planners.commands.unparse import say

GUIDE = "see docs/commands.md for what plain commands can say"
LONGEST_TEXT = 20_000
"""Characters; a longer text is a document, not commands."""
_FILLERS = (
    "please",
    "now",
    "next",
    "finally",
    "also",
    "first",
    "afterwards",
    "lastly",
    "after that",
    "you should",
)

_VERBS: dict[str, Rule] = {
    "click|click on|click at|left click|left-click|tap|tap on|push|select the button": click(),
    "press|hit|press on|use": going.press,
    "double click|double-click|doubleclick|double click on|double-click on|double tap|double-tap": click(
        clicks=2
    ),
    "triple click|triple-click|triple click on|triple-click on": click(clicks=3),
    "right click|right-click|right click on|right-click on": click("right"),
    "middle click|middle-click|middle click on|middle-click on": click("middle"),
    "ctrl click|ctrl-click|ctrl+click|control click|control-click|ctrl-click on": click(modifiers=("ctrl",)),
    "shift click|shift-click|shift+click|shift-click on": click(modifiers=("shift",)),
    "alt click|alt-click|alt+click|alt-click on": click(modifiers=("alt",)),
    "unfold|expand": pointing.unfold,
    "long press|long-press|long press on|press and hold": pointing.long_press,
    "hover|hover over|hover on|point at|point to|move the mouse to|move the mouse over|move the pointer to"
    "|mouse over|move to": pointing.hover,
    "type|write|type in|write in": filling.type_text,
    "enter|put|input": filling.put,
    "append|add": filling.append,
    "clear|empty": filling.clear,
    "fill|fill in|fill out": filling.fill,
    "set|change": filling.assign,
    "choose|select|pick": filling.choose,
    "check": stating.check,
    "tick|mark|enable|select the checkbox|select the checkboxes": filling.check(True),
    "untick|uncheck|unmark|deselect|unselect|disable": filling.check(False),
    "switch|turn": filling.switch,
    "upload|attach": filling.upload,
    "scroll": pointing.scroll,
    "drag|drag and drop|drag-and-drop": pointing.drag,
    "swipe": pointing.swipe,
    "go to|navigate to|visit|browse to|goto": going.go_to,
    "open|launch|start": going.open_,
    "go back|navigate back": going.back,
    "go forward": going.forward,
    "reload|refresh": going.reload,
    "switch to|change to": going.switch_to,
    "close": going.close,
    "quit|exit": going.quit_,
    "maximise|maximize": going.arrange("meta", "up"),
    "unmaximise|unmaximize|restore the window|restore window": going.arrange("meta", "down"),
    "hold": going.hold,
    "wait": going.wait,
    "read|get|note|note down|extract": stating.read,
    "copy": stating.copy,
    "expect|verify|make sure|assert|ensure|confirm that": stating.verify,
}


def _table() -> dict[str, list[tuple[str, Rule]]]:
    """Verb phrases by their first word, longest first."""
    table: dict[str, list[tuple[str, Rule]]] = {}
    for phrases, rule in _VERBS.items():
        for phrase in phrases.split("|"):
            table.setdefault(phrase.split()[0], []).append((phrase, rule))
    for entries in table.values():
        entries.sort(key=lambda entry: -len(entry[0].split()))
    return table


_TABLE = _table()


@lru_cache(maxsize=256)
def parse(text: str) -> tuple[Command, ...] | Unparsed:
    """Read a text as plain commands, in order; or say where it stops being plain commands, and why."""
    if len(text) > LONGEST_TEXT:
        return Unparsed(text, 0, f"longer than {LONGEST_TEXT} characters", GUIDE)
    try:
        tokens = tokenize(text)
    except Unclosed as error:
        return Unparsed(text, error.position, str(error), 'close it, or write the quote as \\"')
    return _Reader(text, tokens).read()


def _similar_verb(word: str) -> str:
    """A question when the word looks like a slip of the fingers on a verb, else an empty text."""
    close = nearest(word, _TABLE, 0.75) if len(word) > 3 else ""
    return f"did you mean '{close}'?" if close not in ("", word) else ""


class _Reader:
    """One sentence being read; remembers what was already tried at each place."""

    def __init__(self, text: str, tokens: tuple[Token, ...]) -> None:
        self._text = text
        self._tokens = tokens
        self._tried: dict[int, tuple[tuple[Command, ...], int] | Fault] = {}

    def read(self) -> tuple[Command, ...] | Unparsed:
        commands: list[Command] = []
        for start in reversed(range(len(self._tokens))):
            # From the end backwards, so that trying what follows a joint never recurses deeply.
            if not self._tokens[start].joins:
                self._at(start)
        at = self._skip(0)
        while at < len(self._tokens):
            found = self._at(at)
            if isinstance(found, Fault):
                return Unparsed(self._text, found.position, found.reason, found.hint or GUIDE)
            commands.extend(found[0])
            at = self._skip(found[1])
        if not commands:
            return Unparsed(self._text, 0, "there is no command here", GUIDE)
        return tuple(commands)

    def _skip(self, at: int) -> int:
        """Past joints, polite words and list numbers to where a command may start."""
        while at < len(self._tokens):
            rest = self._span(at, len(self._tokens))
            filler = rest.begins(_FILLERS)
            if rest[0].joins or (rest[0].kind == "word" and rest[0].text in ("-", "*", "•")):
                at += 1
            elif filler and len(rest) > filler and not rest[filler].parts:
                at += filler
            elif self._numbered(at):
                at += 1
            else:
                break
        return at

    def _numbered(self, at: int) -> bool:
        token = self._tokens[at]
        following = self._tokens[at + 1] if at + 1 < len(self._tokens) else None
        stop = following is not None and following.kind == "stop"
        number = token.text.rstrip(")")
        return token.kind == "word" and number.isdigit() and (stop or token.text.endswith(")"))

    def _at(self, start: int) -> tuple[tuple[Command, ...], int] | Fault:
        """The command or commands of one verb at a token, and the token behind them."""
        if start not in self._tried:
            self._tried[start] = self._try(start)
        return self._tried[start]

    def _try(self, start: int) -> tuple[tuple[Command, ...], int] | Fault:
        entries = _TABLE.get(self._tokens[start].word, [])
        everything = self._span(start, len(self._tokens))
        best: Fault | None = None
        end = 0
        for phrase, rule in entries:
            length = everything.starts_with(phrase)
            if not length:
                continue
            end = end or self._end(start + length)
            result = rule(self._span(start + length, max(end, start + length)).trimmed())
            if not isinstance(result, Fault):
                return result, end
            best = result if best is None or result.position > best.position else best
        return self._explain(best, start)

    def _explain(self, fault: Fault | None, start: int) -> Fault:
        if fault is not None:
            inner = next(
                (t for i, t in self._tried.items() if self._tokens[i].start == fault.position and i > start),
                None,
            )
            known = isinstance(inner, Fault) and "not a plain command" not in inner.reason
            return inner if known and isinstance(inner, Fault) else fault
        stop = next((i for i in range(start, len(self._tokens)) if self._tokens[i].parts), len(self._tokens))
        said = self._span(start, stop).trimmed()
        reason = f"'{self._text[said.position : said[-1].end]}' is not a plain command"
        return Fault(said.position, reason, _similar_verb(said[0].word))

    def _end(self, start: int) -> int:
        """Where the command whose words begin at `start` ends."""
        for index in range(start, len(self._tokens)):
            token = self._tokens[index]
            if token.parts:
                return index
            if token.joins:
                after = self._skip(index)
                if after >= len(self._tokens):
                    return index
                if any(t.parts for t in self._tokens[index:after]):
                    return index
                if not isinstance(self._at(after), Fault):
                    return index
        return len(self._tokens)

    def _span(self, start: int, stop: int) -> Span:
        return Span(self._text, self._tokens, start, stop)


_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def bare_names(text: str) -> tuple[str, ...]:
    """What the only command of a text takes for names and values though they are not in quotes.

    None when the text is no plain command, or several.
    """
    commands = parse(text)
    if isinstance(commands, Unparsed) or len(commands) != 1:
        return ()
    in_quotes = {token.text for token in tokenize(text) if token.kind == "quoted"}
    # The standard wording puts in quotes what the screen has to tell or is given as a value.
    return tuple(name for name in _QUOTED.findall(say(commands[0])) if name not in in_quotes)
