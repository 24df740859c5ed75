"""A procedure is learned once: later runs take what was kept, until anything it rests on changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.core.trajectory import Demonstration, Task
from gui_agent.procedures.library import memory as kept
from gui_agent.procedures.library import memory as procedures
from gui_agent.procedures.library.memory import Memory
from gui_agent.procedures.library.recognise import recognise

Shown = Callable[..., Demonstration]


@pytest.fixture
def inductions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many demonstrations each induction was given."""
    given: list[int] = []
    learn = procedures.learn

    def counted(demonstrations: list[Demonstration], *, name: str = "") -> object:
        given.append(len(demonstrations))
        return learn(demonstrations, name=name)

    monkeypatch.setattr(procedures, "learn", counted)
    return given


def asked(memory: Memory) -> object:
    """The program for a task, as another process would get it."""
    other = Memory(memory.path, embedder="lexical")
    found = recognise(Task("Send 'see you' to Grace"), other)
    other.close()
    assert found.choice is not None
    return found.choice.program


def test_the_second_run_learns_nothing(memory: Memory, shown: Shown, inductions: list[int]) -> None:
    memory.keep(shown("Ada", "hi"), "send-to")
    first = asked(memory)
    assert inductions == [1]
    assert asked(memory) == first
    assert inductions == [1]


def test_a_new_demonstration_is_learned_from(memory: Memory, shown: Shown, inductions: list[int]) -> None:
    memory.keep(shown("Ada", "hi"), "send-to")
    asked(memory)
    memory.keep(shown("Alan", "good night", task="Send 'good night' to Alan now"), "send-to")
    asked(memory)
    asked(memory)
    assert inductions == [1, 2]


def test_another_version_of_the_learner_learns_anew(
    memory: Memory, shown: Shown, inductions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.keep(shown("Ada", "hi"), "send-to")
    asked(memory)
    monkeypatch.setattr(kept, "learner", lambda: "another")
    asked(memory)
    assert inductions == [1, 1]


def test_nothing_derived_outlives_what_was_forgotten(memory: Memory, shown: Shown) -> None:
    memory.keep(shown("Ada", "a private word"), "send-to")
    asked(memory)
    store = memory.exemplars.store
    count = "SELECT count(*) FROM compiled"
    assert store.database.value(count) == 1
    store.forget(store.entries()[0].id)
    assert store.database.value(count) == 0


def test_what_cannot_be_read_is_learned_anew(memory: Memory, shown: Shown, inductions: list[int]) -> None:
    memory.keep(shown("Ada", "hi"), "send-to")
    first = asked(memory)
    with memory.exemplars.store.database.writing() as connection:
        connection.execute('UPDATE compiled SET programs = \'[{"format": "guiagent-program-9"}]\'')
    assert asked(memory) == first
    assert inductions == [1, 1]


def test_the_version_is_told_by_the_code_that_learns() -> None:
    assert kept.learner() == kept.learner()
    assert len(kept.learner()) == 16
