"""A recorded run in a form that outlives the screen it was recorded on.

One format for every adapter. A person's recording and a finished, verified run both become this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gui_agent.core.actions import Recorded
from gui_agent.core.conditions import Condition
from gui_agent.core.geometry import Size, Strict
from gui_agent.core.observation import NOWHERE, Element, Place
from gui_agent.core.targets import Fingerprint


@dataclass(frozen=True, slots=True)
class Screen(Strict):
    """The abstract of a screen: what was on it when a step was taken, without the picture."""

    size: Size
    place: Place = NOWHERE
    elements: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True)
class DemoStep(Strict):
    """One recorded action with its target's fingerprint and the change that was observed."""

    action: Recorded
    screen: Screen | None = None
    """The screen just before the action."""
    element: int = 0
    """Id of the target among `screen.elements`; 0 when it had none."""
    to_element: int = 0
    """Id of the place where a drag ended; 0 when it had none."""
    expect: tuple[Condition[Fingerprint], ...] = ()
    """Post-conditions: what had changed when the screen was quiet again."""
    seconds: float = 0.0
    """Time from the action to the quiet screen, without the person's thinking time."""
    why: str = ""
    """Why it was done, in a person's or a model's words; shown to models, never needed to do it."""


@dataclass(frozen=True, slots=True)
class Demonstration(Strict):
    """A task and the steps that did it."""

    task: str
    steps: tuple[DemoStep, ...]
    start: str = ""
    """Address, application or file it began with."""
    slots: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Values of this recording by slot name, when the recorder knows them."""
    platform: str = ""
    """browser, x11, windows, android ..."""
    answer: str = ""
    """What the run read off the screen as its result."""
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    final: Screen | None = None
    """The screen after the last step."""
    origin: str = ""
    """Where it comes from: teach, run <id>, import <file> ..."""
    created: str = ""
    """ISO 8601."""
    format: Literal["guiagent-demonstration-1"] = "guiagent-demonstration-1"
