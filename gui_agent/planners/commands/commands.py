"""Plain commands as values: what a sentence says should be done, before any screen was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gui_agent.core.actions import Proposal, Wait
from gui_agent.core.conditions import Condition
from gui_agent.core.observation import Target, Words

Direction = Literal["down", "up", "left", "right"]


@dataclass(frozen=True, slots=True)
class Do:
    """Carry out one action as it stands."""

    action: Proposal


@dataclass(frozen=True, slots=True)
class Pick:
    """Select an option, tab or radio button that is named without its list."""

    option: Words


@dataclass(frozen=True, slots=True)
class Unfold:
    """Open a menu, a branch or a section, in the way that opens it: by pointing at it or by a click."""

    item: Words
    opened: bool = True
    """False to fold it up again."""


@dataclass(frozen=True, slots=True)
class Put:
    """Give a control its value in the way that suits it: type, choose, or switch on and off."""

    value: str
    into: Target


@dataclass(frozen=True, slots=True)
class Append:
    """Type text behind what a field already holds."""

    text: str
    to: Target


@dataclass(frozen=True, slots=True)
class ScrollBy:
    """Turn the wheel in a direction, over the main view or over one part of it."""

    direction: Direction
    pixels: int = 0
    """How far; 0 is most of a page."""
    to_end: bool = False
    within: Words | None = None


@dataclass(frozen=True, slots=True)
class ScrollTo:
    """Scroll until something is in view."""

    target: Words


@dataclass(frozen=True, slots=True)
class DragBeside:
    """Drag something to just before or behind another thing, as in a list that is put in order."""

    target: Target
    beside: Words
    side: Literal["above", "below", "left of", "right of"]


@dataclass(frozen=True, slots=True)
class DragBy:
    """Drag something by a distance in pixels."""

    target: Target
    by: tuple[int, int]
    """To the right and down."""


@dataclass(frozen=True, slots=True)
class Read:
    """Read a value off the screen and keep it under a name."""

    what: Words
    name: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """Put the value of one thing into another."""

    what: Words
    into: Words


@dataclass(frozen=True, slots=True)
class Verify:
    """Make sure that something holds, else the task ends as not done."""

    condition: Condition[Target]
    within: float = 0.0
    """Seconds that it is waited for; 0 is as long as whatever is looked for."""


@dataclass(frozen=True, slots=True)
class Invoke:
    """Do what a verb says by the control that offers it: `save`, `delete "Ada"`, `go to "Orders"`."""

    verb: str
    what: Words | None = None


Command: TypeAlias = (
    Do
    | Pick
    | Unfold
    | Put
    | Append
    | ScrollBy
    | ScrollTo
    | DragBeside
    | DragBy
    | Read
    | Copy
    | Verify
    | Invoke
)


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A text that is not made of plain commands, and where it stops being so."""

    text: str
    position: int
    """Index of the first character that was not understood."""
    reason: str
    hint: str = ""

    def __str__(self) -> str:
        done = self.text[: self.position].strip(" ,;\n\t")
        upto = f'understood up to "{done[-40:]}"; ' if done else ""
        return f"{upto}{self.reason}" + (f"; {self.hint}" if self.hint else "")


def is_looking(command: Command) -> bool:
    """Whether a command only looks: it reads, checks, or waits for something."""
    waits = isinstance(command, Do) and isinstance(command.action, Wait) and bool(command.action.until)
    return waits or isinstance(command, Read | Verify)
