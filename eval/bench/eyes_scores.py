"""Compares what eyes read from a picture with what the tree says: places, boxes, states and letters."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, cast

from eyes_screens import CONTROLS, Shot
from PIL import Image, ImageDraw

from gui_agent import ScreenGrounder, Words
from gui_agent.computers.desktop.parts import Node, ScreenReading, Window
from gui_agent.core.errors import Ambiguous, ConfigError, GuiAgentError
from gui_agent.core.observation import Box, Element, Observation
from gui_agent.core.texts import normal

VERBS = {"textbox": "type", "searchbox": "type", "checkbox": "check", "radio": "check", "combobox": "choose"}
"""What is asked to be done with a control of a role; others are clicked."""
LONGEST = 40
"""Letters of a name up to which a control is asked for."""
IOU = 0.5
"""Intersection over union from which on a control counts as detected."""
LETTER = 4.0
"""Least pixels of a painted letter; a narrower button shows an icon instead of its name."""
SAME = {"togglebutton": "button", "searchbox": "textbox", "switch": "checkbox", "spinbutton": "textbox"}
"""Roles that eyes need not tell from another."""
TICKED = ("checkbox", "radio", "switch")
STATES = {"checked": TICKED, "expanded": (), "disabled": ()}
"""The states that are compared, and the roles that can have them; all roles if none is named."""
CHANGE = (220, 26)
"""Width and height of the part that changes before a later look."""


@dataclass
class Score:
    """What one screen gave, as JSON writes it."""

    screen: str
    group: str
    counts: Counter[str] = field(default_factory=Counter)
    """By `role what`: asked, right, wrong, none, there, boxed, told."""
    misses: list[dict[str, Any]] = field(default_factory=list)
    first: float = 0.0
    later: float = 0.0
    """Processor seconds of the first look, and of one after a change."""

    def as_table(self) -> dict[str, Any]:
        """For JSON."""
        return {**vars(self), "counts": dict(self.counts)}


Look = Callable[[Image.Image], Sequence[Node]]


class Eyes(Protocol):
    """What reads a picture, such as `VisionSource`."""

    def read(self, windows: Sequence[Window], picture: Image.Image, seconds: float) -> ScreenReading:
        """The nodes on the picture."""


def named_eyes(name: str) -> Callable[[], Eyes]:
    """The class or function `package.module:name` that makes eyes.

    Raises:
        ConfigError: there is none of this name.
    """
    module, _, attribute = name.partition(":")
    try:
        return cast("Callable[[], Eyes]", getattr(import_module(module), attribute))
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"--eyes {name}: {error}; it is PACKAGE.MODULE:NAME") from error


def fresh_look(made: Callable[[], Eyes]) -> Look:
    """Eyes that know no picture yet, but have loaded what they read with."""
    source = made()
    source.read([], Image.new("RGB", (64, 64), "white"), 10)
    return lambda picture: source.read([], picture, 10).nodes


def score(shot: Shot, look: Look) -> tuple[Score, tuple[Element, ...]]:
    """The score of a screen, and what the eyes saw."""
    made = Score(shot.name, shot.group)
    start = time.process_time()
    nodes = look(shot.picture)
    made.first = time.process_time() - start
    seen = Observation(
        shot.told.size,
        tuple(
            Element(
                number,
                one.role,
                one.name,
                one.box,
                value=one.value or "",
                states=frozenset(one.states),
                source="vision",
                does=one.does,
            )
            for number, one in enumerate(nodes, 1)
        ),
        shot.told.place,
    )
    ask(shot.told.elements, seen, made)
    detect(shot.told.elements, seen.elements, made)
    read(shot.told.elements, seen.elements, made.counts)
    changed = changed_picture(shot)
    start = time.process_time()
    look(changed)
    made.later = time.process_time() - start
    return made, seen.elements


def ask(told: Sequence[Element], seen: Observation, made: Score) -> None:
    """Ground each control with a name of its own by the picture alone, and check the place."""
    names = Counter((one.role, normal(one.name)) for one in told)
    for one in told:
        if one.role not in CONTROLS or not one.name or len(one.name) > LONGEST:
            continue
        if names[one.role, normal(one.name)] > 1:
            continue
        verb = VERBS.get(one.role, "click")
        icon = is_icon(one)
        rows = (one.role, "icon") if icon else (one.role,)
        made.counts.update(f"{row} asked" for row in rows)
        try:
            found = ScreenGrounder().locate(Words(one.name), seen, verb=verb)
        except GuiAgentError as error:
            outcome, said = "none", f"{type(error).__name__}: {error}"
            why = "icon" if icon else _why_none(one, seen, error)
        else:
            namesake = verb == "click" and any(
                other.name and normal(other.name) == normal(one.name) and other.box.contains(found.point)
                for other in told
            )
            outcome = "right" if one.box.contains(found.point) or namesake else "wrong"
            taken = found.element
            label = taken is not None and taken.is_text and normal(taken.name) == normal(one.name)
            made.counts["all labels"] += outcome == "wrong" and label
            said = f"took {taken} at {found.point.x},{found.point.y}"
            other = f"took another {taken.role if taken else 'place'}"
            why = "icon" if icon else "took the text of its name" if label else other
        made.counts.update(f"{row} {outcome}" for row in rows)
        if outcome != "right":
            miss = {"role": one.role, "name": one.name, "box": one.box.measures, "verb": verb}
            made.misses.append({**miss, "outcome": outcome, "why": why, "said": said[:160]})


def is_icon(one: Element) -> bool:
    """Whether a control is too small to show its name, so that it shows an icon."""
    inside = one.role in ("button", "togglebutton", "link", "tab", "menuitem", "option")
    return inside and one.box.width < LETTER * len(one.name)


def _why_none(one: Element, seen: Observation, error: GuiAgentError) -> str:
    name = normal(one.name)
    texts = [(normal(other.name), other) for other in seen.elements if other.name]
    if isinstance(error, Ambiguous):
        return "several fit"
    if any(text == name for text, _ in texts):
        return "name read, no control of the kind with it"
    if any(name in text for text, _ in texts):
        return "name read as part of a longer text"
    nearest = max((letters_right(name, text) / max(1, len(name)) for text, _ in texts), default=0.0)
    return "name misread by a few letters" if nearest >= 0.7 else "name not read"


def detect(told: Sequence[Element], seen: Sequence[Element], made: Score) -> None:
    """Match the boxes of controls, the best pairs first, and compare roles and states of the pairs."""
    theirs = [one for one in told if one.role in CONTROLS]
    ours = [one for one in seen if one.role in CONTROLS]
    pairs = sorted(
        ((likeness(one, other), i, j) for i, one in enumerate(theirs) for j, other in enumerate(ours)),
        reverse=True,
    )
    taken: dict[int, int] = {}
    for iou, i, j in pairs:
        if iou >= IOU and i not in taken and j not in taken.values():
            taken[i] = j
    made.counts["all seen"] += len(ours)
    made.counts["all false"] += len(ours) - len(taken)
    for i, one in enumerate(theirs):
        made.counts[f"{one.role} there"] += 1
        if i not in taken:
            continue
        other = ours[taken[i]]
        made.counts[f"{one.role} boxed"] += 1
        made.counts[f"{one.role} told"] += SAME.get(other.role, other.role) == SAME.get(one.role, one.role)
        for state, roles in STATES.items():
            if one.role in roles or (not roles and state in one.states):
                kind = f"{state} {'yes' if state in one.states else 'no'}"
                made.counts[f"{kind} asked"] += 1
                made.counts[f"{kind} right"] += (state in one.states) == (state in other.states)


def likeness(one: Element, other: Element) -> float:
    """How well a seen box fits a control: their IoU, or 1 for a tick that is seen without its text."""
    if one.role in TICKED and other.role in TICKED and one.box.contains(other.box.center):
        return 1.0
    return one.box.iou(other.box)


def read(told: Sequence[Element], seen: Sequence[Element], counts: Counter[str]) -> None:
    """Count the characters of names and values that were read right."""
    for one in told:
        if one.role not in CONTROLS or "password" in one.states:
            continue
        if one.name and len(one.name) <= LONGEST and not is_icon(one):
            best = max((letters_right(one.name, text) for other in seen for text in other.texts), default=0)
            counts["name letters"] += len(one.name)
            counts["name letters right"] += best
        if (
            one.value
            and len(one.value) <= LONGEST
            and one.role in ("textbox", "combobox", "searchbox", "spinbutton")
        ):
            inside = [other for other in seen if one.box.contains(other.box.center)]
            texts = [text for other in inside for text in other.texts if text]
            counts["value letters"] += len(one.value)
            counts["value letters right"] += max(
                (letters_right(one.value, text) for text in [*texts, " ".join(texts)]), default=0
            )


def letters_right(wanted: str, found: str) -> int:
    """How many letters of a text stand in a part of another one: its length less the edits that mend it."""
    row = [0] * (len(found) + 1)
    for place, letter in enumerate(wanted, 1):
        last, row[0] = row[0], place
        for at, other in enumerate(found, 1):
            last, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, last + (letter != other))
    return max(0, len(wanted) - min(row))


def changed_picture(shot: Shot) -> Image.Image:
    """The picture with a new text in its first field, or in its middle."""
    fields = [one.box for one in shot.told.elements if one.role == "textbox"]
    middle = Box(0, 0, *shot.picture.size).center
    left, top = fields[0].corner if fields else (middle.x, middle.y)
    picture = shot.picture.convert("RGB")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((left + 2, top + 2, left + CHANGE[0], top + CHANGE[1]), fill="white")
    draw.text((left + 8, top + 8), "Changed 42", fill="black")
    return picture


def drawn(shot: Shot, seen: Sequence[Element]) -> Image.Image:
    """The picture with the truth in green and what the eyes found in red."""
    picture = shot.picture.convert("RGB")
    draw = ImageDraw.Draw(picture)
    for one in seen:
        if one.role in CONTROLS:
            left, top, right, bottom = one.box.grow(2).edges
            draw.rectangle((left, top, right - 1, bottom - 1), outline="red")
    for one in shot.told.elements:
        if one.role in CONTROLS:
            left, top, right, bottom = one.box.edges
            draw.rectangle((left, top, right - 1, bottom - 1), outline=(0, 150, 0))
            states = "".join(
                f" +{state}" for state in sorted(one.states & {"checked", "disabled", "expanded"})
            )
            draw.text((left + 1, max(0, top - 10)), f"{one.role} {one.name[:24]}{states}", fill=(0, 110, 0))
    return picture
