"""Skills as functions of the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui_agent import skills
from gui_agent.skills import Parameter, Skill, save_skill


class Screen:
    """Notes what it is asked to run."""

    def run(self, skill: Skill, **values: object) -> tuple[str, dict[str, object]]:
        return skill.name, values


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    skill = Skill("send-note", "Send {text} to {to}", {"text": Parameter(), "to": Parameter(example="Ada")})
    save_skill(skill, b"{}", "Sends a note.", skills.skill_folders()[1])


def test_a_skill_of_ones_own_is_a_function_of_the_package() -> None:
    assert skills.send_note(on=Screen(), text="hi", to="Grace") == (
        "send-note",
        {"text": "hi", "to": "Grace"},
    )


def test_what_is_no_skill_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="send-not"):
        skills.send_not  # noqa: B018
    assert not hasattr(skills, "_send_note")
