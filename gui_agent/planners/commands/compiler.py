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
from gui_agent.planners.commands.controls import DATED, Controls, Plan
from gui_agent.planners.commands.read_values import read_value
from gui_agent.planners.commands.unparse import say

_PLAIN_TYPES = frozenset(("", "text", "search", "email", "url"))
_OPENED = re.compile(r"[/\\]|\.\w{1,5}$|\w:\d")
"""What is a file or an address, and no control of a page."""


class Planning:
    """Works out commands on one screen."""

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
            steps: what was just carried out, which may have been the first part of a command.
            acted: the last step of the run that was no wait, when it is not among them.
            filled: by their ids the names of the fields that the run has filled in.
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
            from gui_agent.planners.commands.detours import by_context_menu, by_name_box, turning

            plan = by_name_box(self._screen, command)
            plan = plan or by_context_menu(self._screen, self._steps, command, self._controls.find)
            other = turning(command)
            if plan is None and other is not None:
                return self.plan(other)
            if plan is None:
                raise
            return plan

    def _plan_for(self, command: Command) -> Plan:
        match command:
            case Do(Open(name)) if self._screen.place.url and not _OPENED.search(name):
                return self._controls.open(Words(name), say(command))
            case Do(Choose(at, option)) if isinstance(at, Words):
                return self._do(self._controls.choose(at, option), say(command))
            case Do(action):
                return self._do(action, say(command))
            case Pick(option):
                return self._do(self._controls.pick(option), say(command))
            case Unfold(item, opened):
                turn = self._controls.unfold if opened else self._controls.fold
                return turn(item, say(command))
            case Invoke(verb, what):
                way = self._controls.invoke(verb, what, say(command))
                return way if isinstance(way, Plan) else self._do(way, say(command))
            case Put(value, into):
                return self._do(self._controls.put(value, into), say(command))
            case Append(text, to):
                field = self._element(to, "type")
                place = Mark(field.id) if field else to
                ways: tuple[Proposal, ...] = (Click(place), Press(("ctrl", "end")), TypeText(text))
                return Plan(tuple(Planned(step, why=say(command)) for step in ways))
            case ScrollBy() | ScrollTo() | DragBeside() | DragBy():
                return self._plan_move(command)
            case Read(what, name):
                value = self._controls.read(what)
                return Plan(notes={name or what.text or str(what): value}, alone=False)
            case Copy(what, into):
                value = read_value(what, self._screen, self._grounder)
                return self._do(TypeText(value, into, replace=True), say(command))
            case Verify(condition, within):
                wait = (Planned(Wait(within), expect=(condition,), why=say(command)),)
                return Plan(wait) if within else Plan(unmet=self._unmet(condition), alone=False)

    def _plan_move(self, command: ScrollBy | ScrollTo | DragBeside | DragBy) -> Plan:
        match command:
            case ScrollBy():
                way = self._controls.scroll(command)
                return Plan((Planned(way, why=say(command)),)) if way is not None else Plan(alone=False)
            case ScrollTo(target):
                self._element(target, "read")
                return Plan(alone=False)
            case DragBeside(target, beside, side):
                return self._do(Drag(target, self._controls.edge(beside, side)), say(command))
            case DragBy(target, right, down):
                start = self._grounder.locate(target, self._screen, verb="drag").point
                return self._do(Drag(target, Point(start.x + right, start.y + down)), say(command))

    def value(self, command: Command) -> str | None:
        """What a command reads on this screen; None when it reads nothing."""
        match command:
            case Read(what) | Copy(what) | Verify(ValueIs(Words() as what)):
                return self._controls.read(what)
        return None

    def _do(self, action: Proposal, why: str) -> Plan:
        if isinstance(action, Wait):
            return Plan((Planned(action, why=why),))
        if isinstance(action, Switch) and (turned := self._controls.switch(action)) is not action:
            return Plan(alone=False) if turned is None else self._do(turned, why)
        if isinstance(action, TypeText | Press) and not getattr(action, "at", None) and self._loading():
            return Plan(unmet=f"the screen is still loading after: {self._loading()}")
        if isinstance(action, TypeText) and action.at is None:
            from gui_agent.planners.commands.detours import asked_nothing, field_to_replace

            if lost := asked_nothing(self._screen, self._acted, action.text):
                return Plan(unmet=lost)
            held = field_to_replace(self._screen, self._acted, action.text)
            action = replace(action, at=Mark(held.id), replace=True) if held is not None else action
        action = self._controls.tick(action) if isinstance(action, Check) else action
        named: dict[str, Target] = places(action)
        outside = [point for point in named.values() if isinstance(point, Point) and self._why_outside(point)]
        if outside:
            return Plan(unmet=self._why_outside(outside[0]))
        try:
            found = {key: self._element(target, action.kind) for key, target in named.items()}
        except NotFound:
            from gui_agent.planners.commands.detours import each_named

            if not (several := each_named(action, self._controls.find)):
                raise
            return Plan(tuple(Planned(one, why=why) for one in several))
        except Ambiguous as error:
            mark = self._of_several(action, error)
            if mark is None or not isinstance(action, Click | TypeText | Choose | Check):
                raise
            return self._do(replace(action, at=mark), why)
        field = found.get("at")
        fills = isinstance(action, (TypeText, Check, Choose)) and action.at is not None
        if field is not None and fills and (way := self._instead(action, field, why)) is not None:
            return way
        expect = _read_back_conditions(action, field)
        return Plan((Planned(action, expect, why),), alone=not fills)

    def _instead(self, action: Proposal, field: Element, why: str) -> Plan | None:
        """What is done instead of filling in a field, or before; the name that it has is kept."""
        hindered = "disabled" in field.states or "\n" in field.value.strip() or field.role in SELECTED
        way = None
        if hindered or field.id in self._filled:
            from gui_agent.planners.commands.detours import obstacle

            way = obstacle(self._screen, action, field, why, self._filled)
        self._filled.setdefault(field.id, getattr(places(action)["at"], "text", ""))
        return way

    def _of_several(self, action: Proposal, error: Ambiguous) -> Mark | None:
        from gui_agent.planners.commands.detours import in_line

        mark = self._controls.come_up(error) if isinstance(action, Click) else None
        acting = [one for one in error.candidates if not self._controls.heads_menu(one)]
        if mark is None and isinstance(action, Click) and len(acting) == 1 and acting[0].role == "button":
            return Mark(acting[0].id)  # a click is for what does something, not for the menu of that name
        return mark or in_line(self._screen, self._acted, error)

    def _loading(self) -> str:
        """The command behind which something is loading still: keys might do another thing by now."""
        before = self._acted.before.elements if self._acted else ()
        known = {element.id for element in before if "busy" in element.states}
        fresh = any("busy" in element.states and element.id not in known for element in self._screen.elements)
        return self._acted.planned.why if self._acted and fresh else ""

    def _why_outside(self, point: Point) -> str:
        size = self._screen.size
        if size.contains(point):
            return ""
        return f"{point.x},{point.y} is outside the screen of {size.width} x {size.height} pixels"

    def _element(self, target: Target, verb: str) -> Element | None:
        return self._grounder.locate(target, self._screen, verb=verb).element

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
        # Pages write dates in their own way; the browser has read back what they show.
        as_typed = as_typed and not (element.source in PAGES and DATED.fullmatch(action.text))
        if action.replace and as_typed and "${secret:" not in action.text and "\n" not in action.text:
            return (ValueIs(Mark(element.id), action.text),)
    return ()
