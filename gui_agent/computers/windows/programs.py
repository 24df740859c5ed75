"""Programs, files and addresses by the names that people give them on Windows; never by a shell."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from gui_agent.computers.windows.system import System
from gui_agent.core.errors import ActionFailed
from gui_agent.core.opening import Opening, is_program
from gui_agent.core.os_errors import user_path
from gui_agent.core.texts import normal, shorten, suggestion

OPENED = 32
"""`ShellExecute` answers with more than this when it worked."""
_WHY = {2: "it is not there", 3: "its folder is not there", 5: "Windows refused", 31: "no program opens it"}


def resolved(name: str, system: System) -> Opening:
    """What a name stands for: a program of the start menu, a command, a file or an address.

    Raises:
        ActionFailed: nothing was named, or several programs fit.
    """
    name = name.strip()
    if not name:
        raise ActionFailed("nothing to open was named; name a program or a file")
    if "://" in name:
        return Opening("address", (name,), name)
    path = user_path(name)
    if path.exists():
        return Opening("executable" if is_program(path.name) else "document", (str(path.resolve()),))
    link = _named(name, links_in(system.start_menu()))
    if link is not None:
        return Opening("program", (str(link),))
    program, *arguments = _words(name)
    # A program may be started in a folder of its own, from where a file beside this process is not seen.
    files = (str(Path(one).resolve()) if Path(one).exists() else one for one in arguments)
    return Opening("command", (program, *files))


def launch(name: str, system: System) -> None:
    """Start a program by its name in the start menu or by command, or open a file or an address.

    Raises:
        ActionFailed: there is no such program or file; the message suggests near names.
    """
    opening = resolved(name, system)
    program, *arguments = opening.command
    if opening.kind != "command":
        _open(system, program)
        return
    # Programs that are not on the path may still be known to Windows by name (App Paths).
    if system.open(shutil.which(program) or program, subprocess.list2cmdline(arguments)) > OPENED:
        return
    hint = suggestion(name, links_in(system.start_menu())) or "; give its full name or its command"
    raise ActionFailed(f'no program or file is called "{shorten(name)}"{hint}')


def links_in(folders: Iterable[Path]) -> dict[str, Path]:
    """The links of the start menu by name; those of the first folder win."""
    links: dict[str, Path] = {}
    for folder in folders:
        for link in sorted(folder.rglob("*.lnk")):
            links.setdefault(link.stem, link)
    return links


def _named(name: str, links: dict[str, Path]) -> Path | None:
    wanted = normal(name)
    exact = [link for known, link in links.items() if normal(known) == wanted]
    part = [link for known, link in links.items() if set(wanted.split()) <= set(normal(known).split())]
    if exact or len(part) == 1:
        return (exact or part)[0]
    if part:
        names = ", ".join(f'"{link.stem}"' for link in part[:5])
        raise ActionFailed(f'"{shorten(name)}" may mean {names}; name one of them')
    return None


def _words(name: str) -> list[str]:
    try:
        words = shlex.split(name, posix=False)
    except ValueError:
        words = [name]
    return [word.strip('"') for word in words]


def _open(system: System, what: str) -> None:
    code = system.open(what)
    if code <= OPENED:
        raise ActionFailed(f"{shorten(what)} does not open: {_WHY.get(code, f'Windows says {code}')}")
