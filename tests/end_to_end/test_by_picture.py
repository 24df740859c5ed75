"""A page that draws what it shows is operated by its picture: typed, ticked, pressed and read back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gui_agent import Agent, BrowserComputer
from gui_agent.agent.guard import PolicyGuard
from gui_agent.core.actions import Click
from gui_agent.core.errors import Stale
from gui_agent.core.observation import EYES
from gui_agent.planners.commands import PlainPlanner

pytest.importorskip("rapidocr", reason="the extra vision is not installed")

PAGE = (Path(__file__).parents[1] / "pages" / "drawn.html").as_uri()


@pytest.fixture
def drawn() -> Iterator[BrowserComputer]:
    with BrowserComputer(PAGE, observe="vision") as computer:
        yield computer


def run(computer: BrowserComputer, commands: str) -> str:
    trajectory = Agent(computer, PlainPlanner(), guard=PolicyGuard.default(yes=True)).run(commands)
    told = [f"{step.planned.why}: {step.outcome.summary} {step.error}" for step in trajectory.steps]
    assert trajectory.ending is not None
    return "\n".join([trajectory.ending.kind, trajectory.ending.reason, *told])


def test_a_form_on_a_canvas_is_filled_in_and_read_back(drawn: BrowserComputer) -> None:
    told = run(
        drawn,
        'type "Ada" into "Name", type "Rome" into "City", check "Express", click "Save",'
        ' check "Ada and Rome and nothing by express" is shown',
    )
    assert told.startswith("done"), told
    seen = drawn.observe()
    assert seen.place.title == "Ada and Rome and nothing by express"
    assert all(set(one.source.split("+")) <= EYES for one in seen.elements)


def test_a_value_is_replaced_and_a_second_tick_changes_nothing(drawn: BrowserComputer) -> None:
    told = run(drawn, 'type "Ada" into "Name", type "Eva" into "Name", check "Express", check "Express"')
    assert told.startswith("done"), told
    run(drawn, 'click "Save"')
    assert drawn.observe().place.title == "Eva and nothing and nothing by express"


def test_what_a_page_draws_is_read_and_operated_beside_its_own_elements(tmp_path: Path) -> None:
    page = tmp_path / "mixed.html"
    sheet = Path(PAGE.removeprefix("file://")).read_text("utf-8")
    page.write_text(sheet.replace("<canvas", "<label>Note <input></label><p><canvas", 1), "utf-8")
    with BrowserComputer(page.as_uri()) as computer:
        told = run(
            computer,
            'type "soon" into "Note", type "Ada" into "Name", check "Express", click "Save",'
            ' check "Ada and" is shown',
        )
        assert told.startswith("done"), told
        seen = computer.observe(picture=False)
        assert seen.place.title == "Ada and nothing and nothing by express"
        note = next(one for one in seen.elements if (one.role, one.name) == ("textbox", "Note"))
        assert (note.value, note.source) == ("soon", "dom")
    with BrowserComputer(page.as_uri(), observe="tree") as computer:
        assert not any(one.name == "Name" for one in computer.observe().elements)


def test_without_eyes_the_message_says_how_a_canvas_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui_agent.computers.vision._drawn_page.has_eyes", lambda: False)
    with BrowserComputer(PAGE) as computer:
        assert "pip install 'guiagent[vision]'" in run(computer, 'type "Ada" into "Name"')


def test_what_has_gone_since_it_was_seen_is_not_clicked(drawn: BrowserComputer) -> None:
    save = next(one for one in drawn.observe().elements if one.name == "Save")
    drawn.start("about:blank")
    with pytest.raises(Stale):
        drawn.perform(Click(save.box.center), save)
