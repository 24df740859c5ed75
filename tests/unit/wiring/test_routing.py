"""Who does a task is decided once, from its words, the settings and what was given."""

from __future__ import annotations

import pytest

from gui_agent.core.errors import ConfigError
from gui_agent.core.trajectory import Demonstration, Task
from gui_agent.settings import load
from gui_agent.wiring import route

COMMANDS = Task('click "Next"')
ELSE = Task("find the cheapest flight")
MODEL = "model.name=http://127.0.0.1:9/v1#m"
NO_MEMORY = "memory.enabled=false"
SHOWN = (Demonstration("Order 2 lamps", ()),)


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("task", "known", "assignments", "planners"),
    [
        (COMMANDS, (), (), ("plain",)),
        (COMMANDS, (), (MODEL,), ("plain", "model")),
        (COMMANDS, SHOWN, (), ("demonstration",)),
        (ELSE, (), (), ("none",)),
        (ELSE, (), (NO_MEMORY,), ("plain",)),
        (ELSE, (), (MODEL, "planner.kind=model"), ("model",)),
        (ELSE, (), ("planner.kind=demonstration",), ("none",)),
        (COMMANDS, SHOWN, ("planner.kind=cascade",), ("demonstration", "model")),
        (COMMANDS, (), ("planner.kind=my_package:Mine",), ("my_package:Mine",)),
    ],
)
def test_the_planners_of_a_task(
    task: Task, known: tuple[Demonstration, ...], assignments: tuple[str, ...], planners: tuple[str, ...]
) -> None:
    assert route(task, load((), assignments), known).planners == planners


def test_a_cascade_has_the_planners_that_the_settings_name() -> None:
    settings = load((), ("planner.kind=cascade", 'planner.options.planners=["plain", "auto"]'))
    assert route(COMMANDS, settings).planners == ("plain", "plain")


def test_an_unknown_planner_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r'there is no planner "modle" .*did you mean "model"'):
        route(COMMANDS, load((), ("planner.kind=modle",)))


def test_values_without_a_place_in_plain_commands_are_refused() -> None:
    with pytest.raises(ConfigError, match="amount=3: these commands have no place for it"):
        route(Task('click "Next"', values={"amount": "3"}), load())


def test_values_stand_in_their_places_in_plain_commands() -> None:
    found = route(Task('click "Row {n}"', values={"n": '3", click "4'}), load())
    assert found.lines() == [r'1. click "Row 3\", click \"4"']


def test_why_nothing_can_be_done_is_said_with_what_was_not_understood() -> None:
    found = route(ELSE, load())
    assert not found.runs
    assert "not understood" in found.why and "learned" in found.why


def test_the_plain_commands_are_shown_as_numbered_sentences() -> None:
    assert route(COMMANDS, load()).lines() == ['1. click "Next"']
