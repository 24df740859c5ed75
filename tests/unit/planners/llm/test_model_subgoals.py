"""Subgoals: one call of the manager, then the worker sees one part at a time; notes go with it."""

from __future__ import annotations

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.dialogue import Reply
from gui_agent.core.observation import Observation
from gui_agent.core.protocols import Exemplar, ExemplarSource
from gui_agent.core.trajectory import Task, Trajectory
from gui_agent.planners.llm import ModelPlanner, SubgoalPlanner
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedModel,
    button,
    field,
    saying,
    screen,
    text,
    when,
)
from gui_agent.testing.scripted import ModelLine


def run(
    *lines: ModelLine, memory: ExemplarSource | None = None
) -> tuple[Trajectory, ScriptedModel, FakeComputer]:
    model = ScriptedModel(lines)
    computer = FakeComputer(
        {"list": screen(text("Total 42"), button("Next")), "form": screen(field("Sum"), button("Send"))},
        [when("click", "Next", go="form")],
    )
    planner = SubgoalPlanner(model, ModelPlanner(model))
    agent = Agent(
        computer,
        planner,
        grounder=ExactGrounder(),
        guard=OpenGuard(),
        memory=memory,
        limits=Limits(patience=0.05),
    )
    return agent.run("enter the total").trajectory, model, computer


NEXT = {"kind": "click", "at": {"text": "Next"}}
DONE = saying(end={"kind": "finish", "answer": "42 entered"})


def test_a_value_noted_in_one_part_is_used_by_name_in_the_next() -> None:
    manager = Reply("1. Read the total and note it as total; go on\n2. Enter {total} into Sum")
    typing = saying(actions=[{"kind": "type", "text": "42", "at": {"text": "Sum"}}])
    trajectory, model, computer = run(
        manager,
        saying(actions=[NEXT], notes={"total": "42"}),
        saying(end={"kind": "finish"}),
        Reply("Enter {total} into Sum"),
        typing,
        DONE,
    )
    assert trajectory.ending and (trajectory.ending.kind, trajectory.ending.answer) == ("done", "42 entered")
    assert computer.value("Sum") == "42" and trajectory.notes == {"total": "42"}
    assert trajectory.model_calls == len(model.requests) == 6
    third = str(model.requests[4].turns)
    assert "Enter 42 into Sum" in third and "Read the total" not in third
    assert "Part 2 of 2" in third


class ByGoal:
    """A memory that has a run for whatever is wanted."""

    def recall(self, task: Task, observation: Observation, goal: str | None = None) -> list[Exemplar]:
        return [Exemplar(goal or "whole", task.text, f"A run that did: {goal or task.text}")]

    def remember(self, trajectory: Trajectory) -> None: ...


def test_each_part_is_shown_the_runs_that_resemble_it() -> None:
    parts = Reply("1. Read the total and note it as total\n2. Enter {total}")
    _, model, _ = run(
        parts,
        saying(actions=[NEXT], notes={"total": "42"}),
        saying(end={"kind": "finish"}),
        Reply("Enter {total}"),
        DONE,
        memory=ByGoal(),
    )
    first, again, last = (str(model.requests[number].turns) for number in (1, 2, 4))
    for asked in (first, again):
        assert asked.count("A run that did: ") == asked.count("A run that did: Read the total") == 1
    assert last.count("A run that did: ") == last.count("A run that did: Enter 42") == 1


def test_notes_taken_as_a_part_ends_are_kept() -> None:
    manager = Reply("- Read the total\n- Enter {total}")
    trajectory, model, _ = run(
        manager,
        saying(end={"kind": "finish"}, notes={"total": "42"}),
        Reply(""),
        saying(actions=[NEXT]),
        DONE,
    )
    assert "Enter 42" in str(model.requests[3].turns)
    assert trajectory.notes == {"total": "42"}


def test_a_manager_that_says_nothing_leaves_the_task_whole() -> None:
    trajectory, model, _ = run(Reply(""), DONE)
    assert trajectory.ending and trajectory.ending.kind == "done"
    assert "enter the total" in str(model.requests[1].turns)


def test_a_finish_beside_actions_does_not_skip_the_next_part() -> None:
    trajectory, _, _ = run(
        Reply("Go on\nSend it"),
        saying(actions=[NEXT], end={"kind": "finish"}),
        saying(end={"kind": "finish"}),
        Reply("Send it"),
        DONE,
    )
    assert trajectory.ending and trajectory.ending.answer == "42 entered"
    assert [len(turn.steps) for turn in trajectory.turns] == [1, 0]


def test_after_each_part_the_rest_is_planned_anew_from_what_the_screen_shows() -> None:
    trajectory, model, computer = run(
        Reply("Go on\nLook for the form\nSend it"),
        saying(actions=[NEXT]),
        saying(end={"kind": "finish"}),
        Reply("Enter 42 into Sum"),
        saying(actions=[{"kind": "type", "text": "42", "at": {"text": "Sum"}}]),
        DONE,
    )
    again = str(model.requests[3].turns)
    assert "Done so far" in again and "Look for the form; Send it" in again and "Sum" in again
    assert "Part 2 of 2" in str(model.requests[4].turns)
    assert trajectory.ending and trajectory.ending.kind == "done" and computer.value("Sum") == "42"


def test_a_part_that_is_given_up_is_planned_another_way() -> None:
    trajectory, model, _ = run(
        Reply("Open the menu\nSend it"),
        saying(end={"kind": "give_up", "reason": "there is no menu"}),
        Reply("Go on by the button"),
        saying(actions=[NEXT]),
        DONE,
    )
    assert "Given up: Open the menu (there is no menu)" in str(model.requests[2].turns)
    assert trajectory.ending and trajectory.ending.kind == "done"
