"""From what people call a program, a file or an address to the command that opens it; no shell takes part."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Protocol

from gui_agent.computers.environment import for_children
from gui_agent.computers.x11.entries import Entries, Entry
from gui_agent.core.errors import ActionFailed
from gui_agent.core.texts import normal, shorten, suggestion

CHROMIUM = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "microsoft-edge-stable", "brave-browser", "vivaldi", "code"),
)
OFFICE = ("soffice", "libreoffice", "localc", "lowriter", "loimpress", "lodraw", "lobase", "lomath")
TERMINALS = ("xfce4-terminal", "gnome-terminal", "konsole", "x-terminal-emulator", "xterm")
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*")
LISTED = 5


class Launcher(Protocol):
    """Starts programs on one display."""

    def launch(self, name: str) -> None:
        """Start a program by name or command, or open a file or an address.

        Raises:
            ActionFailed: there is no such program or file; the message suggests near names.
        """

    def failure(self) -> str:
        """Why the program launched last ended by itself, empty while it runs or when it ended well."""


class LocalLauncher:
    """Starts programs on the display that this process belongs to; they outlive it, as a person's would."""

    def __init__(self, entries: Entries | None = None) -> None:
        self._entries = entries or Entries()
        self._last: subprocess.Popen[bytes] | None = None
        self._program = ""
        self._said: IO[bytes] | None = None

    def launch(self, name: str) -> None:
        """Start a program by name or command, or open a file or an address."""
        command = with_tree(command_for(name, self._entries))
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

    def failure(self) -> str:
        """Why the program launched last ended by itself."""
        if self._last is None or not self._last.poll():
            return ""
        assert self._said is not None
        self._said.seek(0)
        return ended(self._program, self._last.returncode, self._said.read())


def command_for(name: str, entries: Entries) -> list[str]:
    """The command that a name stands for.

    Args:
        name: a program as people call it (`Mousepad`), a command with its arguments (`mousepad a.txt`),
            a path, or an address.

    Raises:
        ActionFailed: it stands for nothing, or for several things; the message says what there is.
    """
    name = name.strip()
    if not name:
        raise ActionFailed("nothing to open was named; name a program or a file")
    if ADDRESS.fullmatch(name):
        return _opening(name, entries)
    path = Path(name).expanduser()
    if path.exists() and (os.sep in name or path.is_file()):
        path = path.resolve()
        runs = path.is_file() and os.access(path, os.X_OK)
        return [str(path)] if runs else _opening(str(path), entries)
    meant = [entry for entry in entries.named(name) if _installed(entry)]
    if meant and (len(meant) == 1 or normal(name) in (normal(one) for one in meant[0].names)):
        return _started(meant[0])
    try:
        words = shlex.split(name)
    except ValueError:
        words = [name]
    if words and shutil.which(words[0]):
        return [
            words[0],
            *(str(Path(word).expanduser()) if word[0:2] == "~/" else word for word in words[1:]),
        ]
    if meant:
        names = ", ".join(f'"{entry.names[0]}"' for entry in meant[:LISTED])
        raise ActionFailed(f'"{shorten(name)}" may mean {names}; name one of them')
    if os.sep in name:
        raise ActionFailed(f'there is no file "{shorten(name)}"; check the path')
    known = {entry.names[0]: None for entry in entries.all if entry.shown and _installed(entry)}
    hint = suggestion(name, known) or "; give its full name or its command"
    raise ActionFailed(f'no program or file is called "{shorten(name)}"{hint}')


def with_tree(command: Sequence[str], private: Path | None = None) -> list[str]:
    """The command with what the program needs to be told to show its elements.

    Args:
        private: a folder in which programs that run once per profile get a profile of their own.
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
        extra = ["--norestore", "--nologo", f"-env:UserInstallation={(private / 'libreoffice').as_uri()}"]
    return [program, *(word for word in extra if word not in rest), *rest]


def ended(program: str, code: int, said: bytes) -> str:
    """One line about a program that ended by itself with an error."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    how = f"ended with code {code}" if code > 0 else f"was ended by signal {-code}"
    return f"{Path(program).name} {how}" + (f": {shorten(lines[-1], 160)}" if lines else "")


def _started(entry: Entry) -> list[str]:
    command = entry.opening()
    if not entry.terminal:
        return command
    terminal = next((name for name in TERMINALS if shutil.which(name)), "")
    if not terminal:
        raise ActionFailed(f"{entry.names[0]} runs in a terminal, and none is installed; install xterm")
    return (
        [terminal, "-e", shlex.join(command)] if terminal == "xfce4-terminal" else [terminal, "-e", *command]
    )


def _opening(path: str, entries: Entries) -> list[str]:
    entry = next(filter(_installed, entries.openers(path)), None)
    if entry is None:
        raise ActionFailed(
            f"no installed program opens {shorten(path)}; open a program and the file from there"
        )
    return entry.opening(path)


def _installed(entry: Entry) -> bool:
    return bool(entry.command) and shutil.which(entry.command[0]) is not None
