"""Finding the element that a step of a program means on the present screen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from gui_agent.core.errors import Ambiguous, NotFound
from gui_agent.core.observation import Element
from gui_agent.core.targets import Fingerprint
from gui_agent.core.texts import normal
from gui_agent.procedures.language.alike import one_thing
from gui_agent.procedures.language.constructs import constructs
from gui_agent.procedures.language.evaluate import Scope, select, value_of
from gui_agent.procedures.language.expressions import (
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
)
from gui_agent.procedures.language.steps import Aim
from gui_agent.procedures.language.view import View, label_or_text
from gui_agent.procedures.language.walk import nodes
from gui_agent.procedures.language.wording import said
from gui_agent.procedures.runtime.match import FLOOR, MARGIN, Match, rematch, score

_TICKED = frozenset({"checkbox", "switch", "menuitemcheckbox", "radio", "menuitemradio"})
_PRESSED = frozenset({"button", "link", "menuitem", "tab"})
_LISTS = frozenset({"combobox", "listbox"})
_INSTEAD = (_TICKED, _PRESSED, _LISTS, frozenset({"textbox", "searchbox"}))
"""Roles with which the same can be done."""
_ONE_OF_SEVERAL = frozenset({"radio", "menuitemradio"})
_NOUNS: Mapping[str, str] = {"button": "button", "link": "link", "tab": "tab", "menu item": "menuitem"}
"""What people call the kinds of things that are pressed."""
_PHRASE = re.compile(
    rf"(?:the )?(?:(?P<before>{'|'.join(_NOUNS)})(?: (?:named|called|labell?ed))?(?: (?P<name>.+))?"
    rf"|(?P<first>.+) (?P<after>{'|'.join(_NOUNS)}))",
    re.IGNORECASE,
)


def of_another_kind(selector: Selector, scope: Scope, option: str = "") -> Element | None:
    """The one thing with the name that was asked for, though it has another role than in the demonstrations.

    Or the one list with the option that was asked for; or what is asked for by its kind: `the Save button`,
    `link Imprint`, `the button` where there is only one.

    Args:
        option: what is to be chosen there; empty when it is no list.
    """
    role = next((t for t in selector.tests if isinstance(t, HasRole)), None)
    name = next((t for t in selector.tests if _asked(t)), None)
    if role is None or selector.pick is not None or not (option or name):
        return None
    rest = tuple(test for test in selector.tests if test is not role)
    like = "button" if role.role == "generic" and isinstance(name, NamedAsOneOf) else role.role
    roles = next((roles for roles in _INSTEAD if like in roles), frozenset())
    if _one_of_several(name, scope):
        roles -= _ONE_OF_SEVERAL
    found = [e for one in sorted(roles) for e in select(Selector((HasRole(one), *rest)), scope)]
    if option:
        found = [element for element in found if offers(element, option)]
    elif not found and role.role in _PRESSED and rest == (name,) and isinstance(name, Captioned):
        found = _called_by_kind(value_of(name.text, scope) or "", scope)
    return found[0] if len(found) == 1 else None


def offers(element: Element, option: str) -> bool:
    """Whether a list has an option."""
    return normal(option) in map(normal, element.attributes.get("options", "").split("\n"))


def _asked(test: Test) -> bool:
    return isinstance(test, NamedAsOneOf) or (
        isinstance(test, Captioned) and test.how == "is" and not isinstance(test.text, Const)
    )


def _one_of_several(name: Test | None, scope: Scope) -> bool:
    """Whether several things are meant, of which this is only one: an item of a list, a word of a value."""
    asked = value_of(name.text, scope) if isinstance(name, Captioned) else None
    whole = set(map(normal, scope.slots.values()))
    return any(one is not None and normal(one) not in whole for one in (scope.item, asked))


def _called_by_kind(phrase: str, scope: Scope) -> list[Element]:
    read = _PHRASE.fullmatch(" ".join(phrase.split()))
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
    """The one element that is meant: as it was shown, else the only thing called so of another kind.

    Args:
        option: what is to be chosen there; empty when it is no list.

    Raises:
        NotFound: nothing fits; carries the nearest candidates.
        Ambiguous: several fit equally well; carries them.
    """
    try:
        return as_shown(aim, like, scope)
    except NotFound:
        instead = of_another_kind(aim.choices[0], scope, option)
        if instead is None:
            raise
        return instead


def as_shown(aim: Aim, like: Fingerprint | None, scope: Scope) -> Element:
    """The one element that is meant, of the kind that was demonstrated.

    The simplest selector decides. When it finds several, the other selectors that fitted the
    demonstrations must agree on one of them, or the container in which it was shown, or else the recorded
    fingerprint. When it finds none, another
    one or the fingerprint may find the target, but only if it does not depend on what was asked for.

    Raises:
        NotFound: nothing fits; carries the nearest candidates.
        Ambiguous: several fit equally well; carries them.
    """
    first = aim.choices[0]
    found = select(first, scope)
    if len(found) == 1:
        return found[0]
    if found:
        return _narrowed(found, aim, like, scope)
    if like is not None and fixed(first):
        return _found_again(aim, like, scope)
    for other in aim.choices[1:]:
        again = select(other, scope)
        if len(again) == 1 and _names_what_was_asked(other):
            return again[0]
    nearest = near_misses(first, scope)
    listed = "; nearest: " + ", ".join(str(element) for element in nearest) if nearest else ""
    raise NotFound(f"{said(first, scope)} is not on the screen{listed}", nearest)


def _narrowed(found: Sequence[Element], aim: Aim, like: Fingerprint | None, scope: Scope) -> Element:
    one = one_thing(found, scope.view)
    if one is not None:
        return one
    left = list(found)
    for other in aim.choices[1:]:
        ids = {element.id for element in select(other, scope)}
        agreed = [element for element in left if element.id in ids]
        if len(agreed) == 1:
            return agreed[0]
        left = agreed or left
    beside = [element for element in left if like is not None and _in_place_of(element, like)]
    if len(beside) == 1:
        return beside[0]
    if like is not None and fixed(aim.choices[0]):
        ranked = sorted((Match(e, score(like, e, scope.view)) for e in left), key=lambda m: -m.score)
        if ranked[0].score >= FLOOR and ranked[0].score - ranked[1].score >= MARGIN:
            return ranked[0].element
    listed = ", ".join(str(element) for element in left[:4])
    raise Ambiguous(f"{len(left)} elements fit {said(aim.choices[0], scope)}: {listed}", left)


def _in_place_of(element: Element, like: Fingerprint) -> bool:
    """Whether an element is of the kind that was shown and stands in the very container."""
    container = like.path.rpartition("/")[0]
    own = element.path.rpartition("/")[0]
    return (
        bool(container) and own == container and element.attributes.get("tag") == like.attributes.get("tag")
    )


def _found_again(aim: Aim, like: Fingerprint, scope: Scope) -> Element:
    """A fixed target whose simplest description no longer fits: all of its evidence decides."""
    element = rematch(like, scope.view)
    for other in aim.choices[1:]:
        again = select(other, scope)
        if len(again) == 1 and again[0].id != element.id and _has_caption(other):
            raise Ambiguous(f"{like} could be {element} or {again[0]}", (element, again[0]))
    return element


def fixed(selector: Selector) -> bool:
    """Whether a selector finds the same thing whatever is asked for and shown."""
    return not any(
        isinstance(node, Slot | Item | Untried | Note | ReadText | Count)
        or (isinstance(node, Attribute) and _worked_out(node.name))
        for node in nodes(selector)
    )


def _worked_out(name: str) -> bool:
    known = constructs().attribute(name)
    return known is not None and known.compared


def _names_what_was_asked(selector: Selector) -> bool:
    return any(isinstance(t, Captioned | Attribute) and not isinstance(t.text, Const) for t in selector.tests)


def _has_caption(selector: Selector) -> bool:
    return any(isinstance(test, Captioned) for test in selector.tests)


def near_misses(selector: Selector, scope: Scope, limit: int = 3) -> list[Element]:
    """Elements of the right role whose captions are most like the wanted one."""
    wanted = [value_of(t.text, scope) or "" for t in selector.tests if isinstance(t, Captioned)]
    roles = {test.role for test in selector.tests if isinstance(test, HasRole)}
    if not wanted:
        return []
    text = label_or_text(wanted[0])
    candidates = [e for e in scope.view.elements if not roles or e.role in roles]
    ranked = sorted(candidates, key=lambda e: -_likeness(e, text, scope.view))
    return [element for element in ranked[:limit] if _likeness(element, text, scope.view) > 0.3]


def _likeness(element: Element, text: str, view: View) -> float:
    captions = view.captions(element)
    return max((SequenceMatcher(None, caption, text).ratio() for caption in captions), default=0.0)
