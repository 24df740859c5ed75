"""A scripted demonstrator: looks at the screen and acts on it the way a person would, and is recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from guiagent_eval.page_computer import PageComputer

from gui_agent.core.actions import AnyAction, Check, Choose, Click, Press, TypeText
from gui_agent.core.aiming import aim, places
from gui_agent.core.observation import Element, Observation
from gui_agent.core.texts import label, normal
from gui_agent.core.trajectory import Demonstration, DemoStep
from gui_agent.procedures.recordings.from_run import postconditions, screen_of
from gui_agent.scene import Scene
from gui_agent.scene.fingerprints import fingerprint


@dataclass
class Hand:
    """Acts through the public actions of a computer only; every act becomes a recorded step."""

    computer: PageComputer
    steps: list[DemoStep] = field(default_factory=list)

    def look(self) -> Observation:
        return self.computer.observe(picture=False)

    def find(self, role: str, name: str = "", *, beside: str = "", nth: int = 1) -> Element:
        """The n-th element of a role that is called `name`, after the text `beside` in reading order."""
        screen = self.look()
        elements = list(screen.elements)
        if beside:
            start = next(i for i, e in enumerate(elements) if normal(e.name) == normal(beside))
            elements = elements[start:]
        found = [e for e in elements if e.role == role and (not name or label(name) in called(e, screen))]
        if len(found) < nth:
            seen = ", ".join(str(e) for e in screen.elements)
            raise AssertionError(f"no {role} {name!r} beside {beside!r} on: {seen}")
        return found[nth - 1]

    def role_of(self, name: str) -> str:
        """The role of the field that is called so."""
        screen = self.look()
        return next(e.role for e in screen.controls if label(name) in called(e, screen))

    def shows(self, name: str) -> bool:
        return any(normal(e.name) == normal(name) for e in self.look().elements)

    def click(self, role: str, name: str = "", **where: Any) -> None:
        self.act(Click(self.find(role, name, **where)))

    def type(self, name: str, text: str, role: str = "textbox") -> None:
        self.act(TypeText(text, self.find(role, name), replace=True))

    def choose(self, name: str, option: str) -> None:
        self.act(Choose(self.find("combobox", name), option))

    def tick(self, name: str, *, on: bool = True, role: str = "checkbox") -> None:
        self.act(Check(self.find(role, name), on))

    def press(self, *keys: str) -> None:
        self.act(Press(keys))

    def act(self, action: AnyAction[Element]) -> None:
        before = self.look()
        elements = places(action)
        target = elements.get("at")
        now = {name: before.by_id(e.id) or e for name, e in elements.items()}
        points = aim(action, {name: e.box.center for name, e in now.items()})
        self.computer.perform(points, now.get("at"))
        self.computer.settle()
        after = self.look()
        self.steps.append(
            DemoStep(
                action=aim(action, {name: fingerprint(e, before) for name, e in now.items()}),
                screen=screen_of(before),
                element=target.id if target else 0,
                to_element=elements["to"].id if "to" in elements else 0,
                expect=postconditions(before, after, target.id if target else 0),
            )
        )

    def demonstration(self, task: str) -> Demonstration:
        return Demonstration(
            task, tuple(self.steps), platform="browser", final=screen_of(self.look()), origin="hand"
        )


def called(element: Element, screen: Observation) -> set[str]:
    """What a person would call an element."""
    return {
        label(element.name),
        label(element.description),
        "" if element.name else label(Scene.from_screen(screen).label_of(element)),
    }
