"""Measures the cost of a step without any model, split by part, on a page that does not change by itself.

    python eval/bench/bench_steps.py --steps 60

Every step is planned, grounded, guarded, carried out with real input, looked at with a screenshot, checked
and written to the trace. Times are medians in milliseconds; "settle" is the page's time to come to
rest and is listed apart from the overhead of the agent, with the load of the machine.
"""

from __future__ import annotations

import argparse
import http.server
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from gui_agent.agent.guard import PolicyGuard, load
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.computers.browser.computer import BrowserComputer
from gui_agent.core.trajectory import Step, Task, Trajectory, Turn
from gui_agent.planners.commands import PlainPlanner
from gui_agent.trace import RunWriter

BAR = 60.0
"""Maximum milliseconds of a step apart from settling, in the median."""
GATE = 3.0
"""Maximum milliseconds by which the guard may delay a request, in the median."""
SENDS = """<!doctype html><title>Cart</title><button onclick="send()">Add</button><script>
async function send() {
  const took = [];
  for (let n = 0; n < 200; n++) {
    const began = performance.now();
    await fetch("/cart/items", {method: "POST", body: JSON.stringify({sku: n})});
    took.push(performance.now() - began);
  }
  document.title = `${took.sort((a, b) => a - b)[100]} ms`;
}</script>"""
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
    """An ordinary page: a table of texts with a box to tick in each row."""
    rows = "".join(
        f"<tr><td>Order {n}</td><td>{n * 17 % 90 + 10} kg</td>"
        f'<td><label><input type="checkbox"> Item {n}</label></td></tr>'
        for n in range(1, boxes + 1)
    )
    return f"<!doctype html><title>Orders</title><h1>Orders</h1><table>{rows}</table>"


def measure(steps: int) -> dict[str, object]:
    """Run the task and summarise its steps."""
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


class Shop(http.server.BaseHTTPRequestHandler):
    """A page that adds to its cart by many requests, one after the other."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = SENDS.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None: ...


def gate() -> tuple[float, float]:
    """Median milliseconds of a request that a click sends: held and judged, and not held at all."""
    took: list[float] = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server, BrowserComputer() as computer:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for policy in ("default", "eval") * 3:
            agent = Agent(computer, PlainPlanner(), guard=PolicyGuard(load(policy)))
            task = Task('click "Add"', f"http://127.0.0.1:{server.server_port}/")
            agent.run(task)
            enough = time.monotonic() + 30
            while not (title := computer.observe(picture=False).place.title).endswith(" ms"):
                assert time.monotonic() < enough, title
                time.sleep(0.1)
            took.append(float(title.split()[0]))
        server.shutdown()
    return statistics.median(took[::2]), statistics.median(took[1::2])


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
    held, free = gate()
    found |= {"request_held": round(held, 2), "request_free": round(free, 2)}
    if options.json:
        print(json.dumps(found))
        return 0
    parts = found["parts"]
    assert isinstance(parts, dict)
    print(f"{found['steps']} steps, milliseconds per step (load {found['load']})")
    for name in (*PARTS, *sorted(parts.keys() - {*PARTS, "settle"})):
        print(f"  {name:<10} {parts.get(name, 0.0):7.2f}")
    spread = f"90 % under {found['overhead_p90']}; the limit is {BAR:g}"
    print(f"  {'overhead':<10} {found['overhead']:7.2f}   {spread}")
    print(f"  {'settle':<10} {parts.get('settle', 0.0):7.2f}   until the page is at rest")
    print(f"  {'in all':<10} {found['wall_per_step']:7.2f}")
    more = f"{free:.2f} if nothing is held; the limit is {GATE:g} more"
    print(f"  {'request':<10} {held:7.2f}   held and judged, {more}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
