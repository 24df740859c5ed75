"""Records demonstrations of MiniWoB++ tasks with the scripted demonstrators, or measures their success.

python eval/miniwob/record.py --suite synapse64 --per-task 5 --out eval/miniwob/demonstrations
python eval/miniwob/record.py --suite synapse64 --measure 20
"""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from demonstrators import DEMONSTRATED, Player, all_alike
from guiagent_eval.benchmark import Case, Grade
from guiagent_eval.miniwob import MiniWob

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.conditions import UrlIs
from gui_agent.core.errors import ConfigError, GuiAgentError
from gui_agent.core.trajectory import Demonstration, Screen, Trajectory
from gui_agent.elements.describe import describe
from gui_agent.procedures.library.store import save_demonstration
from gui_agent.procedures.recordings.from_run import from_trajectory

TRAINING = 10_000
"""The first seed that is reserved for tests."""
LIMITS = Limits(steps=250)
COVER = "sync-task-cover"
"""Id of the cover that a page puts over a finished episode, however it ended."""
LONGEST = 30
"""Maximum number of steps of a recording; longer ones show nothing more than shorter ones do."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One instance as the demonstrator did it."""

    seed: int
    trajectory: Trajectory
    grade: Grade


def show(benchmark: MiniWob, task: str, seed: int) -> Shown:
    """Let the demonstrator do one instance.

    Raises:
        ConfigError: the seed is reserved for tests, or the task has no demonstrator.
    """
    if seed >= TRAINING:
        raise ConfigError(f"seed {seed} is reserved for tests; demonstrations take seeds below {TRAINING}")
    if task not in DEMONSTRATED:
        raise ConfigError(
            f"there is no demonstrator for {task!r}; there are {', '.join(sorted(DEMONSTRATED))}"
        )
    with benchmark.episode(Case(task, seed)) as episode:
        it, guard = DEMONSTRATED[task], PolicyGuard.default(yes=True)
        agent = Agent(episode.computer, Player(it.way), guard=guard, picture=it.looks, limits=LIMITS)
        trajectory = agent.run(episode.task).trajectory
        return Shown(seed, trajectory, episode.grade())


def record(benchmark: MiniWob, task: str, count: int, out: Path, look: int) -> list[Shown]:
    """Keep `count` successful demonstrations of a task, one for each kind as far as possible."""
    kept = pick(benchmark, task, count, look)
    for old in (out / task).glob("*.json"):
        old.unlink()
    for shown in kept:
        origin = f"demonstrator {task} {shown.seed}"
        demonstration = without_surroundings(from_trajectory(shown.trajectory, "browser", origin=origin))
        save_demonstration(out / task / f"{shown.seed}.json", demonstration)
    return kept


def without_surroundings(demonstration: Demonstration) -> Demonstration:
    """The demonstration without the addresses of this machine's files and without the cover at the end.

    The cover hides the page after a wrong end as after a right one, so it verifies nothing.
    """

    def moved(screen: Screen | None) -> Screen | None:
        return screen and replace(screen, place=replace(screen.place, url=""))

    steps = [
        replace(
            step,
            screen=moved(step.screen),
            expect=tuple(one for one in step.expect if not isinstance(one, UrlIs)),
        )
        for step in demonstration.steps
    ]
    final = moved(demonstration.final)
    if final is not None and any(one.attributes.get("id") == COVER for one in final.elements):
        steps[-1], final = replace(steps[-1], expect=()), None
    return replace(demonstration, steps=tuple(steps), final=final)


def pick(benchmark: MiniWob, task: str, count: int, look: int) -> list[Shown]:
    """Successful demonstrations: one of every kind as far as `count` allows, then the first others."""
    kind = DEMONSTRATED[task].kind
    kinds: dict[str, Shown] = {}
    others: list[Shown] = []
    for seed in range(look):
        if len(kinds) == count or (kind is all_alike and len(kinds) + len(others) == count):
            break
        shown = show(benchmark, task, seed)
        if not shown.grade.success:
            _tell(task, shown)
        elif len(shown.trajectory.steps) > LONGEST:
            continue
        elif (name := kind(shown.trajectory)) in kinds:
            others.append(shown)
        else:
            kinds[name] = shown
    return sorted([*kinds.values(), *others][:count], key=lambda shown: shown.seed)


def measure(benchmark: MiniWob, task: str, count: int) -> list[Shown]:
    """Do the first `count` training seeds, and print the failures."""
    shown = [show(benchmark, task, seed) for seed in range(count)]
    for one in shown:
        if not one.grade.success:
            _tell(task, one)
    return shown


def main(arguments: list[str] | None = None) -> int:
    """Record or measure; returns 1 if a target was not reached."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suite", default="synapse64")
    parser.add_argument("--tasks", default="", help="comma-separated; default: the whole suite")
    parser.add_argument("--per-task", type=int, default=5, help="demonstrations to keep of each task")
    parser.add_argument("--out", type=Path, default=Path("eval/miniwob/demonstrations"))
    parser.add_argument("--look", type=int, default=30, help="training seeds to look through for kinds")
    parser.add_argument("--measure", type=int, default=0, help="number of seeds to do instead of recording")
    given = parser.parse_args(arguments)
    benchmark = MiniWob(mode="train")
    wanted = given.per_task if not given.measure else 0.95 * given.measure
    missed = False
    try:
        tasks = given.tasks.split(",") if given.tasks else benchmark.tasks(given.suite)
        for task in tasks:
            if given.measure:
                shown = measure(benchmark, task, given.measure)
            else:
                shown = record(benchmark, task, given.per_task, given.out, given.look)
            won = [one for one in shown if one.grade.success]
            steps = statistics.median([len(one.trajectory.steps) for one in won])
            print(f"{task}: {len(won)} of {len(shown)}, {steps:g} steps (median)", flush=True)
            missed = missed or len(won) < wanted
    except GuiAgentError as error:
        print(error, file=sys.stderr)
        return int(error.exit_code) if hasattr(error, "exit_code") else 2
    finally:
        benchmark.teardown()
    return 1 if missed else 0


def _tell(task: str, shown: Shown) -> None:
    ending = shown.trajectory.ending
    print(f"  {task} {shown.seed}: {shown.trajectory.task.text}")
    print(f"    {ending.kind if ending else ''} {ending.reason if ending else ''} | {shown.grade}")
    for step in shown.trajectory.steps:
        print(f"    {describe(step.planned.action, step.found)}: {step.outcome.kind} {step.outcome.summary}")


if __name__ == "__main__":
    sys.exit(main())
