"""Secrets in texts, however they are written."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Words
from gui_agent.core.redaction import HIDDEN, Redactor
from gui_agent.core.trajectory import Decision, Planned

SECRET = "Zq7!Vault s(e)c*r'et\"9\\é"
KNOWN = Redactor({"TOKEN": SECRET, "PIN": "4711", "CVV": "123", "WORD": "secret", "EMPTY": ""})
UNRESERVED = "!*'()"
"""What JavaScript leaves as it is in addresses, unlike Python."""


def written(text: str) -> list[str]:
    inside = [
        base64.b64encode(f"{before}{text}{after}".encode())
        for before in ("", "a", "ab")
        for after in ("", "z")
    ]
    return [
        *(
            quote(text),
            quote_plus(text),
            quote(text, safe=UNRESERVED),
            quote(quote(text)),
            quote(text).lower(),
        ),
        *(text.upper(), text.lower(), html.escape(text), html.escape(html.escape(text))),
        *(
            json.dumps(text)[1:-1],
            json.dumps(json.dumps(text))[3:-3],
            json.dumps(text, ensure_ascii=False)[1:-1],
        ),
        *(" ".join(text), "\u200b".join(text), text.replace(" ", ""), "".join(f"&#{ord(c)};" for c in text)),
        *(text.encode().hex(), text.encode().hex(":"), text.encode().hex().upper()),
        "".join(f"\\x{byte:02x}" for byte in text.encode()),
        *(code.decode() for code in inside),
        *(base64.urlsafe_b64encode(f"ab{text}".encode()).decode(), quote(inside[0].decode())),
    ]


@pytest.mark.parametrize("way", written(SECRET))
def test_whatever_the_way_it_is_written_in_it_is_found(way: str) -> None:
    left = KNOWN.text(f"<{way}>").replace(HIDDEN, "")
    assert len(left) <= 10, left
    assert not any(SECRET[at : at + 4] in left for at in range(len(SECRET) - 3))


def test_the_value_itself_becomes_the_reference_that_types_it_again() -> None:
    assert KNOWN.text(f"<{SECRET}>") == "<${secret:TOKEN}>"
    assert KNOWN.text("PIN 4711") == "PIN ${secret:PIN}"


def test_a_reference_stays_what_it_is() -> None:
    assert KNOWN.text("type ${secret:TOKEN} or ${secret}") == "type ${secret:TOKEN} or ${secret}"


@pytest.mark.parametrize(
    ("secret", "task"),
    [
        ("Harbour-2026-x", "Add a link to the page 'Harbour' and another to 'Harbours'"),
        ("Amsterdam2026!", "Fly to Amsterdam in 2026"),
        ("Invoice2026#Q1", "Open the Invoice of 2026#Q1"),
    ],
)
def test_a_task_that_says_half_of_a_secret_stays_as_the_person_wrote_it(secret: str, task: str) -> None:
    assert Redactor({"P": secret}).text(task) == task
    assert Redactor({"P": secret}).text(f"{task}: {secret}") == f"{task}: ${{secret:P}}"


def test_a_short_secret_is_only_found_as_a_word() -> None:
    assert KNOWN.text("123, 1234 and ?a=123&b=0123") == ("${secret:CVV}, 1234 and ?a=${secret:CVV}&b=0123")


def test_a_secret_that_contains_another_leaves_no_ends_behind() -> None:
    assert Redactor({"A": "abcd", "B": "abcdefgh"}).text("abcdefgh") == "${secret:B}"


@given(secret=st.text(min_size=4).filter(lambda text: len(text.strip()) >= 4), around=st.text())
def test_whatever_the_secret_it_is_not_in_the_text(secret: str, around: str) -> None:
    made = Redactor({"S": secret}).text(around + secret + around)
    assert secret not in made.replace("${secret:S}", "\0").replace(HIDDEN, "\0")


def test_a_decision_keeps_its_kinds_and_loses_its_secrets() -> None:
    made = Redactor({"A": "click", "B": "hunter2"}).value(
        Decision(
            "hunter2", (Planned(Click(Words("click"))), Planned(TypeText("hunter2"))), notes={"a": "hunter2"}
        )
    )
    assert made.thought == "${secret:B}"
    assert made.planned[0].action == Click(Words("${secret:A}"))
    assert made.planned[1].action == TypeText("${secret:B}")
    assert made.notes == {"a": "${secret:B}"}


def test_what_holds_no_secret_stays_the_same_object() -> None:
    decision = Decision("look", (Planned(Click(Words("Go"))),))
    assert KNOWN.value(decision) is decision


def test_what_a_person_typed_by_hand_is_hidden_from_then_on_in_every_way_of_writing_it() -> None:
    known = Redactor({"A": "hunter2"})
    assert known.text("Zq7!Vault is new") == "Zq7!Vault is new"
    known.hide(["Zq7!Vault", "ab"])
    assert (
        known.text("hunter2, Zq7!Vault, WnE3IVZhdWx0, ZQ7!VAULT")
        == "${secret:A}, ${secret}, ${secret}, ${secret}"
    )
    assert known.text("ab") == "ab", "two letters would hide half of all words"
