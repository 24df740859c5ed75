"""The command `scripts/starter`: records the store that comes with the project anew, on the real programs."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.loop import Agent
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.content import content
from gui_agent.core.codec import decode
from gui_agent.core.observation import Element
from gui_agent.core.trajectory import Demonstration, DemoStep, Screen, Task
from gui_agent.elements.abstraction import abstract
from gui_agent.memory.entry import Entry
from gui_agent.memory.exchange import FORMAT
from gui_agent.memory.exemplars import entry_of
from gui_agent.planners.commands import PlainPlanner
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.wording import describe
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.trace import RunWriter
from tests.end_to_end.desktop.effects import wait_for
from tests.starter.table import TABLE
from tests.starter.work import Work

ORIGIN = "starter"
HOMES = Path(tempfile.gettempdir()) / "guiagent-starter"
"""Where the home folders are made. Its name has no digits: the patterns of titles leave those out."""
CAP = 16
"""Elements of a screen that are kept besides those that were used."""
MECHANICAL = ("toolkit", "actions", "keys")
"""Attributes that serve to operate an element."""


class NotShown(Exception):
    """A recording that did not do its task."""


def main() -> int:
    """Record them; returns 1 when one failed."""
    parser = argparse.ArgumentParser(prog="scripts/starter", description=__doc__)
    parser.add_argument("only", nargs="*", metavar="NAME", help="only these tasks, or all of these tables")
    parser.add_argument("--trace", default="", help="a folder for the traces of the runs")
    asked = parser.parse_args()
    failed = 0
    for table, works in TABLE.items():
        for work in works:
            if not asked.only or {table, work.name} & set(asked.only):
                failed += not record(table, work, asked.trace)
    return min(failed, 1)


def record(table: str, work: Work, trace: str) -> bool:
    """Show a task twice and keep it in the file of its table; says what was learned, or what went wrong."""
    try:
        entries = [show(work, number, trace) for number in range(len(work.shown))]
        programs = learn([entry.demonstration for entry in entries if entry.demonstration is not None])
        told = "\n".join(describe(program) for program in programs)
        needed = {one.name for program in programs for one in program.parameters if one.default is None}
        if len(programs) != 1 or needed != set(work.other):
            raise NotShown(f"{len(programs)} programs with the values {sorted(needed)}:\n{told}")
    except NotShown as error:
        sys.stdout.write(f"FAILED {work.name}: {error}\n")
        return False
    keep(content("memory") / "starter" / f"{table}.jsonl", work.name, entries)
    sys.stdout.write(f"{work.name}\n{told}\n")
    sys.stdout.flush()
    return True


def show(work: Work, number: int, trace: str) -> Entry:
    """Do a task by plain commands and verify its outcome; the run as an entry of the store.

    Raises:
        NotShown: it was not done.
    """
    shutil.rmtree(HOMES, ignore_errors=True)
    home, values = work.prepare(HOMES, number), work.values(number)
    with VirtualComputer(home=str(home), observe="tree") as computer:
        guard = PolicyGuard.default(yes=True)
        agent = Agent(
            computer, PlainPlanner(), guard=guard, observers=(RunWriter(trace or str(HOMES / "runs")),)
        )
        run = agent.run(Task(work.said(number), values=values))
        ended = run.ending
        if ended is None or ended.kind != "done":
            steps = [
                f"{step.planned.why}: {step.outcome.summary} {step.error}" for step in run.trajectory.steps
            ]
            raise NotShown("\n  ".join([str(ended), *steps]))
        shown = from_trajectory(run.trajectory, computer.platform, origin=ORIGIN)
    if not wait_for(work.effect(values), home):
        raise NotShown(f"the outcome is not there; there is {sorted(map(str, home.rglob('*')))[:40]}")
    return entry_of(_lean(replace(shown, task=work.asked(number))), family=work.name, origin=ORIGIN)


def _lean(shown: Demonstration) -> Demonstration:
    """The recording with the abstracts of its screens; the home folders lie where people have them."""

    def at_home(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(str(HOMES), "/home")
        if isinstance(value, dict):
            return {key: at_home(one) for key, one in value.items()}
        return [at_home(one) for one in value] if isinstance(value, list) else value

    def short(screen: Screen, *used: int) -> Screen:
        kept = abstract(screen, shown.task, {id for id in used if id}, cap=CAP)
        return replace(kept, elements=tuple(one if one.id in used else _bare(one) for one in kept.elements))

    def short_step(step: DemoStep) -> DemoStep:
        screen = step.screen and short(step.screen, step.element, step.to_element)
        return replace(step, screen=screen, seconds=round(step.seconds, 2))

    final = shown.final and short(shown.final)
    said = _plain(replace(shown, steps=tuple(map(short_step, shown.steps)), final=final))
    return decode(Demonstration, json.dumps(at_home(said)))


def _bare(element: Element) -> Element:
    """An element that nothing was done to, without what serves to find it again."""
    telling = {key: value for key, value in element.attributes.items() if key not in MECHANICAL}
    return replace(element, path="", attributes=telling)


def keep(path: Path, name: str, entries: Sequence[Entry]) -> None:
    """Write the entries of a task into a file of the store, in the place of its earlier ones."""
    lines = path.read_text("utf-8").splitlines()[1:] if path.exists() else []
    order = [work.name for work in TABLE[path.stem]]
    kept = [line for line in lines if (family := json.loads(line)["family"]) != name and family in order]
    kept += [json.dumps(_plain(entry), ensure_ascii=False, separators=(",", ":")) for entry in entries]
    kept.sort(key=lambda line: order.index(json.loads(line)["family"]))
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([json.dumps({"format": FORMAT}), *kept, ""]), "utf-8")


def _plain(value: Any) -> Any:
    """A value for JSON without what goes without saying; what tells kinds apart stays."""
    if is_dataclass(value):
        said = {item.name: getattr(value, item.name) for item in fields(value)}
        usual = {
            item.name: item.default_factory() if item.default_factory is not MISSING else item.default
            for item in fields(value)
        }
        return {
            name: _plain(one)
            for name, one in said.items()
            if name in ("kind", "format") or one != usual[name]
        }
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


if __name__ == "__main__":
    sys.exit(main())
