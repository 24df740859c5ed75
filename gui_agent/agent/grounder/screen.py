"""The grounder that finds points, marks and words in the element list of a screen."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from gui_agent.agent.grounder.candidates import Candidate, candidates, in_front
from gui_agent.agent.grounder.nearness import anchors, by_relation, listed, named, nearest_to, not_found
from gui_agent.agent.grounder.structure import crossing
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.geometry import Box, Point
from gui_agent.core.observation import Element, Observation
from gui_agent.core.targets import Mark, Target, Words
from gui_agent.core.texts import normal, shorten
from gui_agent.core.trajectory import Found
from gui_agent.elements import tuning
from gui_agent.elements.matching import likeness
from gui_agent.elements.roles import NOUNS, PRESSED, TYPED_INTO, canonical, is_a, suitability, word_set

_GRID = (0.5, 0.25, 0.75, 0.12, 0.88)


class ScreenGrounder:
    """Finds targets with code alone: no model, no guess."""

    def __init__(self) -> None:
        self._seen: dict[int, Element] = {}
        """The elements of the last screens, only to say what a mark that is gone used to be."""

    def locate(self, target: Target, observation: Observation, *, verb: str = "click") -> Found:
        """Find the target for an action of kind `verb`; see `core.protocols.Grounder`.

        Raises:
            NotFound: nothing fits, or the point is outside the picture; carries the nearest candidates.
            Ambiguous: several fit equally well; carries them.
        """
        match target:
            case Point():
                found = _at(target, observation)
            case Mark(number):
                found = self._marked(number, observation)
            case Words():
                best = find(target, observation, verb)
                note = "; it is disabled" if "disabled" in best.element.states else ""
                found = _on(best.element, observation, score=min(best.score, 1.0), how=best.how + note)
        self._remember(observation)
        return found

    def _marked(self, number: int, observation: Observation) -> Found:
        element = observation.by_id(number)
        if element is not None:
            return _on(element, observation, score=1.0, how="mark")
        before = self._seen.get(number)
        if before is None:
            raise NotFound(f"no element {number} on the screen; choose one from the current list")
        now = [e for e in observation.elements if (e.role, e.name) == (before.role, before.name)]
        if now:
            raise NotFound(f"element {number}, {before}, is gone; it may now be element {now[0].id}", now)
        raise NotFound(f"element {number}, {before}, is gone; choose one from the current list")

    def _remember(self, observation: Observation) -> None:
        if len(self._seen) > 2 * len(observation.elements) + 1000:
            self._seen.clear()
        self._seen.update((element.id, element) for element in observation.elements)


def free_point(element: Element, observation: Observation) -> Point:
    """A point on the element, its centre if possible, that is not on another control as well.

    A row may hold a button in its middle, and a neighbour may overlap; an element around this one does
    not count.
    """
    box = element.box
    others = [
        other.box
        for other in observation.controls
        if other.id != element.id and box.intersect(other.box) and not other.box.encloses(box)
    ]
    if not any(other.contains(box.center) for other in others):
        return box.center
    points = sorted(_points(box), key=lambda p: abs(p.x - box.center.x) + abs(p.y - box.center.y))
    free = (point for point in points if not any(other.contains(point) for other in others))
    return next(free, box.center)


def _points(box: Box) -> list[Point]:
    width, height = max(box.width - 1, 0), max(box.height - 1, 0)
    return [Point(box.left + round(width * x), box.top + round(height * y)) for x in _GRID for y in _GRID]


def _at(point: Point, observation: Observation) -> Found:
    size = observation.size
    if not size.contains(point):
        raise NotFound(
            f"the point {point.x},{point.y} is outside the picture of {size.width} x {size.height} pixels;"
            " give one inside it"
        )
    element = observation.smallest_at(point)
    return Found(point=point, element=element, box=element.box if element else None, how="point")


def _on(element: Element, observation: Observation, *, score: float, how: str) -> Found:
    point = free_point(element, observation)
    return Found(point=point, element=element, box=element.box, score=score, how=how)


_OUTDOES = 3
"""How many times larger than the next the text area is that is meant by "the editor"."""


def _told_apart(rivals: list[Candidate], words: Words, verb: str) -> Candidate | None:
    """Of a field and the one button of its name the button; as the editor the large field to write in."""
    exact = [c for c in rivals if likeness(words.text, c.element.name) > tuning.PLURAL]
    if words.text and len(exact) == 1:
        return exact[0]  # `Room` before `Rooms`
    first = rivals[0].element
    if all((c.element.name, _leads(c.element)) == (first.name, _leads(first)) for c in rivals) and _leads(
        first
    ):
        return min(rivals, key=lambda c: (c.element.box.left, c.element.box.top))  # one link, shown twice
    if words.text and not words.role and verb == "click":
        pressed = [c for c in rivals if c.element.role in PRESSED]
        fields = [c for c in rivals if c.element.role in TYPED_INTO]
        return pressed[0] if len(pressed) == 1 and len(fields) == len(rivals) - 1 else None
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


def _in_the_window(rivals: list[Candidate], observation: Observation) -> list[Candidate]:
    """Those in the window that has the keyboard, where a program shows several; all when none is."""
    focused = next((one for one in observation.elements if "focused" in one.states), None)
    if focused is None or not observation.windows or not focused.path:
        return rivals
    window = focused.path.partition("/")[0]
    return [c for c in rivals if c.element.path.partition("/")[0] == window] or rivals


def _leads(element: Element) -> str:
    """Where a link leads; empty when it is none, or does something on the page."""
    href = element.attributes.get("href", "") if element.role == "link" else ""
    return "" if href.startswith(("#", "javascript:")) else href


_COMMITTING = word_set("save submit apply update ok confirm store")
"""First words of the button that takes over what was filled in; which of them it bears is taste."""
_ITS_OBJECTS = word_set("changes change form settings all")


def _committing(words: Words, observation: Observation) -> Candidate | None:
    """`Save` as the one button that sends the form, or ends the dialog in front, under another such name.

    So is `Add` that of a form whose title begins with it, whatever is on the button.
    """
    verb, *rest = normal(words.text).split() or [""]
    if words.near or words.ordinal or words.role not in ("", "button"):
        return None
    titled = {
        one.id
        for one in observation.controls
        if not rest and "sends" in one.does and one.does.get("form", "").lower().startswith(f"{verb} ")
    }
    if verb not in _COMMITTING and not titled:
        return None
    dialog = {one.id for one in in_front(observation)}
    found = [
        one
        for one in observation.controls
        if one.role == "button"
        for first, *others in (normal(one.name).split() or [""],)
        if first in _COMMITTING and {*rest} <= _ITS_OBJECTS
        if verb in _COMMITTING or one.id in titled
        if "changes" in others or {*others} <= _ITS_OBJECTS
        if one.id in dialog or (not dialog and ("sends" in one.does or "changes" in others))
    ]
    if len(found) != 1 or "disabled" in found[0].states:
        return None
    return Candidate(found[0], tuning.VALUE, tuning.VALUE, "the one button that takes it over")


_CROSSES = ("×", "✕", "✖", "Close", "Remove", "Dismiss")


def find(words: Words, observation: Observation, verb: str) -> Candidate:
    """The element that the words mean: what has their very name, in sight or not, before what is like it.

    Raises:
        NotFound: nothing fits, there are fewer than the rank asked for, or it has to be scrolled to.
        Ambiguous: several fit about equally well.
    """
    try:
        found = _in_sight(words, observation, verb)
    except (NotFound, Ambiguous):
        if out := out_of_sight(words, observation, verb):
            raise _farther(words, out) from None
        raise
    if found.score < _EXACT and (out := out_of_sight(words, observation, verb, exact=True)):
        raise _farther(words, out)
    return found


_EXACT = 1.0 - tuning.OTHER_CASE - tuning.DECORATED
"""Score of what is called just so, and is of a kind that suits."""


def out_of_sight(words: Words, observation: Observation, verb: str, *, exact: bool = False) -> list[Element]:
    """The controls beyond the picture that the words name, the best first."""
    if not words.text or words.near or words.ordinal or verb in ("read", "scroll"):
        return []
    least = _EXACT if exact else tuning.FLOOR
    scored = [
        (likeness(words.text, one.name) * suitability(one, verb), -place)
        for place, one in enumerate(observation.beyond)
        if not words.role or is_a(one, words.role)
    ]
    ranked = sorted((pair for pair in scored if pair[0] >= least), reverse=True)
    return [observation.beyond[-place] for _, place in ranked]


def _farther(words: Words, out: list[Element]) -> NotFound:
    return NotFound(f"{words} is not in sight: {listed(out)}; scroll to it", out)


def _in_sight(words: Words, observation: Observation, verb: str) -> Candidate:
    pool = candidates(words, observation, verb)
    if not pool:
        for other in _other_readings(words, verb):
            with contextlib.suppress(NotFound, Ambiguous):
                return _in_sight(other, observation, verb)
        sent = _committing(words, observation) if verb == "click" else None
        if sent is not None:
            return sent
    if words.near:
        pool = _near(pool, words, observation)
    elif not pool:
        raise not_found(words, observation)
    if words.ordinal:
        return _ranked(pool, words, observation)
    return _leader(pool, words, verb, observation)


def _other_readings(words: Words, verb: str) -> list[Words]:
    """`Send button` as the button `Send`; the `tab` called `tab 2` as the one called `2`, or the second.

    Also `Edit for Ada`, the `x` that closes, and the `Done list` that something is dropped on.
    """
    head, _, tail = words.text.rpartition(" ")
    if verb == "type" and words.role in ("", "textbox", "textarea") and words.text and not words.near:
        # The text area under `Add comment`, which bears only a hint itself.
        section = Words("", near=words.text, relation="under the heading")
        return [replace(section, role=role) for role in ("textarea", "textbox")]
    if not words.role:
        what, _, whose = words.text.rpartition(" for ")
        kind = NOUNS.get(tail.casefold(), "")
        found = [replace(words, text=what, near=whose, relation="for")] if what and not words.near else []
        found += [replace(words, text=head, role=kind)] if head and kind else []
        found += [replace(words, text=head)] if head and kind and verb == "drag" else []
        return found + [
            replace(words, text=name) for name in _CROSSES if words.text.casefold() in ("x", "cross")
        ]
    if words.ordinal or not tail.isdigit() or canonical(head) != canonical(words.role):
        return []
    return [replace(words, text=tail), replace(words, text="", ordinal=int(tail))]


def _near(pool: list[Candidate], words: Words, observation: Observation) -> list[Candidate]:
    around = anchors(words.near, observation)
    if not around:
        nearest = nearest_to(words.near, observation)
        raise NotFound(f'no "{words.near}" here to look near; {named(nearest, observation)}', nearest)
    ordered = by_relation(pool, around, observation, words.relation)
    if not ordered and words.relation == "in the row of" and words.text and not words.role:
        cell = crossing(words.text, words.near, observation, by_place=False)
        if cell is not None:
            return [Candidate(cell, tuning.LABEL, tuning.LABEL, "where the row and the column meet")]
    if not ordered:
        elements = [c.element for c in pool]
        elsewhere = f"only elsewhere: {listed(elements)}; scroll to it" if pool else "nor elsewhere"
        raise NotFound(f"no {words} in sight, {elsewhere}", elements)
    how = f'{words.relation} "{shorten(words.near, 40)}"'
    if words.ordinal:
        group = [n.candidate for n in ordered if n.rank == ordered[0].rank]
    else:
        tied = [n.candidate for n in ordered if n.ties_with(ordered[0])]
        best = max(c.score for c in tied)
        group = [c for c in tied if c.score > best - tuning.MARGIN]
    return [Candidate(c.element, c.score, c.fit, f"{c.how}, {how}") for c in group]


def _ranked(pool: list[Candidate], words: Words, observation: Observation) -> Candidate:
    best = max(c.fit for c in pool)
    alike_ones = [c for c in pool if c.fit >= best - tuning.ORDINAL_BAND]
    place = {element.id: i for i, element in enumerate(observation.elements)}
    alike_ones.sort(key=lambda c: place[c.element.id])
    index = words.ordinal - 1 if words.ordinal > 0 else len(alike_ones) + words.ordinal
    if not 0 <= index < len(alike_ones):
        elements = [c.element for c in alike_ones]
        what = str(replace(words, ordinal=0))
        raise NotFound(
            f"no {words} here, only {len(elements)} of {what}; take one of these or scroll for more", elements
        )
    chosen = alike_ones[index]
    how = f"{chosen.how}, number {index + 1} of {len(alike_ones)}"
    return Candidate(chosen.element, chosen.fit, chosen.fit, how)


def _leader(pool: list[Candidate], words: Words, verb: str, observation: Observation) -> Candidate:
    pool = sorted(pool, key=lambda c: -c.score)
    leader = pool[0]
    rivals = [c for c in pool if c.score > leader.score - tuning.MARGIN]
    if len(rivals) > 1:
        rivals = _in_the_window(rivals, observation)
        told = rivals[0] if len(rivals) == 1 else _told_apart(rivals, words, verb)
        if told is not None:
            return told
        elements = [c.element for c in rivals]
        count = len(elements)
        raise Ambiguous(f"{count} things could be {words}: {listed(elements)}; say which", elements)
    if len(pool) == 1 and not words.text and not words.near:
        return Candidate(
            leader.element, leader.score, leader.fit, f"the only {words.role or 'one that fits'}"
        )
    return leader
