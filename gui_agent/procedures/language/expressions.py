"""Values and selectors of procedures: what text to use, and which element is meant. Plain data.

They refer to each other, as a value may be read off the screen and a selector may ask for a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from gui_agent.core.actions import BY_KIND
from gui_agent.core.geometry import Strict


@dataclass(frozen=True, slots=True)
class Const(Strict):
    """Always this text."""

    text: str
    kind: Literal["const"] = field(default="const", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Slot(Strict):
    """What the instruction, or the caller by name, gives for this slot."""

    name: str
    kind: Literal["slot"] = field(default="slot", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Item(Strict):
    """The present item of the innermost loop over a list."""

    kind: Literal["item"] = field(default="item", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Formed(Strict):
    """Another value in a different form: upper case, first word, a date written another way ..."""

    of: Value
    form: str
    """Name of a form, see `forms.FORMS`."""
    kind: Literal["formed"] = field(default="formed", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Joined(Strict):
    """Values written one after the other."""

    parts: tuple[Value, ...]
    kind: Literal["joined"] = field(default="joined", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Piece(Strict):
    """The n-th word, line or list item of a text; -1 is the last."""

    of: Value
    number: Value
    by: Literal["word", "line", "item"] = "word"
    kind: Literal["piece"] = field(default="piece", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Applied(Strict):
    """What a construct of a domain makes of other values, see `constructs`."""

    construct: str
    of: tuple[Value, ...]
    options: tuple[str, ...] = ()
    kind: Literal["applied"] = field(default="applied", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class ReadText(Strict):
    """What stands on the screen: the value or text of the element that the selector finds."""

    of: Selector
    what: str = "text"
    """`text` (value, else name), `@` and an attribute's name, or a way of a domain to read several."""
    kind: Literal["read"] = field(default="read", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Note(Strict):
    """A value that an earlier step noted."""

    name: str
    kind: Literal["note"] = field(default="note", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Count(Strict):
    """How many elements the selector finds."""

    of: Selector
    kind: Literal["count"] = field(default="count", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Table(Strict):
    """What the demonstrations showed for each word of a slot; a word never shown has no value."""

    of: Value
    entries: Mapping[str, str] = field(hash=False)
    kind: Literal["table"] = field(default="table", kw_only=True, repr=False)


Value: TypeAlias = Annotated[
    Const | Slot | Item | Formed | Joined | Piece | Applied | ReadText | Note | Count | Table,
    BY_KIND,
]


@dataclass(frozen=True, slots=True)
class HasRole(Strict):
    """Elements of this role."""

    role: str
    kind: Literal["role"] = field(default="role", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Captioned(Strict):
    """Elements whose name, label or hint is this text, or contains, starts or ends with it."""

    text: Value
    how: Literal["is", "has", "starts", "ends"] = "is"
    kind: Literal["captioned"] = field(default="captioned", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class NamedAsOneOf(Strict):
    """Elements called by one of several names that the demonstrations gave to the same thing."""

    texts: tuple[str, ...]
    kind: Literal["called"] = field(default="called", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Holding(Strict):
    """Fields that hold this value now."""

    text: Value
    kind: Literal["holding"] = field(default="holding", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Mentioned(Strict):
    """Elements whose whole name occurs in the instruction."""

    kind: Literal["mentioned"] = field(default="mentioned", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Attribute(Strict):
    """Elements with an attribute that is this text or has it among its words."""

    name: str
    text: Value
    kind: Literal["attribute"] = field(default="attribute", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class InState(Strict):
    """Elements that are (or are not) checked, expanded, selected ..."""

    state: str
    on: bool = True
    kind: Literal["state"] = field(default="state", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class With(Strict):
    """Elements in the same row, card or other container as an anchor, or as one of several.

    The container is the ancestor `up` steps above the anchor in the structural path; where the screen
    has no structure (`up` 0) it is the line on which the anchor stands.
    """

    anchor: Selector
    up: int
    kind: Literal["with"] = field(default="with", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Under(Strict):
    """Elements in the column of a heading."""

    heading: Selector
    kind: Literal["under"] = field(default="under", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class After(Strict):
    """The first of the elements that come after an anchor in reading order."""

    anchor: Selector
    kind: Literal["after"] = field(default="after", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Untried(Strict):
    """Elements that this loop has not acted on yet."""

    kind: Literal["untried"] = field(default="untried", kw_only=True, repr=False)


Test: TypeAlias = Annotated[
    HasRole
    | Captioned
    | NamedAsOneOf
    | Holding
    | Mentioned
    | Attribute
    | InState
    | With
    | Under
    | After
    | Untried,
    BY_KIND,
]


@dataclass(frozen=True, slots=True)
class Rank(Strict):
    """The n-th in reading order; -1 is the last."""

    number: Value
    paged: bool = False
    """Whether it is counted on from page to page, over the pages that the loop before it has turned."""
    kind: Literal["rank"] = field(default="rank", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Extreme(Strict):
    """The one whose row has the smallest or largest number under a heading (or, without, in its name)."""

    most: bool
    heading: Value | None = None
    kind: Literal["extreme"] = field(default="extreme", kw_only=True, repr=False)


Pick: TypeAlias = Annotated[Rank | Extreme, BY_KIND]


@dataclass(frozen=True, slots=True)
class Selector(Strict):
    """All elements that pass every test; `pick` takes one of several, without it there must be one."""

    tests: tuple[Test, ...] = ()
    pick: Pick | None = None
