"""What a device would do to open something, determined before it is done."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_PROGRAMS = re.compile(
    r"\.(exe|msi|bat|cmd|com|scr|ps1|vbs|js|jse|wsf|jar|app|dmg|pkg|deb|rpm|apk|appimage|run|sh|bash|"
    r"desktop|reg|lnk|py|pl|rb|command|workflow|scpt)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Opening:
    """What a device would do to open something: guard and device go by the same one."""

    kind: Literal["address", "program", "document", "executable", "command", "nothing", "unknown"]
    """program: one that the menus list, with documents at most; document: a file in the program for it;
    executable: a file that is run itself; command: any other command line."""
    command: tuple[str, ...] = ()
    """What is started."""
    url: str = ""
    """The address that is opened, also by a program that is given one."""


def is_program(name: str) -> bool:
    """Whether opening this file may run it."""
    return bool(_PROGRAMS.search(name.strip()))
