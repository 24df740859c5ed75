"""Chooses the way to operate a control: open it, choose from it, fill it in, or perform a verb with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from gui_agent.agent.grounder.candidates import options
from gui_agent.core.actions import Check, Choose, Click, Move, Press, Proposal, Scroll, Switch, TypeText, Wait
from gui_agent.core.aiming import aim, places, sole
from gui_agent.core.conditions import StateIs
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import (
    EYES,
    Box,
    Element,
    Mark,
    Observation,
    Point,
    Relation,
    Target,
    Words,
    is_part_of,
)
from gui_agent.core.protocols import Grounder
from gui_agent.core.texts import is_titled, normal
from gui_agent.core.trajectory import Planned, Step
from gui_agent.elements import roles
from gui_agent.elements.scroll_search import A_PAGE, FAR
from gui_agent.planners.commands.commands import Command, Do, ScrollBy
from gui_agent.planners.commands.read_values import Value, read_value
from gui_agent.scene import Scene, ScreenRecord, ScreenRecords
from gui_agent.scene.structure import TAB_LISTS

SUBMENU_SECONDS = 0.4
"""Maximum seconds for a submenu to open when hovered."""
_KEYS = {
    "undo": ("ctrl", "z"),
    "redo": ("ctrl", "shift", "z"),
    "copy": ("ctrl", "c"),
    "cut": ("ctrl", "x"),
    "paste": ("ctrl", "v"),
    "select all": ("ctrl", "a"),
    "page down": ("pagedown",),
    "page up": ("pageup",),
}
"""Keys for verbs that no control performs."""
DATED = re.compile(
    r"\s*(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})?[T ,]*(\d{1,2}:\d\d(:\d\d)?\s*([ap]\.?m\.?)?)?\s*", re.IGNORECASE
)
"""Matches a date, a time, or both."""
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
TWISTY = 20
"""Width (px) of a tree item's expander, left of its name."""
FOLDING = frozenset(("expanded", "collapsed"))
_MAKING = ("new", "add", "add new", "create new", "create a new", "add a new")
"""Names of controls that create something."""
_OF_A_RECORD: tuple[Relation, ...] = ("under the heading", "in the row of")
"""Relations of a control to what it belongs to."""
_YES = frozenset(("on", "yes", "true", "checked", "ticked"))
_NO = frozenset(("off", "no", "false", "unchecked", "unticked"))


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan for one command: actions, or only values that were read."""

    planned: tuple[Planned, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict, hash=False)
    unmet: str = ""
    """Why the command cannot succeed on this screen although nothing is missing; scrolling cannot help."""
    unfinished: bool = False
    """Whether the command must be compiled again after these actions."""
    alone: bool = True
    """Whether the screen must be observed again before the next command."""

    @classmethod
    def from_actions(cls, why: str, *actions: Proposal, unfinished: bool = False) -> Plan:
        """A plan of these actions in order, with one reason for all of them."""
        return cls(tuple(Planned(action, why=why) for action in actions), unfinished=unfinished)


def new_elements(before: Observation, now: Observation) -> list[Element]:
    """The elements of a screen that were not on the earlier one."""
    known = {element.id for element in before.elements}
    return [element for element in now.elements if element.id not in known]


class Controls:
    """The controls of one screen, and how to use them for a command."""

    def __init__(self, observation: Observation, grounder: Grounder, steps: Sequence[Step] = ()) -> None:
        self._steps = steps
        self._screen = observation
        self._grounder = grounder

    @property
    def _records(self) -> ScreenRecords:
        return Scene.from_screen(self._screen).records

    def element(self, target: Target, verb: str) -> Element | None:
        """The target element; None for a point without an element. Raises NotFound or Ambiguous."""
        return self._grounder.locate(target, self._screen, verb=verb).element

    def find(self, target: Target, verb: str = "read") -> Element | None:
        """The element for the words; None if none or several match."""
        try:
            return self.element(target, verb)
        except (NotFound, Ambiguous):
            return None

    def edge(self, target: Target, side: str) -> Point:
        """A point just inside one edge of an element, where a list accepts a drop next to it."""
        found = self._grounder.locate(target, self._screen, verb="drag")
        box = found.box or Box(found.point.x, found.point.y, 1, 1)
        left, top, right, bottom = box.edges
        inset = max(min(box.width, box.height) // 8, 2)
        x = {"left of": left + inset, "right of": right - inset}.get(side, box.center.x)
        y = {"above": top + inset, "below": bottom - inset}.get(side, box.center.y)
        return Point(x, y)

    def scroll(self, command: ScrollBy) -> Scroll[Target] | None:
        """The scroll that a command asks for; None if nothing more is in that direction."""
        size, upright = self._screen.size, command.direction in ("down", "up")
        at: Target = command.within or size.box.center
        shown, left = size.box, FAR
        if command.within is not None:
            shown = self._grounder.locate(at, self._screen, verb="scroll").box or Box(0, 0, 0, 0)
        else:
            side = {"down": "below", "up": "above"}.get(command.direction, command.direction)
            left = self._screen.more.get(side, FAR)
        page = shown.height if upright else shown.width
        distance = left if command.to_end else command.pixels or round(page * A_PAGE)
        if not distance:
            return None
        signed = distance if command.direction in ("down", "right") else -distance
        return Scroll(at, down=signed) if upright else Scroll(at, right=signed)

    def pick(self, option: Words) -> Proposal:
        """Select an option: leave a switch on, click others, choose one out of sight from the only list."""
        try:
            element = self.element(option, "click")
        except NotFound:
            if parted := self._in_parts(option):
                return self.pick(parted)
            if (holder := self._holder(option.text)) is None:
                raise
            return Choose(Mark(holder.id), option.text)
        if element and element.role in roles.TICKABLE:
            return Check(option)
        if element and _was_found_by_option(element, option.text):
            return Choose(Mark(element.id), option.text)
        return Click(option)

    def divide(self, command: Command) -> Do | None:
        """The command with the name of its target as a control of a record or group; None if it is none."""
        if not isinstance(command, Do) or isinstance(command.action, Wait):
            return None
        at = places(command.action)
        named = at.get("at")
        if not isinstance(named, Words) or " for " not in named.text:
            return None
        parted = self._in_parts(named)
        return Do(aim(command.action, {**at, "at": parted})) if parted else None

    def _in_parts(self, target: Words) -> Words | None:
        """`Pro plan` or `plan for Pro` as the box Pro of a group, `Edit for Ada` as a button in a row."""
        one, joint, other = target.text.partition(" for ")
        head, _, tail = target.text.rpartition(" ")
        pairs, relations, fitting = [(head, tail)], _OF_A_RECORD[:1], roles.TICKABLE
        if joint:
            pairs, relations, fitting = [(one, other), (other, one)], _OF_A_RECORD, roles.OPERABLE
        named = product(filter(all, pairs), relations)
        parted = [replace(target, text=text, near=near, relation=way) for (text, near), way in named]
        found = {shown.id: words for words in parted if (shown := self.find(words)) and shown.role in fitting}
        return None if target.near else sole(list(found.values()))

    def choose(self, at: Words, option: str) -> Proposal:
        """Choose from a list, or fill in a field."""
        element = self.find(at, "choose")
        if element and (element.role in roles.CHOICES or "haspopup" in element.states):
            return Choose(at, option)
        if element is None:
            self.element(at, "choose")
        beside = self._labelled_control(element) if element and element.is_text else None
        if beside:
            return Choose(Mark(beside.id), option)
        field = self._takes_text(at)
        return TypeText(option, at, replace=True) if field else Choose(at, option)

    def _labelled_control(self, label: Element) -> Element | None:
        """The one control in the group that a label starts, drawn in place of a hidden list."""
        tree = Scene.from_screen(self._screen).tree
        group = tree.parent(label)
        inside = sole([one for one in tree.elements_below(group) if group and not one.is_text])
        return inside if inside and inside.role in roles.LISTLIKE else None

    def _takes_text(self, at: Words) -> bool:
        try:
            element = self.element(at, "type")
        except (NotFound, Ambiguous):
            return False
        return element is not None and (
            element.role in roles.TYPED_INTO | roles.MEASURED or "editable" in element.states
        )

    def put(self, value: str, into: Target) -> Proposal:
        """The action that sets the control to this value."""
        element = self.find(into, "set")
        if element is None:
            return (
                self.choose(into, value) if isinstance(into, Words) else TypeText(value, into, replace=True)
            )
        if element.role in roles.TICKABLE and normal(value) in _YES | _NO:
            return Check(into, normal(value) in _YES)
        if element.role in roles.CHOOSERS | {"link"} and "editable" not in element.states:
            return Choose(into, value)
        if element.is_text and isinstance(into, Words) and not self._takes_text(into):
            return self.choose(into, value)
        if element.role in roles.MEASURED:
            value = value.rstrip("% ")
        picks = element.role in roles.OPENERS and (DATED.fullmatch(value) or _COLOUR.fullmatch(value))
        at = Mark(element.id) if picks else into  # the picker that a button opens, not the button's name
        return TypeText(value, at, replace=True)

    def switch(self, action: Switch) -> Proposal | None:
        """A program's own tab is clicked if no window has the name."""
        wanted = normal(action.to)
        if any(is_titled(title, action.to) for title in self._screen.place.others):
            return action
        tab = self.find(Words(action.to, "tab"))
        in_tabs = tab is not None and Scene.from_screen(self._screen).tree.part_around(tab, TAB_LISTS)
        if tab is not None and (tab.role == "tab" or in_tabs):
            # A click on the current tab would move the focus from its content to the tab.
            return None if "selected" in tab.states else Click(Mark(tab.id))
        alone = self.find(Words(action.to), "click")
        same = alone is not None and not alone.is_text and normal(alone.name) == wanted
        return Click(Mark(alone.id)) if alone is not None and same else action

    def _holder(self, text: str) -> Element | None:
        """The only list of the screen without known options, which may contain one out of sight."""
        lists = [e for e in self._screen.controls if e.role in roles.DROPDOWNS and not options(e)]
        return sole(lists) if text else None

    def invoke(self, verb: str, what: Words | None, why: str) -> Proposal | Plan:
        """Press the control that performs the verb; raises the error of the last attempt."""
        if what is None:
            return self._invoke_alone(verb)
        if verb in ("go to", "show"):
            return self.unfold(what, why)
        if verb == "go to page":
            button = replace(what, role="button")
            return self.unfold(button if self.find(button) else replace(what, role="link"), why)
        if verb == "close" and (shown := self.find(what)) and "expanded" in shown.states:
            return self.fold(what, why)
        if what.text and what == Words(what.text):
            for head in (verb, f"{verb} to", *(_MAKING if verb == "create" else ())):
                whole = Words(f"{head} {what.text}")
                element = self.find(whole)
                if element is not None and not element.is_text:
                    return self.pick(whole)
        record = _record_named(what)
        self._require_key(record)
        return Click(Words(verb, near=record, relation="in the row of"))

    def _invoke_alone(self, verb: str) -> Proposal:
        """Perform a verb without an object: turn the page, press the control of that name, or press keys."""
        if verb in ("next page", "previous page"):
            from gui_agent.procedures.language.view import View
            from gui_agent.procedures.runtime.recovery import next_page, previous_page

            turning = (next_page if verb == "next page" else previous_page)(View(self._screen))
            return Click(Mark(turning.id) if turning else Words(verb))
        try:
            return self.pick(Words(verb))
        except NotFound:
            if verb not in _KEYS:
                raise
            return Press(_KEYS[verb])

    def _require_key(self, text: str) -> None:
        """Raise for a record that has the text only as a value: `delete draft` refers to a name."""
        records = self._records
        if not text or records.anchors_of(text, in_any_column=False):
            return
        holders = [one for one in self._screen.elements if normal(one.name) == normal(text)]
        if missing := records.not_found(text, holders):
            raise missing

    def open(self, item: Words, why: str) -> Plan:
        """Open the element; a record, found by its key, by its opener or else by clicking the key."""
        element, records = self.find(item, "click"), self._records
        record = records.record_of(element) if element is not None else None
        element = None if element is not None and element.role in roles.TICKABLE else element
        if record is not None and (element is None or element.role not in roles.OPERABLE):
            self._require_key(item.text)
        named = [] if element is not None else records.anchors_of(item.text, in_any_column=False)
        key = sole([one for one in named if records.record_of(one) is not None])
        if key is None:
            return self.unfold(item, why)
        opener = Words("open", near=item.text, relation="in the row of")
        return Plan.from_actions(why, Click(opener if self.find(opener, "click") else Mark(key.id)))

    def fold(self, item: Words, why: str) -> Plan:
        """Collapse an open element; leave a collapsed one alone."""
        element = self.element(item, "click")
        if element and "collapsed" in element.states:
            return Plan(alone=False)
        return Plan.from_actions(why, Click(item))

    def unfold(self, item: Words, why: str) -> Plan:
        """Hover over submenus, as a click may choose them; click menu bars."""
        target, element = self._menu(item)
        if element is None:
            return Plan.from_actions(why, Click(target))
        branch = self._tree_branch(element)
        if branch is not None:
            opened = "expanded" in branch.states
            return Plan(alone=False) if opened else self._unfold_branch(target, element, branch, why)
        if (twisty := self._twisty(element)) is not None:
            return Plan.from_actions(why, Click(Mark(twisty.id)))
        pointed = Move(target)
        if self._steps and self._steps[0].planned.action == pointed:
            fresh = new_elements(self._steps[0].before, self._screen)
            # Other new elements are not menus, except those read from the picture, whose kind is unknown.
            eyes = element.source.startswith(tuple(EYES))
            if any(eyes or now.role in roles.POPPED_UP for now in fresh):
                return Plan(alone=False)
        elif "expanded" in element.states:
            return Plan(alone=False)
        elif element.role == "menuitem" and "haspopup" in element.states:
            return Plan.from_actions(why, pointed, Wait(SUBMENU_SECONDS), unfinished=True)
        return Plan.from_actions(why, Click(target))

    def _tree_branch(self, element: Element) -> Element | None:
        """The tree row of an element, if the row reports whether it is expanded."""
        rows = [one for one in self._screen.elements if one.role in roles.BRANCHES and one.states & FOLDING]
        if element in rows:
            return element
        around = [one for one in rows if one.box.encloses(element.box) and is_part_of(element, one)]
        return min(around, key=lambda one: one.box.area, default=None)

    def _twisty(self, element: Element) -> Element | None:
        """The nameless button at the start of a tree row that does not report whether it is expanded."""
        if element.role not in roles.BRANCHES:
            return None
        buttons = (one for one in self._screen.controls if one.role == "button" and is_part_of(one, element))
        first = next(buttons, None)
        start = Box(*element.box.corner, 3 * TWISTY, element.box.height)
        return first if first and not first.name and start.encloses(first.box) else None

    def _unfold_branch(self, item: Target, element: Element, branch: Element, why: str) -> Plan:
        """A branch's expander is left of its name; a click on the name may only select it."""
        ways: tuple[Proposal, ...] = (
            Click(item),
            Press(("right",)),
            Press(("shift", "right")),  # without shift, GTK moves to the next column
            Click(item, clicks=2),
        )
        start, outer = element.box.corner[0], branch.box.corner[0]
        if element.id == branch.id:
            ways = (*ways, Click(Point(outer + TWISTY // 2, branch.box.center.y)))
        elif start - outer >= TWISTY:
            ways = (Click(Point(start - TWISTY // 2, element.box.center.y)), *ways)
        last = self._steps[-1].planned.action if self._steps else None
        way = ways.index(last) + 1 if last in ways[:-1] else 0
        expect = (StateIs(Mark(branch.id), "expanded"),) if way == len(ways) - 1 else ()
        return Plan((Planned(ways[way], expect, why),), unfinished=not expect)

    def _menu(self, item: Words) -> tuple[Target, Element | None]:
        """The element to open; of several with the name, the one that just appeared, or the menu."""
        try:
            return item, self.element(item, "click")
        except Ambiguous as error:
            if item.role or not item.text:
                raise
            leading = [Mark(one.id) for one in error.candidates if one.role in roles.NAVIGATING]
            target = self.come_up(error) or sole(leading) or replace(item, role="menu")
            return target, self.element(target, "click")

    def come_up(self, error: Ambiguous) -> Mark | None:
        """Of several elements with the name, the one in the menu that just appeared or was just hovered."""
        if not self._steps:
            return None
        first = self._steps[0]
        pointed = first.planned.action.at if isinstance(first.planned.action, Move) else None
        fresh = new_elements(first.before, self._screen)
        items = [one for one in error.candidates if one.role in roles.IN_MENUS]
        shown = sole([e for e in items if pointed == Mark(e.id) or (e in fresh and not self.heads_menu(e))])
        return Mark(shown.id) if shown else None

    def heads_menu(self, item: Element) -> bool:
        """Whether the element opens a menu of a menu bar; entries of a menu are stacked vertically."""
        alike = (e.box.corner for e in self._screen.elements if e.role == item.role)
        bar = {left for left, top in alike if top == item.box.corner[1]}
        return item.role in roles.IN_MENUS and len(bar) > 2

    def read(self, what: Words) -> Value:
        """Read a value. If nothing is called `the city of Ada`, read `city` in Ada's row."""
        try:
            return read_value(what, self._screen, self._grounder)
        except NotFound:
            if not what.near and not what.role and " of " in what.text:
                value, _, whose = what.text.rpartition(" of ")
                what = Words(value, near=whose, relation="for")
            elif not what.near or what.relation != "for" or what.role:
                raise
            try:
                return read_value(Words(f"{what.text} of {what.near}"), self._screen, self._grounder)
            except NotFound:
                self._require_key(what.near)
                return read_value(replace(what, relation="in the row of"), self._screen, self._grounder)

    def tick(self, action: Check[Target]) -> Check[Target]:
        """Find the only box of a record by the record's key, not by texts next to the box."""
        at = action.at
        if not isinstance(at, Words) or not at.text or at.near:
            return action
        element, records = self.find(at, "check"), self._records
        if element is not None and not _is_ticked_by_record(element, records.record_of(element)):
            return action
        named = [one for one in records.anchors_of(at.text, in_any_column=False) if records.record_of(one)]
        missing = records.not_found(at.text, [element]) if element is not None and not named else None
        if missing is not None:
            raise missing
        box = replace(at, text="", role=at.role or "checkbox", near=at.text, relation="in the row of")
        return replace(action, at=box) if named and self.find(box, "check") is not None else action


def _record_named(what: Words) -> str:
    """The record that a verb is about: `order 5`, or `Ada` for the row with Ada."""
    has_owner = (what.text or what.role == "row") and what.near not in roles.REGIONS
    return " of ".join(filter(None, (what.text, what.near if has_owner else "")))


def _is_ticked_by_record(element: Element, record: ScreenRecord | None) -> bool:
    """Whether the element is, or is next to, the only box of its record, and that box has no name."""
    boxes = [one for one in record.parts if one.role in roles.TICKABLE] if record is not None else []
    return len(boxes) == 1 and not (element in boxes and element.name)


def _was_found_by_option(element: Element, text: str) -> bool:
    return normal(element.name) != normal(text) and normal(text) in map(normal, options(element))
