"""What is to be done with every thing is done to the end of the list, however long it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gui_agent.core.trajectory import Demonstration, Ending, Trajectory
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Every
from gui_agent.testing import FakeComputer, button, row, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run


def claims(*people: str) -> FakeComputer:
    """A long list of claims, each with the name of a person, and a button below all of them."""
    return FakeComputer(
        {"list": screen(*(row(text(name), button("Pay")) for name in people), button("Close day"))},
        [when("click", go=lambda world: world.change(world.focus, states=frozenset({"pressed"})))],
    )


def paying(*places: int) -> Callable[[Recording], None]:
    """Pays the claims at these places of the whole list, scrolling as far as needed, and closes the day."""

    def script(hand: Recording) -> None:
        for nth in places:
            hand.click("Pay", nth)
        hand.click("Close day")

    return script


def ending(trajectory: Trajectory) -> Ending:
    assert trajectory.ending is not None
    return trajectory.ending


def shown(record: Record) -> Sequence[Demonstration]:
    return [
        record(claims("Ada", "Bob", "Ada"), "Pay all claims of Ada, then close the day", paying(1, 3)),
        record(
            claims("Bob", "Cyd", "Bob", "Bob"), "Pay all claims of Bob, then close the day", paying(1, 3, 4)
        ),
    ]


def clicked(computer: FakeComputer) -> int:
    return sum(action.kind == "click" for action in computer.performed)


def test_every_becomes_a_loop(record: Record) -> None:
    (program,) = learn(shown(record))
    assert isinstance(program.steps[0], Every)


def test_the_list_is_followed_to_its_end(record: Record, run: Run) -> None:
    people = ["Kim", "Lea"] * 12
    computer = claims(*people)
    assert computer.observe().more.get("below"), "the list must be longer than the screen"
    trajectory = run(computer, shown(record), "Pay all claims of Lea, then close the day")
    assert ending(trajectory).kind == "done", ending(trajectory).reason
    assert clicked(computer) == 13
    assert sum(action.kind == "scroll" for action in computer.performed) >= 1
