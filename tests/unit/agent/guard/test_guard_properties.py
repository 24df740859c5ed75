"""Whatever is granted, typed or written: a forbid rule holds, and guard and device read the same thing."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.agent.guard import Grants, PolicyGuard
from gui_agent.agent.guard.policy import load, parse
from gui_agent.agent.guard.shell import destroys
from gui_agent.agent.guard.vocabulary import MEANINGS
from gui_agent.core.actions import Click, Press, TypeText
from gui_agent.core.errors import ConfigError, Forbidden
from gui_agent.core.keys import ALIASES, NAMED, chord
from gui_agent.testing import button, screen, spot

GRANTS = st.lists(
    st.builds("{}{}".format, st.sampled_from(["*", *MEANINGS]), st.sampled_from(["", "@a.example"]))
)


@given(GRANTS)
def test_no_grant_allows_what_a_rule_forbids(grants: list[str]) -> None:
    policy = parse('default = "allow"\n[[rule]]\neffect = "forbid"\nmeaning = "delete"', "p.toml")
    shown = screen(button("Delete"))
    at = spot(shown, "Delete")
    with pytest.raises(Forbidden, match="is forbidden"):
        PolicyGuard(policy, yes=Grants.parse(grants)).check(Click(at.point), {"at": at}, shown)


@given(st.sampled_from([*NAMED, *ALIASES]), st.sampled_from(["", "shift+", "ctrl "]))
def test_every_spelling_of_a_key_is_judged_as_the_key_that_the_device_presses(key: str, held: str) -> None:
    shown = screen(button("Delete", states=["focused"]))
    keys = tuple(f"{held}{key}".split())
    pressed = chord(keys)
    guard = PolicyGuard(load(""))
    if {"enter", "space"} & set(pressed):
        with pytest.raises(Forbidden):
            guard.check(Press(keys), {}, shown)
    else:
        guard.check(Press(keys), {}, shown)


@given(st.text("ab \n", min_size=1, max_size=12))
def test_a_text_that_presses_a_button_is_judged_as_its_keys(text: str) -> None:
    shown = screen(button("Delete", states=["focused"]))
    acts = " " in text or "\n" in text
    try:
        PolicyGuard(load("")).check(TypeText(text), {}, shown)
        assert not acts
    except Forbidden:
        assert acts


@given(
    st.sampled_from(["rm -rf x", "rm x", "unlink x", "shred x"]),
    st.sampled_from(["{}", "sudo {}", "cd a; {}"]),
    st.sampled_from(["", "''", "\\"]),
)
def test_quotes_do_not_hide_what_a_shell_runs(command: str, around: str, quote: str) -> None:
    hidden = command[0] + quote + command[1:]
    assert destroys(around.format(hidden))


@pytest.mark.parametrize(
    "text",
    [
        'domain = "https://bank.example"',
        'domain = ".bank.example"',
        'domain = "*bank.example"',
        'role = "Button"',
        'role = "buton"',
        'states = "focussed"',
        'target = "^(a+)+$"',
        'target = "(a|ab)*c"',
        "domain = []",
    ],
)
def test_a_condition_that_can_never_fit_is_an_error(text: str) -> None:
    with pytest.raises(ConfigError):
        parse(f'default = "allow"\n[[rule]]\neffect = "forbid"\n{text}', "p.toml")


def test_a_grant_without_a_place_is_an_error() -> None:
    with pytest.raises(ConfigError, match="has no host"):
        Grants.parse(["send@"])


def test_a_page_adds_no_words_for_which_something_is_allowed() -> None:
    policy = parse('extends = "default"\n[[rule]]\neffect = "allow"\ntarget = "^send$"', "p.toml")
    shown = screen(button("Delete account", description="Send"))
    at = spot(shown, "Delete account")
    with pytest.raises(Forbidden):
        PolicyGuard(policy).check(Click(at.point), {"at": at}, shown)


def test_profiles_together_are_as_strict_as_the_strictest() -> None:
    both = load("eval+strict")
    assert (both.default, both.unknown, both.repeat) == ("allow", "ask", "forbid")
    assert both.rules[0].effect == "forbid"


def test_a_decision_with_200_rules_takes_under_2_ms() -> None:
    rules = "".join(f'[[rule]]\neffect = "ask"\ntarget = "^thing {n}$"\nrole = "link"\n' for n in range(200))
    guard = PolicyGuard(parse(f'extends = "default"\n{rules}', "p.toml"))
    shown = screen(*(button(f"View {n}") for n in range(60)))
    at = spot(shown, "View 7")
    took = []
    for _ in range(50):
        began = time.perf_counter()
        guard.check(Click(at.point), {"at": at}, shown)
        took.append(time.perf_counter() - began)
    assert min(took) < 0.002
