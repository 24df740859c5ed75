"""A computer of your own: a shell in tmux, with its lines as elements.

    PYTHONPATH=examples guiagent run 'type "echo hello", press Enter, check "hello" is shown' \
        --on own_computer:Terminal --yes
"""

from __future__ import annotations

import io
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from PIL import Image, ImageDraw

from gui_agent.core.actions import Action, Click, Move, Press, TypeText
from gui_agent.core.aiming import places
from gui_agent.core.errors import ActionFailed, ComputerLost, Stale
from gui_agent.core.observation import Box, Element, Observation, Place, Point, Screenshot, Size
from gui_agent.core.protocols import Settled

COLUMNS, ROWS, WIDTH, HEIGHT = 80, 24, 8, 16
SIZE = Size(COLUMNS * WIDTH, ROWS * HEIGHT)
KEYS = {"enter": "Enter", "escape": "Escape", "tab": "Tab", "backspace": "BSpace", "up": "Up", "down": "Down"}
SHELL = Element(
    1, "terminal", "Terminal", Box(0, 0, *(SIZE.width, SIZE.height)), states=frozenset({"editable"})
)


class Terminal:
    """A shell in a tmux server of its own, which ends with the computer."""

    platform = "terminal"

    def __init__(self, shell: str = "/bin/sh") -> None:
        """
        Args:
            shell: the program in the terminal.

        Raises:
            ComputerLost: tmux does not start.
        """
        self._folder = tempfile.TemporaryDirectory()
        self._open = True
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), f"PS1='$ ' {shell}"
        )

    def observe(self, *, picture: bool = True) -> Observation:
        """The lines that are not empty, and the terminal around them."""
        lines = self._tmux("capture-pane", "-p").splitlines()[:ROWS]
        texts = [
            Element(n + 2, "text", line.strip(), Box(0, n * HEIGHT, COLUMNS * WIDTH, HEIGHT), source="tmux")
            for n, line in enumerate(lines)
            if line.strip()
        ]
        shot = self._picture(lines) if picture else None
        return Observation(SIZE, (SHELL, *texts), Place("tmux", "Terminal", commands=True), shot)

    def perform(self, action: Action, expected: Element | None = None) -> None:
        """Types and presses keys; a click only gives focus, which the terminal always has."""
        for point in places(action).values():
            if not isinstance(point, Point) or not SIZE.contains(point):
                raise ActionFailed(f"{action.kind}: {point} is outside the terminal; give a point inside it")
        if expected is not None and expected.id not in [
            one.id for one in self.observe(picture=False).elements
        ]:
            raise Stale(f"{expected} is not there any more; look again")
        match action:
            case TypeText(text):
                self._tmux("send-keys", "-l", "--", text)
            case Press(keys):
                *held, key = (one.casefold() for one in keys)
                named = KEYS.get(key) or (key if len(key) == 1 else "")
                if not named or set(held) - {"ctrl", "alt"}:
                    raise ActionFailed(f"a terminal has no key {'+'.join(keys)}")
                self._tmux("send-keys", "".join({"ctrl": "C-", "alt": "M-"}[one] for one in held) + named)
            case Click() | Move():
                self._tmux("refresh-client")
            case _:
                raise ActionFailed(f"a terminal cannot {action.kind}; type, or press keys")

    def settle(self) -> Settled:
        """Wait until two looks are the same."""
        began, before = time.monotonic(), ""
        while time.monotonic() < began + 3:
            now = self._tmux("capture-pane", "-p")
            if now == before:
                return Settled(time.monotonic() - began)
            before = now
            time.sleep(0.1)
        return Settled(time.monotonic() - began, quiet=False)

    def start(self, where: str) -> None:
        """Go to a folder."""
        if not Path(where).is_dir():
            raise ActionFailed(f"{where} is no folder to begin in")
        self._tmux("send-keys", "-l", "--", f"cd '{where}'")
        self._tmux("send-keys", "Enter")

    def close(self) -> None:
        """End the shell and its tmux; safe to call twice."""
        if self._open:
            self._tmux("kill-server")
            self._open = False
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _tmux(self, *arguments: str) -> str:
        if not self._open:
            raise ComputerLost("the terminal is closed; open a new one")
        command = ["tmux", "-S", f"{self._folder.name}/tmux", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        if done.returncode and arguments[0] != "refresh-client":
            raise ComputerLost(f"tmux: {done.stderr.strip() or 'it ended'}; is it installed?")
        return done.stdout

    def _picture(self, lines: list[str]) -> Screenshot:
        image = Image.new("RGB", (SIZE.width, SIZE.height), "black")
        ImageDraw.Draw(image).multiline_text(
            (0, 0), "\n".join(lines).encode("ascii", "replace").decode(), "white"
        )
        kept = io.BytesIO()
        image.save(kept, "PNG")
        return Screenshot(kept.getvalue(), SIZE)
