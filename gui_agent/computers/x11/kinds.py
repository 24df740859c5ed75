"""What kind of file something is, by the shared database of MIME types that Linux desktops have."""

from __future__ import annotations

import fnmatch
import mimetypes
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from gui_agent.core.os_errors import user_path

FOLDERS = ("~/.local/share/mime", "/usr/local/share/mime", "/usr/share/mime")
TEXT, UNKNOWN = "text/plain", "application/octet-stream"
LOOKED_AT = 4096
"""Bytes at the beginning of a file that tell whether it is text."""


class Kinds:
    """The kinds of files and which is a special case of which; read when first asked for."""

    def __init__(self, folders: Iterable[str] = FOLDERS) -> None:
        self._folders = [user_path(folder) for folder in folders]

    def of(self, path: str) -> Iterator[str]:
        """The kinds of a file or an address (`http://...`), the most special one first."""
        scheme = path.partition("://")[0] if "://" in path else ""
        first = f"x-scheme-handler/{scheme.lower()}" if scheme else self._own(Path(path))
        seen: dict[str, None] = {}
        wanted = [first]
        while wanted:
            kind = wanted.pop(0)
            if kind not in seen:
                seen[kind] = None
                yield kind
                wanted += self._parents[kind] or ([TEXT] if kind.startswith("text/") else [])

    def _own(self, path: Path) -> str:
        if path.is_dir():
            return "inode/directory"
        name = path.name
        fitting = [
            (weight, len(glob), kind)
            for weight, kind, glob in self._globs
            if fnmatch.fnmatchcase(name, glob) or fnmatch.fnmatchcase(name.lower(), glob)
        ]
        if fitting:
            return max(fitting)[2]
        return mimetypes.guess_type(name)[0] or (TEXT if _is_text(path) else UNKNOWN)

    @cached_property
    def _globs(self) -> list[tuple[int, str, str]]:
        found = []
        for line in self._lines("globs2"):
            weight, _, rest = line.partition(":")
            kind, _, glob = rest.partition(":")
            if weight.isdecimal() and glob:
                found.append((int(weight), kind, glob.partition(":")[0]))
        return found

    @cached_property
    def _parents(self) -> defaultdict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for line in self._lines("subclasses"):
            kind, _, parent = line.partition(" ")
            found[kind].append(parent.strip())
        return found

    def _lines(self, name: str) -> Iterator[str]:
        for folder in self._folders:
            path = folder / name
            if path.is_file():
                yield from path.read_text(encoding="utf-8", errors="replace").splitlines()


def _is_text(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            start = file.read(LOOKED_AT)
    except OSError:
        return True
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 3:  # the last character may have been cut
            return False
    return b"\0" not in start
