"""A run tells the live view what happens, and is held or ended when the view asks for it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, Scroll
from gui_agent.core.observation import Point, Size, Words
from gui_agent.core.trajectory import Decision, Finish, Planned, Trajectory
from gui_agent.server import live
from gui_agent.server.live import Feed
from gui_agent.testing import FakeComputer, ScriptedPlanner, button, screen


def run(folder: Path, view: Feed | None = None) -> Trajectory:
    planner = ScriptedPlanner([Decision(planned=(Planned(Click(Words("Send"))),)), Decision(end=Finish())])
    computer = FakeComputer(screen(button("Send")))
    return Agent(computer, planner, observers=[view or Feed(folder)]).run("send it").trajectory


def test_the_view_sees_task_steps_and_ending(tmp_path: Path) -> None:
    run(tmp_path)
    told = live.state(tmp_path)
    assert told["task"] == "send it"
    assert [step["text"] for step in told["steps"]] == ['Click button "Send"']
    assert told["state"] == "ended" and told["ending"].startswith("done")


def test_stop_ends_the_run_as_the_person_would(tmp_path: Path) -> None:
    view = Feed(tmp_path)
    assert live.ask(tmp_path, {"do": "stop"})
    trajectory = run(tmp_path, view)
    assert trajectory.ending is not None and trajectory.ending.kind == "stopped"
    assert trajectory.steps == ()


@pytest.mark.parametrize("deep", [0, 120])
def test_a_view_in_another_process_holds_the_run_until_go(deep: int, tmp_path: Path) -> None:
    folder = tmp_path / ("d" * deep) if deep else tmp_path
    folder.mkdir(mode=0o700, exist_ok=True)
    view = Feed(folder)

    def elsewhere(what: str) -> None:
        said = (
            f"from pathlib import Path; from gui_agent.server import live; live.ask(Path({str(folder)!r}), "
        )
        subprocess.run([sys.executable, "-c", said + f"{{'do': {what!r}}})"], check=True)

    elsewhere("pause")
    worker = threading.Thread(target=run, args=(folder, view))
    worker.start()
    while live.state(folder)["state"] != "paused":
        assert worker.is_alive()
    assert live.state(folder)["steps"] == []
    assert (folder / live.SOCKET).stat().st_mode & 0o077 == 0
    elsewhere("go")
    worker.join(100)
    assert live.state(folder)["state"] == "ended"


def test_a_wish_for_an_earlier_run_does_not_stop_the_next(tmp_path: Path) -> None:
    run(tmp_path)
    assert not live.ask(tmp_path, {"do": "stop"})
    trajectory = run(tmp_path)
    assert trajectory.ending is not None and trajectory.ending.kind == "done"


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"do": "click"},
        {"do": "click", "x": "a", "y": 0},
        {"do": "click", "x": 2, "y": 0},
        {"do": "click", "x": float("nan"), "y": 0},
        {"do": "click", "x": 0, "y": 0, "button": []},
        {"do": "press", "keys": [1]},
        {"do": "press", "keys": None},
        {"do": "type", "text": ["a"]},
        {"do": "drag", "x": 0, "y": 0},
    ],
)
def test_what_is_no_act_of_a_person_does_nothing(asked: dict[str, object]) -> None:
    assert live.action_of(asked, Size(100, 50)) is None


def test_a_place_on_the_picture_is_a_place_on_the_screen() -> None:
    assert live.action_of({"do": "click", "x": 0.5, "y": 1}, Size(100, 50)) == Click(Point(50, 49))
    assert live.action_of({"do": "scroll", "x": 0, "y": 0, "down": 1e9}, Size(9, 9)) == Scroll(
        Point(0, 0), live.WHEEL
    )


def test_a_folder_without_a_run_says_nothing(tmp_path: Path) -> None:
    assert live.state(tmp_path) == {}
    assert not live.ask(tmp_path, {"do": "pause"})
    (tmp_path / live.STATE).write_text("half a fi")
    assert live.state(tmp_path) == {}
