"""Reads the body of a request, in the forms in which programs send: fields and named operations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_string
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl
from xml.etree import ElementTree

FIELDS, DEPTH, LONGEST = 4_000, 30, 2_000_000
"""Limits on reading: number of fields, depth of nesting, characters; what goes beyond is not read whole."""
_GUARDED = re.compile(r"^(?:\ufeff|\)\]\}'?,?|while\s*\(1\);?|for\s*\(;;\);?|\s)+")
"""What programs write before JSON so that it is no script."""
_URLENCODED = re.compile(r"[^\s=]+=")
_BOUNDARY = re.compile(r"^--(\S+)\s*$", re.M)
_LINES = re.compile(r"[\r\n]+")
_SAID = re.compile(r'"""(?:\\"""|[^"]|"(?!""))*"""|"(?:\\.|[^"\\\n])*"|#[^\n\r]*')
"""Texts and comments of GraphQL."""
_GIVEN = re.compile(r"\([^()]*\)|@[A-Za-z_0-9]+|[A-Za-z_0-9]+[\s,]*:")
"""Arguments, directives and aliases of GraphQL."""
_TOKENS = re.compile(r"(?:\.{3}[\s,]*(?:on\s+[A-Za-z_0-9]+)?[\s,]*)?\{|}|[A-Za-z_0-9]+")
_NAMED = re.compile(r"[\s,\ufeffA-Za-z_0-9{}.]*")
_KINDS = frozenset({"query", "mutation", "subscription", "fragment"})


@dataclass(eq=False)
class RequestBody:
    """What a body holds."""

    fields: list[tuple[str, str]] = field(default_factory=list)
    """Paths of names, separated by dots, and values."""
    mutations: list[str] = field(default_factory=list)
    """The fields that GraphQL mutations call."""
    queries: int = 0
    """How many GraphQL operations only read."""
    is_whole: bool = True
    """Whether all of it was understood."""

    def read(self, text: str, path: str = "", depth: int = DEPTH) -> None:
        """Add what a text holds, in whatever form it is written."""
        plain = _GUARDED.sub("", text[:LONGEST]).rstrip()
        self.is_whole &= len(text) <= LONGEST
        if plain.startswith(("{", "[")):
            self._add_json(plain, path, depth)
        elif plain.startswith("<"):
            self._add_xml(plain, depth)
        elif "form-data" in plain:
            self._add_parts(plain, depth)
        elif not path and _URLENCODED.match(plain):
            # Lines are the fields of a form that is sent as plain text.
            for key, value in parse_qsl(_LINES.sub("&", plain), keep_blank_values=True):
                self.read_value(value, key, depth)
        elif plain:
            self._add(path, plain)

    def _add(self, path: str, value: str) -> None:
        if len(self.fields) < FIELDS:
            self.fields.append((path, value))
        else:
            self.is_whole = False

    def read_value(self, value: str, path: str, depth: int) -> None:
        """Add a value, and what is written in it, such as JSON or a GraphQL document."""
        self._add(path, value)
        if "{" in value and (operations := graphql_operations(value)):
            changes = any(kind == "mutation" for kind, _ in operations)
            self.mutations += chain.from_iterable(names for _, names in operations if changes)
            self.queries += not changes
        elif depth and value.lstrip().startswith(("{", "[", "<")):
            self.read(value, path, depth - 1)

    def _add_json(self, plain: str, path: str, depth: int) -> None:
        try:
            # Names may come twice, and numbers may be too long to count with.
            value = json.loads(plain, object_pairs_hook=tuple, parse_int=str, parse_float=str)
        except RecursionError:
            self.is_whole = False
        except ValueError:
            lines = plain.split("\n")
            if len(lines) > 1:  # a value a line
                for line in lines:
                    self.read(line, path, depth)
            else:
                self._add(path, plain)
                self.is_whole &= bool(path)
        else:
            self._flatten(value, path, depth)

    def _flatten(self, value: Any, path: str, depth: int) -> None:
        if not isinstance(value, tuple | list):
            said = json.dumps(value) if isinstance(value, bool) else str(value or "")
            self.read_value(said, path, depth)
        elif not depth or len(self.fields) >= FIELDS:
            self.is_whole = False
        else:
            for key, one in value if isinstance(value, tuple) else enumerate(value):
                self._flatten(one, f"{path}.{key}" if path else str(key), depth - 1)

    def _add_xml(self, plain: str, depth: int) -> None:
        try:
            root = ElementTree.fromstring(plain)
        except (ElementTree.ParseError, ValueError):
            self._add("", plain)
            self.is_whole = False
            return
        for around in root.iter():
            for one in around:
                name, inside = one.tag.rpartition("}")[2], around.tag.rpartition("}")[2]
                self.read_value((one.text or "").strip(), name, depth)
                if inside == "Body":  # a call of SOAP is named by its element
                    self._add("action", name)

    def _add_parts(self, plain: str, depth: int) -> None:
        boundary = "".join(_BOUNDARY.findall(plain)[:1])
        message = message_from_string(f'Content-Type: multipart/form-data; boundary="{boundary}"\n\n{plain}')
        self.is_whole &= message.is_multipart()
        for part in message.walk():
            if not part.is_multipart():
                name = str(part.get_param("name", "", "content-disposition"))
                self.read_value(part.get_filename() or str(part.get_payload()).strip("\r\n"), name, depth)


def graphql_operations(document: str) -> list[tuple[str, list[str]]]:
    """Each definition of a GraphQL document: its kind, and the names at its top; empty if it is none."""
    plain = _GIVEN.sub(" ", _SAID.sub(" ", document))
    found, names, level = list[tuple[str, list[str]]](), list[str](), 0
    for level, token in _levels(plain):
        if level > 1:
            continue
        if token != "}":
            names.append(token)
        elif not level:
            head, _, called = " ".join(names).partition("{")
            found.append(((head.split() or ["query"])[0], called.split()))
            names = []
    whole = _NAMED.fullmatch(plain) and not level and not names
    return found if whole and all(kind in _KINDS and called for kind, called in found) else []


def _levels(plain: str) -> Iterator[tuple[int, str]]:
    """The words and braces of a document and how deep they are; what inline fragments hold is not deeper."""
    inside = ""
    for token in _TOKENS.findall(plain):
        if token[-1] == "{":
            inside += token[0]
            if inside == "{":
                yield 1, token
            elif len(inside) > DEPTH:
                return
        else:
            inside = inside[: -1 if token == "}" else None]
            yield inside.count("{"), token
