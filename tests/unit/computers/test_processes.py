"""Waiting for programs that are still at work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gui_agent.computers.processes import wait_until_idle


def start(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)


def test_a_program_that_works_is_waited_for_until_it_is_done() -> None:
    with start(
        "import time, sys; sys.stdout.write('x'); sys.stdout.flush()\n"
        "until = time.process_time() + 0.3\n"
        "while time.process_time() < until: pass\n"
        "time.sleep(60)"
    ) as child:
        assert child.stdout is not None
        child.stdout.read(1)
        assert wait_until_idle(os.getpid(), 60)
        fields = Path(f"/proc/{child.pid}/stat").read_text().rsplit(")", 1)[1].split()
        child.kill()
    assert int(fields[11]) + int(fields[12]) >= 0.25 * os.sysconf("SC_CLK_TCK"), "it was not waited for"


def test_a_program_that_never_rests_is_waited_for_so_long_and_no_longer() -> None:
    with start("print(flush=True)\nwhile True: pass") as child:
        assert child.stdout is not None
        child.stdout.read(1)
        assert not wait_until_idle(os.getpid(), 0.5)
        child.kill()


def test_nothing_below_is_at_rest() -> None:
    assert wait_until_idle(2**22 + 1, 5)
