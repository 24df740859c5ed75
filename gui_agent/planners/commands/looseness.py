"""How certain it is that a text which can be read as plain commands is meant so."""

from __future__ import annotations

import re

from gui_agent.elements.roles import word_set
from gui_agent.planners.commands.commands import Invoke, Unparsed
from gui_agent.planners.commands.lexer import tokenize
from gui_agent.planners.commands.parser import parse
from gui_agent.planners.commands.unparse import say

_ASKING = word_set("search look sort order filter what what's which how tell give take use move")


def is_everyday(text: str) -> bool:
    """Whether a plain command is only one reading of a text; something learned may be meant as well."""
    commands = parse(text)
    if isinstance(commands, Unparsed):
        return False
    # How a program asks for the name in `create the contact "Ada"` is a guess.
    guess = isinstance(commands[0], Invoke) and len(commands) > 1
    if not guess and in_quotes(text):
        return False
    invoked = any(isinstance(one, Invoke) for one in commands) or bool(_LABELLED.match(text))
    return invoked or text.split(maxsplit=1)[0].casefold() in _ASKING


_LABELLED = re.compile(r"\s*[^\s:]+(?: [^\s:]+){0,2}: ")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def bare_names(text: str) -> tuple[str, ...]:
    """What the only command of a text takes for names and values though they are not in quotes."""
    commands = parse(text)
    if isinstance(commands, Unparsed) or len(commands) != 1:
        return ()
    quoted = in_quotes(text)
    # The standard wording puts in quotes what the screen has to tell or is given as a value.
    return tuple(name for name in _QUOTED.findall(say(commands[0])) if name not in quoted)


def in_quotes(text: str) -> list[str]:
    """What stands in quotes in plain commands."""
    return [token.text for token in tokenize(text) if token.kind == "quoted"]
