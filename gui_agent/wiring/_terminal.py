"""A terminal for a model, in folders that the person allows, cut off from everything else."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import threading
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from gui_agent.agent.guard.shell import destroys
from gui_agent.core import deadline
from gui_agent.core.dialogue import GuardedTool
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.core.os_errors import real_folders
from gui_agent.planners.llm.planner import from_function

SECONDS = 60.0
"""Maximum seconds of one command."""
LARGEST = 200_000
"""Maximum bytes of a command's output; a command that prints more is stopped."""
SANDBOX = shlex.split("""
    bwrap --unshare-all --die-with-parent --new-session --clearenv --setenv PATH /usr/bin:/bin
    --ro-bind-try /usr /usr --ro-bind-try /bin /bin --ro-bind-try /sbin /sbin --ro-bind-try /lib /lib
    --ro-bind-try /lib32 /lib32 --ro-bind-try /lib64 /lib64 --ro-bind-try /etc/alternatives /etc/alternatives
    --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache --ro-bind-try /etc/localtime /etc/localtime
    --proc /proc --dev /dev --tmpfs /tmp
""")
"""What a command sees: the system's programs, read-only, and nothing of the person's."""


class Terminal:
    """Runs command lines by `sh` in a sandbox of bubblewrap.

    A command starts in the first folder, and reads and writes all of them. It has no network, no other file
    of the person, none of their environment, and its processes end with it.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = [*map(str, real_folders(folders, "tools.terminal"))]
        if shutil.which("bwrap") is None:
            raise ConfigError("tools.terminal needs bubblewrap on Linux: apt install bubblewrap")
        try:
            self.run_command("true")
        except ActionFailed as failure:
            raise ConfigError(f"tools.terminal: bubblewrap cannot make a sandbox here: {failure}") from None

    def tool(self) -> GuardedTool:
        def meaning(arguments: Mapping[str, Any]) -> str:
            return "delete" if destroys(str(arguments["command"])) else "write"

        made = from_function(self.run_command)
        return GuardedTool(made.tool, made.run, meaning, own_words="command")

    def run_command(self, command: str) -> str:
        """Run a command line (sh) in the allowed folder, without a network; returns what it prints."""
        own = chain.from_iterable(("--bind", folder, folder) for folder in self._folders)
        home = ("--chdir", self._folders[0], "--setenv", "HOME", self._folders[0], "/bin/sh", "-c", command)
        line = [*SANDBOX, *own, *home]
        seconds = deadline.remaining(SECONDS)
        with subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process:
            assert process.stdout is not None
            timer = threading.Timer(seconds, process.kill)
            timer.start()
            try:
                printed = process.stdout.read(LARGEST)
                is_cut = len(printed) == LARGEST
                code = -1 if is_cut else process.wait()
            finally:
                timer.cancel()
                process.kill()
        text = printed.decode("utf-8", "replace").strip()
        if code:
            stopped = f"it had printed {LARGEST} bytes" if is_cut else f"{seconds:g} s were over"
            ended = f"was stopped when {stopped}" if code < 0 else f"ended with code {code}"
            raise ActionFailed(f"it {ended}: {text}")
        return text or "Done; it printed nothing."
