"""What words mean where nothing bears them just so, or several things do."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.agent.grounder.candidates import Candidate, candidate_of, front_dialog, in_front
from gui_agent.agent.grounder.nearness import in_words
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Element, Observation
from gui_agent.core.targets import Words
from gui_agent.core.texts import normal
from gui_agent.elements import tuning
from gui_agent.elements.layout import within
from gui_agent.elements.matching import likeness
from gui_agent.elements.roles import NOUNS, PRESSED, alike, canonical, is_a, word_set
from gui_agent.elements.text import identifier_words

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
        return min(rivals, key=lambda c: (c.element.box.left, c.element.box.top))  # one link, shown twice
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
    return "" if href.startswith(("#", "javascript:")) else href


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
    return Candidate(found[0], tuning.VALUE, (), "the one button that takes it over")


_CROSSES = ("×", "✕", "✖", "Close", "Remove", "Dismiss")


def other_readings(words: Words, verb: str) -> list[Words]:
    """`Send button` as the button `Send`; the `tab` called `tab 2` as the one called `2`, or the second.

    Also `Edit for Ada`, the `x` that closes, and the `Done list` that something is dropped on.
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
        found += [replace(words, text=head, role=kind)] if head and kind else []
        found += [replace(words, text=head)] if head and kind and verb == "drag" else []
        return found + [
            replace(words, text=name) for name in _CROSSES if words.text.casefold() in ("x", "cross")
        ]
    if words.ordinal or not tail.isdecimal() or canonical(head) != canonical(words.role):
        return []
    return [replace(words, text=tail), replace(words, text="", ordinal=int(tail))]


def farther(words: Words, observation: Observation, verb: str, best: Candidate | None) -> None:
    """See whether a control beyond the picture is meant rather than the best one in sight."""
    if not words.text or words.near or words.ordinal or verb in ("read", "scroll"):
        return
    dialog = front_dialog(observation)
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
