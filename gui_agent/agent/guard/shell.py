"""Whether a command line destroys something: a net for the usual ways, not a proof that there is no other."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from gui_agent.elements.roles import word_set

_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bfind\b[^|;&\n]*(?:-delete\b|-(?:exec|ok)(?:dir)?\s+(?:rm|unlink|shred|sh|bash)\b)",
        r"\bdd\b[^|;&\n]*\bof=",
        r">\s*/dev/(?:sd|nvme|hd|vd|mmcblk)",
        r">\s*/etc/",
        r"(?:^|[;&|\n(])\s*:?\s*>(?!>)\s*[\w/~.$\"']",
        r"\b(?:mv|cp|cat|ln)\b[^|;&\n>]*\s/dev/null(?:\s|$|\s*>)",
        r"\b(?:cp|cat|install|tee)\b[^|;&\n>]*\s<?\s*/dev/null\b",
        r"\bsed\b[^|;&\n]*\s(?:-i\S*|--in-place\S*)\s+['\"]?(?:[\d,$]*|/[^/]*/)d\b",
        r":\s*\(\s*\)\s*\{[^}]*:\s*\|\s*:",
        r"\|\s*(?:sudo\s+)?(?:\S*/)?(?:(?:ba|z|da|k|fi|c|tc)?sh|python[\d.]*|perl|ruby|node|php)\b(?!\s+\S+\.\w+)",
        r"<\(\s*(?:curl|wget)\b",
        r"\b(?:iex|invoke-expression)\b",
        r"\b(?:chmod|chown|chgrp)\b[^|;&\n]*\s(?:-[a-z]*R|--recursive)\b",
        r"\bgit\s+(?:push\b[^|;&\n]*(?:--force|--delete|--mirror|\s-f\b|\s\+\w|\s:\w)|reset\s+--hard|clean\s+-[a-z]*f"
        r"|checkout\s+--\s+\.|branch\s+-D|stash\s+(?:drop|clear)|filter-branch)",
        r"\brsync\b[^|;&\n]*--(?:delete|remove-source)",
        r"\b(?:drop|truncate)\s+(?:table|database|schema|user)\b",
        r"\bdelete\s+from\s+\w+\s*(?:;|$)",
        r"\b(?:crontab\s+-r|iptables\s+-F|systemctl\s+(?:poweroff|reboot|halt)|init\s+[06])\b",
        r"\b(?:terraform|tofu|pulumi|vagrant)\s+destroy\b",
        r"\b(?:kubectl|helm|oc|aws|gcloud|az|doctl|gh|heroku)\b[^|;&\n]*\b(?:delete|destroy|rm|uninstall|terminate\S*)\b",
        r"\bdocker\b[^|;&\n]*\b(?:prune|rm|rmi)\b",
        r"\b(?:apt|apt-get|yum|dnf|pacman|brew|snap|pip\d?|npm)\b\s+[^|;&\n]*\b(?:purge|remove|autoremove|uninstall)\b",
        r"\bpacman\s+-R",
        r"(?:^|[;&|\n]\s*)(?:del|erase|rd|rmdir)\s+(?:[^;&|\n]*\s)?/[sqf]\b",
        r"(?:^|[;&|\n]\s*)format\s+[a-z]:",
        r"\b(?:remove-item|ri|clear-content)\b",
        r"\breg\s+delete\b",
        r"\b(?:vssadmin|wbadmin)\s+delete\b",
        r"\bbcdedit\b",
        r"\bcipher\s+/w",
        r"\b(?:os\.(?:system|remove|unlink|rmdir|truncate)|shutil\.(?:rmtree|move)|File\.delete|(?:fs|Deno)['\")]*\.(?:rm|unlink|remove)\w*)\s*\(",
        r"\bunlink\b|\brmtree\b",
        r"\b7z\s+d\b|\btar\b[^|;&\n]*--(?:remove-files|delete)",
    )
)
_DESTROYERS = re.compile(
    r"rm|unlink|shred|srm|wipe|wipefs|truncate|mkfs(?:\.\w+)?|mkswap|fdisk|sfdisk|cfdisk|parted|sgdisk|gdisk|diskpart"
    r"|blkdiscard|shutdown|reboot|poweroff|halt|userdel|deluser|groupdel|visudo|killall5|trash-empty|dropdb|dropuser"
)
_PASSING = word_set(
    "sudo doas su env xargs nohup setsid nice ionice time timeout exec command builtin eval do then "
    "else if while ! busybox toybox stdbuf chroot watch parallel run0 pkexec"
)
"""Words before a command that run it."""
_ASSIGNED = re.compile(r"\w+=\S*")
_APART = re.compile(r"\$\(|[;&|\n(){}`]")
_HIDING = re.compile(r"\$\(|`|[?*]|\w\[|\w*\{[^}]*,|^\$(?!HOME\b|\{HOME\}|PWD\b)|^\\x|\$'")
DEPTH = 3


def destroys(command: str, depth: int = DEPTH) -> bool:
    """Whether a command line holds a destructive command, or hides which command it runs."""
    line = re.sub(r"\$\{?IFS\}?(?:\$\d)?", " ", command.replace("\\\n", ""))
    plain = re.sub(r"(?<!\s)(?:''|\"\")|\\(?=\w)", "", line)
    if any(pattern.search(one) for one in {line, plain} for pattern in _PATTERNS):
        return True
    return any(
        _DESTROYERS.fullmatch(name.lower()) or _HIDING.search(name) for name in _program_names(line)
    ) or (depth > 0 and any(destroys(inner, depth - 1) for inner in _quoted(line)))


def _program_names(line: str) -> Iterator[str]:
    if re.search(r"(?:^|[;&|\n])\s*(?:\$\(|`)", line):
        yield "$("  # what runs is the output of another program
    for part in _APART.split(line):
        words = _words(part)
        while words and (
            words[0].lower() in _PASSING or words[0].startswith("-") or _ASSIGNED.fullmatch(words[0])
        ):
            passing = words.pop(0)
            if passing in ("timeout", "nice", "chroot") and words and not words[0].startswith("-"):
                words.pop(0) if not _DESTROYERS.fullmatch(words[0].rpartition("/")[2]) else None
        if words:
            yield words[0].rpartition("/")[2] or words[0]


def _words(part: str) -> list[str]:
    try:
        return shlex.split(part)
    except ValueError:  # a quote that is closed elsewhere
        return re.sub(r"[\"'\\]", "", part).split()


def _quoted(line: str) -> Iterator[str]:
    """The arguments that are command lines themselves, as `sh -c` takes them."""
    yield from (word for word in _words(line) if " " in word and word != line)
