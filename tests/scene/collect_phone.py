"""Collects the screens of the simulated phone for `tests/scene`: `python -m tests.scene.collect_phone`.

The phone's own hierarchy of views answers: an entry is what a list of Android holds directly.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from guiagent_eval.apps import simulated_phone
from guiagent_platforms.android.computer import AndroidComputer

from gui_agent.core.actions import Open
from gui_agent.core.codec import plain
from gui_agent.core.observation import Element, Observation
from tests.scene.collect import write

PROGRAMS = (
    *("Settings", "Contacts", "Messages", "Clock", "Notes", "Shop"),
    *("Calendar", "Tasks", "Files", "Mail", "Vault", "Gallery"),
)
_ENTRY = re.compile(r"(.*(?:RecyclerView|ListView)\[\d+\]/\w+\[\d+\])/")
MOST = 12


def questions(screen: Observation) -> Iterator[dict[str, Any]]:
    """What the hierarchy of views answers about a screen."""
    entries: dict[str, list[Element]] = defaultdict(list)
    for one in screen.elements:
        if found := _ENTRY.match(one.path + "/"):
            entries[found[1]].append(one)
    full = [held for held in entries.values() if len(held) > 1]
    for held in full[:MOST] if len(full) > 1 else ():
        parts = [one.id for one in held]
        yield {"kind": "record", "of": parts[-1], "parts": parts}
        alone = [one for one in screen.elements if one.name == held[0].name]
        if held[0].name and len(alone) == 1:
            yield {"kind": "named", "phrase": held[0].name, "parts": parts}


def main() -> None:
    found = []
    with simulated_phone() as (_, address), tempfile.TemporaryDirectory() as folder:
        computer = AndroidComputer(name=address, kept=folder)
        try:
            for name in PROGRAMS:
                computer.perform(Open(name))
                time.sleep(1)
                screen = computer.observe(picture=False)
                kept = plain(screen)
                kept.pop("screenshot", None)
                found.append({"screen": kept, "questions": list(questions(screen))})
                print(name, len(screen.elements), len(found[-1]["questions"]), flush=True)
        finally:
            computer.close()
    write("phone", found)


if __name__ == "__main__":
    main()
