"""A number that can only be found by trying is found by what the screen says of each try."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.core.trajectory import Demonstration, Ending, Trajectory
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Guided
from gui_agent.testing import FakeComputer, button, field, form, screen, text, when
from gui_agent.testing.computer import World
from tests.unit.procedures.induction.conftest import Record, Recording, Run

TASK = "Find the dose between 1 and 60 by trying"


def pump(dose: int, *, silent: bool = False) -> FakeComputer:
    """A pump that says of each dose that is set whether it needs more or less."""
    form_ = form(field("Dose"), button("Set"))
    pages = {"new": screen(text("No dose yet"), form_), "end": screen(text("Just right"))}
    pages |= {f"more {n}": screen(text(f"More than {n} is needed"), form_) for n in range(1, 61)}
    pages |= {f"less {n}": screen(text(f"{n} is too much"), form_) for n in range(1, 61)}
    pages["off"] = screen(text("Out of order"), form_)

    def told(world: World) -> None:
        tried = int(world.content_of("Dose"))
        verdict = "end" if tried == dose else f"more {tried}" if tried < dose else f"less {tried}"
        world.show("off" if silent else verdict)

    return FakeComputer(pages, [when("click", "Set", go=told)])


def trying(*doses: int) -> Callable[[Recording], None]:
    def script(hand: Recording) -> None:
        for dose in doses:
            hand.type("Dose", str(dose))
            hand.click("Set")

    return script


@pytest.fixture
def shown(record: Record) -> list[Demonstration]:
    return [
        record(pump(12), TASK, trying(30, 15, 7, 11, 12)),
        record(pump(30), TASK, trying(30)),
        record(pump(50), TASK, trying(40, 50)),
    ]


def ending(trajectory: Trajectory) -> Ending:
    assert trajectory.ending is not None
    return trajectory.ending


def tries(computer: FakeComputer) -> int:
    return sum(action.kind == "type" for action in computer.performed)


def test_tries_become_a_search(shown: list[Demonstration]) -> None:
    (program,) = learn(shown)
    assert [type(step) for step in program.steps] == [Guided]


@pytest.mark.parametrize("dose", [1, 23, 60])
def test_each_try_halves_the_range(shown: list[Demonstration], run: Run, dose: int) -> None:
    computer = pump(dose)
    assert ending(run(computer, shown, TASK)).kind == "done"
    assert computer.observe().elements[0].name == "Just right"
    assert tries(computer) <= 6


def test_without_an_answer_it_is_not_called_right(shown: list[Demonstration], run: Run) -> None:
    computer = pump(23, silent=True)
    assert ending(run(computer, shown, TASK)).kind == "not_done"
    assert tries(computer) == 1


def test_a_number_outside_of_the_range_is_told(shown: list[Demonstration], run: Run) -> None:
    trajectory = run(pump(99), shown, TASK)
    assert ending(trajectory).kind == "not_done"
    assert "no number of the range" in ending(trajectory).reason


def test_one_direction_alone_does_not_show_a_search(record: Record) -> None:
    upwards = [record(pump(50), TASK, trying(20, 40, 50)), record(pump(30), TASK, trying(20, 30))]
    assert not any(isinstance(step, Guided) for program in learn(upwards) for step in program.steps)
