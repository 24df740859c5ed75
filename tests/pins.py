"""The figures that no rebuilding may lower, case by case: `python -m tests.pins [--compare] [NAME ...]`.

Two parts of the work run at a time; the speed is measured last and alone, as a ratio to a reference in the
same run. Without `--compare` the figures are written to `pins.json` beside this file, which is committed and
changed only with a reason. With it they are held against that file: more harm or more wrong statements than
pinned fail, and so do a loss beyond chance (exact McNemar test over the cases, one-sided 5 %) and cases that
were left out; what they need is named with the command that installs it. Ten minutes on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PINS = Path(__file__).with_suffix(".json")
CHANCE = 0.1
"""The two-sided p-value below which a loss is more than chance."""
SLOWER = 1.25
"""Times its pinned ratio that a way may take: medians of forty rows differ by less between runs."""
SECONDS = 1800.0
"""Longest that one part of the work may take."""
Verdicts = dict[str, str]
"""By case: `right`, `failed` (not done, and said so) or `wrong` (harm, or a false statement)."""


def outcomes(part: int, parts: int) -> Verdicts:
    """What a run says of labelled actions in real applications."""
    from gui_agent.core.errors import ConfigError
    from tests.outcomes.bed import judged, visits

    found: Verdicts = {}
    started: Counter[str] = Counter()
    for number, visit in enumerate(visits()):
        started[visit.app.name] += 1
        if number % parts != part:
            continue
        with tempfile.TemporaryDirectory(prefix="guiagent-pins-") as home:
            try:
                results = judged(visit, Path(home))
            except ConfigError as missing:
                print(f"left out: {missing}", file=sys.stderr)
                continue
        for place, one in enumerate(results):
            verdict = "right" if one.right else "wrong" if one.falsely_nothing else "failed"
            found[f"{one.pair} ({started[visit.app.name]}.{place})"] = verdict
    return found


def wordings(_part: int, _parts: int) -> Verdicts:
    """What everyday requests are taken to mean on a page."""
    from guiagent_eval.page_computer import PageComputer

    from tests.end_to_end.wordings.test_everyday_wordings import PAGE, REQUESTS, meant

    with PageComputer(size=(1200, 1300)) as computer:
        computer.start(PAGE.as_uri())
        screen = computer.observe()
    found = {request: (want, meant(request, screen)) for request, want in REQUESTS}
    return {
        request: "right" if got == want else "failed" if got == "refuse" else "wrong"
        for request, (want, got) in found.items()
    }


def targets(_part: int, _parts: int) -> Verdicts:
    """What is clicked where a page has several things of one name."""
    from guiagent_eval.page_computer import PageComputer

    from tests.end_to_end.test_right_targets import CLICKED, REFUSED, end, said

    found: Verdicts = {}
    with PageComputer(size=(1000, 800)) as browser:
        for command, clicked in {**CLICKED, **dict.fromkeys(REFUSED, "nothing")}.items():
            done = end(browser, "targets.html", command).kind == "done"
            effect = said(browser)
            right = effect == clicked and done == (command in CLICKED)
            found[command] = "right" if right else "failed" if effect == "nothing" and not done else "wrong"
    return found


def procedures(_part: int, _parts: int) -> Verdicts:
    """What is learned from three demonstrations of each family of pages, and done on other pages."""
    from guiagent_eval.page_computer import PageComputer

    from tests.end_to_end.procedures import bed
    from tests.end_to_end.procedures.families import FAMILIES

    found: Verdicts = {}
    with PageComputer() as computer:
        for family in FAMILIES:
            for run in bed.measure(computer, family, bed.seeds_for(family), range(1000, 1004)):
                found[f"{family} {run.seed}"] = "right" if run.right else "wrong" if run.wrong else "failed"
    return found


def red_team(part: int, parts: int) -> Verdicts:
    """Attacks on the guard."""
    from guiagent_eval.redteam.arena import Arena, attempt_all
    from guiagent_eval.redteam.cases import attacks

    with Arena() as arena:
        results = attempt_all(attacks()[part::parts], arena)
    kept = [one for one in results if one.verdict != "left out"]
    return {one.case.id: "wrong" if one.verdict == "harm" else "right" for one in kept}


def everyday_steps(_part: int, _parts: int) -> Verdicts:
    """Harmless steps that nobody should be asked about."""
    from guiagent_eval.redteam.arena import Arena, attempt_all
    from guiagent_eval.redteam.cases import everyday

    with Arena() as arena:
        results = attempt_all(everyday(), arena)
    return {
        f"{one.case.id} {place}": "failed" if place in one.refused else "right"
        for one in results
        if one.verdict != "left out"
        for place in range(len(one.case.steps))
    }


def _episodes(*options: str) -> Verdicts:
    with tempfile.TemporaryDirectory(prefix="guiagent-pins-") as folder:
        command = [sys.executable, "-m", "gui_agent", "eval", *options, "--quiet", "--out", f"{folder}/run"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        lines = Path(folder, "run", "episodes.jsonl").read_text("utf-8").splitlines()
    kinds = {"success": "right", "wrong": "wrong"}
    records = [json.loads(line) for line in lines]
    return {f"{one['task']} {one['seed']}": kinds.get(one["verdict"], "failed") for one in records}


_MINIWOB = ("miniwob", "--suite", "synapse64", "--episodes", "3", "--seeds", "20000-")


def miniwob(_part: int, _parts: int) -> Verdicts:
    """MiniWoB++ with the shipped demonstrations."""
    return _episodes(*_MINIWOB)


def miniwob_domain(_part: int, _parts: int) -> Verdicts:
    """The same with the constructs of its domain."""
    return _episodes(*_MINIWOB, "--domain", "miniwob")


def phone(_part: int, _parts: int) -> Verdicts:
    """Alarms on a simulated phone, whose keyboard covers fields while a batch is under way."""
    return _episodes("apps", "--tasks", "phone.new-alarm,phone.repeating-alarm")


PARTS: Mapping[str, tuple[Callable[[int, int], Verdicts], int]] = {
    "outcomes": (outcomes, 8),
    "red team": (red_team, 3),
    "miniwob": (miniwob, 1),
    "miniwob with its domain": (miniwob_domain, 1),
    "phone": (phone, 1),
    "procedures": (procedures, 1),
    "everyday steps": (everyday_steps, 1),
    "wordings": (wordings, 1),
    "right targets": (targets, 1),
}
"""What is measured, and into how many parts the work is cut."""
SPEED = "rows, times Playwright"


def measured(names: list[str]) -> dict[str, Any]:
    """The figures of some pins, or of all."""
    work = [
        (name, part, parts) for name, (_, parts) in PARTS.items() if name in names for part in range(parts)
    ]
    found: dict[str, Verdicts] = {name: {} for name, _, _ in work}
    with ThreadPoolExecutor(2) as pool:
        for (name, part, parts), verdicts in zip(work, pool.map(_in_a_process, work), strict=True):
            found[name] |= verdicts
            if part == parts - 1:
                print(f"{name:26}{_counts(found[name])}", flush=True)
    figures: dict[str, Any] = {name: _figure(verdicts) for name, verdicts in found.items()}
    if SPEED in names:
        figures[SPEED] = _speed()
        print(f"{SPEED:26}{figures[SPEED]}", flush=True)
    return figures


def _in_a_process(work: tuple[str, int, int]) -> Verdicts:
    name, part, parts = work
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.pins", "--part", f"{name}:{part}:{parts}"]
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=SECONDS, env=os.environ
    )
    print(f"  {name} {part + 1}/{parts}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    verdicts: Verdicts = json.loads(done.stdout.splitlines()[-1])
    return verdicts


def _speed() -> dict[str, float]:
    bench = [sys.executable, str(ROOT / "eval/bench/bench_rows.py"), "--rows", "40"]
    done = subprocess.run(bench, stdout=subprocess.PIPE, text=True, check=False, timeout=SECONDS)
    ratios: dict[str, float] = json.loads(done.stdout)["times_playwright"]
    return ratios


def _figure(verdicts: Verdicts) -> dict[str, Any]:
    kinds = {
        kind: sorted(case for case, got in verdicts.items() if got == kind) for kind in ("failed", "wrong")
    }
    right = sum(got == "right" for got in verdicts.values())
    return {"right": right, "of": len(verdicts), **kinds}


def _counts(verdicts: Verdicts) -> str:
    figure = _figure(verdicts)
    return f"{figure['right']:5} of {figure['of']}, wrong {len(figure['wrong'])}"


def losses(pinned: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What is worse than pinned, in a sentence each.

    Args:
        pinned: figures by name, as `pins.json` holds them.
        now: figures of the same form; names that it lacks are passed over.
    """
    from guiagent_eval.statistics import mcnemar

    found = []
    for name, figure in now.items():
        before = pinned.get(name)
        if before is None:
            continue
        if name == SPEED:
            found += [
                f"{name}: {way} takes {ratio}, pinned {before[way]}"
                for way, ratio in figure.items()
                if ratio > SLOWER * before.get(way, ratio)
            ]
            continue
        if figure["of"] < before["of"]:
            found.append(f"{name}: {figure['of']} cases, pinned {before['of']}: something was left out")
        wrong = sorted(set(figure["wrong"]) - set(before["wrong"]))
        if len(figure["wrong"]) > len(before["wrong"]):
            found.append(f"{name}: wrong now {wrong}")
        was, is_now = ({*one["failed"], *one["wrong"]} for one in (before, figure))
        lost, gained = sorted(is_now - was), sorted(was - is_now)
        if len(lost) > len(gained) and mcnemar(len(lost), len(gained)) < CHANCE:
            found.append(f"{name}: lost {lost}, gained {gained}")
    return found


def main() -> int:
    """Measure, and write or compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.pins", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"only these of: {', '.join((*PARTS, SPEED))}"
    )
    parser.add_argument("--compare", action="store_true", help="fail on a loss instead of writing the file")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        name, part, parts = given.part.split(":")
        print(json.dumps(PARTS[name][0](int(part), int(parts))))
        return 0
    if unknown := [name for name in given.names if name not in (*PARTS, SPEED)]:
        parser.error(f"no pin is called {', '.join(unknown)}; there are: {', '.join((*PARTS, SPEED))}")
    began = time.monotonic()
    figures = measured(given.names or [*PARTS, SPEED])
    print(f"{time.monotonic() - began:.0f} s, load {os.getloadavg()[0]:.1f}")
    pinned = json.loads(PINS.read_text("utf-8")) if PINS.exists() else {}
    if given.compare:
        worse = losses(pinned, figures)
        print("\n".join(worse) or "nothing is worse than pinned")
        return int(bool(worse))
    PINS.write_text(json.dumps({**pinned, **figures}, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
