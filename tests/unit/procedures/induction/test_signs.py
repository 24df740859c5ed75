"""What is checked is what a step made, and what is waited for is what came then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from gui_agent.core.actions import Wait
from gui_agent.core.observation import Box, Observation
from gui_agent.core.trajectory import Demonstration, DemoStep
from gui_agent.procedures.induction.learn import learn_one
from gui_agent.procedures.induction.steps import Unexplained
from gui_agent.procedures.language.program import Const, DoStep, Program
from gui_agent.procedures.language.wording import sentences
from gui_agent.procedures.recordings.from_run import postconditions, screen_of
from gui_agent.procedures.runtime.verification import verify
from gui_agent.testing import FakeComputer, World, button, field, row, screen, text, when, widget
from tests.unit.procedures.induction.conftest import Record, Recording, Run


def people(*names: str, works: bool = True) -> FakeComputer:
    """A list of people, and a form that adds one to it."""

    def saves(world: World) -> None:
        name = world.content_of("Name")
        world.show("list")
        count = len(world.screen.elements)
        if works:
            world.add(widget("cell", name, box=Box(20, 200 + 30 * count, 200, 20)))

    cells = [widget("cell", name, box=Box(20, 120 + 30 * at, 200, 20)) for at, name in enumerate(names)]
    listed = screen(widget("heading", "People"), button("Add"), *cells)
    screens = {"home": screen(button("Staff")), "list": listed, "form": screen(field("Name"), button("Save"))}
    rules = [
        when("click", "Staff", go="list"),
        when("click", "Add", go="form"),
        when("click", "Save", go=saves),
    ]
    return FakeComputer(screens, rules)


def adding(name: str) -> Callable[[Recording], None]:
    def by_hand(hand: Recording) -> None:
        hand.click("Staff")
        hand.click("Add")
        hand.type("Name", name)
        hand.click("Save")

    return by_hand


def shown_after(program: Program) -> list[list[str]]:
    steps = [step for step in program.steps if isinstance(step, DoStep)]
    return [[one.text.text if isinstance(one.text, Const) else "a value" for one in step.expect
             if one.what == "shown"] for step in steps]  # fmt: skip


def test_rows_that_lay_there_are_no_check_and_the_row_that_was_made_is_one(record: Record) -> None:
    program = learn_one([record(people("Grace Hopper", "Alan Turing"), "Add 'Ada'", adding("Ada"))])
    assert shown_after(program) == [["People", "Add"], ["Name", "Save"], [], ["People", "Add", "a value"]]


@pytest.mark.parametrize(
    ("there", "works", "held"),
    [((), True, True), ((), False, False), (("Ken",), True, None), (("Ken",), False, None)],
)
def test_a_row_that_stood_there_before_proves_nothing(
    record: Record, run: Run, there: Sequence[str], works: bool, held: bool | None
) -> None:
    program = learn_one([record(people("Grace Hopper"), "Add 'Ada'", adding("Ada"))])
    checked = verify([program], run(people(*there, works=works), [program], "Add 'Ken'"))
    said = [one.held for step in checked for one in step.expectations if one.text == '"Ken" is shown']
    assert said == [held]


class Slow(FakeComputer):
    """A test that runs until it was looked at some times."""

    def __init__(self, looks: int, failed: str, *, sign: str = "stopped", entry: str = "") -> None:
        result = row(text("Failed:"), text("0"))
        more = [widget("cell", entry, box=Box(20, 300, 200, 20))] if entry else []
        run = screen(row(text("State:"), text("running")), result, button("Log"))
        end = screen(
            row(text("State:"), text(sign)), row(text("Failed:"), text(failed)), button("Log"), *more
        )
        super().__init__(
            {"start": screen(button("Start")), "run": run, "end": end}, [when("click", go="run")]
        )
        self.looks = looks

    def observe(self, **how: bool) -> Observation:  # type: ignore[override]
        self.looks -= self.world.current == "run"
        if self.looks < 0:
            self.world.show("end")
        return super().observe(**how)


def waited(computer: Slow, answer: str, times: int = 1) -> Demonstration:
    hand = Recording(computer)
    hand.click("Start")
    for left in range(times):
        before = hand.look()
        computer.looks = left and 1
        hand.look()
        after = hand.look()
        hand.steps.append(DemoStep(Wait(5), screen_of(before), expect=postconditions(before, after)))
    return replace(hand.demonstration("How many requests failed?"), answer=answer)


def test_the_answer_is_read_when_what_came_with_it_is_there(run: Run) -> None:
    shown = waited(Slow(99, "3"), "3")
    trajectory = run(Slow(12, "690"), [shown], "How many requests failed?")
    assert trajectory.ending is not None
    assert (trajectory.ending.kind, trajectory.ending.answer) == ("done", "690")


def test_several_waits_are_one_and_say_what_they_wait_for() -> None:
    program = learn_one([waited(Slow(99, "3"), "3", times=3)])
    assert sentences(program)[1:] == ['2. Wait; then "stopped" is shown.']


@pytest.mark.parametrize("sign", [{"sign": "running"}, {"sign": "running", "entry": "Ada"}])
def test_an_answer_after_a_wait_that_nothing_lasting_ends_is_not_learned(sign: dict[str, str]) -> None:
    with pytest.raises(Unexplained, match="no lasting text marks the end of the wait"):
        learn_one([waited(Slow(99, "3", **sign), "3")])
