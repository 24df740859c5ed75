"""What is not where the demonstration had it is looked for, and where the search began is come back to."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from gui_agent.core.trajectory import Demonstration, Ending, Trajectory
from gui_agent.procedures.language.program import Captioned, Const, HasRole, Rank, Selector, Slot, With
from gui_agent.procedures.runtime.recovery import scrolls_for
from gui_agent.testing import (
    FakeComputer,
    World,
    button,
    field,
    form,
    link,
    row,
    screen,
    text,
    when,
    widget,
)
from tests.unit.procedures.induction.conftest import Record, Recording, Run

MEMBERS = (("Ada", "Alan"), ("Grace", "Ken"), ("Radia", "Tim"))


def members(pages: Iterable[Iterable[str]] = MEMBERS, first: int = 1) -> FakeComputer:
    """A list on several pages; a click on a name opens its record."""
    every = [list(names) for names in pages]
    screens = {}
    rules = []
    for number, names in enumerate(every, 1):
        back = button("Previous", states=[] if number > 1 else ["disabled"])
        onward = button("Next", states=[] if number < len(every) else ["disabled"])
        position = text(f"page {number} of {len(every)}")
        screens[f"page {number}"] = screen(*(link(name) for name in names), row(back, position, onward))
        rules += [
            when("click", "Next", go=f"page {number + 1}", on=f"page {number}"),
            when("click", "Previous", go=f"page {number - 1}", on=f"page {number}"),
            *(when("click", name, go=f"record of {name}") for name in names),
        ]
        screens.update({f"record of {name}": screen(text(f"Record of {name}")) for name in names})
    order = [f"page {first}", *(name for name in screens if name != f"page {first}")]
    return FakeComputer({name: screens[name] for name in order}, rules)


@pytest.fixture
def opened(record: Record) -> Demonstration:
    """Opening a record that stands on the first page."""
    return record(members(), "Open the record of Ada", lambda hand: hand.click("Ada"))


def ending(trajectory: Trajectory) -> Ending:
    assert trajectory.ending is not None
    return trajectory.ending


def test_a_target_on_a_later_page_is_leafed_to(opened: Demonstration, run: Run) -> None:
    computer = members()
    assert ending(run(computer, [opened], "Open the record of Tim")).kind == "done"
    assert computer.world.current == "record of Tim"


def test_a_target_on_an_earlier_page_is_leafed_back_to(opened: Demonstration, run: Run) -> None:
    computer = members(first=2)
    assert ending(run(computer, [opened], "Open the record of Alan")).kind == "done"
    assert computer.world.current == "record of Alan"


def test_a_search_in_vain_ends_where_it_began(opened: Demonstration, run: Run) -> None:
    computer = members(first=2)
    ended = ending(run(computer, [opened], "Open the record of Hedy"))
    assert ended.kind == "not_done"
    assert "Hedy" in ended.reason
    assert "3 pages were looked at" in ended.reason
    assert computer.world.current == "page 2"


def test_more_of_a_list_is_shown_until_the_target_is_there(opened: Demonstration, run: Run) -> None:
    computer = FakeComputer(
        {
            "short": screen(link("Ada"), button("Show more")),
            "longer": screen(link("Ada"), link("Alan"), button("Show more")),
            "longest": screen(link("Ada"), link("Alan"), link("Grace")),
            "record": screen(text("Record of Grace")),
        },
        [
            when("click", "Show more", go="longer", on="short"),
            when("click", "Show more", go="longest", on="longer"),
            when("click", "Grace", go="record"),
        ],
    )
    assert ending(run(computer, [opened], "Open the record of Grace")).kind == "done"
    assert computer.world.current == "record"


def test_more_that_shows_nothing_is_not_pressed_for_ever(opened: Demonstration, run: Run) -> None:
    computer = FakeComputer(screen(link("Ada"), button("Show more")))
    assert ending(run(computer, [opened], "Open the record of Grace")).kind == "not_done"
    assert len(computer.performed) == 1


def test_the_pages_of_a_form_are_not_leafed_through(opened: Demonstration, run: Run) -> None:
    computer = FakeComputer(
        {
            "one": screen(form(field("Card number"), row(button("Previous"), button("Next")))),
            "two": screen(link("Grace"), text("Paid")),
        },
        [when("click", "Next", go="two")],
    )
    assert ending(run(computer, [opened], "Open the record of Grace")).kind == "not_done"
    assert computer.performed == []


def test_two_equal_targets_are_not_told_apart_by_scrolling_one_away(opened: Demonstration, run: Run) -> None:
    far = [text(f"line {number}") for number in range(30)]
    computer = FakeComputer(screen(link("Grace"), *far[:8], link("Grace"), *far))
    assert ending(run(computer, [opened], "Open the record of Grace")).kind == "not_done"
    assert computer.performed == []


def test_a_constant_target_is_not_looked_for_on_other_pages(record: Record, run: Run) -> None:
    def archive(hand: Recording) -> None:
        hand.click("Archive")

    page = FakeComputer(
        {"list": screen(button("Archive")), "end": screen(text("Archived"))},
        [when("click", "Archive", go="end")],
    )
    demonstration = record(page, "Tidy up", archive)
    computer = members()
    assert ending(run(computer, [demonstration], "Tidy up")).kind == "not_done"
    assert computer.performed == []


def test_what_is_counted_in_a_row_is_looked_for_with_its_row() -> None:
    last = Rank(Const("-1"))
    of_a_row = With(Selector((Captioned(Slot("name")),)), 2)
    below_a_title = With(Selector((Captioned(Const("Icons")),)), 2)
    assert scrolls_for(Selector((HasRole("img"), of_a_row), last))
    assert not scrolls_for(Selector((HasRole("img"), below_a_title), last))
    assert not scrolls_for(Selector((HasRole("img"),), last))


def tabs(*shown: str) -> FakeComputer:
    """A dialog with tabs, one of which is open, and a link behind each."""
    screens = {
        name: screen(
            *(widget("tab", other, states=["selected"] if other == name else []) for other in shown),
            link(f"{name} page"),
        )
        for name in shown
    }
    rules = [when("click", name, go=name) for name in shown]
    rules += [when("click", f"{name} page", go="end") for name in shown]
    return FakeComputer({**screens, "end": screen(text("Opened"))}, rules)


def test_a_target_behind_another_tab_is_found_there(record: Record, run: Run) -> None:
    shown = record(
        tabs("General", "Colours"), "Open the General page", lambda hand: hand.click("General page")
    )
    computer = tabs("General", "Colours", "Sound")
    assert ending(run(computer, [shown], "Open the Sound page")).kind == "done"
    assert computer.world.current == "end"
    assert ending(run(tabs("General", "Colours"), [shown], "Open the Sound page")).kind == "not_done"


def test_a_field_that_keeps_not_what_was_typed_ends_the_run(record: Record, run: Run) -> None:
    """Also after a single demonstration, and however often the agent looks again."""

    def order(limit: int) -> FakeComputer:
        def cut(world: World) -> None:
            world.change("Name", value=world.content_of("Name")[:limit])

        page = screen(form(field("Name"), button("Order")))
        rules = [when("type", "Name", go=cut), when("click", "Order", go="end")]
        return FakeComputer({"form": page, "end": screen(text("Ordered"))}, rules)

    def script(hand: Recording) -> None:
        hand.type("Name", "Ada")
        hand.click("Order")

    computer = order(limit=5)
    ended = ending(
        run(computer, [record(order(limit=5), "Order for Ada", script)], "Order for Radia Perlman")
    )
    assert ended.kind == "not_done"
    assert "Radia Perlman" in ended.reason
    assert computer.world.current == "form"


def test_a_field_may_set_marks_of_its_own(record: Record, run: Run) -> None:
    def order() -> FakeComputer:
        def group(world: World) -> None:
            world.change("Amount", value=f"{int(world.content_of('Amount')):,}")

        page = screen(form(field("Amount"), button("Order")))
        rules = [when("type", "Amount", go=group), when("click", "Order", go="end")]
        return FakeComputer({"form": page, "end": screen(text("Ordered"))}, rules)

    def script(hand: Recording) -> None:
        hand.type("Amount", "250")
        hand.click("Order")

    ended = ending(run(order(), [record(order(), "Order 250 pieces", script)], "Order 1250 pieces"))
    assert ended.kind == "done"
