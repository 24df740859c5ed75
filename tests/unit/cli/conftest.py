"""A command line to call in this process, with a small world instead of a browser."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from gui_agent.cli import call
from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Words
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision
from gui_agent.testing import (
    FakeComputer,
    ScriptedPlanner,
    button,
    do,
    done,
    field,
    give_up,
    screen,
    when,
    widget,
)

Called = tuple[int, str, str]
"""Exit code, standard output, standard error."""


def computer() -> FakeComputer:
    form = screen(field("Name"), button("Next"), button("Send"), title="Form")
    return FakeComputer(
        {"form": form, "next": screen(widget("heading", "Step two"))},
        [when("click", name, go="next") for name in ("Next", "Send")],
    )


def planner() -> ScriptedPlanner:
    return ScriptedPlanner([do(TypeText("Ada", Words("Name"))), do(Click(Words("Next"))), done("Step two")])


def sender() -> ScriptedPlanner:
    return ScriptedPlanner([do(Click(Words("Send"))), sent])


def sent(situation: Situation) -> Decision:
    step = situation.last
    return done() if step and step.outcome.good else give_up(step.outcome.summary if step else "")


def unsure() -> ScriptedPlanner:
    """A planner that calls its end done by a model that nothing checks."""
    said = replace(done("Step two"), calls=1)
    return ScriptedPlanner([do(Click(Words("Next"))), said])


def broken() -> ScriptedPlanner:
    return ScriptedPlanner([RuntimeError("the planner is broken")])


@pytest.fixture(autouse=True)
def undisturbed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty folder and home to work in; hooks that the command line installs are taken away again."""
    module = ModuleType("small_world")
    vars(module).update(computer=computer, planner=planner, sender=sender, unsure=unsure, broken=broken)
    monkeypatch.setitem(sys.modules, "small_world", module)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)


@pytest.fixture
def guiagent(capsys: pytest.CaptureFixture[str]) -> Callable[..., Called]:
    """Call a command."""

    def run(*arguments: str) -> Called:
        code = call(arguments)
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


@pytest.fixture
def small_world() -> tuple[str, ...]:
    """Options that put the small world and its planner in the place of a browser."""
    return ("--on", "small_world:computer", "--set", "planner.kind=small_world:planner")
