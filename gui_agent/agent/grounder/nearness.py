"""Finds elements by what is near them, and other meanings of a phrase that nothing matches as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gui_agent.agent.grounder.candidates import (
    FILLING,
    Candidate,
    candidate_of,
    leads_away,
)
from gui_agent.core.aiming import sole
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import (
    Box,
    Element,
    Observation,
    Point,
    Relation,
    Size,
    Words,
    is_part_of,
    on_one_line,
    share_columns,
)
from gui_agent.core.texts import normal, shorten
from gui_agent.elements import tuning
from gui_agent.elements.roles import (
    CELLS,
    HOLDERS,
    NOUNS,
    PRESSED,
    REGIONS,
    canonical,
    is_a,
    sides,
    synonymous_roles,
    word_set,
)
from gui_agent.elements.text import DETERMINERS, identifier_words, likeness
from gui_agent.elements.words import distance_order
from gui_agent.scene import Scene, label_fit
from gui_agent.scene.tables import cell_at_crossing, column_rank, row_rank

_OF_RECORDS: tuple[Relation, ...] = ("in the row of", "for", "near")
"""Relations to a whole record; the others are relations to the place of an element."""
NO_PAGE = "about:blank"
"""The address of a browser that has opened no page."""
SLACK = 4
"""How many pixels boxes next to or below each other may overlap."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a candidate is to an anchor."""

    candidate: Candidate
    rank: int
    """How closely the structure connects them: a row is closest to its own cells."""
    distance: float
    """Pixels between them, halved if both are on one line."""

    @property
    def order(self) -> tuple[int, float]:
        """Sort key, nearest first."""
        return -self.rank, self.distance

    def ties_with(self, nearest: Nearness) -> bool:
        limit = nearest.distance * tuning.NEAR_RATIO + tuning.NEAR_SLACK
        return self.rank == nearest.rank and self.distance <= limit


def by_relation(
    found: Sequence[Candidate], around: Sequence[Element], observation: Observation, relation: Relation
) -> list[Nearness]:
    """The candidates that have this relation to one of the anchors, nearest first.

    An anchor is not beside or below itself; only `for` may mean the anchor itself, and `in the row of`
    if nothing else in the row matches.
    """
    best = max((c.score for c in found), default=0.0)
    found = [c for c in found if c.score >= best - tuning.NEAR_BAND]
    others = around
    if relation != "for":
        # A field and its label have the same words; the anchor is the label, and the field the target.
        ids = {c.element.id for c in found}
        others = [one for one in around if one.id not in ids] or around
    scene = Scene.from_screen(observation)
    measured = [*filter(None, (_nearest(c, others, relation, scene) for c in found))]
    if not measured and relation == "in the row of":
        return [Nearness(c, 0, 0.0) for c in found if c.element in around]
    return sorted(measured, key=lambda one: one.order)


def near_candidates(pool: list[Candidate], words: Words, observation: Observation) -> list[Candidate]:
    """Candidates in the pool that have the relation of the words to an anchor, about as near as the
    nearest.
    """
    around = _anchors(words, observation)
    part = words.near.casefold()
    if not around:
        if inside := _in_part(pool, part, observation):
            return [replace(c, how=f"{c.how}, in the {part}") for c in inside]
        raise _no_anchor(pool, words, observation)
    ordered = by_relation(pool, around, observation, words.relation)
    if not ordered:
        return [_cell_in_row(pool, words, around, observation)]
    near = [n for n in ordered if (n.rank == ordered[0].rank if words.ordinal else n.ties_with(ordered[0]))]
    how = f'{words.relation} "{shorten(words.near, 40)}"'
    return [replace(n.candidate, how=f"{n.candidate.how}, {how}") for n in near]


def _anchors(words: Words, observation: Observation) -> list[Element]:
    """The elements that the words name as anchor."""
    scene = Scene.from_screen(observation)
    if words.relation in _OF_RECORDS:
        around = scene.records.anchors_of(words.near, in_any_column=words.relation != "for")
    else:
        around = scene.matches(words.near)
    around = around or anchors_of_kind(words.near, observation)
    if words.relation == "under the heading" and observation.windows:
        # Programs mark headings, or name groups; pages seldom do.
        around = [one for one in around if one.role in HOLDERS]
    return around


def _no_anchor(pool: list[Candidate], words: Words, observation: Observation) -> NotFound:
    records = Scene.from_screen(observation).records
    if missing := records.not_found(words.near, [c.element for c in pool]):
        return missing
    nearest = nearest_to(words.near, observation)
    hint = nearest_hint(nearest, observation)
    return NotFound(f'no "{words.near}" here to search near; {hint}', nearest)


def _cell_in_row(
    pool: list[Candidate], words: Words, around: Sequence[Element], observation: Observation
) -> Candidate:
    """The cell that the words name by its column, if nothing in the row has that name. Raises NotFound."""
    cell = None
    if words.relation == "in the row of" and words.text and not words.role:
        cell = cell_at_crossing(
            words.text, around, words.near, Scene.from_screen(observation), by_place=False
        )
    if cell is not None:
        return Candidate(cell, tuning.LABEL, (), "where the row and the column meet")
    elements = [c.element for c in pool]
    elsewhere = f"only elsewhere: {in_words(elements)}; scroll to it" if pool else "nor elsewhere"
    raise NotFound(f"no {words} in sight, {elsewhere}", elements)


def _in_part(pool: list[Candidate], part: str, observation: Observation) -> list[Candidate]:
    """Candidates in an unnamed part of the screen: `dialog`, `table`, `top right corner`."""
    if named := sides(part):
        return [c for c in pool if named <= _halves(c.element.box.center, observation.size)]
    mark = REGIONS.get(part)
    inside = [c for c in pool if mark and re.search(mark, f"{c.element.path}/{c.element.role}")]
    if inside or mark not in ("", "/menu"):
        return inside
    return [c for c in pool if c.element.id in Scene.from_screen(observation).layers.entry_ids]


def _halves(point: Point, size: Size) -> set[str]:
    return {"top" if 2 * point.y < size.height else "bottom", "left" if 2 * point.x < size.width else "right"}


def anchors_of_kind(near: str, observation: Observation) -> list[Element]:
    """The focused element of a kind, or the only one, for `next to the text field` when nothing has that
    name.
    """
    kind = NOUNS.get(near.casefold(), "")
    found = [one for one in observation.controls if kind and is_a(one, kind)]
    focused = [one for one in found if "focused" in one.states]
    return focused or (found if len(found) == 1 else [])


def _nearest(
    candidate: Candidate, anchors: Sequence[Element], relation: Relation, scene: Scene
) -> Nearness | None:
    """How near a candidate is to the nearest anchor to which it has the relation; None if to none."""
    every = (_nearness(candidate, anchor, relation, scene) for anchor in anchors)
    return min(filter(None, every), key=lambda one: one.order, default=None)


def _nearness(candidate: Candidate, anchor: Element, relation: Relation, scene: Scene) -> Nearness | None:
    """How near a candidate is to an anchor; None if it does not have the relation."""
    element, tree = candidate.element, scene.tree
    if element.id == anchor.id:
        return Nearness(candidate, len(tree.steps(anchor)) + 2, 0.0) if relation == "for" else None
    match relation:
        case "in the row of":
            rank = row_rank(element, anchor, scene)
        case "in the column of":
            rank = column_rank(element, anchor)
        case "under the heading":
            rank = tree.section_rank(element, anchor)
        case _:
            return _nearness_by_place(candidate, anchor, relation, scene)
    return Nearness(candidate, rank, 0.0) if rank else None


def _nearness_by_place(
    candidate: Candidate, anchor: Element, relation: Relation, scene: Scene
) -> Nearness | None:
    element, tree = candidate.element, scene.tree
    is_labelled = bool(anchor.name) and label_fit(element, anchor.name) >= tuning.ANCHOR
    distance = element.box.gap(anchor.box)
    if relation in _SIDES:
        aligned = share_columns(anchor.box, element.box)
        # Of two lists side by side, each is below the text that stands over it.
        apart = (
            not aligned
            and element.role in CELLS
            and any(
                one.is_text and on_one_line(one.box, anchor.box) and share_columns(one.box, element.box)
                for one in scene.screen.elements
            )
        )
        if apart or not _SIDES[relation](anchor.box, element.box):
            return None
        return Nearness(candidate, 0, 0.0 if is_labelled else distance * (0.5 if aligned else 1.0))
    if tree.are_of_sibling_records(element, anchor):
        return None
    common = len(tree.steps(anchor)) + 1 if is_labelled else tree.shared_depth(element, anchor)
    return Nearness(candidate, common, distance * (0.5 if on_one_line(element.box, anchor.box) else 1.0))


_SIDES: dict[str, Callable[[Box, Box], bool]] = {
    "below": lambda anchor, box: anchor.is_above(box, SLACK),
    "above": lambda anchor, box: box.is_above(anchor, SLACK),
    "right of": lambda anchor, box: anchor.is_left_of(box, SLACK) and on_one_line(anchor, box),
    "left of": lambda anchor, box: box.is_left_of(anchor, SLACK) and on_one_line(anchor, box),
}
"""Whether a box is on that side of the anchor's box."""


def not_found(words: Words, observation: Observation) -> NotFound:
    """The error for a name that no element has, with the most similar names."""
    nearest = nearest_to(words.text, observation, words.role)
    return NotFound(f"no {Words(words.text, words.role)} here; {nearest_hint(nearest, observation)}", nearest)


def nearest_to(text: str, observation: Observation, role: str = "") -> list[Element]:
    """The elements with names most like the text, controls before texts, each name once.

    Entries of an open menu or a front dialog come first, even with other names.
    """
    front = Scene.from_screen(observation).layers.entries
    pool = [e for e in front or observation.elements if (e.name or e.description) and len(e.name) < 80]
    pool.sort(key=lambda e: (e.is_text, not (role and is_a(e, role))))
    order = distance_order(text, [e.name or e.description for e in pool]) if text else list(range(len(pool)))
    if front:
        order += [index for index, e in enumerate(pool) if not e.is_text]
    distinct: dict[str, Element] = {}
    for index in order:
        distinct.setdefault(str(pool[index]), pool[index])
    return list(distinct.values())[: tuning.NEAREST]


def nearest_hint(nearest: Sequence[Element], observation: Observation) -> str:
    """The end of a message about a missing element."""
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
"""Share of the screen's height from which a field is the document itself, and is not counted among fields."""
_OUTDOES = 3
"""How many times larger than the next the text area must be that "the editor" means."""


def chosen_rival(rivals: list[Candidate], words: Words) -> Candidate | None:
    """Among links to one place the first; for an editor, the large text area; or None."""
    links = {(c.element.name, _link_target(c.element)) for c in rivals}
    if len(links) == 1 and _link_target(rivals[0].element):
        return min(rivals, key=lambda c: c.element.box.corner)  # one link, shown twice
    if words.text:
        return None
    focused = [c for c in rivals if {"focused", "editable"} <= c.element.states]
    if len(focused) == 1 or canonical(words.role) != "textarea":
        return sole(focused)
    free = sorted(_writable(rivals), key=lambda c: -c.element.box.area)
    areas = [*(c.element.box.area for c in free), 0, 0]
    return free[0] if areas[0] > _OUTDOES * areas[1] else None


def _writable(found: list[Candidate]) -> list[Candidate]:
    """Those that say that they can be written in; if none does, those that do not say the contrary."""
    return [c for c in found if "editable" in c.element.states] or [
        c for c in found if "readonly" not in c.element.states
    ]


def candidate_of_rank(pool: list[Candidate], words: Words, observation: Observation) -> Candidate:
    """The second, or the last, and so on, in reading order, of the candidates as good as the best."""
    best = min(pool, key=lambda c: c.order)
    alike_ones = [c for c in pool if c.kind == best.kind and c.score >= best.score - tuning.ORDINAL_BAND]
    if "textbox" in synonymous_roles(words.role) and not words.text:
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
"""First words of a button that submits a form; designers choose freely among them."""
_UPLOADS = word_set(
    "file files folder folders document documents attachment attachments field input zone area box picker"
    " drag drop dropzone upload choose select browse attach add here to or and the a your"
)
"""Words that name an upload area only as such; then the only upload area is meant."""
_ITS_OBJECTS = word_set("changes change form settings all")


def committing_button(words: Words, observation: Observation, action: str) -> Candidate | None:
    """The one button that sends the form or closes the front dialog, if `Save` names it by another word.

    `Add` names the button of a form whose title begins with it, whatever the button says.
    """
    verb, *rest = normal(words.text).split() or [""]
    if action != "click" or words.is_relative or words.role not in ("", "button"):
        return None
    dialog = Scene.from_screen(observation).layers.entry_ids
    found = []
    for one in observation.controls:
        means = verb in _COMMITTING or (not rest and _is_titled(one, verb))
        if means and _ITS_OBJECTS.issuperset(rest) and _commits(one, dialog):
            found.append(one)
    if len(found) != 1 or "disabled" in found[0].states:
        return None
    return Candidate(found[0], tuning.VALUE, (), "the only button that submits")


def _is_titled(element: Element, verb: str) -> bool:
    """Whether the title of the form that a control sends begins with a verb."""
    form = element.does.form
    return bool(form.sends) and " ".join(form.words[:1]).lower().startswith(f"{verb} ")


def _commits(element: Element, dialog: frozenset[int]) -> bool:
    """Whether a button submits: the front dialog, otherwise a form."""
    first, *others = normal(element.name).split() or [""]
    if element.role != "button" or first not in _COMMITTING:
        return False
    if "changes" not in others and not _ITS_OBJECTS.issuperset(others):
        return False
    return element.id in dialog or (not dialog and (bool(element.does.form.sends) or "changes" in others))


def other_readings(words: Words, verb: str) -> list[Words]:
    """Other ways to read the words: `Send button` as the button `Send`, `tab 2` as the tab `2` or the second
    tab.

    Also `Name of the group` as a field.
    """
    if words.role == "document" and not words.text and not words.near:
        return [Words(role="textarea")]  # in most programs, the document is the large text area
    if (
        verb == "upload"
        and words.text
        and not words.near
        and _UPLOADS.issuperset(identifier_words(words.text))
    ):
        return [Words()]
    if not words.role:
        return [*_readings_by_relation(words, verb), *_readings_by_noun(words)]
    head, _, tail = words.text.rpartition(" ")
    if words.ordinal or not tail.isdecimal() or canonical(head) != canonical(words.role):
        return []
    return [replace(words, text=tail), replace(words, text="", ordinal=int(tail))]


def _readings_by_relation(words: Words, verb: str) -> Iterator[Words]:
    if words.near:
        return
    what, _, whole = words.text.rpartition(" of ")
    if what and verb in FILLING:
        first, _, rest = whole.partition(" ")
        whole = rest if rest and first.casefold() in DETERMINERS else whole
        yield replace(words, text=what, near=whole, relation="under the heading")


def _readings_by_noun(words: Words) -> Iterator[Words]:
    head, _, tail = words.text.rpartition(" ")
    kind = NOUNS.get(tail.casefold(), "")
    if head and kind:
        yield replace(words, text=head, role=kind)


def refuse_nearer(words: Words, observation: Observation, verb: str, best: Candidate | None) -> None:
    """Raise NotFound if a control out of sight matches better than the best one in sight."""
    if not words.text or words.is_relative or verb in ("read", "scroll"):
        return
    dialog = Scene.from_screen(observation).layers.dialog
    reachable = [e for e in observation.beyond if dialog is None or is_part_of(e, dialog)]
    found = (candidate_of(words, e, verb) for e in reachable if not words.role or is_a(e, words.role))
    rather = [c for c in filter(None, found) if best is None or c.kind < best.kind]
    if rather:
        elements = [c.element for c in sorted(rather, key=lambda c: c.order)]
        raise NotFound(f"{words} is not in sight: {in_words(elements)}; scroll to it", elements)


def refuse_reserved(leader: Candidate, pool: list[Candidate], words: Words, observation: Observation) -> None:
    """Refuse a click on a field that only resembles the words, if a button has them with an addition.

    A field is rarely clicked for its own sake: beside `Replace All`, `Replace` does not mean `Replace with:`.
    """
    pressed = [e for e in observation.controls if e.role in PRESSED and likeness(words.text, e.name) > 0]
    if pressed and not words.role and not any(c.element.role in PRESSED for c in pool):
        both = [*pressed, leader.element]
        raise Ambiguous(f"nothing has exactly the name {words}: {in_words(both)}; say which", both)
