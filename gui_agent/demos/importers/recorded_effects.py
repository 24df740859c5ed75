"""Steps of a recording judged by what the page showed before and after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from gui_agent.core.actions import Action, Check, Click, Press, Scroll
from gui_agent.core.geometry import Point
from gui_agent.demos.importers.event_recording import Moment, Node

COPY, SELECT_ALL = Press(("ctrl", "c")), Press(("ctrl", "a"))


@dataclass
class Draft:
    """A step while it may still change with what comes next."""

    action: Action
    before: Moment
    """The page just before it."""
    node: Node | None = None
    """What it was done to."""
    to: Node | None = None
    """Where a drag ended; None when that is only a place."""
    idle: bool = False
    """It counts only when the page shows an effect: a click into a field, Tab."""
    typed: str = ""
    """Letters by which an option was looked for."""
    keys: list[Draft] = field(default_factory=list)
    """For typing into a field: its keys, which count when the field took none of them."""


def useful(steps: Sequence[Draft], last: Moment) -> list[Draft]:
    """The steps without those that had no effect, with ticks in place of clicks and with the way scrolled."""
    kept: list[Draft] = []
    for number, step in enumerate(steps, start=1):
        after = steps[number].before if number < len(steps) else last
        following = steps[number].action if number < len(steps) else None
        if step.action == COPY or (step.action == SELECT_ALL and following == COPY):
            continue  # What was copied is what the field held after it was pasted there.
        if step.idle and looks(step.before.page) == looks(after.page):
            continue
        if isinstance(step.action, Click):
            kept.append(_as_check(step, after))
        elif isinstance(step.action, Scroll):
            down, right = _moved(cast(Node, step.node), after)
            if (down or right) and not (number < len(steps) and _was_in_sight(step, steps[number])):
                kept.append(replace(step, action=replace(step.action, down=down, right=right)))
        else:
            kept.append(step)
    return kept


def _as_check(step: Draft, after: Moment) -> Draft:
    """A click that changed a box or a radio button as the action that says so."""
    click = cast("Click[Point]", step.action)
    if click.modifiers or click.clicks != 1:
        return step
    then = step.before.nodes
    changed = [
        node
        for ref, node in after.nodes.items()
        if node.type in ("checkbox", "radio") and ref in then and then[ref].checked != node.checked
    ]
    on = [node for node in changed if node.checked or node.type == "checkbox"]
    around = {node.ref for node in step.before.lineage[:1]}
    labels = [node for node in step.before.lineage if node.tag == "label"]
    near = around | {inner.ref for label in labels for inner in label.walk()}
    if len(on) != 1 or (on[0].ref not in near and not labels):
        return step
    box = then[on[0].ref]
    return replace(step, action=Check(middle(box), on[0].checked), node=box)


def _moved(scrolled: Node, after: Moment) -> tuple[int, int]:
    """By how many pixels what is in an element has moved up and to the left."""
    now = after.nodes
    for inner in scrolled.walk():
        if inner.ref != scrolled.ref and not inner.is_text and inner.ref in now:
            rect = now[inner.ref].rect
            return round(inner.rect[1] - rect[1]), round(inner.rect[0] - rect[0])
    return 0, 0


def _was_in_sight(scroll: Draft, following: Draft) -> bool:
    """Whether what comes after a scroll goes to something in what was scrolled that could be seen before."""
    window, node = cast(Node, scroll.node), following.node
    then = scroll.before.nodes.get(node.ref) if node is not None else None
    inside = then is not None and any(inner.ref == then.ref for inner in window.walk())
    return inside and then is not None and window.rect[1] <= then.rect[1] and then.rect[3] <= window.rect[3]


def looks(page: Node) -> list[tuple[object, ...]]:
    """What a page shows, without where the focus is."""
    return [
        (node.tag, 0 if node.is_text else node.ref, node.text, node.value, node.checked, node.classes)
        for node in page.walk()
    ]


def middle(node: Node) -> Point:
    """The middle of an element."""
    left, top, right, bottom = node.rect
    return Point(int((left + right) / 2), int((top + bottom) / 2))
