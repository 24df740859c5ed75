"""What a person types by hand while the screen is theirs is hidden when it may be a secret."""

from __future__ import annotations

import pytest

from gui_agent.computers.recording.secrets import Secrecy, names_secret
from gui_agent.computers.recording.steps import _Secret, without_secret
from gui_agent.core.observation import Point


def hidden(text: str, field: str) -> bool:
    secrecy = Secrecy(all_typed=True)
    without_secret(_Secret(text, Point(1, 1), False, field=field), secrecy)
    return text in secrecy.hidden


@pytest.mark.parametrize(
    ("text", "field"),
    [("correcthorse", "Passphrase"), ("hunter", "Kennwort"), ("k7x9", "Code"), ("swordFish", "Say")],
)  # fmt: skip
def test_a_password_is_hidden_in_a_field_that_shows_it(text: str, field: str) -> None:
    assert hidden(text, field)


@pytest.mark.parametrize("text", ["Ada", "Good morning", "ada@example.org", "Wonderful"])
def test_plain_words_stay_words(text: str) -> None:
    assert not hidden(text, "Name")


def test_not_every_field_takes_a_password() -> None:
    assert not any(map(names_secret, ("Passenger", "Shipping", "Compass", "Opinion")))
