"""Finds the one element that words mean, or reports why there is none."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from gui_agent.agent.grounder.candidates import Candidate, candidates
from gui_agent.agent.grounder.nearness import anchors, by_relation
from gui_agent.agent.grounder.structure import crossing
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Element, Observation
from gui_agent.core.targets import Words
from gui_agent.core.texts import shorten
from gui_agent.elements import tuning
from gui_agent.elements.matching import distance_order
from gui_agent.elements.roles import NOUNS, alike, canonical, is_a

NO_PAGE = "about:blank"
"""The address of a browser in which nothing was opened."""


def find(words: Words, observation: Observation, verb: str) -> Candidate:
    """The element that the words mean.

    Raises:
        NotFound: nothing fits, or there are fewer than the rank asked for.
        Ambiguous: several fit about equally well.
    """
    pool = candidates(words, observation, verb)
    if not pool:
        for other in _other_readings(words):
            with contextlib.suppress(NotFound):
                return find(other, observation, verb)
    if words.near:
        pool = _near(pool, words, observation)
    elif not pool:
        raise _not_found(words, observation)
    if words.ordinal:
        return _ranked(pool, words, observation)
    return _leader(pool, words)


def _other_readings(words: Words) -> list[Words]:
    """`Send button` as the button `Send`; the `tab` called `tab 2` as the one called `2`, or the second."""
    head, _, tail = words.text.rpartition(" ")
    if not words.role:
        kind = NOUNS.get(tail.casefold(), "")
        return [replace(words, text=head, role=kind)] if head and kind else []
    if words.ordinal or not tail.isdigit() or canonical(head) != canonical(words.role):
        return []
    return [replace(words, text=tail), replace(words, text="", ordinal=int(tail))]


def _near(pool: list[Candidate], words: Words, observation: Observation) -> list[Candidate]:
    around = anchors(words.near, observation)
    if not around:
        nearest = _nearest(words.near, observation.elements)
        raise NotFound(f'no "{words.near}" here to look near; {_named(nearest, observation)}', nearest)
    ordered = by_relation(pool, around, observation, words.relation)
    if not ordered and words.relation == "in the row of" and words.text and not words.role:
        cell = crossing(words.text, words.near, observation, by_place=False)
        if cell is not None:
            return [Candidate(cell, tuning.LABEL, tuning.LABEL, "where the row and the column meet")]
    if not ordered:
        elements = [c.element for c in pool]
        elsewhere = f"only elsewhere: {_list(elements)}; scroll to it" if pool else "nor elsewhere"
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
