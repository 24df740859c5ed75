"""What an importer gives back: the demonstration, and every line that did not come over as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gui_agent.core.actions import Check, Choose, Recorded, TypeText, Wait, aim, places
from gui_agent.core.conditions import Condition
from gui_agent.core.demonstration import Demonstration, DemoStep
from gui_agent.core.targets import Fingerprint

_ROLES: dict[type, str] = {TypeText: "textbox", Choose: "combobox", Check: "checkbox"}


@dataclass(frozen=True, slots=True)
class Remark:
    """One line of the source that was left out, or kept in a changed or weaker form."""

    line: int
    """1-based line of a script, or number of a recorded step."""
    source: str
    reason: str
    dropped: bool = True
    """Whether the line has no part in the demonstration."""

    def __str__(self) -> str:
        return f"{self.line}: {'left out' if self.dropped else 'changed'}: {self.reason} ({self.source})"


@dataclass(frozen=True, slots=True)
class Imported:
    """A demonstration and the remarks of its import; no remark means that all came over."""

    demonstration: Demonstration
    remarks: tuple[Remark, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether no line was left out."""
        return not any(remark.dropped for remark in self.remarks)


class Unsupported(Exception):
    """A line that has no counterpart in the vocabulary; the importer turns it into a remark."""


class Draft:
    """A demonstration while it is being read."""

    def __init__(self) -> None:
        self.start = ""
        self.steps: list[DemoStep] = []
        self.remarks: list[Remark] = []

    def act(self, action: Recorded) -> None:
        """Add a step; a target without a role gets the one that its action is for."""
        if isinstance(action, Wait):
            self.steps.append(DemoStep(action))
            return
        role = _ROLES.get(type(action), "")
        marks: dict[str, Fingerprint] = {
            name: replace(place, role=role) if role and not place.role else place
            for name, place in places(action).items()
        }
        self.steps.append(DemoStep(aim(action, marks)))

    def expect(self, condition: Condition[Fingerprint]) -> None:
        """Add a post-condition to the last step.

        Raises:
            Unsupported: there is no step yet.
        """
        if not self.steps:
            raise Unsupported("an expectation before the first action has no step to belong to")
        last = self.steps[-1]
        if condition not in last.expect:
            self.steps[-1] = replace(last, expect=(*last.expect, condition))

    def remark(self, line: int, source: str, reason: str, *, dropped: bool = True) -> None:
        self.remarks.append(Remark(line, " ".join(source.split())[:200], reason, dropped))

    def finished(self, task: str, origin: str) -> Imported:
        """The demonstration of all steps."""
        done = Demonstration(
            task=task, steps=tuple(self.steps), start=self.start, platform="browser", origin=origin
        )
        return Imported(done, tuple(self.remarks))


def text_of(value: Any) -> str:
    """A literal as the text that it stands for.

    Raises:
        Unsupported: it is computed, so its value is not in the script.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Unsupported("a value that is not written out as text")
    return str(value)
