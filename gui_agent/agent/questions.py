"""What a screen asks before it goes on: a dialog that came up, its words, and which button says yes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gui_agent.agent.grounder.candidates import front_dialog
from gui_agent.core.actions import Click, Close, Press, Proposal
from gui_agent.core.observation import Element, Observation
from gui_agent.core.texts import label, normal, shorten
from gui_agent.elements.layout import within
from gui_agent.elements.roles import BUTTONS, CHOOSERS, DIALOGS, FIELDS, LISTS, MEASURED, TICKABLE, word_set

MOST_PARTS = 16
"""Elements of a dialog that is known only by what it covers."""
LONGEST = 160
"""Characters of what a dialog says that are told."""
_ENDING = word_set("save submit send delete remove apply ok close quit exit finish done confirm yes publish")
"""First words of controls that end something: what they open is in the way, and not what was wanted."""
_ENDING_KEYS = frozenset((("ctrl", "s"), ("ctrl", "q"), ("ctrl", "w"), ("alt", "f4"), ("delete",)))
_LEAVING = word_set("close × x ✕")
"""Buttons that only put the dialog away."""
_FILLED = (FIELDS | MEASURED | CHOOSERS | LISTS) - {"list"}
_CONSENT = word_set("cookie cookies consent")
"""What a site asks everybody who comes to it."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A dialog that came up."""

    words: str
    fields: tuple[Element, ...]
    """What is filled in, chosen or ticked in it."""
    buttons: tuple[Element, ...]
    native: bool = False
    """Whether the browser itself asks, and nothing else can be done before."""

    def pending(self, action: Proposal, on: Element | None) -> bool:
        """Whether it waits for an answer without which the action that brought it has done nothing.

        A dialog that only says something has no two answers; one to be filled in may be just what was opened.
        """
        if {*normal(self.words).split()} & _CONSENT and not self.native:
            return False
        if self.native:
            return len(self.buttons) > 1
        if len(self.fields) - sum(one.role == "checkbox" for one in self.fields) > 0 or len(self.fields) > 1:
            return ends_something(action, on)
        from gui_agent.agent.guard.words import agrees, commands, refuses

        if len(self.buttons) < 2:
            return False
        leaving = any(normal(one.name) in _LEAVING for one in self.buttons)
        sure = any(agrees(one.name) or commands(one.name) for one in self.buttons)
        return any(refuses(one.name) for one in self.buttons) or (leaving and sure)

    def yes(self, said: str) -> Element | None:
        """The button that does what was said already; None where the dialog asks for anything else.

        It is called the same, or it is the only one that agrees, and the question speaks of what was said.
        """
        from gui_agent.agent.guard.words import agrees, commands, mentions, refuses

        open_fields = any(not one.value and "required" in one.states for one in self.fields)
        verb = label(said).partition(" ")[0]
        same = [one for one in self.buttons if label(one.name) in {label(said), verb}]
        if open_fields or not verb:
            return None
        if len(same) == 1:
            return same[0]
        meant, about = set(commands(said)), set(mentions(self.words)) | set(commands(self.words))
        others = [one for one in self.buttons if not refuses(one.name) and normal(one.name) not in _LEAVING]
        agreeing = [one for one in others if agrees(one.name) or set(commands(one.name)) & meant]
        asked = verb in label(self.words).split() or bool(meant & about)
        declinable = len(others) < len(self.buttons)
        widened = {*label(self.words).split()} & {"all", "everything"} - {*label(said).split()}
        if self.fields or widened or not (asked and declinable and len(agreeing) == len(others) == 1):
            return None
        return agreeing[0]

    def __str__(self) -> str:
        offered = ", ".join(f'"{one.name}"' for one in self.buttons if one.name)
        empty = ", ".join(str(one) for one in self.fields if "required" in one.states and not one.value)
        wanted = f", wants {empty} filled in" if empty else ""
        return f'it asks "{shorten(self.words, LONGEST)}"{wanted}' + f" (answers: {offered})" * bool(offered)


def came_up(before: Observation, after: Observation) -> OpenQuestion | None:
    """The dialog that stands on a screen and did not on the one before; None when there is none."""
    parts = _parts(after)
    known = {element.id for element in before.elements}
    parts = parts or _bare(before, after)
    if not parts or all(one.id in known for one in parts):
        return None
    texts = [one for one in parts if one.is_text or one.role in DIALOGS | {"heading", "alert"}]
    old = any(one.id in known for one in parts if one.is_text or one.role in DIALOGS)
    words = " ".join(
        dict.fromkeys(one.name for one in texts if one.name and normal(one.name) not in _LEAVING)
    )
    if old:
        return None
    fields = tuple(one for one in parts if one.role in _FILLED | TICKABLE or "editable" in one.states)
    buttons = tuple(one for one in parts if one.role in BUTTONS - {"image", "img"} and one.name)
    return OpenQuestion(words, fields, buttons, any(one.source == "dialog" for one in parts))


def _parts(screen: Observation) -> Sequence[Element]:
    """What belongs to the dialog in front."""
    marked = [one for one in screen.elements if one.attributes.get("notice") in DIALOGS]
    dialog = front_dialog(screen)
    if dialog is None:
        return marked
    if dialog.source == "dialog":
        return [one for one in screen.elements if one.source == "dialog"]
    return [one for one in screen.elements if within(one, dialog)] or marked


def _bare(before: Observation, after: Observation) -> Sequence[Element]:
    """A dialog that does not say that it is one: it covers what was there, and holds little itself."""
    if before.place.url != after.place.url or before.place.app != after.place.app:
        return ()
    known = {element.id for element in before.elements}
    fresh = [one for one in after.elements if one.id not in known]
    kept = len(after.elements) - len(fresh)
    small = (
        2 < len(fresh) <= MOST_PARTS
        and kept * 3 <= len(before.elements)
        and len(before.elements) > MOST_PARTS
    )
    return fresh if small and sum(one.role in BUTTONS for one in fresh) > 1 else ()


def ends_something(action: Proposal, on: Element | None) -> bool:
    """Whether an action saves, sends, deletes or closes, so that a dialog it opens is a part of it."""
    if isinstance(action, Press):
        return tuple(key.casefold() for key in action.keys) in _ENDING_KEYS
    if isinstance(action, Close):
        return True
    if not isinstance(action, Click) or on is None or on.name.rstrip().endswith(("...", "…")):
        return False
    return label(on.name).partition(" ")[0] in _ENDING
