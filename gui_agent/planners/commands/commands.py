"""Plain commands as values: the meaning of a sentence before any screen is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gui_agent.core.actions import Proposal, Wait
from gui_agent.core.conditions import Condition
from gui_agent.core.observation import Target, Words

Direction = Literal["down", "up", "left", "right"]


@dataclass(frozen=True, slots=True)
class Do:
    """Carry out one action unchanged."""

    action: Proposal


@dataclass(frozen=True, slots=True)
class Pick:
    """Select an option, tab or radio button that is named without its list."""

    option: Words


@dataclass(frozen=True, slots=True)
class Unfold:
    """Open a menu, a branch or a section by hovering or clicking, whichever works."""

    item: Words
    opened: bool = True
    """False to collapse it."""


@dataclass(frozen=True, slots=True)
class Put:
    """Set a control to a value in the way that suits it: type, choose, check or uncheck."""

    value: str
    into: Target


@dataclass(frozen=True, slots=True)
class Append:
    """Type text after a field's current value."""

    text: str
    to: Target


@dataclass(frozen=True, slots=True)
class ScrollBy:
    """Scroll in a direction, either the main view or one part of it."""

    direction: Direction
    pixels: int = 0
    """Distance; 0 is most of a page."""
    to_end: bool = False
    within: Words | None = None


@dataclass(frozen=True, slots=True)
class ScrollTo:
    """Scroll until an element is in view."""

    target: Words


@dataclass(frozen=True, slots=True)
class DragBeside:
    """Drag an element to just before or after another one, as in a sortable list."""

    target: Target
    beside: Words
    side: Literal["above", "below", "left of", "right of"]


@dataclass(frozen=True, slots=True)
class DragBy:
    """Drag an element by a distance in pixels."""

    target: Target
    by: tuple[int, int]
    """Pixels to the right and down."""


@dataclass(frozen=True, slots=True)
class Read:
    """Read a value from the screen and store it under a name."""

    what: Words
    name: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """Copy the value of one element to another."""

    what: Words
    into: Words


@dataclass(frozen=True, slots=True)
class Verify:
    """Verify a condition; if it does not hold, the task ends as not done."""

    condition: Condition[Target]
    within: float = 0.0
    """Maximum seconds to wait; 0 waits as long as for any target."""


@dataclass(frozen=True, slots=True)
class Invoke:
    """Use the control that performs the verb: `save`, `delete "Ada"`, `go to "Orders"`."""

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
    """A text that does not consist of plain commands, and the position of the first other text."""

    text: str
    position: int
    """Index of the first character that could not be parsed."""
    reason: str
    hint: str = ""

    def __str__(self) -> str:
        done = self.text[: self.position].strip(" ,;\n\t")
        upto = f'understood up to "{done[-40:]}"; ' if done else ""
        return f"{upto}{self.reason}" + (f"; {self.hint}" if self.hint else "")


def is_looking(command: Command) -> bool:
    """Whether a command only observes: it reads, verifies, or waits for something."""
    waits = isinstance(command, Do) and isinstance(command.action, Wait) and bool(command.action.until)
    return waits or isinstance(command, Read | Verify)
