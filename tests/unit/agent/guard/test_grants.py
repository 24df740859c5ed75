"""What was granted is good for its kind and its place."""

from __future__ import annotations

import pytest

from gui_agent.agent.guard import MEANINGS, Grant, Grants
from gui_agent.agent.guard.asking import scope_of
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Place

MAIL = Place(url="https://www.mail.example/x")
EDITOR = Place(app="Gedit", title="Notes")


def test_yes_covers_every_kind_except_doing_it_twice() -> None:
    assert all(Grants.yes().covers(meaning, MAIL) for meaning in MEANINGS)
    assert not Grants.yes().covers("repeat", MAIL)
    assert not Grants().covers("send", MAIL)


@pytest.mark.parametrize(
    ("grant", "meaning", "place", "covered"),
    [
        ("send", "send", MAIL, True),
        ("send", "pay", MAIL, False),
        ("send@*.mail.example", "send", MAIL, True),
        ("send@mail.example", "send", MAIL, False),
        ("send@mail.example", "send", Place(url="https://mail.example.evil.example/"), False),
        ("*@www.mail.example", "delete", MAIL, True),
        ("*@www.mail.example", "repeat", MAIL, False),
        ("delete@gedit", "delete", EDITOR, True),
        ("delete@gedit", "delete", MAIL, False),
        ("repeat", "repeat", MAIL, True),
        ("password", "submit-credentials", MAIL, True),
        ("submit-credentials", "password", MAIL, False),
    ],
)
def test_a_grant_covers(grant: str, meaning: str, place: Place, covered: bool) -> None:
    assert Grants.parse([grant]).covers(meaning, place) is covered


def test_an_unknown_kind_cannot_be_granted() -> None:
    with pytest.raises(ConfigError, match='"sned" is not a kind'):
        Grants.parse(["send", "sned"])


def test_the_scope_of_a_place_is_its_host_or_its_program() -> None:
    assert scope_of(MAIL) == "www.mail.example"
    assert scope_of(EDITOR) == "Gedit"
    assert str(Grant("send", scope_of(MAIL))) == "send@www.mail.example"
    assert str(Grant("send")) == "send"
