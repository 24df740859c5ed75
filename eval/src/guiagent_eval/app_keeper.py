"""The process that keeps an application's server, and ends all its descendants once its owner is gone.

The end of the standard input shows that the owner is gone, however it ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

from gui_agent.computers.virtual.supervisor import PARENT_DEATH, SUBREAPER, descendants, libc

POLITE = 3.0
"""Seconds that the server gets to end after a request."""


def main(command: list[str]) -> int:
    """Run the command until the standard input ends."""
    libc.prctl(SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_as_usual)  # noqa: PLW1509 - one thread
    while os.read(0, 4096):
        pass
    end_all()
    return 0


def end_all() -> None:
    """End every descendant of this process, first by a request, then by a kill."""
    deadline = time.monotonic() + POLITE
    told: set[int] = set()
    while time.monotonic() < deadline + POLITE and (left := descendants(os.getpid())):
        late = time.monotonic() > deadline
        for pid in left - (set() if late else told):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL if late else signal.SIGTERM)
        told |= left
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.05)


def _as_usual() -> None:
    libc.prctl(PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
