"""Measures input and observation of a desktop on a private display: pictures, typing, settling, steps.

    python eval/bench/bench_desktop.py --rounds 30

An editor runs on a display of 1920 x 1080. For comparison, pyautogui is measured in the
same run in a process of its own, with its pauses switched off. Milliseconds are medians. Typed text is
read back through the clipboard; a text that did not arrive whole does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from Xlib import X

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.computers.x11.windows import Connection
from gui_agent.core.actions import Move, Press
from gui_agent.core.observation import Point
from gui_agent.planners.commands import PlainPlanner

SIZE = (1920, 1080)
TEXT = "The quick brown fox jumps over the lazy dog; 0123456789 (round) [square] {curly} <angle> = 100% & m\n"
BARS = {"type 100 characters": 20.0, "step besides settling": 60.0, "settled after the last change": 250.0}
TYPING = 10
"""Number of texts typed by each."""
PEER = """
import json, statistics, sys, time
import pyautogui
pyautogui.PAUSE, pyautogui.MINIMUM_DURATION, pyautogui.FAILSAFE = 0, 0, False

def median(work, rounds):
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken)

rounds, text = int(sys.argv[1]), sys.argv[2]
try:
    grab = median(pyautogui.screenshot, rounds)
except Exception as error:  # it needs a program that takes the picture
    grab = str(error).partition("\\n")[0]
typed = median(lambda: pyautogui.write(text), 1)
print(json.dumps({"grab": grab, "type": typed}))
"""


def median(work: Callable[[], object], rounds: int) -> float:
    """Median milliseconds of a piece of work."""
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken)


def empty_clipboard(desktop: VirtualComputer) -> None:
    """Take the clipboard, and end the connection that has it."""
    owner = Connection(desktop.running.display)
    with owner.use():
        window = owner.root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        window.set_selection_owner(owner.atom("CLIPBOARD"), X.CurrentTime)
        owner.display.sync()
    owner.close()


def editor_text(desktop: VirtualComputer) -> str:
    """The whole text of the editor, as the editor copies it."""
    empty_clipboard(desktop)
    for key in ("a", "c"):
        desktop.perform(Press(("ctrl", key)))
    deadline = time.monotonic() + 5
    while not (text := desktop.device.clipboard) and time.monotonic() < deadline:
        time.sleep(0.05)
    return text


def emptied(desktop: VirtualComputer) -> None:
    """Empty the editor."""
    for keys in (("ctrl", "a"), ("delete",)):
        desktop.perform(Press(keys))
    desktop.settle()


def typing(desktop: VirtualComputer) -> float:
    """Milliseconds to type 100 characters until the display shows them; all must arrive."""
    emptied(desktop)
    taken = median(lambda: desktop.device.type_text(TEXT), TYPING)
    desktop.device.caught_up(desktop.device.windows()[-1], 30.0)
    arrived = editor_text(desktop)
    assert arrived == TEXT * TYPING, f"not whole: {len(arrived)} characters, {arrived[:60]!r} ..."
    return taken


def settling(desktop: VirtualComputer, rounds: int) -> list[float]:
    """Milliseconds from the last of several changes to the end of settling, for each round."""
    painter = Connection(desktop.running.display)
    window = painter.root.create_window(1500, 700, 200, 200, 0, 24, override_redirect=True)
    with painter.use():
        window.map()
    late = []
    for turn in range(rounds):
        ended = [0.0]

        def paint(turn: int = turn, ended: list[float] = ended) -> None:
            for shade in range(5):
                time.sleep(0.06)
                with painter.use():
                    window.change_attributes(background_pixel=(turn * 40 + shade * 8 + 1) << 8)
                    window.clear_area(0, 0, 0, 0)
                    painter.display.sync()
                ended[0] = time.perf_counter()

        desktop.perform(Move(Point(700 + turn, 900)))
        worker = threading.Thread(target=paint)
        worker.start()
        desktop.settle()
        over = time.perf_counter()
        worker.join()
        late.append(1000 * (over - ended[0]))
    with painter.use():
        window.destroy()
    painter.close()
    return late


def steps(desktop: VirtualComputer, count: int) -> tuple[list[float], dict[str, float]]:
    """Milliseconds of each step apart from settling, and the median of each part."""
    emptied(desktop)
    task = ", ".join(f'type "word{number} "' for number in range(count))
    trajectory = Agent(desktop, PlainPlanner(), limits=Limits(steps=count + 5)).run(task)
    assert trajectory.ending is not None and trajectory.ending.kind == "done", trajectory.ending
    parts: dict[str, list[float]] = {}
    whole = []
    for step in trajectory.steps:
        for part, seconds in step.seconds.items():
            parts.setdefault(part, []).append(1000 * seconds)
        whole.append(1000 * sum(seconds for part, seconds in step.seconds.items() if part != "settle"))
    return whole, {part: statistics.median(taken) for part, taken in parts.items()}


def peer(desktop: VirtualComputer, rounds: int) -> dict[str, float | str]:
    """The same figures for pyautogui, which can drive one display per process, or why there are none."""
    emptied(desktop)
    display = [
        "env",
        "XDG_SESSION_TYPE=x11",
        f"DISPLAY={desktop.running.display}",
        f"XAUTHORITY={os.devnull}",
    ]
    command = [*display, sys.executable, "-c", PEER, str(rounds), TEXT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"missing": done.stderr.strip().rpartition("\n")[2] or "pyautogui does not start"}
    told: dict[str, float | str] = json.loads(done.stdout.splitlines()[-1])
    desktop.device.caught_up(desktop.device.windows()[-1], 30.0)
    told["arrived"] = "right" if editor_text(desktop) == TEXT else "wrong"
    return told


def main() -> int:
    """Print the table; returns 1 if a limit is exceeded."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--rounds", type=int, default=30)
    rounds = options.parse_args().rounds
    with VirtualComputer(size=SIZE, home="fresh", open="mousepad --disable-server") as desktop:
        desktop.settle()
        other = peer(desktop, rounds)
        whole, parts = steps(desktop, 12)
        late = settling(desktop, max(5, rounds // 3))
        rows = [
            ("grab 1920 x 1080", median(desktop.device.grab, rounds), other.get("grab")),
            ("grab for comparing", median(desktop.device.pixels, rounds), None),
            ("type 100 characters", typing(desktop), other.get("type")),
            ("observe with picture", median(desktop.observe, rounds), None),
            ("step besides settling", statistics.median(whole), None),
            ("settled after the last change", statistics.median(late), None),
        ]
    print(f"{'ms, median':32} {'guiagent':>9} {'pyautogui':>10} {'bar':>6}   load {os.getloadavg()[0]:.1f}")
    for name, ours, theirs in rows:
        told = f"{theirs:10.1f}" if isinstance(theirs, float) else f"{'-':>10}"
        print(f"{name:32} {ours:9.1f} {told} {BARS.get(name, 0) or '-':>6}")
    print(
        f"steps: {min(whole):.0f} to {max(whole):.0f} ms; parts: "
        + ", ".join(f"{part} {taken:.1f}" for part, taken in parts.items())
    )
    print(f"settling: {min(late):.0f} to {max(late):.0f} ms after the last change")
    if "missing" in other:
        print(f"pyautogui: {other['missing']}")
    else:
        if isinstance(other["grab"], str):
            print(f"pyautogui takes no picture: {other['grab']}")
        print(f"the text by pyautogui arrived {other['arrived']}, by guiagent right")
    missed = [name for name, ours, _ in rows if ours > BARS.get(name, float("inf"))]
    if missed:
        print(f"MISSED: {', '.join(missed)}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
