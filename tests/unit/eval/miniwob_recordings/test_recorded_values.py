"""What a person meant is told by what fields hold, where the events alone do not say it."""

from __future__ import annotations

from tests.unit.eval.miniwob_recordings.recorder import Page, Tape
from tests.unit.eval.miniwob_recordings.test_miniwob_recorder import imported, said, target


def test_what_an_input_method_typed_is_told_by_what_the_field_holds() -> None:
    page = Page()
    field, button = page.field(id="name"), page.node("BUTTON", text="Submit")
    tape = Tape("Enter Ada.", field, button)
    tape.click(field)
    for held in ("A", "Ad", "Ada"):
        tape.event("keydown", field, keyCode=229, charCode=0)
        field["value"] = held
        tape.event("keyup", field, keyCode=229, charCode=0)
    tape.click(button)
    assert said(imported(tape)) == [("type", "name", "Ada"), ("click", "Submit")]


def test_clicks_that_set_a_field_enter_what_it_holds_then() -> None:
    page = Page()
    field, button = page.field("date", id="day"), page.node("BUTTON", text="Submit")
    tape = Tape("Enter 03/12/2014.", field, button)
    for held in ("", "2017-03-12", "2014-03-12"):
        for kind in ("mousedown", "mouseup", "click"):
            tape.event(kind, field)
        field["value"] = held
    tape.click(button)
    assert said(imported(tape)) == [("type", "day", "2014-03-12", "whole"), ("click", "Submit")]


def test_a_label_stands_for_the_one_field_in_it() -> None:
    page = Page()
    box = page.field("checkbox", value=False, box=(6, 60, 13, 13))
    label = page.node("LABEL", box, page.node("t", text="News", box=(30, 60, 30, 12)), box=(5, 58, 80, 16))
    tape = Tape("Click the checkbox.", label)
    tape.event("mousedown", label, x=22)
    done = imported(tape)
    assert target(done.steps[0]).role == "checkbox"


def test_the_field_that_got_the_keyboard_at_the_end_counts_and_not_a_slip_before() -> None:
    page = Page()
    one, gap, two = page.field(id="one"), page.node("DIV", text=""), page.field(id="two")
    tape = Tape("Focus the 2nd field.", one, gap, two)
    tape.click(gap)
    tape.event("mousedown", two)
    assert said(imported(tape)) == [("click", "two")]
