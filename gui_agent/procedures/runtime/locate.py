"""Locates the target of a program's step on the current screen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product

from gui_agent.agent.grounder.candidates import options
from gui_agent.core.aiming import sole
from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import TEXT, Element, Fingerprint
from gui_agent.core.texts import normal
from gui_agent.elements.image_regions import crop_hash, crop_likeness
from gui_agent.elements.roles import (
    BRANCHES,
    DROPDOWNS,
    NAVIGATING,
    OPENERS,
    RADIOS,
    TEXT_FIELDS,
    TICKABLE,
    VALUED,
)
from gui_agent.elements.words import distance_order, letters_alike, words
from gui_agent.procedures.language.constructs import constructs
from gui_agent.procedures.language.evaluate import Scope, select, value_of
from gui_agent.procedures.language.program import (
    Aim,
    Attribute,
    Captioned,
    Const,
    Count,
    HasRole,
    Item,
    NamedAsOneOf,
    Note,
    ReadText,
    Selector,
    Slot,
    Test,
    Untried,
    nodes,
)
from gui_agent.procedures.language.view import View, label_or_text, one_thing
from gui_agent.procedures.language.wording import phrase
from gui_agent.scene.fingerprints import neighbours, place_similarity, rank_of

WEIGHTS: Mapping[str, float] = {
    # people choose an element by its name
    "caption": 5.0,
    # a button that became a link is rare; a textbox that became a button is a different element
    "role": 2.0,
    # nearby texts survive restyling and moving of the whole group
    "neighbours": 2.0,
    # structure survives renaming, but breaks with every redesign
    "path": 1.5,
    # an id, type or address is strong evidence; colours and classes change often
    "attributes": 1.5,
    # the look of an icon without a name; only of those, because texts on controls change
    "looks": 1.5,
    # layouts move; position only breaks ties
    "position": 0.7,
    # the same holds for the index among elements of its kind
    "rank": 0.3,
}
FLOOR = 0.6
"""A candidate with less than this share of the evidence is a different element."""
MARGIN = 0.08
"""The second best must score at least this much less."""
RENAMED = 0.5
"""Captions with less similarity than this are different names."""
_PRESSED = NAVIGATING - BRANCHES | {"button"}
SAME_KIND: tuple[frozenset[str], ...] = (
    VALUED,
    # A generic box with a name may have become a button, or the other way round.
    _PRESSED | OPENERS,
    TICKABLE - RADIOS,
    RADIOS | {"option"},
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


def rematch(fingerprint: Fingerprint, view: View) -> Element:
    """The one element that is certainly the recorded one."""
    ranked = rank(fingerprint, view)
    nearest = [match.element for match in ranked[:3] if match.score > 0.25]
    if not ranked or ranked[0].score < FLOOR:
        near = f"; nearest: {', '.join(map(str, nearest))}" if nearest else ""
        raise NotFound(f"{fingerprint} is not on the screen{near}", nearest)
    best = ranked[0]
    close = [match.element for match in ranked[1:4] if match.score > best.score - MARGIN]
    if close:
        listed = ", ".join(map(str, (best.element, *close)))
        raise Ambiguous(f"several elements fit {fingerprint}: {listed}", (best.element, *close))
    return best.element


def score(fingerprint: Fingerprint, element: Element, view: View) -> float:
    """The share of a fingerprint's evidence that an element shows, 0 to 1.

    Only evidence that the fingerprint has counts, so an element without a name is judged by the rest.
    An element with a different name is not the recorded one, wherever it is, unless an identifying
    attribute matches.
    """
    if element.is_text != (fingerprint.role == "text"):
        return 0.0
    shares = _shares(fingerprint, element, view)
    total = sum(WEIGHTS[key] for key in shares)
    value = sum(WEIGHTS[key] * share for key, share in shares.items()) / total if total else 0.0
    is_renamed = shares.get("caption", 1.0) < RENAMED and not _same_identity(fingerprint, element)
    return min(value, FLOOR - 0.05) if is_renamed or not shares["role"] else value


def _shares(fingerprint: Fingerprint, element: Element, view: View) -> dict[str, float]:
    """For each kind of evidence in a fingerprint, the share that an element shows, 0 to 1."""
    shares = {"role": _role(fingerprint.role, element.role)}
    called = [label_or_text(text) for text in (fingerprint.name, fingerprint.label) if text]
    if called:
        pairs = product(called, view.captions(element))
        shares["caption"] = max((same_words(*pair) for pair in pairs), default=0.0)
    if fingerprint.neighbours:
        around = {normal(text) for text in neighbours(element, view.observation)}
        kept = [normal(text) for text in fingerprint.neighbours]
        shares["neighbours"] = sum(text in around for text in kept) / len(kept)
    if fingerprint.path and element.path:
        shares["path"] = letters_alike(fingerprint.path.split("/"), element.path.split("/"))
    if fingerprint.attributes:
        same = [element.attributes.get(key) == value for key, value in fingerprint.attributes.items()]
        shares["attributes"] = sum(same) / len(same)
    if fingerprint.rank:
        shares["rank"] = float(rank_of(element, view.observation) == fingerprint.rank)
    return shares | _shares_of_appearance(fingerprint, element, view)


def _shares_of_appearance(fingerprint: Fingerprint, element: Element, view: View) -> dict[str, float]:
    """The evidence in position and look."""
    shares: dict[str, float] = {}
    screen = view.observation
    if fingerprint.box is not None:
        shares["position"] = place_similarity(element.box, screen.size, fingerprint.box, fingerprint.screen)
    nameless = not (fingerprint.name or fingerprint.label or fingerprint.role in VALUED | {TEXT})
    if fingerprint.crop and screen.screenshot is not None and nameless:
        shares["looks"] = crop_likeness(fingerprint.crop, crop_hash(screen.screenshot, element.box))
    return shares


def same_words(one: str, other: str) -> float:
    """The similarity of two captions by whole words, 0 to 1, tolerating small spelling differences."""
    if one == other:
        return 1.0
    first, second = words(one), words(other)
    if not first or not second:
        return 0.0
    common = sum(_has_word(word, second) for word in first)
    return 2 * common / (len(first) + len(second)) * 0.95


def _has_word(wanted: str, words: Sequence[str]) -> bool:
    """Whether a word is one of several, tolerating a slightly different spelling."""
    if wanted in words:
        return True
    return any(min(len(wanted), len(one)) >= 5 and letters_alike(wanted, one) >= 0.84 for one in words)


def _role(then: str, now: str) -> float:
    if then == now or not then:
        return 1.0
    return 0.6 if any(then in kinds and now in kinds for kinds in SAME_KIND) else 0.0


def _same_identity(fingerprint: Fingerprint, element: Element) -> bool:
    given = {key: value for key, value in fingerprint.attributes.items() if value and key in _DISTINCTIVE}
    return not given.items().isdisjoint(element.attributes.items())


_INSTEAD = (TICKABLE, _PRESSED, DROPDOWNS, TEXT_FIELDS)
"""Groups of roles that support the same actions."""
_NOUNS: Mapping[str, str] = {"button": "button", "link": "link", "tab": "tab", "menu item": "menuitem"}
"""What people call clickable roles."""
_PHRASE = re.compile(
    rf"(?:the )?(?:(?P<before>{'|'.join(_NOUNS)})(?: (?:named|called|labell?ed))?(?: (?P<name>.+))?"
    rf"|(?P<first>.+) (?P<after>{'|'.join(_NOUNS)}))",
    re.IGNORECASE,
)


def of_another_kind(selector: Selector, scope: Scope, option: str = "") -> Element | None:
    """The only element with the requested name but another role than demonstrated.

    Alternatively the only list with the requested option, or an element named by its kind: `the Save button`,
    `link Imprint`, `the button` if there is only one.
    """
    role, name = selector.role, next(filter(_is_asked_for, selector.tests), None)
    if not role or selector.pick is not None or not (option or name):
        return None
    rest = tuple(test for test in selector.tests if not isinstance(test, HasRole))
    likes = (Selector((HasRole(like), *rest)) for like in sorted(_roles_like(role, name, scope)))
    found = [*chain.from_iterable(select(like, scope) for like in likes)]
    if option:
        found = [element for element in found if offers(element, option)]
    elif not found and role in _PRESSED:
        found = _called_by_kind(rest, scope)
    return sole(found)


def _roles_like(role: str, name: Test | None, scope: Scope) -> frozenset[str]:
    like = "button" if role == "generic" and isinstance(name, NamedAsOneOf) else role
    roles = next((roles for roles in _INSTEAD if like in roles), frozenset())
    return roles - RADIOS if _is_one_of_several(name, scope) else roles


def offers(element: Element, option: str) -> bool:
    return normal(option) in map(normal, options(element))


def _is_asked_for(test: Test) -> bool:
    return isinstance(test, NamedAsOneOf) or (
        isinstance(test, Captioned) and test.how == "is" and not isinstance(test.text, Const)
    )


def _is_one_of_several(name: Test | None, scope: Scope) -> bool:
    """Whether the step is about several elements and this is one of them: a list item, a word of a value."""
    asked = value_of(name.text, scope) if isinstance(name, Captioned) else None
    whole = set(map(normal, scope.slots.values()))
    return any(one is not None and normal(one) not in whole for one in (scope.item, asked))


def _called_by_kind(tests: Sequence[Test], scope: Scope) -> list[Element]:
    """The elements for a name with a kind, if the name is the only test: `the Save button`."""
    asked = sole(tests)
    phrase = value_of(asked.text, scope) if isinstance(asked, Captioned) else None
    read = _PHRASE.fullmatch(" ".join((phrase or "").split()))
    if read is None:
        return []
    of_kind = HasRole(_NOUNS[(read["before"] or read["after"]).lower()])
    name = read["name"] or read["first"]
    if name:
        called = replace(scope, item=name)
        return list(select(Selector((of_kind, Captioned(Item()))), called))
    screen = scope.view.observation
    return [] if any(screen.more.values()) else list(select(Selector((of_kind,)), scope))


def locate(aim: Aim, like: Fingerprint | None, scope: Scope, option: str = "") -> Element:
    """The target: as demonstrated, otherwise the only element of that name with another role."""
    try:
        return as_shown(aim, like, scope)
    except NotFound:
        instead = of_another_kind(aim.choices[0], scope, option)
        if instead is None:
            raise
        return instead


def as_shown(aim: Aim, like: Fingerprint | None, scope: Scope) -> Element:
    """The target, with the role that was demonstrated.

    The simplest selector decides. If it finds several elements, the other selectors that fitted the
    demonstrations must agree on one of them, or its recorded container, or else the recorded
    fingerprint. If it finds none, another selector or the fingerprint may find the target, but only if the
    target does not depend on the task. Raises like `locate`.
    """
    first = aim.choices[0]
    found = select(first, scope)
    if alone := sole(found):
        return alone
    if found:
        return _narrow(found, aim, like, scope)
    if like and is_fixed(first):
        return _found_again(aim, like, scope)
    for other in aim.choices[1:]:
        again = sole(select(other, scope))
        if again and _names_what_was_asked(other):
            return again
    nearest = near_misses(first, scope)
    listed = "; nearest: " + ", ".join(map(str, nearest)) if nearest else ""
    raise NotFound(f"{phrase(first, scope)} is not on the screen{listed}", nearest)


def _narrow(found: Sequence[Element], aim: Aim, like: Fingerprint | None, scope: Scope) -> Element:
    if one := one_thing(found, scope.view):
        return one
    left = _agreed_upon(found, aim.choices[1:], scope)
    if alone := sole(left):
        return alone
    if like:
        # A list entry's text on the day of the demonstration is not evidence.
        lasting = [element for element in left if not scope.view.is_entry(element)]
        beside = [element for element in lasting if _in_place_of(element, like)]
        if alone := sole(beside):
            return alone
        if is_fixed(aim.choices[0]):
            best, second = sorted(left, key=lambda element: -score(like, element, scope.view))[:2]
            certain = score(like, best, scope.view)
            if certain >= FLOOR and certain - score(like, second, scope.view) >= MARGIN:
                return best
    listed = ", ".join(map(str, left[:4]))
    raise Ambiguous(f"{len(left)} elements fit {phrase(aim.choices[0], scope)}: {listed}", left)


def _agreed_upon(found: Sequence[Element], others: Sequence[Selector], scope: Scope) -> list[Element]:
    """The elements that other selectors find too; selectors that find none of them are ignored."""
    left = list(found)
    for other in others:
        again = select(other, scope)
        left = [element for element in left if element in again] or left
        if len(left) == 1:
            break
    return left


def _in_place_of(element: Element, like: Fingerprint) -> bool:
    container = like.path.rpartition("/")[0]
    own = element.path.rpartition("/")[0]
    return (
        bool(container) and own == container and element.attributes.get("tag") == like.attributes.get("tag")
    )


def _found_again(aim: Aim, like: Fingerprint, scope: Scope) -> Element:
    """A constant target whose simplest selector no longer fits: all of its evidence decides."""
    element = rematch(like, scope.view)
    for other in aim.choices[1:]:
        again = select(other, scope)
        if (
            len(again) == 1
            and again[0].id != element.id
            and any(isinstance(test, Captioned) for test in other.tests)
        ):
            raise Ambiguous(f"{like} could be {element} or {again[0]}", (element, again[0]))
    return element


def is_fixed(selector: Selector) -> bool:
    """Whether a selector finds the same element regardless of the task and the screen's data."""
    return not any(
        isinstance(node, Slot | Item | Untried | Note | ReadText | Count)
        or (isinstance(node, Attribute) and _worked_out(node.name))
        for node in nodes(selector)
    )


def _worked_out(name: str) -> bool:
    known = constructs().attributes.get(name)
    return known is not None and known.compared


def _names_what_was_asked(selector: Selector) -> bool:
    return any(isinstance(t, Captioned | Attribute) and not isinstance(t.text, Const) for t in selector.tests)


def near_misses(selector: Selector, scope: Scope) -> list[Element]:
    """Elements of the right role with the captions most similar to the wanted one."""
    wanted = [value_of(t.text, scope) or "" for t in selector.tests if isinstance(t, Captioned)]
    if not wanted:
        return []
    text = label_or_text(wanted[0])
    candidates = [e for e in scope.view.elements if selector.role in ("", e.role)]
    names = [" ".join(scope.view.captions(e)) for e in candidates]
    return [candidates[place] for place in distance_order(text, names)[:3]]
