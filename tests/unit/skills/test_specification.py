"""Every pack that is shipped or made is valid by the Agent Skills specification and its validator."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from skills_ref import validate

from gui_agent.skills import Parameter, Skill, load_skill, save_skill
from gui_agent.skills.guides import read_guide

ROOT = Path(__file__).parents[3]
SHIPPED = sorted(
    [*(ROOT / "skills").glob("*/SKILL.md"), *(ROOT / "gui_agent/integrations").glob("*/*/SKILL.md")]
)


@pytest.mark.parametrize("manual", SHIPPED, ids=lambda path: path.parent.name)
def test_what_is_shipped_is_valid(manual: Path) -> None:
    assert validate(manual.parent) == []
    front = yaml.safe_load(manual.read_text("utf-8").split("---\n")[1])
    assert all(isinstance(text, str) for text in front.get("metadata", {}).values())
    assert read_guide(manual).name == manual.parent.name


def test_the_programs_of_a_guide_are_read_from_metadata() -> None:
    assert "gimp" in read_guide(ROOT / "skills/gimp/SKILL.md").apps


@pytest.mark.parametrize("description", ["Send {text} to {to}", "", "x" * 3000, 'with "quotes": and\nlines'])
def test_a_pack_that_is_written_is_valid_and_read_back(description: str, tmp_path: Path) -> None:
    parameters = {"to": Parameter("text", None, "Ada"), "amount": Parameter("number", "1", "3")}
    skill = Skill("send-message", description, parameters, "example.org", "https://example.org/")
    pack = save_skill(skill, b"{}", "# send-message\n", tmp_path)
    assert validate(pack) == []
    again = load_skill(pack)
    assert (again.parameters, again.app, again.start) == (parameters, skill.app, skill.start)


def test_a_pack_of_an_earlier_version_is_still_read(tmp_path: Path) -> None:
    pack = tmp_path / "old"
    pack.mkdir()
    (pack / "procedure.json").write_text("{}")
    old = '---\nname: old\ndescription: "d"\napp: "a"\nstart: "s"\nparameters:\n  to: {"type": "text"}\n---\n'
    (pack / "SKILL.md").write_text(old)
    skill = load_skill(pack)
    assert (skill.app, skill.start, list(skill.parameters)) == ("a", "s", ["to"])
