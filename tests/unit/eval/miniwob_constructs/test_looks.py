"""Phrases about drawn things find what a person would point at, or say that they cannot tell."""

from __future__ import annotations

import colorsys

import pytest
from guiagent_eval.miniwob_constructs.drawings import drawings_as_told, families, phrase, shades_of
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.observation import Box, Element


def drawn(number: int, shape: str, colour: str, side: int, name: str = "") -> Element:
    attributes = {"shape": shape, "color": colour, "size": f"{side}x{side}"}
    return Element(number, "img", name, Box(10, 30 * number, side, side), attributes=attributes)


SCREEN = (
    drawn(1, "circle", "red", 20),
    drawn(2, "circle", "red", 10),
    drawn(3, "rect", "cyan", 20),
    drawn(4, "triangle", "gray", 10),
    drawn(5, "text", "red", 22, "7"),
    drawn(6, "text", "red", 11, "a"),
    Element(7, "button", "circle", Box(100, 0, 40, 20)),
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("large red circles", [1]),
        ("a big red item", [1, 5]),
        ("small things", [2, 4, 6]),
        ("aqua shape", [3]),
        ("grey triangle", [4]),
        ("digits", [5]),
        ("red letter", [6]),
        ("red 7s", [5]),
        ("a", [6]),
        ("the a", [6]),
        ("green circles", []),
    ],
)
def test_a_phrase_finds_what_it_describes(text: str, found: list[int]) -> None:
    assert [element.id for element in drawings_as_told(text, SCREEN) or ()] == found


@pytest.mark.parametrize(
    "text", ["", "fluffy circle", "red blue circle", "not a circle", "circle or triangle"]
)
def test_a_phrase_with_a_strange_word_says_nothing(text: str) -> None:
    assert phrase(text) is None and drawings_as_told(text, SCREEN) is None


def test_sizes_mean_nothing_where_all_are_alike() -> None:
    same = (drawn(1, "circle", "red", 10), drawn(2, "rect", "red", 11))
    assert drawings_as_told("large red item", same) is None
    assert drawings_as_told("large green item", same) == []


@given(st.floats(0.3, 1), st.floats(0.2, 0.85), st.sampled_from([(0, "red"), (120, "green"), (240, "blue")]))
def test_light_and_dark_colours_are_shades_of_their_hue(
    saturation: float, lightness: float, hue: tuple[int, str]
) -> None:
    parts = colorsys.hls_to_rgb(hue[0] / 360, lightness, saturation)
    assert hue[1] in families(*(round(part * 255) for part in parts))


def test_what_is_painted_goes_before_the_name_of_the_nearest_colour() -> None:
    painted = Element(1, "img", "", Box(0, 0, 9, 9), attributes={"color": "gainsboro", "fill": "#dfebdf"})
    assert shades_of(painted) == "green"
    assert shades_of(Element(2, "button", "OK", Box(0, 0, 9, 9))) == ""
