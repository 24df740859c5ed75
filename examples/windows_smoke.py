"""Checks the desktop adapter on Windows or macOS in a minute: run it, keep your hands off, read what it says.

    python examples/windows_smoke.py

It opens an editor, types, reads the text back, opens a menu, uses the clipboard, and closes the editor
without saving. Nothing else on the machine is touched. It ends with 0 when every part worked.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.computers.desktop.computer import DesktopComputer
from gui_agent.core.actions import Click, Press, TypeText
from gui_agent.core.errors import ActionFailed, GuiAgentError
from gui_agent.core.observation import Element
from gui_agent.core.targets import Words
from gui_agent.plugins import make

TEXT = "né 你好 €"
EDITORS = {"win32": "notepad", "darwin": "TextEdit", "linux": "mousepad"}
CLOSE = {"win32": ("alt", "f4"), "darwin": ("meta", "w"), "linux": ("alt", "f4")}
FIELDS = ("textbox", "document")
STARTING = 20
"""Seconds that the editor may take to start."""
NO_SAVING = ("Don't save", "Don't Save", "Delete", "No")


class Report:
    """Says of each part whether it worked, and goes on."""

    def __init__(self) -> None:
        self.failed = 0

    def part(self, name: str, check: Callable[[], object]) -> None:
        """Run a check; it fails by raising or by giving something false."""
        try:
            told = check()
            worked = bool(told)
        except (GuiAgentError, OSError, StopIteration, AssertionError) as error:
            worked, told = False, f"{type(error).__name__}: {error}"
        self.failed += not worked
        print(f"{'ok    ' if worked else 'FAILED'} {name}: {told}")


def main() -> int:
    report = Report()
    computer: DesktopComputer = make("computers", "desktop", {})
    with computer:
        report.part("screen", lambda: str(computer.device.size))
        report.part("program by name", lambda: computer.start(EDITORS[sys.platform]) or "started")
        report.part("elements", lambda: f"{field(computer)}, {len(computer.observe().elements)} in sight")
        report.part("windows", lambda: [window.title for window in computer.device.windows()])
        report.part("unicode typing", lambda: typed(computer))
        report.part("menu by name and click", lambda: menu(computer))
        report.part("clipboard", lambda: clipboard(computer))
        report.part("closing", lambda: closed(computer))
    print("all parts worked" if not report.failed else f"{report.failed} part(s) failed")
    return 1 if report.failed else 0


def field(computer: DesktopComputer) -> Element:
    """The largest field in sight, waited for while the editor starts."""
    for _ in range(STARTING):
        fields = [one for one in computer.observe(picture=False).elements if one.role in FIELDS]
        if fields:
            return max(fields, key=lambda one: one.box.area)
        time.sleep(1)
    raise ActionFailed("no field to type into is told or seen")


def typed(computer: DesktopComputer) -> str:
    """The text as it stands in the editor afterwards."""
    editor = field(computer)
    computer.perform(TypeText(TEXT, editor.box.center), editor)
    computer.settle()
    elements = computer.observe().elements
    return next(one.value or one.name for one in elements if TEXT in one.value or TEXT in one.name)


def menu(computer: DesktopComputer) -> str:
    """How many elements opening the menu brought."""
    before = computer.observe()
    found = ScreenGrounder().locate(Words("File"), before)
    computer.perform(Click(found.point), found.element)
    computer.settle()
    more = len(computer.observe().elements) - len(before.elements)
    computer.perform(Press(("escape",)))
    computer.settle()
    return f"{more} more elements" if more > 0 else ""


def clipboard(computer: DesktopComputer) -> bool:
    """Whether the clipboard gives back what was put there; its text is restored."""
    kept, computer.device.clipboard = computer.device.clipboard, TEXT
    same = computer.device.clipboard == TEXT
    computer.device.clipboard = kept
    return same


def closed(computer: DesktopComputer) -> str:
    """How the question about saving was answered."""
    computer.perform(Press(CLOSE[sys.platform]))
    computer.settle()
    screen = computer.observe()
    answer = next((one for one in screen.elements if one.role == "button" and one.name in NO_SAVING), None)
    if answer is None:
        return "closed without a question"
    computer.perform(Click(answer.box.center), answer)
    return f"answered with {answer.name}"


if __name__ == "__main__":
    sys.exit(main())
