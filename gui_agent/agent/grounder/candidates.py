"""Scores the elements of a screen against words: which could be meant, how likely, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gui_agent.core.observation import Element, Observation
from gui_agent.core.targets import Words
from gui_agent.core.texts import label, normal
from gui_agent.elements import tuning
from gui_agent.elements.fingerprints import label_for
from gui_agent.elements.layout import within
from gui_agent.elements.matching import likeness
from gui_agent.elements.roles import (
    BOXES,
    DIALOGS,
    IN_MENUS,
    LABELLED,
    LABELLING,
    MEASURED,
    POPPED_UP,
    TYPED_INTO,
    UPLOADING,
    canonical,
    could_be,
    is_a,
    suitability,
)
from gui_agent.elements.text import identifier_words

_TELLING = ("class", "color", "shape", "icon", "type", "id", "src")
"""Attributes whose words tell what an icon shows."""
_WEIGHTS = {
    "name": tuning.NAME,
    "description": tuning.DESCRIPTION,
    "label beside it": tuning.LABEL,
    "value": tuning.VALUE,
    "option": tuning.OPTION,
}
FILLING = ("type", "set", "choose", "check")
"""What is done to fields only."""
_HEADER = re.compile(r"/th(?:\[\d+\])?(?:/|$)")
_READING = re.compile(r"[\s:]+[^\w\s]?\d[\d.,]*\s?\S{0,3}$")
"""The value that a label tells of its control, as in `Volume: 30 %`."""
WHOLE = 5
"""Letters of a word that may be the beginning of what a page calls a field."""
_SAME = 1.0 - tuning.OTHER_CASE - tuning.DECORATED
"""How alike at least two texts are that say the same."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An element that could be meant."""

    element: Element
    score: float
    """How well it fits, 0 to 1, after its state was weighed."""
    fit: float
    """How well it fits by words and role alone; ordinals count by this."""
    how: str
    """The ways that found it."""


def candidates(words: Words, observation: Observation, verb: str) -> list[Candidate]:
    """All elements above the floor, best first; things that are one and the same are listed once."""
    labels = _labels(words.text, observation) if words.text else {}
    dialog = front_dialog(observation)
    scored: list[Candidate] = []
    for element in observation.elements:
        behind = dialog is not None and _behind(element, dialog)
        fit, how = _fit(words, element, labels.get(element.id, ""), verb, behind=behind)
        if fit < tuning.FLOOR:
            continue
        score = max(fit - tuning.UNLIT, 0.0) if behind or "disabled" in element.states else fit
        scored.append(Candidate(element, score, fit, how))
    if words.role:  # a cell may be called a row, but not one of the row that is meant
        named = [c.element for c in scored if is_a(c.element, words.role)]
        scored = [
            c for c in scored if c.element in named or not any(within(c.element, whole) for whole in named)
        ]
    # Of a thing and its wrapping that fit equally well the inner one comes first.
    scored.sort(key=lambda c: (-c.score, c.element.box.area))
    return _once(scored, {normal(text) for text in labels.values()})


def front_dialog(observation: Observation) -> Element | None:
    """The dialog in front, None when there is none; the later of two is the one on top."""
    dialogs = [e for e in observation.elements if e.role in DIALOGS]
    return dialogs[-1] if dialogs else None


def in_front(observation: Observation) -> list[Element]:
    """What an open menu or the dialog in front holds; empty when neither is open."""
    menus = [e for e in observation.elements if e.role == "menu" and e.box.area]
    items = [e for e in observation.elements if e.role in IN_MENUS and any(within(e, menu) for menu in menus)]
    dialog = front_dialog(observation)
    if items or dialog is None:
        return items
    return [e for e in observation.elements if e.id != dialog.id and not _behind(e, dialog)]


def _behind(element: Element, dialog: Element) -> bool:
    """Whether an element lies behind the dialog; what pops up from the dialog lies before it, or outside."""
    front = element.role in POPPED_UP or dialog.box.contains(element.box.center)
    return not front and not within(element, dialog)


def _labels(text: str, observation: Observation) -> dict[int, str]:
    """Labels by neighbourhood of the elements that need one; empty when no text could be the label."""
    texts = [e for e in observation.elements if e.role in LABELLING and e.name]
    near = [e for e in texts if likeness(text, e.name) >= tuning.FLOOR or _says(text, e.name)]
    if not near:
        return {}
    found: dict[int, str] = {}
    fields = [e for e in observation.controls if e.role in LABELLED or "editable" in e.states]
    taken = {label(one.name): one.id for one in fields if one.name}
    for element in fields:
        if element.name and element.role in BOXES:
            continue  # The text beside it is its name already; another one near it labels something else.
        text_beside = label_for(element, observation)
        if element.name and taken.get(label(text_beside), element.id) != element.id:
            continue  # It is the label of another field, whose name it is.
        reach = min((element.box.gap(e.box) for e in near if e.name == text_beside), default=None)
        if reach is not None and reach <= tuning.LABEL_REACH:
            shown = element.role in MEASURED and _says(text, text_beside)
            found[element.id] = text if shown else text_beside
    return found


def _says(text: str, label_text: str) -> bool:
    """Whether a label says just this, but for the value that it tells."""
    return normal(_READING.sub("", label_text)) == normal(text)


def _fit(words: Words, element: Element, beside: str, verb: str, *, behind: bool) -> tuple[float, str]:
    suits = suitability(element, verb)
    if not words.text:
        if words.role:
            if is_a(element, words.role):
                large = "multiline" in element.states and canonical(words.role) == "textbox"
                return tuning.ROLE_ONLY - tuning.LARGE * large, words.role
            return (tuning.ROLE_UNTOLD, words.role) if could_be(element, words.role) else (0.0, "")
        return (
            (tuning.NO_WORDS * suits, f"fits {verb}")
            if suits >= UPLOADING and not element.is_text
            else (0.0, "")
        )
    if verb in FILLING and element.is_text and _HEADER.search(element.path):
        return 0.0, ""  # it names a column of what is shown, and no field to be filled in
    fit, how = _by_text(words, element, beside, verb, _SAME if behind else tuning.FLOOR)
    if element.role in BOXES and not words.role and verb not in ("check", "read"):
        selects = "label beside it" in how and "/tr" in element.path  # the row is meant, not its box
        if selects or fit < tuning.SWITCH:
            return 0.0, ""
    if words.role and not is_a(element, words.role):
        untold = could_be(element, words.role)
        fit, how = fit * (tuning.UNTOLD_ROLE if untold else tuning.WRONG_ROLE), f"{how}, but a {element.role}"
    return fit * suits, how


def options(element: Element) -> list[str]:
    """The options of a list as far as they are known, also while it is closed."""
    return element.attributes.get("options", "").split("\n") if element.attributes.get("options") else []


def _option_likeness(text: str, element: Element) -> float:
    """Only an option that says the same counts: a list is not meant by half a name of something in it."""
    best = max((likeness(text, option) for option in options(element)), default=0.0)
    return best if best >= _SAME else 0.0


def _by_text(words: Words, element: Element, beside: str, verb: str, least: float) -> tuple[float, str]:
    """How surely, and by which text, the words name the element; what is less alike than `least` is out."""
    likenesses = {
        "name": _name_likeness(words, element.name),
        "description": likeness(words.text, element.description),
        "label beside it": likeness(words.text, beside),
        "value": likeness(words.text, element.value),
        "option": _option_likeness(words.text, element),
    }
    scored = ((_WEIGHTS[way] * likely, way) for way, likely in likenesses.items() if likely >= least)
    ways = sorted((way for way in scored if way[0] >= tuning.FLOOR), reverse=True)
    if not ways:
        return _by_icon(words, element, verb), "icon"
    best, how = ways[0]
    how = f"exact {how}" if best >= 0.98 * _WEIGHTS[how] else f"similar {how}"
    if len(ways) > 1:
        return best + tuning.AGREEMENT * (1.0 - best), f"{how} and {ways[1][1]}"
    return best, how


def _name_likeness(words: Words, name: str) -> float:
    """With the role as part of the name too: `tab 2` may be a tab called `2`, or `Tab 2`."""
    plain = likeness(words.text, name)
    if not words.role or plain >= 1.0 - tuning.OTHER_CASE:
        return plain
    with_role = max(
        likeness(f"{words.role} {words.text}", name), likeness(f"{words.text} {words.role}", name)
    )
    return with_role if with_role >= _SAME else plain


def _by_icon(words: Words, element: Element, verb: str) -> float:
    """A thing without any words is known by the words of its class, such as `icon-trash`.

    So is a thing whose icon was asked for, and a field by what its form and the button that sends it say.
    """
    if element.is_text or not element.attributes:
        return 0.0
    given = ""
    if not element.name:
        given = " ".join(element.attributes.get(key, "") for key in _TELLING)
    elif canonical(words.role) in ("icon", "img"):
        given = element.does.get("icon", "")
    if element.role in TYPED_INTO:
        given += f" {element.attributes.get('name', '')}"
        # A click on `Save` means the button that sends the form, and no field beside it.
        if verb in FILLING or (words.role and is_a(element, words.role)):
            given += f" {element.does.get('default', '').partition(chr(10))[0]}"
    parts = {part.lower() for part in identifier_words(given)}
    asked = normal(words.text).split()
    if asked and all(word in parts for word in asked):
        return tuning.ICON
    # `titlebar` is what a page calls its field for the title.
    begun = not element.name and element.role in TYPED_INTO and len(asked) == 1 and len(asked[0]) >= WHOLE
    return tuning.ICON if begun and any(part.startswith(asked[0]) for part in parts) else 0.0


def _once(scored: Iterable[Candidate], labels: set[str]) -> list[Candidate]:
    """Leave out what is only a part or a wrapping of a better candidate, and texts that are its label."""
    kept: list[Candidate] = []
    for candidate in scored:
        if not any(_same_thing(candidate.element, better.element, labels) for better in kept):
            kept.append(candidate)
    return kept


def _same_thing(element: Element, better: Element, labels: set[str]) -> bool:
    if element.role in LABELLING and better.role not in LABELLING:
        own = normal(element.name)
        if own in labels and better.role in LABELLED and own not in normal(better.name):
            return better.box.gap(element.box) <= tuning.LABEL_REACH
        if own and own in normal(better.name) and better.role in LABELLED:
            return better.box.gap(element.box) <= tuning.LABEL_REACH
    if within(better, element):
        return True
    if (better.role, element.role) == ("combobox", "listbox") and "expanded" in better.states:
        return normal(element.name) == normal(better.name)
    if not (within(element, better) or better.box.encloses(element.box) or element.box.encloses(better.box)):
        return False
    if element.is_text:
        return normal(element.name) in normal(better.name)
    return normal(element.name) == normal(better.name)
