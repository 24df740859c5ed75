"""Screens, demonstrations and runs for the tests of the exemplar memory."""

from __future__ import annotations

from gui_agent.core.actions import Click, TypeText
from gui_agent.core.observation import Box, Element, Fingerprint, Mark, Observation, Place, Size
from gui_agent.core.trajectory import (
    Decision,
    Demonstration,
    DemoStep,
    Ending,
    EndingKind,
    Found,
    Outcome,
    OutcomeKind,
    Planned,
    Screen,
    Step,
    Task,
    Trajectory,
    Turn,
)
from gui_agent.memory.exemplars import ExemplarMemory, entry_of
from gui_agent.memory.store import Added

SIZE = Size(800, 600)


def screen(*names: str, app: str = "mail.example", title: str = "Mail") -> Screen:
    """A screen of buttons, one below the other; a name that ends with a colon is a text box."""
    elements = tuple(
        Element(
            number,
            "textbox" if name.endswith(":") else "button",
            name.rstrip(":"),
            Box(20, 40 * number, 200, 30),
        )
        for number, name in enumerate(names, start=1)
    )
    return Screen(SIZE, Place(app, title), elements)


def demonstration(task: str, *names: str, app: str = "mail.example", origin: str = "") -> Demonstration:
    """A run that types into every text box and presses every button of one screen, from top to bottom."""
    shown = screen(*(names or ("To:", "Message:", "Send")), app=app)
    steps = []
    for element in shown.elements:
        at = Fingerprint(element.role, element.name, box=element.box, screen=SIZE)
        action = TypeText("words", at) if element.role == "textbox" else Click(at)
        steps.append(DemoStep(action, shown, element.id))
    return Demonstration(task, tuple(steps), origin=origin)


def through(task: str, *screens: Screen) -> Demonstration:
    """A run through these screens, which presses the first button of each but the last."""
    steps = []
    for shown in screens[:-1]:
        element = shown.elements[0]
        at = Fingerprint(element.role, element.name, box=element.box, screen=SIZE)
        steps.append(DemoStep(Click(at), shown, element.id))
    return Demonstration(task, tuple(steps), final=screens[-1])


def observation(shown: Screen) -> Observation:
    return Observation(shown.size, shown.elements, shown.place)


def run(task: str, ending: EndingKind = "done", outcome: OutcomeKind = "confirmed") -> Trajectory:
    """A run of one click that ended so."""
    seen = observation(screen("Send"))
    planned = Planned(Click(Mark(1)))
    at = seen.elements[0].box.center
    found = {"at": Found(at, seen.elements[0])}
    step = Step(1, planned, seen, seen, Outcome(outcome), Click(at), found)
    return Trajectory(Task(task), (Turn(Decision(planned=(planned,)), seen, (step,)),), Ending(ending))


def keep(memory: ExemplarMemory, shown: Demonstration, **details: str) -> Added:
    """Put a demonstration into a memory; the details are those of its entry."""
    return memory.store.add([entry_of(shown, **details)])[0]
