"""Installed programs as the menus of Linux desktops name them: desktop files and what they open."""

from __future__ import annotations

import configparser
import fnmatch
import mimetypes
import shlex
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gui_agent.core.os_errors import user_path
from gui_agent.core.texts import normal

MIME_FOLDERS = ("~/.local/share/mime", "/usr/local/share/mime", "/usr/share/mime")
TEXT, UNKNOWN = "text/plain", "application/octet-stream"
LOOKED_AT = 4096
"""Bytes at the beginning of a file that tell whether it is text."""


class Kinds:
    """The kinds of files and which is a special case of which; read when first asked for."""

    def __init__(self, folders: Iterable[str] = MIME_FOLDERS) -> None:
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


FOLDERS = (
    "~/.local/share/applications",
    "~/.local/share/flatpak/exports/share/applications",
    "/var/lib/flatpak/exports/share/applications",
    "/usr/local/share/applications",
    "/usr/share/applications",
    "/var/lib/snapd/desktop/applications",
)
CHOICES = ("~/.config", "/etc/xdg")
"""Folders with choices of what opens what, the person's own first; folders of programs have some too."""
LISTS = ("mimeapps.list", "*-mimeapps.list", "defaults.list")
"""Files of choices: general ones, those of single desktops, and what they were called before."""
SECTION = "Desktop Entry"


@dataclass(frozen=True, slots=True)
class DesktopEntry:
    """One installed program."""

    id: str
    """Name of its file: `org.xfce.mousepad.desktop`."""
    names: tuple[str, ...]
    """What people call it: its name, translations of it, and what kind of program it is."""
    command: tuple[str, ...]
    """As it stands in the file, with the places for files (`%f`, `%U`)."""
    shown: bool = True
    """Whether menus list it."""
    terminal: bool = False
    kinds: tuple[str, ...] = ()
    """What it says that it opens, as MIME types."""
    categories: tuple[str, ...] = ()
    """What menus sort it under: `TextEditor`, `TerminalEmulator` ..."""

    def opening(self, *files: str) -> list[str]:
        """The command that starts it, on files or addresses if any are given."""
        words: list[str] = []
        for word in self.command:
            if word in ("%f", "%u", "%F", "%U"):
                words.extend(files)
            elif not (len(word) == 2 and word[0] == "%" and word[1] != "%"):
                words.append(word.replace("%%", "%"))
        if files and not any(word in self.command for word in ("%f", "%u", "%F", "%U")):
            words.extend(files)
        return words


class Entries:
    """All installed programs; read when first asked for."""

    def __init__(self, folders: Iterable[str] = FOLDERS, choices: Iterable[str] = CHOICES) -> None:
        self._kinds = Kinds()
        self._folders = [user_path(folder) for folder in folders]
        self._choices = [user_path(path) for path in choices]

    def named(self, name: str) -> list[DesktopEntry]:
        """The programs meant by a name: those called so, or else those whose name has all its words."""
        wanted = normal(name)
        for entries in ([one for one in self.all if one.shown], self.all):
            exact = [entry for entry in entries if wanted == normal(entry.names[0])]
            exact = exact or [entry for entry in entries if wanted in (normal(n) for n in entry.names)]
            exact = exact or [
                entry for entry in entries if wanted == normal(entry.id.removesuffix(".desktop"))
            ]
            if exact:
                return exact
        words = set(wanted.split())
        return [
            entry
            for entry in self.all
            if words and entry.shown and any(words <= set(normal(one).split()) for one in entry.names)
        ]

    def openers(self, path: str) -> Iterator[DesktopEntry]:
        """What opens a file or an address (`http://...`): the person's own choice first.

        By the rules of freedesktop.org: for its kind, then for the kinds that it is a special case of, what
        was chosen, then what was added, then what says by itself that it opens it and was not removed.
        """
        by_id = {entry.id: entry for entry in self.all}
        for kind in self._kinds.of(path):
            removed = set(self._list_values("Removed Associations", kind))
            chosen = [
                *self._list_values("Default Applications", kind),
                *self._list_values("Added Associations", kind),
            ]
            yield from (by_id[name] for name in chosen if name in by_id)
            able = [one for one in self.all if kind in one.kinds and one.id not in removed]
            # A window of its own is more use to who looks at the screen than a program in a terminal.
            yield from sorted(able, key=lambda one: (one.terminal, not one.shown))

    def shows_text(self, entry: DesktopEntry) -> bool:
        """Whether a program offers to open plain texts, so that it runs nothing of what it is given."""
        return "text/plain" in entry.kinds

    @cached_property
    def all(self) -> Sequence[DesktopEntry]:
        """Every program that is really there, the person's own files before those of the system."""
        found: dict[str, DesktopEntry] = {}
        for folder in self._folders:
            for path in sorted(folder.rglob("*.desktop")) if folder.is_dir() else ():
                name = str(path.relative_to(folder)).replace("/", "-")
                entry = _read(path, name)
                if entry is not None:
                    found.setdefault(name, entry)
        return tuple(found.values())

    def _list_values(self, section: str, kind: str) -> Iterator[str]:
        for table in self._lists:
            yield from _several(table.get(section, kind, fallback=""))

    @cached_property
    def _lists(self) -> Sequence[configparser.RawConfigParser]:
        folders = [folder for folder in (*self._choices, *self._folders) if folder.is_dir()]
        paths = [path for folder in folders for name in LISTS for path in sorted(folder.glob(name))]
        return [table for path in dict.fromkeys(paths) if (table := _table(path)) is not None]


def _read(path: Path, name: str) -> DesktopEntry | None:
    table = _table(path)
    if table is None or not table.has_section(SECTION):
        return None
    fields = table[SECTION]
    if fields.get("Type") != "Application" or fields.get("Hidden") == "true" or not fields.get("Exec"):
        return None
    try:
        command = tuple(shlex.split(fields["Exec"]))
    except ValueError:
        return None
    if fields.get("TryExec") and shutil.which(fields["TryExec"]) is None:
        return None
    keys = [key for key in fields if key in ("Name", "GenericName") or key.startswith("Name[")]
    keys.sort(key=lambda key: (key != "Name", key != "GenericName"))
    names = tuple(dict.fromkeys(fields[key] for key in keys)) or (name,)
    shown = fields.get("NoDisplay") != "true"
    kinds = tuple(_several(fields.get("MimeType", "")))
    categories = tuple(_several(fields.get("Categories", "")))
    return DesktopEntry(name, names, command, shown, fields.get("Terminal") == "true", kinds, categories)


def _several(text: str) -> Iterator[str]:
    return filter(None, (one.strip() for one in text.split(";")))


def _table(path: Path) -> configparser.RawConfigParser | None:
    table = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    table.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        table.read_string(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, configparser.Error):
        return None
    return table
