"""Workarounds for programs that hide data or ask back, such as cells by name or disabled fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from gui_agent.agent.questions import new_dialog
from gui_agent.agent.run_effects import aimed_at
from gui_agent.core.actions import Check, Choose, Click, Move, Press, Proposal, Scroll, TypeText, Upload, Wait
from gui_agent.core.aiming import places, sole
from gui_agent.core.conditions import StateIs
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import NOTHING, Element, Mark, Observation, Words, on_one_line
from gui_agent.core.protocols import Grounder
from gui_agent.core.texts import label, normal, shorten
from gui_agent.core.trajectory import Planned, Step
from gui_agent.elements.roles import DIALOGS, POPPED_UP, SELECTED, TITLES, TYPED_INTO, WITH_MENUS
from gui_agent.elements.scroll_search import Search, begin, next_move, way_to
from gui_agent.elements.text import VERY, compare
from gui_agent.planners.commands._advice import texts_named
from gui_agent.planners.commands._controls import Plan, new_elements
from gui_agent.planners.commands.commands import Append, Command, Do, Invoke, Put, ScrollTo, Verify
from gui_agent.planners.commands.unparse import place, quote, say
from gui_agent.scene import Scene

_CELL = re.compile(r"[A-Za-z]{1,3}[1-9]\d{0,6}")
"""Matches the name of a spreadsheet cell."""
_WRITTEN = frozenset(("editable", "multiline"))
_BESIDE = 30
"""Maximum pixels between a field and the box that enables it."""
MOST_TALL = 3
"""Maximum ratio of the heights of two elements on one line."""
MOST_AIMED = 3
"""Maximum scrolls directly to a known element out of sight; one in the middle may not move the page."""
_FILE = re.compile(r"[^\s\n]*(?:/[^\n]*|\.[A-Za-z]\w{0,9})")
_FILE_KEYS = frozenset((("ctrl", "shift", "s"), ("ctrl", "s"), ("ctrl", "o")))
"""Keys that may open a file dialog."""
_NOT_IN_MENUS = frozenset(("go to", "go to page", "show", "close", "next page", "previous page"))
_REMOVING = ("delete", "remove")
_TRASH = "move to (the )?(trash|bin|rubbish bin|recycle bin|wastebasket)"
"""Names for the place that deleted files go to, from which they can be restored."""
_ENDING = re.compile(r"(?<=\w)\.[A-Za-z]\w{1,9}$")
"""Matches the extension of a file name."""


def field_to_replace(screen: Observation, last: Step | None, text: str) -> Element | None:
    """The focused field whose text the command replaces: the last step opened it for editing.

    Includes a field in which a program selected only the stem of a file name.
    """
    field = _written_field_with_keyboard(screen)
    if field is None or (last is not None and isinstance(last.planned.action, TypeText)):
        return None
    then = last.before.by_id(field.id) if last is not None else field
    is_line = "multiline" not in field.states
    ending = _ENDING.search(field.value) if is_line else None
    if ending is not None and (screen.windows or then is not None):
        return field if text.endswith(ending[0]) and text != ending[0] else None
    is_opened = is_line if then is None else not then.states & _WRITTEN
    return field if is_opened and "\n" not in field.value else None


def _written_field_with_keyboard(screen: Observation) -> Element | None:
    held = [e for e in screen.controls if "focused" in e.states and e.states & _WRITTEN and e.value]
    return sole(held)


def closing(screen: Observation, steps: Sequence[Step]) -> Proposal | None:
    """The action that closes a list or calendar opened by a field, because it may cover the next field.

    If the list offers exactly the entered value, the action chooses it.
    """
    if (last := next((one for one in reversed(steps) if one.outcome.good), None)) is None:
        return None
    fresh = new_elements(last.before, screen)
    match last.planned.action:
        case TypeText(wanted) | Choose(option=wanted):
            offered = [e for e in fresh if normal(e.name) == normal(wanted) and not _takes_or_tells_text(e)]
            if wanted and len(offered) == 1:
                return Click(Mark(offered[0].id))
            return Press(("tab",)) if any(map(_pops_up, fresh)) else None
        case Press(("tab",)) if any(_pops_up(e) and e not in fresh for e in screen.elements):
            return _click_aside(screen)
    return None


def _takes_or_tells_text(element: Element) -> bool:
    return element.is_text or element.role in TYPED_INTO


def _pops_up(element: Element) -> bool:
    return element.role in POPPED_UP or element.attributes.get("notice") == "popup"


def _click_aside(screen: Observation) -> Proposal | None:
    """A click on the first inert text beside the popup."""
    texts = [e for e in screen.elements if (e.is_text or e.role in TITLES) and not _pops_up(e)]
    inside = [
        e for e in texts if e.attributes.get("notice") in DIALOGS
    ]  # a click beside a dialog may close it
    free = (e for e in inside or texts if e.does == NOTHING and not e.path.endswith(("/label", "/a")))
    return next((Click(Mark(e.id)) for e in free), None)


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
    """The next try to find a command's target: close what covers it, scroll, or wait.

    After the last try, a text that says how far the search went.

    Args:
        search: the state of the search; None at its beginning.
        waits: seconds between looks.
    """
    sentence, last = say(command), None
    if search is None:
        if (way := closing(screen, steps)) is not None:
            return Planned(way, why=f"{sentence}: closing the open popup"), None
        search = begin(screen)
        if (row := _row_to_point_at(command, screen, only_wait=only_wait)) is not None:
            return Planned(Move(Mark(row.id)), why=f"{sentence}: pointing at {row}"), search
    elif steps:
        last = steps[-1]
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


def _row_to_point_at(command: Command, screen: Observation, *, only_wait: bool) -> Element | None:
    """The text that names a record of a page, which may show its controls only under the mouse."""
    records, near = Scene.from_screen(screen).records, "".join(texts_named(command)[1:])
    may_point = near and screen.place.url and not only_wait
    named = records.anchors_of(near, in_any_column=True) if may_point else []
    return next(filter(records.record_of, named), None)


def is_done_by(step: Step, command: Command, grounder: Grounder) -> bool:
    """Whether a step, such as one of the user's, does what a command asks for."""
    from gui_agent.planners.commands.compiler import Planning

    try:
        planned = Planning(step.before, grounder, ()).plan(command).planned
        action = planned[-1].action if planned else None
        at = places(action).get("at") if action is not None and not isinstance(action, Wait) else None
        found = grounder.locate(at, step.before, verb=action.kind) if at and action else None
    except (NotFound, Ambiguous):
        return False
    meant, hit = found.element if found is not None else None, aimed_at(step)
    same = meant is hit if meant is None or hit is None else meant.id == hit.id
    return type(action) is type(step.action) and same and (hit is not None or action == step.action)


def asked_nothing(screen: Observation, last: Step, text: str) -> str:
    """Error if the previous keys should have opened a file dialog and did not."""
    if not isinstance(last.planned.action, Press) or not _FILE.fullmatch(text):
        return ""
    keys = last.planned.action.keys
    held = next((e for e in screen.elements if {"focused", "multiline"} <= e.states), None)
    then = last.before.by_id(held.id) if held is not None else None
    same = then is not None and "focused" in then.states
    asked = tuple(map(str.casefold, keys)) in _FILE_KEYS
    return (
        f"{'+'.join(keys)} opened no dialog to name a file in; choose it in a menu" if asked and same else ""
    )


def by_name_box(screen: Observation, command: Command) -> Plan | None:
    """Reach a cell that is unlisted or out of sight through the spreadsheet's name box."""
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
    going = TypeText(at.text, Mark(boxes[0].id), replace=True), Press(("enter",))
    typing = (TypeText(typed), Press(("enter",))) if typed is not None else ()
    return Plan.from_actions(say(command), *going, *typing)


def obstacle(
    screen: Observation, action: Proposal, field: Element, why: str, filled: dict[int, str]
) -> Plan | None:
    """A replacement for an action, or a preparation if the field cannot take a value yet; None if neither."""
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
    return None if box is None else Plan.from_actions(why, Check(Mark(box.id)), unfinished=True)


def _lines_lost(action: Proposal, field: Element) -> str:
    """Why the text must not replace the field's value: several lines would be lost without a request."""
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
    return sole(beside)


def turning(command: Command) -> Command | None:
    """The command that turns the page for `click the next page link`, whatever its name on the screen."""
    if not isinstance(command, Do) or not isinstance(command.action, Click):
        return None
    at = command.action.at
    name = normal(at.text) if isinstance(at, Words) and not at.near and not at.ordinal else ""
    return Invoke(name) if name in ("next page", "previous page") else None


def by_context_menu(
    screen: Observation, steps: Sequence[Step], command: Command, find: Callable[[Words], Element | None]
) -> Plan | None:
    """Perform a verb through an element's context menu if no control next to it offers the verb.

    File managers create a folder by their own keys.
    """
    if not isinstance(command, Invoke) or command.what is None or command.verb in _NOT_IN_MENUS:
        return None
    action: Proposal | None = Click(command.what, button="right")
    opened = next((step for step in steps if step.planned.action == action), None)
    if command.verb == "create":
        new_folder = normal(command.what.text) == "folder" and not screen.place.url
        action = Press(("ctrl", "shift", "n")) if new_folder else None
    elif opened is not None:
        action = _click_on_entry(screen, opened.before, command.verb)
    elif not _has_menu(screen, command.what, find(command.what)):
        return None
    opening = opened is None and command.verb != "create"
    return Plan.from_actions(say(command), action, unfinished=opening) if action is not None else None


def _has_menu(screen: Observation, named: Words, thing: Element | None) -> bool:
    """Whether an element may have a context menu with more than the controls next to it.

    Pages seldom have such menus, and never on plain text or in rows with buttons.
    """
    if thing is None or (screen.place.url and thing.role not in WITH_MENUS):
        return False
    records = Scene.from_screen(screen).records
    if named.text and not named.near and thing not in records.anchors_of(named.text, in_any_column=False):
        return False
    buttons = (e for e in screen.controls if e.role == "button" and on_one_line(e.box, thing.box))
    return thing.role != "cell" or not any(buttons)


def _click_on_entry(screen: Observation, before: Observation, verb: str) -> Proposal | None:
    """A click on the only entry for the verb among the elements that appeared since the menu was opened."""
    fresh = [e for e in new_elements(before, screen) if "disabled" not in e.states]
    entries = [e for e in fresh if not e.is_text and _pops_up(e)]
    ways = [(verb, entries), (f"{verb} .*", entries), *([(_TRASH, fresh)] if verb in _REMOVING else [])]
    for wording, among in ways:
        if offered := [e for e in among if re.fullmatch(wording, normal(e.name).strip(" .…"))]:
            return Click(Mark(offered[0].id)) if len(offered) == 1 else None
    return None


def is_untouched(failed: Step) -> bool:
    """Whether a field to fill in is unchanged: a page may reset it while it loads."""
    then = aimed_at(failed)
    now = failed.after.by_id(then.id) if then is not None else None
    filled = isinstance(failed.action, TypeText) and failed.action.replace
    if not filled or failed.outcome.kind != "unexpected" or now is None or then is None:
        return False
    return now.value == then.value


def in_line(screen: Observation, acted: Step | None, error: Ambiguous) -> Mark | None:
    """Of several elements of a name, the one on the line of the field just filled in."""
    if acted is None or not isinstance(acted.planned.action, TypeText | Choose):
        return None
    spot = aimed_at(acted)
    filled = screen.by_id(spot.id) if spot is not None else None
    if filled is None:
        return None
    found = [one for one in error.candidates if one.id != filled.id and _in_one_line(one, filled)]
    return Mark(found[0].id) if len(found) == 1 else None


def _in_one_line(one: Element, other: Element) -> bool:
    """Whether two elements form a line; a large field next to several lines belongs to none of them."""
    low, tall = sorted((one.box.height, other.box.height))
    return on_one_line(one.box, other.box) and tall <= MOST_TALL * low


def agreeing(command: Command, last: Step, screen: Observation) -> Planned | None:
    """Confirm a dialog that appeared and asks for exactly what a command said; None if there is none."""
    on = aimed_at(last)
    question = new_dialog(last.before, screen)
    if question is None or not question.pending(last.planned.action, on):
        return None
    said = command.verb if isinstance(command, Invoke) else on.name if on else ""
    button = question.yes("upload" if isinstance(last.planned.action, Upload) else said)
    if button is None:
        return None
    why = f'{say(command)}: {button.name}, as asked "{shorten(question.words, 60)}"'
    return Planned(Click(Mark(button.id)), why=why)
