"""A planner of your own, which fills every empty text field with the field's own name, then stops.

    .venv/bin/python examples/own_planner.py
    PYTHONPATH=examples guiagent run "fill in" --url examples/contact.html \
        --set planner.kind=own_planner:EchoPlanner
"""

from pathlib import Path

from gui_agent import Agent, BrowserComputer, Task
from gui_agent.core.actions import TypeText
from gui_agent.core.observation import Mark
from gui_agent.core.protocols import Situation
from gui_agent.core.trajectory import Decision, Finish, Planned

PAGE = Path(__file__).with_name("contact.html").as_uri()


class EchoPlanner:
    """Types a field's name into it."""

    name = "echo"

    def decide(self, situation: Situation) -> Decision:
        for element in situation.observation.controls:
            if element.role == "textbox" and not element.value:
                action = TypeText(element.name, Mark(element.id))
                return Decision(f"{element} is empty", (Planned(action),), planner=self.name)
        return Decision("no field is empty", end=Finish(), planner=self.name)


if __name__ == "__main__":
    with BrowserComputer() as browser:
        trajectory = Agent(browser, EchoPlanner()).run(Task("fill in", start=PAGE))
        for step in trajectory.steps:
            print(step.number, step.outcome.kind, step.outcome.summary)
