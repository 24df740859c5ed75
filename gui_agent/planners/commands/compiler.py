"""Compiles one plain command, on the present screen, into the actions that carry it out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from gui_agent.core.actions import Check, Choose, Click, Drag, Open, Press, Proposal, Switch, TypeText, Wait
from gui_agent.core.aiming import places
from gui_agent.core.conditions import Condition, ValueIs, holds
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import PAGES, Element, Mark, Observation, Point, Target, Words
from gui_agent.core.protocols import Grounder
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Planned, Step
from gui_agent.elements.roles import SELECTED, TEXT_FIELDS
from gui_agent.planners.commands import _fallbacks as fallbacks
from gui_agent.planners.commands._controls import DATED, Controls, Plan
from gui_agent.planners.commands.commands import (
    Append,
    Command,
    Copy,
    Do,
    DragBeside,
    DragBy,
    Invoke,
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
_OPENED = re.compile(r"[/\\]|\.\w{1,5}$|\w:\d")
"""Matches a file or an address, which is not the name of a control."""


class Planning:
    """Compiles commands on one screen."""

    def __init__(
        self,
        observation: Observation,
        grounder: Grounder,
        steps: Sequence[Step] = (),
        acted: Step | None = None,
        filled: Mapping[int, str] | None = None,
    ) -> None:
        """
        Args:
            steps: the steps just carried out, which may have been the first part of a command.
            acted: the last step of the run that was not a wait, if `steps` does not include it.
            filled: the names of the fields that the run has filled in, by element id.
        """
        self._filled = dict(filled or {})
        self._steps = steps
        self._acted = acted or (steps[-1] if steps else None)
        self._screen = observation
        self._grounder = grounder

    @cached_property
    def _controls(self) -> Controls:
        return Controls(self._screen, self._grounder, self._steps)

    def plan(self, command: Command) -> Plan:
        try:
            return self._plan_for(command)
        except NotFound:
            plan = fallbacks.by_name_box(self._screen, command)
            plan = plan or fallbacks.by_context_menu(self._screen, self._steps, command, self._controls.find)
            other = fallbacks.turning(command) or self._controls.divide(command)
            if plan is None and other is not None:
                return self.plan(other)
            if plan is None:
                raise
            return plan

    def _plan_for(self, command: Command) -> Plan:
        why = say(command)
        match command:
            case Do(Open(name)) if self._is_on_page(name):
                return self._controls.open(Words(name), why)
            case Do(Choose(Words() as at, option)):
                return self._do(self._controls.choose(at, option), why)
            case Do(action):
                return self._do(action, why)
            case Pick(option):
                return self._do(self._controls.pick(option), why)
            case Unfold(item, opened):
                return (self._controls.unfold if opened else self._controls.fold)(item, why)
            case Invoke(verb, what):
                way = self._controls.invoke(verb, what, why)
                return way if isinstance(way, Plan) else self._do(way, why)
            case Put(value, into):
                return self._do(self._controls.put(value, into), why)
            case Append(text, to):
                field = self._controls.element(to, "type")
                return Plan.from_actions(
                    why, Click(Mark(field.id) if field else to), Press(("ctrl", "end")), TypeText(text)
                )
            case Read() | Copy() | Verify():
                return self._plan_look(command, why)
            case ScrollBy() | ScrollTo() | DragBeside() | DragBy():
                return self._plan_move(command, why)

    def _is_on_page(self, name: str) -> bool:
        """Whether the name to open is an element of the page: an exact match, or not a file or an address."""
        is_shown = any(one.name.strip() == name for one in self._screen.elements)
        return bool(self._screen.place.url) and (is_shown or not _OPENED.search(name))

    def _plan_look(self, command: Read | Copy | Verify, why: str) -> Plan:
        match command:
            case Read(what, name):
                return Plan(notes={name or what.text or str(what): self._controls.read(what)}, alone=False)
            case Copy(what, into):
                value = read_value(what, self._screen, self._grounder)
                return self._do(TypeText(value, into, replace=True), why)
            case Verify(condition, 0.0):
                return Plan(unmet=self._unmet(condition), alone=False)
            case Verify(condition, seconds):
                return Plan((Planned(Wait(seconds), (condition,), why),))

    def _plan_move(self, command: ScrollBy | ScrollTo | DragBeside | DragBy, why: str) -> Plan:
        match command:
            case ScrollBy():
                way = self._controls.scroll(command)
                return Plan.from_actions(why, way) if way is not None else Plan(alone=False)
            case ScrollTo(target):
                self._controls.element(target, "read")
                return Plan(alone=False)
            case DragBeside(target, beside, side):
                return self._do(Drag(target, self._controls.edge(beside, side)), why)
            case DragBy(target, (right, down)):
                start = self._grounder.locate(target, self._screen, verb="drag").point
                return self._do(Drag(target, Point(start.x + right, start.y + down)), why)

    def value(self, command: Command) -> str | None:
        """The value that a command reads on this screen; None if it reads nothing."""
        match command:
            case Read(what) | Copy(what) | Verify(ValueIs(Words() as what)):
                return self._controls.read(what)
        return None

    def _do(self, action: Proposal, why: str) -> Plan:
        match action:
            case Wait():
                return Plan.from_actions(why, action)
            case Switch() if (turned := self._controls.switch(action)) is not action:
                return Plan(alone=False) if turned is None else self._do(turned, why)
            case TypeText(at=None) | Press() if lost := self._why_keys_are_lost(action):
                return Plan(unmet=lost)
            case TypeText(text, None) if held := fallbacks.field_to_replace(self._screen, self._acted, text):
                action = TypeText(text, Mark(held.id), replace=True)
            case Check():
                action = self._controls.tick(action)
        return self._do_at_places(action, why)

    def _do_at_places(self, action: Proposal, why: str) -> Plan:
        """The action with its targets resolved, or the preparation that it needs."""
        named: dict[str, Target] = places(action)
        try:
            found = {key: self._controls.element(target, action.kind) for key, target in named.items()}
        except Ambiguous as error:
            mark = self._of_several(action, error)
            if mark is None or not isinstance(action, Click | TypeText | Choose | Check):
                raise
            return self._do(replace(action, at=mark), why)
        field = found.get("at")
        fills = isinstance(action, TypeText | Check | Choose) and action.at is not None
        if field is not None and fills and (way := self._instead(action, field, why)) is not None:
            return way
        return Plan((Planned(action, _read_back_conditions(action, field), why),), alone=not fills)

    def _instead(self, action: Proposal, field: Element, why: str) -> Plan | None:
        """A replacement for, or preparation of, filling in a field; stores the field's name."""
        hindered = "disabled" in field.states or "\n" in field.value.strip() or field.role in SELECTED
        way = None
        if hindered or field.id in self._filled:
            way = fallbacks.obstacle(self._screen, action, field, why, self._filled)
        self._filled.setdefault(field.id, getattr(places(action)["at"], "text", ""))
        return way

    def _of_several(self, action: Proposal, error: Ambiguous) -> Mark | None:
        mark = self._controls.come_up(error) if isinstance(action, Click) else None
        acting = [one for one in error.candidates if not self._controls.heads_menu(one)]
        if mark is None and isinstance(action, Click) and len(acting) == 1 and acting[0].role == "button":
            return Mark(acting[0].id)  # a click needs an active element, not a menu title of that name
        return mark or fallbacks.in_line(self._screen, self._acted, error)

    def _why_keys_are_lost(self, action: TypeText[Target] | Press) -> str:
        """Why keys might go astray now: the screen is still loading, or nothing appeared that takes them."""
        if self._acted is None:
            return ""
        busy = [element.id for element in self._screen.elements if "busy" in element.states]
        known = {element.id for element in self._acted.before.elements if "busy" in element.states}
        if not known.issuperset(busy):
            return f"the screen is still loading after this step: {self._acted.planned.why}"
        return fallbacks.asked_nothing(self._screen, self._acted, getattr(action, "text", ""))

    def _unmet(self, condition: Condition[Target]) -> str:
        seen = ""
        if isinstance(condition, ValueIs) and isinstance(condition.of, Words):
            seen = read_value(condition.of, self._screen, self._grounder)
            met: bool | None = normal(seen) == normal(condition.value)
        else:
            met = holds(condition, self._screen, lambda target, _: self._controls.find(target))
        return "" if met else f"{condition} does not hold" + (f'; it is "{seen}"' if seen else "")


def _read_back_conditions(action: Proposal, element: Element | None) -> tuple[Condition[Target], ...]:
    if element is None:
        return ()
    if isinstance(action, TypeText):
        as_typed = element.role in TEXT_FIELDS and "password" not in element.states
        as_typed = as_typed and element.attributes.get("type", "") in _PLAIN_TYPES
        # Pages format dates in their own way; the browser reads back the shown text.
        as_typed = as_typed and not (element.source in PAGES and DATED.fullmatch(action.text))
        if action.replace and as_typed and "${secret:" not in action.text and "\n" not in action.text:
            return (ValueIs(Mark(element.id), action.text),)
    return ()
