"""Demonstrations that agree outvote one that slipped; what differs without meaning is no difference."""

from __future__ import annotations

from collections.abc import Callable

from gui_agent.core.actions import Click
from gui_agent.core.observation import Box
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import DoStep
from gui_agent.testing import (
    FakeComputer,
    button,
    checkbox,
    field,
    form,
    link,
    row,
    screen,
    text,
    when,
    widget,
)
from tests.unit.procedures.induction.conftest import Record, Recording, Run, acted_on

Script = Callable[[Recording], None]


def shop() -> FakeComputer:
    return FakeComputer(
        {
            "form": screen(form(field("Name"), field("Town"), button("News"), button("Order"))),
            "news": screen(text("Nothing new"), button("Order")),
            "end": screen(text("Ordered")),
        },
        [when("click", "News", go="news"), when("click", "Order", go="end")],
    )


def ordering(name: str, town: str, *, reads: bool = False, town_first: bool = False) -> Script:
    def script(hand: Recording) -> None:
        for label, value in reversed(fields) if town_first else fields:
            hand.type(label, value)
        if reads:
            hand.click("News")
        hand.click("Order")

    fields = [("Name", name), ("Town", town)]
    return script


def orders(record: Record, *scripts: tuple[str, str, Script]) -> list[Demonstration]:
    return [record(shop(), f"Order for {name} in {town}", script) for name, town, script in scripts]


def test_one_that_did_something_needless_is_outvoted(record: Record, run: Run) -> None:
    shown = orders(
        record,
        ("Ada", "Rome", ordering("Ada", "Rome")),
        ("Bob", "Oslo", ordering("Bob", "Oslo", reads=True)),
        ("Cyd", "Bern", ordering("Cyd", "Bern")),
        ("Eve", "Graz", ordering("Eve", "Graz")),
    )
    (program,) = learn(shown)
    assert [step.action.kind for step in program.steps if isinstance(step, DoStep)] == [
        "type",
        "type",
        "click",
    ]
    trajectory = run(shop(), shown, "Order for Kim in Wien")
    assert trajectory.ending is not None and trajectory.ending.kind == "done"
    assert acted_on(trajectory, "button") == ["Order"]


def test_one_with_a_slip_of_the_pen_is_outvoted(record: Record) -> None:
    names = ("Ada", "Bob", "Cyd", "Eve")
    typed = ("Ada", "Bob", "C", "Eve")
    shown = orders(
        record, *((name, "Rome", ordering(wrote, "Rome")) for name, wrote in zip(names, typed, strict=True))
    )
    (program,) = learn(shown)
    assert "name" in {parameter.name for parameter in program.parameters if parameter.default is None}


def test_fields_may_be_filled_in_any_order(record: Record) -> None:
    shown = orders(
        record,
        ("Ada", "Rome", ordering("Ada", "Rome")),
        ("Bob", "Oslo", ordering("Bob", "Oslo", town_first=True)),
        ("Cyd", "Bern", ordering("Cyd", "Bern", town_first=True)),
    )
    (program,) = learn(shown)
    assert len(program.steps) == 3


def test_other_capitals_are_no_other_text(record: Record, run: Run) -> None:
    shown = orders(
        record,
        ("Ada", "Rome", ordering("ada", "Rome")),
        ("Bob", "Oslo", ordering("Bob", "oslo")),
        ("Cyd", "Bern", ordering("Cyd", "Bern")),
    )
    computer = shop()
    run(computer, shown, "Order for Kim in Wien")
    assert [a.text for a in computer.performed if a.kind == "type"] == ["Kim", "Wien"]


def test_a_row_and_the_text_in_it_are_one_thing(record: Record, run: Run) -> None:
    def inbox(*names: str) -> FakeComputer:
        rows = [row(link(name)) for name in names]
        return FakeComputer(
            {"inbox": screen(*rows), "mail": screen(text("Read"))}, [when("click", go="mail")]
        )

    def opening(name: str, *, whole: bool) -> Script:
        def script(hand: Recording) -> None:
            rows = [e for e in hand.look().elements if e.role == "row"]
            texts = [e for e in hand.look().elements if e.role == "link"]
            place = [e.name for e in texts].index(name)
            hand.click(rows[place].name if whole and rows and rows[place].name else name)

        return script

    shown = [
        record(inbox("Ada", "Bob", "Cyd"), "Open the mail of Bob", opening("Bob", whole=True)),
        record(inbox("Eve", "Kim", "Lea"), "Open the mail of Eve", opening("Eve", whole=False)),
    ]
    trajectory = run(inbox("Pia", "Tom"), shown, "Open the mail of Tom")
    assert trajectory.ending is not None and trajectory.ending.kind == "done"


def test_support_decides_between_procedures_that_differ(record: Record, run: Run) -> None:
    """Four took the button, one took another: nothing else tells them apart."""

    def door() -> FakeComputer:
        page = screen(button("Left"), button("Right"))
        return FakeComputer({"hall": page, "end": screen(text("Through"))}, [when("click", go="end")])

    def through(name: str) -> Script:
        return lambda hand: hand.click(name)

    four = [record(door(), "Go through", through("Left")) for _ in range(4)]
    trajectory = run(door(), [*four, record(door(), "Go through", through("Right"))], "Go through")
    assert acted_on(trajectory, "button") == ["Left"]
    even = [record(door(), "Go through", through(name)) for name in ("Left", "Right")]
    assert acted_on(run(door(), even, "Go through"), "button") == []


def test_one_that_took_longer_does_not_stand_against_those_that_agree(record: Record, run: Run) -> None:
    """Who looked at the help first has slipped; where the others cannot go on, that is no other way."""

    def menu() -> FakeComputer:
        page = screen(button("Soup"), button("Rice"), button("Tea"), button("Help"))
        return FakeComputer(
            {"menu": page, "help": screen(text("Help"), button("Back")), "end": screen(text("Ordered"))},
            [when("click", "Help", go="help"), when("click", "Back", go="menu"), when("click", go="end")],
        )

    def taking(dish: str, *, asks: int = 0) -> Script:
        def script(hand: Recording) -> None:
            for _ in range(asks):
                hand.click("Help")
                hand.click("Back")
            hand.click(dish)

        return script

    shown = [record(menu(), f"Order {dish}", taking(dish)) for dish in ("Soup", "Rice", "Tea", "Soup")]
    shown.append(record(menu(), "Order Rice", taking("Rice", asks=2)))
    assert {len(program.steps) for program in learn(shown)} == {1}


def test_what_the_instruction_names_one_by_one_is_not_everything_of_its_kind(
    record: Record, run: Run
) -> None:
    def page(*names: str) -> FakeComputer:
        return FakeComputer({"page": screen(*map(button, names))}, [])

    def both(hand: Recording) -> None:
        hand.click("ONE")
        hand.click("TWO")

    shown = [record(page("ONE", "TWO"), "Click button ONE, then click button TWO.", both)]
    trajectory = run(page("TWO", "SEND", "ONE"), shown, "Click button ONE, then click button TWO.")
    assert acted_on(trajectory, "button") == ["ONE", "TWO"]


def test_who_was_shown_one_box_ticks_each_of_several(record: Record, run: Run) -> None:
    def boxes(*names: str) -> FakeComputer:
        return FakeComputer({"page": screen(*map(checkbox, names), button("Send"))}, [])

    def ticking(name: str) -> Script:
        def script(hand: Recording) -> None:
            hand.tick(name)
            hand.click("Send")

        return script

    shown = [record(boxes("Tea", "Rice"), "Select Tea and click Send", ticking("Tea"))]
    trajectory = run(boxes("Soup", "Rice", "Tea"), shown, "Select Soup, Tea and click Send")
    assert acted_on(trajectory, "checkbox") == ["Soup", "Tea"]
    assert acted_on(trajectory, "button") == ["Send"]
    other = run(boxes("Soup, Tea", "Soup", "Tea"), shown, "Select Soup, Tea and click Send")
    assert acted_on(other, "checkbox") == ["Soup, Tea"]


def test_looks_alone_are_no_reason_to_do_the_same_again(record: Record) -> None:
    """Each took things of other colours for the same words: what they took is not known."""

    def wall(*colours: str) -> FakeComputer:
        tiles = [
            widget("img", box=Box(60 * n, 40, 40, 40), attributes={"color": c}) for n, c in enumerate(colours)
        ]
        return FakeComputer({"wall": screen(*tiles, button("Send"))}, [])

    def taking(*numbers: int) -> Script:
        def script(hand: Recording) -> None:
            for number in numbers:
                hand.act(Click([e for e in hand.look().elements if e.role == "img"][number]))
            hand.click("Send")

        return script

    shown = [
        record(wall("teal", "pink", "red"), "Take the fine ones and send", taking(0)),
        record(wall("navy", "gold", "red"), "Take the fine ones and send", taking(1, 2)),
        record(wall("lime", "gray", "tan"), "Take the fine ones and send", taking(0, 1, 2)),
    ]
    assert not any(len(program.steps) > 1 for program in learn(shown))


def test_a_whole_word_of_a_value_is_typed_alone(record: Record, run: Run) -> None:
    """`zebra` of `zebra Zita` is what was meant, not the beginning of it that somebody stopped at."""

    def zoo() -> FakeComputer:
        page = screen(form(field("Name"), field("Kind"), button("Insert")))
        return FakeComputer({"form": page, "end": screen(text("Inserted"))}, [when("click", go="end")])

    def script(hand: Recording) -> None:
        hand.type("Name", "Zita")
        hand.type("Kind", "zebra")
        hand.click("Insert")

    computer = zoo()
    run(computer, [record(zoo(), "Insert the zebra Zita", script)], "Insert the bear Bruno")
    assert [a.text for a in computer.performed if a.kind == "type"] == ["Bruno", "bear"]


def test_what_an_instruction_begins_with_is_no_value(record: Record, run: Run) -> None:
    """`Insert the zebra` says nothing about how to delete one, though both are links."""

    def zoo() -> FakeComputer:
        rows = screen(link("Insert"), link("Delete"))
        page = screen(form(field("Name"), button("OK")))
        rules = [
            when("click", "Insert", go="form"),
            when("click", "Delete", go="form"),
            when("click", go="end"),
        ]
        return FakeComputer({"rows": rows, "form": page, "end": screen(text("Done"))}, rules)

    def script(hand: Recording) -> None:
        hand.click("Insert")
        hand.type("Name", "Zita")
        hand.click("OK")

    computer = zoo()
    shown = record(zoo(), "Insert the zebra Zita", script)
    ended = run(computer, [shown], "Delete the zebra Bruno").ending
    assert ended is not None and ended.kind == "not_done"
    assert not computer.performed
