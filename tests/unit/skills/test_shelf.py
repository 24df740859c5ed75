"""Skill packs on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui_agent.core.errors import ConfigError
from gui_agent.skills import Parameter, Skill, list_skills, load_skill, save_skill
from gui_agent.skills.pack import _front_matter, _header, split_manual

SEND = Skill(
    "send-message",
    "Send '{text}' to {to}: \"now\"",
    {"to": Parameter(example="Ada"), "text": Parameter(default="hi: there")},
    "mail.example",
    "https://mail.example/",
)


def test_a_pack_is_read_as_it_was_written(tmp_path: Path) -> None:
    pack = save_skill(SEND, b"{}", "# Send\n", tmp_path)
    read = load_skill("send-message", [tmp_path])
    assert read == SEND
    assert read.procedure.read_bytes() == b"{}"
    assert load_skill(pack) == SEND
    assert [skill.name for skill in list_skills([tmp_path])] == ["send-message"]
    assert not list(pack.glob("*.part"))


def test_of_two_with_one_name_the_first_folder_wins(tmp_path: Path) -> None:
    for folder, words in (("one", "first"), ("two", "second")):
        save_skill(Skill("greet", words), b"{}", "", tmp_path / folder)
    folders = [tmp_path / "one", tmp_path / "two"]
    assert load_skill("greet", folders).description == "first"
    assert [skill.description for skill in list_skills(folders)] == ["first"]


def test_an_unknown_skill_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="guiagent skills promote"):
        load_skill("send-message", [tmp_path])
    save_skill(SEND, b"{}", "", tmp_path)
    with pytest.raises(ConfigError, match='did you mean "send-message"'):
        load_skill("send-massage", [tmp_path])


@pytest.mark.parametrize(
    ("manual", "said"),
    [
        ("# no header", "must begin with a header"),
        ("---\nname: x\n", "must begin with a header"),
        ("---\nname: x\nparamters:\n---\n", 'did you mean "parameters"'),
        ('---\nparameters:\n  to: {"typ": "text"}\n---\n', "parameter to"),
        ("---\nparameters: 7\n---\n", "on its own line"),
        ("---\nthis says nothing\n---\n", "line 2: write it as"),
    ],
)
def test_a_damaged_manual_is_told_with_its_file(manual: str, said: str, tmp_path: Path) -> None:
    pack = save_skill(SEND, b"{}", "", tmp_path)
    (pack / "SKILL.md").write_text(manual)
    with pytest.raises(ConfigError) as told:
        load_skill(pack)
    assert said in str(told.value)
    assert str(pack / "SKILL.md") in str(told.value)


@pytest.mark.parametrize("name", ["Send Message", "../up", "", "a_b"])
def test_a_name_must_be_good_for_a_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a name for a skill"):
        save_skill(Skill(name, "x"), b"{}", "", tmp_path)
    assert list(tmp_path.iterdir()) == []


@given(st.text(), st.text(), st.one_of(st.none(), st.text()), st.text())
def test_any_text_survives_the_header(description: str, app: str, default: str | None, example: str) -> None:
    skill = Skill("x", description, {"to": Parameter("text", default, example)}, app)
    front = _front_matter(split_manual(_header(skill), Path())[0], Path())
    assert front["description"] == (description if description.strip() else "x")
    assert front["metadata"].get("app", "") == app
    to = json.loads(front["metadata"]["parameters"])["to"]
    assert (to.get("default"), to.get("example", "")) == (default, example)
