"""Judges steps of a recording by the page before and after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from gui_agent.core.actions import Action, Check, Click, Press, Scroll, TypeText
from gui_agent.core.observation import Point
from gui_agent.procedures.language.template import tokens
from guiagent_eval.miniwob_recordings.recording import PageNode, PageState

COPY, SELECT_ALL = Press(("ctrl", "c")), Press(("ctrl", "a"))


@dataclass
class DraftAct:
    """A step that later events may still change."""

    action: Action
    before: PageState
    """The page just before it."""
    node: PageNode | None = None
    """The target of the step."""
    to: PageNode | None = None
    """The element where a drag ended; None if it ended at a bare place."""
    idle: bool = False
    """Whether the step counts only if the page shows an effect: a click into a field, Tab."""
    typed: str = ""
    """Letters typed to look for an option."""
    elsewhere: bool = False
    """Whether a scroll that is no step moved the target first: other elements may be in sight after it."""
    keys: list[DraftAct] = field(default_factory=list)
    """The keys typed into a field, which count if the field accepted none of them."""


def useful(steps: Sequence[DraftAct], last: PageState) -> list[DraftAct]:
    """The steps that had an effect, with ticks in place of clicks and with the scrolled distance."""
    kept: list[DraftAct] = []
    steps = _with_values_set(steps, last)
    for number, step in enumerate(steps, start=1):
        after = steps[number].before if number < len(steps) else last
        following = steps[number].action if number < len(steps) else None
        if step.action == COPY or (step.action == SELECT_ALL and following == COPY):
            continue  # The copied text is the field's value after it was pasted there.
        if step.idle and looks(step.before.page) == looks(after.page):
            continue
        if isinstance(step.action, Click):
            kept.append(_as_check(step, after))
        elif isinstance(step.action, Scroll):
            down, right = _displacement(cast(PageNode, step.node), after)
            if number < len(steps) and _only_prepares(step, steps[number]):
                steps[number].elsewhere = True
            elif down or right:
                kept.append(replace(step, action=replace(step.action, down=down, right=right)))
        else:
            kept.append(step)
    # If nothing else was done, or the page answered nothing, bringing the keyboard to a field at the
    # end was the task.
    idle = steps and steps[-1].idle and all(isinstance(step.action, Click) for step in kept)
    if idle and looks(steps[0].before.page) == looks(last.page):
        kept = []
    return kept or [step for step in steps if isinstance(step.action, Click)][-1:]


def _with_values_set(steps: Sequence[DraftAct], last: PageState) -> list[DraftAct]:
    """The steps, with clicks that set a field's value (on its arrows, its calendar) as entering it."""
    kept: list[DraftAct] = []
    for number, step in enumerate(steps, start=1):
        after = steps[number].before if number < len(steps) else last
        value = _value_set(step, after)
        if value is None:
            kept.append(step)
            continue
        entered = TypeText(value, middle(cast(PageNode, step.node)), True)
        before = step.before
        while kept and _sets(kept[-1], step):
            before = kept.pop().before
        kept.append(replace(step, action=entered, before=before, idle=False))
    return kept


def _value_set(step: DraftAct, after: PageState) -> str | None:
    """The value that a click or an arrow key gave to a field, if any."""
    node = step.node
    if node is None or not step.idle or node.tag != "input" or node.ref not in after.nodes:
        return None
    held = step.before.nodes[node.ref].value if node.ref in step.before.nodes else node.value
    now = after.nodes[node.ref].value
    return now if now and now != held else None


def _sets(step: DraftAct, later: DraftAct) -> bool:
    """Whether a later step on the same field replaces the effect of this one."""
    same = step.node is not None and later.node is not None and step.node.ref == later.node.ref
    return same and (step.idle or isinstance(step.action, TypeText))


def as_mentioned(steps: Sequence[DraftAct], said: str) -> list[DraftAct]:
    """The steps, with consecutive fields in the order in which the instruction mentions them.

    People fill a form from top to bottom; the instruction has an order of its own. The order stays
    unchanged if the page answers with more than the text in the field.

    This is done here and not for demonstrations of every origin: the pages of these recordings are requested
    in one wording and lay out their fields differently each time. If people word one task differently at the
    same form, they share the order of filling, and the order of mention would separate them.
    """
    kept: list[DraftAct] = []
    row: list[DraftAct] = []
    for step in [*steps, None]:
        if step is not None and _fills(step) and (not row or _shape(row[0]) == _shape(step)):
            row.append(step)
            continue
        kept += _in_order(row, said)
        row = [step] if step is not None and _fills(step) else []
        kept += [step] if step is not None and not row else []
    return kept


def _fills(step: DraftAct) -> bool:
    return isinstance(step.action, TypeText) and step.action.at is not None


def _shape(step: DraftAct) -> list[tuple[object, ...]]:
    """The content of a page before a step, without the values of its fields."""
    return [(node.tag, node.text, node.classes) for node in step.before.page.walk()]


def _in_order(row: Sequence[DraftAct], said: str) -> list[DraftAct]:
    whole = words(said)
    texts = [words(step.action.text) for step in row if isinstance(step.action, TypeText)]
    places = [whole.find(text) for text in texts if whole.count(text) == 1]
    fields = {step.node.ref for step in row if step.node is not None}
    if min(len(set(places)), len(fields)) < len(row) or places == sorted(places):
        return list(row)
    pairs = sorted(zip(places, row, strict=True), key=lambda pair: pair[0])
    return [replace(step, before=row[0].before) for _, step in pairs]


def words(text: str) -> str:
    """The words of a text between spaces, to be looked up in another text."""
    return f" {' '.join(token.text for token in tokens(text))} "


def _as_check(step: DraftAct, after: PageState) -> DraftAct:
    """A click that changed a box or a radio button as the action `check`."""
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


def _displacement(scrolled: PageNode, after: PageState) -> tuple[int, int]:
    """By how many pixels the content of an element has moved up and to the left."""
    now = after.nodes
    for inner in scrolled.walk():
        if inner.ref != scrolled.ref and not inner.is_text and inner.ref in now:
            rect = now[inner.ref].rect
            return round(inner.rect[1] - rect[1]), round(inner.rect[0] - rect[0])
    return 0, 0


def _only_prepares(scroll: DraftAct, following: DraftAct) -> bool:
    """Whether a scroll only moved the next target, which a run finds and brings into view without it."""
    node = following.node
    return node is not None and any(inner.ref == node.ref for inner in cast(PageNode, scroll.node).walk())


def looks(page: PageNode) -> list[tuple[object, ...]]:
    """The content of a page, without the focus."""
    return [
        (node.tag, 0 if node.is_text else node.ref, node.text, node.value, node.checked, node.classes)
        for node in page.walk()
    ]


def middle(node: PageNode) -> Point:
    """The middle of an element."""
    left, top, right, bottom = node.rect
    return Point(int((left + right) / 2), int((top + bottom) / 2))
