"""A label that is like a typed value by chance stays a label; what is called after a value follows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gui_agent.core.actions import Click
from gui_agent.core.observation import Box
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Slot, nodes
from gui_agent.testing import FakeComputer, World, button, field, link, row, screen, text, when
from gui_agent.testing.builders import Row
from tests.unit.procedures.induction.conftest import Record, Recording, Run, acted_on

Fields = dict[str, str]


def form(fields: Fields, press: str) -> FakeComputer:
    page = screen(*(field(name) for name in fields), button(press))
    return FakeComputer({"form": page, "end": screen(text("Kept"))}, [when("click", press, go="end")])


@pytest.mark.parametrize(
    ("template", "fields", "press", "values"),
    [
        (
            "Add '{}' for '{}'",
            {"Note": "first note", "Name": "Ada"},
            "Save",
            ("second thought", "Grace Hopper"),
        ),
        ("Add the text '{}'", {"Notes": "no"}, "Save notes", ("milk",)),
        ("Add the text '{}'", {"Name": "Name"}, "Save", ("Grace",)),
        ("Add the text '{}'", {"Text": "keep it"}, "Keep", ("Throw away",)),
        ("Register '{}'", {"First": "Ada First"}, "Ada", ("Grace Hopper",)),
        ("Register '{}'", {"Room": "rooms", "Key": "k"}, "Save", ("halls",)),
        ("Register '{}'", {"May": "3 May 2026"}, "May", ("4 June 2026",)),
    ],
)
def test_new_values_reach_the_same_fields(
    record: Record, run: Run, template: str, fields: Fields, press: str, values: tuple[str, ...]
) -> None:
    def fill(hand: Recording) -> None:
        for name, value in fields.items():
            hand.type(name, value)
        hand.act(Click(next(e for e in hand.look().controls if (e.role, e.name) == ("button", press))))

    task = template.format(*fields.values())
    shown = record(form(fields, press), task, fill)
    computer = form(fields, press)
    trajectory = run(computer, [shown], template.format(*values))
    assert trajectory.ending is not None
    assert trajectory.ending.kind == "done", trajectory.ending.reason
    assert acted_on(trajectory) == [*fields, press]
    typed = [action.text for action in computer.performed if action.kind == "type"]
    assert typed[: len(values)] == list(values)


def test_two_demonstrations_that_agree_on_a_label_keep_it(record: Record, run: Run) -> None:
    def shown(note: str) -> Demonstration:
        return record(form({"Note": ""}, "Save"), f"Add '{note}'", lambda hand: hand.type("Note", note))

    known = [shown("first note"), shown("last note")]
    assert acted_on(run(form({"Note": ""}, "Save"), known, "Add 'milk'")) == ["Note"]


def people(*names: str) -> FakeComputer:
    """A search that brings up the links of those who are found."""

    def found(world: World) -> None:
        world.add(link(f"Open {world.content_of('Search')}", box=Box(20, 400, 120, 24)))

    return FakeComputer(
        {"search": screen(field("Search"), button("Find")), "end": screen(text("Opened"))},
        [when("click", "Find", go=found), *(when("click", f"Open {name}", go="end") for name in names)],
    )


def test_what_a_value_brings_up_is_still_called_after_it(record: Record, run: Run) -> None:
    def open_ada(hand: Recording) -> None:
        hand.type("Search", "Ada")
        hand.click("Find")
        hand.click("Open Ada")

    shown = record(people("Ada", "Grace"), "Open the page of 'Ada'", open_ada)
    (program,) = learn([shown])
    assert any(isinstance(node, Slot) for node in nodes(program.steps[-1]))
    trajectory = run(people("Ada", "Grace"), [shown], "Open the page of 'Grace'")
    assert acted_on(trajectory) == ["Search", "Find", "Open Grace"]


def overview(*names: str) -> FakeComputer:
    """A list of records, each with links whose hint is its name."""

    def lines() -> Iterator[Row]:
        for name in names:
            about = (replace(link(verb), description=name) for verb in ("Add", "Change"))
            yield row(link(name), *about, replace(text("open"), role="cell"))

    rules = [when("click", name, go="end") for name in names]
    return FakeComputer({"list": screen(*lines()), "end": screen(text("Open"))}, rules)


def test_a_thing_is_told_from_links_whose_hint_is_its_name(record: Record, run: Run) -> None:
    shown = record(overview("Authors", "Books"), "Open the authors", lambda hand: hand.click("Authors"))
    trajectory = run(overview("Places", "Books", "Authors"), [shown], "Open the authors")
    assert acted_on(trajectory) == ["Authors"]
    assert trajectory.ending is not None and trajectory.ending.kind == "done"


def test_a_price_of_one_example_is_no_time_and_takes_any_other_price(record: Record, run: Run) -> None:
    shown = record(form({"Amount": ""}, "Save"), "Pay EUR 12.50", lambda hand: hand.type("Amount", "12.50"))
    computer = form({"Amount": ""}, "Save")
    assert acted_on(run(computer, [shown], "Pay EUR 9.90")) == ["Amount"]
    assert [action.text for action in computer.performed if action.kind == "type"] == ["9.90"]
