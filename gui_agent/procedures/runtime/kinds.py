"""Things that are asked for by name and are another kind of control than what was demonstrated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from gui_agent.core.observation import Element
from gui_agent.core.texts import normal
from gui_agent.procedures.language.evaluate import Scope, select, value_of
from gui_agent.procedures.language.expressions import (
    Captioned,
    Const,
    HasRole,
    Item,
    NamedAsOneOf,
    Selector,
    Test,
)

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
