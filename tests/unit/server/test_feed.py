"""A run tells the live view what happens, and is held or ended when the view asks for it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click
from gui_agent.core.targets import Words
from gui_agent.core.trajectory import Decision, Finish, Planned, Trajectory
from gui_agent.server import feed
from gui_agent.server.feed import Feed
from gui_agent.testing import FakeComputer, ScriptedPlanner, button, screen


def run(folder: Path) -> Trajectory:
    planner = ScriptedPlanner([Decision(planned=(Planned(Click(Words("Send"))),)), Decision(end=Finish())])
    computer = FakeComputer(screen(button("Send")))
    return Agent(computer, planner, observers=[Feed(folder)]).run("send it")


def test_the_view_sees_task_steps_and_ending(tmp_path: Path) -> None:
    run(tmp_path)
    told = feed.state(tmp_path)
    assert told["task"] == "send it"
    assert [step["text"] for step in told["steps"]] == ['Click button "Send"']
    assert told["state"] == "ended" and told["ending"].startswith("done")


def test_stop_ends_the_run_as_the_person_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "wished", lambda _: "stop")
    trajectory = run(tmp_path)
    assert trajectory.ending is not None and trajectory.ending.kind == "stopped"
    assert trajectory.steps == ()


def test_pause_holds_the_run_until_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paused, gone_on = threading.Event(), threading.Event()

    def wished(_: Path) -> str:
        if gone_on.is_set():
            return "go"
        paused.set()
        return "pause"

    monkeypatch.setattr(feed, "wished", wished)
    worker = threading.Thread(target=run, args=(tmp_path,))
    worker.start()
    assert paused.wait(10)
    while feed.state(tmp_path)["state"] != "paused":
        assert worker.is_alive()
    assert feed.state(tmp_path)["steps"] == []
    gone_on.set()
    worker.join(10)
    assert feed.state(tmp_path)["state"] == "ended"


def test_a_wish_for_an_earlier_run_does_not_stop_the_next(tmp_path: Path) -> None:
    feed.wish(tmp_path, "stop")
    assert feed.wished(tmp_path) == "stop"
    trajectory = run(tmp_path)
    assert trajectory.ending is not None and trajectory.ending.kind == "done"


def test_a_folder_without_a_run_says_nothing(tmp_path: Path) -> None:
    assert feed.state(tmp_path) == {}
    assert feed.wished(tmp_path) == "go"
    (tmp_path / feed.STATE).write_text("half a fi")
    assert feed.state(tmp_path) == {}
