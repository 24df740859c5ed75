"""Measures what a step costs without any model, split by part, on a page that stands still.

    python eval/bench/bench_steps.py --steps 60

Every step is planned, grounded, guarded, carried out with real input, looked at with a screenshot, checked
and written to the trace. Times are medians in milliseconds; "settle" is the time the page takes to come to
rest and is shown apart from the overhead of the agent. The load of the machine is given beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.computers.browser.computer import BrowserComputer
from gui_agent.core.trajectory import Step, Task, Trajectory, Turn
from gui_agent.planners.commands import PlainPlanner
from gui_agent.trace import RunWriter

BAR = 60.0
"""Milliseconds that a step may cost apart from settling, in the median."""
PARTS = ("observe", "plan", "ground", "guard", "act", "check", "trace")


class Timed:
    """A run writer that measures the time spent in it."""

    def __init__(self, folder: str) -> None:
        self._writer = RunWriter(folder)
        self.seconds = 0.0

    def started(self, task: Task) -> None:
        self._writer.started(task)

    def decided(self, turn: Turn) -> None:
        began = time.perf_counter()
        self._writer.decided(turn)
        self.seconds += time.perf_counter() - began

    def stepped(self, step: Step) -> None:
        began = time.perf_counter()
        self._writer.stepped(step)
        self.seconds += time.perf_counter() - began

    def ended(self, trajectory: Trajectory) -> None:
        self._writer.ended(trajectory)


def page(boxes: int) -> str:
    """A page as people have them: a table of texts with a box to tick in each row."""
    rows = "".join(
        f"<tr><td>Order {n}</td><td>{n * 17 % 90 + 10} kg</td>"
        f'<td><label><input type="checkbox"> Item {n}</label></td></tr>'
        for n in range(1, boxes + 1)
    )
    return f"<!doctype html><title>Orders</title><h1>Orders</h1><table>{rows}</table>"


def measure(steps: int) -> dict[str, object]:
    """Run the task and sum up its steps."""
    boxes = min(steps, 20)
    commands = [f'{"tick" if n // boxes % 2 == 0 else "untick"} "Item {n % boxes + 1}"' for n in range(steps)]
    with tempfile.TemporaryDirectory() as folder, BrowserComputer() as computer:
        path = Path(folder) / "orders.html"
        path.write_text(page(boxes))
        writer = Timed(folder)
        agent = Agent(computer, PlainPlanner(), observers=[writer], limits=Limits(steps=steps + 1))
        began = time.perf_counter()
        trajectory = agent.run(Task(", ".join(commands), start=path.as_uri()))
        wall = time.perf_counter() - began
    assert trajectory.ending is not None and trajectory.ending.kind == "done", trajectory.ending
    return summary(trajectory, writer.seconds, wall)


def summary(trajectory: Trajectory, writing: float, wall: float) -> dict[str, object]:
    """Medians by part, in milliseconds."""
    count = len(trajectory.steps)
    names = {name for step in trajectory.steps for name in step.seconds}
    parts = {name: [1000 * step.seconds.get(name, 0.0) for step in trajectory.steps] for name in names}
    planning = 1000 * sum(turn.seconds for turn in trajectory.turns) / count
    trace = 1000 * writing / count
    overheads = [
        sum(values[place] for name, values in parts.items() if name != "settle") + planning + trace
        for place in range(count)
    ]
    return {
        "steps": count,
        "parts": {
            **{name: round(statistics.median(values), 2) for name, values in sorted(parts.items())},
            "plan": round(planning, 2),
            "trace": round(trace, 2),
        },
        "overhead": round(statistics.median(overheads), 2),
        "overhead_p90": round(statistics.quantiles(overheads, n=10)[-1], 2),
        "wall_per_step": round(1000 * wall / count, 2),
        "load": round(os.getloadavg()[0], 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found = measure(options.steps)
    if options.json:
        print(json.dumps(found))
        return 0
    parts = found["parts"]
    assert isinstance(parts, dict)
    print(f"{found['steps']} steps, milliseconds per step (load {found['load']})")
    for name in (*PARTS, *sorted(parts.keys() - {*PARTS, "settle"})):
        print(f"  {name:<10} {parts.get(name, 0.0):7.2f}")
    spread = f"90 % under {found['overhead_p90']}; the bar is {BAR:g}"
    print(f"  {'overhead':<10} {found['overhead']:7.2f}   {spread}")
    print(f"  {'settle':<10} {parts.get('settle', 0.0):7.2f}   until the page is at rest")
    print(f"  {'in all':<10} {found['wall_per_step']:7.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
