"""Hosts and ports of addresses, and the patterns by which rules and grants name them."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from contextlib import suppress
from unicodedata import normalize
from urllib.parse import urlsplit

from gui_agent.agent.guard.addresses import INVISIBLE, scheme_of

ANYWHERE = "*"
"""The pattern that every host matches."""


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


def pattern_fault(pattern: str) -> str:
    """Why a host pattern can never match, in a sentence; empty when it can."""
    name, colon, port = pattern.rpartition(":")
    host = name if colon else pattern
    if "/" in pattern or "@" in pattern or " " in pattern:
        return "write the host alone, without scheme, path or user, such as *.example.org"
    if colon and not port.isdecimal() and port != "*":
        return f'"{port}" is not a port number'
    if host.startswith(".") or ".." in host:
        return "for all subdomains write *.example.org"
    inner = host.removeprefix("*.") if host != ANYWHERE else ""
    if host.startswith("*") and inner == host:
        return f'it would match other hosts with the same ending; write "*.{host.lstrip("*.")}"'
    if re.search(r"[*?][^.]*(\.[^.]*)?$", inner.rstrip(".")):
        return "it would match hosts of other people; its last two parts must be whole, as in *.example.org"
    return "it is not a host name" if not re.fullmatch(r"\*|(\*\.)?[\w*?-]+(\.[\w*?-]+)*\.?", host) else ""
