"""One word of a text on the screen that the instruction tells from the others is typed behind fixed words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gui_agent.core.trajectory import Demonstration
from gui_agent.procedures.induction.learn import learn
from gui_agent.procedures.language.evaluate import Scope, value_of
from gui_agent.procedures.language.program import Applied, Const
from gui_agent.procedures.language.view import View
from gui_agent.testing import FakeComputer, button, field, screen, text, when
from tests.unit.procedures.induction.conftest import Record, Recording, Run


def console(files: str) -> FakeComputer:
    pages = {
        "console": screen(text("Files"), text(files), field("Command"), button("Run")),
        "end": screen(text("Done")),
    }
    return FakeComputer(pages, [when("click", "Run", go="end")])


def command(typed: str) -> object:
    def script(hand: Recording) -> None:
        hand.type("Command", typed)
        hand.click("Run")

    return script


@pytest.fixture
def known(record: Record) -> list[Demonstration]:
    def shown(task: str, files: str, typed: str) -> Demonstration:
        return record(console(files), task, command(typed))  # type: ignore[arg-type]

    return [
        shown("Open a file of type .txt", "plan.md list.txt photo.png", "open list.txt"),
        shown("Open a file of type .png", "face.png list.txt", "open face.png"),
        shown("Open a file of type .md", "face.png dog.png diary.md", "open diary.md"),
    ]


def typed(run: Run, known: Sequence[Demonstration], task: str, files: str) -> list[str]:
    computer = console(files)
    run(computer, known, task)
    return [action.text for action in computer.performed if action.kind == "type"]


def test_the_word_with_the_ending_is_typed(known: list[Demonstration], run: Run) -> None:
    assert len(learn(known)) == 1
    assert typed(run, known, "Open a file of type .gz", "a.zip letters.gz b.md") == ["open letters.gz"]


def test_none_and_several_are_not_guessed(known: list[Demonstration], run: Run) -> None:
    assert typed(run, known, "Open a file of type .gz", "a.zip b.md") == []
    assert typed(run, known, "Open a file of type .gz", "a.gz b.gz") == []


def test_the_first_of_several_is_taken_when_that_was_shown(
    known: list[Demonstration], record: Record, run: Run
) -> None:
    first = record(console("one.md two.png three.md"), "Open a file of type .md", command("open one.md"))  # type: ignore[arg-type]
    assert typed(run, [*known, first], "Open a file of type .gz", "b.md a.gz c.gz") == ["open a.gz"]


@pytest.mark.parametrize(
    ("how", "part", "first", "word"),
    [
        ("ends", ".b", False, "x.b"),
        ("starts", "y", False, "y.c"),
        ("has", ".", False, None),
        ("has", ".", True, "x.b"),
        ("lacks", ".", False, "plain"),
        ("lacks", "q", False, None),
    ],
)
def test_a_word_is_told_from_the_others(how: str, part: str, first: bool, word: str | None) -> None:
    options = (how, "first") if first else (how,)
    value = Applied("word", (Const("x.b plain y.c"), Const(part)), options)
    assert value_of(value, Scope(View.from_screen(None), {}, "")) == word
