"""The language in which procedures are written: values, selectors and steps, all of it plain data.

A *value* says what text to use, a *selector* says which element is meant, a *step* says what to do. They
are read from and written to JSON by the codec and can be edited by hand; nothing here is ever executed
as code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from gui_agent.core.actions import Recorded
from gui_agent.core.geometry import STRICT
from gui_agent.core.tagged import BY_KIND

# --- values ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    """Always this text."""

    text: str
    kind: Literal["const"] = field(default="const", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Slot:
    """What the instruction, or the caller by name, gives for this slot."""

    name: str
    kind: Literal["slot"] = field(default="slot", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Item:
    """The present item of the innermost loop over a list."""

    kind: Literal["item"] = field(default="item", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Formed:
    """Another value in a different form: upper case, first word, a date written another way ..."""

    of: Value
    form: str
    """Name of a form, see `forms.FORMS`."""
    kind: Literal["formed"] = field(default="formed", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Joined:
    """Values written one after the other."""

    parts: tuple[Value, ...]
    kind: Literal["joined"] = field(default="joined", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Piece:
    """The n-th word, line or list item of a text; -1 is the last."""

    of: Value
    number: Value
    by: Literal["word", "line", "item"] = "word"
    kind: Literal["piece"] = field(default="piece", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Read:
    """What stands on the screen: the value or text of the element that the selector finds."""

    of: Selector
    what: str = "text"
    """`text` (value, else name), `@` and an attribute's name, or `spelled`: single letters, left to right."""
    kind: Literal["read"] = field(default="read", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Note:
    """A value that an earlier step noted."""

    name: str
    kind: Literal["note"] = field(default="note", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Count:
    """How many elements the selector finds."""

    of: Selector
    kind: Literal["count"] = field(default="count", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Computed:
    """Two numbers added, subtracted, multiplied or divided."""

    left: Value
    sign: Literal["+", "-", "*", "/"]
    right: Value
    kind: Literal["computed"] = field(default="computed", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Table:
    """What the demonstrations showed for each word of a slot; a word never shown has no value."""

    of: Value
    entries: Mapping[str, str] = field(hash=False)
    kind: Literal["table"] = field(default="table", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


Value: TypeAlias = Annotated[
    Const | Slot | Item | Formed | Joined | Piece | Read | Note | Count | Computed | Table, BY_KIND
]

# --- selectors --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HasRole:
    """Elements of this role."""

    role: str
    kind: Literal["role"] = field(default="role", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Captioned:
    """Elements whose name, label or hint is this text, or contains, starts or ends with it."""

    text: Value
    how: Literal["is", "has", "starts", "ends"] = "is"
    kind: Literal["captioned"] = field(default="captioned", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Called:
    """Elements called by one of several names that the demonstrations gave to the same thing."""

    texts: tuple[str, ...]
    kind: Literal["called"] = field(default="called", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Holding:
    """Fields that hold this value now."""

    text: Value
    kind: Literal["holding"] = field(default="holding", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Elements whose whole name occurs in the instruction."""

    kind: Literal["mentioned"] = field(default="mentioned", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Attribute:
    """Elements with an attribute that is this text or has it among its words."""

    name: str
    text: Value
    kind: Literal["attribute"] = field(default="attribute", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class InState:
    """Elements that are (or are not) checked, expanded, selected ..."""

    state: str
    on: bool = True
    kind: Literal["state"] = field(default="state", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class With:
    """Elements in the same row, card or other container as an anchor, or as one of several.

    The container is the ancestor `up` steps above the anchor in the structural path; where the screen
    has no structure (`up` 0) it is the line on which the anchor stands.
    """

    anchor: Selector
    up: int
    kind: Literal["with"] = field(default="with", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Under:
    """Elements in the column of a heading."""

    heading: Selector
    kind: Literal["under"] = field(default="under", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class After:
    """The first of the elements that come after an anchor in reading order."""

    anchor: Selector
    kind: Literal["after"] = field(default="after", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Untried:
    """Elements that this loop has not acted on yet."""

    kind: Literal["untried"] = field(default="untried", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


Test: TypeAlias = Annotated[
    HasRole | Captioned | Called | Holding | Mentioned | Attribute | InState | With | Under | After | Untried,
    BY_KIND,
]


@dataclass(frozen=True, slots=True)
class Rank:
    """The n-th in reading order; -1 is the last."""

    number: Value
    kind: Literal["rank"] = field(default="rank", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Extreme:
    """The one whose row has the smallest or largest number under a heading (or, without, in its name)."""

    most: bool
    heading: Value | None = None
    kind: Literal["extreme"] = field(default="extreme", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


Pick: TypeAlias = Annotated[Rank | Extreme, BY_KIND]


@dataclass(frozen=True, slots=True)
class Selector:
    """All elements that pass every test; `pick` takes one of several, without it there must be one."""

    tests: tuple[Test, ...] = ()
    pick: Pick | None = None
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


# --- steps --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Aim:
    """How a step finds its element: selectors, the simplest that fits all demonstrations first."""

    choices: tuple[Selector, ...]
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Expected:
    """A post-condition.

    `shown`, `gone`: a text appears or goes. `url`, `title`: they fit a pattern. `value`: the element acted
    on holds the text. `state`: it has the state named, `no state`: it has not.
    """

    what: Literal["shown", "gone", "url", "title", "value", "state", "no state"]
    text: Value
    kind: Literal["expected"] = field(default="expected", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Do:
    """One action, as recorded, with its places and its text replaced by expressions."""

    action: Recorded
    at: Aim | None = None
    to: Aim | None = None
    text: Value | None = None
    """Replaces the typed text, option, address or name of the recorded action."""
    times: Value | None = None
    """Replaces how often a key is pressed."""
    expect: tuple[Expected, ...] = ()
    evidence: int = 1
    """How many recorded acts the step was learned from; what several agree upon counts for more."""
    kind: Literal["do"] = field(default="do", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Remember:
    """Keep a value that is on the screen now for a later step, or for the answer."""

    name: str
    value: Value
    kind: Literal["remember"] = field(default="remember", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class ForEach:
    """Do the body once for each item of a list slot."""

    items: Value
    body: tuple[Step, ...]
    commas: bool = False
    """Whether only commas part the items, because an item was shown that has an `and` in it."""
    kind: Literal["for_each"] = field(default="for_each", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Every:
    """Do the body for every element that the selector finds; with a `limit` for so many, not for fewer."""

    of: Selector
    body: tuple[Step, ...]
    limit: Value | None = None
    kind: Literal["every"] = field(default="every", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Until:
    """Repeat the body until the selector finds something that it should (`shown`)."""

    shown: Selector
    body: tuple[Step, ...]
    limit: int = 50
    kind: Literal["until"] = field(default="until", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class Steer:
    """Turn a shown quantity (number, month, date, time) up or down until it equals a goal."""

    reading: Value
    goal: Value
    up: tuple[Do, ...] = ()
    down: tuple[Do, ...] = ()
    limit: int = 250
    kind: Literal["steer"] = field(default="steer", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


@dataclass(frozen=True, slots=True)
class When:
    """Do the body only when the selector finds something."""

    shown: Selector
    body: tuple[Step, ...]
    kind: Literal["when"] = field(default="when", kw_only=True, repr=False)
    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT


Step: TypeAlias = Annotated[Do | Remember | ForEach | Every | Until | Steer | When, BY_KIND]
