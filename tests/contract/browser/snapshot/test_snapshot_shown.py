"""What a person sees of a control beside its own words is told: what is painted, drawn or hidden there."""

from __future__ import annotations

from typing import Any

import pytest

from gui_agent.agent.guard.context import drawn
from gui_agent.computers.browser.session import OPENING
from gui_agent.core.geometry import Point

PLACE = "position:absolute;left:0;top:0;width:200px;height:90px;margin:0"
CANVAS = f'<canvas id=c width=200 height=90 style="{PLACE}">'


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


@pytest.mark.parametrize(
    ("below", "above", "seen"),
    [
        ("<button style='{0}'>View</button>", "<p style='{0};pointer-events:none'>Delete</p>", "Delete"),
        (
            "<p style='{0}'>Delete</p>",
            "<button aria-label=View style='{0};background:none'></button>",
            "Delete",
        ),
        (
            "<p style='{0}'>Delete</p>",
            "<button style='{0};background:none;color:#0000'>View</button>",
            "Delete",
        ),
        ("<p style='{0}'>Delete</p>", "<button style='{0};background:#eee'>View</button>", ""),
        ("<button style='{0}'>View</button>", "<p style='{0};pointer-events:none;top:200px'>Delete</p>", ""),
    ],
)
def test_what_is_painted_over_a_control_or_shines_through_it_is_told(
    eyes: Any, below: str, above: str, seen: str
) -> None:
    eyes.show((below + above).replace("{0}", PLACE))
    assert eyes.one("View", "button").does.get("seen", "") == seen


def test_words_on_a_canvas_are_told_with_their_places(eyes: Any) -> None:
    eyes.show(CANVAS)
    eyes.js(OPENING)
    eyes.js(
        """{const g = c.getContext("2d"); g.font = "20px sans-serif"; g.fillText("Delete", 10, 20);
        let x = 10; for (const l of "Pay") { g.fillText(l, x, 80); x += g.measureText(l).width; }}"""
    )
    canvas = eyes.one("", "canvas")
    assert drawn(canvas, Point(30, 15)) == ("c", "Delete")
    assert "Pay" in drawn(canvas, Point(20, 75)) and "Delete" not in drawn(canvas, Point(20, 75))
    eyes.js("c.getContext('2d').clearRect(0, 0, 200, 90)")
    assert "Delete" not in drawn(eyes.one("", "canvas"))


def test_what_stands_for_a_canvas_to_programs_is_told(eyes: Any) -> None:
    eyes.show(f"{CANVAS}<button>Delete account</button></canvas>")
    assert "Delete account" in drawn(eyes.one("", "canvas"), Point(150, 80))


@pytest.mark.parametrize("way", ["c.addEventListener('wheel', () => 0)", "c.onwheel = () => 0"])
def test_what_a_wheel_turns_is_told(eyes: Any, way: str) -> None:
    eyes.show("<button id=c>Delete</button><button>Other</button>")
    eyes.js(OPENING)
    eyes.js(way)
    assert "wheel" in eyes.one("Delete").does
    assert "wheel" not in eyes.one("Other").does


def test_options_are_told_with_their_group(eyes: Any) -> None:
    eyes.show("<select aria-label=Act><option>None<optgroup label=Delete><option>Letter</select>")
    assert eyes.one("Act").does["options"] == "None\nLetter\tDelete"
