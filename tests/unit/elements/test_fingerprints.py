"""A fingerprint is enough to know an element again moments later, and no other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.observation import Box, Element, Observation, Size
from gui_agent.scene import Scene
from gui_agent.scene.fingerprints import (
    NEIGHBOURS,
    fingerprint,
    neighbours,
    place_similarity,
    rank_of,
    same_element,
)
from gui_agent.testing import button, checkbox, field, row, screen, spot, text

FORM = screen(
    row(text("Name"), field("")),
    row(text("Town"), field("")),
    row(checkbox(""), text("I agree")),
    row(text("Ada"), button("Delete")),
    row(text("Bob"), button("Delete")),
)


def at(observation: Observation, number: int) -> Element:
    return observation.controls[number]


@pytest.mark.parametrize(("number", "label"), [(0, "Name"), (1, "Town"), (2, "I agree")])
def test_a_control_without_a_name_is_labelled_by_the_text_beside_it(number: int, label: str) -> None:
    assert Scene.from_screen(FORM).label_of(at(FORM, number)) == label
    assert fingerprint(at(FORM, number), FORM).label == label


def test_a_label_above_counts_when_nothing_stands_beside() -> None:
    above = screen(text("Street"), field(""))
    assert Scene.from_screen(above).label_of(at(above, 0)) == "Street"
    alone = screen(field(""))
    assert Scene.from_screen(alone).label_of(at(alone, 0)) == ""


def test_neighbours_come_nearest_first_and_without_the_element_itself() -> None:
    near = neighbours(at(FORM, 4), FORM)
    assert near[0] == "Bob"
    assert "Delete" not in near
    assert len(near) <= NEIGHBOURS


def test_ranks_count_elements_of_the_same_role_and_name() -> None:
    assert [rank_of(at(FORM, number), FORM) for number in (3, 4)] == [1, 2]
    assert rank_of(at(FORM, 3), screen()) == 0


def test_every_element_is_the_one_its_fingerprint_was_taken_of() -> None:
    for element in FORM.elements:
        assert same_element(element, fingerprint(element, FORM), FORM)


def test_another_name_role_or_label_is_another_element() -> None:
    name, town = at(FORM, 0), at(FORM, 1)
    then = fingerprint(name, FORM)
    assert not same_element(town, then, FORM)
    assert not same_element(replace(name, role="combobox"), then, FORM)
    assert not same_element(replace(name, name="Other"), then, FORM)
    assert same_element(replace(name, path="elsewhere"), then, FORM)


def test_case_and_spacing_of_a_name_do_not_matter() -> None:
    observation = screen(button("Save as"))
    found = spot(observation, "Save as").element
    assert found is not None
    assert same_element(replace(found, name="SAVE  AS"), fingerprint(found, observation), observation)


SIZES = st.builds(Size, st.integers(50, 2000), st.integers(50, 2000))
BOXES = st.builds(Box, st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))


@given(BOXES, SIZES, BOXES, SIZES)
def test_similarity_of_places_is_symmetric_and_one_for_the_same(
    box: Box, size: Size, other: Box, other_size: Size
) -> None:
    here = place_similarity(box, size, other, other_size)
    assert 0.0 <= here <= 1.0
    assert here == pytest.approx(place_similarity(other, other_size, box, size))
    assert place_similarity(box, size, box, size) == 1.0
    assert place_similarity(box, size, None, None) == 0.0


def test_a_label_below_counts_when_it_stands_in_one_group_with_the_control() -> None:
    page = screen(field(""), text("Genre"), field(""), text("Year"))
    paths = ("body/div[1]/input", "body/div[1]/div", "body/div[2]/input", "body/div[2]/div")
    grouped = replace(
        page, elements=tuple(replace(e, path=p) for e, p in zip(page.elements, paths, strict=True))
    )
    assert [Scene.from_screen(grouped).label_of(at(grouped, number)) for number in (0, 1)] == [
        "Genre",
        "Year",
    ]
    assert Scene.from_screen(page).label_of(at(page, 1)) == "Genre"
