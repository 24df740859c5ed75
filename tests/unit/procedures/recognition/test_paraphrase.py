"""Where demonstrations were worded in many ways, any wording that clearly asks for the same is understood."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.core.trajectory import Demonstration, Ending, Task, Trajectory
from gui_agent.elements.words import stem
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.language.template import commands, idle
from gui_agent.procedures.recognition.choose import NotYet, choose
from gui_agent.testing import FakeComputer, button, field, form, row, screen, text, when, widget
from tests.unit.procedures.induction.conftest import Record, Recording, Run

Ask = Callable[[str], tuple[Trajectory, list[str]]]


def loans(*readers: str) -> FakeComputer:
    """The desk of a library: who has asked for something, and what can be done about it."""
    page = screen(widget("heading", "Library"), *(row(text(name), button("Open")) for name in readers))
    card = screen(text("Request"), button("Forward"), button("Delete"), button("Reply"))
    pages = {
        "desk": page,
        "card": card,
        "pass": screen(form(field("Colleague"), button("Go"))),
        "answer": screen(form(field("Words"), button("Go"))),
        "end": screen(text("Done")),
    }
    rules = [
        when("click", "Open", go="card"),
        when("click", "Forward", go="pass"),
        when("click", "Reply", go="answer"),
        when("click", "Delete", go="end"),
        when("click", "Go", go="end"),
    ]
    return FakeComputer(pages, rules)


def passing(nth: int, colleague: str) -> Callable[[Recording], None]:
    def script(hand: Recording) -> None:
        hand.click("Open", nth)
        hand.click("Forward")
        hand.type("Colleague", colleague)
        hand.click("Go")

    return script


def removing(nth: int) -> Callable[[Recording], None]:
    def script(hand: Recording) -> None:
        hand.click("Open", nth)
        hand.click("Delete")

    return script


def answering(nth: int, words: str) -> Callable[[Recording], None]:
    def script(hand: Recording) -> None:
        hand.click("Open", nth)
        hand.click("Reply")
        hand.type("Words", words)
        hand.click("Go")

    return script


@pytest.fixture(scope="module")
def shown(record: Record) -> list[Demonstration]:
    return [
        record(loans("Ada", "Bob"), "Pass Ada's request on to Mr-Finch", passing(1, "Mr-Finch")),
        record(loans("Cyd", "Eve"), "Rosa should be given the request that Eve wrote", passing(2, "Rosa")),
        record(loans("Kim", "Bob"), "Get rid of what Bob asked for", removing(2)),
        record(loans("Ida", "Joe"), "The request by Ida can be removed", removing(1)),
        record(loans("Ada", "Joe"), 'Tell Joe "no luck" about his request', answering(2, "no luck")),
    ]


@pytest.fixture(scope="module")
def programs(shown: list[Demonstration]) -> tuple[Program, ...]:
    """What they teach; learned once for all tests."""
    return learn(shown)


@pytest.fixture
def ask(programs: tuple[Program, ...], run: Run) -> Ask:
    """Asks for something at another desk; gives the run and what was clicked and typed there."""

    def asked(task: str) -> tuple[Trajectory, list[str]]:
        computer = loans("Max", "Lea", "Tom")
        trajectory = run(computer, programs, task)
        return trajectory, [a.text for a in computer.performed if a.kind == "type"] + [
            step.planned.why for step in trajectory.steps if step.planned.action.kind == "click"
        ]

    return asked


def ending(trajectory: Trajectory) -> Ending:
    assert trajectory.ending is not None
    return trajectory.ending


def test_demonstrations_are_joined_by_what_they_do(programs: tuple[Program, ...]) -> None:
    assert sorted(program.demonstrations for program in programs) == [1, 2, 2]
    assert all(program.own_words for program in programs)


def test_a_form_is_filled_in_one_order_whatever_is_named_first(record: Record) -> None:
    def sent(task: str, to: str, words: str) -> Demonstration:
        def script(hand: Recording) -> None:
            hand.type("To", to)
            hand.type("Words", words)
            hand.click("Go")

        return record(FakeComputer(screen(form(field("To"), field("Words"), button("Go")))), task, script)

    programs = learn(
        [
            sent('Send "hi all" to Ada', "Ada", "hi all"),
            sent('Forward Bob the words "see you"', "Bob", "see you"),
            sent('Relay "good day" for Cyd', "Cyd", "good day"),
            sent('Eve should be sent "no luck"', "Eve", "no luck"),
        ]
    )
    assert [program.demonstrations for program in programs] == [4]


def test_a_word_of_the_sentence_that_is_also_on_the_screen_is_no_name_beside_one_in_quotes(
    record: Record,
) -> None:
    def removed(task: str, nth: int) -> Demonstration:
        return record(loans("name", "Kim", "Bob"), task, removing(nth))

    programs = learn(
        [
            removed('The request of "Kim" is to be removed', 2),
            removed('Of the desk, erase what "Kim" asked for', 2),
            removed('Get rid of the request by "Bob"', 3),
            removed('The request with the name "Bob" can be deleted', 3),
        ]
    )
    assert [(program.demonstrations, program.own_words) for program in programs] == [(4, True)]


@pytest.fixture(scope="module")
def guests(record: Record) -> tuple[Program, ...]:
    """What four wordings teach that ask to add a guest with the same values."""

    def added(task: str, name: str, town: str) -> Demonstration:
        def script(hand: Recording) -> None:
            hand.type("Name", name)
            hand.type("Town", town)
            hand.click("Save")

        page = screen(form(field("Name"), field("Town"), button("Save")))
        return record(FakeComputer(page), task, script)

    return learn(
        [
            added('A new guest is to be added, with name "Ada" and town "Rome"', "Ada", "Rome"),
            added('Insert into the list one guest: name "Ada" and town "Rome"', "Ada", "Rome"),
            added('Create one guest that has name "Bob" and town "Oslo"', "Bob", "Oslo"),
            added('Compose a further guest, whose data are name "Bob" and town "Oslo"', "Bob", "Oslo"),
        ]
    )


def test_a_verb_is_never_a_value_of_what_was_learned_with_another(
    guests: tuple[Program, ...], run: Run
) -> None:
    def done(task: str) -> tuple[str, int]:
        computer = FakeComputer(screen(form(field("Name"), field("Town"), button("Save"))))
        return ending(run(computer, guests, task)).kind, len(computer.performed)

    assert done('Add another guest with name "Eve" and town "Bonn"') == ("done", 3)
    assert done('Remove the guest with name "Eve" and town "Bonn"') == ("not_done", 0)
    assert done('There must never be a guest with name "Eve" and town "Bonn"') == ("not_done", 0)


def test_values_in_quotes_are_told_apart_by_the_words_around_them(
    guests: tuple[Program, ...], run: Run
) -> None:
    assert typed(guests, run, 'Add another guest with town "Bonn" and name "Eve"') == ["Eve", "Bonn"]
    assert typed(guests, run, 'Add another guest, "Eve" from "Bonn"') == ["Eve", "Bonn"]


def guest_forms() -> FakeComputer:
    page = form(field("Name"), field("Kind"), button("Save"))
    again = form(field("Name"), field("Kind"), button("Save again"))
    pages = {"new": screen(page), "old": screen(again), "end": screen(text("Saved"))}
    return FakeComputer(pages, [when("click", "Save", go="old"), when("click", "Save again", go="end")])


def typed(programs: tuple[Program, ...], run: Run, task: str) -> list[str]:
    computer = (
        guest_forms()
        if len(programs) > 1
        else FakeComputer(screen(form(field("Name"), field("Town"), button("Save"))))
    )
    assert ending(run(computer, programs, task)).kind == "done"
    return [action.text for action in computer.performed if action.kind == "type"]


@pytest.mark.parametrize(
    ("task", "values"),
    [
        (
            'Insert a guest with name "Eve" and kind "old", then correct its kind to "new"',
            ["Eve", "old", "new"],
        ),
        (
            'Could you add a guest with kind "old" and name "Eve", whose name is edited to "Ida"?',
            ["Eve", "old", "Ida"],
        ),
    ],
)
def test_two_tasks_that_differ_in_a_field_are_told_apart_by_the_word_that_is_repeated(
    record: Record, run: Run, task: str, values: list[str]
) -> None:
    def chained(task: str, first: str, then: str, column: str, value: str) -> Demonstration:
        def script(hand: Recording) -> None:
            hand.type("Name", first)
            hand.type("Kind", then)
            hand.click("Save")
            hand.type(column, value)
            hand.click("Save again")

        return record(guest_forms(), task, script)

    def shown(column: str) -> list[Demonstration]:
        ada, bob = ("Ada", "adult", column, "Elm"), ("Bob", "child", column, "Fir")
        its = column.lower()
        return [
            chained(
                f'A new guest is to be added with name "Ada" and kind "adult", its {its} changed to "Elm"',
                *ada,
            ),
            chained(
                f'Insert one guest: name "Ada" and kind "adult". Then edit it, so that its {its} is "Elm"',
                *ada,
            ),
            chained(
                f'Create one guest that has name "Bob" and kind "child"; update its {its} to "Fir"',
                *bob,
            ),
            chained(
                f'Compose a guest with name "Bob" and kind "child" and modify the {its} into "Fir"', *bob
            ),
        ]

    programs = (*learn(shown("Kind")), *learn(shown("Name")))
    assert typed(programs, run, task) == values


@pytest.fixture(scope="module")
def visits(record: Record) -> tuple[Program, ...]:
    """What teaches to see a visitor's card, and to remove one."""

    def shown(task: str, nth: int) -> Demonstration:
        return record(visitors("Kim", "Bob"), task, lambda hand: hand.click("Card", nth))

    def removed(task: str, nth: int) -> Demonstration:
        return record(visitors("Kim", "Bob"), task, lambda hand: hand.click("Cross", nth))

    look = [
        shown('Where is the visitor "Kim"?', 1),
        shown('I want to see the visitor "Kim"', 1),
        shown('Look for the visitor called "Bob"', 2),
        shown('What about the visitor "Bob"?', 2),
    ]
    away = [
        removed('Get rid of the visitor "Kim"', 1),
        removed('The visitor "Kim" can be deleted', 1),
        removed('Erase the visitor called "Bob"', 2),
        removed('Of the list, remove the visitor "Bob"', 2),
    ]
    return (*learn(look), *learn(away))


def visitors(*names: str, menu: str = "") -> FakeComputer:
    above = [button(menu)] if menu else []
    pages = {
        "list": screen(*above, *(row(text(name), button("Card"), button("Cross")) for name in names)),
        "card": screen(text("Card of the visitor")),
        "gone": screen(text("Gone")),
    }
    return FakeComputer(pages, [when("click", "Card", go="card"), when("click", "Cross", go="gone")])


@pytest.mark.parametrize(
    ("task", "seen"),
    [
        ('Show me the visitor "Lea"', "Card of the visitor"),
        ('Open what there is about the visitor "Lea"', "Card of the visitor"),
        ('Throw the visitor "Lea" away', "Gone"),
        ('Zap the visitor "Lea"', ""),
        ('Print the visitor "Lea"', ""),
        ('Do not show the visitor "Lea"', ""),
        ('Show me the invoice "Lea"', ""),
        ('Take the visitor "Lea" off the list', ""),
        ('Let the visitor "Lea" go', ""),
    ],
)
def test_without_a_verb_that_changes_something_only_what_changes_nothing_is_meant(
    visits: tuple[Program, ...], run: Run, task: str, seen: str
) -> None:
    computer = visitors("Max", "Lea")
    trajectory = run(computer, visits, task)
    assert (ending(trajectory).kind == "done") is bool(seen), ending(trajectory).reason
    assert seen in [element.name for element in computer.observe(picture=False).elements] or not seen
    assert bool(computer.performed) is bool(seen)


@pytest.mark.parametrize("menu", ["visitor", "Visitor"])
def test_a_noun_that_the_screen_shows_is_no_value_if_the_wordings_have_it(
    visits: tuple[Program, ...], run: Run, menu: str
) -> None:
    computer = visitors("Max", "Lea", menu=menu)
    assert ending(run(computer, visits, 'Show me the visitor "Lea"')).kind == "done"


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("Forward the request from Lea to Paula", ["Paula"]),
        ("Could you please send Paula Tom's request?", ["Paula"]),
        ("Lea's request should be deleted", []),
        ('Answer the request of Tom with "on its way"', ["on its way"]),
        ("Paula needs the request by Lea forwarded to her", ["Paula"]),
        ("Max needs to receive the request that Lea sent", ["Max"]),
        ("Forward Paula the request from Lea in the Library", ["Paula"]),
    ],
)
def test_words_of_ones_own_are_understood(ask: Ask, task: str, told: list[str]) -> None:
    trajectory, done = ask(task)
    assert ending(trajectory).kind == "done", ending(trajectory).reason
    assert done[: len(told)] == told


def test_without_a_screen_only_the_command_can_be_told(programs: tuple[Program, ...]) -> None:
    with pytest.raises(NotYet) as undecided:
        choose(Task("Lea's request should be deleted"), programs)
    assert [one.program.templates[0] for one in undecided.value.equals] == [
        "Get rid of what {name} asked for"
    ]
    planner = DemonstrationPlanner(programs)
    assert not planner.cannot_do(Task("Lea's request should be deleted"))
    assert planner.cannot_do(Task("Water the plants of Lea"))
    assert planner.cannot_do(Task("Do not delete the request of Lea"))


@pytest.mark.parametrize(
    "task",
    [
        "Do not delete the request of Lea",
        "Archive the request of Lea",
        "Print Lea's request for Paula",
        "Look at the request of Lea",
        "Delete all but Lea's request",
        "Forward the request from Lea",
        "Forward the request from Lea by Tom",
        "Delete the Library request of Lea",
        "Forward the request from Lea to Paula and Quentin",
        "Delete the tooltip colours of Lea",
        "Delete the requests of Lea and Tom",
        'Delete the request of Lea "at noon"',
    ],
)
def test_what_is_not_clear_touches_nothing(ask: Ask, task: str) -> None:
    trajectory, done = ask(task)
    assert ending(trajectory).kind == "not_done"
    assert done == []


def test_a_single_wording_is_taken_word_by_word(record: Record, run: Run) -> None:
    known = [record(loans("Kim", "Bob"), "Remove the request of Bob", removing(2))]
    computer = loans("Max", "Lea")
    assert ending(run(computer, known, "The request by Lea can be deleted")).kind == "not_done"
    assert not computer.performed


def test_words_for_one_command_go_together() -> None:
    assert commands("deleted") & commands("remove") & commands("erasing")
    assert not commands("archive") & commands("delete")
    assert commands("foward") == commands("forward")
    assert not commands("table")
    assert idle("please") and idle("would") and not idle("print")
    assert stem("forwarded") == stem("forwarding") == stem("forward")
