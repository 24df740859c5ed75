"""Runs made by hand and kept as any run is: a form that is filled in and sent, well or badly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from guiagent_eval.records import EvalFolder, Record

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Observation, Screenshot, Words
from gui_agent.core.trajectory import Decision, Ending, Finish, Outcome, Planned, Step, Task, Trajectory, Turn
from gui_agent.testing import button, field, screen, spot, text
from gui_agent.trace.writer import RunWriter

Keep = Callable[..., Path]
PIXEL = b"\x89PNG no picture, only its bytes: "


def form(name: str, *more: str, site: str = "shop.test") -> Observation:
    """The form with what stands in its field."""
    seen = screen(field("Name", value=name), button("Send"), button("Reset"), *map(text, more))
    shown = Screenshot(PIXEL + f"{name}{more}".encode(), seen.size)
    elements = tuple(replace(one, source="dom") for one in seen.elements)
    place = replace(seen.place, app=site, url=f"https://{site}/form")
    return replace(seen, elements=elements, place=place, screenshot=shown)


def typed(number: int, name: str, before: Observation, outcome: str = "confirmed") -> Step:
    planned = Planned(TypeText(name, Words("Name"), replace=True), why=f"The name is {name}.")
    found = {"at": spot(before, "Name")}
    after = form(name)
    action = TypeText(name, found["at"].point, replace=True)
    return Step(number, planned, before, after, Outcome(outcome, "said"), action, found)  # type: ignore[arg-type]


def clicked(number: int, what: str, before: Observation, *shown: str) -> Step:
    found = {"at": spot(before, what)}
    name = before.elements[0].value
    outcome = Outcome("changed", f"text {shown} appeared")
    action = Click(found["at"].point)
    return Step(number, Planned(Click(Words(what))), before, form(name, *shown), outcome, action, found)


def missed(number: int, before: Observation) -> Step:
    planned = Planned(Click(Words("Submit")))
    return Step(number, planned, before, before, Outcome("failed", "there is no Submit"), error="NotFound")


def steps(name: str, *, wrong: bool = False, void: bool = False, said: str = "Thank you") -> list[Step]:
    """Those of one run: a name typed, perhaps a wrong one before, perhaps a click on nothing, and Send."""
    made: list[Step] = []

    def now() -> Observation:
        return made[-1].after if made else form("")

    if wrong:
        made.append(typed(1, "Eve", now(), "unexpected"))
    if void:
        made.append(missed(len(made) + 1, now()))
    made.append(typed(len(made) + 1, name, now()))
    made.append(clicked(len(made) + 1, "Send", now(), said))
    return made


def trajectory(name: str, taken: Sequence[Step], ending: str = "done", answer: str = "") -> Trajectory:
    turns = [
        Turn(Decision(planned=(one.planned,), planner="demonstration"), one.before, (one,)) for one in taken
    ]
    if ending == "done":
        turns.append(
            Turn(Decision("All is done.", end=Finish(answer), planner="demonstration"), taken[-1].after)
        )
    return Trajectory(
        Task(f"Send the name {name}", "https://shop.test/form"), tuple(turns), Ending(ending, answer=answer)
    )  # type: ignore[arg-type]


def write(root: Path, made: Trajectory) -> Path:
    writer = RunWriter(root)
    writer.started(made.task)
    for turn in made.turns:
        writer.decided(turn)
        for step in turn.steps:
            writer.stepped(step)
    writer.ended(made)
    assert writer.folder is not None
    return writer.folder


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    """Keeps a run of the form, and gives its folder."""

    def kept(name: str = "Ada", ending: str = "done", **how: object) -> Path:
        return write(tmp_path / "runs", trajectory(name, steps(name, **how), ending))  # type: ignore[arg-type]

    return kept


@pytest.fixture
def episodes(tmp_path: Path) -> Path:
    """A benchmark run: a won episode, a lost one with a void turn and an error, and one without a trace."""
    folder = EvalFolder.create(tmp_path / "eval", {"recipe": {"benchmark": "toy"}})
    for seed, how in ((1, {}), (2, {"wrong": True, "void": True})):
        place = tmp_path / "eval" / "traces" / "form"
        made = write(place, trajectory("Ada", steps("Ada", **how)))
        made.rename(place / str(seed))
        won = seed == 1
        record = Record(
            "form", seed, "success" if won else "wrong", "Send the name Ada", reward=0.7 * won, raw=float(won)
        )
        folder.append(replace(record, trace=f"traces/form/{seed}"))
    folder.append(Record("form", 3, "success"))
    folder.close()
    return tmp_path / "eval"
