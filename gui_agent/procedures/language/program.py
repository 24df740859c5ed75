"""The language of procedures: values, selectors, steps and programs, and functions that walk through them.

A value is a text to use, a selector identifies an element. They refer to each other: a value may be read
from the screen, and a selector may contain a value. Steps run once, several times or conditionally. All of
it is plain data, read from and written to JSON, editable by hand, and never executed as code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast, dataclass_transform

from gui_agent.core.actions import Choose, Navigate, Open, Recorded, Switch, TypeText, Upload, Wait
from gui_agent.core.observation import BY_KIND, Strict

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def of_kind(name: str) -> Callable[[type[T]], type[T]]:
    """Make a class a frozen value whose JSON names its class by `kind`."""

    def as_value(cls: type[T]) -> type[T]:
        cls.__annotations__["kind"] = Literal[name]
        cls.kind = field(default=name, kw_only=True, repr=False)  # type: ignore[attr-defined]
        return dataclass(frozen=True, slots=True)(cls)

    return as_value


@of_kind("const")
class Const(Strict):
    """A constant text."""

    text: str


@of_kind("slot")
class Slot(Strict):
    """The value of a slot, from the instruction or from the caller by name."""

    name: str


@of_kind("item")
class Item(Strict):
    """The current item of the innermost loop over a list."""


@of_kind("formed")
class Formed(Strict):
    """Another value in a different form: upper case, first word, another date format ..."""

    of: Value
    form: str
    """Name of a form, see `forms.FORMS`."""


@of_kind("joined")
class Joined(Strict):
    """Several values, concatenated."""

    parts: tuple[Value, ...]


@of_kind("piece")
class Piece(Strict):
    """The n-th word, line or list item of a text; -1 is the last."""

    of: Value
    number: Value
    by: Literal["word", "line", "item"] = "word"


@of_kind("applied")
class Applied(Strict):
    """The value that a domain's construct computes from other values, see `constructs`."""

    construct: str
    of: tuple[Value, ...]
    options: tuple[str, ...] = ()


@of_kind("read")
class ReadText(Strict):
    """The value or text of the element that the selector finds."""

    of: Selector
    what: str = "text"
    """`text` (value, else name), `@` and an attribute's name, or a domain's way to read several elements."""


@of_kind("note")
class Note(Strict):
    """A value that an earlier step noted."""

    name: str


@of_kind("count")
class Count(Strict):
    """The number of elements that the selector finds."""

    of: Selector


@of_kind("table")
class Table(Strict):
    """A value from the demonstrations for each word of a slot; an unknown word has no value."""

    of: Value
    entries: Mapping[str, str] = field(hash=False)


Value: TypeAlias = Annotated[
    Const | Slot | Item | Formed | Joined | Piece | Applied | ReadText | Note | Count | Table, BY_KIND
]


@of_kind("role")
class HasRole(Strict):
    """Elements of this role."""

    role: str


@of_kind("captioned")
class Captioned(Strict):
    """Elements whose name, label or hint is this text, or contains, starts or ends with it."""

    text: Value
    how: Literal["is", "has", "starts", "ends"] = "is"


@of_kind("called")
class NamedAsOneOf(Strict):
    """Elements with one of several names that the demonstrations used for the same element."""

    texts: tuple[str, ...]


@of_kind("holding")
class Holding(Strict):
    """Fields with this value."""

    text: Value


@of_kind("mentioned")
class Mentioned(Strict):
    """Elements whose whole name occurs in the instruction."""


@of_kind("attribute")
class Attribute(Strict):
    """Elements with an attribute that equals this text or has it among its words."""

    name: str
    text: Value


@of_kind("state")
class InState(Strict):
    """Elements that are (or are not) checked, expanded, selected ..."""

    state: str
    on: bool = True


@of_kind("with")
class With(Strict):
    """Elements in the same row, card or other container as an anchor or one of several anchors.

    The container is the ancestor `up` steps above the anchor in the structural path; if the screen has no
    structure (`up` 0), it is the line of the anchor.
    """

    anchor: Selector
    up: int
    keyed: bool = True
    """Whether a variable anchor must be the key of its record: a 5 in another column is not order 5."""


@of_kind("under")
class Under(Strict):
    """Elements in the column of a heading."""

    heading: Selector


@of_kind("after")
class After(Strict):
    """The first element after an anchor in reading order."""

    anchor: Selector


@of_kind("untried")
class Untried(Strict):
    """Elements that this loop has not acted on yet."""


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


@of_kind("rank")
class Rank(Strict):
    """The n-th in reading order; -1 is the last."""

    number: Value
    paged: bool = False
    """Whether to continue counting across the pages that the preceding loop turned."""


@of_kind("extreme")
class Extreme(Strict):
    """The element with the smallest or largest number under a heading, or (without one) in its name."""

    most: bool
    heading: Value | None = None


Pick: TypeAlias = Annotated[Rank | Extreme, BY_KIND]


@dataclass(frozen=True, slots=True)
class Selector(Strict):
    """All elements that pass every test; `pick` takes one; without it, exactly one element must pass."""

    tests: tuple[Test, ...] = ()
    pick: Pick | None = None

    @property
    def role(self) -> str:
        """The required role; empty for any."""
        return next((test.role for test in self.tests if isinstance(test, HasRole)), "")


@dataclass(frozen=True, slots=True)
class Aim(Strict):
    """How a step finds its element: selectors, the simplest that fits all demonstrations first."""

    choices: tuple[Selector, ...]


@of_kind("expected")
class Expected(Strict):
    """A post-condition.

    `shown`, `gone`: a text appears or disappears. `url`, `title`: they match a pattern. `value`: the target
    has this value. `state`: the target has this state, `no state`: it does not.
    """

    what: Literal["shown", "gone", "url", "title", "value", "state", "no state"]
    text: Value


@of_kind("do")
class DoStep(Strict):
    """One action as recorded, with its targets and its text replaced by expressions."""

    action: Recorded
    at: Aim | None = None
    to: Aim | None = None
    text: Value | None = None
    """Replaces the typed text, option, address or name of the recorded action."""
    times: Value | None = None
    """Replaces the number of key presses."""
    expect: tuple[Expected, ...] = ()
    evidence: int = 1
    """Number of recorded acts that the step was learned from; agreement of several counts for more."""


@of_kind("remember")
class Remember(Strict):
    """Keep a value from the current screen for a later step or for the answer."""

    name: str
    value: Value
    shown: bool = False
    """Whether the person visibly read it: pointed at it, or it differed between demonstrations."""


@of_kind("for_each")
class ForEach(Strict):
    """Run the body once for each item of a list slot."""

    items: Value
    body: tuple[Step, ...]
    commas: bool = False
    """Whether only commas separate the items, because a demonstrated item contains `and`."""


@of_kind("every")
class Every(Strict):
    """Run the body for every element that the selector finds, scrolling to the end.

    A `limit` fixes the number of elements; fewer are an error.
    """

    of: Selector
    body: tuple[Step, ...]
    limit: Value | None = None


@of_kind("survey")
class Survey(Strict):
    """Scroll through everything for the element with the smallest or largest number, and use it.

    In the body, the item is the text of that element.
    """

    of: Selector
    most: bool
    body: tuple[Step, ...]


@of_kind("until")
class Until(Strict):
    """Repeat the body until the selector `shown` finds an element."""

    shown: Selector
    body: tuple[Step, ...]
    limit: int = 50


@of_kind("steer")
class Steer(Strict):
    """Raise or lower a shown quantity (number, month, date, time) until it equals a goal."""

    reading: Value
    goal: Value
    up: tuple[DoStep, ...] = ()
    down: tuple[DoStep, ...] = ()
    limit: int = 250


@of_kind("guided")
class Guided(Strict):
    """Repeat the body with the item that a domain's construct returns for each round, see `constructs`."""

    construct: str
    given: tuple[Value, ...]
    signs: tuple[Selector, ...]
    """The selectors that the construct evaluates on the screen after each round."""
    body: tuple[Step, ...]


@of_kind("when")
class When(Strict):
    """Run the body only if the selector finds an element."""

    shown: Selector
    body: tuple[Step, ...]


Step: TypeAlias = Annotated[
    DoStep | Remember | ForEach | Every | Survey | Until | Steer | Guided | When, BY_KIND
]


def nodes(*roots: object) -> Iterator[object]:
    """Every value, selector, test and step inside some expressions, including themselves.

    For a step, only the parts that decide its course: the first selector of an aim, not the runners-up, and
    no post-conditions.
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
    """The names of the slots that expressions or steps depend on."""
    return frozenset(node.name for node in nodes(*roots) if isinstance(node, Slot))


def data_of(action: object) -> str | None:
    """The text of an action; None if its kind has none."""
    if isinstance(action, Upload):
        return "\n".join(action.files)
    text: str | None = getattr(action, _DATA.get(type(action), ""), None)
    return None if isinstance(action, Wait) and not text else text


_DATA: Mapping[type, str] = {
    TypeText: "text",
    Choose: "option",
    Navigate: "url",
    Open: "name",
    Switch: "to",
    Wait: "until",
}


def with_data(action: T, text: str) -> T:
    if isinstance(action, Upload):
        return cast("T", replace(cast("Any", action), files=tuple(text.split("\n"))))
    name = _DATA.get(type(action))
    return action if name is None else cast("T", replace(cast("Any", action), **{name: text}))


SlotKind: TypeAlias = Literal["text", "number", "date", "time", "ordinal", "list"]


@dataclass(frozen=True, slots=True)
class SlotParameter(Strict):
    """A slot of a program: its accepted values and its default."""

    name: str
    type: SlotKind = "text"
    default: str | None = None
    examples: tuple[str, ...] = ()
    used: bool = True
    """Whether a step uses it; if not, only the demonstrated values are accepted."""


@dataclass(frozen=True, slots=True)
class Alternative(Strict):
    """Other steps for the same task, tried if the first ones fail."""

    steps: tuple[Step, ...]
    origin: str = ""
    """Id of the proposal from a repaired run; empty if the steps come from induction."""


@dataclass(frozen=True, slots=True)
class Program(Strict):
    """A procedure: the instructions that it matches, its slots and its steps."""

    name: str
    templates: tuple[str, ...]
    """Instructions with slots in braces, such as `Send {text} to {to}`."""
    steps: tuple[Step, ...]
    parameters: tuple[SlotParameter, ...] = ()
    start: str = ""
    answer: Value | None = None
    platform: str = ""
    preferred: bool = False
    """Whether the person chose this one of several ways."""
    own_words: bool = False
    """Whether the demonstrations were worded so differently that any clear wording is accepted."""
    demonstrations: int = 1
    cost: float = 0.0
    """Description length; of two programs that fit, the cheaper one was kept."""
    alternatives: tuple[Alternative, ...] = ()
    """Steps to try if a step fails, provided that all previous steps would have been the same."""
    format: Literal["guiagent-program-1"] = "guiagent-program-1"

    def instruction(self, values: Mapping[str, str] | None = None) -> str:
        """The first wording with its slots filled; missing values come from the demonstrations."""
        text = self.templates[0]
        for parameter in self.parameters:
            shown = parameter.examples[0] if parameter.examples else parameter.default or ""
            text = text.replace(f"{{{parameter.name}}}", (values or {}).get(parameter.name, shown))
        return text

    @property
    def ways(self) -> tuple[Program, ...]:
        """The program itself, then the program with the steps of each alternative."""
        return (self, *(replace(self, steps=other.steps) for other in self.alternatives))


def address(program: int, way: int = 0) -> str:
    """The reference of a bookmark to one of several programs and one of its ways."""
    return f"{program}/{way}" if way else str(program)


def numbers_of(name: str) -> tuple[int, int]:
    """The index of the program and of its way in a bookmark's reference."""
    program, _, way = name.partition("/")
    return int(program), int(way or 0)


def program_named(programs: Sequence[Program], name: str) -> Program:
    """The program that a bookmark refers to, with the steps of the referenced way."""
    program, way = numbers_of(name)
    return programs[program].ways[way]
