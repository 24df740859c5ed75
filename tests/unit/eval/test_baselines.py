"""Agents that know nothing do the same every time; parts of an agent can be left out."""

from __future__ import annotations

from guiagent_eval.baselines import BlindSubmit, NoReflection, OneAtATime, RandomClicks

from gui_agent.agent.limits import Limits
from gui_agent.agent.loop import Agent
from gui_agent.core.actions import Click
from gui_agent.core.observation import Words
from gui_agent.core.protocols import Planner
from gui_agent.core.trajectory import Trajectory
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    OpenGuard,
    ScriptedPlanner,
    button,
    checkbox,
    do,
    done,
    screen,
    text,
    when,
)


def ran(planner: Planner, **parts: NoReflection) -> Trajectory:
    screens = {
        "start": screen(checkbox("A"), checkbox("B"), button("Cancel"), button("Submit")),
        "sent": screen(text("Sent")),
    }
    computer = FakeComputer(screens, [when("click", "Submit", go="sent")])
    # What does nothing in this world does nothing later either.
    limits = Limits(patience=0)
    agent = Agent(computer, planner, grounder=ExactGrounder(), guard=OpenGuard(), limits=limits, **parts)
    return agent.run("do it").trajectory


def clicked(trajectory: Trajectory) -> list[object]:
    return [step.planned.action for step in trajectory.steps]


def test_random_clicks_are_the_same_for_the_same_seed() -> None:
    assert clicked(ran(RandomClicks(7))) == clicked(ran(RandomClicks(7)))
    assert len({tuple(clicked(ran(RandomClicks(seed)))) for seed in range(6)}) > 1
    assert len(ran(RandomClicks(7, clicks=3)).turns) == 4


def test_blind_submit_presses_the_button_that_sends_once() -> None:
    found = ran(BlindSubmit())
    assert [step.after.elements[0].name for step in found.steps] == ["Sent"]
    assert found.ending is not None
    assert found.ending.kind == "not_done"


def test_without_batches_there_is_a_decision_for_every_action() -> None:
    lines = [do(Click(Words("A")), Click(Words("B"))), do(Click(Words("Submit"))), done()]
    together = ran(ScriptedPlanner(lines))
    single = ran(OneAtATime(ScriptedPlanner(lines)))
    assert [len(turn.steps) for turn in together.turns] == [2, 1, 0]
    assert [len(turn.steps) for turn in single.turns] == [1, 1, 0]


def test_without_reflection_nothing_is_judged() -> None:
    lines = [do(Click(Words("Submit"))), done()]
    assert [step.outcome.kind for step in ran(ScriptedPlanner(lines)).steps] == ["changed"]
    assert [step.outcome.kind for step in ran(ScriptedPlanner(lines), reflector=NoReflection()).steps] == [
        "unverifiable"
    ]
