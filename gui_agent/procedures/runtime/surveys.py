"""Looking through a list, part by part, for what has the smallest or the largest number."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.procedures.language.evaluate import Scope, select
from gui_agent.procedures.language.numbers import number_in
from gui_agent.procedures.language.steps import Survey
from gui_agent.procedures.language.view import text_of
from gui_agent.procedures.runtime.code import Cursor, Instruction

MOST_SCROLLS = 80
"""A list that is longer is searched in another way."""


def surveyed(cursor: Cursor, code: tuple[Instruction, ...], scope: Scope) -> Cursor:
    """The cursor with what this part of the screen shows; as it was when it is at no survey, or past it."""
    survey = code[cursor.at].step if cursor.at < len(code) else None
    if not isinstance(survey, Survey) or cursor.hunt is not None:
        return cursor
    found = [
        (number, text_of(e))
        for e in select(survey.of, scope)
        if (number := number_in(text_of(e))) is not None
    ]
    known = cursor.notes.get(_note(cursor.at))
    if known is not None:
        before, _, text = known.partition(" ")
        found.insert(0, (float(before), text))
    if not found:
        return cursor
    sign = -1.0 if survey.most else 1.0
    best = min(found, key=lambda one: sign * one[0])
    return replace(cursor, notes={**cursor.notes, _note(cursor.at): f"{best[0]!r} {best[1]}"})


def goes_on(cursor: Cursor, scope: Scope) -> bool:
    """Whether there is more below to look at; a search for what was found does not begin that anew."""
    more = bool(scope.view.observation.more.get("below"))
    return more and cursor.hunt is None and cursor.counts.get(cursor.at, 0) < MOST_SCROLLS


def best_seen(cursor: Cursor, survey: int) -> str | None:
    """What the best thing of a survey says; None before any was seen."""
    known = cursor.notes.get(_note(survey))
    return None if known is None else known.partition(" ")[2]


def _note(survey: int) -> str:
    return f"best {survey}"
