"""Solves sums on the screen, and equations with one unknown letter to the first power."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|[A-Za-z]+|[-+*/()×÷−=])")
_LONGEST = 80
"""Maximum characters of an equation; a longer text is prose."""
_SIGNS = {"×": "*", "÷": "/", "−": "-"}
_TIMES = {**_SIGNS, "x": "*"}
_SUM = re.compile(r"^\W*(-?\d+(?:\.\d+)?)\s*([-+*/x×÷−])\s*(-?\d+(?:\.\d+)?)\s*(?:=\s*\??)?\s*$")


def result_of_sum(text: str) -> str | None:
    """The result of a sum such as `3 + 4 =`; None for anything else."""
    found = _SUM.match(text)
    if found is None:
        return None
    left, sign, right = float(found[1]), _TIMES.get(found[2], found[2]), float(found[3])
    if sign == "/":
        return f"{left / right:.10g}" if right else None
    whole = {"+": left + right, "-": left - right, "*": left * right}[sign]
    return f"{whole:.10g}"


class _Unreadable(Exception):
    """The text is no equation of this kind."""


@dataclass(frozen=True)
class _Linear:
    """`slope` times the unknown, plus `rest`."""

    slope: float
    rest: float

    def plus(self, other: _Linear, sign: int = 1) -> _Linear:
        return _Linear(self.slope + sign * other.slope, self.rest + sign * other.rest)

    def times(self, other: _Linear) -> _Linear:
        if self.slope and other.slope:
            raise _Unreadable
        return _Linear(self.slope * other.rest + other.slope * self.rest, self.rest * other.rest)

    def divided_by(self, other: _Linear) -> _Linear:
        if other.slope or not other.rest:
            raise _Unreadable
        return _Linear(self.slope / other.rest, self.rest / other.rest)


def solution(text: str) -> str | None:
    """The value of the letter in an equation; None for any other text, and if there is no single value."""
    left, equals, right = text.partition("=")
    if len(text) > _LONGEST or not equals or not left.strip() or not right.strip():
        return None
    try:
        reader = _Reader(left)
        one = reader.whole()
        other_reader = _Reader(right, reader.unknown)
        difference = one.plus(other_reader.whole(), -1)
    except _Unreadable:
        return None
    if not difference.slope or not (reader.unknown or other_reader.unknown):
        return None
    return f"{-difference.rest / difference.slope + 0.0:.10g}"


class _Reader:
    """Reads one side: sums of products of numbers, the unknown and brackets."""

    def __init__(self, text: str, unknown: str = "") -> None:
        self.unknown = unknown
        self._tokens: list[str] = []
        place = 0
        text = text.strip()
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                raise _Unreadable
            self._tokens.append(_SIGNS.get(found[1], found[1]))
            place = found.end()
        self._tokens.reverse()

    def whole(self) -> _Linear:
        """The whole text.

        Raises:
            _Unreadable: the text is something else.
        """
        value = self._sum()
        if self._tokens:
            raise _Unreadable
        return value

    def _sum(self) -> _Linear:
        value = self._product()
        while self._next in ("+", "-"):
            sign = 1 if self._tokens.pop() == "+" else -1
            value = value.plus(self._product(), sign)
        return value

    def _product(self) -> _Linear:
        value = self._factor()
        while self._next and self._next not in ("+", "-", ")"):
            if self._next == "/":
                self._tokens.pop()
                value = value.divided_by(self._factor())
                continue
            if self._next == "*":
                self._tokens.pop()
            value = value.times(self._factor())
        return value

    def _factor(self) -> _Linear:
        token = self._tokens.pop() if self._tokens else ""
        if token == "-":
            return self._factor().times(_Linear(0, -1))
        if token == "(":
            value = self._sum()
            if self._next != ")":
                raise _Unreadable
            self._tokens.pop()
            return value
        if token.isalpha():
            return self._letter(token)
        if not token[:1].isdecimal():
            raise _Unreadable
        return _Linear(0, float(token))

    def _letter(self, token: str) -> _Linear:
        if len(token) > 1 or self.unknown not in ("", token):
            raise _Unreadable
        self.unknown = token
        return _Linear(1, 0)

    @property
    def _next(self) -> str:
        return self._tokens[-1] if self._tokens else ""
