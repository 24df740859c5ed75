"""An agent stops when the benchmark has ended the episode, without waiting for what cannot come any more."""

from __future__ import annotations

import time

import pytest
from guiagent_eval.benchmark import Grade
from guiagent_eval.episodes import WatchedComputer

from gui_agent.agent.guard import PolicyGuard
from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click
from gui_agent.core.conditions import TextShown
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
    expecting,
    screen,
    text,
    when,
)


class EndsAt:
    """An episode that is over when a certain screen is reached."""

    def __init__(self, computer: FakeComputer, reason: str) -> None:
        self.computer = computer
        self.task = Task("do it")
        self.reason = reason

    def end_reason(self) -> str:
        return self.reason if self.computer.world.current == "over" else ""

    def grade(self) -> Grade:
        return Grade(False)


@pytest.mark.parametrize(("reason", "kind"), [("timed out", "limit"), ("wrong box", "stopped")])
def test_the_end_of_an_episode_ends_the_run_at_once(reason: str, kind: str) -> None:
    screens = {"start": screen(button("Go")), "over": screen(text("START"))}
    episode = EndsAt(FakeComputer(screens, [when("click", "Go", go="over")]), reason)
    watched = WatchedComputer(episode)
    lines = [do(expecting(Click(Words("Go")), TextShown("Thank you"))), done()]
    limits = Limits(patience=60)
    agent = Agent(watched, ScriptedPlanner(lines), grounder=ExactGrounder(), guard=OpenGuard(), limits=limits)
    watched.stop = agent.control.stop
    began = time.monotonic()
    ending = agent.run(episode.task).ending
    assert time.monotonic() - began < limits.patience / 2, "a missing effect was waited for"
    assert ending is not None
    assert (ending.kind, ending.reason) == (kind, f"the benchmark ended the episode: {reason}")


class Holding(FakeComputer):
    """A computer that can keep from leaving what its pages send."""

    judged: object = None
    held_requests = ()

    def hold(self, leaves: object) -> None:
        self.judged = leaves

    def confine(self, allowed: object) -> None: ...

    def release(self, send: bool) -> None: ...


def test_what_leaves_the_pages_of_an_episode_is_judged_as_outside_of_one() -> None:
    computer = Holding({"start": screen(button("Go"))}, [])
    Agent(WatchedComputer(EndsAt(computer, "")), ScriptedPlanner([done()]), guard=PolicyGuard.default())
    assert callable(computer.judged)
