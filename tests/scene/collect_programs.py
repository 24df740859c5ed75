"""Collects the screens of desktop programs for `tests/scene`: `python -m tests.scene.collect_programs`.

What toolkits tell of labels, rows and dialogs is asked by the library of the accessibility bus, in a process
of its own, and not by the agent's reader. It takes the packages python3-gi and gir1.2-atspi-2.0.
"""

from __future__ import annotations

import json
import random
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.computers.virtual.private import for_programs
from gui_agent.core.actions import Press
from gui_agent.core.codec import plain
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.observation import Box, Observation
from tests.scene.collect import write

HERE = Path(__file__).parent
FILES = ("letter.txt", "budget 2026.csv", "photo.png", "notes.md")
STARTING, CHANGING = 8.0, 1.5
"""Seconds that a program gets to start, and a dialog to open."""
MOST = 12
"""Questions of one kind about one screen."""


def collect(told: Mapping[str, Any], folder: Path) -> tuple[Observation, Mapping[str, Any]]:
    """One screen, and what its programs tell."""
    for name in FILES:
        (folder / name).write_text(name)
    with VirtualComputer(home=str(folder), window=False) as computer:
        environment = {
            **for_programs(computer.running.folder, str(folder)),
            "DISPLAY": computer.running.display,
            "DBUS_SESSION_BUS_ADDRESS": computer.running.bus,
        }
        program = subprocess.Popen(
            shlex.split(told["open"]), env=environment, cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(STARTING)
        for keys in told.get("keys", ()):
            computer.perform(Press(tuple(keys.split("+"))))
            time.sleep(CHANGING)
        screen = computer.observe(picture=False)
        answer = subprocess.run(
            ["/usr/bin/python3", str(HERE / "oracle_atspi.py")],
            env=environment, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        program.kill()
        return screen, json.loads(answer.stdout)


def listed(box: Sequence[int] | None, screen: Observation, *, texts: bool) -> int:
    """The id of what is listed at a place; 0 for none."""
    if not box or box[2] <= 0 or box[3] <= 0:
        return 0
    there = Box(*box)
    fits = [(one.box.iou(there), one.id) for one in screen.elements if texts or not one.is_text]
    fit, number = max(fits, default=(0.0, 0))
    return number if fit >= 0.6 else 0


def questions(screen: Observation, told: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the programs answer about a screen."""
    asked = [*_labels(screen, told["labels"])]
    for table in told["tables"]:
        asked += _of_table(screen, table)
    kinds: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in asked:
        kinds[one["kind"]].append(one)
    draw = random.Random(screen.place.title)
    some = [one for each in kinds.values() for one in draw.sample(each, min(MOST, len(each)))]
    return [*some, {"kind": "dialog", "shown": bool(told["dialogs"])}]


def _labels(screen: Observation, told: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for one in told:
        control, text = listed(one["of"], screen, texts=False), listed(one["by"], screen, texts=True)
        element = screen.by_id(text)
        if control and element is not None and element.is_text and control != text:
            yield {"kind": "label", "of": control, "text": one["text"], "by": text}


def _of_table(screen: Observation, table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    rows = [
        [(one, number) for one in row if (number := listed(one["box"], screen, texts=True))]
        for row in table["rows"]
    ]
    # A cell of several parts has no name of its own, and what its parts say is not asked.
    told = [[cell for cell in row if not cell[0]["ticked"]] for row in rows]
    full = [
        row
        for row, others in zip(rows, told, strict=True)
        if len(row) > 1 and others and others[0][0]["name"]
    ]
    named = [next(cell for cell in row if not cell[0]["ticked"]) for row in full]
    keys = [one["name"] for one, _ in named]
    for row, (first, key) in zip(full, named, strict=True):
        others = [cell for cell in row if cell[1] != key]
        parts = [number for _, number in row]
        for _, number in others[-2:]:
            yield {"kind": "record", "of": number, "parts": parts}
            yield {"kind": "key", "of": number, "any": [key], "text": first["name"]}
        if keys.count(first["name"]) > 1:
            continue
        yield {"kind": "named", "phrase": first["name"], "parts": parts}
        for one, _ in others:
            if one["name"].isdecimal() and one["name"] not in keys:
                yield {"kind": "no key", "phrase": one["name"]}
        for one, number in others:
            head = table["heads"][one["column"]]
            if head and table["heads"].count(head) == 1:
                yield {"kind": "cell", "column": head, "row": first["name"], "any": [number]}


def main() -> None:
    """Collect the screens of all programs, or of those that are named."""
    wanted = sys.argv[1:]
    screens: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for told in tomllib.loads((HERE / "programs.toml").read_text("utf-8"))["screen"]:
        name = shlex.split(told["open"])[0]
        if wanted and name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                screen, answers = collect(told, Path(folder))
            except (GuiAgentError, OSError, subprocess.SubprocessError) as error:  # it does not start
                print(told["open"], "left out:", error, flush=True)
                continue
            asked = questions(screen, answers)
        kept = plain(screen)
        kept.pop("screenshot", None)
        screens[name].append({"screen": kept, "questions": asked})
        print(told["open"][:60], told.get("keys", ""), len(screen.elements), len(asked), flush=True)
    for name, found in screens.items():
        write(name, found)


if __name__ == "__main__":
    main()
