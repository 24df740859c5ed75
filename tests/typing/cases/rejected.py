"""What the type checker must reject: each line that ends in `expect` with the code of the error."""

from typing import assert_never

from gui_agent.core.actions import Action, Click, Drag, Press, Proposal, Recorded, Wait
from gui_agent.core.conditions import ValueIs
from gui_agent.core.observation import Fingerprint, Mark, Observation, Point, Words
from gui_agent.core.protocols import Computer, Planner
from gui_agent.core.trajectory import Planned


def ungrounded(computer: Computer, proposal: Proposal) -> None:
    computer.perform(Click(Words("Send")))  # expect: arg-type
    computer.perform(Click(Mark(1)))  # expect: arg-type
    computer.perform(Drag(Point(1, 2), Mark(1)))  # expect: arg-type
    computer.perform(Wait())  # expect: arg-type
    computer.perform(proposal)  # expect: arg-type
    computer.perform(Press("enter"))  # expect: arg-type


action: Action = Click(Words("Send"))  # expect: arg-type
recorded: Recorded = Click(Point(1, 2))  # expect: arg-type
planned = Planned(Click(Fingerprint("button", "Send")))  # expect: arg-type
wrong = ValueIs(Fingerprint("textbox", "Name"), "Ada")
expected = Planned(Click(Mark(1)), expect=(wrong,))  # expect: arg-type


def handle(action: Action) -> str:
    """An adapter that forgot some verbs."""
    match action.kind:
        case "click" | "move" | "drag" | "scroll" | "swipe" | "long_press" | "type" | "choose":
            return "pointer"
        case "press" | "hold" | "open" | "navigate" | "back" | "switch":
            return "other"
        case _:
            assert_never(action)  # expect: arg-type


class Mute:
    """A planner that cannot decide."""

    name = "mute"


class Blind:
    """A computer with the wrong way of looking."""

    platform = "blind"

    def observe(self) -> Observation:
        raise NotImplementedError


planner: Planner = Mute()  # expect: assignment
computer: Computer = Blind()  # expect: assignment


def change(point: Point) -> None:
    point.x = 3  # expect: misc
