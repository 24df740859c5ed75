"""The command line without a process of its own, for tests of what a command does and not of its process."""

from __future__ import annotations

import io
import subprocess
from contextlib import redirect_stderr, redirect_stdout

from gui_agent.cli import call


def guiagent(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What a command does where there is no terminal."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = call(arguments)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
