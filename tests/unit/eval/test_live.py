"""What a worker does can be watched while it does it, by another process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from guiagent_eval.benchmark import Case
from guiagent_eval.episodes import split
from guiagent_eval.live import LiveFile, under_way, workers
from guiagent_eval.records import EvalFolder, Record
from guiagent_eval.schedule import Assignment

from gui_agent.agent.loop import Agent
from gui_agent.cli import call
from gui_agent.core.actions import Click
from gui_agent.core.observation import Words
from gui_agent.core.trajectory import Task
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    do,
    done,
    screen,
)

GIVEN = Assignment(Case("editor/undo", 0), 2)


def started(folder: Path) -> EvalFolder:
    return EvalFolder.create(
        folder / "run", {"tasks": ["editor/undo"], "seeds": [0], "recipe": {"planner": "plain"}}
    )


def test_steps_of_an_episode_are_seen_as_they_are_taken(tmp_path: Path) -> None:
    run = started(tmp_path)
    live = LiveFile(run.folder)
    live.begin(GIVEN)
    computer = FakeComputer({"page": screen(button("A"))}, [])
    planner = ScriptedPlanner([do(Click(Words("A"))), done()])
    agent = Agent(computer, planner, grounder=ExactGrounder(), guard=OpenGuard(), observers=[live])
    trajectory = agent.run(Task("x")).trajectory
    (state,) = workers(run)
    assert (state.task, state.attempt, state.steps, state.doing) == ("editor/undo/0", 2, 1, "being graded")
    spent = split(trajectory)
    assert set(spent) == {"see", "think", "act", "wait"}
    assert abs(sum(spent.values()) - sum(sum(one.seconds.values()) for one in trajectory.steps)) < 0.5
    live.finish(Record("editor/undo", 0, "success"))
    (state,) = workers(run)
    assert (state.task, state.episodes) == ("", 1)
    live.close()
    assert not list(workers(run))


def test_a_worker_that_was_killed_is_not_shown(tmp_path: Path) -> None:
    run = started(tmp_path)
    live = LiveFile(run.folder)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    live.state.pid = child
    live.begin(GIVEN)
    assert not list(workers(run))


def test_a_run_is_shown_with_its_workers_only_while_it_is_under_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = started(tmp_path)
    LiveFile(run.folder).begin(GIVEN)
    run.append(Record("editor/undo", 0, "wrong", reason="the file is empty"))
    assert under_way(EvalFolder(run.folder))
    assert call(["eval", "watch", str(run.folder), "--once"]) == 0
    told = capsys.readouterr().out
    assert "under way; 1/1 episodes, success 0.0 %" in told
    assert "setting up" in told and "the file is empty" in told
    run.close()
    assert call(["eval", "watch", str(run.folder)]) == 0
    told = capsys.readouterr().out
    assert "not under way" in told and "setting up" not in told
