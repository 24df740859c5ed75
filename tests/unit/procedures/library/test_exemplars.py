"""Remembered runs reach a model's prompt, and are counted for or against afterwards."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from gui_agent import wiring
from gui_agent.core.dialogue import Asked
from gui_agent.core.trajectory import Demonstration, Result, Trajectory
from gui_agent.procedures.library.evidence import keep_run
from gui_agent.procedures.library.memory import Memory
from gui_agent.settings import Settings
from gui_agent.testing import FakeComputer, OpenGuard, ScriptedModel, field, saying, screen, text
from gui_agent.trace import LiveView

Send = Callable[..., Trajectory]


class Model(ScriptedModel):
    """Ends the run at once; keeps what it was asked."""

    last: Model

    def __init__(self) -> None:
        super().__init__([saying(end={"kind": "give_up", "reason": "only looking"})])
        Model.last = self


@pytest.fixture
def file(send: Send, tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    keep_run(Memory(path, embedder="lexical"), send("Ada", "hi"))
    return path


def ask(task: str, file: Path, kind: str = "model", **memory: Any) -> str:
    """What a model is told first when it is asked for a task."""
    computer = FakeComputer({"form": screen(field("To"), field("Text"), title="Messages")})
    wiring.run(
        task,
        settings=Settings(),
        computer=computer,
        planner={"kind": kind},
        model={"name": f"{__name__}:Model"},
        memory={"path": str(file), "embedder": "lexical", **memory},
        trace={"folder": ""},
    )
    (first, *_) = Model.last.requests[0].turns
    assert isinstance(first, Asked)
    return str(first.parts[0])


@pytest.mark.parametrize("kind", ["model", "auto"])
def test_a_run_of_a_similar_task_is_shown_to_the_model_as_text_that_may_lie(file: Path, kind: str) -> None:
    told = ask("Send 'see you at 5' to Grace", file, kind)
    assert "Similar runs that went well" in told and "⟦example" in told and "hi" in told


def test_a_model_that_tried_nothing_of_what_it_was_shown_says_nothing_against_it(file: Path) -> None:
    for _ in range(3):
        ask("Send 'see you at 5' to Grace", file)
    (entry,) = Memory(file).exemplars.store.entries()
    assert (entry.wins, entry.losses, entry.quarantined) == (0, 0, "")


def test_nothing_is_shown_for_another_task_or_from_a_memory_that_is_off_or_empty(
    file: Path, tmp_path: Path
) -> None:
    assert "similar task" not in ask("Turn on dark mode", file)
    assert "similar task" not in ask("Send 'x' to Grace", file, enabled=False)
    assert "similar task" not in ask("Send 'x' to Grace", tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


def replay(task: str, file: Path, computer: FakeComputer, **sections: Any) -> tuple[Result, str]:
    """A run with the memory alone, or with a model behind it; how it ended, and what the terminal showed."""
    shown = io.StringIO()
    result = wiring.run(
        task,
        settings=Settings(),
        computer=computer,
        guard=OpenGuard(),
        memory={"path": str(file), "embedder": "lexical"},
        trace={"folder": ""},
        observers=[LiveView(Console(file=shown, width=400))],
        **sections,
    )
    return result, shown.getvalue()


def test_what_was_learned_outlives_outages_of_the_site_and_models_that_give_up(
    tmp_path: Path, shown: Callable[..., Demonstration], office: Any
) -> None:
    file, task = tmp_path / "memory.db", "Send 'see you' to Grace"
    Memory(file).keep(shown("Ada", "hi"), "send-to")
    closed = FakeComputer({"closed": screen(text("We are back at 8:00"), title="Messages")})
    for _ in range(20):
        assert replay(task, file, closed)[0].ending.kind == "not_done"
        assert "Similar runs that went well" in ask(task, file)
    result, told = replay(task, file, office.open())
    assert (result.ending.kind, len(result.trajectory.steps)) == ("done", 3), told
    assert [(e.wins, e.losses) for e in Memory(file).exemplars.store.entries()] == [(1, 0)]


def test_a_run_counts_once_also_where_a_model_stands_by_and_a_failing_procedure_is_told(
    tmp_path: Path, shown: Callable[..., Demonstration], office: Any
) -> None:
    file, task = tmp_path / "memory.db", "Send 'see you' to Grace"
    Memory(file).keep(shown("Ada", "hi"), "send-to")
    model = {"name": f"{__name__}:Model"}
    assert replay(task, file, office.open(), model=model)[0].ending.kind == "done"
    assert [(e.wins, e.losses) for e in Memory(file).exemplars.store.entries()] == [(1, 0)]
    told = [replay(task, file, office.open("Archive"), model=model)[1] for _ in range(4)]
    assert [round(e.losses) for e in Memory(file).exemplars.store.entries()] == [4]
    failing = ["send-to failed in" in one for one in told]
    assert (failing[:2], failing[3:]) == (
        [False, False],
        [True],
    )  # the third is on the bar, and time fades it
