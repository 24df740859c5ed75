"""The guard lets pass, asks or refuses; in doubt it refuses."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.agent.guard import (
    Answer,
    Grants,
    KeepsLedger,
    Ledger,
    Policy,
    PolicyGuard,
    PolicyRule,
    Question,
    careful,
)
from gui_agent.core.actions import Action, Back, Check, Click, Navigate, Press, Scroll, TypeText, Upload
from gui_agent.core.errors import Forbidden
from gui_agent.core.observation import Observation, Place, Point
from gui_agent.testing import (
    ScriptedApprover,
    button,
    checkbox,
    field,
    form,
    link,
    row,
    screen,
    spot,
    with_states,
)
from gui_agent.testing import text as words

MAIL = screen(
    form(field("To", "bob@x.example"), field("Body", "Hello", states=["multiline"]), button("Send")),
    button("Delete"),
    button("Help"),
    url="https://mail.example/new",
)
LOGIN = screen(
    form(field("Password", states=["password"]), button("Log in", type_="submit")), url="https://a.example/"
)


class Person:
    """Someone who gives these answers and keeps the questions."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.questions: list[Question] = []

    def approve(self, question: str, action: Action, observation: Observation) -> bool:
        raise AssertionError("the richer question is used")

    def answer(self, question: Question, observation: Observation) -> Answer:
        self.questions.append(question)
        return self._answers[len(self.questions) - 1]


def click(guard: PolicyGuard, observation: Observation, name: str) -> None:
    """Check a click on the element of this name and say that it was done."""
    place = spot(observation, name)
    action = Click(place.point)
    guard.check(action, {"at": place}, observation)
    guard.note_delivery(action, {"at": place}, observation)


def refusal(guard: PolicyGuard, observation: Observation, name: str) -> str:
    with pytest.raises(Forbidden) as caught:
        click(guard, observation, name)
    message = str(caught.value)
    assert "\n" not in message + caught.value.advice
    return "; ".join(filter(None, (message, caught.value.advice)))


def test_nobody_to_ask_is_a_no_that_says_what_to_do() -> None:
    message = refusal(PolicyGuard.default(), MAIL, "Send")
    assert 'click button "Send" (send something)' in message
    assert message.endswith(
        "no person can be asked; say yes=True or --yes, or add an allow rule to guard.toml"
    )


def test_harmless_things_pass_without_a_question() -> None:
    person = ScriptedApprover()
    guard = PolicyGuard.default(person)
    click(guard, MAIL, "Help")
    guard.check(Scroll(Point(1, 1), down=5), {}, MAIL)
    guard.check(Back(), {}, MAIL)
    guard.check(Navigate("https://example.org"), {}, MAIL)
    assert person.questions == []


def test_a_yes_is_good_for_one_time_and_a_no_refuses() -> None:
    person = ScriptedApprover([True, False])
    guard = PolicyGuard.default(person)
    click(guard, MAIL, "Delete")
    assert "the person said no" in refusal(guard, MAIL, "Delete")
    assert 'click button "Delete" (delete something)?' in person.questions[0]


def test_an_answer_that_is_not_true_is_a_no() -> None:
    class Odd:
        def approve(self, question: str, action: Action, observation: Observation) -> bool:
            return cast(bool, "yes")

    assert "no" in refusal(PolicyGuard.default(Odd()), MAIL, "Delete")


def test_always_is_good_for_this_kind_on_this_site_only() -> None:
    person = Person("always", "no", "no")
    guard = PolicyGuard.default(person)
    click(guard, MAIL, "Delete")
    click(guard, MAIL, "Delete")
    assert len(person.questions) == 1
    refusal(guard, MAIL, "Send")
    elsewhere = replace(MAIL, place=Place("b.example", url="https://b.example/"))
    refusal(guard, elsewhere, "Delete")
    assert [question.scope for question in person.questions] == ["mail.example", "mail.example", "b.example"]


def test_one_question_for_a_button_with_two_meanings() -> None:
    person = Person("once")
    click(PolicyGuard.default(person), screen(button("Send and pay")), "Send and pay")
    assert person.questions[0].meanings == ("pay", "send")


def test_who_allowed_the_password_is_not_asked_about_the_button_again() -> None:
    person = Person("once")
    guard = PolicyGuard.default(person)
    place = spot(LOGIN, "Password")
    guard.check(TypeText("${secret:A}", place.point), {"at": place}, LOGIN)
    click(guard, LOGIN, "Log in")
    assert len(person.questions) == 1


def test_yes_covers_what_is_asked_and_never_what_is_forbidden() -> None:
    policy = Policy(
        (PolicyRule("forbid", meaning=("delete",)), PolicyRule("ask", meaning=("send",))), default="allow"
    )
    guard = PolicyGuard(policy, yes=True)
    click(guard, MAIL, "Send")
    assert "is forbidden" in refusal(guard, MAIL, "Delete")


def test_a_grant_is_good_for_its_kind_and_place() -> None:
    guard = PolicyGuard(careful(), yes=Grants.parse(["delete@mail.example"]))
    click(guard, MAIL, "Delete")
    refusal(guard, MAIL, "Send")
    refusal(guard, replace(MAIL, place=Place(url="https://x.example/")), "Delete")


def test_enter_is_judged_like_the_click_it_stands_for() -> None:
    with pytest.raises(Forbidden, match="Log in"):
        PolicyGuard.default().check(Press(("enter",)), {}, with_states(LOGIN, "Password", "focused"))


def test_an_address_with_code_is_refused_whatever_the_policy_says() -> None:
    guard = PolicyGuard(Policy((PolicyRule("allow", actions=("navigate",)),), default="allow"), yes=True)
    for url in ("javascript:alert(1)", "JAVASCRIPT:1", " data:text/html,x", "java\nscript:1"):
        with pytest.raises(Forbidden, match="must not carry code"):
            guard.check(Navigate(url), {}, MAIL)


def test_outside_the_allowed_domains_one_may_only_look_and_leave() -> None:
    guard = PolicyGuard(replace(careful(), domains=("*.mail.example",)), yes=True)
    lost = screen(button("Help"), link("Home", "https://mail.example/"), url="https://evil.example/")
    click(guard, MAIL, "Help")
    guard.check(Navigate("https://www.mail.example/x"), {}, MAIL)
    guard.check(Navigate("https://mail.example/x"), {}, lost)
    guard.check(Back(), {}, lost)
    guard.check(Scroll(Point(1, 1)), {}, lost)
    assert "evil.example is outside the allowed domains" in refusal(guard, lost, "Help")
    for url in (
        "https://evil.example",
        "evil.example",
        "https://mail.example@evil.example/",
        "https:\\\\evil.example",
        "https://mail.example.evil.example/",
        "file:///etc/passwd",
        "//evil.example",
    ):
        with pytest.raises(Forbidden, match="outside the allowed domains"):
            guard.check(Navigate(url), {}, MAIL)
    away = screen(link("Out", "https://evil.example/"), link("In", "/inbox"), url="https://mail.example/")
    click(guard, away, "In")
    assert "outside the allowed domains" in refusal(guard, away, "Out")


def test_files_from_outside_the_allowed_folders_are_never_handed_over(tmp_path: Path) -> None:
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    for folder in (allowed, other):
        folder.mkdir()
        (folder / "a.txt").write_text("x")
    (allowed / "link.txt").symlink_to(other / "a.txt")
    guard = PolicyGuard(replace(careful(), folders=(str(allowed),)), yes=True)
    observation = screen(button("Choose file"))
    place = spot(observation, "Choose file")
    guard.check(Upload(place.point, (str(allowed / "a.txt"),)), {"at": place}, observation)
    for file in (other / "a.txt", allowed / "link.txt", allowed / os.pardir / "other" / "a.txt"):
        with pytest.raises(Forbidden, match="outside the allowed folders"):
            guard.check(Upload(place.point, (str(file),)), {"at": place}, observation)


def test_a_fault_in_judging_is_a_refusal() -> None:
    policy = Policy((PolicyRule("allow", target="("),), default="allow")
    assert "judging this click failed" in refusal(PolicyGuard(policy, yes=True), MAIL, "Help")


@given(st.sampled_from(["Allow", "", "yes", "deny", "none", "asks"]))
def test_an_effect_that_is_none_is_a_refusal(effect: str) -> None:
    odd = Policy((PolicyRule(cast("object", effect), actions=("click",)),), default="allow")  # type: ignore[arg-type]
    with pytest.raises(Forbidden):
        click(PolicyGuard(odd, yes=True), MAIL, "Help")


RISKY = screen(
    *(button(name) for name in ("Send", "Pay now", "Delete", "Löschen", "Publier", "Eliminar")),
    *(button("", class_=name) for name in ("fa-trash", "paper-plane")),
    url="https://mail.example/",
)
RULES = st.builds(
    PolicyRule,
    st.sampled_from(["ask", "forbid"]),
    actions=st.sampled_from([(), ("click",), ("press",)]),
    target=st.sampled_from(["", "send", "x"]),
    role=st.sampled_from([(), ("button",), ("link",)]),
    domain=st.sampled_from([(), ("*.example",), ("mail.example",)]),
)


@given(st.lists(RULES, max_size=4), st.sampled_from(["ask", "forbid"]), st.sampled_from(RISKY.elements))
def test_no_policy_without_an_allow_lets_a_risky_click_pass_silently(
    rules: list[PolicyRule], default: str, element: object
) -> None:
    policy = Policy((*rules, *careful().rules), default=default)  # type: ignore[arg-type]
    place = next(spot(RISKY, e.name) for e in RISKY.elements if e is element)
    with pytest.raises(Forbidden):
        PolicyGuard(policy).check(Click(place.point), {"at": place}, RISKY)


def test_the_same_thing_is_not_sent_twice() -> None:
    guard = PolicyGuard.default(yes=True)
    click(guard, MAIL, "Send")
    message = refusal(guard, MAIL, "Send")
    assert "was done already" in message
    assert "repeat" in message
    with pytest.raises(Forbidden, match="already"):
        guard.check(Press(("ctrl", "enter")), {}, with_states(MAIL, "Body", "focused"))


def test_other_contents_or_another_place_are_another_thing() -> None:
    guard = PolicyGuard.default(yes=True)
    click(guard, MAIL, "Send")
    filled = tuple(replace(e, value="Other") if e.name == "Body" else e for e in MAIL.elements)
    click(guard, replace(MAIL, elements=filled), "Send")
    click(guard, replace(MAIL, place=Place(url="https://mail.example/other")), "Send")
    click(guard, MAIL, "Delete")
    click(guard, MAIL, "Delete")


def test_a_tick_or_the_neighbourhood_tells_things_apart() -> None:
    guard = PolicyGuard.default(yes=True)
    unticked = screen(form(checkbox("Gift"), button("Submit")))
    ticked = screen(form(checkbox("Gift", on=True), button("Submit")))
    click(guard, unticked, "Submit")
    click(guard, ticked, "Submit")
    pen, cup = (screen(row(words(name), button("Buy")), button("Next")) for name in ("Pen", "Cup"))
    click(guard, pen, "Buy")
    click(guard, pen, "Next")
    click(guard, cup, "Buy")
    refusal(guard, cup, "Buy")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Order 1", "Order 2"),
        ("Reference 8f0c-11", "Reference 9a7d-23"),
        ("Expires in 59 seconds", "Expires in 12 seconds"),
        ("2026-11-23T13:04:34.271Z", "2026-11-23T13:04:35.002Z"),
    ],
)
def test_what_counts_up_by_itself_makes_no_other_thing(before: str, after: str) -> None:
    guard = PolicyGuard.default(yes=True)
    first, then = (screen(row(words(text), button("Pay"))) for text in (before, after))
    click(guard, first, "Pay")
    refusal(guard, then, "Pay")


def test_with_something_done_in_between_a_number_counts() -> None:
    guard = PolicyGuard.default(yes=True)
    first, then = (screen(row(words(text), button("Pay")), button("Next")) for text in ("Bill 1", "Bill 2"))
    click(guard, first, "Pay")
    click(guard, first, "Next")
    click(guard, then, "Pay")


def test_what_was_not_delivered_may_be_tried_again() -> None:
    guard = PolicyGuard.default(yes=True)
    place = spot(MAIL, "Send")
    guard.check(Click(place.point), {"at": place}, MAIL)
    click(guard, MAIL, "Send")
    refusal(guard, MAIL, "Send")


def test_an_action_in_between_is_not_mistaken_for_the_delivery() -> None:
    guard = PolicyGuard.default(yes=True)
    place = spot(MAIL, "Send")
    guard.check(Click(place.point), {"at": place}, MAIL)
    click(guard, MAIL, "Help")
    click(guard, MAIL, "Send")


def test_the_person_may_say_to_do_it_again() -> None:
    person = Person("once", "once", "no")
    guard = PolicyGuard.default(person)
    click(guard, MAIL, "Send")
    click(guard, MAIL, "Send")
    assert "the person said no" in refusal(guard, MAIL, "Send")
    assert [question.meanings for question in person.questions] == [("send",), *[("repeat", "send")] * 2]
    assert "a second time?" in person.questions[1].text


def test_repeating_can_be_granted_by_name_or_by_the_policy() -> None:
    granted = PolicyGuard(careful(), yes=Grants.parse(["send", "repeat"]))
    allowed = PolicyGuard(replace(careful(), repeat="allow"), yes=True)
    for guard in (granted, allowed):
        click(guard, MAIL, "Send")
        click(guard, MAIL, "Send")
    never = PolicyGuard(replace(careful(), repeat="forbid"), Person("once", "once"))
    click(never, MAIL, "Send")
    assert "already" in refusal(never, MAIL, "Send")


def test_a_resumed_run_remembers_what_was_sent(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    click(PolicyGuard(careful(), yes=True, ledger=Ledger(file)), MAIL, "Send")
    assert "already" in refusal(PolicyGuard(careful(), yes=True, ledger=Ledger(file)), MAIL, "Send")
    click(PolicyGuard(careful(), yes=True), MAIL, "Send")


def test_a_run_that_broke_off_while_sending_may_have_sent(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    place = spot(MAIL, "Send")
    PolicyGuard(careful(), yes=True, ledger=Ledger(file)).check(Click(place.point), {"at": place}, MAIL)
    message = refusal(PolicyGuard(careful(), yes=True, ledger=Ledger(file)), MAIL, "Send")
    assert "broke off while doing it" in message


def test_the_loop_knows_that_it_keeps_a_ledger() -> None:
    assert isinstance(PolicyGuard.default(), KeepsLedger)


def test_a_check_box_in_a_form_is_no_submission() -> None:
    guard = PolicyGuard.default()
    observation = screen(form(checkbox("I agree"), button("Submit")))
    place = spot(observation, "I agree")
    for _ in range(2):
        guard.check(Check(place.point), {"at": place}, observation)
        guard.note_delivery(Check(place.point), {"at": place}, observation)


def test_one_control_does_not_pay_twice_whatever_the_page_writes_beside_it() -> None:
    guard = PolicyGuard.default(yes=True)
    first, then = (screen(row(words(f"Order {letters}"), button("Pay"))) for letters in ("QWERT", "ASDFG"))
    click(guard, first, "Pay")
    refusal(guard, then, "Pay")


def test_what_an_approver_is_asked_holds_no_control_characters() -> None:
    person = ScriptedApprover()
    trap = screen(button("Delete \x1b[2K\u202eall"), url="https://a.example/")
    place = spot(trap, trap.elements[0].name)
    with pytest.raises(Forbidden):
        PolicyGuard.default(person).check(Click(place.point), {"at": place}, trap)
    assert "Delete" in person.questions[0] and not {"\x1b", "\u202e"} & set(person.questions[0])
