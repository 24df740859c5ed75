"""Measures whether vision alone finds the controls of real programs that the accessibility tree names.

    python eval/bench/bench_vision.py [--programs mousepad,kcalc] [--each 12] [--pictures FOLDER]

Each program runs on a private display. The tree gives the controls with their names and
places. Then the grounder is asked for each name with only the result of vision, and its point
must lie in the box that the tree gives, or in that of the field that the grounder finds by this label in the
tree. Entries of menu bars are clicked as well, and their menu must open. Buttons that show only an icon,
whose name is only in the tree or in a tooltip, are left out; they are listed in `ICONS`. Times are medians of
wall and processor time; a first look of a process includes loading the text recognition. The load of the
machine is printed too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.computers.x11.computer import X11Computer
from gui_agent.core.actions import Click, Press
from gui_agent.core.errors import Ambiguous, GuiAgentError, NotFound
from gui_agent.core.observation import Box, Element, Observation, Words
from gui_agent.core.texts import label, normal

BAR = 0.9
"""Minimum share of the controls that must be found."""
LEAST = 60
"""Minimum number of controls and, below, of programs."""
PROGRAMS = 6
FORM = (
    "yad --form --title=Order --field=Person --field=Street --field=Express:CHK --field=Gift:CHK"
    " --field=Size:CB --field=Notes:TXT --button=Apply:0 --button=Cancel:1 '' '' TRUE FALSE 'S!M!L' ''"
)
ZENITY = (
    "zenity --forms --title=Order '--text=New order' --add-entry=Customer --add-entry=Street"
    " --add-password=Code --add-combo=Colour '--combo-values=red|green' --add-calendar=Delivery"
)
SCREENS = {
    "mousepad": ("mousepad", ("ctrl+r",)),
    "calc": ("libreoffice --calc", ("ctrl+1",)),
    "thunar": ("thunar", ()),
    "galculator": ("galculator", ()),
    "kcalc": ("kcalc", ()),
    "yad": (FORM, ()),
    "gedit": ("gedit", ("ctrl+h",)),
    "featherpad": ("featherpad", ("ctrl+f",)),
    "zenity": (ZENITY, ()),
}
"""The command of each program, and the keys that open a dialog with more controls."""
STARTING = 20.0
"""Seconds within which a program must expose its controls."""
ICONS = {
    "featherpad": (
        *("New", "Open", "Save", "Undo", "Redo", "Reload", "Find", "Replace", "Jump to", "Side-pane"),
        *("Save/Restore Session", "Next", "Previous", "Match Case", "Whole Word", "Regular Expression"),
    ),
    "thunar": ("Back", "Forward", "Open Parent", "Home", "Search for Files..."),
    "gedit": ("Menu", "New", "Minimize", "Maximize", "Close"),
}
CELL = re.compile(r"[A-Z]{1,2}\d+")
ROLES = frozenset(
    (
        *("button", "togglebutton", "menuitem", "checkbox", "radio", "tab", "text"),
        *("combobox", "gridcell", "columnheader", "link"),
    )
)


@dataclass
class Tally:
    """The counts of one program."""

    asked: int = 0
    found: int = 0
    opened: int = 0
    """Menus that a click opened, of `menus`."""
    menus: int = 0
    missed: list[str] = field(default_factory=list)
    seconds: list[tuple[float, float]] = field(default_factory=list)
    """Wall and processor time of the first look, the look at the same screen, and the look after a change."""


@contextmanager
def screen(program: str) -> Iterator[tuple[VirtualComputer, X11Computer]]:
    """A private display with a program, observed once by the tree and once by vision."""
    command, keys = SCREENS[program]
    with VirtualComputer(home="fresh", observe="tree") as tree:
        tree.start(command)
        until = time.monotonic() + STARTING
        while not named(tree.observe(picture=False), program, LEAST) and time.monotonic() < until:
            tree.settle()
        for key in keys:
            before = named(tree.observe(picture=False), program, LEAST)
            tree.perform(Press((key,)))
            until = time.monotonic() + STARTING
            while named(tree.observe(picture=False), program, LEAST) == before and time.monotonic() < until:
                tree.settle()
        tree.settle()
        running = tree.running
        with X11Computer(display=running.display, session=running.bus, observe="vision") as eyes:
            yield tree, eyes


def named(observation: Observation, program: str, each: int) -> list[str]:
    """Names of controls that can be read, evenly from the dialog in front and the menu bar, or from all."""
    dialog = any("dialog[" in one.path for one in observation.elements)
    names = [
        element.name
        for element in observation.elements
        if (not dialog or "dialog[" in element.path or "menubar" in element.path)
        and element.role in ROLES
        and 0 < len(element.name.strip()) <= 40
        and shows_name(element)
    ]
    icons = [normal(name) for name in ICONS.get(program, ())]
    names = [name for name in dict.fromkeys(names) if normal(name) not in icons]
    step = max(1.0, len(names) / each)
    return [names[int(place * step)] for place in range(min(each, len(names)))]


def shows_name(element: Element) -> bool:
    """Whether a control can show its name: buttons of toolbars are icons, and empty cells show nothing."""
    if "toolbar" in element.path:
        return element.box.width > 1.6 * element.box.height
    return not CELL.fullmatch(element.name)


def boxes(name: str, told: Observation) -> list[Box]:
    """The boxes of the tree's elements with this name, and of the field that it labels."""
    named_so = [one.box for one in told.elements if label(one.name) == label(name) or one.name == name]
    with contextlib.suppress(NotFound, Ambiguous):
        meant = ScreenGrounder().locate(Words(name), told)
        return [*named_so, *([meant.box] if meant.box else [])]
    return named_so


def timed(eyes: X11Computer, tally: Tally) -> Observation:
    """A look by vision, with its time recorded."""
    wall, spent = time.perf_counter(), time.process_time()
    seen = eyes.observe()
    tally.seconds.append((time.perf_counter() - wall, time.process_time() - spent))
    return seen


def measure(program: str, each: int, pictures: Path | None) -> Tally:
    """Ask for the controls of one program."""
    tally = Tally()
    with screen(program) as (tree, eyes):
        told = tree.observe()
        seen = timed(eyes, tally)
        timed(eyes, tally)
        if pictures is not None:
            eyes.device.grab().save(pictures / f"{program}.png")
        grounder = ScreenGrounder()
        for name in named(told, program, each):
            tally.asked += 1
            why = ""
            try:
                found = grounder.locate(Words(name), seen)
                if not any(box.contains(found.point) for box in boxes(name, told)):
                    why = f"took {found.element} at {found.point.x},{found.point.y}"
            except (NotFound, Ambiguous) as error:
                why = str(error)
            if why:
                tally.missed.append(f"{name}: {why}")
            else:
                tally.found += 1
        open_menus(tree, eyes, told, tally)
    return tally


def open_menus(tree: VirtualComputer, eyes: X11Computer, told: Observation, tally: Tally) -> None:
    """Click entries of the menu bar, found by vision on the current screen."""
    if any("dialog[" in element.path for element in told.elements):
        tree.perform(Press(("escape",)))
        tree.settle()
    for element in [one for one in told.elements if "menubar" in one.path and one.name][:4]:
        tally.menus += 1
        try:
            found = ScreenGrounder().locate(Words(element.name), timed(eyes, tally))
            eyes.perform(Click(found.point), found.element)
            eyes.settle()
            if any(window.popup for window in eyes.device.windows()):
                tally.opened += 1
            else:
                tally.missed.append(f"menu {element.name}: no menu opened")
        except GuiAgentError as error:
            tally.missed.append(f"menu {element.name}: {error}")
        tree.perform(Press(("escape",)))
        tree.settle()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", default=",".join(SCREENS))
    parser.add_argument("--each", type=int, default=14, help="maximum number of controls per program")
    parser.add_argument("--pictures", type=Path, help="folder for the screenshots")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    programs = asked.programs.split(",")
    missing = [one for one in programs if shutil.which(SCREENS[one][0].split()[0]) is None]
    if missing:
        print(f"not installed and left out: {', '.join(missing)}", file=sys.stderr)
    tallies = {one: measure(one, asked.each, asked.pictures) for one in programs if one not in missing}
    controls, found = (sum(getattr(t, what) for t in tallies.values()) for what in ("asked", "found"))
    share = found / controls
    passed = share >= BAR and (controls >= LEAST and len(tallies) >= PROGRAMS)
    if asked.json:
        print(json.dumps({one: vars(tally) for one, tally in tallies.items()}, indent=1))
    else:
        for one, tally in tallies.items():
            menus = f"{tally.opened} of {tally.menus} menus opened"
            print(f"{one:12} {tally.found:3} of {tally.asked:3} found, {menus}")
            for miss in tally.missed:
                print(f"             {normal(miss)}")
        for place, what in enumerate(("first look", "same screen again", "after a change")):
            looks = [
                t.seconds[place] if place < 2 else s
                for t in tallies.values()
                for s in (t.seconds[place : place + 1] if place < 2 else t.seconds[2:])
            ]
            if looks:
                wall, spent = (statistics.median(one[side] for one in looks) for side in (0, 1))
                print(f"{what}: {1000 * wall:.0f} ms, processor {1000 * spent:.0f} ms")
        print(
            f"{found} of {controls} controls of {len(tallies)} programs found: {share:.0%} (bar {BAR:.0%});"
        )
        print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
