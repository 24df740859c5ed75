"""What stands in a row, beside, below or for something else is found there, and nowhere else."""

from __future__ import annotations

import pytest
from grounder_screens import element, people, screen

from gui_agent.agent.grounder import ScreenGrounder
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Observation, Relation, Words
from gui_agent.core.trajectory import Found


def locate(words: Words, observation: Observation) -> Found:
    return ScreenGrounder().locate(words, observation)


def found_id(words: Words, observation: Observation) -> int:
    found = locate(words, observation).element
    assert found is not None
    return found.id


@pytest.mark.parametrize(("near", "expected"), [("Ada", 13), ("Bob", 23), ("Cem", 33)])
def test_near_means_in_the_same_row(near: str, expected: int) -> None:
    assert found_id(Words("Delete", near=near), people()) == expected
    assert found_id(Words(role="checkbox", near=near), people()) == expected - 2
    assert found_id(Words(role="button", ordinal=2, near=near), people()) == expected


def test_near_goes_by_distance_where_there_is_no_row() -> None:
    shown = screen(
        element(1, "text", "Total", (10, 100, 50, 20)),
        element(2, "button", "Copy", (80, 100, 50, 20)),
        element(3, "button", "Copy", (80, 300, 50, 20)),
    )
    assert found_id(Words("Copy", near="Total"), shown) == 2
    assert found_id(Words(role="button", near="Total"), shown) == 2


def test_what_belongs_to_another_card_is_not_taken_when_its_own_is_out_of_sight() -> None:
    cards = [
        element(10 * i + j, role, name, (10, 100 * i + 30 * j, 60, 20), path=f"body/div[{i}]/{path}")
        for i, who in enumerate(["Ada", "Bob", "Cem"], start=1)
        for j, (role, name, path) in enumerate([("text", who, "span[1]"), ("button", "More", "button")])
        if (who, role) != ("Cem", "button")
    ]
    assert found_id(Words("More", near="Bob"), screen(*cards)) == 21
    with pytest.raises(NotFound, match="in sight"):
        locate(Words("More", near="Cem"), screen(*cards))


@pytest.mark.parametrize(
    ("relation", "expected"),
    [("below", 5), ("above", 1), ("left of", 2), ("right of", 4), ("near", 4), ("next to", 4)],
)
def test_each_relation_has_its_own_meaning_and_never_means_its_anchor(
    relation: Relation, expected: int
) -> None:
    shown = screen(
        element(1, "button", "North", (100, 60, 60, 20)),
        element(2, "button", "West", (20, 100, 60, 20)),
        element(3, "button", "Here", (100, 100, 60, 20)),
        element(4, "button", "East", (164, 100, 60, 20)),
        element(5, "button", "South", (100, 130, 60, 20)),
    )
    assert found_id(Words(role="button", near="Here", relation=relation), shown) == expected
    alone = screen(element(3, "button", "Here", (100, 100, 60, 20)))
    with pytest.raises(NotFound):
        locate(Words(role="button", near="Here", relation=relation), alone)


def test_below_the_title_of_a_list_means_no_entry_of_the_list_beside_it() -> None:
    titles = element(1, "text", "From", (10, 10, 90, 20)), element(2, "text", "To", (120, 10, 90, 20))
    beside, below = (element(i, "gridcell", "Cash", (x, 40, 80, 20)) for i, x in ((3, 10), (4, 120)))
    words = Words("Cash", near="To", relation="below")
    assert found_id(words, screen(*titles, beside, below)) == 4
    with pytest.raises(NotFound):
        locate(words, screen(*titles, beside))


def test_only_for_may_mean_the_thing_that_is_named() -> None:
    shown = screen(
        element(1, "textbox", "City", (10, 10, 90, 20)), element(2, "textbox", "Land", (10, 40, 90, 20))
    )
    assert found_id(Words(role="textbox", near="City", relation="for"), shown) == 1


def test_a_field_and_its_label_are_one_anchor() -> None:
    shown = screen(
        element(1, "text", "City", (10, 10, 60, 20)),
        element(2, "textbox", "City", (200, 10, 90, 20)),
        element(3, "text", "Land", (10, 34, 60, 20)),
        element(4, "textbox", "Land", (200, 34, 90, 20)),
    )
    assert found_id(Words(role="textbox", near="City", relation="next to"), shown) == 2


def test_a_row_is_more_than_being_near() -> None:
    rows = [
        element(10 * i + j, role, name, (100 * j, 30 * i, 60, 20), path=f"table/tr[{i}]/td[{j}]/{tag}")
        for i, who in enumerate(["Name", "Ada", "Bob"], start=1)
        for j, (role, name, tag) in enumerate([("text", who, "b"), ("button", "Open", "button")])
        if (i, role) not in ((1, "button"), (3, "button"))
    ]
    shown = screen(*rows)
    assert found_id(Words("Open", near="Ada", relation="in the row of"), shown) == 21
    for who in ("Name", "Bob"):
        with pytest.raises(NotFound, match="in sight, only elsewhere"):
            locate(Words("Open", near=who, relation="in the row of"), shown)


def test_several_that_fit_in_one_row_are_ambiguous_however_near() -> None:
    with pytest.raises(Ambiguous):
        locate(Words(role="button", near="Ada", relation="in the row of"), people())


def test_near_something_that_is_not_there_says_so() -> None:
    with pytest.raises(NotFound, match='no "Zoe" here; there are Ada, Bob, Cem'):
        locate(Words("Delete", near="Zoe"), people())


def test_two_equally_near_are_ambiguous() -> None:
    shown = screen(
        element(1, "button", "-", (10, 100, 20, 20)),
        element(2, "text", "Total", (40, 100, 50, 20)),
        element(3, "button", "+", (100, 100, 20, 20)),
    )
    with pytest.raises(Ambiguous):
        locate(Words(role="button", near="Total"), shown)


def test_a_kind_of_thing_is_an_anchor_where_it_has_the_keyboard() -> None:
    shown = screen(
        element(1, "textbox", "Mail", (10, 100, 100, 20), states="editable focused"),
        element(2, "button", "", (120, 100, 20, 20)),
        element(3, "textbox", "Note", (10, 300, 100, 20), states="editable"),
        element(4, "button", "", (120, 300, 20, 20)),
    )
    assert found_id(Words(role="button", near="text field", relation="next to"), shown) == 2


def test_the_field_of_something_is_the_one_under_its_heading() -> None:
    shown = screen(
        element(1, "heading", "New Milestone", (10, 10, 200, 20)),
        element(2, "textbox", "Name:", (10, 50, 200, 20), states="editable"),
        element(3, "heading", "Owner", (10, 100, 200, 20)),
        element(4, "textbox", "Name:", (10, 140, 200, 20), states="editable"),
    )
    grounder = ScreenGrounder()
    found = grounder.locate(Words("Name of the milestone"), shown, verb="type").element
    assert found is not None and found.id == 2
    with pytest.raises(NotFound):
        grounder.locate(Words("Name of the milestone"), shown, verb="click")
    with pytest.raises(NotFound):
        grounder.locate(Words("Name of the version"), shown, verb="type")


def test_a_box_also_labels_the_field_after_it() -> None:
    shown = screen(
        element(1, "checkbox", "Limit to", (20, 100, 100, 20)),
        element(2, "combobox", "", (140, 98, 120, 24)),
        element(3, "checkbox", "Sorted", (20, 140, 100, 20)),
        element(4, "textbox", "", (20, 170, 120, 24)),
    )
    grounder = ScreenGrounder()

    def id_for(verb: str, name: str) -> int:
        found = grounder.locate(Words(name), shown, verb=verb).element
        assert found is not None
        return found.id

    assert (id_for("choose", "Limit to"), id_for("check", "Limit to"), id_for("click", "Limit to")) == (
        2,
        1,
        1,
    )
    with pytest.raises(NotFound):
        id_for("type", "Sorted")
