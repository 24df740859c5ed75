"""The post-conditions of a step, in terms of slots, that all demonstrations of it agree upon."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gui_agent.core.conditions import Condition, StateIs, TextGone, TextShown, TitleIs, UrlIs, ValueIs
from gui_agent.core.targets import Fingerprint
from gui_agent.core.texts import normal
from gui_agent.procedures.induction.effects import Effect
from gui_agent.procedures.induction.values import exactly, texts
from gui_agent.procedures.language.evaluate import Scope
from gui_agent.procedures.language.expressions import Captioned, Const, Item, Joined, Note, Slot, Value
from gui_agent.procedures.language.steps import Aim, DoStep, Expected, Step
from gui_agent.procedures.language.view import label_or_text
from gui_agent.procedures.language.walk import nodes

_KINDS = {TextShown: "shown", TextGone: "gone", UrlIs: "url", TitleIs: "title"}
MOST = 5


def expectations(acts: Sequence[Effect], scopes: Sequence[Scope]) -> tuple[Expected, ...]:
    """What held after the step in every demonstration."""
    found: list[Expected] = [*_own_value(acts, scopes), *_own_states(acts)]
    for kind, what in _KINDS.items():
        said = [[c for c in act.expect if isinstance(c, kind)] for act in acts]
        patterns = [
            {pattern(_text(c), scope) for c in conditions}
            for conditions, scope in zip(said, scopes, strict=True)
        ]
        common = [value for value in _patterns(said[0], scopes[0]) if all(value in own for own in patterns)]
        found += [Expected(what, value) for value in common[:MOST]]  # type: ignore[arg-type]
    return tuple(found)


def without_passing(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps without expecting that something goes which a later step acts on: it was only covered."""
    found: list[Step] = []
    for index, step in enumerate(steps):
        if isinstance(step, DoStep):
            later = {
                label_or_text(test.text.text)
                for aim in nodes(tuple(steps[index + 1 :]))
                if isinstance(aim, Aim)
                for test in aim.choices[0].tests
                if isinstance(test, Captioned) and isinstance(test.text, Const)
            }
            expect = tuple(e for e in step.expect if not _comes_back(e, later))
            found.append(replace(step, expect=expect))
        else:
            found.append(step)
    return tuple(found)


def _comes_back(expected: Expected, later: set[str]) -> bool:
    gone = expected.what == "gone" and isinstance(expected.text, Const)
    return gone and label_or_text(expected.text.text) in later  # type: ignore[union-attr]


def _patterns(conditions: Iterable[Condition[Fingerprint]], scope: Scope) -> list[Value]:
    return list(dict.fromkeys(pattern(_text(condition), scope) for condition in conditions))


def _text(condition: Condition[Fingerprint]) -> str:
    match condition:
        case TextShown(text) | TextGone(text):
            return text.rstrip(" :*")
        case UrlIs(pattern) | TitleIs(pattern):
            return pattern
    return ""


def pattern(text: str, scope: Scope) -> Value:
    """A text of the screen in which the values of slots, the longest first, and the item are replaced."""
    parts: list[Value] = [Const(text)]
    known: list[tuple[Value, str]] = [(Slot(name), value) for name, value in scope.slots.items()]
    known += [(Note(name), value) for name, value in scope.notes.items()]
    known.sort(key=lambda pair: -len(pair[1]))
    for source, value in [*known, *([(Item(), scope.item)] if scope.item else [])]:
        # A single character is in many texts by chance; not beside another value of the task.
        if len(value) > 1 or len(parts) > 1:
            parts = [piece for part in parts for piece in _split(part, source, value)]
    return parts[0] if len(parts) == 1 else Joined(tuple(parts))


def _split(part: Value, source: Value, value: str) -> list[Value]:
    if not isinstance(part, Const):
        return [part]
    place = part.text.lower().find(value.lower())
    if place < 0 or not _whole_word(part.text, place, len(value)):
        return [part]
    pieces: list[Value] = [Const(part.text[:place]), source]
    rest = _split(Const(part.text[place + len(value) :]), source, value)
    return [piece for piece in (*pieces, *rest) if piece != Const("")]


def _whole_word(text: str, place: int, length: int) -> bool:
    around = text[max(0, place - 1) : place] + text[place + length : place + length + 1]
    return not any(character.isalnum() for character in around)


def _own_value(acts: Sequence[Effect], scopes: Sequence[Scope]) -> list[Expected]:
    """What the field acted on holds afterwards, if the demonstrations read it back."""
    held: list[str] = []
    for act in acts:
        values = [c.value for c in act.expect if isinstance(c, ValueIs) and _is_own(c.of, act)]
        if not values:
            return []
        held.append(values[0])
    found = texts(held, scopes, same=exactly)
    if not found or (
        isinstance(found[0].it, Const) and len(acts) == 1 and normal(held[0]) != normal(acts[0].data or "")
    ):
        return []
    return [Expected("value", found[0].it)]


def _own_states(acts: Sequence[Effect]) -> list[Expected]:
    each = [
        {(c.state, c.on) for c in act.expect if isinstance(c, StateIs) and _is_own(c.of, act)} for act in acts
    ]
    common = sorted(set.intersection(*each)) if each else []
    return [Expected("state" if on else "no state", Const(state)) for state, on in common]


def _is_own(mark: Fingerprint, act: Effect) -> bool:
    own = act.element
    return own is not None and (mark.role, mark.path) == (own.role, own.path) and mark.name == own.name
