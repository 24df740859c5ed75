"""Detects on Linux whether programs are still at work."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

SAMPLE = 0.1
"""Seconds between two measurements."""
QUIET = 4
SHARE = 0.2
"""Share of one processor that counts as idle: a caret blinks, a clock ticks."""


def wait_until_idle(root: int, seconds: float, looks: int = QUIET) -> bool:
    """Wait until neither `root` nor a descendant is at work. Returns whether that happened in time.

    Args:
        root: a process id; this process itself is excluded.
        looks: number of consecutive idle measurements.
    """
    deadline = time.monotonic() + seconds
    quiet, before = 0, _processor_ticks(root)[0]
    while quiet < looks:
        if time.monotonic() >= deadline:
            return False
        time.sleep(SAMPLE)
        now, runnable = _processor_ticks(root)
        worked = (now - before) / os.sysconf("SC_CLK_TCK")
        quiet = 0 if runnable or worked > SHARE * SAMPLE else quiet + 1
        before = now
    return True


def runs_on_terminal(root: int) -> bool:
    """Whether a process has descendants on a terminal that it provides, as terminal programs do."""
    stats = _process_stats()
    own = stats[root][4] if root in stats else "0"
    return any(fields[4] not in ("0", own) and _is_below(pid, root, stats) for pid, fields in stats.items())


def _process_stats() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name of the program is in brackets and may contain anything.
            found[int(entry.name)] = (entry / "stat").read_text().rsplit(")", 1)[1].split()
    return found


def _processor_ticks(root: int) -> tuple[int, bool]:
    stats = _process_stats()
    used = {
        pid: (int(fields[11]) + int(fields[12]), fields[0] in "RD")
        for pid, fields in stats.items()
        if len(fields) > 12
    }
    used.pop(os.getpid(), None)
    below = [used[pid] for pid in used if pid == root or _is_below(pid, root, stats)]
    return sum(ticks for ticks, _ in below), any(runnable for _, runnable in below)


def _is_below(pid: int, root: int, stats: dict[int, list[str]]) -> bool:
    while pid in stats and (parent := int(stats[pid][1])) != pid:
        pid = parent
        if pid == root:
            return True
    return False
