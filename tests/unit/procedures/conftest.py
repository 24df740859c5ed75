"""A small messenger on the fake computer, runs of it, and an empty memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Box, Words
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Demonstration, Task, Trajectory
from gui_agent.procedures.library.memory import Memory
from gui_agent.procedures.recordings.from_run import from_trajectory
from gui_agent.testing import (
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    World,
    button,
    do,
    done,
    field,
    screen,
    text,
    when,
)

Send = Callable[..., Trajectory]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing comes late on the fake computer, so waiting for it is left out."""
    monkeypatch.setattr("gui_agent.agent.limits.RunControl.sleep", lambda control, seconds: None)


def messenger(sender: str = "Send", *, app: str = "") -> FakeComputer:
    """To, Text and a button; the button says what was sent to whom."""

    def sent(world: World) -> None:
        world.add(
            text(f"Sent to {world.content_of('To')}: {world.content_of('Text')}", box=Box(20, 400, 300, 24))
        )

    form = screen(field("To"), field("Text"), button(sender), title="Messages", app=app)
    return FakeComputer({"form": form}, [when("click", sender, go=sent)])


def run(computer: FakeComputer, planner: Planner, task: str | Task) -> Trajectory:
    """Let a planner do a task; nothing is forbidden."""
    return (
        Agent(computer, planner, guard=OpenGuard(), limits=Limits(patience=0.0), picture=False)
        .run(task)
        .trajectory
    )


def by_hand(to: str, words: str, sender: str = "Send") -> ScriptedPlanner:
    """A planner that fills in the form and sends it."""
    fields = do(TypeText(to, Words("To"), replace=True), TypeText(words, Words("Text"), replace=True))
    return ScriptedPlanner([fields, do(Click(Words(sender))), done()])


@pytest.fixture
def send() -> Send:
    """A verified run that sends words to a person."""

    def sending(to: str, words: str, *, task: str = "", app: str = "") -> Trajectory:
        return run(messenger(app=app), by_hand(to, words), task or f"Send '{words}' to {to}")

    return sending


@pytest.fixture
def shown(send: Send) -> Callable[..., Demonstration]:
    """The demonstration of such a run."""
    return lambda to, words, **more: from_trajectory(send(to, words, **more), origin=f"run {to}")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "memory.db", embedder="lexical", untrusted=["evil.example"])


@pytest.fixture
def office() -> Office:
    """The messenger, somebody who works with it, and the way to let a planner do it."""
    return Office()


class Office:
    """What the tests need to let something be done by hand or by a planner."""

    open = staticmethod(messenger)
    by_hand = staticmethod(by_hand)
    run = staticmethod(run)
