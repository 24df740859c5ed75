"""Measures episodes per second on three MiniWoB++ tasks: this harness and two others, interleaved in one run.

Every side solves the same three tasks with the same trivial scripts and looks at the page's elements before
every step, once without and once with a picture at every step. Rounds of all sides alternate, so that other
load on the machine affects them alike. The output has medians over the rounds, of each side's episodes per
second and of the ratio of two sides in the same round, with the smallest and the greatest of these.

BrowserGym pins an old Playwright and needs an environment of its own: give its Python with --browsergym.
Farama's environment is used from this Python unless --farama names another.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TASKS = ("click-button", "enter-text", "click-checkboxes")
LOOKS = {"elements": "elements observed at each step", "picture": "elements and a picture at each step"}
BARS = {"farama": 5.0, "browsergym": 50.0}
Side = Callable[[str, int, bool], float]
"""Runs episodes of a task, with or without pictures, and returns the seconds."""


def ours(settled: bool) -> Side:
    """This harness; `settled` waits after each action until the page is at rest, as the agent does."""
    from guiagent_eval.benchmark import Case
    from guiagent_eval.miniwob import MiniWob

    benchmarks = {picture: MiniWob(pictures=picture) for picture in (False, True)}

    def run(task: str, episodes: int, picture: bool) -> float:
        benchmark = benchmarks[picture]
        with benchmark.episode(Case(task, 1)):
            pass  # The page is loaded once per task.
        began = time.perf_counter()
        won = 0
        for seed in range(episodes):
            with benchmark.episode(Case(task, seed)) as episode:
                script = partial(next_action, task, episode.task.text)
                if settled:
                    wait_and_look(episode, script, picture)
                else:
                    episode.play(script, picture=picture)
                won += episode.grade().success
        took = time.perf_counter() - began
        if won < 0.8 * episodes:
            print(f"{task}: only {won} of {episodes} episodes were solved", file=sys.stderr)
        return took

    return run


def wait_and_look(episode: Any, script: Callable[[Any], Any], picture: bool) -> None:
    """Steps as the agent makes them: look, act, wait until the page is at rest."""
    while not episode.end_reason():
        episode.computer.perform(script(episode.computer.observe(picture=picture)))
        episode.computer.settle()


def next_action(task: str, say: str, screen: Any) -> Any:
    """The next action on a screen of this harness."""
    from gui_agent.core.actions import Click, TypeText

    element, text = next_step(task, say, screen.elements)
    return TypeText(text, element.box.center) if text else Click(element.box.center)


def next_step(task: str, say: str, elements: Sequence[Any]) -> tuple[Any, str]:
    """The next element to act on and the text to type into it."""
    at = {(one.role, one.name): one for one in reversed(elements)}
    if task == "click-button":
        return at[("button", say.split('"')[1])], ""
    if task == "enter-text":
        text = say.split('"')[1]
        field = next(one for one in elements if one.role == "textbox")
        return (field, text) if field.value != text else (at[("button", "Submit")], "")
    wanted = say.removeprefix("Select ").removesuffix(" and click Submit.").split(", ")
    for name in wanted:
        box = at.get(("checkbox", name))
        if box is not None and "checked" not in box.states:
            return box, ""
    return at[("button", "Submit")], ""


class Other:
    """A peer in a process of its own, started once, with one line of JSON per question and answer."""

    def __init__(self, python: str, script: str, *given: str) -> None:
        self._process = subprocess.Popen(
            [python, str(HERE / script), *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "SE_OFFLINE": "true"},  # noqa: TID251 - Selenium looks for downloads otherwise
        )

    def __call__(self, task: str, episodes: int, picture: bool) -> float:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps([task, episodes, picture]) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("seconds "):
                return float(line.split()[1])
        raise SystemExit(f"the peer ended with code {self._process.wait()}")

    def close(self) -> None:
        """End the process."""
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait(20)


Rates = dict[str, dict[str, dict[str, list[float]]]]
"""Episodes per second in each round, by side, kind of look and task."""


def measure(sides: dict[str, Side], counts: dict[str, int], rounds: int) -> Rates:
    """Let every side solve every task in every round."""
    rates: Rates = {name: {look: {task: [] for task in TASKS} for look in LOOKS} for name in sides}
    for _ in range(rounds):
        for look in LOOKS:
            for task in TASKS:
                for name, side in sides.items():
                    took = side(task, counts[name], look == "picture")
                    rates[name][look][task].append(counts[name] / took)
    return rates


def quotients(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """The ratios of episodes per second in each round."""
    return [one / other for one, other in zip(ours, theirs, strict=True)]


def show(rates: Rates) -> None:
    """Print the table."""
    for look, title in LOOKS.items():
        print(f"\n{title}")
        print("  " + " ".join(f"{name:>18}" for name in ("", *TASKS)))
        for name, by_look in rates.items():
            medians = (statistics.median(by_look[look][task]) for task in TASKS)
            print("  " + " ".join([f"{name:>18}", *(f"{rate:>18.2f}" for rate in medians)]))
        for peer in (name for name in rates if name in BARS):
            ratios = [quotients(rates["ours"][look][task], rates[peer][look][task]) for task in TASKS]
            cells = " ".join(f"{statistics.median(one):>17.1f}x" for one in ratios)
            print(f"  {'ours / ' + peer:>18} {cells}   target {BARS[peer]:g}x")
            cells = " ".join(f"{f'{min(one):.1f}-{max(one):.1f}':>18}" for one in ratios)
            print(f"  {'':>18} {cells}   single rounds")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--episodes", type=int, default=50, help="per task and round; slow peers get fewer")
    parser.add_argument(
        "--browsergym", default="", metavar="PYTHON", help="Python that has browsergym-miniwob"
    )
    parser.add_argument("--farama", default=sys.executable, metavar="PYTHON", help="Python that has selenium")
    parser.add_argument("--no-farama", action="store_true", help="leave out Farama's environment")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    from guiagent_eval.miniwob import page_folder

    sides: dict[str, Side] = {"ours": ours(settled=False), "ours, settled": ours(settled=True)}
    counts = {"ours": options.episodes, "ours, settled": max(5, options.episodes // 3)}
    others: list[Other] = []
    if not options.no_farama:
        others.append(Other(options.farama, "peer_farama.py"))
        sides["farama"], counts["farama"] = others[-1], max(5, options.episodes // 3)
    if options.browsergym:
        others.append(Other(options.browsergym, "peer_browsergym.py", str(page_folder())))
        sides["browsergym"], counts["browsergym"] = others[-1], 1
    rates = measure(sides, counts, options.rounds)
    for other in others:
        other.close()
    if options.json:
        print(json.dumps(rates))
        return 0
    print(f"episodes per second, median of {options.rounds} rounds")
    show(rates)
    return 0


if __name__ == "__main__":
    sys.exit(main())
