"""Runs one task of plain commands and prints what of the package was entered before its first action.

Started as a process of its own by `test_path.py`: `path_probe.py fake`, or `path_probe.py browser PAGE`.
A function counts once, when it is called; what a module does while it is imported (decorators, tables)
is no part of following a task and does not count, nor does the fake computer in `testing/`.
"""

from __future__ import annotations

import inspect
import json
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import gui_agent
from gui_agent.testing import FakeComputer, button, field, screen, text, when

PACKAGE = str(Path(gui_agent.__file__).parent) + "/"
OURS = (PACKAGE, __file__)
SEAMS = ("route", "build", "PlainPlanner.decide", "BrowserComputer.perform", "InMemory.perform")
"""Functions that do one part of a task each; the files on the stack at their first call are the spine."""
FIRST = "cli/run.py"


class Probe:
    """Notes every function of the package that is called, until the first action has been delivered."""

    def __init__(self) -> None:
        self.on = True
        self.entered: dict[tuple[str, int], None] = {}
        """Functions in the order in which they were first called, each by its file and first line."""
        self.spine: dict[str, None] = {}
        self._seen: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        is_function = code.co_flags & inspect.CO_OPTIMIZED  # neither the body of a class nor of a module
        if not self.on:
            sys.setprofile(None)
            return
        if event != "call" or not is_function or not code.co_filename.startswith(OURS):
            return
        if code in self._seen:
            return
        stack = _stack(frame)
        if any(file.startswith("<frozen importlib") for file in stack):
            return
        self._seen.add(code)
        ours = [file.removeprefix(PACKAGE) for file in stack if file.startswith(PACKAGE)]
        if code.co_filename.startswith(PACKAGE):
            self.entered.setdefault((ours[-1], code.co_firstlineno))
        if code.co_qualname in SEAMS and FIRST in ours:
            self.spine |= dict.fromkeys(file for file in ours[ours.index(FIRST) :])


def _stack(frame: FrameType | None) -> list[str]:
    """The files of all calls that led to a frame, the outermost first."""
    files: list[str] = []
    while frame is not None:
        files.append(frame.f_code.co_filename)
        frame = frame.f_back
    return files[::-1]


PROBE = Probe()


class InMemory(FakeComputer):
    """A form that is not there; the first action on it ends the counting."""

    def __init__(self) -> None:
        shown = {"form": screen(field("Name"), button("Next")), "done": screen(text("Thank you"))}
        super().__init__(shown, [when("click", "Next", go="done")])

    def perform(self, *args: Any, **named: Any) -> None:
        PROBE.on = False
        super().perform(*args, **named)


def main(kind: str, page: str = "") -> None:
    from gui_agent.cli import main as command_line

    if kind == "fake":
        task, where = 'type "Ada" into "Name", click "Next"', ["--on", "path_probe:InMemory"]
    else:
        from gui_agent.computers.browser import BrowserComputer

        delivered = BrowserComputer.perform

        def perform(self: Any, *args: Any, **named: Any) -> None:
            delivered(self, *args, **named)
            PROBE.on = False

        BrowserComputer.perform = perform  # type: ignore[method-assign]
        task, where = 'click "Next"', ["--url", page]
    sys.modules["path_probe"] = sys.modules["__main__"]
    threading.setprofile(PROBE)
    sys.setprofile(PROBE)
    try:
        command_line(["run", task, "--quiet", *where])
    except SystemExit as end:
        sys.setprofile(None)
        assert end.code == 0, end.code
    functions = [(file, line) for file, line in PROBE.entered if not file.startswith("testing/")]
    files = {file for file, _ in functions}
    print(json.dumps({"entered": functions, "spine": [file for file in PROBE.spine if file in files]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
