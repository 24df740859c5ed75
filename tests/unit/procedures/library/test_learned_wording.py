"""Words that are a plain command and the wording of something learned: the meant one, or none, is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gui_agent.core.trajectory import Demonstration, Task
from gui_agent.procedures.library.memory import Memory
from gui_agent.wiring.learned import learned_wording

Taught = Callable[..., Memory]


@pytest.fixture
def taught(memory: Memory, shown: Callable[..., Demonstration]) -> Taught:
    """A memory that was taught one thing in these words, with the values Ada and hi."""

    def teaching(task: str, start: str = "") -> Memory:
        memory.keep(replace(shown("Ada", "hi", task=task, app="mail.example"), start=start), "letter")
        return memory

    return teaching


@pytest.mark.parametrize(
    ("shown_as", "asked"),
    [
        ("Fill the letter to Ada with hi", "Fill the letter to Grace with bye"),
        ("Open a letter to Ada that says hi", "open a letter to Grace that says bye"),
        ("Select the letter of yesterday", "Select the letter of yesterday"),
    ],
)
def test_what_is_wholly_the_wording_of_a_procedure_is_that_procedure(
    taught: Taught, shown_as: str, asked: str
) -> None:
    found = learned_wording(Task(asked), taught(shown_as))
    assert found is not None
    assert found.choice is not None
    assert found.choice.procedure.name == "letter"
    assert any(line.startswith("Not the plain command (") for line in found.lines())


@pytest.mark.parametrize(
    "asked",
    [
        'Fill "the letter to Grace" with "bye"',
        "Fill the letters to Grace with bye",
        "Fill the letter to Grace with bye, click Send",
        "click Send",
    ],
)
def test_what_is_quoted_several_commands_or_not_quite_the_wording_stays_plain(
    taught: Taught, asked: str
) -> None:
    assert learned_wording(Task(asked), taught("Fill the letter to Ada with hi")) is None


def test_where_nothing_was_shown_a_command_stays_plain(taught: Taught, memory: Memory) -> None:
    asked = "Fill the letter to Grace with bye"
    assert learned_wording(Task(asked), memory) is None
    taught("Fill the letter to Ada with hi")
    assert learned_wording(Task(asked, "https://mail.example/"), memory) is not None
    assert learned_wording(Task(asked, "https://bank.example/"), memory) is None


def test_neither_is_done_where_the_wording_has_no_word_of_its_own(taught: Taught) -> None:
    found = learned_wording(Task("Open Grace"), taught("Open Ada"))
    assert found is not None
    assert found.fitting == ()
    for said in ('open "Grace"', "letter", '"Open {to}"', "quotes", "--planner demonstration"):
        assert said in found.reason


def test_a_procedure_that_is_meant_and_cannot_be_run_says_why(taught: Taught) -> None:
    task = Task("Fill the letter to Grace with bye", values={"colour": "red"})
    found = learned_wording(task, taught("Fill the letter to Ada with hi"))
    assert found is not None
    assert found.fitting == ()
    assert 'there is no slot "colour"' in found.reason
