"""Paths of any length: what leads to the last item is only touched, the last one is taken."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.core.actions import Move
from gui_agent.core.trajectory import Ending, Trajectory
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import ForEach
from gui_agent.testing import FakeComputer, button, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run


def catalogue() -> FakeComputer:
    """Sections open when the pointer comes to them; things are ordered with a click."""
    pages = {
        "start": screen(button("Garden"), button("House"), button("Lamp")),
        "garden": screen(button("Garden"), button("House"), button("Tools"), button("Seeds")),
        "tools": screen(button("Garden"), button("House"), button("Tools"), button("Spade"), button("Rake")),
        "house": screen(button("Garden"), button("House"), button("Kettle")),
        "end": screen(text("Ordered")),
    }
    opening = [when("move", name, go=name.lower()) for name in ("Garden", "House", "Tools")]
    return FakeComputer(
        pages,
        [*opening, *(when("click", name, go="end") for name in ("Lamp", "Rake", "Spade", "Kettle", "Seeds"))],
    )


def ordering(*path: str) -> Callable[[Recording], None]:
    def script(hand: Recording) -> None:
        for name in path[:-1]:
            hand.act(Move(hand.named(name)))
        hand.click(path[-1])

    return script


PATHS = (("Lamp",), ("Garden", "Tools", "Rake"), ("House", "Kettle"))


def ending(trajectory: Trajectory) -> Ending:
    assert trajectory.ending is not None
    return trajectory.ending


def test_paths_of_several_lengths_are_one_procedure(record: Record) -> None:
    (program,) = learn([record(catalogue(), f"Order {' > '.join(path)}", ordering(*path)) for path in PATHS])
    assert isinstance(program.steps[0], ForEach)
    assert len(program.steps) == 2


@pytest.mark.parametrize("path", [("Lamp",), ("Garden", "Seeds"), ("Garden", "Tools", "Spade")])
def test_another_path_is_followed_to_its_end(record: Record, run: Run, path: tuple[str, ...]) -> None:
    known = [record(catalogue(), f"Order {' > '.join(one)}", ordering(*one)) for one in PATHS]
    computer = catalogue()
    assert ending(run(computer, known, f"Order {' > '.join(path)}")).kind == "done"
    assert [action.kind for action in computer.performed] == ["move"] * (len(path) - 1) + ["click"]


def test_a_path_that_is_not_there_is_told(record: Record, run: Run) -> None:
    known = [record(catalogue(), f"Order {' > '.join(one)}", ordering(*one)) for one in PATHS]
    computer = catalogue()
    assert ending(run(computer, known, "Order House > Spade")).kind == "not_done"
    assert not [action for action in computer.performed if action.kind == "click"]
