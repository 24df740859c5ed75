"""Keeps one browser open for several tasks and prints every step as it happens."""

from pathlib import Path

from gui_agent import Agent, BrowserComputer, PlainPlanner, Step, Task, Trajectory
from gui_agent.core.trajectory import Turn

PAGE = Path(__file__).with_name("contact.html").as_uri()


class Printer:
    """An observer: it sees everything and changes nothing."""

    def started(self, task: Task) -> None:
        print("task:", task.text)

    def decided(self, turn: Turn) -> None:
        pass

    def stepped(self, step: Step) -> None:
        print(f"  {step.number}. {step.outcome.kind}: {step.outcome.summary}")

    def ended(self, trajectory: Trajectory) -> None:
        print("ended:", trajectory.ending.kind if trajectory.ending else "nowhere")


with BrowserComputer() as browser:
    agent = Agent(browser, PlainPlanner(), observers=[Printer()])
    for name in ("Ada", "Grace", "Edsger"):
        task = f'type "{name}" into "Name", type "{name}@example.org" into "Email", click "Next"'
        agent.run(Task(task, start=PAGE))
