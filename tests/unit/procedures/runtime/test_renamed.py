"""A button that the instruction itself names is pressed where the demonstrated one is called otherwise."""

from __future__ import annotations

from gui_agent.core.trajectory import Trajectory
from gui_agent.testing import FakeComputer, button, field, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run, acted_on


def page(*buttons: str) -> FakeComputer:
    pages = {
        "form": screen(field("User"), field("Code"), *(button(name) for name in buttons)),
        "in": screen(text("Welcome")),
    }
    return FakeComputer(pages, [when("click", go="in")])


def come_in(user: str, code: str) -> object:
    def script(hand: Recording) -> None:
        hand.type("User", user)
        hand.type("Code", code)
        hand.click("OK")

    return script


def done(record: Record, run: Run, task: str, *buttons: str) -> tuple[str, list[str]]:
    wording = "Type the user {} and the code {} and press enter."
    known = [
        record(page("OK", "Help"), wording.format(*values), come_in(*values))  # type: ignore[arg-type]
        for values in (("ada", "k7"), ("bob", "m9"))
    ]
    computer = page(*buttons)
    trajectory: Trajectory = run(computer, known, task)
    assert trajectory.ending is not None
    return trajectory.ending.kind, acted_on(trajectory, "button")


TASK = "Type the user eve and the code q1 and press enter."


def test_the_wording_names_the_button(record: Record, run: Run) -> None:
    assert done(record, run, TASK, "Help", "Enter") == ("done", ["Enter"])


def test_a_value_names_none(record: Record, run: Run) -> None:
    task = "Type the user eve and the code cancel and press enter."
    assert done(record, run, task, "Help", "Cancel") == ("not_done", [])


def test_what_was_shown_goes_first(record: Record, run: Run) -> None:
    assert done(record, run, TASK, "Enter", "OK") == ("done", ["OK"])
