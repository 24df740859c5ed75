"""Recognises command lines that destroy something, or that hide what they run (`destructive.toml`)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache

from gui_agent.agent.guard.vocabulary import read_table
from gui_agent.elements.roles import word_set

_DESTROYERS = re.compile(
    r"rm|unlink|shred|srm|wipe|wipefs|truncate|mkfs(?:\.\w+)?|mkswap|fdisk|sfdisk|cfdisk|parted|sgdisk|gdisk|diskpart"
    r"|blkdiscard|shutdown|reboot|poweroff|halt|userdel|deluser|groupdel|visudo|killall5|trash-empty|dropdb|dropuser"
)
_PASSING = word_set(
    "sudo doas su env xargs nohup setsid nice ionice time timeout exec command builtin eval do then "
    "else if while ! busybox toybox stdbuf chroot watch parallel run0 pkexec"
)
"""Words that run the command after them."""
_MEASURED = word_set("timeout nice chroot")
"""Those of them that take an argument first, such as a number of seconds."""
_ASSIGNED = re.compile(r"\w+=\S*")
_APART = re.compile(r"\$\(|[;&|\n(){}`]")
_HIDING = re.compile(r"\$\(|`|[?*]|\w\[|\w*\{[^}]*,|^\$(?!HOME\b|\{HOME\}|PWD\b)|^\\x|\$'")
DEPTH = 3
"""How many quoted command lines inside another are checked: `sh -c "..."`."""


@cache
def _destructive() -> re.Pattern[str]:
    patterns = [row["pattern"] for row in read_table("destructive.toml")["command"]]
    return re.compile("|".join(patterns), re.IGNORECASE)


def destroys(command: str, depth: int = DEPTH) -> bool:
    """Whether a command line contains a destructive command, or hides which command it runs."""
    line = re.sub(r"\$\{?IFS\}?(?:\$\d)?", " ", command.replace("\\\n", ""))
    plain = re.sub(r"(?<!\s)(?:''|\"\")|\\(?=\w)", "", line)
    if _destructive().search(line) or _destructive().search(plain):
        return True
    if any(_DESTROYERS.fullmatch(name.lower()) or _HIDING.search(name) for name in _commands(line)):
        return True
    return depth > 0 and any(destroys(one, depth - 1) for one in _words(line) if " " in one and one != line)


def _commands(line: str) -> Iterator[str]:
    if re.search(r"(?:^|[;&|\n])\s*(?:\$\(|`)", line):
        yield "$("  # the output of another program is run
    for part in _APART.split(line):
        words = _words(part)
        while words and (
            words[0].lower() in _PASSING or words[0].startswith("-") or _ASSIGNED.fullmatch(words[0])
        ):
            passing = words.pop(0)
            takes = passing in _MEASURED and bool(words) and not words[0].startswith("-")
            if takes and not _DESTROYERS.fullmatch(words[0].rpartition("/")[2]):
                words.pop(0)
        if words:
            yield words[0].rpartition("/")[2] or words[0]


def _words(part: str) -> list[str]:
    try:
        return shlex.split(part)
    except ValueError:  # a quote that is closed elsewhere
        return re.sub(r"[\"'\\]", "", part).split()
