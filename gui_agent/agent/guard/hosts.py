"""Hosts and ports of addresses, and the patterns by which rules and grants name them."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from unicodedata import normalize
from urllib.parse import urlsplit

from gui_agent.agent.guard.addresses import INVISIBLE, scheme_of

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

ANYWHERE = "*"
"""The pattern that every host matches."""
_PATTERN = re.compile(r"(?:\*|(?:\*\.|(?!\*))(?:(?:[\w*?-]+\.)*[\w-]+\.)?[\w-]+\.?)(?::(?:\d+|\*))?")


def host_of(url: str) -> str:
    """The host of an address, with or without a scheme; empty for files and invalid addresses."""
    plain = INVISIBLE.sub("", url).replace("\\", "/")
    if not scheme_of(plain) and not plain.startswith("//"):
        plain = "//" + plain
    try:
        return (urlsplit(plain).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def origin_fits(url: str, patterns: Sequence[str]) -> bool:
    """Whether an address is on one of these hosts.

    `*.example.org` matches the subdomains and `example.org` itself; a pattern with a port matches only that
    port. A host may be written in its own letters or as browsers encode them (`xn--`).
    """
    place = f"{_in_letters(host_of(url))}:{port_of(url)}"
    return any(re.fullmatch(_expression(pattern.lower()), place) for pattern in patterns)


def _expression(pattern: str) -> str:
    """A host pattern as a regular expression; no wildcard but a leading `*.` crosses a dot."""
    name, colon, port = pattern.rpartition(":")
    host = _in_letters((name if colon else pattern).rstrip("."))
    inner = re.escape(host.removeprefix("*.")).replace(r"\*", "[^.:]*").replace(r"\?", "[^.:]")
    ahead = r"(?:.+\.)?" if host.startswith("*.") else ""
    return f"{'.*' if host == ANYWHERE else ahead + inner}:{port.replace('*', '.*') if colon else '.*'}"


def _in_letters(host: str) -> str:
    """A host with the letters that its `xn--` parts encode."""
    return ".".join(map(_label_in_letters, normalize("NFC", host).split(".")))


def _label_in_letters(label: str) -> str:
    with suppress(UnicodeError):
        return label.removeprefix("xn--").encode().decode("punycode") if label.startswith("xn--") else label
    return label


def name_fits(name: str, pattern: str) -> bool:
    """Whether the name of a program matches a pattern, ignoring case."""
    return fnmatch.fnmatchcase(name.casefold(), pattern.casefold())


def port_of(url: str) -> str:
    """The port of an address, by default that of its scheme."""
    try:
        port = urlsplit(url if "//" in url else f"//{url}").port
    except ValueError:
        return ""
    return str(port or _usual_port(url))


def _usual_port(url: str) -> str:
    return {"http": "80", "https": "443"}.get(scheme_of(url), "")


def netloc_of(url: str) -> str:
    """The host of an address, with its port if that is not the default of its scheme."""
    host, port = host_of(url), port_of(url)
    return f"{host}:{port}" if host and port and port != _usual_port(url) else host


def is_same_site(url: str, page: str) -> bool:
    """Whether an address has the scheme, port and registrable domain of a page; https may replace http."""
    host, other = host_of(url), host_of(page)
    ways = [(scheme_of(one), port_of(one)) for one in (url, page)]
    if not host or (ways[0] != ways[1] and ways != [("https", "443"), ("http", "80")]):
        return False
    return host == other or (_registrable(host) == _registrable(other) != "")


@lru_cache(maxsize=512)
def _registrable(host: str) -> str:
    """The part of a host that one owner registers, by the public suffix list; empty for numbers."""
    return "" if host.rpartition(".")[2].isdecimal() or ":" in host else _suffixes().privatesuffix(host) or ""


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


def is_host_pattern(pattern: str) -> bool:
    """Whether a pattern can match, and only hosts of one owner: its last two parts are whole."""
    return _PATTERN.fullmatch(pattern) is not None
