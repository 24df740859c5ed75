"""What of a field its own words do not say is told: letters that are not shown, boxes for a code."""

from __future__ import annotations

from typing import Any

import pytest

from gui_agent.core.observation import NOTHING, Effects, Form


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
    assert eyes.one("Name").does.conceals
    assert not eyes.one("Other").does.conceals


def test_an_editor_that_draws_its_letters_itself_conceals_nothing(eyes: Any) -> None:
    eyes.show("<div class=editor><textarea aria-label=Code style='color:transparent'></textarea></div>")
    assert not eyes.one("Code").does.conceals


@pytest.mark.parametrize(("boxes", "filled"), [(3, False), (4, True), (6, True), (11, False)])
def test_a_row_of_boxes_for_one_digit_each_is_a_code(eyes: Any, boxes: int, filled: bool) -> None:
    eyes.show("".join(f"<input maxlength=1 aria-label=d{number}>" for number in range(boxes)))
    assert (eyes.one("d0").does.fill == "one-time-code") is filled


def test_a_control_tells_what_its_form_is_and_asks_for(eyes: Any) -> None:
    eyes.show(
        """<form action=/pay method=post><h2>Your order</h2><input aria-label=Name><input aria-label=Card
        autocomplete="billing cc-number"><input type=password autocomplete=new-password aria-label=New>
        <button>Pay<img alt=""></button></form><h2>Else</h2>"""
    )
    words, asked = ("Your order",), ("card", "empty-password")
    assert eyes.one("Name").does == Effects(form=Form(words, "/pay", True, default="Pay", fields=asked))
    assert eyes.one("Card").does.fill == "cc-number"
    assert eyes.one("Pay").does.form == Form(words, "/pay", True, fields=asked)
    assert eyes.one("Else").does is NOTHING


def test_what_else_stands_on_a_control_is_told_one_by_one(eyes: Any) -> None:
    eyes.show(
        """<button title="Not now" value=later onclick="forms[0].submit()">Later</button><form id=orders>
        </form><img usemap="#m" alt=Plan width=99 height=99><map name=m><area href=/a alt=East>
        <area href=/b alt=West></map>"""
    )
    assert eyes.one("Later").does.said == ("Not now", "later")
    assert eyes.one("Later").does.form.submits
    assert eyes.one("Plan").does.areas == ("East", "West")
