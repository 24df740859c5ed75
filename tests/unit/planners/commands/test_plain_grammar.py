"""What plain sentences mean, and how texts that are none are refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from grammar_cases import ALL, NOT_PLAIN
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.planners.commands import Unparsed, parse, say

MEANT = [(text, said) for text, said in ALL.items() if said is not None]
REFUSED = [text for text, said in ALL.items() if said is None]


@pytest.mark.parametrize(("text", "said"), MEANT, ids=[text for text, _ in MEANT])
def test_a_plain_sentence_means_these_commands(text: str, said: list[str]) -> None:
    commands = parse(text)
    assert not isinstance(commands, Unparsed), str(commands)
    assert [say(command) for command in commands] == said


@pytest.mark.parametrize(("text", "said"), MEANT, ids=[text for text, _ in MEANT])
def test_the_standard_wording_is_read_back_as_the_same_commands(text: str, said: list[str]) -> None:
    assert parse(", ".join(said)) == parse(text)
    assert parse("\n".join(said)) == parse(text)


@pytest.mark.parametrize("text", [*REFUSED, *(text for text, said in NOT_PLAIN.items() if said is None)])
def test_what_is_not_understood_is_refused(text: str) -> None:
    assert isinstance(parse(text), Unparsed)


@pytest.mark.parametrize(
    ("text", "position", "reason"), [(text, *said) for text, said in NOT_PLAIN.items() if said]
)
def test_a_refusal_says_where_and_why(text: str, position: int, reason: str) -> None:
    refusal = parse(text)
    assert isinstance(refusal, Unparsed)
    assert reason in refusal.reason
    assert refusal.position == position
    assert "\n" not in str(refusal) or "\n" in text


def test_a_refusal_tells_what_was_understood_so_far() -> None:
    refusal = str(parse('type "Ada" into Name, book me a flight'))
    assert 'understood up to "type "Ada" into Name"' in refusal
    assert "docs/commands.md" in refusal


def test_a_slip_in_a_verb_is_pointed_out() -> None:
    assert "did you mean 'click'?" in str(parse("clik Send"))
    assert "did you mean 'select'?" in str(parse("click A; selct B"))


@given(st.text(max_size=200))
def test_any_text_is_either_read_or_refused(text: str) -> None:
    result = parse(text)
    assert isinstance(result, Unparsed) or result


WORDS = (
    'click type into "Name" Send and , then the first button near tick "a b" scroll to by 300 press ctrl+s'
    " check is shown read as wait 2 seconds drag 10,20 . ; > in row of open go back 'x select from"
)


@given(st.lists(st.sampled_from(WORDS.split(" ")), max_size=25).map(" ".join))
def test_any_chain_of_the_grammars_own_words_is_read_back_as_itself(text: str) -> None:
    result = parse(text)
    if not isinstance(result, Unparsed):
        assert parse("\n".join(say(command) for command in result)) == result


def test_long_texts_are_read_in_good_time() -> None:
    text = " and ".join(["click a, b"] * 20 + ["type x into y"] * 300)
    assert isinstance(parse(text), (tuple, Unparsed))
    commands = parse("; ".join(['type "x" into "y", click "z"'] * 300))
    assert not isinstance(commands, Unparsed)
    assert len(commands) == 600


def test_the_examples_of_the_guide_are_plain_commands() -> None:
    guide = (Path(__file__).parents[4] / "docs" / "commands.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```commands\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 7
    for block in blocks:
        assert not isinstance(parse(block), Unparsed), str(parse(block))
