"""Remembered runs reach a model's prompt, and are counted for or against afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gui_agent import wiring
from gui_agent.core.dialogue import Asked
from gui_agent.core.trajectory import Trajectory
from gui_agent.procedures.library.memory import Memory
from gui_agent.settings import Settings
from gui_agent.testing import FakeComputer, ScriptedModel, field, saying, screen

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
    Memory(path, embedder="lexical").exemplars.remember(send("Ada", "hi"))
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
    assert "A run of a similar task" in told and "⟦example" in told and "hi" in told


def test_what_it_was_shown_counts_against_a_run_that_failed(file: Path) -> None:
    ask("Send 'see you at 5' to Grace", file)
    (entry,) = Memory(file).exemplars.store.entries()
    assert (entry.wins, entry.losses) == (0, 1)


def test_nothing_is_shown_for_another_task_or_from_a_memory_that_is_off_or_empty(
    file: Path, tmp_path: Path
) -> None:
    assert "similar task" not in ask("Turn on dark mode", file)
    assert "similar task" not in ask("Send 'x' to Grace", file, enabled=False)
    assert "similar task" not in ask("Send 'x' to Grace", tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
