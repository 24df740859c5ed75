"""Own functions as verbs of plain commands, and skills as typed functions."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from guiagent_eval.page_computer import PageComputer

from gui_agent import ConfigError, Forbidden, LiveScreen, NotUnderstood, Task, skills, tool
from gui_agent.core.trajectory import Ending, Result, Trajectory
from gui_agent.skills import Parameter, Skill, save_skill
from gui_agent.skills.pack import module

pytestmark = pytest.mark.nightly

PAGE = """<!doctype html><title>Form</title><label>Number <input></label>
<label>Note <textarea></textarea></label>"""
CALLS: list[tuple[object, ...]] = []


@tool
def look_up(customer: str, year: int = 2026) -> str:
    """The number of a customer."""
    CALLS.append(("look_up", customer, year))
    return f'{customer[0]}-{year} "quoted" \\n'


@tool(guard="send")
def notify_team(text: str) -> None:
    """Tell the team."""
    CALLS.append(("notify_team", text))


@pytest.fixture(scope="module")
def computer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageComputer]:
    path = tmp_path_factory.mktemp("page") / "form.html"
    path.write_text(PAGE)
    with PageComputer() as opened:
        opened.start(path.as_uri())
        yield opened


@pytest.fixture(autouse=True)
def forgotten() -> None:
    CALLS.clear()


def test_a_tool_is_a_verb_between_commands_and_its_value_is_typed(computer: PageComputer) -> None:
    page = LiveScreen(computer, tools=[look_up, notify_team])
    done = page.act('type "x" into "Note", look up "Ada" year "2025" as "id", type "{id}" into "Number"')
    assert CALLS == [("look_up", "Ada", 2025)]
    assert done.notes == {"id": 'A-2025 "quoted" \\n'}
    assert page.read("Number") == 'A-2025 "quoted" \\n'
    assert look_up("Bob") == 'B-2026 "quoted" \\n'
    assert page.act('look up "Eve"').answer.startswith("E-2026")


def test_a_tool_passes_the_guard_as_what_it_means(computer: PageComputer) -> None:
    with pytest.raises(Forbidden, match="no person can be asked"):
        LiveScreen(computer, tools=[notify_team]).act('notify team "hi"')
    assert CALLS == []
    LiveScreen(computer, tools=[notify_team], yes=True).act('notify team "hi"')
    assert CALLS == [("notify_team", "hi")]
    with pytest.raises(ConfigError, match="is no meaning that the guard knows"):
        tool(guard="sned")


def test_a_call_with_wrong_values_says_what_the_tool_takes(computer: PageComputer) -> None:
    page = LiveScreen(computer, tools=[look_up])
    for said, fault in (
        ("look up", "give a value for customer"),
        ('look up "a" "1" "b"', "one value too many"),
        ('look up "a" year "soon"', "soon"),
    ):
        with pytest.raises(Exception, match=fault):
            page.act(said)
    with pytest.raises(NotUnderstood):
        LiveScreen(computer).act('look up "Ada" twice in the blue moon "x"')
    assert CALLS == []


class Recorded:
    """A screen that only remembers what it was asked to run."""

    asked: tuple[str, dict[str, object]]

    def run(self, skill: Skill, **values: object) -> Result:
        self.asked = (skill.name, values)
        return Result(Trajectory(Task("t"), (), Ending("done")))


def test_skills_are_typed_functions_in_code_and_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    evil = 'Send it"""\nimport os  # '
    skill = Skill(
        "send-message", evil, {"to": Parameter(), "from": Parameter("number", "1"), "on": Parameter("date")}
    )
    save_skill(skill, b"{}", "Manual", Path("skills"))
    screen = Recorded()
    assert list(inspect.signature(skills.send_message).parameters) == ["on", "to", "from_", "on_"]
    assert skills.send_message(on=screen, to="Grace", from_=2).ok
    assert screen.asked == ("send-message", {"to": "Grace", "from": 2})
    with pytest.raises(AttributeError, match="there is no skill"):
        _ = skills.sned_message
    (tmp_path / "my_skills.py").write_text(module([skill]))
    (tmp_path / "use.py").write_text(
        "from gui_agent import Browser\nfrom my_skills import send_message\n"
        'def f(page: Browser) -> None:\n    send_message(on=page, to="x", on_="2026-01-31")\n'
        '    send_message(on=page, to=3, on_="2026-01-31")\n'
    )
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "use.py"], capture_output=True, text=True, check=False
    )
    assert checked.stdout.count("error:") == 1 and 'Argument "to"' in checked.stdout, checked.stdout
