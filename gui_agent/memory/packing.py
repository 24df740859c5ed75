"""Remembered runs as text for a prompt: the nearest whole, the others as outlines, within a budget.

A whole one is written as finished turns, what was seen and what was then done, so that a model continues
the pattern (after Synapse, Zheng et al. 2024).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gui_agent.core.actions import Proposal, Recorded, Wait, aim, places
from gui_agent.core.codec import encode
from gui_agent.core.demonstration import Demonstration, DemoStep, Screen
from gui_agent.core.targets import Fingerprint, Words
from gui_agent.elements.abstraction import CAP, abstract, lines
from gui_agent.elements.describe import describe
from gui_agent.memory.entry import Entry

CHARACTERS_PER_TOKEN = 3.5
"""A cautious estimate for English and JSON."""
BUDGET = 3000
"""Tokens for all exemplars of a prompt."""
WHOLE = 2
"""Exemplars shown whole at most."""

Render = Callable[[Proposal], str]
"""Writes an action in the form that the planner is asked to answer in."""


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """One moment of a remembered run: what was seen and the actions that were then done."""

    seen: str
    done: tuple[str, ...]

    def __str__(self) -> str:
        return f"Screen:\n{self.seen}\nActions:\n" + "\n".join(self.done)


def as_json(action: Proposal) -> str:
    """An action as one line of JSON, the vocabulary's own form."""
    return encode(action, Proposal).decode()


def proposal(action: Recorded) -> Proposal:
    """A recorded action with its fingerprints put into words, as a planner would say it."""
    if isinstance(action, Wait):
        return action
    return aim(action, {name: _words(found) for name, found in places(action).items()})


def turns(demonstration: Demonstration, cap: int = CAP, render: Render = as_json) -> tuple[FinishedTurn, ...]:
    """A demonstration as finished turns; steps on an unchanged screen form one turn.

    Args:
        cap: elements of a screen that are shown at most.
    """
    batches: list[list[DemoStep]] = []
    for step in demonstration.steps:
        if batches and _same_screen(batches[-1][0].screen, step.screen):
            batches[-1].append(step)
        else:
            batches.append([step])
    return tuple(
        FinishedTurn(
            seen=_seen(batch, demonstration.task, cap),
            done=tuple(render(proposal(step.action)) for step in batch),
        )
        for batch in batches
    )


def whole(entry: Entry, cap: int = CAP, render: Render = as_json) -> str:
    """An entry with everything: task, turns and answer; only the outline when it has no demonstration."""
    demonstration = entry.demonstration
    if demonstration is None or not demonstration.steps:
        return outline(entry)
    body = "\n".join(str(turn) for turn in turns(demonstration, cap, render))
    answer = f"\nAnswer: {demonstration.answer}" if demonstration.answer else ""
    return f"Task: {entry.task}\n{body}{answer}"


def outline(entry: Entry) -> str:
    """An entry in short: the task and one line for each step."""
    steps = [f"{number}. {text}" for number, text in enumerate(outlines(entry), start=1)]
    return "\n".join([f"Task: {entry.task}", *steps])


def outlines(entry: Entry) -> tuple[str, ...]:
    """The lines of an entry's outline, taken from its demonstration when none were given."""
    if entry.outlines or entry.demonstration is None:
        return entry.outlines
    return tuple(describe(step.action) for step in entry.demonstration.steps)


def pack(
    entries: Sequence[Entry], budget: int = BUDGET, most_whole: int = WHOLE, render: Render = as_json
) -> list[tuple[Entry, str]]:
    """Texts of the entries that fit into the budget, nearest first.

    The first `most_whole` are shown whole if they fit: with all of the abstract, else with fewer elements
    per screen; the rest as outlines. What does not fit even so is left out.

    Args:
        budget: tokens, estimated from the number of characters.
    """
    room = int(budget * CHARACTERS_PER_TOKEN)
    packed: list[tuple[Entry, str]] = []
    for position, entry in enumerate(entries):
        caps = (CAP, CAP // 2, CAP // 5) if position < most_whole else ()
        forms: list[Callable[[], str]] = [
            *(functools.partial(whole, entry, cap, render) for cap in caps),
            functools.partial(outline, entry),
        ]
        text = next((text for form in forms if len(text := form()) <= room), "")
        if text:
            room -= len(text)
            packed.append((entry, text))
    return packed


def _words(fingerprint: Fingerprint) -> Words:
    name = fingerprint.name or fingerprint.label
    near = fingerprint.neighbours[0] if fingerprint.neighbours and not name else ""
    return Words(name, fingerprint.role, fingerprint.rank if fingerprint.rank > 1 else 0, near)


def _same_screen(before: Screen | None, after: Screen | None) -> bool:
    """Whether nothing was to be seen that an action would have needed: places and element names agree."""
    if before is None or after is None:
        return after is None
    return before.place == after.place and _names(before) == _names(after)


def _names(screen: Screen) -> list[tuple[Any, ...]]:
    return [(element.role, element.name) for element in screen.elements]


def _seen(batch: list[DemoStep], task: str, cap: int) -> str:
    screen = batch[0].screen
    if screen is None:
        return "(not recorded)"
    used = {number for step in batch for number in (step.element, step.to_element) if number}
    shown = lines(abstract(screen, task, used, cap).elements)
    place = " - ".join(part for part in (screen.place.app, screen.place.title) if part)
    return f"{place}\n{shown}".strip()
