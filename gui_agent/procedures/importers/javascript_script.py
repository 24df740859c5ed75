"""Reading a recorded JavaScript or TypeScript script: a small parser for chains of calls with literals.

It understands what recorders write. Any other statement is handed on as text, to be reported.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Any

from gui_agent.procedures.importers.script import (
    Chain,
    Pattern,
    ScriptCall,
    ScriptExpression,
    Statement,
    snake,
)

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<text>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`)"
    r"|(?P<number>-?\d+(?:\.\d+)?)"
    r"|(?P<regex>/(?![/*\s])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<mark>=>|.)",
    re.DOTALL,
)
_DIALOG = re.compile(
    r"\b(\w+)\.on(?:ce)?\(\s*(['\"])dialog\2.{0,200}?\.(accept|dismiss)\(.{0,80}?\n\s*\}\);?", re.DOTALL
)
"""The function that answers a dialog, as the recorder writes it."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_OPENING = re.compile(
    r"^(?:import\b|(?:const|let|var)\s*\{.*require\(|test\.use\(|test(?:\.describe|\.only)?\(|\(async\b"
    r"|describe\(|[})\];]+\s*(?:\(\))?$|export\b)",
    re.DOTALL,
)


def read_javascript(text: str) -> list[Statement]:
    """The statements of a script in order, those inside the test function too; wrappers are passed over."""
    found: list[Statement] = []
    text = _DIALOG.sub(lambda one: f"{one[1]}.once('dialog', '{one[3]}');" + "\n" * one[0].count("\n"), text)
    for line, source in _split(text):
        if _OPENING.match(source):
            continue
        body = re.sub(r"^(?:const|let|var)\s+", "", source)
        given = re.match(r"(?P<name>[\w$]+)\s*=\s*(?!=)", body)
        gives = given["name"] if given else ""
        expression = body[given.end() :] if given else body
        found.append(Statement(line, source, _Reader(expression).whole(), gives))
    return found


def _split(text: str) -> list[tuple[int, str]]:
    """Statements with the line they begin on: cut at `;` outside brackets, and at the `{` of a function."""
    pieces: list[tuple[int, str]] = []
    start, depth = 0, 0
    arrow = False
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        if mark in ("(", "["):
            depth += 1
        elif mark in (")", "]"):
            depth -= 1
        cut = mark == ";" and depth <= 0
        if mark == "{" and arrow:
            cut, depth = True, 0
        if mark == "}" and depth <= 0:
            cut = True
        if mark == "{" and not arrow:
            depth += 1
        elif mark == "}" and depth > 0:
            depth -= 1
        if not token["space"]:
            arrow = mark == "=>"
        if cut:
            pieces.append((start, text[start : token.end()]))
            start, depth = token.end(), 0
    pieces.append((start, text[start:]))
    breaks = [found.start() for found in re.finditer("\n", text)]
    return [_placed(breaks, offset, piece) for offset, piece in pieces if piece.strip(" \t\r\n;")]


def _placed(breaks: list[int], offset: int, piece: str) -> tuple[int, str]:
    bare = re.sub(r"^(?:\s+|//[^\n]*\n|/\*.*?\*/)+", "", piece, flags=re.DOTALL)
    offset += len(piece) - len(bare)
    return bisect_left(breaks, offset) + 1, bare.strip().rstrip(";").strip()


class _NotUnderstood(Exception):
    """The text is not a chain of calls with literals."""


class _Reader:
    """A recursive descent parser over the tokens of one expression."""

    def __init__(self, text: str) -> None:
        self._tokens = [token for token in _TOKEN.finditer(text) if not token["space"]]
        self._text = text
        self._at = 0

    def whole(self) -> Chain | None:
        """The expression as a chain; None when it is something else."""
        try:
            chain = self._chain()
        except _NotUnderstood:
            return None
        return chain if self._at == len(self._tokens) else None

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _take(self, wanted: str = "") -> re.Match[str]:
        if self._at >= len(self._tokens) or (wanted and self._peek() != wanted):
            raise _NotUnderstood
        self._at += 1
        return self._tokens[self._at - 1]

    def _name(self) -> str:
        token = self._take()
        if not token["name"]:
            raise _NotUnderstood
        return token[0]

    def _chain(self) -> Chain:
        if self._peek() == "await":
            self._take()
        first = self._name()
        calls: list[ScriptCall] = []
        root = first
        if self._peek() == "(":
            calls.append(self._call(first))
            root = ""
        while self._peek() == ".":
            self._take()
            name = self._name()
            calls.append(self._call(name) if self._peek() == "(" else ScriptCall(snake(name)))
        return Chain(root, tuple(calls))

    def _call(self, name: str) -> ScriptCall:
        args = self._list("(", ")")
        options = args.pop() if args and isinstance(args[-1], dict) else {}
        return ScriptCall(snake(name), tuple(args), {snake(key): value for key, value in options.items()})

    def _list(self, opening: str, closing: str) -> list[Any]:
        self._take(opening)
        items: list[Any] = []
        while self._peek() != closing:
            items.append(self._value())
            if self._peek() != closing:
                self._take(",")
        self._take(closing)
        return items

    def _value(self) -> Any:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        if token is None:
            raise _NotUnderstood
        if token["text"]:
            self._take()
            computed = token[0].startswith("`") and "${" in token[0]
            return ScriptExpression(token[0]) if computed else _unescaped(token[0][1:-1])
        if token["number"]:
            self._take()
            return float(token[0]) if "." in token[0] else int(token[0])
        if token["regex"]:
            self._take()
            return Pattern(token[0][1 : token[0].rindex("/")])
        if token[0] == "[":
            return self._list("[", "]")
        if token[0] == "{":
            return self._object()
        if token[0] in ("true", "false", "null", "undefined"):
            self._take()
            return {"true": True, "false": False}.get(token[0])
        return self._chain()

    def _object(self) -> dict[str, Any]:
        self._take("{")
        found: dict[str, Any] = {}
        while self._peek() != "}":
            token = self._take()
            key = _unescaped(token[0][1:-1]) if token["text"] else token[0]
            self._take(":")
            found[key] = self._value()
            if self._peek() != "}":
                self._take(",")
        self._take("}")
        return found


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "ux" and len(code) > 1:
            return chr(int(code[1:].strip("{}"), 16))
        return "" if code == "\n" else _ESCAPES.get(code, code)

    return re.sub(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", one, text, flags=re.DOTALL)
