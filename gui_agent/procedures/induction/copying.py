"""Values that were read on an earlier screen and typed on a later one: noted where they stood.

A text that is typed, is neither in the instruction nor on the screen where it is typed, and stood on a screen
before, was copied from there. Reading it becomes an act of its own, put before the act on that screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gui_agent.core.actions import Choose, TypeText
from gui_agent.core.texts import normal
from gui_agent.procedures.induction.cases import TargetCase
from gui_agent.procedures.induction.effects import Effect
from gui_agent.procedures.induction.instructions import slug, unique
from gui_agent.procedures.induction.selectors import targets
from gui_agent.procedures.induction.steps import Told, Unexplained
from gui_agent.procedures.language.constructs import Costed
from gui_agent.procedures.language.evaluate import Scope, is_mentioned, select
from gui_agent.procedures.language.expressions import (
    Captioned,
    Const,
    Formed,
    HasRole,
    ReadText,
    Selector,
    Value,
)
from gui_agent.procedures.language.forms import in_form
from gui_agent.procedures.language.steps import Remember
from gui_agent.procedures.language.view import View, text_of

SHORTEST = 3
"""Characters of a copied text; what is shorter stands on a screen by chance."""
_FORMS = ("after the colon", "in brackets", "last word", "number", "digits")


@dataclass(frozen=True)
class CopiedText:
    """A text that was read before one act of a demonstration and typed by another."""

    read_at: int
    typed_at: int
    text: str


def with_copies(told: Sequence[Sequence[Told]]) -> list[list[Told]] | None:
    """The acts with those of reading between them, and what was read in the scopes of the acts after.

    Returns:
        None when nothing was copied, or not the same number of times in every demonstration.
    """
    copies = [_copies(acts) for acts in told]
    if not copies[0] or len({len(found) for found in copies}) != 1:
        return None
    taken = {name for acts in told for one in acts for name in one.scope.slots}
    names: list[str] = []
    for copy in copies[0]:
        element = told[0][copy.typed_at].act.element
        at = getattr(told[0][copy.typed_at].act.action, "at", None)
        called = (element.name if element else "") or (at.label if at is not None else "")
        names.append(unique(slug(called) or "copied", {*taken, *names}))
    return [_with_notes(acts, found, names) for acts, found in zip(told, copies, strict=True)]


def _copies(acts: Sequence[Told]) -> list[CopiedText]:
    found: list[CopiedText] = []
    for place, one in enumerate(acts):
        text = one.act.data or ""
        if not isinstance(one.act.action, TypeText | Choose) or len(text) < SHORTEST:
            continue
        if _is_given(text, one.scope) or any(_holds(e_text, text) for e_text in _texts(one.act.view)):
            continue
        if any(copy.text == text for copy in found):
            continue
        before = [i for i in range(place) if any(_holds(t, text) for t in _texts(acts[i].act.view))]
        if before:
            found.append(CopiedText(before[-1], place, text))
    return found


def _is_given(text: str, scope: Scope) -> bool:
    return is_mentioned(text, scope.instruction) or normal(text) in map(normal, scope.slots.values())


def _texts(view: View) -> list[str]:
    return [text_of(element) for element in view.elements]


def _holds(text: str, wanted: str) -> bool:
    return text == wanted or any(in_form(text, form) == wanted for form in _FORMS)


def _with_notes(acts: Sequence[Told], copies: Sequence[CopiedText], names: Sequence[str]) -> list[Told]:
    noted: dict[str, str] = {}
    result: list[Told] = []
    for place, one in enumerate(acts):
        for copy, name in zip(copies, names, strict=True):
            if copy.read_at == place:
                read = Effect(one.act.action, one.act.view, copied=(name, copy.text))
                result.append(Told(read, replace(one.scope, notes=dict(noted))))
                noted[name] = copy.text
        result.append(replace(one, scope=replace(one.scope, notes=dict(noted))))
    return result


def remember(told: Sequence[Told]) -> Costed[Remember]:
    """The step that notes what was read in each demonstration.

    Raises:
        Unexplained: one of them does something else here, or nothing says where the text stands.
    """
    copied = [one.act.copied for one in told if one.act.copied is not None]
    if len(copied) != len(told) or len({name for name, _ in copied}) != 1:
        raise Unexplained("the actions differ")
    read = _read_off([text for _, text in copied], [one.here for one in told])
    if read is None:
        raise Unexplained("nothing says where the copied text stands")
    return Costed(read.cost, Remember(copied[0][0], read.it))


def _read_off(wanted: Sequence[str], scopes: Sequence[Scope]) -> Costed[Value] | None:
    for form in ("", *_FORMS):
        choices = [
            [e for e in scope.view.elements if (in_form(text_of(e), form) if form else text_of(e)) == text]
            for text, scope in zip(wanted, scopes, strict=True)
        ]
        if not all(choices):
            continue
        cases = [TargetCase(scope, found[0]) for found, scope in zip(choices, scopes, strict=True)]
        selectors = _labelled_texts(cases) or targets(cases, captions=False)
        if selectors:
            read = ReadText(selectors[0].it)
            extra = 0.5 if form else 0.0
            return Costed(1.0 + extra + 0.5 * selectors[0].cost, Formed(read, form) if form else read)
    return None


def _labelled_texts(cases: Sequence[TargetCase]) -> list[Costed[Selector]]:
    labels = {case.element.name.partition(":")[0].strip() for case in cases}
    roles = {case.element.role for case in cases}
    if len(labels) != 1 or len(roles) != 1 or not all(":" in case.element.name for case in cases):
        return []
    selector = Selector((HasRole(roles.pop()), Captioned(Const(labels.pop()), "starts")))
    unique_everywhere = all(
        [found.id for found in select(selector, case.scope)] == [case.element.id] for case in cases
    )
    return [Costed(1.5, selector)] if unique_everywhere else []
