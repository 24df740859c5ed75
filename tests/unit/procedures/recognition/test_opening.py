"""Procedures of one wording are told apart by what the screen offers to begin with, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gui_agent.core.trajectory import Demonstration, Ending, Task, Trajectory
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.view import View
from gui_agent.procedures.recognition.choose import NoProgram, Undecided, choose
from gui_agent.procedures.recognition.opening import FirstTarget, first_that_opens
from gui_agent.testing import FakeComputer, button, choice, field, row, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run

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


@pytest.mark.parametrize(
    ("offered", "taken"),
    [(("Menu",), "Menu"), (("open", "paid"), "open"), (("Menu", "paid"), "Menu")],
)
def test_the_screen_decides_too_where_one_was_shown_in_the_very_words(
    record: Record, run: Run, offered: tuple[str, ...], taken: str
) -> None:
    def orders(*buttons: str) -> FakeComputer:
        page = screen(text("Orders"), *(button(name) for name in buttons), title="Orders")
        return FakeComputer({"page": page, "end": screen(text("Thanks"))}, [when("click", go="end")])

    worded = record(orders("Menu"), "Show the open orders", lambda hand: hand.click("Menu"))
    other = record(orders("paid", "late"), "Show the paid orders", lambda hand: hand.click("paid"))
    known = [*learn([worded]), *learn([other])]
    with pytest.raises(Undecided) as both:
        choose(Task("Show the open orders"), known)
    assert [one.program for one in both.value.equals] == known
    computer = orders(*offered)
    trajectory = run(computer, known, "Show the open orders")
    assert ending(trajectory).kind == "done"
    assert [step.found["at"].element.name for step in trajectory.steps if step.found["at"].element] == [taken]


def test_nothing_to_begin_with_is_looked_for_and_then_told(record: Record, run: Run) -> None:
    computer = posts("Ada", "Kim", buttons=("Like",))
    trajectory = run(computer, shown(record), 'For Kim, press the "Mute" button')
    assert ending(trajectory).kind == "not_done"
    assert clicks(computer) == 0


def test_the_screen_decides_only_for_what_uses_more_of_the_instruction() -> None:
    assert first_that_opens([FirstTarget(True, USER), FirstTarget(True, BOTH)]) == 1
    assert first_that_opens([FirstTarget(True, USER), FirstTarget(False, BOTH)]) == 0
    assert first_that_opens([FirstTarget(True, USER), FirstTarget(True, USER)]) is None
    assert first_that_opens([FirstTarget(True, USER), None]) is None
    assert first_that_opens([FirstTarget(True, USER, as_shown=False), FirstTarget(True, USER)]) == 1


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


def test_of_two_ways_shown_for_the_very_same_words_the_screen_chooses(record: Record, run: Run) -> None:
    ask = "Show what can be set"
    direct = record(page(button("Settings")), ask, lambda hand: hand.click("Settings"))
    tools = record(page(button("Tools")), ask, lambda hand: hand.click("Tools"))
    known = [*learn([direct], name="direct"), *learn([tools], name="tools")]
    assert chosen(known, ask, button("Settings")) == "direct"
    assert chosen(known, ask, button("Tools")) == "tools"
    assert chosen(known, ask, button("Help")) == ""
    with pytest.raises(Undecided, match="equally well: Show what can be set"):
        choose(Task(ask), known)
    both = page(button("Settings"), button("Tools"))
    trajectory = run(both, known, ask)
    assert ending(trajectory).kind == "not_done"
    assert clicks(both) == 0


def test_of_two_ways_that_both_begin_the_one_shown_with_what_is_asked_for_is_gone(
    record: Record, run: Run
) -> None:
    def form() -> FakeComputer:
        pages = {
            "form": screen(button("More"), button("Size")),
            "more": screen(field("Note"), text("More")),
            "size": screen(field("Pieces"), text("Size")),
        }
        return FakeComputer(pages, [when("click", "More", go="more"), when("click", "Size", go="size")])

    def fill(way: str, name: str, value: str) -> Demonstration:
        def script(hand: Recording) -> None:
            hand.click(way)
            hand.type(name, value)

        return record(form(), f'The field {name} is to hold "{value}"', script)

    known = [*learn([fill("More", "Note", "Ada")]), *learn([fill("Size", "Pieces", "7")])]
    for name in ("Note", "Pieces"):
        trajectory = run(form(), known, f'The field {name} is to hold "12"')
        assert ending(trajectory).kind == "done"
        assert (last := trajectory.steps[-1].found["at"].element) is not None and last.name == name
    unknown = form()
    assert ending(run(unknown, known, 'The field Colour is to hold "12"')).kind == "not_done"
    assert clicks(unknown) == 0


def page(*things: object) -> FakeComputer:
    return FakeComputer(
        {"page": screen(*things), "end": screen(text("Thanks"))}, [when("click", "Go", go="end")]
    )  # type: ignore[arg-type]


def pick(name: str, option: str) -> object:
    def script(hand: Recording) -> None:
        hand.choose(name, option)
        hand.click("Go")

    return script


def several(record: Record) -> list[Program]:
    """Values typed into a field, or copied from what stands beside their name, or chosen from a list."""

    def write(value: str) -> Demonstration:
        def script(hand: Recording) -> None:
            hand.type("Answer", value)
            hand.click("Go")

        return record(page(field("Answer"), button("Go")), f"Enter {value} into the field", script)

    def copy(name: str, value: str) -> Demonstration:
        def script(hand: Recording) -> None:
            hand.type("Answer", value)
            hand.click("Go")

        table = (row(text("Town"), text("Bath")), row(text("Pet"), text("Cat")))
        shown = page(*table, field("Answer"), button("Go"))
        return record(shown, f"Enter the value of {name} into the field", script)

    def choose(name: str) -> Demonstration:
        shown = page(choice("Fruit", "Fig", "Plum", "Pear"), button("Go"))
        return record(shown, f"Choose {name} from the long fruit list and press go", pick("Fruit", name))  # type: ignore[arg-type]

    return [
        *learn([write("Oak"), write("Elm")], name="write"),
        *learn([copy("Town", "Bath"), copy("Pet", "Cat")], name="copy"),
        *learn([choose("Fig"), choose("Pear")], name="choose"),
    ]


def chosen(known: Sequence[Program], task: str, *things: object) -> str:
    try:
        return choose(Task(task), known, View(page(*things).observe(picture=False))).program.name
    except NoProgram:
        return ""


def test_the_wording_that_says_more_is_meant(record: Record) -> None:
    things = (row(text("Town"), text("York")), field("Answer"), button("Go"))
    known = several(record)
    assert chosen(known, "Enter the value of Town into the field", *things) == "copy"
    assert chosen(known, "Enter Town into the field", *things) == "write"


def test_a_word_may_be_left_out_when_the_screen_offers_what_is_asked_for(record: Record) -> None:
    known, ask = several(record), "Choose Kale from the fruit list and press go"
    assert chosen(known, ask, choice("Fruit", "Kale", "Leek"), button("Go")) == "choose"
    assert chosen(known, ask, choice("Fruit", "Chard", "Leek"), button("Go")) == ""
    more = "Choose Kale from the fruit and nut list and press go"
    assert chosen(known, more, choice("Fruit", "Kale", "Leek"), button("Go")) == ""


def test_without_a_screen_a_brief_wording_is_not_hopeless(record: Record) -> None:
    planner = DemonstrationPlanner(several(record))
    assert not planner.cannot_do(Task("Choose Kale from the fruit list and press go"))
    assert planner.cannot_do(Task("Sing a song about Kale"))
