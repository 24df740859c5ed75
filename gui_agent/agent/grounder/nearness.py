"""Elements by what is near them; and what else a phrase may mean where nothing fits it as it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gui_agent.agent.grounder.candidates import (
    FILLING,
    Candidate,
    candidate_of,
    leads_away,
)
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import (
    Box,
    Element,
    Observation,
    Point,
    Relation,
    Size,
    Words,
    on_one_line,
    under,
    within,
)
from gui_agent.core.texts import normal, shorten
from gui_agent.elements import tuning
from gui_agent.elements.roles import HOLDERS, NOUNS, PRESSED, REGIONS, alike, canonical, is_a, sides, word_set
from gui_agent.elements.text import DETERMINERS, identifier_words, likeness
from gui_agent.elements.words import distance_order
from gui_agent.scene import Scene, label_fit
from gui_agent.scene.tables import column_rank, crossing, row_rank

_OF_RECORDS: tuple[Relation, ...] = ("in the row of", "for", "near")
"""Relations to a record as a whole; the others are to the place of what is named."""
NO_PAGE = "about:blank"
"""The address of a browser in which nothing was opened."""
SLACK = 4
"""Pixels by which boxes beside or below each other may overlap."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a candidate is to an anchor."""

    candidate: Candidate
    rank: int
    """How closely the structure joins them; a row shares more of it with its own cells."""
    distance: float
    """Pixels between them; half as much when they stand on one line."""

    def ties_with(self, nearest: Nearness) -> bool:
        limit = nearest.distance * tuning.NEAR_RATIO + tuning.NEAR_SLACK
        return self.rank == nearest.rank and self.distance <= limit


def by_relation(
    found: Sequence[Candidate], around: Sequence[Element], observation: Observation, relation: Relation
) -> list[Nearness]:
    """The candidates that stand so to one of the anchors, from nearest to farthest.

    What an anchor names is not beside or below itself; only `for` may mean the anchor, and `in the row of`
    where nothing else in the row fits.
    """
    best = max((c.score for c in found), default=0.0)
    found = [c for c in found if c.score >= best - tuning.NEAR_BAND]
    ids = {c.element.id for c in found}
    # A field and its label carry the same words: the field is looked for, beside the label.
    apart = [a for a in around if a.id not in ids]
    others = (apart or around) if relation != "for" else around
    measure = _measure(relation, Scene.of(observation))
    every = ([n for a in others if (n := measure(c, a)) is not None] for c in found)
    measured = [min(ways, key=_order) for ways in every if ways]
    if not measured and relation == "in the row of":
        measured = [Nearness(c, 0, 0.0) for c in found if c.element.id in {a.id for a in around}]
    return sorted(measured, key=_order)


def near_candidates(pool: list[Candidate], words: Words, observation: Observation) -> list[Candidate]:
    """Those of the pool that stand to something else as the words say; about as near as the nearest."""
    scene = Scene.of(observation)
    records = scene.records
    if words.relation in _OF_RECORDS:
        around = records.anchors_of(words.near, in_any_column=words.relation != "for")
    else:
        around = scene.matches(words.near)
    around = around or anchors_of_kind(words.near, observation)
    if words.relation == "under the heading" and observation.windows:
        # Programs say which of their words are headings, or name a group; pages seldom do.
        around = [one for one in around if one.role in HOLDERS]
    part = words.near.casefold()
    if not around and (inside := _in_part(pool, part, observation)):
        return [replace(c, how=f"{c.how}, in the {part}") for c in inside]
    if not around and (missing := records.not_found(words.near, [c.element for c in pool])):
        raise missing
    if not around:
        nearest = nearest_to(words.near, observation)
        raise NotFound(f'no "{words.near}" here to look near; {nearest_hint(nearest, observation)}', nearest)
    ordered = by_relation(pool, around, observation, words.relation)
    if not ordered and words.relation == "in the row of" and words.text and not words.role:
        cell = crossing(words.text, around, words.near, scene, by_place=False)
        if cell is not None:
            return [Candidate(cell, tuning.LABEL, (), "where the row and the column meet")]
    if not ordered:
        elements = [c.element for c in pool]
        elsewhere = f"only elsewhere: {in_words(elements)}; scroll to it" if pool else "nor elsewhere"
        raise NotFound(f"no {words} in sight, {elsewhere}", elements)
    how = f'{words.relation} "{shorten(words.near, 40)}"'
    near = [n for n in ordered if (n.rank == ordered[0].rank if words.ordinal else n.ties_with(ordered[0]))]
    return [replace(n.candidate, how=f"{n.candidate.how}, {how}") for n in near]


def _in_part(pool: list[Candidate], part: str, observation: Observation) -> list[Candidate]:
    """Those in a part of the screen that has no name: `dialog`, `table`, `top right corner`; else none."""
    if named := sides(part):
        return [c for c in pool if named <= _halves(c.element.box.center, observation.size)]
    mark = REGIONS.get(part)
    inside = [c for c in pool if mark and re.search(mark, f"{c.element.path}/{c.element.role}")]
    front = (
        {one.id for one in Scene.of(observation).layers.entries}
        if mark in ("", "/menu") and not inside
        else set()
    )
    return inside or [c for c in pool if c.element.id in front]


def _halves(point: Point, size: Size) -> set[str]:
    return {"top" if 2 * point.y < size.height else "bottom", "left" if 2 * point.x < size.width else "right"}


def anchors_of_kind(near: str, observation: Observation) -> list[Element]:
    """`next to the text field`, where nothing is called so: the one with the keyboard, or the only one."""
    kind = NOUNS.get(near.casefold(), "")
    found = [one for one in observation.controls if kind and is_a(one, kind)]
    focused = [one for one in found if "focused" in one.states]
    return focused or (found if len(found) == 1 else [])


def _order(nearness: Nearness) -> tuple[int, float]:
    return (-nearness.rank, nearness.distance)


def _measure(relation: Relation, scene: Scene) -> Callable[[Candidate, Element], Nearness | None]:
    """The rule of a relation: how near a candidate is to an anchor, None when it does not stand so."""
    tree = scene.tree

    def structural_rank(element: Element, anchor: Element) -> int | None:
        """How closely the structure joins them; None for a relation to a place."""
        if relation == "in the row of":
            return row_rank(element, anchor, scene)
        if relation == "in the column of":
            return column_rank(element, anchor)
        return tree.section_rank(element, anchor) if relation == "under the heading" else None

    def measure(candidate: Candidate, anchor: Element) -> Nearness | None:
        element = candidate.element
        if element.id == anchor.id:
            return Nearness(candidate, len(tree.steps(anchor)) + 2, 0.0) if relation == "for" else None
        rank = structural_rank(element, anchor)
        if rank is not None:
            return Nearness(candidate, rank, 0.0) if rank else None
        is_labelled = bool(anchor.name) and label_fit(element, anchor.name) >= tuning.ANCHOR
        if relation in _SIDES:
            if not _SIDES[relation](anchor.box, element.box):
                return None
            distance = element.box.gap(anchor.box) * (0.5 if under(anchor.box, element.box) else 1.0)
            return Nearness(candidate, 0, 0.0 if is_labelled else distance)
        if tree.are_of_sibling_records(element, anchor):
            return None
        common = len(tree.steps(anchor)) + 1 if is_labelled else tree.shared_depth(element, anchor)
        nearer = 0.5 if on_one_line(element.box, anchor.box) else 1.0
        return Nearness(candidate, common, element.box.gap(anchor.box) * nearer)

    return measure


_SIDES: dict[str, Callable[[Box, Box], bool]] = {
    "below": lambda anchor, box: anchor.is_above(box, SLACK),
    "above": lambda anchor, box: box.is_above(anchor, SLACK),
    "right of": lambda anchor, box: anchor.is_left_of(box, SLACK) and on_one_line(anchor, box),
    "left of": lambda anchor, box: box.is_left_of(anchor, SLACK) and on_one_line(anchor, box),
}
"""Whether a box is on one side of the anchor's."""


def not_found(words: Words, observation: Observation) -> NotFound:
    """The error for a name that nothing has, with what is called most like it."""
    elements: Sequence[Element] = observation.elements
    if not words.text and words.role:
        nearest = [e for e in elements if e.role in alike(words.role)][: tuning.NEAREST]
        nearest = nearest or list(observation.controls)[: tuning.NEAREST]
        return NotFound(f"no {words.role} here; {nearest_hint(nearest, observation)}", nearest)
    nearest = nearest_to(words.text, observation, words.role)
    return NotFound(f"no {Words(words.text, words.role)} here; {nearest_hint(nearest, observation)}", nearest)


def nearest_to(text: str, observation: Observation, role: str = "") -> list[Element]:
    """The elements with the names most like the text, controls before texts, each name once.

    Of an open menu, or a dialog in front, first come its own entries, also those that are called otherwise.
    """
    front = Scene.of(observation).layers.entries
    pool = [e for e in front or observation.elements if (e.name or e.description) and len(e.name) < 80]
    pool.sort(key=lambda e: (e.is_text, not (role and is_a(e, role))))
    order = distance_order(text, [e.name or e.description for e in pool]) if text else list(range(len(pool)))
    if front:
        order += [index for index, e in enumerate(pool) if not e.is_text]
    distinct: dict[str, Element] = {}
    for index in order:
        distinct.setdefault(str(pool[index]), pool[index])
        if len(distinct) == tuning.NEAREST:
            break
    return list(distinct.values())


def nearest_hint(nearest: Sequence[Element], observation: Observation) -> str:
    """The end of a message about something that is not there."""
    if nearest:
        return f"nearest: {in_words(nearest)}"
    if observation.place.url == NO_PAGE and not observation.elements:
        return "no page is open; say where to begin with --url, or: go to ADDRESS"
    return "there is nothing with a name on the screen"


def in_words(elements: Sequence[Element]) -> str:
    shown = ", ".join(shorten(str(element), 50) for element in elements[: tuning.NEAREST])
    more = len(elements) - tuning.NEAREST
    return f"{shown} and {more} more" if more > 0 else shown


_A_DOCUMENT = 0.3
"""Share of the screen's height from which on a field is the document, and not one of the fields counted."""
_OUTDOES = 3
"""How many times larger than the next the text area is that is meant by "the editor"."""


def told_apart(rivals: list[Candidate], words: Words) -> Candidate | None:
    """Of links that lead to one place the first; as the editor the large field to write in."""
    first = rivals[0].element
    if all(
        (c.element.name, _link_target(c.element)) == (first.name, _link_target(first)) for c in rivals
    ) and _link_target(first):
        return min(rivals, key=lambda c: c.element.box.corner)  # one link, shown twice
    focused = [c for c in rivals if {"focused", "editable"} <= c.element.states]
    if not words.text and len(focused) == 1:
        return focused[0]
    if words.text or canonical(words.role) != "textarea":
        return None
    free = [c for c in rivals if "readonly" not in c.element.states]
    free.sort(key=lambda c: -c.element.box.area)
    large = len(free) == 1 or (
        len(free) > 1 and free[0].element.box.area > _OUTDOES * free[1].element.box.area
    )
    return free[0] if large else None


def candidate_of_rank(pool: list[Candidate], words: Words, observation: Observation) -> Candidate:
    """The second, or the last, in reading order of those that are what the best one is."""
    best = min(pool, key=lambda c: (c.rank, -c.score))
    alike_ones = [c for c in pool if c.kind == best.kind and c.score >= best.score - tuning.ORDINAL_BAND]
    if "textbox" in alike(words.role) and not words.text:
        tall = observation.size.height * _A_DOCUMENT
        alike_ones = [c for c in alike_ones if c.element.box.height < tall] or alike_ones
    place = {element.id: i for i, element in enumerate(observation.elements)}
    alike_ones.sort(key=lambda c: place[c.element.id])
    index = words.ordinal - 1 if words.ordinal > 0 else len(alike_ones) + words.ordinal
    if not 0 <= index < len(alike_ones):
        elements, what = [c.element for c in alike_ones], replace(words, ordinal=0)
        few = f"only {len(elements)} of {what}; take one of these or scroll for more"
        raise NotFound(f"no {words} here, {few}", elements)
    chosen = alike_ones[index]
    return replace(chosen, how=f"{chosen.how}, number {index + 1} of {len(alike_ones)}")


def _link_target(element: Element) -> str:
    href = element.attributes.get("href", "") if element.role == "link" else ""
    return href if leads_away(href) or (len(href) > 1 and href[0] == "#") else ""


_COMMITTING = word_set("save submit apply update ok confirm store")
"""First words of the button that takes over what was filled in; which of them it bears is taste."""
_UPLOADS = word_set(
    "file files folder folders document documents attachment attachments field input zone area box picker"
    " drag drop dropzone upload choose select browse attach add here to or and the a your"
)
"""Words that say of a place for files no more than that it is one: the only one will do."""
_ITS_OBJECTS = word_set("changes change form settings all")


def committing(words: Words, observation: Observation) -> Candidate | None:
    """`Save` as the one button that sends the form, or ends the dialog in front, under another such name.

    So is `Add` that of a form whose title begins with it, whatever is on the button.
    """
    verb, *rest = normal(words.text).split() or [""]
    if words.near or words.ordinal or words.role not in ("", "button"):
        return None
    titled = {
        one.id
        for one in observation.controls
        if not rest
        and one.does.form.sends
        and "".join(one.does.form.words[:1]).lower().startswith(f"{verb} ")
    }
    if verb not in _COMMITTING and not titled:
        return None
    dialog = {one.id for one in Scene.of(observation).layers.entries}
    found = [
        one
        for one in observation.controls
        if one.role == "button"
        for first, *others in (normal(one.name).split() or [""],)
        if first in _COMMITTING and {*rest} <= _ITS_OBJECTS
        if verb in _COMMITTING or one.id in titled
        if "changes" in others or {*others} <= _ITS_OBJECTS
        if one.id in dialog or (not dialog and (one.does.form.sends or "changes" in others))
    ]
    if len(found) != 1 or "disabled" in found[0].states:
        return None
    return Candidate(found[0], tuning.VALUE, (), "the one button that takes it over")


def other_readings(words: Words, verb: str) -> list[Words]:
    """`Send button` as the button `Send`; the `tab` called `tab 2` as the one called `2`, or the second.

    Also `Edit for Ada`, `Name of the group` as a field, and a list that is dropped on.
    """
    head, _, tail = words.text.rpartition(" ")
    if words.role == "document" and not words.text and not words.near:
        return [Words(role="textarea")]  # in most programs it is the large field
    if verb == "upload" and words.text and not words.near and {*identifier_words(words.text)} <= _UPLOADS:
        return [Words()]
    if not words.role:
        what, _, whose = words.text.rpartition(" for ")
        kind = NOUNS.get(tail.casefold(), "")
        found = [replace(words, text=what, near=whose, relation="for")] if what and not words.near else []
        what, _, whole = words.text.rpartition(" of ")
        if what and not words.near and verb in FILLING:
            first, _, rest = whole.partition(" ")
            whole = rest if rest and first.casefold() in DETERMINERS else whole
            found += [replace(words, text=what, near=whole, relation="under the heading")]
        found += [replace(words, text=head, role=kind)] if head and kind else []
        found += [replace(words, text=head)] if head and kind and verb == "drag" else []
        return found
    if words.ordinal or not tail.isdecimal() or canonical(head) != canonical(words.role):
        return []
    return [replace(words, text=tail), replace(words, text="", ordinal=int(tail))]


def farther(words: Words, observation: Observation, verb: str, best: Candidate | None) -> None:
    """See whether a control beyond the picture is meant rather than the best one in sight."""
    if not words.text or words.near or words.ordinal or verb in ("read", "scroll"):
        return
    dialog = Scene.of(observation).layers.dialog
    reachable = [e for e in observation.beyond if dialog is None or within(e, dialog)]
    found = [
        c
        for e in reachable
        if (c := candidate_of(words, e, verb)) and (not words.role or is_a(e, words.role))
    ]
    if out := sorted(
        (c for c in found if best is None or c.kind < best.kind), key=lambda c: (c.rank, -c.score)
    ):
        elements = [c.element for c in out]
        raise NotFound(f"{words} is not in sight: {in_words(elements)}; scroll to it", elements)


def refuse_reserved(leader: Candidate, pool: list[Candidate], words: Words, observation: Observation) -> None:
    """Refuse a click on a field that is only like the words where a button says them with a reservation.

    A field is hardly clicked for its own sake: beside `Replace All`, `Replace` is not `Replace with:`.
    """
    pressed = [e for e in observation.controls if e.role in PRESSED and likeness(words.text, e.name) > 0]
    if pressed and not words.role and not any(c.element.role in PRESSED for c in pool):
        both = [*pressed, leader.element]
        raise Ambiguous(f"nothing is called just {words}: {in_words(both)}; say which", both)
