"""Finding the one element that words mean, or saying why there is none."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from gui_agent.agent.grounder.candidates import Candidate, candidates
from gui_agent.agent.grounder.nearness import anchors, by_nearness
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Element, Observation
from gui_agent.core.targets import Words
from gui_agent.core.texts import shorten
from gui_agent.elements import tuning
from gui_agent.elements.matching import distance_order
from gui_agent.elements.roles import NOUNS, alike, is_a

NO_PAGE = "about:blank"
"""The address of a browser in which nothing was opened."""


def find(words: Words, observation: Observation, verb: str) -> Candidate:
    """The element that the words mean.

    Raises:
        NotFound: nothing fits, or there are fewer than the rank asked for.
        Ambiguous: several fit about equally well.
    """
    pool = candidates(words, observation, verb)
    if not pool and words.role and words.text.isdigit() and not words.ordinal:
        return find(Words(role=words.role, ordinal=int(words.text), near=words.near), observation, verb)
    if not pool and (split := _kind_apart(words)) is not None:
        with contextlib.suppress(NotFound):
            return find(split, observation, verb)
    if not pool:
        raise _not_found(words, observation)
    if words.near:
        pool = _near(pool, words, observation)
    if words.ordinal:
        return _ranked(pool, words, observation)
    return _leader(pool, words)


def _kind_apart(words: Words) -> Words | None:
    """`Send button` as the name `Send` and the role button; None when the text does not end in a kind."""
    name, _, noun = words.text.rpartition(" ")
    if words.role or not name or noun.casefold() not in NOUNS:
        return None
    return Words(name, NOUNS[noun.casefold()], words.ordinal, words.near)


def _near(pool: list[Candidate], words: Words, observation: Observation) -> list[Candidate]:
    around = anchors(words.near, observation)
    if not around:
        nearest = _nearest(words.near, observation.elements)
        raise NotFound(f'no "{words.near}" here to look near; {_named(nearest, observation)}', nearest)
    ordered = by_nearness(pool, around, observation)
    if not ordered:
        elements = [c.element for c in pool]
        raise NotFound(f"no {words} in sight, only elsewhere: {_list(elements)}; scroll to it", elements)
    how = f'near "{shorten(words.near, 40)}"'
    if words.ordinal:
        group = [n.candidate for n in ordered if n.shared == ordered[0].shared]
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
        what = str(Words(words.text, words.role, near=words.near))
        raise NotFound(
            f"no {words} here, only {len(elements)} of {what}; take one of these or scroll for more", elements
        )
    chosen = alike_ones[index]
    how = f"{chosen.how}, number {index + 1} of {len(alike_ones)}"
    return Candidate(chosen.element, chosen.fit, chosen.fit, how)


def _leader(pool: list[Candidate], words: Words) -> Candidate:
    pool = sorted(pool, key=lambda c: -c.score)
    leader = pool[0]
    rivals = [c for c in pool if c.score > leader.score - tuning.MARGIN]
    if len(rivals) > 1:
        elements = [c.element for c in rivals]
        count = len(elements)
        raise Ambiguous(f"{count} things could be {words}: {_list(elements)}; {_advice(elements)}", elements)
    if len(pool) == 1 and not words.text and not words.near:
        return Candidate(
            leader.element, leader.score, leader.fit, f"the only {words.role or 'one that fits'}"
        )
    return leader


def _advice(elements: Sequence[Element]) -> str:
    if len({element.role for element in elements}) == len(elements):
        return f'say which kind, as in "the {elements[0].role}"'
    return 'say which, as in "the first ..." or "... next to ..."'


def _not_found(words: Words, observation: Observation) -> NotFound:
    elements: Sequence[Element] = observation.elements
    if not words.text and words.role:
        nearest = [e for e in elements if e.role in alike(words.role)][: tuning.NEAREST]
        nearest = nearest or list(observation.controls)[: tuning.NEAREST]
        return NotFound(f"no {words.role} here; {_named(nearest, observation)}", nearest)
    nearest = _nearest(words.text, elements, words.role)
    return NotFound(f"no {Words(words.text, words.role)} here; {_named(nearest, observation)}", nearest)


def _nearest(text: str, elements: Sequence[Element], role: str = "") -> list[Element]:
    """The elements with the names most like the text, controls before texts, each name once."""
    pool = [e for e in elements if (e.name or e.description) and len(e.name) < 80]
    pool.sort(key=lambda e: (e.is_text, not (role and is_a(e, role))))
    order = distance_order(text, [e.name or e.description for e in pool]) if text else range(len(pool))
    distinct: dict[str, Element] = {}
    for index in order:
        distinct.setdefault(str(pool[index]), pool[index])
        if len(distinct) == tuning.NEAREST:
            break
    return list(distinct.values())


def _named(nearest: Sequence[Element], observation: Observation) -> str:
    if nearest:
        return f"nearest: {_list(nearest)}"
    if observation.place.url == NO_PAGE and not observation.elements:
        return "no page is open; say where to begin with --url, or: go to ADDRESS"
    return "there is nothing with a name on the screen"


def _list(elements: Sequence[Element]) -> str:
    shown = ", ".join(shorten(str(element), 50) for element in elements[: tuning.NEAREST])
    more = len(elements) - tuning.NEAREST
    return f"{shown} and {more} more" if more > 0 else shown
