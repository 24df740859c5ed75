"""Shown equations are solved; everything else is left alone."""

from __future__ import annotations

import pytest
from guiagent_eval.miniwob_constructs.equations import solution
from hypothesis import assume, given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x + 3 = 9", "6"),
        ("8 + x = 7", "-1"),
        ("5 - y = 9", "-4"),
        ("2x = 3", "1.5"),
        ("2(x - 1) = x + 4 * 2", "10"),
        ("x / 4 − 1 = 0", "4"),
        ("10 = x", "10"),
    ],
)
def test_equations_are_solved(text: str, value: str) -> None:
    assert solution(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x =",
        "= 3",
        "3 + 4 = 7",
        "x + y = 3",
        "x * x = 4",
        "x = x",
        "a b = 3",
        "age = 7",
        "1/0 = x",
        "(x = 1",
    ],
)
def test_what_is_no_equation_has_no_solution(text: str) -> None:
    assert solution(text) is None


@given(st.integers(-99, 99), st.integers(-99, 99), st.integers(-99, 99))
def test_the_solution_satisfies_the_equation(factor: int, added: int, unknown: int) -> None:
    assume(factor)
    equation = f"{factor}*x + ({added}) = {factor * unknown + added}"
    assert solution(equation) == str(unknown)


@given(st.text(alphabet="()x0123456789+-*/= ", max_size=200))
def test_no_text_is_too_strange(text: str) -> None:
    solution(text)
