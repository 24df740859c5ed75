"""Outcomes are decided by code: expectations first, then read-back, then any change."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.agent.outcome import CodeReflector, follow
from gui_agent.core.actions import Check, Choose, Click, Navigate, Proposal, TypeText
from gui_agent.core.conditions import Condition, TextShown, ValueIs
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Observation
from gui_agent.core.targets import Mark, Target, Words
from gui_agent.core.trajectory import Found, Outcome, Planned
from gui_agent.testing import ExactGrounder, button, checkbox, choice, field, screen, text

FORM = screen(
    field("Name"),
    field("Password", states=["password"]),
    checkbox("I agree"),
    choice("Country", "Chile", "Peru"),
)
NAME, PASSWORD, AGREE, COUNTRY = FORM.elements


def after(number: int, **attributes: object) -> Observation:
    return replace(
        FORM,
        elements=tuple(replace(e, **attributes) if e.id == number else e for e in FORM.elements),  # type: ignore[arg-type]
    )


def judge(action: Proposal, now: Observation, *expect: Condition[Target], on: int = 1) -> Outcome:
    element = FORM.by_id(on)
    assert element is not None
    found = {"at": Found(element.box.center, element)}
    return CodeReflector(ExactGrounder()).judge(Planned(action, expect), found, FORM, now)


def test_typed_text_is_read_back() -> None:
    outcome = judge(TypeText("Ada", Mark(1)), after(1, value="Ada"))
    assert outcome.kind == "confirmed"
    assert outcome.evidence == ('textbox "Name" holds "Ada"',)


def test_typed_text_that_is_nowhere_is_no_change() -> None:
    assert judge(TypeText("Ada", Mark(1)), FORM).kind == "no_change"


def test_text_reshaped_by_the_field_is_a_change() -> None:
    assert judge(TypeText("1234", Mark(1)), after(1, value="12/34")).kind == "changed"


def test_a_password_is_confirmed_without_telling_its_length() -> None:
    outcome = judge(TypeText("hunter2", Mark(2)), after(2, value="•" * 7), on=2)
    assert outcome.kind == "confirmed"
    assert "hunter2" not in str(outcome)
    assert "7" not in str(outcome)
    assert "•" not in str(outcome)


def test_a_box_that_stayed_off_is_unexpected() -> None:
    assert judge(Check(Mark(3)), FORM, on=3).kind == "unexpected"
    assert judge(Check(Mark(3)), after(3, states=frozenset({"checked"})), on=3).kind == "confirmed"


def test_a_chosen_option_is_read_back() -> None:
    assert judge(Choose(Mark(4), "Peru"), after(4, value="Peru"), on=4).kind == "confirmed"


def test_an_expectation_beats_every_other_sign() -> None:
    thanks = screen(text("Thank you"))
    assert judge(Click(Mark(1)), thanks, TextShown("thank  YOU")).kind == "confirmed"
    wrong = judge(Click(Mark(1)), thanks, TextShown("Receipt"))
    assert wrong.kind == "unexpected"
    assert 'expected that "Receipt" is shown' in wrong.summary


def test_an_expectation_nobody_can_decide_leaves_the_change() -> None:
    thanks = screen(text("Thank you"))
    assert judge(Click(Mark(1)), thanks, ValueIs(Words("Name"), "Ada")).kind == "changed"


def test_nothing_happened() -> None:
    assert judge(Click(Mark(1)), FORM).kind == "no_change"


def test_an_address_is_confirmed() -> None:
    arrived = screen(title="A", url="http://a.test/b")
    assert judge(Navigate("http://a.test/b/"), arrived).kind == "confirmed"


def test_a_rebuilt_element_is_followed_only_when_it_is_the_only_one() -> None:
    rebuilt = replace(FORM, elements=tuple(replace(e, id=e.id + 10) for e in FORM.elements))
    same = follow(1, FORM, rebuilt)
    assert same is not None
    assert same.id == 11
    twice = replace(rebuilt, elements=(*rebuilt.elements, replace(rebuilt.elements[0], id=99)))
    assert follow(1, FORM, twice) is None


def test_the_smallest_control_under_a_point_wins() -> None:
    assert FORM.smallest_at(NAME.box.center) == NAME
    assert FORM.smallest_at(Point(799, 599)) is None
    crowded = screen(button("Save"), text("Save", box=screen(button("Save")).elements[0].box))
    element = crowded.smallest_at(crowded.elements[0].box.center)
    assert element is not None
    assert element.role == "button"
