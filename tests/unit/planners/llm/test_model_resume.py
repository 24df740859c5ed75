"""Going on with a run: nothing is done twice, the screen is looked at first, a spent budget ends a run."""

from __future__ import annotations

from pathlib import Path

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.errors import BudgetSpent
from gui_agent.planners.llm import ModelPlanner
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedModel,
    button,
    field,
    saying,
    screen,
)
from gui_agent.trace import RunWriter, read_run

TYPED = saying(plan="then send", actions=[{"kind": "type", "text": "Ada", "at": {"text": "Name"}}])


def agent(model: ScriptedModel, computer: FakeComputer, *observers: RunWriter) -> Agent:
    return Agent(
        computer,
        ModelPlanner(model),
        grounder=ExactGrounder(),
        guard=OpenGuard(),
        limits=Limits(patience=0.05),
        observers=observers,
    )


def form() -> FakeComputer:
    return FakeComputer({"form": screen(field("Name"), button("Send"), title="Form")})


def test_a_spent_budget_ends_the_run_and_a_resumed_one_knows_what_was_done(tmp_path: Path) -> None:
    writer = RunWriter(str(tmp_path))
    first = agent(ScriptedModel([TYPED, BudgetSpent("the budget is used up")]), form(), writer).run("send it")
    assert first.ending and first.ending.kind == "limit" and len(first.steps) == 1
    assert writer.folder is not None
    stored = read_run(writer.folder).trajectory

    model = ScriptedModel([TYPED, saying(end={"kind": "finish"})])
    again = agent(model, form()).run("send it", stored)
    assert again.ending and again.ending.kind == "done"
    assert [step.number for step in again.steps] == [1] and again.model_calls == 2
    told = str(model.requests[0].turns)
    assert "interrupted after step 1" in told and "is undone and left out here" in told
    assert "Your plan: then send" not in told


def test_an_unchanged_screen_is_said_to_be_as_it_was_left(tmp_path: Path) -> None:
    computer = form()
    first = agent(ScriptedModel([TYPED, BudgetSpent("spent")]), computer).run("send it")
    model = ScriptedModel([saying(end={"kind": "finish"})])
    agent(model, computer).run("send it", first)
    assert "it is as it was left" in str(model.requests[0].turns)


def test_the_folder_of_a_resumed_run_holds_the_whole_run(tmp_path: Path) -> None:
    computer = form()
    first = agent(ScriptedModel([TYPED, BudgetSpent("spent")]), computer).run("send it")
    writer = RunWriter(str(tmp_path))
    click = saying(actions=[{"kind": "click", "at": {"text": "Send"}}])
    agent(ScriptedModel([click, saying(end={"kind": "finish"})]), computer, writer).run("send it", first)
    assert writer.folder is not None
    stored = read_run(writer.folder)
    assert [step.number for step in stored.trajectory.steps] == [1, 2]
    assert stored.model_calls == 4 - 1
