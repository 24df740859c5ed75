"""Measures which earlier runs a model is shown: for siblings, for strangers, and how long.

    python eval/bench/bench_recall.py --embedder lexical

The memory holds one run of each procedure in `exemplar_runs.toml`. Each has three siblings: the same task
with other values, in other words, and in another program of its kind, and beyond those one in other words and
another program; the runs called `unseen` were written after the gates were set. A run begins on a phone's
launcher, an empty desktop or the page itself, and goes on to its program; the memory is searched in both, as
the agent does it. Prints each miss, then the figures.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Box, Element, Observation, Place, Size
from gui_agent.core.protocols import Exemplar
from gui_agent.core.trajectory import Demonstration, DemoStep, Screen, Task
from gui_agent.memory.entry import Entry
from gui_agent.memory.exchange import import_jsonl
from gui_agent.memory.exemplars import ExemplarMemory, entry_of
from gui_agent.memory.store import Store
from gui_agent.scene.fingerprints import fingerprint

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_name("exemplar_runs.toml").read_text("utf-8"))
STARTER = Path(__file__).parents[2] / "memory" / "starter"
SIZES = {"phone": Size(360, 800), "desktop": Size(1280, 800), "web": Size(1280, 720)}
REQUEST = 6_500
"""Characters of a request without exemplars, for their share of it."""


def screen(things: str, on: str, app: str, values: Mapping[str, str]) -> Screen:
    """A screen of these things, one below the other."""
    elements = tuple(
        Element(
            number, "textbox" if ":" in name else "button", name.strip("!").partition(":")[0], box(number)
        )
        for number, name in enumerate(filled(things, values).split("; "), 1)
        if name
    )
    return Screen(SIZES[on], Place(app, app.replace(".", " ")), elements)


def box(number: int) -> Box:
    return Box(20, 30 * number, 200, 24)


def filled(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], text)


def beginning(on: str) -> list[Screen]:
    """What a run sees before it opens its program."""
    if on == "web":
        return []
    return [screen(DATA["launcher"], on, "launcher", {})] if on == "phone" else [screen("", on, "", {})]


def remembered(run: Mapping[str, Any], task: str, values: Mapping[str, str]) -> Demonstration:
    """The run of a task, as the recorder keeps it."""
    steps: list[DemoStep] = []
    for opened in beginning(run["on"]) if run["on"] == "phone" else []:
        icon = opened.elements[0]
        steps.append(DemoStep(Click(fingerprint(icon, observation(opened))), opened, icon.id))
    for things in run["screens"]:
        shown = screen(things, run["on"], run["app"], values)
        for element, thing in zip(shown.elements, filled(things, values).split("; "), strict=True):
            at, typed = fingerprint(element, observation(shown)), thing.partition(": ")[2].strip("!")
            if typed:
                steps.append(DemoStep(TypeText(typed, at), shown, element.id))
            if thing.endswith("!"):
                steps.append(DemoStep(Click(at), shown, element.id))
    return Demonstration(filled(task, values), tuple(steps), final=steps[-1].screen)


def observation(shown: Screen) -> Observation:
    return Observation(shown.size, shown.elements, shown.place)


@dataclass(frozen=True)
class Asked:
    """A task on the screens at which the memory is searched, and the task of the run that it resembles."""

    kind: str
    task: str
    screens: Sequence[Screen]
    wanted: str = ""


def siblings(group: str = "run", label: str = "") -> Iterator[Asked]:
    for run in DATA[group]:
        first, second = run["values"]
        wanted = filled(run["task"], first)
        for kind, words, values, place in (
            ("other values", run["task"], second, run),
            ("other words", run["words"], second, run),
            ("other program", run["task"], second, {"on": run["on"], **run["other"]}),
            ("both other", run["words"], second, {"on": run["on"], **run["other"]}),
        ):
            shown = screen(place["screens"][0], place["on"], place["app"], values)
            yield Asked(label + kind, filled(words, values), [*beginning(place["on"]), shown], wanted)


def others(kind: str) -> Iterator[Asked]:
    for one in DATA[kind]:
        shown = screen(one["screen"], one["on"], one["app"], {})
        yield Asked(kind, one["task"], [*beginning(one["on"]), shown])


def shown_for(memory: ExemplarMemory, asked: Asked) -> tuple[Exemplar, ...]:
    """All exemplars of a run that sees these screens, each in another program."""
    task = Task(asked.task)
    found: dict[str, Exemplar] = {}
    for number, shown in enumerate(asked.screens):
        for one in memory.recall(task, observation(shown), task.text if number else None):
            found.setdefault(one.id, one)
    return tuple(found.values())


@dataclass
class Figures:
    """Counts for one kind of task."""

    runs: int = 0
    right: int = 0
    shown: int = 0
    useless: int = 0
    disturbed: int = 0
    lengths: list[int] = field(default_factory=list)

    def count(self, asked: Asked, found: Sequence[Exemplar]) -> None:
        right = [one for one in found if one.task == asked.wanted]
        self.runs += 1
        self.right += bool(right)
        self.shown += len(found)
        self.useless += len(found) - len(right)
        self.disturbed += len(found) > len(right)
        if found:
            self.lengths.append(sum(len(one.trajectory) for one in found))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--embedder", default="lexical")
    options = parser.parse_args()
    every: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory(prefix="guiagent-bench-") as folder:
        memory = ExemplarMemory(Path(folder) / "memory.db", embedder=options.embedder)
        for run in (*DATA["run"], *DATA["unseen"]):
            memory.store.add([entry_of(remembered(run, run["task"], run["values"][0]), kind="run")])
        unseen = (*siblings("unseen", "unseen, "), *others("unseen_stranger"))
        for asked in (*siblings(), *others("stranger"), *others("neighbour"), *unseen):
            found = shown_for(memory, asked)
            every.setdefault(asked.kind, Figures()).count(asked, found)
            if asked.wanted and asked.wanted not in [one.task for one in found]:
                print(f"missed: {asked.task} ({asked.kind})")
            for one in found:
                if one.task != asked.wanted:
                    print(f"useless: {one.task} for: {asked.task} ({asked.kind})")
        twice = repeated(memory)
        every["starter store"] = starter(Path(folder))
    print("kind                   runs  recalled  shown  useless  runs with a useless one  median characters")
    for kind, one in every.items():
        length = round(statistics.median(one.lengths)) if one.lengths else 0
        counts = f"{one.runs:4} {one.right:9} {one.shown:6} {one.useless:8} {one.disturbed:24}"
        print(f"{kind:22} {counts} {length:18}")
    lengths = [length for kind, one in every.items() if kind != "starter store" for length in one.lengths]
    shares = sorted(length / (length + REQUEST) for length in lengths)
    middle, most = shares[len(shares) // 2], shares[-1]
    print(f"share of a request with {REQUEST} other characters: median {middle:.0%}, most {most:.0%}")
    print(f"shown two runs of one procedure, if each is remembered twice: {twice} of {len(DATA['run'])}")


def starter(folder: Path) -> Figures:
    """The second runs of the procedures that come with guiagent, with a memory of the first ones.

    The store has several procedures in each program, so useless ones are neighbours.
    """
    whole, memory = Store(folder / "whole.db"), ExemplarMemory(folder / "starter.db", embedder="lexical")
    for path in sorted(STARTER.glob("*.jsonl")):
        import_jsonl(whole, path, trusted=True)
    first: dict[str, Entry] = {}
    figures, later = Figures(), []
    for entry in whole.whole_entries():
        if first.setdefault(entry.family, entry) is not entry:
            later.append(entry)
    memory.store.add(first.values())
    for entry in later:
        steps = entry.demonstration.steps if entry.demonstration else ()
        programs = {step.screen.place.app: step.screen for step in reversed(steps) if step.screen}
        screens = list(reversed(programs.values()))
        asked = Asked("starter store", entry.task, screens, first[entry.family].task)
        figures.count(asked, shown_for(memory, asked))
    return figures


def repeated(memory: ExemplarMemory) -> int:
    """How many siblings are shown both runs of their procedure, once each was done in other words too."""
    for run in DATA["run"]:
        memory.store.add([entry_of(remembered(run, run["words"], run["values"][0]), kind="run")])
    count = 0
    for asked in (one for one in siblings() if one.kind == "other values"):
        run = next(one for one in DATA["run"] if filled(one["task"], one["values"][0]) == asked.wanted)
        own = {asked.wanted, filled(run["words"], run["values"][0])}
        count += own <= {one.task for one in shown_for(memory, asked)}
    return count


if __name__ == "__main__":
    main()
