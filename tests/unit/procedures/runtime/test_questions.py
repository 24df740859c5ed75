"""Of two ways that nothing tells apart the person says which one is meant, and the answer is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.trajectory import Demonstration, Result, Task, Trajectory
from gui_agent.planners.demonstration import DemonstrationPlanner
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.program import Program
from gui_agent.procedures.library.evidence import take_note
from gui_agent.procedures.library.memory import Memory
from gui_agent.procedures.library.recognise import recognise
from gui_agent.settings import Settings
from gui_agent.testing import FakeComputer, OpenGuard, button, screen, text, when
from tests.unit.procedures.induction.conftest import Record, acted_on

TASK = "Tidy up the inbox"


def inbox(*buttons: str) -> FakeComputer:
    names = buttons or ("Archive", "Delete")
    pages = {"inbox": screen(text("3 mails"), *map(button, names)), "end": screen(text("Tidy"))}
    return FakeComputer(pages, [when("click", name, go="end") for name in names])


@pytest.fixture
def shown(record: Record) -> Callable[[str], Demonstration]:
    return lambda name: record(inbox(), TASK, lambda hand: hand.click(name))


def asking(answer: str | None) -> tuple[Callable[[str], str | None], list[str]]:
    asked: list[str] = []

    def ask(question: str) -> str | None:
        asked.append(question)
        return answer

    return ask, asked


def run(
    programs: tuple[Program, ...], ask: Callable[[str], str | None] | None
) -> tuple[Trajectory, FakeComputer]:
    computer = inbox()
    planner = DemonstrationPlanner(programs, ask=ask)
    agent = Agent(computer, planner, guard=OpenGuard(), limits=Limits(patience=0.0), picture=False)
    return agent.run(Task(TASK)).trajectory, computer


def test_the_person_is_asked_one_question_in_plain_words(shown: Callable[[str], Demonstration]) -> None:
    programs = learn([shown("Archive"), shown("Delete")])
    ask, asked = asking("2")
    trajectory, _ = run(programs, ask)
    assert len(asked) == 1
    assert '1: Click the button "Archive"' in asked[0] or '1: Click the button "Delete"' in asked[0]
    chosen = asked[0].partition("2: ")[2]
    assert [f'Click the button "{name}"' in chosen for name in acted_on(trajectory)] == [True]


@pytest.mark.parametrize("answer", [None, "", "3", "neither"])
def test_without_an_answer_nothing_is_done(shown: Callable[[str], Demonstration], answer: str | None) -> None:
    programs = learn([shown("Archive"), shown("Delete")])
    for ask in (None, asking(answer)[0]):
        trajectory, computer = run(programs, ask)
        assert trajectory.ending is not None and trajectory.ending.kind == "not_done"
        assert computer.performed == []


def test_what_cannot_be_undone_is_asked_however_often_it_was_shown(
    shown: Callable[[str], Demonstration],
) -> None:
    most, one = learn([shown("Delete"), shown("Delete")])[0], learn([shown("Archive")])[0]
    ask, asked = asking("1")
    assert acted_on(run((most, one), ask)[0]) == ["Delete"]
    assert len(asked) == 1 and "shown 2 times" in asked[0]


def test_the_answer_is_kept_and_the_question_not_asked_again(
    shown: Callable[[str], Demonstration], memory: Memory
) -> None:
    for name in ("Archive", "Delete"):
        memory.keep(shown(name), "tidy")
    found = recognise(Task(TASK), memory)
    ask, asked = asking("1")
    trajectory, _ = run(found.programs, ask)
    settings = Settings.model_validate({"memory": {"path": str(memory.path), "embedder": "lexical"}})
    take_note(settings, found, Result(trajectory, 0.0))
    again = recognise(Task(TASK), memory)
    assert any("You chose" in line for line in again.lines())
    once_more, asked_again = asking(None)
    assert acted_on(run(again.programs, once_more)[0]) == acted_on(trajectory)
    assert (len(asked), asked_again) == (1, [])
