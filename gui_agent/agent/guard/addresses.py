"""Judging addresses and files: where a link leads, and whether a file may leave this machine."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

_INVISIBLE = re.compile(r"[\x00-\x20\x7f]")
SCRIPTS = ("javascript", "vbscript", "data")
"""Schemes that carry code in the address itself."""
SHOWN = ("", "http", "https", "file", "ftp", "about", "blob", *SCRIPTS)
"""Schemes that browsers themselves show, or refuse."""
INTERNAL = ("chrome", "edge", "brave", "opera", "chrome-extension", "moz-extension", "view-source")
_SECRETS = (
    "*/.ssh/*",
    "*/.gnupg/*",
    "*/.aws/*",
    "*/.azure/*",
    "*/.kube/*",
    "*/.docker/config.json",
    "*/.netrc",
    "*/.pgpass",
    "*/.env",
    "*/.env.*",
    "*/id_rsa*",
    "*/id_ed25519*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.kdbx",
    "*/login data",
    "*/cookies",
    "*/key4.db",
    "*/logins.json",
    "/etc/shadow",
    "/proc/*",
)


def scheme_of(url: str) -> str:
    """The scheme as a browser reads it, which drops blanks and control characters; empty without one."""
    head, colon, _ = _INVISIBLE.sub("", url).partition(":")
    known = colon and re.fullmatch(r"[A-Za-z][A-Za-z0-9+.\-]*", head)
    # `localhost:8000` and `example.org:80` are hosts with a port.
    return head.lower() if known and "." not in head and head.lower() != "localhost" else ""


def carries_code(url: str) -> bool:
    """Whether following the address would run code that stands in it."""
    return scheme_of(url) in SCRIPTS


def host_of(url: str) -> str:
    """The host of an address, also of one without a scheme; empty for files and nonsense."""
    plain = _INVISIBLE.sub("", url).replace("\\", "/")
    if not scheme_of(plain) and not plain.startswith("//"):
        plain = "//" + plain
    try:
        return (urlsplit(plain).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def host_fits(host: str, patterns: Sequence[str]) -> bool:
    """Whether a host is one of these; `*.example.org` means the subdomains, and `example.org` too."""
    for pattern in patterns:
        wanted = pattern.lower().rstrip(".")
        if fnmatch.fnmatchcase(host, wanted) or (wanted.startswith("*.") and host == wanted[2:]):
            return True
    return False


def holds_secret(file: str) -> bool:
    """Whether a file is a key, a password store or the like, judged by its name."""
    path = resolved(file)
    named = {path.as_posix().lower(), Path(file).expanduser().absolute().as_posix().lower()}
    return any(fnmatch.fnmatchcase(name, pattern) for name in named for pattern in _SECRETS)


def inside(file: str, folders: Sequence[str]) -> bool:
    """Whether a file, with links followed, lies in one of the folders."""
    path = resolved(file)
    return any(path.is_relative_to(resolved(folder)) for folder in folders)


def resolved(file: str) -> Path:
    """The real path of a file: home folder and links followed."""
    return Path(file).expanduser().resolve()
