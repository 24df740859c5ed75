"""Finds the installed programs by their desktop entries, and starts them."""

from __future__ import annotations

import configparser
import fnmatch
import mimetypes
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import IO, Protocol

from gui_agent.computers.environment import for_children
from gui_agent.core.errors import ActionFailed
from gui_agent.core.os_errors import user_path
from gui_agent.core.protocols import Opening, is_program
from gui_agent.core.texts import normal, shorten, suggestion

MIME_FOLDERS = ("~/.local/share/mime", "/usr/local/share/mime", "/usr/share/mime")
TEXT, UNKNOWN = "text/plain", "application/octet-stream"
LOOKED_AT = 4096
"""Bytes at the start of a file that are examined for text."""


class Kinds:
    """The MIME types of files and their hierarchy, read at first use."""

    def __init__(self) -> None:
        self._folders = [user_path(folder) for folder in MIME_FOLDERS]

    def kinds_of(self, path: str) -> Iterator[str]:
        """The MIME types of a file or an address (`http://...`), the most specific first."""
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
        if error.start < len(start) - 3:  # the last character may be cut off
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
"""Folders with file associations, the user's own first; folders of programs have some too."""
LISTS = ("mimeapps.list", "*-mimeapps.list", "defaults.list")
"""Names of association files: general ones, those of single desktops, and the old name."""
SECTION = "Desktop Entry"


@dataclass(frozen=True, slots=True)
class DesktopEntry:
    """One installed program."""

    id: str
    """Name of its file: `org.xfce.mousepad.desktop`."""
    names: tuple[str, ...]
    """Its names: the name, translations of it, and the generic kind of program."""
    command: tuple[str, ...]
    """As in the file, with the placeholders for files (`%f`, `%U`)."""
    shown: bool = True
    terminal: bool = False
    kinds: tuple[str, ...] = ()
    """The MIME types that it declares."""
    categories: tuple[str, ...] = ()
    """Its menu categories: `TextEditor`, `TerminalEmulator` ..."""

    def has_words(self, words: set[str]) -> bool:
        """Whether one of its names has all these words."""
        return any(words <= set(normal(name).split()) for name in self.names)

    def opening(self, *files: str) -> list[str]:
        """The command that starts it, with files or addresses if any are given."""
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
    """All installed programs, read at first use."""

    def __init__(self, folders: Iterable[str] = FOLDERS, choices: Iterable[str] = CHOICES) -> None:
        self._kinds = Kinds()
        self._folders = [user_path(folder) for folder in folders]
        self._choices = [user_path(path) for path in choices]

    def entries_named(self, name: str) -> list[DesktopEntry]:
        """The programs for a name: exact matches, otherwise those whose name has all its words."""
        wanted = normal(name)
        ways: tuple[Callable[[DesktopEntry], bool], ...] = (
            lambda entry: normal(entry.names[0]) == wanted,
            lambda entry: wanted in map(normal, entry.names),
            lambda entry: normal(entry.id.removesuffix(".desktop")) == wanted,
        )
        shown = [entry for entry in self.all if entry.shown]
        for entries, way in product((shown, self.all), ways):
            if exact := list(filter(way, entries)):
                return exact
        words = set(wanted.split())
        return [entry for entry in shown if words and entry.has_words(words)]

    def openers(self, path: str) -> Iterator[DesktopEntry]:
        """The programs that open a file or an address (`http://...`): the user's own choice first.

        Follows freedesktop.org: for its type, then for each more general type, first the chosen
        programs, then the added ones, then those that declare the type and are not removed.
        """
        by_id = {entry.id: entry for entry in self.all}
        for kind in self._kinds.kinds_of(path):
            removed = set(self._list_values("Removed Associations", kind))
            chosen = [
                *self._list_values("Default Applications", kind),
                *self._list_values("Added Associations", kind),
            ]
            yield from (by_id[name] for name in chosen if name in by_id)
            able = [one for one in self.all if kind in one.kinds and one.id not in removed]
            # A program with its own window is more useful on a screen than one in a terminal.
            yield from sorted(able, key=lambda one: (one.terminal, not one.shown))

    def shows_text(self, entry: DesktopEntry) -> bool:
        """Whether a program opens plain texts, so that it does not execute its files."""
        return "text/plain" in entry.kinds

    @cached_property
    def all(self) -> Sequence[DesktopEntry]:
        """Every program that exists, the user's own entries before those of the system."""
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
        paths = chain.from_iterable(sorted(folder.glob(name)) for folder, name in product(folders, LISTS))
        return list(filter(None, map(_table, dict.fromkeys(paths))))


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


CHROMIUM = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "microsoft-edge-stable", "brave-browser", "vivaldi", "code"),
)
OFFICE = ("soffice", "libreoffice", "localc", "lowriter", "loimpress", "lodraw", "lobase", "lomath")
TERMINALS = ("xfce4-terminal", "gnome-terminal", "konsole", "x-terminal-emulator", "xterm")
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*")
WEB = re.compile(r"https?://\S+", re.IGNORECASE)
LISTED = 5
SHELL_SIGNALS = 128
"""Shells report a program's end by a signal as this plus the signal's number."""
ORDERLY = frozenset((signal.SIGHUP, signal.SIGINT, signal.SIGPIPE))
"""Signals that end programs when their window closes or their owner ends."""
RUNNERS = re.compile(
    r"(?:(?:ba|da|z|k|mk|pdk|fi|c|tc|a|r)?sh|busybox|toybox|env|xargs|sudo|su|doas|pkexec|run0|nohup|setsid|nice|"
    r"ionice|timeout|time|watch|stdbuf|script|strace|gdb|ssh|flatpak|snap|wine(?:64)?|java|javaw|mono|dotnet|"
    r"python|pypy|i?python|perl|ruby|node(?:js)?|deno|bun|php|lua(?:jit)?|tclsh|wish|guile|R|Rscript|"
    r"octave(?:-cli|-gui)?|julia|gnuplot|[gmn]?awk|sed|make|cmake|love|emacs(?:client)?)[\d.-]*"
)
"""Programs that execute their arguments: interpreters, shells, and wrappers of other programs."""


class Launcher(Protocol):
    """Starts programs on one display."""

    def opening(self, name: str) -> Opening:
        """What `launch` would start."""

    def launch(self, name: str) -> None:
        """Start a program by name or command, or open a file or an address."""

    def failure(self) -> str:
        """Why the last launched program ended by itself; empty while it runs or if it ended well."""

    def has_crashed(self, pid: int) -> bool:
        """Whether a launched program is known to have crashed or to have been killed."""


class Launches:
    """A device that starts programs through its launcher."""

    _launcher: Launcher

    def opening(self, name: str) -> Opening:
        return self._launcher.opening(name)

    def launch(self, name: str) -> None:
        self._launcher.launch(name)

    def has_crashed(self, pid: int) -> bool:
        return self._launcher.has_crashed(pid)

    def failure(self) -> str:
        return self._launcher.failure()


class LocalLauncher:
    """Starts programs on the display of this process; they outlive it, as a user's programs would."""

    def __init__(self) -> None:
        self._entries = Entries()
        self._last: subprocess.Popen[bytes] | None = None
        self._launched: dict[int, subprocess.Popen[bytes]] = {}
        self._program = ""
        self._said: IO[bytes] | None = None

    def opening(self, name: str) -> Opening:
        return resolve(name, self._entries)

    def launch(self, name: str) -> None:
        command = with_tree(self.opening(name).command)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it is read when the program has ended
        self._program = command[0]
        try:
            self._last = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                cwd=Path.home(),
                env=for_children(),
                start_new_session=True,
            )
        except OSError as error:
            raise ActionFailed(f"{command[0]} does not start: {error.strerror}") from error
        self._launched[self._last.pid] = self._last

    def has_crashed(self, pid: int) -> bool:
        program = self._launched.get(pid)
        return program is not None and by_signal(program.poll())

    def failure(self) -> str:
        if self._last is None or not self._last.poll():
            return ""
        assert self._said is not None
        self._said.seek(0)
        return ended(self._program, self._last.returncode, self._said.read())


def resolve(name: str, entries: Entries, home: Path | None = None) -> Opening:
    """The interpretation of a name; it is judged by the guard and then started.

    Args:
        name: a program's usual name (`Mousepad`), a command with arguments (`mousepad a.txt`), a path, or
            an address.
        home: working folder of started programs.
    """
    name = name.strip()
    if not name:
        raise ActionFailed("nothing to open was named; name a program or a file")
    if ADDRESS.fullmatch(name):
        return Opening("address", tuple(_started(_opener(name, entries), name)), name)
    path = user_path(name)
    if path.exists() and (os.sep in name or path.is_file()):
        return _file(path.resolve(), entries)
    meant = [entry for entry in entries.entries_named(name) if _is_installed(entry)]
    if meant and (len(meant) == 1 or normal(name) in map(normal, meant[0].names)):
        return Opening("program", tuple(_started(meant[0])))
    words = _split_words(name)
    if words and shutil.which(words[0]):
        return _command(tuple(words), entries, home or Path.home())
    raise ActionFailed(_why_unknown(name, meant, entries))


def _split_words(command: str) -> list[str]:
    """The words of a command by shell rules, with `~` expanded in the arguments."""
    try:
        program, *given = shlex.split(command) or [""]
    except ValueError:
        return [command]
    return [program, *(str(user_path(word)) if word[0:2] == "~/" else word for word in given)]


def _why_unknown(name: str, meant: Sequence[DesktopEntry], entries: Entries) -> str:
    if meant:
        names = ", ".join(f'"{entry.names[0]}"' for entry in meant[:LISTED])
        return f'"{shorten(name)}" matches {names}; name one of them'
    if os.sep in name:
        return f'there is no file "{shorten(name)}"; check the path'
    known = {entry.names[0]: None for entry in entries.all if entry.shown and _is_installed(entry)}
    hint = suggestion(name, known) or "; give its full name or its command"
    return f'no program or file is called "{shorten(name)}"{hint}'


def _file(path: Path, entries: Entries) -> Opening:
    if path.is_file() and os.access(path, os.X_OK):
        own = _command((str(path),), entries, path.parent)  # a menu's program is harmless by its path too
        return own if own.kind == "program" else Opening("executable", own.command)
    entry = _opener(str(path), entries)
    # A Windows program or a package is executed by its opener; a script in an editor is a text.
    runs = is_program(path.name) and not entries.shows_text(entry)
    runs = runs or entry.terminal or _runs_words(entry.command[0])
    return Opening("executable" if runs else "document", tuple(_started(entry, str(path))))


def _command(command: tuple[str, ...], entries: Entries, home: Path) -> Opening:
    """A command line; as harmless as the menu if it is a menu's program with at most documents."""
    program, *given = command
    found = _real(program)
    windowed = (one for one in entries.all if not one.terminal)
    listed = [one for one in windowed if _is_installed(one) and _real(one.command[0]) == found]
    owns = [entry.opening()[1:] for entry in listed]
    if Path(program).name in (*CHROMIUM, *OFFICE):
        owns.append([])
    if given in owns:
        return Opening("program", command)
    if any("TerminalEmulator" in one.categories for one in listed) or any(map(_runs_words, (program, found))):
        return Opening("command", command)
    browses = Path(program).name in CHROMIUM or not set(listed).isdisjoint(entries.openers("http://"))
    for own in owns:
        address = _address_among(_without_own(given, own), home, browses)
        if address is not None:
            return Opening("program", command, address)
    return Opening("command", command)


def _without_own(given: list[str], own: list[str]) -> list[str] | None:
    """The words of a command beyond those in the menu; None if the command differs from the menu's."""
    if given[: len(own)] == own:
        return given[len(own) :]
    return given if all(word.startswith("-") for word in own) else None


def _address_among(words: Sequence[str] | None, home: Path, browses: bool) -> str | None:
    """The only address among documents; empty without one; None if there is anything else.

    A browser treats a word that is not a file as an address.
    """
    if words is None:
        return None
    urls = [one for one in words if WEB.fullmatch(one) or (browses and not (home / one).exists())]
    documents = all(word in urls or _is_document(word, home) for word in words)
    return "".join(urls) if documents and len(urls) < 2 else None


def _is_document(word: str, home: Path) -> bool:
    path = home / word
    if word.startswith("-") or "://" in word:
        return False
    if path.is_file():
        return not os.access(path, os.X_OK)
    return path.is_dir() or bool(re.fullmatch(r"\.[A-Za-z0-9]{1,8}", path.suffix))


def _real(program: str) -> str:
    return os.path.realpath(shutil.which(program) or program)


def _runs_words(program: str) -> bool:
    return RUNNERS.fullmatch(Path(program).name) is not None


def with_tree(command: Sequence[str], private: Path | None = None) -> list[str]:
    """The command with the options that a program needs to show its elements.

    Args:
        private: settings folder for programs that run only once per profile, named as they name it
            themselves.
    """
    program, *rest = command
    name = Path(program).name
    extra: list[str] = []
    if name in CHROMIUM:
        extra = ["--force-renderer-accessibility"]
        if os.getuid() == 0:
            extra.append("--no-sandbox")
        if private is not None:
            extra += ["--no-first-run", "--no-default-browser-check", "--password-store=basic"]
            extra.append(f"--user-data-dir={private / name}")
    elif name in OFFICE and private is not None:
        own = (private / "libreoffice" / "4").as_uri()
        extra = ["--norestore", "--nologo", f"-env:UserInstallation={own}"]
    return [program, *(word for word in extra if word not in rest), *rest]


def by_signal(code: int | None) -> bool:
    """Whether a program with this exit code crashed or was killed; scripts report it for their children."""
    number = 0 if code is None else -code if code < 0 else code - SHELL_SIGNALS
    return 0 < number <= signal.SIGRTMAX and number not in ORDERLY


def ended(program: str, code: int, said: bytes) -> str:
    """One line about a program that ended by itself with an error."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    how = f"ended with code {code}" if code > 0 else f"was ended by signal {-code}"
    return f"{Path(program).name} {how}" + (f": {shorten(lines[-1], 160)}" if lines else "")


def _started(entry: DesktopEntry, *files: str) -> list[str]:
    command = entry.opening(*files)
    if not entry.terminal:
        return command
    terminal = next((name for name in TERMINALS if shutil.which(name)), "")
    if not terminal:
        raise ActionFailed(f"{entry.names[0]} runs in a terminal, and none is installed; install xterm")
    return (
        [terminal, "-e", shlex.join(command)] if terminal == "xfce4-terminal" else [terminal, "-e", *command]
    )


def _opener(path: str, entries: Entries) -> DesktopEntry:
    entry = next(filter(_is_installed, entries.openers(path)), None)
    if entry is None:
        raise ActionFailed(
            f"no installed program opens {shorten(path)}; open a program and the file from there"
        )
    return entry


def _is_installed(entry: DesktopEntry) -> bool:
    return bool(entry.command) and shutil.which(entry.command[0]) is not None
