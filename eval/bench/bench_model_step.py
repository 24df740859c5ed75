"""Measures the cost of a step besides the model: the prompt, the request, and the work after the answer.

    python eval/bench/bench_model_step.py --steps 40

A local HTTP server answers at once in the chat format; a real browser at 1280 x 800 shows a table with boxes
to tick. Times are medians in milliseconds; settling is the page's time and listed separately. The mean
processor time of this process, with the server's, is listed too; it does not depend on the machine's load.
Tokens are an estimate from the characters sent, pictures at about one token for 750 pixels.
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
from typing import Any

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.computers.browser.computer import BrowserComputer
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.models import open_model
from gui_agent.planners.llm import ModelPlanner

BAR = 80.0
"""Maximum milliseconds of a step besides the model and settling, in the median."""
SIZE = (1280, 800)
PIXELS_PER_TOKEN = 750
CHARACTERS_PER_TOKEN = 3.5


class Served:
    """A model that ticks one box after the other and keeps the requests, which are read at the end."""

    def __init__(self, steps: int) -> None:
        self.bodies: list[bytes] = []
        served = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                served.bodies.append(self.rfile.read(int(self.headers["content-length"])))
                raw = json.dumps(answer(len(served.bodies), steps)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.name = f"http://127.0.0.1:{self._server.server_port}/v1#local"

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()


def answer(number: int, steps: int) -> dict[str, Any]:
    """The tool call for the decision with this number."""
    tick = {
        "kind": "check",
        "at": {"text": f"Item {(number - 1) % 12}"},
        "on": number <= 12 or number % 24 < 12,
    }
    end = {"kind": "give_up", "reason": "the end of the measurement"}
    said = {"thought": f"Tick {number}", "actions": [tick]} if number <= steps else {"end": end}
    function = {"name": "decide", "arguments": json.dumps(said)}
    message = {
        "role": "assistant",
        "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
    }
    return {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}


def tokens(body: Any) -> float:
    """An estimate of the tokens of a request."""
    pictures = json.dumps(body).count('"image_url": {')
    text = json.dumps(without_pictures(body), ensure_ascii=False)
    return len(text) / CHARACTERS_PER_TOKEN + pictures * SIZE[0] * SIZE[1] / PIXELS_PER_TOKEN


def without_pictures(value: Any) -> Any:
    """The request without its pictures."""
    if isinstance(value, dict):
        return {key: "" if key == "image_url" else without_pictures(item) for key, item in value.items()}
    return [without_pictures(item) for item in value] if isinstance(value, list) else value


def page(boxes: int = 40) -> str:
    """A table of texts with a box to tick in each row."""
    rows = "".join(
        f"<tr><td>Order {n}</td><td>{n * 17 % 90 + 10} kg</td>"
        f'<td><label><input type="checkbox"> Item {n}</label></td></tr>'
        for n in range(boxes)
    )
    return f"<!doctype html><title>Orders</title><h1>Orders</h1><table>{rows}</table>"


def measure(steps: int) -> tuple[Trajectory, list[float], float]:
    """A run of this many steps, the tokens of its requests, and the processor time of this process."""
    served = Served(steps)
    model = open_model(served.name, key=lambda variable: "")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "orders.html"
        path.write_text(page(), encoding="utf-8")
        try:
            with BrowserComputer(size=SIZE) as computer:
                agent = Agent(computer, ModelPlanner(model), limits=Limits(steps=steps + 1, seconds=600))
                began = time.process_time()
                run = agent.run(Task("tick the items", path.as_uri())).trajectory
                computing = time.process_time() - began
        finally:
            model.close()
            served.close()
    return run, [tokens(json.loads(body)) for body in served.bodies], computing


def report(run: Trajectory, asked: list[float], computing: float) -> dict[str, Any]:
    """The medians by part, in milliseconds, and the tokens."""
    turns = [turn for turn in run.turns if turn.steps][2:]
    parts: dict[str, list[float]] = {"ask": [turn.seconds * 1000 for turn in turns]}
    totals = []
    for turn in turns:
        own = {part: seconds * 1000 for part, seconds in turn.steps[0].seconds.items()}
        for part, milliseconds in own.items():
            parts.setdefault(part, []).append(milliseconds)
        totals.append(turn.seconds * 1000 + sum(own.values()) - own.get("settle", 0.0))
    ticked = sum(step.outcome.kind == "confirmed" for step in run.steps)
    return {
        "steps": len(run.steps),
        "confirmed": ticked,
        "calls_per_decision": run.model_calls / len(run.turns),
        "milliseconds": round(statistics.median(totals), 1),
        "parts": {part: round(statistics.median(values), 1) for part, values in parts.items()},
        "computing": round(1000 * computing / max(1, len(run.steps)), 1),
        "tokens_per_step": round(statistics.median(asked[2:])),
        "tokens_at_8": round(asked[8]),
        "tokens_at_end": round(asked[-1]),
        "load": round(os.getloadavg()[0], 2),
    }


def main() -> int:
    """Print the report; the exit code says whether the limit is met."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--json", action="store_true", help="print one JSON value")
    given = parser.parse_args()
    found = report(*measure(max(12, given.steps)))
    if given.json:
        print(json.dumps(found))
    else:
        for key, value in found.items():
            print(f"{key:<20} {value}")
        print(f"{'bar':<20} {BAR} ms: {'met' if found['milliseconds'] < BAR else 'MISSED'}")
    return 0 if found["milliseconds"] < BAR else 1


if __name__ == "__main__":
    sys.exit(main())
