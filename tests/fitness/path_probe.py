"""Runs one plain command and prints the files of the package that were entered before it was delivered.

Started as a process of its own by `test_path.py`: `path_probe.py fake`, or `path_probe.py browser PAGE`.
"""

from __future__ import annotations

import inspect
import json
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import gui_agent
from gui_agent.testing import FakeComputer, button, field, screen, text, when

PACKAGE = str(Path(gui_agent.__file__).parent) + "/"
ENTERED: dict[str, None] = {}
"""Files in the order in which a function of theirs was first called."""


class Probe:
    """Notes every function of the package that is called, until the first action has been delivered."""

    def __init__(self) -> None:
        self.on = True

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if (
            self.on and event == "call" and code.co_flags & inspect.CO_OPTIMIZED
        ):  # no class bodies, no modules
            name = code.co_filename
            if name.startswith(PACKAGE):
                ENTERED.setdefault(name.removeprefix(PACKAGE))


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
    kept = [name for name in ENTERED if not name.startswith("testing/")]
    print(json.dumps(kept))


if __name__ == "__main__":
    main(*sys.argv[1:])
