"""Measures what the picture alone gives, against what the tree of the same screen says.

    python eval/bench/bench_eyes.py [--web] [--desktop] [--only NAMES] [--workers N] [--out FILE]
    python eval/bench/bench_eyes.py --pages examples/contact.html http://127.0.0.1:8000/

The screens are recipes in `eval/eyes`: applications, component libraries, desktop programs, windows of ours
in ten toolkits, the simulated phone, and some pictures compressed as remote desktops do it. Of each screen
the tree gives role, name, box, states and value of the controls that are visible; then the tree is thrown
away, `VisionSource` reads the picture, and the grounder looks for each control whose name is unique: its
point lies in the box (right), elsewhere (wrong), or there is none. Libraries, applications and programs are
in one of two halves, drawn by seed: detectors may be trained and tuned on `seen` only, never on `never`.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from eyes_recipes import Recipe, chosen_recipes, drawn_halves, read_recipes
from eyes_scores import drawn, fresh_look, named_eyes, score
from eyes_screens import CONTROLS, shot_of_page, shots
from guiagent_eval.app_server import cache_folder

from gui_agent.core.errors import ConfigError, GuiAgentError

WEB = ("application", "library")
DESKTOP = ("program", "window", "phone")
OUTCOMES = ("asked", "right", "wrong", "none")
LIMIT = 900.0
"""Maximum seconds of one recipe, its installation included, in a run of several."""
EYES = "gui_agent.computers.vision.source:VisionSource"
MOST = 10
"""Kinds of misses that are printed."""


def say(line: str) -> None:
    """Print a line at once, beside the figures."""
    print(line, file=sys.stderr, flush=True)


def measured_pages(given: argparse.Namespace) -> list[dict[str, Any]]:
    """The scores of pages."""
    found, made_eyes, pictures = [], named_eyes(given.eyes), given.pictures
    for number, url in enumerate(given.pages, 1):
        path = Path(url)
        shot = shot_of_page(path.resolve().as_uri() if path.is_file() else url)
        made, seen = score(shot, fresh_look(made_eyes))
        if pictures is not None:
            drawn(shot, seen).save(pictures / f"page-{number}.png")
        controls = _sum(made.counts, "there")
        say(f"{url[-50:]}: {controls} controls, first look {made.first:.1f} s, later {made.later:.2f} s")
        found.append(made.as_table())
    return found


def measured(recipe: Recipe, given: argparse.Namespace) -> list[dict[str, Any]]:
    """The scores of all screens of a recipe."""
    found, made_eyes, pictures = [], named_eyes(given.eyes), given.pictures
    for shot in shots(recipe, given.cache, say):
        made, seen = score(shot, fresh_look(made_eyes))
        if pictures is not None:
            name = shot.name.replace(" ", "-").replace(",", "")
            drawn(shot, seen).save(pictures / f"{name}.png")
        right, asked = (_sum(made.counts, what) for what in ("right", "asked"))
        say(f"{shot.name}: {right} of {asked} right, first look {made.first:.1f} s, later {made.later:.2f} s")
        found.append({**made.as_table(), "recipe": recipe.name, "kind": recipe.kind, "half": recipe.half})
    return found


def measured_apart(recipe: Recipe, given: argparse.Namespace) -> list[dict[str, Any]]:
    """The same in a process of its own, which is ended with all that it started if it takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        command = [sys.executable, __file__, "--only", recipe.name, "--out", str(out)]
        command += ["--cache", str(given.cache), "--eyes", given.eyes]
        if given.pictures:
            command += ["--pictures", str(given.pictures)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as child:
            try:
                child.wait(LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                say(f"left out: {recipe.name}: not done within {LIMIT:.0f} seconds")
        return list(json.loads(out.read_text(encoding="utf-8"))["screens"]) if out.is_file() else []


def _sum(counts: Mapping[str, int], what: str) -> int:
    """The sum over the roles."""
    return sum(counts.get(f"{role} {what}", 0) for role in CONTROLS)


def summed(screens: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """The counts of several screens together."""
    total: Counter[str] = Counter()
    for screen in screens:
        total.update(screen["counts"])
    return total


def role_lines(counts: Mapping[str, int]) -> list[str]:
    """A line per role and one for all: asked, right, wrong, none."""
    roles = [role for role in sorted(CONTROLS) if f"{role} asked" in counts]
    lines = [_line(role, [counts.get(f"{role} {what}", 0) for what in OUTCOMES]) for role in roles]
    return [*lines, _line("all", [_sum(counts, what) for what in OUTCOMES])]


def _line(name: str, figures: Sequence[int]) -> str:
    told = (f"{what} {figure:4}" for what, figure in zip(OUTCOMES, figures, strict=True))
    return f"{name:12} {' '.join(told)}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


HALVES = ("seen", "never")
HEAD = "asked | right | wrong | none | boxed"


def report(screens: Sequence[Mapping[str, Any]]) -> list[str]:
    """The tables of the bed: the halves side by side, for web, desktop, phone and remote desktop."""
    lines: list[str] = []
    for group in ("web", "desktop", "phone", "vnc"):
        ours = [one for one in screens if one["group"] == group]
        if ours:
            lines += _table(group, {half: [one for one in ours if one["half"] == half] for half in HALVES})
    return lines


def _table(group: str, by_half: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    counts = {half: summed(ones) for half, ones in by_half.items()}
    roles = [role for role in sorted(CONTROLS) if any(f"{role} there" in one for one in counts.values())]
    rows = {**{role: role for role in roles}, "": "**all**", "icon": "of these, icons"}
    halves = {role: " | ".join(_cells(counts[half], role) for half in HALVES) for role in rows}
    return [
        "",
        f"| {group} | seen: {HEAD} | never: {HEAD} |",
        "|---|" + "---|" * 10,
        *(f"| {name} | {halves[role]} |" for role, name in rows.items()),
        "",
        *(f"{group}, {half}: {_facts(counts[half], by_half[half])}" for half in HALVES if by_half[half]),
    ]


def _cells(counts: Mapping[str, int], role: str) -> str:
    asked, right, wrong, none, there, boxed = (
        counts.get(f"{role} {what}", 0) if role else _sum(counts, what)
        for what in (*OUTCOMES, "there", "boxed")
    )
    share = f" ({_share(right, asked)})" if not role else ""
    return f"{asked} | {right}{share} | {wrong} | {none} | {f'{boxed} of {there}' if there else '-'}"


def _facts(counts: Mapping[str, int], screens: Sequence[Mapping[str, Any]]) -> str:
    got = counts.get
    states = []
    for state in ("checked", "expanded", "disabled"):
        yes, no = (f"{state} {side}" for side in ("yes", "no"))
        asked = got(f"{yes} asked", 0) + got(f"{no} asked", 0)
        if asked:
            states.append(f"{state} {got(f'{yes} right', 0) + got(f'{no} right', 0)} of {asked}")
    looks = [statistics.median(one[what] for one in screens) for what in ("first", "later")]
    boxed, told = _sum(counts, "boxed"), _sum(counts, "told")
    names, values = (
        _share(got(f"{one} letters right", 0), got(f"{one} letters", 0)) for one in ("name", "value")
    )
    return (
        f"{len(screens)} screens; of {boxed} boxes {told} with the right role, {got('all false', 0)} of "
        f"{got('all seen', 0)} boxes seen are no control's; {got('all labels', 0)} of the wrong places are "
        f"the text of the control's name; states {', '.join(states) or 'none'}; characters of names {names}, "
        f"of values {values}; processor time {looks[0]:.1f} s for a first look, {looks[1]:.2f} s for a later "
        "one (medians)"
    )


def miss_lines(screens: Sequence[Mapping[str, Any]]) -> list[str]:
    """The most frequent kinds of misses on the seen half."""
    kinds = Counter(
        (miss["outcome"], miss["why"], miss["role"])
        for screen in screens
        if screen["half"] == "seen" and screen["group"] != "vnc"
        for miss in screen["misses"]
    )
    return [
        "",
        "Misses on the seen half:",
        *(f"{count:4} {', '.join(kind)}" for kind, count in kinds.most_common(MOST)),
    ]


def asked_for(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--web", action="store_true", help="only applications and libraries of the web")
    parser.add_argument("--desktop", action="store_true", help="only programs, windows and the phone")
    parser.add_argument("--only", default="", metavar="NAMES", help="recipes, separated by commas")
    parser.add_argument("--half", choices=HALVES, help="only recipes of one half")
    parser.add_argument("--pages", nargs="+", metavar="URL", help="measure these pages or files instead")
    parser.add_argument("--workers", type=int, default=1, help="recipes at a time")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="save pictures, truth in green")
    parser.add_argument("--cache", type=Path, default=cache_folder(), help="where applications are installed")
    parser.add_argument("--eyes", default=EYES, metavar="PACKAGE.MODULE:NAME", help="what reads the pictures")
    parser.add_argument("--list", action="store_true", help="list the recipes, and do nothing")
    parser.add_argument("--draw", action="store_true", help="print the halves that the seed draws")
    parser.add_argument("--report", type=Path, metavar="FILE", help="print the tables of an earlier --out")
    given = parser.parse_args(arguments)
    if given.workers < 1:
        parser.error("--workers must be at least 1")
    if given.out and not given.out.absolute().parent.is_dir():
        parser.error(f"--out: there is no folder {given.out.parent}")
    if given.pictures:
        given.pictures.mkdir(parents=True, exist_ok=True)
    return given


def bed(given: argparse.Namespace) -> list[dict[str, Any]]:
    """The scores of the recipes that the options name."""
    kinds = [*(WEB * (given.web >= given.desktop)), *(DESKTOP * (given.desktop >= given.web))]
    names = [name.strip() for name in given.only.split(",") if name.strip()]
    recipes = chosen_recipes(read_recipes(), names, kinds)
    recipes = [one for one in recipes if given.half in (None, one.half)]
    if len(recipes) == 1:
        try:
            return measured(recipes[0], given)
        except GuiAgentError as error:
            say(f"left out: {recipes[0].name}: {error}")
            return []
    found: dict[str, list[dict[str, Any]]] = {}
    with ThreadPoolExecutor(given.workers) as pool:
        begun = {pool.submit(measured_apart, recipe, given): recipe.name for recipe in recipes}
        for done in as_completed(begun):
            found[begun[done]] = done.result()
            write(given.out, [screen for screens in found.values() for screen in screens])
    return [screen for recipe in recipes for screen in found[recipe.name]]


def write(out: Path | None, screens: Sequence[Mapping[str, Any]]) -> None:
    """Write the figures so far, so that a run that is stopped leaves them."""
    if out is not None:
        told = {"load": os.getloadavg()[0], "screens": screens}
        out.write_text(json.dumps(told, indent=1), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for, and print it."""
    given = asked_for(arguments)
    if given.list or given.draw:
        known = read_recipes(undrawn=given.draw)
        halves = drawn_halves({name: one.kind for name, one in known.items()})
        for name, one in known.items() if given.list else ():
            print(f"{name:18} {one.kind:12} {one.half:6} {len(one.screens)} screens")
        for half, names in halves.items() if given.draw else ():
            print(f"{half} = {json.dumps(names)}")
        return 0
    if given.report:
        told = json.loads(given.report.read_text(encoding="utf-8"))
        try:
            print(*report(told["screens"]), *miss_lines(told["screens"]), sep="\n")
        except (KeyError, TypeError) as error:
            raise ConfigError(f"{given.report} holds no figures of the bed: {error!r}") from error
        return 0
    screens = measured_pages(given) if given.pages else bed(given)
    load = os.getloadavg()[0]
    write(given.out, screens)
    if not screens:
        print("no screen could be measured", file=sys.stderr)
        return 1
    if given.pages:
        print(*role_lines(summed(screens)), sep="\n")
        for screen in screens:
            for miss in screen["misses"]:
                asked = f"{miss['verb']} {miss['role']} {miss['name']!r}"
                print(f"{screen['screen'][-40:]}: {asked}: {miss['said'][:100]}")
        return 0
    print(*role_lines(summed(screens)), *report(screens), *miss_lines(screens), sep="\n")
    print(f"load of the machine {load:.1f} on {os.cpu_count()} cores")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (GuiAgentError, OSError, ValueError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")
