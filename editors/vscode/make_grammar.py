"""Writes the highlighting of plain commands from the verbs and nouns that the parser knows.

Run it with `python editors/vscode/make_grammar.py` after a change of either; a test compares them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gui_agent.elements.roles import NOUNS
from gui_agent.planners.commands._verbs import RULES

FILE = Path(__file__).with_name("syntaxes") / "guiagent.tmLanguage.json"


def grammar() -> dict[str, Any]:
    """The TextMate grammar: verbs where a command begins, quoted names, values in braces, roles."""
    verbs = any_of(phrase for entries in RULES.values() for phrase, _ in entries)
    nouns = any_of(NOUNS)
    rules = {
        "string.quoted.double.guiagent": r'"[^"\n]*"|“[^”\n]*”',
        "variable.parameter.guiagent": r"\{[\w.]+\}",
        "keyword.control.guiagent": rf"(?i)(?:^|(?<=[,;.])|(?<=\band)|(?<=\bthen))[ \t]*({verbs})\b",
        "entity.name.type.guiagent": rf"(?i)\b({nouns})\b",
    }
    patterns = [{"name": name, "match": match} for name, match in rules.items()]
    return {"name": "Plain commands", "scopeName": "source.guiagent", "patterns": patterns}


def any_of(phrases: Iterable[str]) -> str:
    """A pattern for one of the phrases, the longest first."""
    longest_first = sorted(set(phrases), key=lambda one: (-len(one), one))
    return "|".join(re.escape(one).replace(r"\ ", " ") for one in longest_first)


if __name__ == "__main__":
    FILE.write_text(json.dumps(grammar(), indent=2) + "\n", encoding="utf-8")
