"""What words mean where nothing bears them just so, or several things do."""

from __future__ import annotations

from dataclasses import replace

from gui_agent.agent.grounder.candidates import Candidate, front_dialog, in_front
from gui_agent.agent.grounder.nearness import listed
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Element, Observation
from gui_agent.core.targets import Words
from gui_agent.core.texts import label, normal
from gui_agent.elements import tuning
from gui_agent.elements.layout import window_at, within
from gui_agent.elements.matching import likeness
from gui_agent.elements.roles import (
    GRAPHIC,
    NOUNS,
    OPERABLE,
    PRESSED,
    TYPED_INTO,
    UNPRESSED,
    alike,
    canonical,
    is_a,
    suitability,
    word_set,
)
from gui_agent.elements.text import identifier_words

_A_DOCUMENT = 0.3
"""Share of the screen's height from which on a field is the document, and not one of the fields counted."""
_OUTDOES = 3
"""How many times larger than the next the text area is that is meant by "the editor"."""


def told_apart(rivals: list[Candidate], words: Words, verb: str) -> Candidate | None:
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
        made = [c for c in rivals if c.element.role not in GRAPHIC]  # without the lens beside a search
        rivals = made if any(c.element.role in PRESSED for c in made) else rivals
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


def without_titles(pool: list[Candidate], words: Words) -> list[Candidate]:
    """Those without the texts, titles and pictures that only say what a control says, in whatever case."""
    same = [c for c in pool if label(c.element.name) == label(words.text)]
    lit = (c for c in same if c.score == c.fit or "disabled" in c.element.states)
    able = any(c.element.role in OPERABLE | PRESSED - UNPRESSED for c in lit)
    return [c for c in pool if c not in same or c.element.role not in UNPRESSED] if able else pool


def candidate_of_rank(pool: list[Candidate], words: Words, observation: Observation) -> Candidate:
    """The second, or the last, in reading order of those that fit about as well as the best.

    Raises:
        NotFound: there are fewer.
    """
    best = max(c.fit for c in pool)
    alike_ones = [c for c in pool if c.fit >= best - tuning.ORDINAL_BAND]
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
    how = f"{chosen.how}, number {index + 1} of {len(alike_ones)}"
    return Candidate(chosen.element, chosen.fit, chosen.fit, how)


def in_the_window(rivals: list[Candidate], observation: Observation) -> list[Candidate]:
    """Those in the window that has the keyboard, where a program shows several; all when none is."""
    focused = next((one for one in observation.elements if "focused" in one.states), None)
    if focused is None or not observation.windows:
        return rivals
    front = window_at(observation.windows, focused.box.center)
    there = [c for c in rivals if window_at(observation.windows, c.element.box.center) == front]
    return there or rivals


def _leads(element: Element) -> str:
    """Where a link leads; empty when it is none, or does something on the page."""
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
    return Candidate(found[0], tuning.VALUE, tuning.VALUE, "the one button that takes it over")


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


def farther(words: Words, observation: Observation, verb: str, least: float) -> None:
    """See whether a control beyond the picture is meant.

    Raises:
        NotFound: it is; the best come first of its candidates.
    """
    if not words.text or words.near or words.ordinal or verb in ("read", "scroll"):
        return
    dialog = front_dialog(observation)
    scored = [
        (likeness(words.text, one.name) * suitability(one, verb), -place)
        for place, one in enumerate(observation.beyond)
        if (not words.role or is_a(one, words.role)) and (dialog is None or within(one, dialog))
    ]
    ranked = sorted((pair for pair in scored if pair[0] >= least), reverse=True)
    out = [observation.beyond[-place] for _, place in ranked]
    if out:
        raise NotFound(f"{words} is not in sight: {listed(out)}; scroll to it", out) from None


def refuse_reserved(leader: Candidate, pool: list[Candidate], words: Words, observation: Observation) -> None:
    """Refuse a click on a field that is only like the words where a button says them with a reservation.

    A field is hardly clicked for its own sake: beside `Replace All`, `Replace` is not `Replace with:`.

    Raises:
        Ambiguous: there is such a button, and nothing that is pressed is called by the words alone.
    """
    pressed = [e for e in observation.controls if e.role in PRESSED and likeness(words.text, e.name) > 0]
    if pressed and not words.role and not any(c.element.role in PRESSED for c in pool):
        both = [*pressed, leader.element]
        raise Ambiguous(f"nothing is called just {words}: {listed(both)}; say which", both)
