"""The verbs of plain commands, each with the rule that reads its object."""

from __future__ import annotations

from functools import partial

from gui_agent.core.texts import nearest
from gui_agent.elements.roles import word_set
from gui_agent.planners.commands import _rules_assert as asserts
from gui_agent.planners.commands import _rules_choice as choices
from gui_agent.planners.commands import _rules_everyday as everyday
from gui_agent.planners.commands import _rules_input as inputs
from gui_agent.planners.commands import _rules_navigation as navigation
from gui_agent.planners.commands import _rules_pointer as pointer
from gui_agent.planners.commands._rules_pointer import Rule, click

ON_BUTTONS = word_set(
    "save submit send cancel delete edit remove rename archive share print download play pause mute unmute"
    " start stop publish apply reset confirm accept decline approve reject reply subscribe undo redo cut"
    " paste duplicate dismiss agree star unstar pin unpin like unlike unfollow bookmark complete"
)
"""Verbs that people use for pressing the button of that name."""

_VERBS: dict[str, Rule] = {
    "click|click on|click at|left click|left-click|tap|tap on|push|select the button": click(),
    "confirm with|confirm by clicking": click(),
    "press|hit|press on": navigation.press,
    "double click|double-click|doubleclick|double click on|double-click on|double tap|double-tap": click(
        clicks=2
    ),
    "triple click|triple-click|triple click on|triple-click on": click(clicks=3),
    "right click|right-click|right click on|right-click on": click("right"),
    "middle click|middle-click|middle click on|middle-click on": click("middle"),
    "ctrl click|ctrl-click|ctrl+click|control click|control-click|ctrl-click on": click(modifiers=("ctrl",)),
    "shift click|shift-click|shift+click|shift-click on": click(modifiers=("shift",)),
    "alt click|alt-click|alt+click|alt-click on": click(modifiers=("alt",)),
    "follow|toggle": click(),
    "unfold|expand|open up": pointer.unfold(True),
    "fold|fold up|collapse": pointer.unfold(False),
    "long press|long-press|long press on|press and hold": pointer.long_press,
    "hover|hover over|hover on|point at|point to|move the mouse to|move the mouse over|move the pointer to"
    "|mouse over|move to": pointer.hover,
    "type|write|type in|write in": inputs.type_text,
    "enter|input": inputs.enter,
    "put|insert": inputs.put,
    "give": everyday.give,
    "replace|overwrite": everyday.replace,
    "filter|filter by": everyday.filter_column,
    "append|add": inputs.append,
    "clear|empty|clear out": inputs.clear,
    "fill|fill in|fill out": inputs.fill,
    "set|change|raise|lower|increase|decrease": inputs.assign,
    "choose|select|pick|take": choices.choose,
    "select the words|select the word|highlight": inputs.select,
    "select all": partial(everyday.alone, "select all"),
    "delete|remove|erase": everyday.wipe,
    "check": asserts.check,
    "mark": everyday.mark,
    "tick|enable|activate|select the checkbox|select the checkboxes": partial(choices.check, True),
    "untick|uncheck|unmark|deselect|unselect|disable|deactivate": partial(choices.check, False),
    "switch|turn": choices.switch,
    "upload|attach": choices.upload,
    "scroll": everyday.scroll,
    "drag|drag and drop|drag-and-drop": everyday.drag,
    "move": everyday.move,
    "swipe": everyday.swipe,
    "pinch open|pinch out|zoom in on|spread": everyday.pinch(2.0),
    "pinch|pinch close|pinch in|zoom out of": everyday.pinch(0.5),
    "rotate": everyday.rotate,
    "go to|take me to|bring me to|navigate to|visit|browse to|goto": navigation.go_to,
    "open|launch|start": navigation.open_,
    "hide": partial(everyday.invoke, "close"),
    "show|show me": partial(everyday.invoke, "show"),
    "page down": partial(everyday.alone, "page down"),
    "page up": partial(everyday.alone, "page up"),
    "next page|go to the next page|show the next page": partial(everyday.alone, "next page"),
    "previous page|go to the previous page|show the previous page": partial(everyday.alone, "previous page"),
    "search for|search|look up|look for": everyday.search,
    "sort|order": everyday.sort,
    "go back|navigate back|back": navigation.back,
    "go forward|forward": navigation.forward,
    "reload|refresh": navigation.reload,
    "switch to|change to": navigation.switch_to,
    "close": navigation.close,
    "quit|exit": navigation.quit_,
    "maximise|maximize": navigation.arrange("meta", "up"),
    "unmaximise|unmaximize|restore the window|restore window": navigation.arrange("meta", "down"),
    "hold": navigation.hold,
    "wait": navigation.wait,
    "read|get|note|note down|extract": asserts.read,
    "what is|what's|what are|which|how many|how much is|tell me": everyday.ask,
    "copy": asserts.copy,
    "expect|verify|make sure|assert|ensure|confirm that": asserts.verify,
    **{verb: partial(everyday.invoke, verb) for verb in ON_BUTTONS},
    "rename": everyday.rename,
    "create|make a new|make a|add a new": everyday.create,
    "save": everyday.save,
    "log out|sign out|log off": partial(everyday.alone, "log out"),
}
"""Verbs and their rules, tried in this order among phrases of the same length, the longest first."""

PAIRED = (
    inputs.type_text, inputs.put, inputs.enter, inputs.assign, choices.choose, inputs.fill,
    everyday.drag,
)  # fmt: skip
"""Rules for a value and its place; another pair may follow without the verb."""


def _table() -> dict[str, list[tuple[str, Rule]]]:
    table: dict[str, list[tuple[str, Rule]]] = {}
    for said, rule in _VERBS.items():
        for phrase in said.split("|"):
            table.setdefault(phrase.split()[0], []).append((phrase, rule))
    for entries in table.values():
        entries.sort(key=lambda entry: -len(entry[0].split()))
    return table


RULES = _table()


def similar_verb(word: str) -> str:
    """A question if the word looks like a misspelled verb, otherwise an empty text."""
    close = nearest(word, RULES, 0.75) if len(word) > 3 else ""
    return f"did you mean '{close}'?" if close not in ("", word) else ""
