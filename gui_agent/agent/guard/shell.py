"""Recognises shell commands that destroy data, give away control or run a download."""

from __future__ import annotations

import re

_DESTRUCTIVE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\brm\b(?=[^|;&\n]*\s(?:-[a-z]*[rf]|--recursive|--force|--no-preserve-root))",
        r"\brm\b[^|;&\n]*[\s/]\*",
        r"\bfind\b[^|;&\n]*(?:-delete\b|-exec\s+rm\b)",
        r"\b(?:shred|wipefs|mkfs(?:\.\w+)?|mkswap|fdisk|parted|sgdisk|diskpart|cipher\s+/w)\b",
        r"\bdd\b[^|;&\n]*\bof=",
        r">\s*/dev/(?:sd|nvme|hd|vd|mmcblk)",
        r">\s*/etc/",
        r":\s*\(\s*\)\s*\{[^}]*:\s*\|\s*:",
        r"\b(?:shutdown|reboot|poweroff|halt|init\s+[06])\b",
        r"\b(?:curl|wget|iwr|invoke-webrequest|irm)\b[^;\n]*\|\s*(?:sudo\s+)?"
        r"(?:\S*/)?(?:ba|z|da|k|fi)?sh\b",
        r"\b(?:curl|wget)\b[^;\n]*\|\s*(?:sudo\s+)?(?:python\d?|perl|ruby|node)\b",
        r"\b(?:iex|invoke-expression)\b",
        r"\bbase64\b[^;\n]*(?:-d|--decode)[^;\n]*\|\s*(?:ba|z|da)?sh\b",
        r"\b(?:chmod|chown)\b[^|;&\n]*\s(?:-[a-z]*R|--recursive)\b",
        r"\bgit\s+(?:push\b[^|;&\n]*(?:--force|\s-f\b|\s\+\w)|reset\s+--hard|clean\s+-[a-z]*f)",
        r"\b(?:drop|truncate)\s+(?:table|database|schema)\b",
        r"\bdelete\s+from\s+\w+\s*(?:;|$)",
        r"\b(?:userdel|deluser|visudo|crontab\s+-r|iptables\s+-F)\b",
        r"\b(?:terraform|tofu)\s+destroy\b",
        r"\bkubectl\s+delete\b",
        r"\bdocker\s+(?:system|volume|image)\s+prune\b",
        r"(?:^|[;&|\n]\s*)(?:del|erase|rd|rmdir)\s+(?:[^;&|\n]*\s)?/[sqf]\b",
        r"(?:^|[;&|\n]\s*)format\s+[a-z]:",
        r"\b(?:remove-item|ri)\b[^|;\n]*-(?:recurse|force)",
        r"\breg\s+delete\b",
        r"\bvssadmin\s+delete\b",
        r"\bbcdedit\b",
        r"\bos\.system\s*\(|\bshutil\.rmtree\b",
    )
)


def destroys(command: str) -> bool:
    """Whether a command line holds a destructive command; continuation lines are joined first."""
    line = command.replace("\\\n", " ")
    return any(pattern.search(line) for pattern in _DESTRUCTIVE)
