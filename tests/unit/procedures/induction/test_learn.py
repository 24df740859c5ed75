"""The simplest program that explains all demonstrations is found; what is not understood is not repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gui_agent.core.trajectory import Demonstration, Ending, Trajectory
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import ForEach, Program, Until
from gui_agent.procedures.language.wording import describe
from gui_agent.testing import FakeComputer, button, checkbox, field, form, link, row, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run

Script = Callable[[Recording], None]


def ending(trajectory: Trajectory) -> Ending:
    assert trajectory.ending is not None
    return trajectory.ending


def packing(*things: str) -> FakeComputer:
    page = screen(text("What to pack"), *(checkbox(thing) for thing in things), button("Submit"))
    return FakeComputer({"list": page, "end": screen(text("Packed"))}, [when("click", "Submit", go="end")])


def tick(*names: str) -> Script:
    def script(hand: Recording) -> None:
        for name in names:
            hand.tick(name)
        hand.click("Submit")

    return script


def lists(record: Record) -> Sequence[Demonstration]:
    return [
        record(packing("hat", "map", "tent"), "Select hat and tent, then click Submit", tick("hat", "tent")),
        record(packing("rope", "cup", "map"), "Select cup, then click Submit", tick("cup")),
    ]


def test_a_list_becomes_a_loop(record: Record, run: Run) -> None:
    (program,) = learn(lists(record))
    assert [type(step) for step in program.steps][:1] == [ForEach]
    computer = packing("pan", "map", "rope", "torch")
    trajectory = run(computer, lists(record), "Select rope, torch and map, then click Submit")
    assert ending(trajectory).kind == "done"
    ticked = [action for action in computer.performed if action.kind == "check"]
    assert len(ticked) == 3


def test_an_item_may_have_an_and_in_it(record: Record, run: Run) -> None:
    shown = [
        record(
            packing("salt and pepper", "map", "tea"),
            "Select salt and pepper, tea, then click Submit",
            tick("salt and pepper", "tea"),
        ),
        record(packing("rope", "cup", "map"), "Select cup, then click Submit", tick("cup")),
    ]
    computer = packing("pen and ink", "map", "rope")
    assert ending(run(computer, shown, "Select rope, pen and ink, then click Submit")).kind == "done"
    assert len([action for action in computer.performed if action.kind == "check"]) == 2


def booking(label: str, press: str) -> FakeComputer:
    page = screen(form(field("Guests"), field(label), button(press)))
    return FakeComputer({"book": page, "end": screen(text("Booked"))}, [when("click", press, go="end")])


def reserve(label: str, press: str, town: str) -> Script:
    def script(hand: Recording) -> None:
        hand.type(label, town)
        hand.click(press)

    return script


def test_a_thing_may_have_several_names(record: Record, run: Run) -> None:
    pages = [("Town", "Book", "Rome"), ("City", "Go", "Bonn"), ("Town", "Go", "Oslo")]
    shown = [
        record(booking(label, press), f"Book a room in {town}", reserve(label, press, town))
        for label, press, town in pages
    ]
    assert ending(run(booking("City", "Book"), shown, "Book a room in Wien")).kind == "done"
    both = FakeComputer({"book": screen(form(field("City"), field("Town"), button("Book")))}, [])
    assert ending(run(both, shown, "Book a room in Wien")).kind == "not_done"


def test_an_item_that_is_not_there_stops_the_loop(record: Record, run: Run) -> None:
    computer = packing("pan", "map")
    trajectory = run(computer, lists(record), "Select pan and sword, then click Submit")
    assert ending(trajectory).kind == "not_done"
    assert "sword" in ending(trajectory).reason
    assert not any(action.kind == "click" for action in computer.performed)


def book(*pages: Sequence[str]) -> FakeComputer:
    screens = {
        f"p{n}": screen(*(link(name) for name in names), *([button("Next")] if n + 1 < len(pages) else []))
        for n, names in enumerate(pages)
    }
    rules = [when("click", "Next", go=f"p{n + 1}", on=f"p{n}") for n in range(len(pages) - 1)]
    rules += [when("click", name, go="end") for names in pages for name in names]
    return FakeComputer({**screens, "end": screen(text("The record"))}, rules)


def leaf(name: str) -> Script:
    def script(hand: Recording) -> None:
        while not any(element.name == name for element in hand.look().elements):
            hand.click("Next")
        hand.click(name)

    return script


def test_leafing_through_pages_is_learned(record: Record, run: Run) -> None:
    shown = [
        record(book(["Ada", "Bob"], ["Cid", "Dan"], ["Eve"]), "Open the record of Eve", leaf("Eve")),
        record(book(["Fay", "Gus"], ["Hal"]), "Open the record of Fay", leaf("Fay")),
    ]
    (program,) = learn(shown)
    assert isinstance(program.steps[0], Until)
    found = run(book(["Ida"], ["Jon"], ["Kim"], ["Lea"]), shown, "Open the record of Lea")
    assert ending(found).kind == "done"
    missing = run(book(["Ida"], ["Jon"]), shown, "Open the record of Zoe")
    assert ending(missing).kind == "not_done"


def rooms(**numbers: str) -> FakeComputer:
    rows = [row(text(name), text(number)) for name, number in numbers.items()]
    page = screen(*rows, field("Answer"), button("Send"))
    return FakeComputer({"q": page, "end": screen(text("Right"))}, [when("click", "Send", go="end")])


def test_a_text_is_copied_from_the_line_of_another(record: Record, run: Run) -> None:
    def answer(number: str) -> Script:
        def script(hand: Recording) -> None:
            hand.type("Answer", number)
            hand.click("Send")

        return script

    shown = [
        record(rooms(Ada="A17", Bob="B20", Cid="C31"), "Where is Bob? Send the answer", answer("B20")),
        record(rooms(Dan="D44", Ada="X99", Eve="E50"), "Where is Eve? Send the answer", answer("E50")),
    ]
    computer = rooms(Gus="G71", Hal="H82", Fay="F63")
    trajectory = run(computer, shown, "Where is Hal? Send the answer")
    assert ending(trajectory).kind == "done"
    assert [action.text for action in computer.performed if action.kind == "type"] == ["H82"]


def test_kinds_of_one_task_become_programs_of_their_own(record: Record, run: Run) -> None:
    def inbox() -> FakeComputer:
        page = screen(row(text("Mail"), button("Star"), button("Delete")))
        ends = {"star": screen(text("Starred")), "gone": screen(text("Deleted"))}
        return FakeComputer(
            {"in": page, **ends}, [when("click", "Star", go="star"), when("click", "Delete", go="gone")]
        )

    shown = [
        record(inbox(), "Mark the mail with a star", lambda hand: hand.click("Star")),
        record(inbox(), "Remove the mail for ever", lambda hand: hand.click("Delete")),
    ]
    assert len(learn(shown)) == 2
    computer = inbox()
    assert ending(run(computer, shown, "Mark the mail with a star")).kind == "done"
    assert computer.world.current == "star"
    other = inbox()
    assert ending(run(other, shown, "Mark the mail with a flag")).kind == "not_done"
    assert other.performed == []


def test_a_choice_without_a_visible_reason_is_not_repeated(record: Record, run: Run) -> None:
    def doors() -> FakeComputer:
        page = screen(*(button("Door") for _ in range(4)))
        return FakeComputer({"d": page, "end": screen(text("Open"))}, [when("click", "Door", go="end")])

    shown = [
        record(doors(), "Open the lucky door", lambda hand, n=n: hand.click("Door", n)) for n in (2, 4, 1)
    ]
    computer = doors()
    assert ending(run(computer, shown, "Open the lucky door")).kind == "not_done"
    assert computer.performed == []


def test_something_in_the_way_is_answered_when_it_comes(record: Record, run: Run) -> None:
    def shop(*, banner: bool) -> FakeComputer:
        page = screen(field("Goods"), button("Order"))
        screens = {"shop": page, "end": screen(text("Ordered"))}
        rules = [when("click", "Order", go="end"), when("click", "Accept", go="shop")]
        asked = {"ask": screen(text("We use cookies"), button("Accept"))}
        return FakeComputer({**asked, **screens} if banner else {**screens, **asked}, rules)

    def order(hand: Recording) -> None:
        if any(element.name == "Accept" for element in hand.look().elements):
            hand.click("Accept")
        hand.type("Goods", (hand.steps and "tea") or "rice")
        hand.click("Order")

    shown = [
        record(shop(banner=True), "Order tea in the shop", order),
        record(shop(banner=False), "Order rice in the shop", order),
    ]
    for banner in (True, False):
        assert ending(run(shop(banner=banner), shown, "Order salt in the shop")).kind == "done"


def test_programs_are_told_in_plain_words(record: Record) -> None:
    (program,) = learn(lists(record))
    assert isinstance(program, Program)
    told = describe(program)
    assert '"Select {select}, then click Submit"' in told
    assert "1. For each item of {select}:" in told
    assert "   1. Tick the checkbox the item" in told
    assert '2. Click the button "Submit"' in told


def test_the_answer_is_read_off_the_last_screen(record: Record, run: Run) -> None:
    def shop(**prices: str) -> FakeComputer:
        rows = [row(text(name), text(price)) for name, price in prices.items()]
        screens = {"start": screen(button("Prices")), "list": screen(*rows)}
        return FakeComputer(screens, [when("click", "Prices", go="list")])

    def ask(hand: Recording) -> None:
        hand.click("Prices")

    shown = [
        replace(record(shop(tea="3.20", rice="1.10", salt="0.90"), "What costs rice?", ask), answer="1.10"),
        replace(record(shop(salt="0.80", milk="1.30", tea="2.90"), "What costs tea?", ask), answer="2.90"),
    ]
    trajectory = run(shop(eggs="2.50", salt="0.70", jam="4.10"), shown, "What costs salt?")
    assert (ending(trajectory).kind, ending(trajectory).answer) == ("done", "0.70")
    missing = run(shop(eggs="2.50"), shown, "What costs salt?")
    assert ending(missing).kind == "not_done"


def test_a_part_of_the_instruction_that_only_sometimes_matters_is_not_repeated(
    record: Record, run: Run
) -> None:
    shown = [
        record(
            packing("calm", "map", "hat"), "Select words like calm, then click Submit", tick("calm", "map")
        ),
        record(packing("wild", "map", "hat"), "Select words like tame, then click Submit", tick("map")),
        record(
            packing("blue", "map", "hat"), "Select words like blue, then click Submit", tick("blue", "map")
        ),
    ]
    computer = packing("loud", "map", "hat")
    trajectory = run(computer, shown, "Select words like noisy, then click Submit")
    assert ending(trajectory).kind == "not_done"
    assert not computer.performed


def test_ticks_without_a_reason_are_not_repeated(record: Record) -> None:
    """What goes with `red` and with `loud` on these lists is nothing that the words themselves tell."""
    shown = [
        record(packing("scarlet", "map"), "Select what is like red, then click Submit", tick("scarlet")),
        record(packing("noisy", "tea"), "Select what is like loud, then click Submit", tick("noisy")),
        record(
            packing("glad", "cold"),
            "Select what is like merry and icy, then click Submit",
            tick("glad", "cold"),
        ),
    ]
    assert learn(shown) == ()
