"""The values of a recording beside those of its task: what was typed only to search, and what is missing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from gui_agent.core.actions import Choose, Click, TypeText
from gui_agent.core.codec import plain
from gui_agent.core.conditions import ValueIs
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration, DemoStep

_NAMES = re.compile(r"(?<!^)(?<![.!?:] )\b[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*|(?<!\w)\d+(?:[.,:/-]\d+)*(?!\w)")
"""Numbers, and words with a capital letter that do not begin a sentence."""
_SECRET = "${secret:"


def with_search_texts(demonstration: Demonstration) -> Demonstration:
    """The demonstration with whole values where only their beginning was typed, to look for an option.

    `Norw`, typed before the option `Norway` was clicked, says nothing of the next country: what was looked
    for is the value of the task that begins so and stands in the option.
    """
    steps = list(demonstration.steps)
    for number, (one, other) in enumerate(pairwise(steps)):
        match one.action, other.action:
            case TypeText(text=typed), (Click(at) | Choose(at)) if typed.strip() and _SECRET not in typed:
                option = other.action.option if isinstance(other.action, Choose) else at.name
                meant = _meant_part(demonstration.task, typed.strip(), option)
                if meant and normal(meant) != normal(typed):
                    expect = tuple(c for c in one.expect if not (isinstance(c, ValueIs) and c.value in typed))
                    steps[number] = replace(one, action=replace(one.action, text=meant), expect=expect)
    return replace(demonstration, steps=tuple(steps))


def _meant_part(task: str, typed: str, option: str) -> str:
    """The longest part of the task that begins with what was typed and stands in the option."""
    best = ""
    for begin in re.finditer(rf"(?<!\w){re.escape(typed)}", task, re.IGNORECASE):
        for end in re.finditer(r"(?<=\w)(?!\w)", task[begin.start() :]):
            part = task[begin.start() : begin.start() + end.start()]
            if normal(part) in normal(option) and len(typed) <= len(part) > len(best):
                best = part
    return best


def missing_values(demonstration: Demonstration) -> tuple[str, ...]:
    """Names and numbers of the task that stand nowhere in the recording, as they are written."""
    recorded = plain(replace(demonstration, task="", slots={}, origin=""))
    shown = normal(json.dumps(recorded, ensure_ascii=False))
    return tuple(
        value for value in dict.fromkeys(_NAMES.findall(demonstration.task)) if normal(value) not in shown
    )


def typed_values(demonstration: Demonstration) -> tuple[str, ...]:
    """What was typed and chosen, each once."""
    return tuple(dict.fromkeys(text for step in demonstration.steps if (text := _value(step))))


def in_place_of(demonstration: Demonstration, recorded: str, value: str) -> Demonstration:
    """The demonstration with another wording for a value that was typed or chosen."""

    def steps() -> Iterator[DemoStep]:
        for step in demonstration.steps:
            match step.action:
                case TypeText(text=text) if text == recorded:
                    yield replace(step, action=replace(step.action, text=value))
                case Choose(option=option) if option == recorded:
                    yield replace(step, action=replace(step.action, option=value))
                case _:
                    yield step

    return replace(demonstration, steps=tuple(steps()))


def _value(step: DemoStep) -> str:
    match step.action:
        case TypeText(text=text) if _SECRET not in text:
            return text
        case Choose(option=option):
            return option
    return ""
