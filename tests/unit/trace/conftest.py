"""Runs to write, read and show: played on a fake computer, without the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from gui_agent.core.actions import Action, Check, Click, Drag, TypeText, Wait
from gui_agent.core.aiming import aim, places
from gui_agent.core.conditions import TextShown, ValueIs
from gui_agent.core.errors import StepFailed
from gui_agent.core.observation import Words
from gui_agent.core.protocols import Computer, Observer
from gui_agent.core.trajectory import (
    Decision,
    Ending,
    Found,
    Outcome,
    Planned,
    Step,
    Task,
    Trajectory,
    Turn,
)
from gui_agent.testing import (
    ExactGrounder,
    FakeComputer,
    button,
    checkbox,
    do,
    done,
    expecting,
    field,
    screen,
    text,
    when,
)

Player = Callable[..., Trajectory]


def play(
    computer: Computer,
    decisions: Sequence[Decision],
    observers: Sequence[Observer] = (),
    task: Task | str = "Fill the contact form",
    ending: Ending | None = None,
) -> Trajectory:
    """Carry out decisions without any check, telling the observers, until they are used up."""
    told = Task(task) if isinstance(task, str) else task
    trajectory = Trajectory(told)
    for observer in observers:
        observer.started(told)
    seen = computer.observe()
    for decision in decisions:
        turn = Turn(decision, seen, seconds=0.002)
        for observer in observers:
            observer.decided(turn)
        for planned in decision.planned:
            step = _step(computer, planned, len(trajectory.steps) + len(turn.steps) + 1, turn)
            turn = replace(turn, steps=(*turn.steps, step))
            for observer in observers:
                observer.stepped(step)
        seen = turn.steps[-1].after if turn.steps else seen
        trajectory = replace(trajectory, turns=(*trajectory.turns, turn))
    trajectory = replace(trajectory, ending=ending)
    if ending is not None:
        for observer in observers:
            observer.ended(trajectory)
    return trajectory


def _step(computer: Computer, planned: Planned, number: int, turn: Turn) -> Step:
    before = turn.steps[-1].after if turn.steps else turn.observation
    found: dict[str, Found] = {}
    action: Action | Wait | None = None
    outcome, error = Outcome("changed", "the screen changed", ("2 elements changed",)), ""
    try:
        if isinstance(planned.action, Wait):
            action = planned.action
        else:
            for name, target in places(planned.action).items():
                found[name] = ExactGrounder().locate(target, before)
            action = aim(planned.action, {name: place.point for name, place in found.items()})
            computer.perform(action)
    except StepFailed as failure:
        outcome, error = Outcome("failed", str(failure)), type(failure).__name__
    times = {"ground": 0.001, "guard": 0.0002, "act": 0.03, "settle": 0.08, "observe": 0.02, "check": 0.004}
    return Step(number, planned, before, computer.observe(), outcome, action, found, error, times)


CONTACT = screen(
    text("Contact"),
    field("Name"),
    field("Password", states=("password",)),
    checkbox("I agree"),
    button("Send"),
    title="Contact",
)
THANKS = screen(text("Thank you, Ada"), text("Your number is 4711"), title="Thanks")


def contact_computer() -> FakeComputer:
    """A form with a password, and the page after it was sent."""
    return FakeComputer({"form": CONTACT, "thanks": THANKS}, [when("click", "Send", go="thanks")])


FILL = do(
    expecting(TypeText("Ada Lovelace", Words("Name")), ValueIs(Words("Name"), "Ada Lovelace")),
    TypeText("${secret:PIN}", Words("Password")),
    Check(Words("I agree")),
    thought="Fill the fields, then send.",
)
FINISH = replace(done("4711"), notes={"number": "4711"})
DECISIONS = (
    FILL,
    do(Click(Words("Submit", "button"))),
    do(Drag(Words("I agree"), Words("Name")), calls=1),
    do(Planned(Click(Words("Send")), (TextShown("Thank you"),), why="it sends the form")),
    FINISH,
)


@pytest.fixture
def player() -> Player:
    """Plays decisions on a computer and tells observers."""
    return play


@pytest.fixture
def contact() -> Callable[..., Trajectory]:
    """Plays the contact form to these observers; the second click goes wrong."""

    def run(*observers: Observer, killed: bool = False, task: str = "Fill the contact form") -> Trajectory:
        computer = contact_computer()
        ending = None if killed else Ending("done", answer="4711")
        return play(computer, DECISIONS[:3] if killed else DECISIONS, observers, task, ending)

    return run
