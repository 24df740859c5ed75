"""Makes screens of windows of desktop toolkits, with truth, for the training of the detector, from a seed.

    python eval/vision/windows.py --out SCREENS --screens 400 [--first 900000]

The windows are those of `eval/eyes/windows` in Tk, GTK 3, GTK 4 and wxWidgets, which are in the half that may
be trained on, with contents drawn at random; Swing, Qt, FLTK and Motif are in the other half. They are shown
on a display of their own (Xvfb and openbox). Each says itself where its controls are; of a check box or radio
button the tick itself is cut out, as the text beside it is read by other means.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from pages import NOUNS, VERBS, PageMaker
from PIL import Image, ImageGrab

WINDOWS = Path(__file__).parents[1] / "eyes" / "windows"
SIZE = (1280, 800)
STARTING = 10.0
"""Seconds within which a window must say what it shows."""
TK = ("classic", "classic", "clam", "alt", "default")
ROLES = {"searchbox": "textbox", "treeitem": "item", "togglebutton": "button", "option": "item"}
"""What the detector calls roles of these windows."""
TICKS = ("checkbox", "radio")
GROUND = 10
"""Difference in brightness from which on a pixel is not the ground of its window."""
GAP = 4
"""Blank columns after a tick."""


def content(random: Random) -> str:
    """A window's content, as `parts.py` reads it."""
    maker = PageMaker(random.randrange(10**9), {})

    def label() -> str:
        return " ".join(random.sample(NOUNS, random.choice((1, 1, 2)))).capitalize()

    def items() -> str:
        names = [maker.value().replace("|", "") for _ in range(random.randint(2, 4))]
        chosen = random.randrange(len(names))
        return "|".join("*" * (n == chosen) + name for n, name in enumerate(names))

    def verbs(count: int) -> str:
        return "|".join(random.sample(VERBS, count))

    lines = [f"title\t{label()}\t{random.choice((1, 1, 2, 2, 3))}"]
    for _ in range(random.randint(5, 18)):
        kind = random.choice(
            (
                *("textbox", "textbox", "textbox", "number", "number", "select", "select", "checkbox"),
                *("checkbox", "radios", "radios", "radios", "slider", "button", "primary", "toolbar"),
                *("tabs", "search", "textarea"),
            )
        )
        value = {
            "number": lambda: str(random.randint(0, 99)),
            "slider": lambda: str(random.randint(0, 100)),
            "select": items,
            "radios": items,
            "toolbar": lambda: verbs(random.randint(2, 4)),
            "tabs": items,
        }.get(kind, lambda: maker.value() if random.random() < 0.6 else "")()
        flag = random.choice(("on", "", "", "off" if random.random() < 0.3 else "on"))
        name = random.choice(VERBS) if kind in ("button", "primary") else label()
        lines.append(f"{kind}\t{name}\t{value}\t{flag if kind in ('checkbox', 'button') else ''}\t")
    return "\n".join(lines) + "\n"


def command(random: Random, content_path: Path, truth: Path) -> list[str]:
    """The program that shows a content."""
    shade = random.choice(("light", "light", "dark"))
    toolkit = random.choice(("tk", "tk", "tk", "gtk3", "gtk4", "wx"))
    given = {
        "tk": ("tk_window.py", random.choice(TK)),
        "gtk3": ("gtk_window.py", "3"),
        "gtk4": ("gtk_window.py", "4"),
        "wx": ("wx_window.py", "wx"),
    }[toolkit]
    return ["/usr/bin/python3", str(WINDOWS / given[0]), given[1], shade, str(content_path), str(truth)]


@contextmanager
def display(number: int) -> Iterator[str]:
    """A display with a window manager."""
    name = f":{number}"
    size = f"{SIZE[0]}x{SIZE[1]}x24"
    started = [subprocess.Popen(["Xvfb", name, "-screen", "0", size, "-nolisten", "tcp"])]
    try:
        time.sleep(1.0)
        started.append(subprocess.Popen(["openbox"], env=_environment(name), stderr=subprocess.DEVNULL))
        time.sleep(0.5)
        yield name
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(10)


def _environment(name: str) -> dict[str, str]:
    return {
        "DISPLAY": name,
        "PATH": os.defpath,
        "HOME": tempfile.gettempdir(),
        "LANG": "C.UTF-8",
        "GDK_BACKEND": "x11",
    }


def shown(name: str, random: Random, folder: Path) -> tuple[Image.Image, list[dict[str, Any]]] | None:
    """A window's picture and its controls, or None if it did not come."""
    ground = f"#{random.choice((0, 0x336699, 0xDDDDDD, random.randrange(1 << 24))):06x}"
    subprocess.run(["xsetroot", "-display", name, "-solid", ground], check=False)
    content_path, truth = folder / "content.txt", folder / "truth.txt"
    truth.unlink(missing_ok=True)
    content_path.write_text(content(random), "utf-8")
    process = subprocess.Popen(
        command(random, content_path, truth), env=_environment(name), stderr=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + STARTING
        while not truth.is_file():
            if time.monotonic() > until or process.poll() is not None:
                return None
            time.sleep(0.05)
        time.sleep(0.2)
        picture = ImageGrab.grab(xdisplay=name).convert("RGB")
        origin, *lines = (line.split("\t") for line in truth.read_text("utf-8").splitlines())
        left, top = _window(name) if origin[1] == "window" else (0, 0)
        return picture, [one for line in lines if (one := _thing(line, left, top, picture))]
    finally:
        process.kill()
        process.wait(10)


def _window(name: str) -> tuple[int, int]:
    """Where the front window is."""
    found = subprocess.run(
        ["xdotool", "getactivewindow", "getwindowgeometry", "--shell"],
        env=_environment(name), capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = dict(line.split("=", 1) for line in found.stdout.splitlines() if "=" in line)
    return int(told.get("X", 0)), int(told.get("Y", 0))


def _thing(line: list[str], left: int, top: int, picture: Image.Image) -> dict[str, Any] | None:
    role, _, *numbers, value, states = line
    role = ROLES.get(role, role)
    x, y, wide, high = (round(float(one)) for one in numbers)
    box = [x + left, y + top, wide, high]
    if box[0] < 0 or box[1] < 0 or box[0] + wide > SIZE[0] or box[1] + high > SIZE[1]:
        return None
    if role in TICKS and (cut := _tick(np.asarray(picture.convert("L")), box)) is not None:
        box = cut
    elif role in TICKS:
        return None
    kept = [one for one in states.split(",") if one] + ["filled"] * bool(value)
    return {"role": role, "states": " ".join(kept), "icon": "", "box": box}


def _tick(grey: np.ndarray, box: list[int]) -> list[int] | None:
    """The box of the first drawn thing in a widget, up to a gap: its tick."""
    x, y, wide, high = box
    part = grey[y : y + high, x : x + wide].astype(int)
    ground = np.bincount(part.ravel()).argmax()
    drawn = abs(part - ground) > GROUND
    drawn[:1], drawn[-1:], drawn[:, :1] = False, False, False
    columns = np.flatnonzero(drawn.any(axis=0))
    if not len(columns):
        return None
    gaps = np.flatnonzero(np.diff(columns) > GAP)
    last = columns[gaps[0]] if len(gaps) else columns[-1]
    rows = np.flatnonzero(drawn[:, columns[0] : last + 1].any(axis=1))
    size = last - columns[0] + 1, rows[-1] - rows[0] + 1
    if not 8 <= min(size) <= max(size) <= 26:
        return None
    return [int(x + columns[0]), int(y + rows[0]), int(size[0]), int(size[1])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--screens", type=int, default=400)
    parser.add_argument("--first", type=int, default=900_000, help="the first seed")
    parser.add_argument("--display", type=int, default=140, help="the number of the display to start")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    made = 0
    with (
        display(given.display) as name,
        tempfile.TemporaryDirectory() as folder,
        (given.out / f"truth-{given.first}.jsonl").open("a", encoding="utf-8") as file,
    ):
        for number in range(given.first, given.first + given.screens):
            picture = given.out / f"{number:06d}.png"
            if picture.is_file() or (screen := shown(name, Random(number), Path(folder))) is None:
                continue
            screen[0].save(picture)
            file.write(json.dumps({"picture": picture.name, "things": screen[1]}) + "\n")
            file.flush()
            made += 1
            if made % 20 == 0:
                print(f"{made} screens", flush=True)


if __name__ == "__main__":
    main()
