"""Secrets in settings and texts."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from gui_agent.trace.redaction import HIDDEN, Redactor, without_secrets


def test_settings_named_like_secrets_are_hidden_and_others_are_not() -> None:
    settings = {
        "model": {
            "api_key": "sk",
            "max_tokens": 5,
            "name": "m",
            "token": "",
            "h": {"Authorization": "x"},
        },
        "secrets": {"PIN": "1"},
        "list": [{"password": "p"}, "plain"],
    }
    assert without_secrets(settings) == {
        "model": {
            "api_key": HIDDEN,
            "max_tokens": 5,
            "name": "m",
            "token": "",
            "h": {"Authorization": HIDDEN},
        },
        "secrets": HIDDEN,
        "list": [{"password": HIDDEN}, "plain"],
    }


def test_a_secret_in_an_address_is_found_in_its_encoded_form() -> None:
    assert Redactor(["a b&c"]).text("https://x/?p=a%20b%26c&q=a+b%26c") == f"https://x/?p={HIDDEN}&q={HIDDEN}"


def test_a_secret_that_contains_another_leaves_no_ends_behind() -> None:
    assert Redactor(["abc", "abcdef"]).text("abcdef") == HIDDEN


@given(secret=st.text(min_size=1), around=st.text(), other=st.dictionaries(st.text(), st.integers()))
def test_whatever_the_secret_it_is_in_no_text_of_a_line(
    secret: str, around: str, other: dict[str, int]
) -> None:
    line = json.dumps({"kind": "x", "text": around + secret + around, "other": other}, ensure_ascii=False)
    made = json.loads(Redactor([secret]).line(line.encode("utf-8", "replace")))
    assert made["text"] == Redactor([secret]).text(around + secret + around)
    assert made["kind"] == "x"
    assert all(secret not in piece for piece in made["text"].split(HIDDEN))
    assert made["other"] == other
