"""Renders screens and steps as the text that a model reads."""

from __future__ import annotations

from collections.abc import Sequence

from gui_agent.core.observation import Element, Observation
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Outcome, Step, Turn
from gui_agent.elements.abstraction import line, weights
from gui_agent.elements.describe import describe_step
from gui_agent.elements.layout import on_one_line
from gui_agent.elements.roles import CELLS, GRAPHIC, HEADERS

LISTING = 10_000
"""Characters of the list of elements in a prompt at most, about 3,000 tokens."""
NEWS = 25.0
"""How much more a new text matters: most often it is the answer of the program to the last action."""
WIDEST, TEXT = 110, 300
"""Characters of one line of the element list, and of one that is plain text: what a question is about."""
OUTCOME = 240
"""Characters of what is said of one outcome."""
OPTIONS = 12
"""Options of a list that are named."""
REMEMBERED = 12
"""Steps before the recent turns that are told one by one."""

_WORDS = {
    "confirmed": "worked",
    "changed": "the screen changed",
    "no_change": "nothing visible changed",
    "unexpected": "NOT as expected",
    "unverifiable": "outcome unknown",
    "failed": "FAILED",
}


def screen_text(observation: Observation, task: str, most: int = LISTING) -> str:
    """Where one is and what is there: the elements that matter with their numbers, in reading order.

    A row of a table stands on one line, and is there as a whole or not at all.
    """
    shown, left_out = _listed(observation, task, most)
    left_out += observation.left_out
    return "\n".join(
        [
            *_heading(observation),
            *shown,
            *([f"({left_out} more things are not listed)"] if left_out else []),
            *(f"Just now: {notice}" for notice in observation.news),
        ]
    )


def place_text(observation: Observation) -> str:
    """Only where one is, and what happened; for models that read the picture."""
    return "\n".join([*_heading(observation), *(f"Just now: {notice}" for notice in observation.news)])


def step_line(step: Step) -> str:
    """A step and what visibly changed, on one line."""
    return f"{step.number}. {shorten(describe_step(step), 100)}: {outcome_text(step.outcome)}"


def outcome_text(outcome: Outcome) -> str:
    """What came of an action, in a few words."""
    word, summary = _WORDS[outcome.kind], outcome.summary
    if summary.startswith(word):
        return shorten(summary, OUTCOME)
    return shorten(f"{word} ({summary})" if summary else word, OUTCOME)


def history_text(turns: Sequence[Turn], most: int = REMEMBERED) -> str:
    """The steps of these turns, one line each; of more than `most` the earlier ones are only counted."""
    steps = [step for turn in turns for step in turn.steps]
    early, late = steps[: max(0, len(steps) - most)], steps[-most:]
    lines = [step_line(step) for step in late]
    if early:
        bad = sum(not step.outcome.good for step in early)
        places = list(
            dict.fromkeys(shorten(step.after.place.title, 40) for step in early if step.after.place.title)
        )
        seen = f"; screens: {', '.join(places[-5:])}" if places else ""
        lines.insert(0, f"1 to {early[-1].number}: {len(early)} steps, {bad} of them failed{seen}")
    return "\n".join(lines)


def failures(turns: Sequence[Turn]) -> tuple[int, ...]:
    """The numbers of the last two steps when both went wrong, else nothing."""
    last = [step for turn in turns for step in turn.steps][-2:]
    wrong = [step.number for step in last if not step.outcome.good]
    return tuple(wrong) if len(wrong) == 2 else ()


def _heading(observation: Observation) -> list[str]:
    place, more = observation.place, observation.more
    where = " - ".join(part for part in (place.app, place.title) if part)
    beyond = ", ".join(f"{pixels} px {side}" for side, pixels in more.items() if pixels)
    return [
        text
        for text in (
            f"Place: {shorten(where, WIDEST)}" if where else "",
            f"Address: {shorten(place.url, 200)}" if place.url else "",
            f"Other windows: {', '.join(shorten(title, 40) for title in place.others[:8])}"
            if place.others
            else "",
            f"More to scroll: {beyond}" if beyond else "",
        )
        if text
    ]


def _listed(observation: Observation, task: str, most: int) -> tuple[list[str], int]:
    """The lines of the list, the most telling ones first served, and how many elements are left out.

    Where something is left out between two lines stands `...`.
    """
    elements = observation.elements
    weighed = dict(zip((element.id for element in elements), weights(elements, task), strict=True))
    units = [(unit, " | ".join(_element(element) for element in _once(unit))) for unit in _units(elements)]
    order = sorted(
        range(len(units)),
        key=lambda place: (
            -max(
                weighed[element.id] + (NEWS if element.is_text and "new" in element.states else 0.0)
                for element in units[place][0]
            )
        ),
    )
    kept: set[int] = set()
    for place in order:
        most -= len(units[place][1]) + 1
        if most < 0:
            break
        kept.add(place)
    lines: list[str] = []
    for place, (_, written) in enumerate(units):
        if place in kept:
            lines.append(written)
        elif lines and lines[-1] != "...":
            lines.append("...")
    return lines, sum(len(unit) for place, (unit, _) in enumerate(units) if place not in kept)


def _units(elements: Sequence[Element]) -> list[tuple[Element, ...]]:
    """The elements in reading order, those of a table's row together, without mere labels of fields."""
    lines: list[list[Element]] = []
    for place, element in enumerate(elements):
        if element.is_text and _names(element, elements[place + 1 : place + 3]):
            continue
        if lines and on_one_line(lines[-1][0].box, element.box):
            lines[-1].append(element)
        else:
            lines.append([element])
    return [
        unit
        for line in lines
        for unit in ([tuple(line)] if any(_in_table(one) for one in line) else [(one,) for one in line])
    ]


def _names(label: Element, following: Sequence[Element]) -> bool:
    """Whether a text only says what one of the controls after it is called."""
    name = label.name.rstrip(" :*").casefold()
    return any(not control.is_text and control.name.rstrip(" :*").casefold() == name for control in following)


def _in_table(element: Element) -> bool:
    return element.role in CELLS | HEADERS or element.role == "row"


def _once(row: Sequence[Element]) -> list[Element]:
    """A row without what its other parts say as well: the row itself, a picture that a cell names."""
    if len(row) == 1:
        return list(row)
    names = [element.name for element in row if element.role in CELLS | HEADERS]
    return [
        element
        for element in row
        if element.role != "row" and not (element.role in GRAPHIC and element.name in names)
    ] or list(row)


def _element(element: Element) -> str:
    new = "*" if "new" in element.states else ""
    text = shorten(line(element), TEXT if element.is_text else WIDEST)
    if not (element.name or element.description or element.is_text or element.value):
        text += f" at {element.box.center}"
    if "scrollable" in element.states:
        text += " (scrollable)"
    options = [option for option in element.attributes.get("options", "").split("\n") if option]
    if options:
        rest = f" and {len(options) - OPTIONS} more" if len(options) > OPTIONS else ""
        text += f" options: {' | '.join(shorten(option, 30) for option in options[:OPTIONS])}{rest}"
    return f"[{element.id}]{new} {text}"
