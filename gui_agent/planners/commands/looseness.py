"""Estimates whether a text that parses as plain commands was intended as such."""

from __future__ import annotations

import re

from gui_agent.elements.roles import word_set
from gui_agent.elements.words import SMALL_WORDS
from gui_agent.planners.commands.commands import Invoke, Unparsed
from gui_agent.planners.commands.lexer import tokenize
from gui_agent.planners.commands.parser import parse
from gui_agent.planners.commands.unparse import say

_ASKING = word_set("search look sort order filter what what's which how tell give take use move")


def is_everyday(text: str) -> bool:
    """Whether the text may be ordinary language instead, so that a learned procedure may match too."""
    commands = parse(text)
    if isinstance(commands, Unparsed):
        return False
    # The name in `create the contact "Ada"` depends on the program, and the command says nothing of the
    # contact in `delete the contact "Ada"`, so both are guesses.
    first = commands[0]
    guess = isinstance(first, Invoke) and (len(commands) > 1 or _is_called_more(text, say(first)))
    if not guess and in_quotes(text):
        return False
    invoked = any(isinstance(one, Invoke) for one in commands) or bool(_LABELLED.match(text))
    return invoked or text.split(maxsplit=1)[0].casefold() in _ASKING


def _is_called_more(text: str, command: str) -> bool:
    """Whether a name in quotes has a word before it of which the command says nothing: its kind of thing."""
    kinds = {word for word in _BEFORE_NAME.findall(text.casefold()) if word not in SMALL_WORDS}
    return not kinds <= {*command.casefold().split()}


_BEFORE_NAME = re.compile(r'(\w+) "')
_LABELLED = re.compile(r"\s*[^\s:]+(?: [^\s:]+){0,2}: ")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def bare_names(text: str) -> tuple[str, ...]:
    """The unquoted names and values of a text with a single command."""
    commands = parse(text)
    if isinstance(commands, Unparsed) or len(commands) != 1:
        return ()
    quoted = in_quotes(text)
    # The standard wording quotes all texts of the screen and all values.
    return tuple(name for name in _QUOTED.findall(say(commands[0])) if name not in quoted)


def in_quotes(text: str) -> list[str]:
    """The quoted texts in plain commands."""
    return [token.text for token in tokenize(text) if token.kind == "quoted"]
