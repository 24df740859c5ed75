"""Policies are read strictly: whatever is wrong with one stops the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.agent.guard import MEANINGS, Policy, PolicyRule, careful, load, parse
from gui_agent.agent.guard.vocabulary import ActionMeaning
from gui_agent.core.actions import Action, Choose, Click, Navigate, Press, Scroll, TypeText
from gui_agent.core.errors import ConfigError, ExitCode
from gui_agent.core.observation import Observation, Point
from gui_agent.testing import button, field, screen

AT = Point(1, 1)
SHOP = screen(button("Send"), field("PIN", states=["password"]), url="https://www.shop.example/a")
SEND = ActionMeaning("send", "button", SHOP.elements[0])
PIN = ActionMeaning("password", "textbox", SHOP.elements[1])
DESK = screen(button("Send"), app="Thunderbird", title="Write")


RULE = '[[rule]]\neffect = "ask"\n'
FAULTS = {
    "default = ": "not valid TOML",
    'defualt = "allow"': 'unknown key "defualt" (did you mean "default"?)',
    'default = "yes"': 'default: must be "allow", "ask" or "forbid"',
    "default = true": "default: must be",
    'domains = "a.example"\nrule = 3': "[[rule]]",
    "domains = []": "domains: the list is empty",
    "domains = [1]": "domains: must be a text",
    'extends = "guard-open"': "extends: there is no profile",
    '[[rule]]\nactions = ["click"]': "rule 1: effect is missing",
    '[[rule]]\neffect = "deny"\nactions = ["click"]': "rule 1: effect: must be",
    '[[rule]]\neffect = "allow"': "rule 1: it has no condition",
    '[[rule]]\neffect = "allow"\nreason = "because"': "rule 1: it has no condition",
    f'{RULE}role = "link"\n{RULE}taget = "x"': 'rule 2: unknown key "taget" (did you mean "target"?)',
    f'{RULE}target = "(unclosed"': "rule 1: target: not a regular expression",
    f'{RULE}text = "*"': "rule 1: text: not a regular expression",
    f'{RULE}meaning = "sned"': 'rule 1: meaning: "sned" is not known (did you mean "send"?)',
    f'{RULE}actions = ["clik"]': 'rule 1: actions: "clik" is not known (did you mean "click"?)',
    f"{RULE}role = 3": "rule 1: role: must be a text",
    f"{RULE}domain = []": "rule 1: domain: the list is empty",
    f'{RULE}target = ""': "rule 1: target: must be a text that is not empty",
    '[rule]\neffect = "ask"': "[[rule]]",
}


@pytest.mark.parametrize(("text", "said"), FAULTS.items())
def test_a_faulty_policy_is_named_with_its_rule(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "guard.toml")
    message = str(caught.value)
    assert message.startswith("guard.toml")
    assert said in message
    assert "\n" not in message
    assert caught.value.exit_code == ExitCode.CONFIG


def test_a_missing_policy_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml cannot be read"):
        load(tmp_path / "nowhere.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path)
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="UTF-8"):
        load(tmp_path / "bad.toml")


def test_no_name_means_the_careful_rules() -> None:
    assert load("") is careful()
    assert careful().default == "allow"
    assert careful().repeat == "ask"


def test_a_policy_without_a_default_asks() -> None:
    policy = parse("", "empty.toml")
    assert policy.default == policy.unknown == policy.repeat == "ask"


def test_own_rules_come_before_those_they_extend() -> None:
    policy = parse('extends = "default"\n[[rule]]\neffect = "allow"\nmeaning = "send"', "own.toml")
    assert policy.effect(Click(AT), SEND, SHOP)[0] == "allow"
    assert policy.effect(Click(AT), PIN, SHOP)[0] == "ask"
    assert policy.default == careful().default


@pytest.mark.parametrize(
    ("rule", "action", "reading", "observation", "fits"),
    [
        (PolicyRule("ask", actions=("click",)), Click(AT), SEND, SHOP, True),
        (PolicyRule("ask", actions=("press",)), Click(AT), SEND, SHOP, False),
        (PolicyRule("ask", meaning=("send", "pay")), Click(AT), SEND, SHOP, True),
        (PolicyRule("ask", meaning=("pay",)), Click(AT), SEND, SHOP, False),
        (PolicyRule("ask", target="^sen"), Click(AT), SEND, SHOP, True),
        (PolicyRule("ask", target="resend"), Click(AT), SEND, SHOP, False),
        (PolicyRule("ask", role=("button",)), Click(AT), SEND, SHOP, True),
        (PolicyRule("ask", role=("link",)), Click(AT), SEND, SHOP, False),
        (PolicyRule("ask", states=("password",)), TypeText("x", AT), PIN, SHOP, True),
        (PolicyRule("ask", states=("password", "disabled")), TypeText("x", AT), PIN, SHOP, False),
        (PolicyRule("ask", domain=("*.shop.example",)), Click(AT), SEND, SHOP, True),
        (PolicyRule("ask", domain=("shop.example",)), Click(AT), SEND, SHOP, False),
        (PolicyRule("ask", domain=("*.shop.example",)), Click(AT), SEND, DESK, False),
        (PolicyRule("ask", app=("thunder*",)), Click(AT), SEND, DESK, True),
        (PolicyRule("ask", app=("outlook",)), Click(AT), SEND, DESK, False),
        (PolicyRule("ask", text="drop table"), TypeText("DROP TABLE x", AT), PIN, SHOP, True),
        (PolicyRule("ask", text="drop table"), TypeText("hello", AT), PIN, SHOP, False),
        (PolicyRule("ask", text="^two$"), Choose(AT, "two"), PIN, SHOP, True),
        (PolicyRule("ask", text="^https:"), Navigate("https://x.example"), SEND, SHOP, True),
        (PolicyRule("ask", text=r"^ctrl\+w$"), Press(("ctrl", "w")), SEND, SHOP, True),
        (PolicyRule("ask", text="."), Click(AT), SEND, SHOP, False),
        (PolicyRule("ask", role=("button",), meaning=("pay",)), Click(AT), SEND, SHOP, False),
    ],
)  # fmt: skip
def test_a_rule_fits_when_all_that_it_names_fits(
    rule: PolicyRule, action: Action, reading: ActionMeaning, observation: Observation, fits: bool
) -> None:
    assert rule.fits(action, reading, observation) is fits


def test_the_first_rule_that_fits_decides_and_gives_its_reason() -> None:
    rules = (
        PolicyRule("allow", target="send", domain=("*.shop.example",)),
        PolicyRule("forbid", target="send", reason="no mail from here"),
    )
    policy = Policy(rules, source="p.toml")
    assert policy.effect(Click(AT), SEND, SHOP) == ("allow", "rule 1 of p.toml")
    assert policy.effect(Click(AT), SEND, DESK) == ("forbid", "no mail from here")


def test_looking_around_is_allowed_unless_a_rule_says_otherwise() -> None:
    plain = ActionMeaning("plain", "scroll")
    assert Policy(default="forbid").effect(Scroll(AT), plain, SHOP)[0] == "allow"
    assert Policy(default="forbid").effect(Click(AT), plain, SHOP)[0] == "forbid"
    assert Policy((PolicyRule("forbid", actions=("scroll",)),)).effect(Scroll(AT), plain, SHOP)[0] == "forbid"


@pytest.mark.parametrize(
    "name", ["guard.toml", "default", "strict", "unattended", "eval", "strict+unattended"]
)
def test_the_profiles_that_come_with_the_project_can_be_read(name: str) -> None:
    root = next(folder for folder in Path(__file__).resolve().parents if (folder / "configs").is_dir())
    policy = load(root / "configs" / name if name == "guard.toml" else name)
    code = ActionMeaning("destructive-command", "terminal")
    asks = name in ("guard.toml", "default")
    assert policy.effect(Click(AT), code, SHOP)[0] == ("ask" if asks else "forbid")
    assert policy.effect(Click(AT), SEND, SHOP)[0] == ("allow" if name == "eval" else "ask")


LINES = st.lists(
    st.sampled_from(
        [
            "[[rule]]", 'effect = "allow"', 'effect = "forbid"', 'effect = "Allow"', "effect = 1",
            'target = "send"', 'target = "("', 'meaning = "send"', 'meaning = ["pay"]', "meaning = []",
            'default = "allow"', 'default = "forbid"', 'extends = "default"', "actions = 3", "]", "x = {",
            'role = ["button", 2]', 'states = "password"', 'reason = "r"', "domain = [[]]",
        ]
    ),
    max_size=12,
)  # fmt: skip


@given(LINES)
def test_a_mangled_policy_is_refused_or_well_formed(lines: list[str]) -> None:
    try:
        policy = parse("\n".join(lines), "mangled.toml")
    except ConfigError as error:
        assert "\n" not in str(error)
        return
    assert {policy.default, policy.unknown, policy.repeat} <= {"allow", "ask", "forbid"}
    for rule in policy.rules:
        assert rule.effect in ("allow", "ask", "forbid")
        assert set(rule.meaning) <= set(MEANINGS)
        assert rule != PolicyRule(rule.effect, reason=rule.reason)


@given(st.text(max_size=120))
def test_any_text_is_refused_or_asks(text: str) -> None:
    try:
        policy = parse(text, "noise.toml")
    except ConfigError:
        return
    assert policy == Policy()
