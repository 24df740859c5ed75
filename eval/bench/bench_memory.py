"""Measures the exemplar memory: query times, parallel writers, killed writers.

    python eval/bench/bench_memory.py --entries 100000 --embedder lexical

Prints one JSON object. Times are in milliseconds, with the load of the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from memory_processes import lost_after_kills, lost_by_parallel_writers

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Box, Element, Fingerprint, Observation, Place, Size
from gui_agent.core.trajectory import Demonstration, DemoStep, Screen, Task
from gui_agent.memory.embedding import EmbeddingKey, choose
from gui_agent.memory.exemplars import ExemplarMemory, entry_of
from gui_agent.memory.recall import SHORTLIST

WORDS = {
    "verbs": "send open delete archive rename copy move print share export import search sort filter book",
    "things": "message invoice contact appointment report folder photo playlist order ticket parcel recipe "
    "survey contract newsletter backup password profile banner spreadsheet chapter comment device printer",
    "names": "Ada Grace Alan Barbara Edsger Donald Frances Tony Radia Ken Dennis Margaret Niklaus John",
}
VERBS, THINGS, NAMES = (text.split() for text in WORDS.values())
PLACES = (
    "to the archive",
    "for the customer",
    "in the table",
    "from last month",
    "as a draft",
    "by date",
    "for",
)
SIZE = Size(1280, 800)


def screen_of(app: int) -> Screen:
    """The first screen of one of the made-up applications, always the same for one number."""
    source = random.Random(app)
    roles = ("button", "textbox", "link", "text", "checkbox")
    elements = tuple(
        Element(
            number,
            source.choice(roles),
            f"{source.choice(VERBS)} {source.choice(THINGS)}",
            Box(20 + 300 * (number % 4), 20 + 40 * (number // 4), 200, 30),
        )
        for number in range(1, 9)
    )
    return Screen(SIZE, Place(f"app{app}.example", f"{source.choice(THINGS)} desk"), elements)


def demonstration(source: random.Random) -> Demonstration:
    """A made-up run: a task of one of 3,200 families with values of its own, in one of 60 applications."""
    screen = screen_of(source.randrange(60))
    task = (
        f"{source.choice(VERBS)} the {source.choice(THINGS)} {source.choice(NAMES)} "
        f"{source.choice(PLACES)} {source.choice(NAMES)} with '{source.randrange(10**6)}'"
    )
    steps = tuple(
        DemoStep(action(source, element), screen, element.id) for element in source.sample(screen.elements, 3)
    )
    return Demonstration(task, steps, origin=f"run {source.randrange(10**9)}")


def action(source: random.Random, element: Element) -> Click[Fingerprint] | TypeText[Fingerprint]:
    at = Fingerprint(element.role, element.name, box=element.box, screen=SIZE)
    return TypeText(source.choice(NAMES), at) if element.role == "textbox" else Click(at)


def fill(memory: ExemplarMemory, count: int) -> None:
    """Add entries in transactions of 1,000; accidental duplicates are not added."""
    source = random.Random(1)
    while (missing := count - memory.store.stats().entries) > 0:
        memory.store.add(entry_of(demonstration(source)) for _ in range(min(1000, missing)))


def queries(count: int) -> Iterator[tuple[Task, Observation]]:
    """Tasks that were not stored, on screens of the same applications."""
    source = random.Random(2)
    for _ in range(count):
        asked = demonstration(source)
        screen = asked.steps[0].screen
        assert screen is not None
        yield Task(asked.task), Observation(screen.size, screen.elements, screen.place)


def timed(call: Callable[..., object], arguments: Sequence[tuple[Any, ...]]) -> dict[str, float]:
    """Milliseconds of one call for each tuple of arguments, by the clock and of processor time.

    On a busy machine only the processor time is meaningful.
    """
    times: list[float] = []
    worked: list[float] = []
    for given in arguments:
        started, begun = time.perf_counter(), time.process_time()
        call(*given)
        times.append((time.perf_counter() - started) * 1000)
        worked.append((time.process_time() - begun) * 1000)
    clock, cpu = (statistics.quantiles(found, n=100, method="inclusive") for found in (times, worked))
    return {
        "p50": round(clock[49], 3),
        "p99": round(clock[98], 3),
        "max": round(max(times), 3),
        "cpu_p50": round(cpu[49], 3),
        "cpu_p99": round(cpu[98], 3),
    }


def measure(memory: ExemplarMemory, count: int) -> dict[str, Any]:
    """Query times of the whole recall, of the search alone and of the vectors alone."""
    asked = list(queries(count))
    table = memory._recall().vectors
    embedder = table.embedder
    keys = [EmbeddingKey(task.text, seen.place.app, "") for task, seen in asked]
    vectors = embedder.embed(keys)
    found = [memory.recall(task, seen) for task, seen in asked[:200]]
    fresh = list(queries(2 * count))[count:]
    return {
        "recall_call": timed(memory.recall, fresh),
        "search": timed(memory.why, [(task.text, seen) for task, seen in asked]),
        "embedding": timed(lambda key: embedder.embed([key]), [(key,) for key in keys]),
        "nearest": timed(lambda vector: table.nearest(vector, SHORTLIST), [(vector,) for vector in vectors]),
        "exemplars_per_answer": statistics.mean(len(items) for items in found),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--embedder", default="lexical")
    parser.add_argument("--folder", type=Path, help="folder in which the memory is kept and reused")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = (options.folder or Path(scratch)) / "memory.db"
        report: dict[str, Any] = {
            "entries": options.entries,
            "embedder": options.embedder,
            "cores": os.cpu_count(),
        }
        memory = ExemplarMemory(path, embedder=choose(options.embedder))
        started = time.perf_counter()
        fill(memory, options.entries)
        report["fill_s"] = round(time.perf_counter() - started, 1)
        started = time.perf_counter()
        memory.recall(*next(queries(1)))
        report["embed_s"] = round(time.perf_counter() - started, 1)
        memory = ExemplarMemory(path, embedder=choose(options.embedder))
        started = time.perf_counter()
        memory.recall(*next(queries(1)))
        report["load_and_first_query_s"] = round(time.perf_counter() - started, 2)
        report["file_mb"] = round(path.stat().st_size / 1e6)
        report["runs"] = []
        for _ in range(options.runs):
            before = os.getloadavg()[0]
            report["runs"].append(
                {**measure(memory, options.queries), "load": [round(before, 1), round(os.getloadavg()[0], 1)]}
            )
        report["lost_by_8_writers"] = lost_by_parallel_writers(Path(scratch) / "many.db", writers=8, each=200)
        report["lost_after_kills"] = lost_after_kills(Path(scratch) / "killed.db", kills=10)
    sys.stdout.write(json.dumps(report, indent=1) + "\n")


def _no_runs(_trajectory: Any) -> Demonstration:
    raise NotImplementedError("the benchmark adds demonstrations itself")


if __name__ == "__main__":
    main()
