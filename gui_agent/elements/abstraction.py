"""State abstraction: the part of a screen that matters for a task.

Keeping only what a task needs makes several remembered runs fit into one prompt (after Synapse, Zheng et al.
2024). Here code makes the choice, from the task's words and the elements that were used.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from gui_agent.core.observation import Element, Observation
from gui_agent.core.trajectory import Screen
from gui_agent.elements.roles import DIALOGS, ORIENTING
from gui_agent.elements.words import task_words

CAP = 25
"""Most elements that an abstract keeps."""
NEAR = 60.0
"""Distance in pixels from a used element within which texts and controls are kept."""

_USED, _OPEN_DIALOG, _FOCUSED, _NAMED, _BESIDE, _PLACE, _CONTROL = 100.0, 50.0, 40.0, 30.0, 12.0, 10.0, 4.0
"""Weights of an element by its relation to the task; they decide which elements stay below the cap."""
_NEW = 6.0
"""Weight of an element that the last action brought up: it is often the next target, whatever its role."""
_SHORT = 1.0
"""Weight of a text of one word, which may be a control in disguise; kept if there is room."""


def relevant(
    observation: Observation | Screen, task: str = "", used: Collection[int] = (), cap: int = CAP
) -> tuple[Element, ...]:
    """The elements that matter for a task, in reading order.

    Kept first are the elements with the ids in `used`, then the contents of an open dialog, the focused
    element, elements that share words with the task, those beside a used one, headings and messages, new
    elements, and last the other controls and texts of one word up to `cap`. Elements in `used` stay even
    beyond the cap.
    """
    elements = observation.elements
    weighed = [(weight, place) for place, weight in enumerate(weights(elements, task, used)) if weight > 0]
    weighed.sort(key=lambda pair: (-pair[0], pair[1]))
    kept = {position for _, position in weighed[:cap]}
    kept |= {position for position, element in enumerate(elements) if element.id in used}
    return tuple(elements[position] for position in sorted(kept))


def surroundings(screen: Screen, task: str, used: Collection[int]) -> tuple[Element, ...]:
    """The part of `relevant` that shows why an action fits: used elements and named ones beside them,
    headings, what has the focus, and elements that the task names.
    """
    kept, words = relevant(screen, task, used, CAP), task_words(task)
    anchors = [element for element in kept if element.id in used]

    def tells(element: Element) -> bool:
        beside = any(anchor.box.gap(element.box) < NEAR for anchor in anchors) and any(element.texts)
        stands_out = element.role in ORIENTING or "focused" in element.states
        return beside or stands_out or element in anchors or bool(task_words(element.name) & words)

    return tuple(filter(tells, kept))


def weights(elements: Sequence[Element], task: str = "", used: Collection[int] = ()) -> list[float]:
    """How much each element matters for a task, 0 for not at all; see `relevant`."""
    words = task_words(task)
    anchors = [element for element in elements if element.id in used]
    dialogs = [element for element in elements if element.role in DIALOGS]
    return [_weight(element, words, used) + _surroundings(element, anchors, dialogs) for element in elements]


def abstract(
    observation: Observation | Screen, task: str = "", used: Collection[int] = (), cap: int = CAP
) -> Screen:
    """The screen with only the elements that matter for the task."""
    return Screen(observation.size, observation.place, relevant(observation, task, used, cap))


def line(element: Element) -> str:
    """An element as one line of a prompt: role, name, value and states."""
    if element.is_text:
        return element.name
    # A line break becomes a sign, so that a list still differs from a single line.
    held = re.sub(r"\s*\n\s*", "↵", element.value.strip("\n"))
    value = f' = "{held}"' if held and element.value != element.name else ""
    states = sorted(element.states - {"new", "editable", "scrollable"})
    return f"{element}{value}" + (f" ({', '.join(states)})" if states else "")


def lines(elements: Iterable[Element]) -> str:
    return "\n".join(line(element) for element in elements)


def _weight(element: Element, words: frozenset[str], used: Collection[int]) -> float:
    weight = _USED if element.id in used else 0.0
    if "focused" in element.states:
        weight += _FOCUSED
    if element.role in ORIENTING:
        weight += _PLACE
    if not element.is_text and "disabled" not in element.states:
        weight += _CONTROL
    elif element.is_text and len(element.name.split()) == 1:
        weight += _SHORT
    if "new" in element.states:
        weight += _NEW
    own = task_words(f"{element.name} {element.description} {element.value}")
    shared = len(own & words)
    if shared:
        weight += _NAMED * shared / (1 + len(own)) ** 0.5
    return weight


def _surroundings(element: Element, anchors: list[Element], dialogs: list[Element]) -> float:
    weight = 0.0
    if any(dialog is not element and dialog.box.encloses(element.box) for dialog in dialogs):
        weight += _OPEN_DIALOG
    gap = min((anchor.box.gap(element.box) for anchor in anchors), default=NEAR)
    if gap < NEAR:
        weight += _BESIDE * (1 - gap / NEAR)
    return weight
