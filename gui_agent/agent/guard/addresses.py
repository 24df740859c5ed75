"""Judges addresses and files: where a link leads, and which files may be shown or uploaded."""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Iterable, Sequence
from functools import cache
from urllib.parse import unquote, urlsplit

from gui_agent.agent.guard.vocabulary import PLAIN, ActionMeaning, read_table
from gui_agent.core.actions import Upload
from gui_agent.core.observation import Point
from gui_agent.core.os_errors import real_path, user_path
from gui_agent.core.protocols import Opening

INVISIBLE = re.compile(r"[\x00-\x20\x7f]")
_NOTHING = re.compile(r"javascript:\s*(void\s*(0|\(\s*0\s*\)))?\s*;*\s*", re.IGNORECASE)
SCRIPTS = ("javascript", "vbscript", "data")
"""Schemes that carry code in the address itself."""
SHOWN = ("", "http", "https", "file", "ftp", "about", "blob", *SCRIPTS)
"""Schemes that browsers themselves show or refuse."""
INTERNAL = ("chrome", "edge", "brave", "opera", "chrome-extension", "moz-extension", "view-source")


@cache
def _secrets() -> tuple[str, ...]:
    return tuple(read_table("secret_files.toml")["secret"])


def scheme_of(url: str) -> str:
    """The scheme of an address, read as a browser does, without blanks and control characters; or empty."""
    head, colon, _ = INVISIBLE.sub("", url).partition(":")
    known = colon and re.fullmatch(r"[A-Za-z][A-Za-z0-9+.\-]*", head)
    # `localhost:8000` and `example.org:80` are hosts with a port.
    return head.lower() if known and "." not in head and head.lower() != "localhost" else ""


def carries_code(url: str) -> bool:
    """Whether following the address would run code in it; `javascript:void(0)` does nothing."""
    return scheme_of(url) in SCRIPTS and not _NOTHING.fullmatch(url)


def holds_secret(file: str) -> bool:
    """Whether a file's name says that it is a key, a password store or the like, or a folder of them."""
    paths = (real_path(file), user_path(file).absolute())
    lower = [path.as_posix().lower() for path in paths]
    named = {*lower, *(f"{name}/" for name in lower)}
    return any(fnmatch.filter(named, pattern) for pattern in _secrets())


def is_in_folders(file: str, folders: Sequence[str]) -> bool:
    """Whether a file, after following links, lies in one of the folders."""
    path = real_path(file)
    return any(path.is_relative_to(real_path(folder)) for folder in folders)


def meanings_of_upload(action: Upload[Point]) -> Iterable[ActionMeaning]:
    for file in action.files:
        yield ActionMeaning("upload", f"the file {file}", file=file)
        if holds_secret(file):
            yield ActionMeaning("secret-file", f"the file {file}", file=file)


def file_of(url: str) -> str:
    """The file that an address shows, or that a path names; empty if there is none."""
    scheme = scheme_of(url)
    if scheme == "view-source":
        return file_of(url.partition(":")[2])
    if scheme == "file":
        plain = re.sub(r"[\t\r\n]", "", url.strip()).replace("\\", "/")
        try:
            return "/" + unquote(urlsplit(plain).path).lstrip("/")
        except ValueError:
            return ""
    path = url.strip()
    return path if path.startswith(("/", "~", ".")) or user_path(path).exists() else ""


def meanings_of_visit(url: str) -> Iterable[ActionMeaning]:
    if (file := file_of(url)) and holds_secret(file):
        yield ActionMeaning("secret-file", f"the file {file}", url=url, file=file)
    if carries_code(url):
        yield ActionMeaning("script-address", "the address", url=url)
    elif scheme_of(url) in INTERNAL:
        yield ActionMeaning("settings", f"the address {url}", url=url)
    else:
        yield ActionMeaning(PLAIN, f"the address {url}", url=url)


def meanings_of_opening(name: str, opening: Opening) -> Iterable[ActionMeaning]:
    """What opening something means: the program that the device would start, or the address it would open."""
    for file in dict.fromkeys((name, *opening.command)):
        if (found := file_of(file)) and holds_secret(found):
            yield ActionMeaning("secret-file", f"the file {found}", file=found)
    url = opening.url or (name if "://" in name or carries_code(name) else "")
    command = shlex.join(opening.command)
    if url:
        yield from meanings_of_visit(url)
        if scheme_of(url) not in (*SHOWN, *INTERNAL):
            yield ActionMeaning("unclear", f"the address {url}", because="another program handles it")
    if opening.kind == "executable":
        yield ActionMeaning("install", f"the program {command or name}")
    elif opening.kind == "command":
        yield ActionMeaning("terminal", f"the command {command}")
    elif opening.kind == "unknown" and not url:
        yield ActionMeaning("unclear", name, because="what it would start is unknown")
