"""What of a field its own words do not say is told: letters that are not shown, boxes for a code."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    "style",
    [
        "-webkit-text-security:disc",
        "-webkit-text-security:square",
        "color:transparent",
        "-webkit-text-fill-color:#0000",
        "color:#fff;background:#fff",
        "font-size:1px",
        "text-indent:-999px",
        "filter:blur(9px)",
        "font-family:password",
        "opacity:.02",
    ],
)
def test_a_field_whose_letters_nobody_can_read_says_so(eyes: Any, style: str) -> None:
    eyes.show(f'<input aria-label=Name style="{style}"><input aria-label=Other>')
    assert "conceals" in eyes.one("Name").does
    assert "conceals" not in eyes.one("Other").does


def test_an_editor_that_draws_its_letters_itself_conceals_nothing(eyes: Any) -> None:
    eyes.show("<div class=editor><textarea aria-label=Code style='color:transparent'></textarea></div>")
    assert "conceals" not in eyes.one("Code").does


@pytest.mark.parametrize(("boxes", "filled"), [(3, False), (4, True), (6, True), (11, False)])
def test_a_row_of_boxes_for_one_digit_each_is_a_code(eyes: Any, boxes: int, filled: bool) -> None:
    eyes.show("".join(f"<input maxlength=1 aria-label=d{number}>" for number in range(boxes)))
    assert (eyes.one("d0").does.get("fill") == "one-time-code") is filled
