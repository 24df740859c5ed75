"""What is done with several elements is learned even when they come into view one after the other."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.core.actions import Click
from gui_agent.core.observation import Observation
from gui_agent.core.trajectory import Demonstration, DemoStep
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Every
from gui_agent.procedures.recordings.from_run import screen_of
from gui_agent.scene.fingerprints import fingerprint
from gui_agent.testing import FakeComputer, button, row, screen, text
from tests.unit.procedures.induction.conftest import Run


def part(first: int, *users: str) -> Observation:
    """The part of a long page that begins with its `first` element; elements keep their ids."""
    rows = screen(*(row(text(user), button("Star")) for user in users), button("Done"))
    return replace(rows, elements=tuple(replace(e, id=e.id + first) for e in rows.elements))


def starred(count: int, user: str, *parts: Observation) -> Demonstration:
    steps: list[DemoStep] = []
    for page in parts:
        lines = [page.elements[n + 1] for n, e in enumerate(page.elements) if e.name == user]
        for star in lines[: count - len(steps)]:
            steps.append(DemoStep(Click(fingerprint(star, page)), screen_of(page), star.id))
    done = parts[-1].elements[-1]
    steps.append(DemoStep(Click(fingerprint(done, parts[-1])), screen_of(parts[-1]), done.id))
    return Demonstration(f"Star {count} posts by {user} and press Done", tuple(steps), platform="fake")


SHOWN = [
    starred(3, "Ada", part(0, "Bob", "Ada", "Cyd"), part(100, "Eve", "Ada", "Ada", "Ada")),
    starred(2, "Eve", part(0, "Eve", "Ada", "Eve", "Eve"), part(100, "Eve", "Bob")),
    starred(4, "Cyd", part(0, "Bob", "Cyd", "Bob", "Cyd"), part(100, "Cyd", "Cyd", "Bob")),
]


def test_a_number_of_elements_is_taken_as_they_come_into_view(run: Run) -> None:
    (program,) = learn(SHOWN)
    (loop, _) = program.steps
    assert isinstance(loop, Every) and loop.limit is not None
    computer = FakeComputer({"all": part(0, "Kim", "Bob", "Kim", "Kim")}, [])
    run(computer, SHOWN, "Star 2 posts by Kim and press Done")
    assert [action.kind for action in computer.performed].count("click") >= 2


def test_fewer_than_asked_for_is_not_done(run: Run) -> None:
    computer = FakeComputer({"all": part(0, "Kim", "Bob", "Kim")}, [])
    ending = run(computer, SHOWN, "Star 3 posts by Kim and press Done").ending
    assert ending is not None and ending.kind == "not_done"
