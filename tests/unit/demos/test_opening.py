"""Procedures of one wording are told apart by what the screen offers to begin with, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.core.demonstration import Demonstration
from gui_agent.core.trajectory import Ending, Trajectory
from gui_agent.demos.induce.learn import learn
from gui_agent.demos.opening import Opening, first_that_opens
from gui_agent.testing import FakeComputer, button, row, screen, text, when
from tests.unit.demos.conftest import Record, Recording, Run

BOTH = frozenset({"user", "press"})
USER = frozenset({"user"})


def posts(*users: str, buttons: Sequence[str] = ("Star", "More")) -> FakeComputer:
    page = screen(*(row(text(user), *(button(name) for name in buttons)) for user in users))
    menu = screen(text("Menu"), button("Block"), button("Mute"))
    rules = [when("click", "More", go="menu"), when("click", go="end")]
    return FakeComputer({"posts": page, "menu": menu, "end": screen(text("Thanks"))}, rules)


def by_menu(nth: int, name: str) -> object:
    def script(hand: Recording) -> None:
        hand.click("More", nth)
        hand.click(name)

    return script


def shown(record: Record) -> list[Demonstration]:
    return [
        record(posts("Ada", "Bob"), 'For Bob, press the "Star" button', lambda hand: hand.click("Star", 2)),
        record(posts("Eve", "Ada"), 'For Ada, press the "Block" button', by_menu(2, "Block")),  # type: ignore[arg-type]
        record(posts("Cyd", "Eve"), 'For Cyd, press the "Mute" button', by_menu(1, "Mute")),  # type: ignore[arg-type]
    ]


def ending(trajectory: Trajectory) -> Ending:
    assert trajectory.ending is not None
    return trajectory.ending


def clicks(computer: FakeComputer) -> int:
    return sum(action.kind == "click" for action in computer.performed)


def test_what_is_named_and_on_the_screen_is_taken_and_else_the_menu(record: Record, run: Run) -> None:
    star, *menu = shown(record)
    known = [*learn([star]), *learn(menu)]
    direct, through_menu = posts("Ada", "Kim"), posts("Ada", "Kim")
    assert ending(run(direct, known, 'For Kim, press the "Star" button')).kind == "done"
    assert clicks(direct) == 1
    assert ending(run(through_menu, known, 'For Kim, press the "Mute" button')).kind == "done"
    assert clicks(through_menu) == 2


def test_nothing_to_begin_with_is_looked_for_and_then_told(record: Record, run: Run) -> None:
    computer = posts("Ada", "Kim", buttons=("Like",))
    trajectory = run(computer, shown(record), 'For Kim, press the "Mute" button')
    assert ending(trajectory).kind == "not_done"
    assert clicks(computer) == 0


def test_the_screen_decides_only_for_what_uses_more_of_the_instruction() -> None:
    assert first_that_opens([Opening(True, USER), Opening(True, BOTH)]) == 1
    assert first_that_opens([Opening(True, USER), Opening(False, BOTH)]) == 0
    assert first_that_opens([Opening(True, USER), Opening(True, USER)]) is None
    assert first_that_opens([Opening(True, USER), None]) is None


def test_a_verb_after_and_is_no_second_item_of_a_list(record: Record) -> None:
    def mail() -> FakeComputer:
        pages = {
            "all": screen(text("Inbox"), button("Ada"), button("Bob")),
            "one": screen(text("From a friend"), button("Reply")),
            "end": screen(text("Written")),
        }
        return FakeComputer(pages, [when("click", "Reply", go="end"), when("click", go="one")])

    def reply(name: str) -> Demonstration:
        def script(hand: Recording) -> None:
            hand.click(name)
            hand.click("Reply")

        return record(mail(), f"Open the mail of {name} and reply to it", script)

    (program,) = learn([reply("Ada"), reply("Bob")])
    assert len(program.steps) == 2
    assert [parameter.type for parameter in program.parameters] == ["text"]
