"""Finds the place that a text is read from, identified by a lasting name and not by the text.

In one example, or several with the same text, the text may be in several places. Only a place with a
lasting name counts: a label, a row key and column header, a heading, an identifier, or the role of a
heading or message that the screen has once. Without such a name, nothing is read. The same names identify
the row of a pressed button.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gui_agent.core.observation import TEXT, Element
from gui_agent.core.texts import normal
from gui_agent.elements.roles import CELLS, LABELLING, ORIENTING
from gui_agent.procedures.induction.priors import FOUNDED
from gui_agent.procedures.induction.selectors import head_of, targets
from gui_agent.procedures.induction.values import TargetCase
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.evaluate import Scope, is_mentioned, select, the_one
from gui_agent.procedures.language.forms import in_form
from gui_agent.procedures.language.program import (
    After,
    Attribute,
    Captioned,
    Const,
    Extreme,
    Formed,
    HasRole,
    Holding,
    InState,
    Mentioned,
    NamedAsOneOf,
    Pick,
    Rank,
    ReadText,
    Selector,
    Test,
    Under,
    Value,
    With,
    nodes,
    slots_used,
)
from gui_agent.procedures.language.view import View, alike, text_of
from gui_agent.procedures.recordings.from_run import volatile

_WHOLE = ("", "after the colon")
_FORMS = ("in brackets", "last word", "number", "digits")
_MOST_PLACES = 6
_TITLES = (LABELLING | ORIENTING) - CELLS - {TEXT}
"""Elements that name others below or beside them and are not values themselves."""
_IDENTIFIERS = ("id", "name", "testid")


def says(element: Element, wanted: str) -> bool:
    """Whether an element shows a text, either as its whole text or as its main part."""
    return any(_text_of_form(element, form) == wanted for form in (*_WHOLE, *_FORMS))


def shows(view: View, text: str) -> bool:
    """Whether any element of a screen shows a text."""
    return any(says(element, text) for element in view.elements)


def _text_of_form(element: Element, form: str) -> str | None:
    return in_form(text_of(element), form) if form else text_of(element)


def read_off(
    wanted: Sequence[str], scopes: Sequence[Scope], pointed: Sequence[Element | None] = ()
) -> Costed[Value] | None:
    """The value that reads the wanted text on each screen; None if no place for it has a name.

    Args:
        pointed: for each example, the element that the person pointed at, if known; only that one is read.
    """
    for forms in (_WHOLE, *((form,) for form in _FORMS)):
        choices = [_holders(text, scope.view, forms) for text, scope in zip(wanted, scopes, strict=True)]
        for number, element in enumerate(pointed):
            choices[number] = [one for one in choices[number] if element is None or _is_same(one[0], element)]
        if not all(choices):
            continue
        found = _the_place(choices, scopes)
        if found is not None:
            return found
    return None


def _holders(text: str, view: View, forms: Sequence[str]) -> list[tuple[Element, str]]:
    found: list[tuple[Element, str]] = []
    for form in forms:
        found += [(e, form) for e in view.elements if _text_of_form(e, form) == text]
    return found


def _is_same(one: Element, other: Element) -> bool:
    return (one.role, one.path, one.name) == (other.role, other.path, other.name)


def _the_place(
    choices: Sequence[Sequence[tuple[Element, str]]], scopes: Sequence[Scope]
) -> Costed[Value] | None:
    """The only named place of the text, or the one that shares most words with the task.

    If the text also occurs at a place without a name, only a value of the task can identify the place.
    """
    places: list[Costed[Selector]] = []
    values: list[Costed[Value]] = []
    nameless = len(choices[0]) > _MOST_PLACES
    seen: set[int] = set()
    for number, (first, form) in enumerate(choices[0][:_MOST_PLACES]):
        if first.id in seen:
            continue
        seen |= {e.id for e in alike(first, scopes[0].view)}
        elements = [own[min(number, len(own) - 1)][0] for own in choices]
        cases = [TargetCase(scope, e) for scope, e in zip(scopes, elements, strict=True)]
        found = named_places(cases)[:1]
        nameless |= not found
        places += found
        values += [Costed(1.0 + 0.5 * bool(form) + 0.5 * one.cost, _read(one.it, form)) for one in found]
    told = [_count_told(one.it, scopes[0].instruction) for one in places]
    if not told or told.count(max(told)) > 1:
        return None
    best = told.index(max(told))
    return None if nameless and not slots_used(places[best].it) else values[best]


def _read(place: Selector, form: str) -> Value:
    return Formed(ReadText(place), form) if form else ReadText(place)


def _count_told(selector: Selector, task: str) -> int:
    """The number of parts of a description that the task mentions."""
    said = [node.text for node in nodes(selector) if isinstance(node, Const)]
    return len(slots_used(selector)) + sum(is_mentioned(text, task) for text in said)


def named_places(cases: Sequence[TargetCase], *, loose: bool = False) -> list[Costed[Selector]]:
    """Selectors of a text, the cheapest first, that do not depend on its content.

    Args:
        loose: accept any place, as the text read changes with each act.
    """
    same = len({text_of(case.element) for case in cases}) == 1
    strict = not loose and (len(cases) < FOUNDED or same)

    def is_allowed(part: Test | Pick | Selector) -> bool:
        return not _says_itself(part, cases) and (not strict or _lasts(part, cases[0]))

    return [*_labelled_texts(cases), *targets(cases, is_allowed=is_allowed)]


def one_of_several(cases: Sequence[TargetCase]) -> list[Costed[Selector]] | None:
    """Selectors of an element that one example shows among several of its name, such as a button in each row.

    They identify the row by its key and not by its position, because other rows may precede it.

    Returns:
        None if it is not one of several entries, or if several examples show which one is chosen.
    """
    view, own = cases[0].scope.view, cases[0].element
    called = set(view.captions(own))
    same = [e for e in view.elements if e.role == own.role and called & set(view.captions(e))]
    if len(cases) > 1 or len(same) < 2 or not _is_of_a_record(own, view):
        return None
    return targets(cases, is_allowed=lambda part: _lasts(part, cases[0]))


def _is_of_a_record(own: Element, view: View) -> bool:
    cells = (e for e in view.elements if e.role in CELLS)
    return view.is_entry(own) or any(view.together(cell, own, 0) for cell in cells)


def _says_itself(test: Test | Pick | Selector, cases: Sequence[TargetCase]) -> bool:
    """Whether a test finds the text by the text itself; a field's name differs from its value."""
    match test:
        case Captioned(how="is") | NamedAsOneOf() | Mentioned():
            return not all(case.element.value and case.element.name for case in cases)
        case Attribute(_, Const(word)):
            return any(normal(word) in normal(text_of(case.element)) for case in cases)
    return isinstance(test, Holding)


def _lasts(test: Test | Pick | Selector, case: TargetCase) -> bool:
    """Whether a test of a single example refers to a lasting name and not to the data of that day."""
    match test:
        case Selector():
            return _is_named(test)
        case Rank() | Extreme():
            return bool(slots_used(test))
        case Attribute(name, Const(word)):
            return name in _IDENTIFIERS and not any(map(str.isdecimal, word))
        case With(anchor) | Under(anchor) | After(anchor):
            held = select(anchor, case.scope)
            return all(_names(one, test, case) for one in held)
    return True


def _names(anchor: Element, test: With | Under | After, case: TargetCase) -> bool:
    """Whether an element is the label, the header or the key of the text."""
    view, own = case.scope.view, case.element
    if is_mentioned(text_of(own), anchor.name):
        return False
    if isinstance(test, With) and (slots_used(test) or head_of(anchor, view) is not None):
        return _is_key_of_row(anchor, test, view)
    if volatile(anchor.name) or view.position(anchor) > view.position(own):
        return False
    follows = view.position(own) == view.position(anchor) + 1 and not {own.role, anchor.role} & CELLS
    labelled = follows and (anchor.role in _TITLES - ORIENTING or view.together(anchor, own, 0))
    if isinstance(test, With):
        return labelled or anchor.role in _TITLES or _is_key(anchor, test.up, view)
    return labelled if isinstance(test, After) else anchor.role in _TITLES


def _is_key_of_row(anchor: Element, test: With, view: View) -> bool:
    """Whether it is a task value or the key of its row; a table with headers is read by column."""
    by_column = any(isinstance(part, Under) for part in test.anchor.tests)
    known = bool(slots_used(test)) or _is_key(anchor, test.up, view)
    return known and (by_column or head_of(anchor, view) is None)


def _is_key(anchor: Element, up: int, view: View) -> bool:
    """Whether it is the first lasting text of its row or card."""
    around = (e for e in view.elements if e.name and view.together(anchor, e, up))
    texts = (e for e in around if (e.is_text or e.role in CELLS | _TITLES) and not volatile(e.name))
    return next((e.id for e in texts), 0) == anchor.id


def _is_named(selector: Selector) -> bool:
    """Whether a selector has a lasting name; a role alone suffices for a heading or a message.

    The text of a label is also beside it (`With`), so `After` a label alone does not identify it.
    """
    telling = [test for test in selector.tests if not isinstance(test, HasRole | InState)]
    beside = [test.anchor for test in telling if isinstance(test, With)]
    if any(isinstance(test, After) and test.anchor not in beside for test in telling):
        return False
    return bool(telling) or selector.pick is not None or selector.role in ORIENTING


def _labelled_texts(cases: Sequence[TargetCase]) -> Iterator[Costed[Selector]]:
    """The texts that start with the same label and a colon on every screen."""
    labels = {case.element.name.partition(":")[0].strip() for case in cases}
    roles = {case.element.role for case in cases}
    if len(labels) != 1 or len(roles) != 1 or not all(":" in case.element.name for case in cases):
        return
    selector = Selector((HasRole(roles.pop()), Captioned(Const(labels.pop()), "starts")))
    if all(the_one(selector, case.scope) is case.element for case in cases):
        yield Costed(1.5, selector)
