"""The language in which procedures are written: values, selectors, steps, programs, and walks through them.

A value is a text to use, a selector says which element is meant; they refer to each other, as a value may be
read off the screen and a selector may ask for a value. Steps are done once, several times or only sometimes.
All is plain data, read from and written to JSON, open to editing by hand, and never executed as code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast

from gui_agent.core.actions import Choose, Navigate, Open, Recorded, Switch, TypeText, Upload, Wait
from gui_agent.core.observation import BY_KIND, Strict


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
    Const | Slot | Item | Formed | Joined | Piece | Applied | ReadText | Note | Count | Table, BY_KIND
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
    keyed: bool = True
    """Whether an anchor that varies is the key of its record: a 5 in another column is not order 5."""
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


@dataclass(frozen=True, slots=True)
class Aim(Strict):
    """How a step finds its element: selectors, the simplest that fits all demonstrations first."""

    choices: tuple[Selector, ...]


@dataclass(frozen=True, slots=True)
class Expected(Strict):
    """A post-condition.

    `shown`, `gone`: a text appears or goes. `url`, `title`: they fit a pattern. `value`: the element acted
    on holds the text. `state`: it has the state named, `no state`: it has not.
    """

    what: Literal["shown", "gone", "url", "title", "value", "state", "no state"]
    text: Value
    kind: Literal["expected"] = field(default="expected", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class DoStep(Strict):
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


@dataclass(frozen=True, slots=True)
class Remember(Strict):
    """Keep a value that is on the screen now for a later step, or for the answer."""

    name: str
    value: Value
    shown: bool = False
    """Whether it was seen to be read: it was pointed at, or differed from one demonstration to another."""
    kind: Literal["remember"] = field(default="remember", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class ForEach(Strict):
    """Do the body once for each item of a list slot."""

    items: Value
    body: tuple[Step, ...]
    commas: bool = False
    """Whether only commas part the items, because an item was shown that has an `and` in it."""
    kind: Literal["for_each"] = field(default="for_each", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Every(Strict):
    """Do the body for every element that the selector finds, to the end of what can be scrolled.

    With a `limit` for so many, not for fewer.
    """

    of: Selector
    body: tuple[Step, ...]
    limit: Value | None = None
    kind: Literal["every"] = field(default="every", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Survey(Strict):
    """Look at all that can be scrolled to for what has the smallest or largest number, and use it.

    In the body the item is what that says.
    """

    of: Selector
    most: bool
    body: tuple[Step, ...]
    kind: Literal["survey"] = field(default="survey", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Until(Strict):
    """Repeat the body until the selector finds something that it should (`shown`)."""

    shown: Selector
    body: tuple[Step, ...]
    limit: int = 50
    kind: Literal["until"] = field(default="until", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Steer(Strict):
    """Turn a shown quantity (number, month, date, time) up or down until it equals a goal."""

    reading: Value
    goal: Value
    up: tuple[DoStep, ...] = ()
    down: tuple[DoStep, ...] = ()
    limit: int = 250
    kind: Literal["steer"] = field(default="steer", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Guided(Strict):
    """Repeat the body with the item that a construct of a domain gives each round, see `constructs`."""

    construct: str
    given: tuple[Value, ...]
    signs: tuple[Selector, ...]
    """What the construct asks the screen for after each round."""
    body: tuple[Step, ...]
    kind: Literal["guided"] = field(default="guided", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class When(Strict):
    """Do the body only when the selector finds something."""

    shown: Selector
    body: tuple[Step, ...]
    kind: Literal["when"] = field(default="when", kw_only=True, repr=False)


Step: TypeAlias = Annotated[
    DoStep | Remember | ForEach | Every | Survey | Until | Steer | Guided | When, BY_KIND
]


def nodes(*roots: object) -> Iterator[object]:
    """Every value, selector, test and step inside some expressions, themselves included.

    Of a step only what decides its course: the first choice of an aim, not its runners-up, and no
    post-conditions.
    """
    for root in roots:
        if isinstance(root, tuple):
            yield from nodes(*root)
        elif isinstance(root, Aim):
            yield root
            yield from nodes(*root.choices[:1])
        elif isinstance(root, DoStep):
            yield root
            yield from nodes(root.at, root.to, root.text, root.times)
        elif is_dataclass(root) and not isinstance(root, type):
            yield root
            yield from nodes(*(getattr(root, item.name) for item in fields(root)))


def slots_used(*roots: object) -> frozenset[str]:
    """The names of the slots on which expressions or steps depend."""
    return frozenset(node.name for node in nodes(*roots) if isinstance(node, Slot))


A = TypeVar("A")


def data_of(action: object) -> str | None:
    """The text of an action; None when its kind has none."""
    match action:
        case (
            TypeText(text=text) | Choose(option=text) | Navigate(url=text) | Open(name=text) | Switch(to=text)
        ):
            return text
        case Upload(files=files):
            return "\n".join(files)
        case Wait(until=until):
            return until or None
    return None


def with_data(action: A, text: str) -> A:
    fields: dict[type, str] = {
        TypeText: "text",
        Choose: "option",
        Navigate: "url",
        Open: "name",
        Switch: "to",
        Wait: "until",
    }
    if isinstance(action, Upload):
        return cast("A", replace(cast("Any", action), files=tuple(text.split("\n"))))
    name = fields.get(type(action))
    return action if name is None else cast("A", replace(cast("Any", action), **{name: text}))


SlotKind: TypeAlias = Literal["text", "number", "date", "time", "ordinal", "list"]


@dataclass(frozen=True, slots=True)
class SlotParameter(Strict):
    """A slot of a program: what may be given for it, and what is used when nothing is given."""

    name: str
    type: SlotKind = "text"
    default: str | None = None
    examples: tuple[str, ...] = ()
    used: bool = True
    """Whether a step uses it. What else it may say is unknown: only the examples are accepted."""


@dataclass(frozen=True, slots=True)
class Alternative(Strict):
    """Other steps for the same task, tried where the first ones cannot go on."""

    steps: tuple[Step, ...]
    origin: str = ""
    """Id of the proposal that a repaired run left; empty for what induction gives."""


@dataclass(frozen=True, slots=True)
class Program(Strict):
    """A procedure: the instructions it answers to, its slots and its steps."""

    name: str
    templates: tuple[str, ...]
    """Instructions with slots in braces, such as `Send {text} to {to}`."""
    steps: tuple[Step, ...]
    parameters: tuple[SlotParameter, ...] = ()
    start: str = ""
    answer: Value | None = None
    platform: str = ""
    preferred: bool = False
    """Whether the person said that, of several ways, this one is meant."""
    own_words: bool = False
    """Whether the demonstrations were worded so differently that any clear wording will do."""
    demonstrations: int = 1
    cost: float = 0.0
    """Description length; of two programs that fit, the cheaper one was kept."""
    alternatives: tuple[Alternative, ...] = ()
    """What may be tried where a step cannot be carried out, if all done so far would have been the same."""
    format: Literal["guiagent-program-1"] = "guiagent-program-1"

    def instruction(self, values: Mapping[str, str] | None = None) -> str:
        """The first wording with values in it; what is not given is taken from the demonstrations."""
        text = self.templates[0]
        for parameter in self.parameters:
            shown = parameter.examples[0] if parameter.examples else parameter.default or ""
            text = text.replace(f"{{{parameter.name}}}", (values or {}).get(parameter.name, shown))
        return text

    @property
    def ways(self) -> tuple[Program, ...]:
        """The program itself, and with the steps of each alternative."""
        return (self, *(replace(self, steps=other.steps) for other in self.alternatives))


def address(program: int, way: int = 0) -> str:
    """How a bookmark names a program among several, and which of its ways."""
    return f"{program}/{way}" if way else str(program)


def numbers_of(name: str) -> tuple[int, int]:
    """The program and the way that a bookmark names, by their numbers."""
    program, _, way = name.partition("/")
    return int(program), int(way or 0)


def program_named(programs: Sequence[Program], name: str) -> Program:
    """The program that a bookmark names, with the steps of the way it names."""
    program, way = numbers_of(name)
    return programs[program].ways[way]
