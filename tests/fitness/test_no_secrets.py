"""No file of the project holds a key, a token or a private key, as far as their shapes tell."""

from __future__ import annotations

import math
import re
from collections import Counter

import pytest
from test_sources import ROOT, tracked

SHAPES = {
    "private key": re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{20}"),
    "AWS key": re.compile(r"A[KS]IA(?<=\b.{4})[0-9A-Z]{16}\b"),
    "GitHub token": re.compile(r"gh[pousr]_(?<=\b.{4})[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60}"),
    "provider key": re.compile(r"sk-(?<=\b.{3})(?:ant-|proj-)?[A-Za-z0-9_-]{32,}"),
    "Slack token": re.compile(r"xox[abprs]-(?<=\b.{5})[0-9A-Za-z-]{20,}"),
    "Google key": re.compile(r"AIza(?<=\b.{4})[0-9A-Za-z_-]{35}\b"),
    "JSON web token": re.compile(
        r"eyJ(?<=\b.{3})[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    ),
    "password in an address": re.compile(r"://[^\s/:@\"'{}<>$]+:[^\s/:@\"'{}<>$]{7,}@[a-z0-9]"),
}
"""They begin with letters and not with `\\b`: so the files of 17 MB are searched in a second."""
NAMED = re.compile(r"[:=]\s*[\"']([A-Za-z0-9+/=_-]{24,})[\"']")
NAME = re.compile(r"(?i)(?:secret|token|passw(?:or)?d|api_?key)[a-z_]*[\"']?\s*$")
RANDOM = 4.2
"""Bits for each character from which on a long value given to a name like these looks random."""


def found_in(text: str) -> list[str]:
    """What of a text looks like a secret."""
    found = [kind for kind, shape in SHAPES.items() if shape.search(text)]
    named = (at for at in NAMED.finditer(text) if NAME.search(text[max(0, at.start() - 60) : at.start()]))
    return found + ["random value" for at in named if _bits(at[1]) >= RANDOM]


def _bits(text: str) -> float:
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def test_no_tracked_file_holds_a_secret() -> None:
    told = {}
    for path in tracked():
        try:
            found = found_in(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue
        if found:
            told[str(path.relative_to(ROOT))] = found
    assert told == {}


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEpAIBAAKCAQEA7bq1",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp_" + "a1B2" * 9,
        "sk-ant-" + "a1B2c3D4" * 5,
        "postgres://ada:" + "correcthorse@db",
        'API_KEY = "' + "q8Zr1LmV0xT5bN2kYc7WdE4sHf9J" + '"',
    ],
)
def test_what_has_the_shape_of_a_secret_is_found(text: str) -> None:
    assert found_in(text)


@pytest.mark.parametrize(
    "text", ["http://127.0.0.1:9222/", 'token = "${secret:TOKEN}"', "sk-learn", "password: str"]
)
def test_what_only_speaks_of_one_is_not(text: str) -> None:
    assert not found_in(text)
