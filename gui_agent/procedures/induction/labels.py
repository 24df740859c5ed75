"""Labels that are like a typed value by chance: the field `Note` and the value `first note`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gui_agent.procedures.induction.effects import Effect
from gui_agent.procedures.language.evaluate import mentioned
from gui_agent.procedures.language.forms import FORMS
from gui_agent.procedures.language.view import label_or_text


def chance_slots(acts: Sequence[Effect], slots: Mapping[str, str]) -> list[frozenset[str]]:
    """For each act the slots that cannot have given its target the name it has.

    A label that stood on the screen before a value was used is not made of that value. What is called exactly
    like it, or holds all of it, may be what the value is about: the link `Ada` and `Ada's page`. A button is
    called after what it does, and a field is never called after what is typed into it.
    """
    found: list[set[str]] = [set() for _ in acts]
    for name, value in slots.items():
        typed = {number for number, act in enumerate(acts) if act.data and _is_made_of(act.data, value)}
        aimed = {number for number, act in enumerate(acts) if _caption(act) == label_or_text(value)}
        first = min(typed | aimed, default=len(acts))
        for number, act in enumerate(acts):
            stood = first < len(acts) and _stood(act, acts[: first + 1])
            if number in typed or (stood and number not in aimed and not _is_about(act, value)):
                found[number].add(name)
    return [frozenset(names) for names in found]


def _caption(act: Effect) -> str:
    captions = act.view.captions(act.element) if act.element is not None else ()
    return captions[0] if captions else ""


def _is_made_of(data: str, value: str) -> bool:
    """Whether a text that was typed or chosen is a value, has it in it, or is a form of it."""
    return mentioned(value, data) or any(form(value) == data for form in FORMS.values())


def _stood(act: Effect, before: Sequence[Effect]) -> bool:
    """Whether an act is one of these, or its target stood, under its name, at the last of them."""
    if any(act is one for one in before):
        return True
    view, caption = before[-1].view, _caption(act)
    return bool(caption) and any(caption in view.captions(element) for element in view.elements)


def _is_about(act: Effect, value: str) -> bool:
    """Whether something that is no button has all of a value in its name."""
    return act.element is not None and act.element.role != "button" and mentioned(value, _caption(act))
