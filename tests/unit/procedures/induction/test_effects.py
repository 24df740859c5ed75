"""A demonstration is reduced to what it did: slips, fallbacks and means fall away."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.core.actions import Click, Open, Press, TypeText
from gui_agent.core.trajectory import Demonstration, DemoStep
from gui_agent.procedures.induction.effects import effects
from gui_agent.procedures.induction.priors import CERTAIN
from gui_agent.procedures.recordings.from_run import screen_of
from gui_agent.scene.fingerprints import fingerprint
from gui_agent.testing import FakeComputer, button, checkbox, field, form, screen, text, when, widget
from tests.unit.procedures.induction.conftest import Record, Recording


def order(record: Record, script: Callable[[Recording], None]) -> Demonstration:
    fields = form(field("Name"), checkbox("Gift"), button("Help"), button("Send"))
    pages = {
        "form": screen(text("Hints"), fields),
        "help": screen(text("How to send"), button("Back")),
        "end": screen(text("Sent")),
    }
    ways = {"Help": "help", "Back": "form", "Send": "end"}
    computer = FakeComputer(pages, [when("click", name, go=page) for name, page in ways.items()])
    return record(computer, "Send it to Ada", script)


def certain(demonstration: Demonstration) -> list[tuple[str, str]]:
    """What surely had an effect: the kind of act, and what it was on."""
    return [
        (one.action.kind, (one.element.name or one.data or "") if one.element else "")
        for one in effects(demonstration)
        if one.doubt >= CERTAIN
    ]


def test_a_value_corrected_twice_is_the_last_one(record: Record) -> None:
    def script(hand: Recording) -> None:
        hand.type("Name", "Adda")
        hand.type("Name", "Ad")
        hand.type("Name", "Ada")
        hand.click("Send")

    found = [one for one in effects(order(record, script)) if one.action.kind == "type"]
    assert [one.data for one in found] == ["Ada"]


def test_a_box_that_is_ticked_and_unticked_was_never_ticked(record: Record) -> None:
    def script(hand: Recording) -> None:
        hand.type("Name", "Ada")
        hand.click("Gift")
        hand.click("Gift")
        hand.click("Send")

    assert [kind for kind, _ in certain(order(record, script))] == ["type", "click"]


def test_a_detour_is_in_doubt(record: Record) -> None:
    def script(hand: Recording) -> None:
        hand.click("Help")
        hand.click("Back")
        hand.type("Name", "Ada")
        hand.click("Send")

    assert [kind for kind, _ in certain(order(record, script))] == ["type", "click"]
    assert len(effects(order(record, script))) == 4


def test_focus_and_clicks_into_nothing_are_means(record: Record) -> None:
    def script(hand: Recording) -> None:
        hand.click("Name")
        hand.type("Name", "Ada")
        hand.act(Press(("tab",)))
        hand.click("Send")

    assert [one.action.kind for one in effects(order(record, script))] == ["type", "click"]


@pytest.mark.parametrize("keys", [("ctrl", "end"), ("tab",)])
def test_a_key_that_moves_the_caret_to_where_something_is_typed_belongs_to_the_task(
    keys: tuple[str, ...], record: Record
) -> None:
    def script(hand: Recording) -> None:
        hand.act(Press(keys))
        hand.act(TypeText("Ada"))
        hand.click("Send")

    assert [kind for kind, _ in certain(order(record, script))] == ["press", "type", "click"]


def test_a_program_that_shows_nothing_named_at_first_was_opened_all_the_same(record: Record) -> None:
    def script(hand: Recording) -> None:
        hand.act(Open("form"))
        hand.click("Send")

    assert [kind for kind, _ in certain(order(record, script))] == ["open", "click"]


def test_a_single_click_without_a_trace_is_all_there_is(record: Record) -> None:
    shown = record(FakeComputer(screen(form(field("Name"), field("Town")))), "Go to the name", focus)
    assert [(one.action.kind, one.doubt) for one in effects(shown)] == [("click", CERTAIN)]


def focus(hand: Recording) -> None:
    hand.click("Name")


def test_arrows_of_a_number_field_are_the_number_it_held() -> None:
    def step(number: int, name: str) -> DemoStep:
        seen = screen(form(widget("spinbutton", "Copies", value=str(number)), button("Print")))
        element = next(e for e in seen.elements if e.name == name)
        return DemoStep(Click(fingerprint(element, seen)), screen_of(seen), element.id)

    shown = Demonstration("Print three copies", (step(1, "Copies"), step(2, "Copies"), step(3, "Print")))
    assert [(one.action.kind, one.data) for one in effects(shown)] == [("type", "3"), ("click", None)]
