"""Compiles one plain command, on the present screen, into the actions that carry it out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gui_agent.agent.grounder.candidates import options
from gui_agent.core.actions import (
    Check,
    Choose,
    Click,
    Drag,
    Move,
    Open,
    Press,
    Proposal,
    Scroll,
    Switch,
    TypeText,
    Wait,
    places,
)
from gui_agent.core.conditions import Condition, ValueIs, holds
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.geometry import Point
from gui_agent.core.observation import Element, Observation
from gui_agent.core.protocols import Grounder
from gui_agent.core.targets import Mark, Target, Words
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Planned, Step
from gui_agent.elements.roles import DROPDOWNS, IN_MENUS, OPENERS, TEXT_FIELDS, TICKABLE
from gui_agent.elements.scroll_search import A_PAGE, FAR
from gui_agent.planners.commands.commands import (
    Append,
    Command,
    Copy,
    Do,
    DragBy,
    Pick,
    Put,
    Read,
    ScrollBy,
    ScrollTo,
    Unfold,
    Verify,
)
from gui_agent.planners.commands.read_values import read_value
from gui_agent.planners.commands.unparse import say

_PLAIN_TYPES = frozenset(("", "text", "search", "email", "url"))
_DATED = re.compile(
    r"\s*(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})?[T ,]*(\d{1,2}:\d\d(:\d\d)?\s*([ap]\.?m\.?)?)?\s*", re.IGNORECASE
)
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_YES = frozenset(("on", "yes", "true", "checked", "ticked"))
_NO = frozenset(("off", "no", "false", "unchecked", "unticked"))


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do for one command: actions, or nothing but values that were read."""

    planned: tuple[Planned, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    unmet: str = ""
    """Why the command cannot be done on this screen although nothing is missing; looking around is no use."""
    unfinished: bool = False
    """Whether the command is to be worked out once more after these actions."""
    alone: bool = True
    """Whether the screen must be looked at again before the next command."""


class Planning:
    """Works out commands on one screen."""

    def __init__(self, observation: Observation, grounder: Grounder, steps: Sequence[Step] = ()) -> None:
        """
        Args:
            steps: what was just carried out, which may have been the first part of a command.
        """
        self._steps = steps
        self._screen = observation
        self._grounder = grounder

    def plan(self, command: Command) -> Plan:
        """The actions for a command on this screen.

        Raises:
            NotFound: something that the command names is not on the screen.
            Ambiguous: it names several things.
        """
        match command:
            case Do(action):
                return self._do(action, say(command))
            case Pick(option):
                return self._do(self._pick(option), say(command))
            case Unfold(item):
                return self._unfold(item, say(command))
            case Put(value, into):
                return self._do(self._put(value, into), say(command))
            case Append(text, to):
                self._element(to, "type")
                steps: tuple[Proposal, ...] = (Click(to), Press(("ctrl", "end")), TypeText(text))
                return Plan(tuple(Planned(step, why=say(command)) for step in steps))
            case ScrollBy():
                return self._scroll(command)
            case ScrollTo(target):
                self._element(target, "read")
                return Plan(alone=False)
            case DragBy(target, right, down):
                start = self._grounder.locate(target, self._screen, verb="drag").point
                end = Point(start.x + right, start.y + down)
                outside = self._outside(end)
                return Plan(() if outside else (Planned(Drag(target, end), why=say(command)),), unmet=outside)
            case Read(what, name):
                value = read_value(what, self._screen, self._grounder)
                return Plan(notes={name or what.text or str(what): value}, alone=False)
            case Copy(what, into):
                value = read_value(what, self._screen, self._grounder)
                return self._do(TypeText(value, into, replace=True), say(command))
            case Verify(condition):
                return Plan(unmet=self._unmet(condition), alone=False)

    def value(self, command: Command) -> str | None:
        """What a command reads on this screen; None when it reads nothing."""
        match command:
            case Read(what) | Copy(what) | Verify(ValueIs(Words() as what)):
                return read_value(what, self._screen, self._grounder)
        return None

    def _do(self, action: Proposal, why: str) -> Plan:
        if isinstance(action, Wait):
            return Plan((Planned(action, why=why),))
        if isinstance(action, Switch):
            action = self._switch(action)
        if isinstance(action, Open) and self._is_section(action.name):
            return self._unfold(Words(action.name), why)
        named: dict[str, Target] = places(action)
        outside = [point for point in named.values() if isinstance(point, Point) and self._outside(point)]
        if outside:
            return Plan(unmet=self._outside(outside[0]))
        try:
            found = {key: self._element(target, action.kind) for key, target in named.items()}
        except Ambiguous as error:
            mark = self._come_up(error)
            if mark is None or not isinstance(action, Click):
                raise
            return Plan((Planned(replace(action, at=mark), why=why),))
        expect = _expected(action, found.get("at"))
        fills = isinstance(action, (TypeText, Check, Choose)) and action.at is not None
        return Plan((Planned(action, expect, why),), alone=not fills)

    def _is_section(self, name: str) -> bool:
        """Whether what is to be opened is a part of the page that is in sight, and not an address."""
        is_page = bool(self._screen.place.url) and not re.search(r"[/\\]|\w[.:]\w", name)
        return is_page and self._find(Words(name), self._screen) is not None

    def _element(self, target: Target, verb: str) -> Element | None:
        return self._grounder.locate(target, self._screen, verb=verb).element

    def _outside(self, point: Point) -> str:
        """Why a point cannot be used, empty when it can."""
        size = self._screen.size
        if size.contains(point):
            return ""
        return f"{point.x},{point.y} is outside the screen of {size.width} x {size.height} pixels"

    def _pick(self, option: Words) -> Proposal:
        """A switch is left on, anything else is clicked; what is not in sight is chosen in the only list."""
        try:
            element = self._element(option, "click")
        except NotFound:
            holder = self._holder(option.text)
            if holder is None:
                raise
            return Choose(Mark(holder.id), option.text)
        if element is not None and element.role in TICKABLE:
            return Check(option)
        if element is not None and _holds(element, option.text):
            return Choose(Mark(element.id), option.text)
        return Click(option)

    def _switch(self, action: Switch) -> Proposal:
        """Programs have tabs of their own; where no window or page has the name, such a tab is clicked."""
        wanted = normal(action.to)
        if any(wanted in normal(title) for title in self._screen.place.others):
            return action
        tab = self._find(Words(action.to, "tab"), self._screen)
        is_tab = tab is not None and (tab.role == "tab" or "/tablist" in tab.path)
        return Click(Mark(tab.id)) if tab is not None and is_tab else action

    def _holder(self, text: str) -> Element | None:
        """The only list of the screen that does not tell its options, which may hold one not in sight."""
        lists = [e for e in self._screen.controls if e.role in DROPDOWNS and not options(e)]
        return lists[0] if text and len(lists) == 1 else None

    def _unfold(self, item: Words, why: str) -> Plan:
        from gui_agent.planners.commands.unfolding import unfold  # few tasks unfold anything

        target, element = self._menu(item)
        return unfold(target, element, self._screen, self._steps, why)

    def _menu(self, item: Words) -> tuple[Target, Element | None]:
        """What is to be opened; of several things of a name the one that has just come up, or the menu."""
        try:
            return item, self._element(item, "click")
        except Ambiguous as error:
            if item.role or not item.text:
                raise
            target = self._come_up(error) or replace(item, role="menu")
            return target, self._element(target, "click")

    def _come_up(self, error: Ambiguous) -> Mark | None:
        """Of several things of a name the one in the menu that has just come up, or was just pointed at."""
        if not self._steps:
            return None
        first = self._steps[0]
        pointed = first.planned.action.at if isinstance(first.planned.action, Move) else None
        before = {element.id for element in first.before.elements}
        fresh = [
            Mark(one.id)
            for one in error.candidates
            if one.role in IN_MENUS and (one.id not in before or pointed == Mark(one.id))
        ]
        return fresh[0] if len(fresh) == 1 else None

    def _put(self, value: str, into: Target) -> Proposal:
        element = self._element(into, "read")
        if element is not None and element.role in TICKABLE and normal(value) in _YES | _NO:
            return Check(into, normal(value) in _YES)
        chosen = element is not None and element.role in DROPDOWNS | {"radiogroup"}
        if chosen and element is not None and "editable" not in element.states:
            return Choose(into, value)
        opens = element is not None and element.role in OPENERS
        if element is not None and opens and (_DATED.fullmatch(value) or _COLOUR.fullmatch(value)):
            return TypeText(value, Mark(element.id), replace=True)  # into the picker that it opens
        return TypeText(value, into, replace=True)

    def _scroll(self, command: ScrollBy) -> Plan:
        forward = command.direction in ("down", "right")
        upright = command.direction in ("down", "up")
        at: Target = Point(self._screen.size.width // 2, self._screen.size.height // 2)
        if command.within is not None:
            at = command.within
            box = self._grounder.locate(at, self._screen, verb="scroll").box
            page = (box.height if upright else box.width) if box else 0
            left = FAR
        else:
            page = self._screen.size.height if upright else self._screen.size.width
            side = {"down": "below", "up": "above"}.get(command.direction, command.direction)
            left = self._screen.more.get(side, FAR)
        distance = left if command.to_end else command.pixels or round(page * A_PAGE)
        if not distance:
            return Plan(alone=False)
        signed = distance if forward else -distance
        action = Scroll(at, down=signed) if upright else Scroll(at, right=signed)
        return Plan((Planned(action, why=say(command)),))

    def _unmet(self, condition: Condition[Target]) -> str:
        seen = ""
        if isinstance(condition, ValueIs) and isinstance(condition.of, Words):
            seen = read_value(condition.of, self._screen, self._grounder)
            met: bool | None = normal(seen) == normal(condition.value)
        else:
            met = holds(condition, self._screen, self._find)
        return "" if met else f"{condition} does not hold" + (f'; it is "{seen}"' if seen else "")

    def _find(self, target: Target, observation: Observation) -> Element | None:
        try:
            return self._grounder.locate(target, observation, verb="read").element
        except (NotFound, Ambiguous):
            return None


def _holds(element: Element, text: str) -> bool:
    """Whether the element is a list that was found by one of its options, not by its own name."""
    return any(normal(option) == normal(text) for option in options(element)) and normal(
        element.name
    ) != normal(text)


def _expected(action: Proposal, element: Element | None) -> tuple[Condition[Target], ...]:
    """What the field must hold afterwards, for fields that keep a text as it was given."""
    if element is None:
        return ()
    if isinstance(action, TypeText):
        as_typed = element.role in TEXT_FIELDS and "password" not in element.states
        as_typed = as_typed and element.attributes.get("type", "") in _PLAIN_TYPES
        # Pages write dates in their own way; the browser has read back what they show.
        as_typed = as_typed and not (element.source == "dom" and _DATED.fullmatch(action.text))
        if action.replace and as_typed and "${secret:" not in action.text and "\n" not in action.text:
            return (ValueIs(Mark(element.id), action.text),)
    return ()
