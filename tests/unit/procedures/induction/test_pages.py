"""The n-th of a list over several pages is counted on from page to page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from gui_agent.core.trajectory import Demonstration, Ending, Trajectory
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Rank, nodes
from gui_agent.testing import FakeComputer, button, link, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run


def register(*pages: Sequence[str]) -> FakeComputer:
    """Entries on several pages; the last page has nothing to turn."""
    shown = {
        str(number): screen(
            text("Register"), *map(link, names), *([button("Onward")] if number < len(pages) else [])
        )
        for number, names in enumerate(pages, 1)
    }
    entries = [name for names in pages for name in names]
    turning = [when("click", "Onward", go=str(number + 1), on=str(number)) for number in range(1, len(pages))]
    chosen = [when("click", name, go=f"entry {name}") for name in entries]
    ends = {f"entry {name}": screen(text(f"Entry {name}")) for name in entries}
    return FakeComputer({**shown, **ends}, [*turning, *chosen])


def opening(name: str, turns: int) -> Callable[[Recording], None]:
    def script(hand: Recording) -> None:
        for _ in range(turns):
            hand.click("Onward")
        hand.click(name)

    return script


@pytest.fixture
def shown(record: Record) -> list[Demonstration]:
    return [
        record(register(("A1", "A2"), ("A3", "A4"), ("A5",)), "Open the 5th entry", opening("A5", 2)),
        record(register(("B1", "B2", "B3"), ("B4", "B5")), "Open the 4th entry", opening("B4", 1)),
        record(register(("C1", "C2"), ("C3",)), "Open the 2nd entry", opening("C2", 0)),
    ]


def ending(trajectory: Trajectory) -> Ending:
    assert trajectory.ending is not None
    return trajectory.ending


def test_the_rank_goes_over_pages(shown: list[Demonstration]) -> None:
    (program,) = learn(shown)
    assert any(isinstance(node, Rank) and node.paged for node in nodes(program.steps))


@pytest.mark.parametrize(("rank", "entry"), [("1st", "D1"), ("4th", "D4"), ("6th", "D6"), ("7th", "D7")])
def test_entries_are_counted_on(shown: list[Demonstration], run: Run, rank: str, entry: str) -> None:
    computer = register(("D1", "D2", "D3"), ("D4", "D5"), ("D6", "D7"))
    trajectory = run(computer, shown, f"Open the {rank} entry")
    assert ending(trajectory).kind == "done", ending(trajectory).reason
    assert computer.observe().elements[0].name == f"Entry {entry}"


def test_beyond_the_last_page_nothing_is_opened(shown: list[Demonstration], run: Run) -> None:
    computer = register(("D1", "D2"), ("D3",))
    trajectory = run(computer, shown, "Open the 6th entry")
    assert ending(trajectory).kind == "not_done"
    assert not computer.observe().elements[0].name.startswith("Entry")


def test_what_is_quoted_is_looked_for_as_it_is_written(record: Record, run: Run) -> None:
    def by_name(name: str, turns: int, *pages: Sequence[str]) -> Demonstration:
        return record(register(*pages), f'Find the entry "{name}"', opening(name, turns))

    known = [
        by_name("Oak", 1, ("Elm", "Ash"), ("Oak", "Fir")),
        by_name("Yew", 2, ("Elm",), ("Ash",), ("Yew",)),
        by_name("Fir", 0, ("Fir", "Ash"), ("Oak",)),
    ]
    computer = register(("Oak", "Box"), ("Ivy", "box"))
    assert ending(run(computer, known, 'Find the entry "box"')).kind == "done"
    assert [action.kind for action in computer.performed] == ["click", "click"], "Box is not taken for box"


def test_the_rank_is_meant_where_the_name_is_there_twice(record: Record, run: Run) -> None:
    def nth(rank: str, name: str, turns: int, *pages: Sequence[str]) -> Demonstration:
        return record(register(*pages), f'Open the {rank} entry about "{name}"', opening(name, turns))

    known = [
        nth("5th", "Oak", 2, ("Elm", "Ash"), ("Box", "Fir"), ("Oak",)),
        nth("4th", "Yew", 1, ("Elm", "Fir", "Bay"), ("Yew", "Ash")),
        nth("2nd", "Fir", 0, ("Oak", "Fir"), ("Elm",)),
    ]
    computer = register(("Ivy", "Elm", "Bay"), ("Ivy", "Ash"), ("Oak",))
    assert ending(run(computer, known, 'Open the 4th entry about "Ivy"')).kind == "done"
    assert [action.kind for action in computer.performed] == ["click", "click"], (
        "the first Ivy is passed over"
    )
