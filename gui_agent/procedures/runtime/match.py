"""Finding a recorded element again on a changed screen, from all its evidence, or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Element
from gui_agent.core.targets import Fingerprint
from gui_agent.core.texts import normal
from gui_agent.elements.fingerprints import neighbours, place_similarity, rank_of
from gui_agent.elements.image_regions import crop_hash, crop_likeness
from gui_agent.procedures.language.view import View, label_or_text

WEIGHTS: Mapping[str, float] = {
    # What a thing is called is why a person picked it.
    "caption": 5.0,
    # A button that became a link is rare, a textbox that became a button is another thing.
    "role": 2.0,
    # The texts around survive restyling and moving of the whole group.
    "neighbours": 2.0,
    # Structure survives renaming, but breaks with every redesign.
    "path": 1.5,
    # An id, type or address says much; colours and classes change often.
    "attributes": 1.5,
    # The looks of an icon that has no name; asked only of those, because texts on controls change.
    "looks": 1.5,
    # Layouts move; position only breaks ties.
    "position": 0.7,
    # The same goes for being the n-th of its kind.
    "rank": 0.3,
}
FLOOR = 0.6
"""Below this share of the evidence a candidate is another element."""
MARGIN = 0.08
"""The second best must be this much worse."""
RENAMED = 0.5
"""Captions less alike than this are different names."""
FORM_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "listbox", "slider"})
SAME_KIND: tuple[frozenset[str], ...] = (
    FORM_FIELDS,
    # What is no more than a box with a name may well be a button elsewhere, and the other way round.
    frozenset({"button", "link", "menuitem", "tab", "generic"}),
    frozenset({"checkbox", "switch", "menuitemcheckbox"}),
    frozenset({"radio", "option", "menuitemradio"}),
)
_DISTINCTIVE = ("id", "name", "href", "testid", "automation_id", "resource_id")


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate with its share of the evidence, 0 to 1."""

    element: Element
    score: float


def rank(fingerprint: Fingerprint, view: View) -> list[Match]:
    """All elements of the screen by how well they fit the fingerprint, best first."""
    matches = [Match(element, score(fingerprint, element, view)) for element in view.elements]
    matches.sort(key=lambda match: -match.score)
    return matches


def rematch(fingerprint: Fingerprint, view: View, *, floor: float = FLOOR, margin: float = MARGIN) -> Element:
    """The one element that is without doubt the recorded one.

    Raises:
        NotFound: nothing fits well enough; carries the nearest.
        Ambiguous: several fit about equally well; carries them.
    """
    ranked = rank(fingerprint, view)
    nearest = [match.element for match in ranked[:3] if match.score > 0.25]
    if not ranked or ranked[0].score < floor:
        raise NotFound(f"{fingerprint} is not on the screen{_nearest(nearest)}", nearest)
    best = ranked[0]
    close = [match.element for match in ranked[1:4] if match.score > best.score - margin]
    if close:
        listed = ", ".join(str(element) for element in (best.element, *close))
        raise Ambiguous(f"several elements fit {fingerprint}: {listed}", (best.element, *close))
    return best.element


def score(fingerprint: Fingerprint, element: Element, view: View) -> float:
    """How much of the evidence in a fingerprint an element shows, 0 to 1.

    Only evidence that the fingerprint has counts, so an element without a name is judged by the rest.
    A thing that is called something else is not the recorded one, wherever it stands, unless an attribute
    that tells elements apart says so.
    """
    if element.is_text != (fingerprint.role == "text"):
        return 0.0
    shares = _shares(fingerprint, element, view)
    total = sum(WEIGHTS[key] for key in shares)
    value = sum(WEIGHTS[key] * share for key, share in shares.items()) / total if total else 0.0
    if shares.get("caption", 1.0) < RENAMED and not _same_identity(fingerprint, element):
        return min(value, FLOOR - 0.05)
    if shares["role"] == 0.0:
        return min(value, FLOOR - 0.05)
    return value


def _shares(fingerprint: Fingerprint, element: Element, view: View) -> dict[str, float]:
    shares = {"role": _role(fingerprint.role, element.role)}
    called = [label_or_text(text) for text in (fingerprint.name, fingerprint.label) if text]
    if called:
        captions = view.captions(element)
        shares["caption"] = max((same_words(a, b) for a in called for b in captions), default=0.0)
    if fingerprint.neighbours:
        around = {normal(text) for text in neighbours(element, view.observation)}
        kept = [normal(text) for text in fingerprint.neighbours]
        shares["neighbours"] = sum(text in around for text in kept) / len(kept)
    if fingerprint.path and element.path:
        shares["path"] = SequenceMatcher(
            None, fingerprint.path.split("/"), element.path.split("/"), autojunk=False
        ).ratio()
    if fingerprint.attributes:
        same = [element.attributes.get(key) == value for key, value in fingerprint.attributes.items()]
        shares["attributes"] = sum(same) / len(same)
    if fingerprint.box is not None:
        shares["position"] = place_similarity(
            element.box, view.observation.size, fingerprint.box, fingerprint.screen
        )
    picture = view.observation.screenshot
    changing = fingerprint.role in FORM_FIELDS or fingerprint.role == "text"
    if fingerprint.crop and picture is not None and not called and not changing:
        shares["looks"] = crop_likeness(fingerprint.crop, crop_hash(picture, element.box))
    if fingerprint.rank:
        shares["rank"] = float(rank_of(element, view.observation) == fingerprint.rank)
    return shares


def same_words(one: str, other: str) -> float:
    """How alike two captions are by whole words, 0 to 1; small spelling differences are forgiven."""
    if one == other:
        return 1.0
    first, second = re.findall(r"\w+", one), re.findall(r"\w+", other)
    if not first or not second:
        return 0.0
    common = sum(any(_same_word(a, b) for b in second) for a in first)
    return 2 * common / (len(first) + len(second)) * 0.95


def _same_word(one: str, other: str) -> bool:
    if one == other:
        return True
    return min(len(one), len(other)) >= 5 and SequenceMatcher(None, one, other).ratio() >= 0.84


def _role(then: str, now: str) -> float:
    if then == now or not then:
        return 1.0
    return 0.6 if any(then in kinds and now in kinds for kinds in SAME_KIND) else 0.0


def _same_identity(fingerprint: Fingerprint, element: Element) -> bool:
    return any(
        fingerprint.attributes.get(key) and fingerprint.attributes.get(key) == element.attributes.get(key)
        for key in _DISTINCTIVE
    )


def _nearest(elements: list[Element]) -> str:
    return "; nearest: " + ", ".join(str(element) for element in elements) if elements else ""
