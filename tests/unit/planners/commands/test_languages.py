"""Plain commands in other languages mean what the English ones mean."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from gui_agent.planners.commands import parse
from gui_agent.planners.commands.commands import Unparsed

WORDINGS = {
    path.stem: tomllib.loads(path.read_text("utf-8"))["wording"]
    for path in sorted(Path(__file__).with_name("wordings").glob("*.toml"))
}
"""Written without a look at the tables; what is `missed` is refused, and never misunderstood."""
SAID = [
    pytest.param(one["says"], one["means"], id=f"{language}-{number}")
    for language, wordings in WORDINGS.items()
    for number, one in enumerate(wordings)
    if not one.get("missed")
]


@pytest.mark.parametrize(("says", "means"), SAID)
def test_a_wording_is_understood_as_meant(says: str, means: str) -> None:
    assert not isinstance(parse(means), Unparsed)
    assert parse(says) == parse(means)


@pytest.mark.parametrize("language", WORDINGS)
def test_nine_of_ten_wordings_are_understood_and_the_rest_is_refused(language: str) -> None:
    missed = [one for one in WORDINGS[language] if one.get("missed")]
    assert 10 * len(missed) <= len(WORDINGS[language])
    assert all(isinstance(parse(one["says"]), Unparsed) for one in missed)


@pytest.mark.parametrize(
    "text",
    [
        "Buche mein Mittagessen mit Bob",
        "Klicke auf „Weiter“ und buche mein Mittagessen",
        "Reserva una mesa para dos",
        "Haz clic en «Siguiente» y reserva una mesa",
        "预订一张两个人的桌子",
        "点击“下一步”，预订一张两个人的桌子",
        "Klicke auf „Weiter",
        "Klicke nicht auf Senden",
        "Haz clic en Enviar si aparece Gracias",
        "不要点击发送",
    ],
)
def test_what_is_no_command_in_any_language_is_refused_as_a_whole(text: str) -> None:
    assert isinstance(parse(text), Unparsed)
