"""Unquoted names and values of a command, which may be the wording of something learned."""

from __future__ import annotations

import re

from gui_agent.planners.commands.commands import Unparsed
from gui_agent.planners.commands.lexer import tokenize
from gui_agent.planners.commands.parser import parse
from gui_agent.planners.commands.unparse import say

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
