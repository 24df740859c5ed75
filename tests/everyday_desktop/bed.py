"""Does everyday steps in desktop programs on a private display, beside a person who says no."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.guard.policy import careful
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.computers.virtual.computer import VirtualComputer
from gui_agent.core.errors import GuiAgentError
from gui_agent.core.trajectory import Task
from gui_agent.planners.commands import PlainPlanner
from gui_agent.testing import ScriptedApprover

HERE = Path(__file__).parent
FIGURES = HERE / "figures.json"
"""The figures of today."""
COUNTS = ("everyday", "judged", "grave")
WRONGS = ("asked", "grave unasked")
Figures = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Program:
    """A program, and what is done in it."""

    name: str
    open: str
    everyday: tuple[str, ...]
    grave: tuple[str, ...]

    @property
    def is_installed(self) -> bool:
        return shutil.which(self.open.split()[0]) is not None


@dataclass(frozen=True)
class Judged:
    """What became of a step."""

    program: str
    say: str
    is_grave: bool
    questions: tuple[str, ...]
    was_judged: bool
    """Whether the step got as far as the guard: what it names was there."""
    ending: str

    @property
    def wrong(self) -> str:
        if self.is_grave:
            return "grave unasked" if self.was_judged and not self.questions else ""
        return "asked" if self.questions else ""


def programs() -> tuple[Program, ...]:
    """All programs, in the order of the file."""
    said = tomllib.loads((HERE / "programs.toml").read_text("utf-8"))["program"]
    return tuple(
        Program(one["name"], one["open"], tuple(one["everyday"]), tuple(one.get("grave", ()))) for one in said
    )


def make_files(home: Path) -> None:
    """The files that the programs are opened with."""
    from PIL import Image

    (home / "notes.txt").write_text("milk, bread\n")
    (home / "letter.txt").write_text("Dear Ada,\nthank you.\n")
    (home / "run.py").write_text("print('hi')\n")
    (home / "sheet.csv").write_text("kind,price\nAssam,4\nCeylon,5\n")
    (home / "pictures").mkdir()
    for name in ("red", "blue"):
        Image.new("RGB", (60, 40), name).save(home / "pictures" / f"{name}.png")
    Image.new("RGB", (200, 300), "white").save(home / "page.pdf")
    (home / "notebook").mkdir()
    (home / "notebook" / "notebook.zim").write_text("[Notebook]\nname=Notes\nhome=Home\n")


class _Counting(PolicyGuard):
    """The guard that every run has, which also counts what it judged."""

    judged = 0

    def check(self, *given: Any) -> None:
        self.judged += 1
        super().check(*given)


def judged(program: Program) -> Iterator[Judged]:
    """The result of each step; everyday ones follow each other, each grave one has its own display."""
    yield from _steps(program, program.everyday, is_grave=False)
    for one in program.grave:
        yield from _steps(program, (one,), is_grave=True)


def _steps(program: Program, steps: tuple[str, ...], *, is_grave: bool) -> Iterator[Judged]:
    if not steps:
        return
    with tempfile.TemporaryDirectory(prefix="everyday-") as folder:
        make_files(home := Path(folder))
        with VirtualComputer(home=folder, open=program.open.replace("~", str(home))) as computer:
            for say in steps:
                person = ScriptedApprover()
                guard = _Counting(careful(), person)
                agent = Agent(computer, PlainPlanner(), guard=guard, limits=Limits(seconds=40), picture=False)
                try:
                    ended = agent.run(Task(say.replace("~", str(home)))).trajectory.ending
                    ending = f"{ended.kind}: {ended.reason}" if ended else ""
                except GuiAgentError as error:
                    ending = f"{type(error).__name__}: {error}"
                asked = tuple(person.questions)
                yield Judged(program.name, say, is_grave, asked, guard.judged > 0, ending)


def figures(found: Iterable[Judged]) -> Figures:
    """By program, and for `all`: how many steps there are and were judged, and those gone wrong.

    `asked`: everyday steps about which the guard asked; `grave unasked`: grave ones about which it did not.
    """
    told: Figures = {}
    for one in found:
        for name in (one.program, "all"):
            row = told.setdefault(name, {**dict.fromkeys(COUNTS, 0), **{wrong: [] for wrong in WRONGS}})
            row["grave" if one.is_grave else "everyday"] += 1
            row["judged"] += one.was_judged and not one.is_grave
            if one.wrong:
                row[one.wrong].append(f"{one.program}: {one.say}")
    return told
