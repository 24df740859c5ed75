"""The packs that come with the project are what its store teaches, and are offered where they fit."""

from __future__ import annotations

import json

import pytest

from gui_agent.content import content
from gui_agent.core.codec import decode
from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Program
from gui_agent.skills import Skill, list_skills, load_skill
from gui_agent.wiring.tools import callable_skills

SHIPPED = list_skills([content("skills")])


def demonstrations(family: str) -> list[Demonstration]:
    files = sorted((content("memory") / "starter").glob("*.jsonl"))
    kept = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    mine = [json.dumps(one["demonstration"]) for one in kept if one.get("family") == family]
    return [decode(Demonstration, text, source=family) for text in mine]


@pytest.mark.parametrize("skill", SHIPPED, ids=lambda skill: skill.name)
def test_a_pack_does_what_the_two_recordings_of_the_store_teach(skill: Skill) -> None:
    (learned,) = learn(demonstrations(skill.name))
    kept = decode(Program, skill.procedure.read_text("utf-8"), source=skill.name)
    assert [step.action for step in kept.steps] == [step.action for step in learned.steps]
    assert set(skill.parameters) == {one.name for one in learned.parameters}


def test_packs_are_found_from_any_folder(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_skill("rename-file").procedure.is_file()
    assert {skill.name for skill in SHIPPED} <= {skill.name for skill in list_skills()}


@pytest.mark.parametrize(
    ("task", "platform", "offered"),
    [
        ("Rename the file a.txt to b.txt", "x11", {"skill_rename_file"}),
        ("Add a sheet named May to the spreadsheet sales.xlsx", "wayland", {"skill_add_sheet"}),
        ("Rename the file a.txt to b.txt", "browser", set()),
        ("Book a table for two at eight", "x11", set()),
    ],
)
def test_a_model_is_offered_the_packs_that_its_task_speaks_of(
    task: str, platform: str, offered: set[str], tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert {one.tool.name for one in callable_skills() if one.fits(task, platform)} == offered
