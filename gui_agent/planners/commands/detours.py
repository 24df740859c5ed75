"""Workarounds where a program does not show what it has, or asks back: cells by name, disabled fields ..."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from gui_agent.agent.questions import came_up
from gui_agent.core.actions import Check, Choose, Click, Press, Proposal, Scroll, TypeText, Upload, Wait
from gui_agent.core.aiming import places
from gui_agent.core.conditions import StateIs
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import NOTHING, Element, Mark, Observation, Words, on_one_line
from gui_agent.core.protocols import Grounder
from gui_agent.core.texts import label, normal, shorten
from gui_agent.core.trajectory import Planned, Step
from gui_agent.elements.roles import DIALOGS, IN_MENUS, POPPED_UP, SELECTED, TITLES, TYPED_INTO, WITH_MENUS
from gui_agent.elements.scroll_search import Search, begin, next_move, way_to
from gui_agent.elements.text import VERY, compare
from gui_agent.planners.commands.advice import texts_named
from gui_agent.planners.commands.commands import Append, Command, Do, Invoke, Put, ScrollTo, Verify
from gui_agent.planners.commands.controls import Plan
from gui_agent.planners.commands.unparse import place, quote, say
from gui_agent.scene import Scene

_CELL = re.compile(r"[A-Za-z]{1,3}[1-9]\d{0,6}")
"""The name of a cell of a spreadsheet."""
_WRITTEN = frozenset(("editable", "multiline"))
_BESIDE = 30
"""Pixels between a field and the box that enables it."""
MOST_TALL = 3
"""How many times higher than the one the other of two things in a line may be."""
MOST_AIMED = 3
"""Scrolls straight to what is known to be out of sight; what lies at the middle may not move the page."""
_FILE = re.compile(r"[^\s\n]*(?:/[^\n]*|\.[A-Za-z]\w{0,9})")
_FILE_KEYS = frozenset((("ctrl", "shift", "s"), ("ctrl", "s"), ("ctrl", "o")))
"""Keys that may open a dialog for a file."""
_NOT_IN_MENUS = frozenset(("go to", "go to page", "show", "close", "next page", "previous page"))
_TRASH = re.compile(r"move to (?:the )?(?:trash|bin|rubbish bin|recycle bin|wastebasket)")
"""Where programs put what is deleted, so that it can be had back."""
_ENDING = re.compile(r"(?<=\w)\.[A-Za-z]\w{1,9}$")
"""The ending of a file name."""


def field_to_replace(screen: Observation, last: Step | None, text: str) -> Element | None:
    """The field with the keyboard whose text is to go: the last step has opened it on what is to be changed.

    So is one in which a program has marked only the stem of a file name.
    """
    held = [e for e in screen.controls if "focused" in e.states and e.states & _WRITTEN and e.value]
    field = held[0] if len(held) == 1 and "\n" not in held[0].value else None
    if field is None or (last is not None and isinstance(last.planned.action, TypeText)):
        return None
    then = last.before.by_id(field.id) if last is not None else field
    ending = _ENDING.search(field.value) if "multiline" not in field.states else None
    if ending is not None and (screen.windows or then is not None):
        return field if text.endswith(ending[0]) and text != ending[0] else None
    cell = then is not None and not then.states & _WRITTEN
    return field if cell or (then is None and "multiline" not in field.states) else None


def closing(screen: Observation, steps: Sequence[Step]) -> Proposal | None:
    """What closes a list or calendar that filling in a field has opened, as it may cover the next field.

    Where it offers just what was filled in, that is chosen.
    """
    if (last := next((one for one in reversed(steps) if one.outcome.good), None)) is None:
        return None
    action = last.planned.action
    wanted = action.text if isinstance(action, TypeText) else getattr(action, "option", "")
    fresh = [e for e in screen.controls if wanted and last.before.by_id(e.id) is None]
    offered = [e for e in fresh if normal(e.name) == normal(wanted) and e.role not in TYPED_INTO]
    if len(offered) == 1:
        return Click(Mark(offered[0].id))
    shown = [e for e in screen.elements if e.role in POPPED_UP or e.attributes.get("notice") == "popup"]
    known = [e for e in shown if last.before.by_id(e.id)]
    if isinstance(last.planned.action, TypeText | Choose) and len(known) < len(shown):
        return Press(("tab",))
    texts = [e for e in screen.elements if (e.is_text or e.role in TITLES) and e not in shown]
    inside = [e for e in texts if e.attributes.get("notice") in DIALOGS]  # a click beside it may close it
    free = [e for e in inside or texts if e.does == NOTHING and not e.path.endswith(("/label", "/a"))]
    return Click(Mark(free[0].id)) if known and free and last.planned.action == Press(("tab",)) else None


def uncovering(
    command: Command,
    missing: NotFound | Ambiguous,
    screen: Observation,
    steps: Sequence[Step],
    search: Search | None,
    waits: Sequence[float],
    *,
    only_wait: bool,
) -> tuple[Planned, Search | None] | str:
    """What may bring into sight what a command means: closing what covers it, scrolling, waiting.

    Where all has been tried, a text that says how far it was looked for.

    Args:
        search: how far the search for it is; None where it begins.
        waits: seconds between the looks.
    """
    sentence = say(command)
    if search is None and (way := closing(screen, steps)) is not None:
        return Planned(way, why=f"{sentence}: closing what is open"), None
    last = steps[-1] if search and steps else None
    search = search or begin(screen)
    if isinstance(command, ScrollTo):
        search = replace(search, looks=max(search.looks, 1))
    aim = next((one for one in missing.candidates if one in screen.beyond), None)
    stuck = last and isinstance(last.planned.action, Scroll) and last.outcome.kind != "changed"
    if aim is not None and not stuck and search.scrolls < MOST_AIMED:
        to = Planned(way_to(aim, screen), why=f"{sentence}: scrolling to {aim}")
        return to, replace(search, scrolls=search.scrolls + 1)
    waiting, named = only_wait or isinstance(command, Verify), texts_named(command)
    move = next_move(search, screen, last, sentence, waits=waits, only_wait=waiting, named=named)
    return search.extent(screen) if move is None else move


def is_done_by(step: Step, command: Command, grounder: Grounder) -> bool:
    """Whether a step, such as one of the person's, does what a command means."""
    from gui_agent.planners.commands.compiler import Planning

    try:
        planned = Planning(step.before, grounder, ()).plan(command).planned
        action = planned[-1].action if planned else None
        at = places(action).get("at") if action is not None and not isinstance(action, Wait) else None
        found = grounder.locate(at, step.before, verb=action.kind) if at and action else None
    except (NotFound, Ambiguous):
        return False
    meant = found.element if found is not None else None
    hit = step.found["at"].element if "at" in step.found else None
    same = meant is hit if meant is None or hit is None else meant.id == hit.id
    return type(action) is type(step.action) and same and (hit is not None or action == step.action)


def asked_nothing(screen: Observation, last: Step | None, text: str) -> str:
    """Why a file name has no place to go: the keys before it were to ask for one, and opened nothing."""
    if last is None or not isinstance(last.planned.action, Press) or not _FILE.fullmatch(text):
        return ""
    keys = last.planned.action.keys
    held = [e for e in screen.elements if {"focused", "multiline"} <= e.states]
    same = held and "focused" in getattr(last.before.by_id(held[0].id), "states", ())
    asked = tuple(key.casefold() for key in keys) in _FILE_KEYS
    return (
        f"{'+'.join(keys)} opened no dialog to name a file in; choose it in a menu" if asked and same else ""
    )


def by_name_box(screen: Observation, command: Command) -> Plan | None:
    """A cell that is not told, or out of sight, by the field of a spreadsheet that holds its name."""
    match command:
        case Do(Click(Words() as at)):
            typed = None
        case Do(TypeText(typed, Words() as at)) | Put(typed, Words() as at):
            pass
        case _:
            return None
    if at.near or at.ordinal or at.role not in ("", "cell") or not _CELL.fullmatch(at.text):
        return None
    boxes = [e for e in screen.controls if "editable" in e.states and _CELL.fullmatch(e.value)]
    if len(boxes) != 1:
        return None
    keys: list[Proposal] = [TypeText(at.text, Mark(boxes[0].id), replace=True), Press(("enter",))]
    keys += [TypeText(typed), Press(("enter",))] if typed is not None else []
    return Plan(tuple(Planned(key, why=say(command)) for key in keys))


def obstacle(
    screen: Observation, action: Proposal, field: Element, why: str, filled: dict[int, str]
) -> Plan | None:
    """What is done instead, or before a field can take a value; None for nothing."""
    if isinstance(action, Check) and field.role in SELECTED:
        click = Planned(Click(action.at), (StateIs(Mark(field.id), "selected", action.on),), why)
        return Plan(alone=False) if ("selected" in field.states) == action.on else Plan((click,))
    if not isinstance(action, TypeText | Choose):
        return None
    if isinstance(action.at, Words) and action.at.text:
        said = filled.get(field.id) or action.at.text
        if label(said) != label(action.at.text) and compare(action.at.text, field.name)[1] != VERY:
            raise NotFound(f'no {action.at} here: {field} was filled in as "{said}"')
    if lost := _lines_lost(action, field):
        return Plan(unmet=lost)
    box = _enabling_box(screen, field) if "disabled" in field.states else None
    return None if box is None else Plan((Planned(Check(Mark(box.id)), why=why),), unfinished=True)


def _lines_lost(action: Proposal, field: Element) -> str:
    """Why a text is not typed over what a field holds: several lines, which nobody said are to go."""
    if not isinstance(action, TypeText) or not (action.replace and action.text):
        return ""
    lines = field.value.strip().splitlines()
    if len(lines) < 2 or not ("multiline" in field.states or field.role == "document"):
        return ""
    at = action.at if isinstance(action.at, Words) else Words(field.name, field.role)
    kept, gone = say(Append(action.text, at)), f"replace all text in {place(at)} with {quote(action.text)}"
    return f"{field} holds {len(lines)} lines, which would be lost; say: {kept}, or: {gone}"


def _enabling_box(screen: Observation, field: Element) -> Element | None:
    beside = [
        one
        for one in screen.controls
        if one.role == "checkbox" and not one.states & {"checked", "disabled"} and one.id != field.id
        if on_one_line(one.box, field.box) and one.box.gap(field.box) <= _BESIDE
    ]
    return beside[0] if len(beside) == 1 else None


def turning(command: Command) -> Command | None:
    """`click the next page link` as the command that turns the page, however a list calls it."""
    if not isinstance(command, Do) or not isinstance(command.action, Click):
        return None
    at = command.action.at
    name = normal(at.text) if isinstance(at, Words) and not at.near and not at.ordinal else ""
    return Invoke(name) if name in ("next page", "previous page") else None


def by_context_menu(
    screen: Observation, steps: Sequence[Step], command: Command, find: Callable[[Words], Element | None]
) -> Plan | None:
    """What a verb does to a thing beside which nothing offers it: the entry of the menu of that thing.

    File managers make a folder by keys of their own.
    """
    if not isinstance(command, Invoke) or command.what is None or command.verb in _NOT_IN_MENUS:
        return None
    if command.verb == "create":
        new_folder = normal(command.what.text) == "folder" and not screen.place.url
        return Plan((Planned(Press(("ctrl", "shift", "n")), why=say(command)),)) if new_folder else None
    opening = Click(command.what, button="right")
    opened = next((step for step in steps if step.planned.action == opening), None)
    if opened is None:
        thing = find(command.what)
        if thing is not None and command.what.text and not command.what.near:
            named = Scene.of(screen).records.anchors_of(command.what.text, in_any_column=False)
            thing = thing if thing in named else None
        # Pages seldom have menus of their own, never on what is only read, nor where a row offers buttons.
        beside = [
            e for e in screen.controls if thing and e.role == "button" and on_one_line(e.box, thing.box)
        ]
        menus = not screen.place.url or (thing is not None and not thing.is_text and thing.role in WITH_MENUS)
        if thing is None or not menus or (beside and thing.role == "cell"):
            return None
        return Plan((Planned(opening, why=say(command)),), unfinished=True)
    known = {element.id for element in opened.before.elements}
    fresh = [e for e in screen.elements if e.id not in known and "disabled" not in e.states]
    called = [(e, normal(e.name).strip(" .…")) for e in fresh]
    menu = [(e, n) for e, n in called if e.role in IN_MENUS or e.attributes.get("notice") == "popup"]
    offered = [e for e, name in menu if name == command.verb and not e.is_text]
    offered = offered or [e for e, name in menu if name.startswith(f"{command.verb} ") and not e.is_text]
    if not offered and command.verb in ("delete", "remove"):
        offered = [e for e, name in called if _TRASH.fullmatch(name)]
    return Plan((Planned(Click(Mark(offered[0].id)), why=say(command)),)) if len(offered) == 1 else None


def is_untouched(failed: Step) -> bool:
    """Whether a field that was to be filled in is as it was: a page may put it back while it begins."""
    spot = failed.found.get("at")
    then = spot.element if spot is not None else None
    now = failed.after.by_id(then.id) if then is not None else None
    filled = (
        isinstance(failed.action, TypeText) and failed.action.replace and failed.outcome.kind == "unexpected"
    )
    return filled and now is not None and then is not None and now.value == then.value


def in_line(screen: Observation, acted: Step | None, error: Ambiguous) -> Mark | None:
    """Of several things of a name the one on the line of the field that was filled in just before."""
    action = acted.planned.action if acted else None
    spot = acted.found.get("at") if acted else None
    if spot is None or spot.element is None or not isinstance(action, TypeText | Choose):
        return None
    filled = screen.by_id(spot.element.id)
    beside = [one for one in error.candidates if filled and one.id != filled.id]
    found = [one for one in beside if filled and _in_one_line(one, filled)]
    return Mark(found[0].id) if len(found) == 1 else None


def _in_one_line(one: Element, other: Element) -> bool:
    """Whether two things are a line of a form; a large field beside several lines is part of none of them."""
    low, tall = sorted((one.box.height, other.box.height))
    return on_one_line(one.box, other.box) and tall <= MOST_TALL * low


def agreeing(command: Command, last: Step, screen: Observation) -> Planned | None:
    """Yes to a dialog that has come up and asks for just what a command said; None where none does."""
    spot = last.found.get("at")
    on = spot.element if spot is not None else None
    question = came_up(last.before, screen)
    if question is None or not question.pending(last.planned.action, on):
        return None
    said = command.verb if isinstance(command, Invoke) else on.name if on else ""
    button = question.yes("upload" if isinstance(last.planned.action, Upload) else said)
    if button is None:
        return None
    why = f'{say(command)}: {button.name}, as asked "{shorten(question.words, 60)}"'
    return Planned(Click(Mark(button.id)), why=why)


def each_named(action: Proposal, find: Callable[[Words, str], Element | None]) -> list[Proposal]:
    """`Details and History` as two things, where nothing has the whole name and each has a part of it."""
    several = isinstance(action, Click | Check) or (isinstance(action, TypeText) and not action.text)
    if not several or not isinstance(action, Click | Check | TypeText):
        return []
    if not isinstance(action.at, Words) or action.at.near:
        return []
    names = action.at.text.split(" and ")
    found = [find(replace(action.at, text=name), action.kind) for name in names]
    if len(names) < 2 or not all(one is not None and not one.is_text for one in found):
        return []
    return [replace(action, at=Words(name, action.at.role)) for name in names]
