"""Measures how recalled exemplars help a small real model on MiniWoB++, with the scoring planner.

    python eval/bench/bench_exemplars.py --model http://127.0.0.1:8080/v1#gemma --out exemplars.jsonl
    python eval/bench/bench_exemplars.py --out exemplars.jsonl --report

The server is llama.cpp's (`llama-server -m MODEL.gguf -c 4096 -np 1`). An episode is a task, a seed and a
draw: for each draw three of the five demonstrations of every task are in the memory, which recalls the
nearest as in `guiagent run`. Conditions:

    k0         no exemplar
    k1, k3     the 1 or 3 nearest, the task's own family in the memory
    k1-, k3-   the same without the task's family: neither its own demonstrations nor those of its variants

each by `score` (the likeliest listed action), `calibrated` (minus its score without the task) and `generate`
(written greedily under a grammar that admits the listed actions, with free text). `random` takes any listed
action. Success is the page's raw reward 1. The pages' time limits are lifted (x 1000); an
episode ends after 8 actions, and the planner never ends it. Tasks are those most of whose demonstrations use
only actions that the planner lists.

Each episode is a line of the file, written as it ends: stop with Ctrl+C, resume with the same command. Every
round has another seed and draw and goes through the tasks in one shuffled order, all conditions of a task
together, so the data are always paired and balanced over conditions. Without exemplars a draw
changes nothing, so those episodes run once for each seed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from guiagent_eval.benchmark import Case
from guiagent_eval.cli.demonstrations import collect_for
from guiagent_eval.cli.recipe import Recipe, default_demos, open_policy
from guiagent_eval.episodes import WatchedComputer
from guiagent_eval.miniwob import MiniWob
from guiagent_eval.statistics import Interval, paired_bootstrap

from gui_agent import wiring
from gui_agent.core.actions import TypeText
from gui_agent.core.observation import Mark, Observation
from gui_agent.core.protocols import Exemplar, Situation
from gui_agent.core.trajectory import Decision, Demonstration, Planned, Task, Trajectory
from gui_agent.memory.entry import Gates
from gui_agent.memory.exemplars import (
    ExemplarMemory,
    FinishedTurn,
    action_text,
    entry_of,
    place_and_lines,
)
from gui_agent.planners.scoring import ScoringPlanner, typed_texts
from gui_agent.settings import Settings

SEEDS = range(5000, 5005)
"""The seeds of the episodes; the demonstrations have seeds below 1000."""
DRAWS, KEPT, STEPS = 3, 3, 8
CONDITIONS = ("k0", "k3", "k3-", "k1", "k1-")
METHODS = ("score", "calibrated", "generate")
PAIRS = (("k0", "k3"), ("k0", "k3-"), ("k0", "k1"), ("k0", "k1-"), ("k1", "k3"), ("k3-", "k3"))
_VARIANT = re.compile(r"(-(2|hard|large|soft|transfer|dynamic|popup|sequence|nl|turk))+$")
LISTED = frozenset({"click", "check", "choose", "type"})


@dataclass(frozen=True)
class Cell:
    """One episode to run."""

    task: str
    seed: int
    draw: int
    method: str
    condition: str
    without: str = ""


@dataclass(frozen=True)
class Row(Cell):
    """The result of one episode."""

    success: bool = False
    steps: int = 0
    own: int = 0
    """Number of shown exemplars of the task's own family."""
    shown: int = 0
    seconds: float = 0.0
    ending: str = ""


class GeneratingPlanner(ScoringPlanner):
    """Writes the next action itself, under a grammar of the listed actions with free text."""

    name = "generating"

    def decide(self, situation: Situation) -> Decision:
        """Write one action and return it as the decision."""
        listed = dict(self.choices(situation))
        fields: dict[str, Mark] = {}
        written = []
        for text, action in listed.items():
            if isinstance(action, TypeText) and isinstance(action.at, Mark):
                fields[text.partition('"at": ')[2]] = action.at
            else:
                written.append(json.dumps(text))
        head = json.dumps('{"kind": "type", "text": "')
        written += [
            f"{head} text {json.dumps(chr(34) + ', ' + chr(34) + 'at' + chr(34) + ': ' + at)}"
            for at in fields
        ]
        if not written:
            return super().decide(situation)
        grammar = f'root ::= ({" | ".join(written)}) "\\n"\ntext ::= [^"\\\\\\n]{{1,40}}'
        body = {"prompt": self.prompt(situation, 9), "grammar": grammar, "max_tokens": 120, "temperature": 0}
        best = str(self.post("/completions", {**body, "model": "m"})["choices"][0]["text"]).strip()
        said = Decision(best, planner=self.name, calls=1, bookmark=best)
        if best in listed:
            return replace(said, planned=(Planned(listed[best]),))  # type: ignore[arg-type]
        text, _, at = best.removeprefix('{"kind": "type", "text": "').partition('", "at": ')
        return replace(said, planned=(Planned(TypeText(text, fields[at])),) if at in fields else ())


class RandomPlanner(ScoringPlanner):
    """Takes any of the listed actions at random."""

    name = "scoring"

    def choose(self, situation: Situation, texts: Sequence[str]) -> tuple[str, str, int]:
        """One of the listed actions, by a seed of this task and step."""
        return random.Random(f"{situation.task.text}/{len(situation.turns)}").choice(texts), "", 0


class Library:
    """The demonstrations, and for each draw a memory of some of them."""

    def __init__(self, folder: Path) -> None:
        recipe = Recipe("miniwob", "", {}, demos=default_demos("miniwob"))
        names = sorted(path.name for path in Path(recipe.demos).iterdir() if path.is_dir())
        self.all = {name: collect_for(recipe, name).demonstrations for name in names}
        self.tasks = [
            name for name, found in self.all.items() if sum(map(_is_doable, found)) > len(found) / 2
        ]
        random.Random(0).shuffle(self.tasks)
        self._folder = folder
        self._memories: dict[tuple[int, int], ExemplarMemory] = {}
        self._known: dict[str, Demonstration] = {}

    def memory(self, draw: int, shown: int) -> ExemplarMemory:
        """The memory of a draw, which recalls `shown` exemplars."""
        if (draw, shown) not in self._memories:
            memory = ExemplarMemory(
                self._folder / f"{draw}-{shown}.db",
                embedder="lexical",
                shown=shown,
                gates=Gates(floor=0, spread=2, overlap=2),
                budget=10_000,
            )
            for task, found in self.all.items():
                drawn = random.Random(f"{task}/{draw}").sample(range(len(found)), min(KEPT, len(found)))
                for number in drawn:
                    self._known[f"{task}~{number}"] = found[number]
                memory.store.add(
                    replace(entry_of(found[number], family=task), id=f"{task}~{number}") for number in drawn
                )
            self._memories[draw, shown] = memory
        return self._memories[draw, shown]

    def relatives(self, task: str) -> frozenset[str]:
        """The demonstrations of a task and its variants, by id."""
        stem = _VARIANT.sub("", task)
        return frozenset(one for one in self._known if _VARIANT.sub("", one.partition("~")[0]) == stem)

    def whole_screens(self, exemplar: Exemplar) -> Exemplar:
        """The exemplar with the whole screens, for runs without abstraction."""
        steps = self._known[exemplar.id].steps
        turns = [
            FinishedTurn(
                place_and_lines(step.screen.place, step.screen.elements) if step.screen else "",
                (action_text(step),),
            )
            for step in steps
        ]
        return replace(exemplar, trajectory="\n".join([f"Task: {exemplar.task}", *map(str, turns)]))


class RecalledDemonstrations:
    """The exemplars that the memory recalls in one episode, with their counts."""

    def __init__(self, library: Library, cell: Cell) -> None:
        self.given: tuple[Exemplar, ...] = ()
        self._library, self._cell = library, cell

    def recall(self, task: Task, observation: Observation, goal: str | None = None) -> Sequence[Exemplar]:
        """The nearest exemplars of the draw; none if the condition shows none."""
        count = int(self._cell.condition[1])
        if not count:
            return ()
        memory = self._library.memory(self._cell.draw, count)
        left_out = (
            self._library.relatives(self._cell.task) if self._cell.condition.endswith("-") else frozenset()
        )
        memory.exclude = left_out
        found = memory.recall(task, observation)
        if self._cell.without == "abstraction":
            found = [self._library.whole_screens(one) for one in found]
        self.given = tuple(found)
        return found

    def remember(self, trajectory: Trajectory) -> None:
        """Keeps and counts nothing."""


def _is_doable(demonstration: Demonstration) -> bool:
    """Whether a run of this task uses only actions that the planner lists."""
    texts = typed_texts(demonstration.task)
    deeds = [action_text(step) for step in demonstration.steps]
    return len(set(deeds)) == len(deeds) <= STEPS and all(
        step.action.kind in LISTED
        and getattr(getattr(step.action, "at", None), "role", "text") != "text"
        and (step.action.kind != "type" or getattr(step.action, "text", "") in texts)
        for step in demonstration.steps
    )


def cells(tasks: Sequence[str], options: argparse.Namespace) -> Iterator[Cell]:
    """All episodes in the order in which they run."""
    # 3 and 5 have no common divisor, so the rounds combine each seed with each draw once.
    for number in range(options.rounds):
        seed, draw = SEEDS[number % len(SEEDS)], number % DRAWS
        for task, left_out in product(tasks, options.without):
            without = left_out.removeprefix("nothing")
            if number < len(SEEDS) and "random" in options.methods:
                yield Cell(task, seed, 0, "random", "k0", without)
            for condition in options.conditions:
                for method in (one for one in options.methods if one != "random"):
                    if condition != "k0" or number < len(SEEDS):
                        drawn = 0 if condition == "k0" else draw
                        yield Cell(task, seed, drawn, method, condition, without)


def run(cell: Cell, bench: MiniWob, library: Library, model: str) -> Row:
    """Run one episode."""
    kinds: dict[str, type[ScoringPlanner]] = {"generate": GeneratingPlanner, "random": RandomPlanner}
    planner = kinds.get(cell.method, ScoringPlanner)(
        model, calibrated=cell.method == "calibrated", ends=False, abstraction=cell.without != "abstraction"
    )
    settings = Settings.model_validate({"guard": open_policy(), "limits": {"steps": STEPS, "seconds": 900}})
    memory = RecalledDemonstrations(library, cell)
    began = time.monotonic()
    with bench.episode(Case(cell.task, cell.seed)) as episode:
        watched = WatchedComputer(episode)
        agent = wiring.build(
            settings, watched, planner=planner, guard=wiring.make_guard(settings), memory=memory
        )
        watched.stop = agent.control.stop
        trajectory = agent.run(episode.task).trajectory
        grade = episode.grade()
    stem = _VARIANT.sub("", cell.task)
    own = sum(_VARIANT.sub("", one.id.partition("~")[0]) == stem for one in memory.given)
    spent = round(time.monotonic() - began, 2)
    ending = trajectory.ending.reason if trajectory.ending else ""
    if trajectory.ending is None or trajectory.ending.kind in ("crashed", "lost"):
        sys.exit(f"\n{cell.task}: {ending or 'the run did not end'}; the same command resumes")
    return Row(
        **asdict(cell),
        success=grade.success,
        steps=len(trajectory.steps),
        own=own,
        shown=len(memory.given),
        seconds=spent,
        ending=ending[:120],
    )


def read(path: Path) -> list[Row]:
    """The episodes in the file, without a line that was cut short."""
    rows = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            rows.append(Row(**json.loads(line)))
        except (json.JSONDecodeError, TypeError):
            continue
    return rows


def cell_of(row: Row) -> Cell:
    return Cell(row.task, row.seed, row.draw, row.method, row.condition, row.without)


def difference(rows: Sequence[Row], first: Any, second: Any) -> tuple[Interval, int, int, int, int]:
    """Second minus first, in points, with tasks resampled; tasks, pairs, tasks better, tasks worse.

    Args:
        first, second: say whether a row belongs to that side.
    """
    sides: list[dict[tuple[str, int], dict[int, bool]]] = [defaultdict(dict), defaultdict(dict)]
    for row in rows:
        for side, belongs in zip(sides, (first, second), strict=True):
            if belongs(row):
                side[row.task, row.seed][-1 if row.condition == "k0" else row.draw] = row.success
    by_task: dict[str, list[float]] = defaultdict(list)
    for (task, seed), there in sides[1].items():
        here = sides[0].get((task, seed), {})
        for draw, success in there.items():
            other = here.get(draw, here.get(-1))
            if draw == -1 and other is None and here:
                other = next(iter(here.values()))
            if other is not None:
                by_task[task].append(100.0 * (success - other))
    means = [sum(values) / len(values) for values in by_task.values()]
    pairs = sum(map(len, by_task.values()))
    better, worse = sum(mean > 0 for mean in means), sum(mean < 0 for mean in means)
    return paired_bootstrap(means, rounds=10_000), len(means), pairs, better, worse


def report(rows: Sequence[Row]) -> Iterator[str]:
    """The tables, as lines."""
    seen = sorted({(row.without, row.method) for row in rows})
    yield "method      condition  success  episodes  tasks  own/shown  s/episode"
    for without, method in seen:
        for condition in CONDITIONS:
            own = [r for r in rows if (r.without, r.method, r.condition) == (without, method, condition)]
            if own:
                share = 100 * sum(row.success for row in own) / len(own)
                family = f"{sum(row.own for row in own)}/{sum(row.shown for row in own)}"
                seconds = sorted(row.seconds for row in own)[len(own) // 2]
                label = f"{method}{' without ' + without if without else ''}"
                yield (
                    f"{label:11} {condition:9} {share:6.1f} % {len(own):8} {len({r.task for r in own}):6} "
                    f"{family:>10} {seconds:9.1f}"
                )
    yield ""
    yield "difference in points with tasks resampled (95 %), tasks, pairs, tasks better and worse"

    def side(without: str, method: str, condition: str) -> Any:
        return lambda row: (row.without, row.method, row.condition) == (without, method, condition)

    compared = [(f"{m} {w} {a} -> {b}", side(w, m, a), side(w, m, b)) for w, m in seen for a, b in PAIRS]
    compared += [
        (f"{w} {c} {a} -> {b}", side(w, a, c), side(w, b, c))
        for w in sorted({row.without for row in rows})
        for c in CONDITIONS
        for a, b in (("random", "score"), ("score", "calibrated"), ("score", "generate"))
    ]
    compared += [
        (f"{m} {c} without abstraction -> with", side("abstraction", m, c), side("", m, c))
        for m in METHODS
        for c in CONDITIONS
    ]
    for label, first, second in compared:
        found, tasks, pairs, better, worse = difference(rows, first, second)
        if pairs:
            span = f"{found.value:+6.1f} ({found.low:.1f} to {found.high:.1f})"
            yield f"{' '.join(label.split()):40} {span:26} {tasks:3} {pairs:5} {better:3} {worse:3}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--model", default="", help="llama.cpp's server, http://HOST:PORT/v1#NAME")
    parser.add_argument(
        "--out", type=Path, required=True, help="the file of episodes, JSON Lines; resumed if it exists"
    )
    parser.add_argument("--report", action="store_true", help="only print the tables of the file")
    given = {"nargs": "+", "help": "default: all"}
    parser.add_argument("--conditions", choices=CONDITIONS, default=list(CONDITIONS), **given)
    parser.add_argument("--methods", choices=(*METHODS, "random"), default=[*METHODS, "random"], **given)
    parser.add_argument(
        "--without",
        choices=("nothing", "abstraction"),
        default=["nothing"],
        nargs="+",
        help="abstraction: list and show whole screens; nothing: list and show what is relevant (default)",
    )
    parser.add_argument("--tasks", nargs="+", help="these tasks only")
    parser.add_argument("--all", action="store_true", help="also tasks with actions that it does not list")
    parser.add_argument("--rounds", type=int, default=DRAWS * len(SEEDS), help="number of tasks, of 15")
    parser.add_argument(
        "--until", type=float, default=0.0, help="minutes after which no further episode begins"
    )
    options = parser.parse_args()
    rows = read(options.out)
    if options.report:
        sys.stdout.write("\n".join(report(rows)) + "\n")
        return 0
    if not options.model:
        parser.error("--model http://HOST:PORT/v1#NAME names the server; --report needs none")
    with tempfile.TemporaryDirectory(prefix="guiagent-bench-") as folder:
        library = Library(Path(folder))
        known = random.Random(0).sample([*library.all], len(library.all)) if options.all else library.tasks
        tasks = [task for task in known if not options.tasks or task in options.tasks]
        for draw in range(DRAWS):
            library.memory(draw, 1), library.memory(draw, 3)
        there = {cell_of(row) for row in rows}
        todo = [cell for cell in cells(tasks, options) if cell not in there]
        began = time.monotonic()
        sys.stderr.write(f"{len(tasks)} tasks, {len(there)} episodes done, {len(todo)} to run\n")
        bench = MiniWob(slowness=1000, pictures=False)
        bench.setup()
        try:
            with options.out.open("a", encoding="utf-8") as file:
                for number, cell in enumerate(todo, start=1):
                    if options.until and time.monotonic() - began > 60 * options.until:
                        break
                    row = run(cell, bench, library, options.model)
                    file.write(json.dumps(asdict(row)) + "\n")
                    file.flush()
                    each = (time.monotonic() - began) / number
                    left = each * (len(todo) - number) / 3600
                    sys.stderr.write(f"\r{number} of {len(todo)}, {each:.1f} s each, {left:.1f} h left  ")
        except KeyboardInterrupt:
            sys.stderr.write("\nstopped; the same command resumes\n")
            return 130
        finally:
            bench.teardown()
    sys.stderr.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
