"""Classifies what an action would mean, from its target and the context around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import assert_never
from urllib.parse import urlsplit

from gui_agent.agent.guard import addresses, context, keyboard, words
from gui_agent.agent.guard.context import MEANINGS, PLAIN, UNKNOWN, ActionMeaning
from gui_agent.agent.guard.shell import destroys
from gui_agent.core import actions as do
from gui_agent.core.actions import Action, Open, TypeText
from gui_agent.core.geometry import Box, Point
from gui_agent.core.keys import chord
from gui_agent.core.observation import Element, Observation
from gui_agent.core.opening import Opening
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Found
from gui_agent.elements.roles import ALONE, ASKED, BOXES, INERT, ROWS, SLID, WORDY
from gui_agent.elements.text import mixes_alphabets, names_a_sum, turns_direction

HARMLESS = frozenset({"move", "scroll", "swipe", "back", "switch", "wait"})
"""Kinds of actions that only look around."""
_ASKS_PERMISSION = re.compile(r"\.(permissioncontroller|packageinstaller)$")
"""Packages of the parts of Android that ask whether an app may do something, or be installed."""
_DENIES = re.compile(r":id/permission_(deny|no_)")
_CARD_DIGITS = re.compile(r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)")
_SECRET = re.compile(r"\$\{secret:")
_LINK_WORDS, _ROW_WORDS = 5, 3
_QUESTION = 700
"""Letters of a dialog that asks something; one with more is a part of the program."""
_GENERAL = frozenset({"submit", "submit-credentials"})
"""Meanings that the form or dialog around may make graver."""
_AT_ONCE = frozenset({"pay", "transfer", "delete", "publish", "share", "format", "unsubscribe", "sign"})
"""What a tick alone may do where no form keeps it for later."""
# fmt: off
_DECIDING = frozenset({
    "ok", "okay", "yes", "confirm", "proceed", "ja", "oui", "si", "sim", "tak", "да", "bestatigen",
    "bevestigen", "bevestig", "confirmer", "valider", "confirmar", "conferma", "procedi", "はい", "确定",
})
# fmt: on
"""Words of agreement that settle something, so that the text beside them counts."""


def classify(
    action: Action,
    found: Mapping[str, Found],
    observation: Observation,
    opening: Callable[[str], Opening] | None = None,
    line: str = "",
) -> tuple[ActionMeaning, ...]:
    """Everything the action would mean, gravest first; never empty.

    Nothing is taken from the verb alone: a click means what its target does, Enter means what the
    default button does.

    Args:
        opening: tells what the device would do to open something; without it nobody knows.
        line: what was typed into the terminal in front and not entered yet.

    Raises:
        ActionFailed: there is no such key, or nothing to open.
    """
    if isinstance(action, Open):
        told = opening is not None and not addresses.carries_code(action.name)
        readings = [
            *addresses.opened(action.name, opening(action.name) if opening and told else Opening("unknown"))
        ]
    else:
        readings = [*_readings(action, found, observation)]
        more = typed_keys(action)
        at = found.get("at")
        target = (at.element if at else None) or context.focused(observation)
        if more and context.is_terminal(target, observation.place) and destroys(line + more):
            readings.append(ActionMeaning("destructive-command", "the terminal", target))
    readings = readings or [ActionMeaning(PLAIN, action.kind)]
    if any(reading.meaning != PLAIN for reading in readings):
        readings = [reading for reading in readings if reading.meaning != PLAIN or reading.url]
    order = list(MEANINGS)
    return tuple(sorted(dict.fromkeys(readings), key=lambda reading: order.index(reading.meaning)))


def typed_keys(action: Action) -> str:
    """What an action adds to a line that is being typed: its text, a single character, or its end."""
    if isinstance(action, TypeText):
        return action.text
    if not isinstance(action, do.Press | do.Hold):
        return ""
    keys = [key for key in chord(action.keys) if key not in ("shift", "altgr")]
    if keys == ["space"]:
        return " "
    return (
        keys[0]
        if len(keys) == 1 and len(keys[0]) == 1
        else "\n"
        if "enter" in keys or keyboard.enters(keys)
        else ""
    )


def _readings(
    action: Action, found: Mapping[str, Found], observation: Observation
) -> Iterable[ActionMeaning]:
    at = found.get("at")
    match action:
        case do.Move() | do.Scroll() | do.Back() | do.Switch() | do.Close() | do.Open():
            return ()
        case do.Click(button="right"):
            return ()
        case do.Click() | do.LongPress() | do.Check():
            return _at_place(action.at, at, observation)
        case do.Choose():
            return _chosen(action, at, observation)
        case do.Drag() | do.Swipe():
            return _dragged(at, found.get("to"), observation)
        case do.TypeText():
            return _typed(action, at.element if at else None, observation)
        case do.Upload():
            return addresses.uploaded(action)
        case do.Press() | do.Hold():
            held = isinstance(action, do.Hold)
            return keyboard_readings(keyboard.effects(action.keys, observation, held), observation)
        case do.Navigate():
            return addresses.visited(action.url)
        case _:
            assert_never(action)


def _chosen(action: do.Choose[Point], at: Found | None, observation: Observation) -> Iterable[ActionMeaning]:
    """What choosing means: what its option says, and the click on what is no list."""
    element = at.element if at is not None else None
    if element is not None and not context.listing(element):
        yield from touch(element, observation)
    for meaning in words.leading(action.option):
        box = element.box if element is not None else None
        yield ActionMeaning(_known(meaning), f'option "{action.option}"', element, box)


def _dragged(at: Found | None, to: Found | None, observation: Observation) -> Iterable[ActionMeaning]:
    """What a drag means: what is activated by sliding it, and where it is dropped."""
    source = at and (at.element or context.at_point(at.point, observation))
    if source and (source.role in SLID or words.slides(source.name)):
        yield from touch(source, observation, sliding=True)
    yield from _dropped(to, observation)


def touch(
    element: Element, observation: Observation, because: str = "", *, sliding: bool = False
) -> tuple[ActionMeaning, ...]:
    """What activating an element means."""
    said = tuple(_spoken(element, observation, sliding))
    if _GENERAL.issuperset(meaning for meaning, _ in said):
        said = tuple(dict.fromkeys((*said, *_surrounded(element, observation))))
    does = element.does
    leads = [does[key] for key in ("link",) if key in does] or [element.attributes.get("href", "")]
    leads += [does["sends"].partition(" ")[2]] if "sends" in does and context.submits(element) else []
    readings = [
        ActionMeaning(meaning, str(element), element, element.box, reason or because, url=url)
        for meaning, reason in said or ((PLAIN, ""),)
        for url in filter(None, leads)
    ] or [
        ActionMeaning(meaning, str(element), element, element.box, reason or because)
        for meaning, reason in said or ((PLAIN, ""),)
    ]
    if any(addresses.carries_code(url) for url in leads):
        readings.append(
            ActionMeaning("script-address", str(element), element, element.box, url="javascript:")
        )
    return tuple(readings)


def _at_place(point: Point, at: Found | None, observation: Observation) -> Iterable[ActionMeaning]:
    """What a click at a point means: the element that was meant, and what really lies there."""
    meant = at.element if at is not None else None
    there = context.at_point(point, observation)
    for element in dict.fromkeys(filter(None, (meant, there))):
        if not context.holds_others(element) or "areas" in element.does or words.commands(element.name):
            yield from touch(element, observation)
    if there is None or (context.holds_others(there) and meant in (None, there)):
        yield from _unknown(point, there, observation)


def _unknown(point: Point, there: Element | None, observation: Observation) -> Iterable[ActionMeaning]:
    """A place where nothing is known, such as on a canvas: the texts near it have to tell."""
    subject, box = f"the place ({point.x}, {point.y})", Box(point.x - 20, point.y - 20, 40, 40)
    within = there.box if there is not None else None
    for line in context.texts_around(point, observation, within).split("\n"):
        for meaning in words.commands(line) if words.word_count(line) <= _LINK_WORDS else ():
            yield ActionMeaning(_known(meaning), subject, None, box, f'"{line}" stands there')
    yield ActionMeaning(UNKNOWN, subject, None, box, "no known element lies there")


def _spoken(element: Element, observation: Observation, sliding: bool = False) -> Iterable[tuple[str, str]]:
    """Meanings that the element itself tells: by its words, and by its icon."""
    if context.editable(element) or (
        element.role in INERT and not (sliding or context.acts_at_once(element))
    ):
        return
    if _ASKS_PERMISSION.search(element.attributes.get("package", "")) and not element.is_text:
        if not words.refuses(element.name) and not _DENIES.search(element.attributes.get("id", "")):
            yield "permission", "the phone asks whether an app may do this"
        return
    meanings = _worded(element)
    if any(turns_direction(text) or mixes_alphabets(text) for text in _texts(element)):
        yield "unclear", "its text is not what it looks like"
    if sliding:
        yield from ((_known(meaning), "it is slid") for meaning in words.mentions(element.name))
    for meaning in meanings:
        yield from _in_form(_known(meaning), element, observation)
    if {"submit", "sign-in"}.issuperset(meanings) and not words.refuses(element.name):
        for meaning in context.icon_meanings(element):
            yield meaning, "its icon says so"


def _worded(element: Element) -> tuple[str, ...]:
    """What the words on an element say that it does."""
    does, page = element.does, element.source == "dom"
    wordy = element.role in WORDY or element.role in INERT
    limit = _ROW_WORDS if element.role in ROWS else _LINK_WORDS
    meanings: list[str] = []
    for text in _texts(element):
        if words.is_topic(text, leads=element.attributes.get("tag") == "a" or "haspopup" in element.states):
            continue
        if wordy and words.word_count(text) > limit:
            if page and (element.role not in ROWS or element.role == "option" or "handles" in does):
                meanings += words.leading(text)
            continue
        meanings += words.commands(text)
        if element.role in ALONE:
            meanings += filter(None, [words.alone(text)])
    if element.role in BOXES:
        meanings = [one for one in meanings if one in _AT_ONCE]
    return tuple(dict.fromkeys(meanings))


def _surrounded(element: Element, observation: Observation) -> Iterable[tuple[str, str]]:
    """Meanings that come from the dialog or form in which a word of agreement or a submit button stands."""
    if element.role in INERT or context.editable(element) or element.role in ROWS:
        return
    if words.refuses(element.name) or words.refuses(element.value):
        return
    agrees = words.agrees(element.name) or words.agrees(element.value)
    sends = context.submits(element)
    question = element.does.get("question", "") or context.asks(element, observation)
    if question and not agrees and not sends:
        # A dialog that asks is answered by whatever does not just lead on, in any words.
        agrees = (
            len(question) <= _QUESTION
            and element.role in ASKED
            and not ("link" in element.does or words.leads_on(element.name) or "haspopup" in element.states)
        )
    if not (agrees or sends):
        return
    asked = context.dialog_text(element, observation) if agrees else ""
    decides = agrees and _decides(element.name)
    if not asked and decides:
        asked = context.container_text(element, observation)
    for meaning in words.mentions(asked):
        yield _known(meaning), f'it answers "{shorten(asked)}"'
    if names_a_sum(asked):
        yield "pay", f'it answers "{shorten(asked)}"'
    if agrees:
        described = "\n".join((element.description, element.does.get("described", "")))
        yield from ((_known(meaning), "its description says so") for meaning in words.mentions(described))
    yield from _sent_off(element, observation, sends, bool(asked))
    if not asked and decides and not context.has_container(element):
        for meaning in words.mentions(context.texts_around(element.box.center, observation, None, 160)):
            yield _known(meaning), "the text beside it says so"


def _sent_off(
    element: Element, observation: Observation, sends: bool, asked: bool
) -> Iterable[tuple[str, str]]:
    """What the fields, the heading and the address of a form say that its button does."""
    fields = context.fields_with(element, observation)
    for field in fields.all:
        for meaning in words.commands(field.value) if field.role == "combobox" else ():
            yield _known(meaning), f'"{field.value}" is chosen beside it'
    method, _, address = element.does.get("sends", "").partition(" ")
    if "card" in fields.kinds:
        yield "pay", "its form holds payment details"
    elif "password" in fields.kinds and (sends or not asked):
        yield "submit-credentials", "its form holds a password"
    elif method == "post" and not words.leads_on(element.name) and (named := _form_means(element, address)):
        for meaning in named:
            yield meaning, "its form says so"
    elif sends and fields.all and "search" not in fields.kinds:
        yield "submit", "it sends its form off"


def _form_means(element: Element, address: str) -> tuple[str, ...]:
    """What the heading and the address of a form say that it does."""
    path = urlsplit(address).path.rstrip("/").split("/")
    texts = [*element.does.get("form", "").split("\n"), words.identifier_words(" ".join(path[-2:]))]
    found = [
        _known(meaning) for text in texts if not words.is_topic(text) for meaning in words.commands(text)
    ]
    return tuple(
        meaning for meaning in dict.fromkeys(found) if meaning not in ("submit", "submit-credentials")
    )


def _in_form(meaning: str, element: Element, observation: Observation) -> Iterable[tuple[str, str]]:
    """A general word such as Submit or Sign in, made exact by the fields of its form."""
    if meaning not in ("submit", "submit-credentials"):
        yield meaning, ""
        return
    kinds = context.fields_with(element, observation).kinds
    if "card" in kinds:
        yield "pay", "its form holds payment details"
    elif "password" in kinds:
        yield "submit-credentials", "its form holds a password"
    elif meaning == "submit" and "message" in kinds and context.has_recipient(element, observation):
        yield "send", "its form holds a message"
    elif meaning == "submit":
        yield "submit", ""


def _dropped(to: Found | None, observation: Observation) -> Iterable[ActionMeaning]:
    """What dropping something on a place means, such as on the bin."""
    target = to and (to.element or context.at_point(to.point, observation))
    if not target or context.editable(target):
        return
    names = (target.name, target.attributes.get("class", ""), target.attributes.get("id", ""))
    found = [*words.commands(target.name), words.alone(target.name)]
    found += [one for one in words.icon_meanings(*names, target.does.get("icon", "")) if one == "delete"]
    for meaning in dict.fromkeys(filter(None, found)):
        yield ActionMeaning(_known(meaning), str(target), target, target.box, "it is dropped there")


def _typed(
    action: TypeText[Point], element: Element | None, observation: Observation
) -> Iterable[ActionMeaning]:
    """What typing means: the kind of the field, what the text is, and the keys in it."""
    target = element
    if target is None and action.at is not None:
        target = context.at_point(action.at, observation)
    clicked = target if action.at is not None else None
    target = target or context.focused(observation)
    subject, box = str(target) if target else "where the focus is", target.box if target else None
    kind = context.field_kind(target, observation) if target else ""

    def reading(meaning: str, because: str = "") -> ActionMeaning:
        return ActionMeaning(meaning, subject, target, box, because)

    if clicked is not None and not context.editable(clicked):
        yield from touch(clicked, observation, "it is clicked first", sliding=clicked.role == "slider")
    if kind in ("password", "card"):
        yield reading(kind)
    elif _SECRET.search(action.text):
        yield reading("secret")
    if kind != "card" and any(context.is_card(match.group()) for match in _CARD_DIGITS.finditer(action.text)):
        yield reading("card", "the text is a card number")
    if kind == "address" or (target is None and addresses.carries_code(action.text)):
        yield from (replace(found, element=target, box=box) for found in addresses.visited(action.text))
    if context.is_terminal(target, observation.place):
        yield reading("terminal")
    else:
        effects = keyboard.in_text(action.text, target, observation)
        yield from keyboard_readings(effects, observation)


def keyboard_readings(
    effects: Iterable[keyboard.Effect], observation: Observation
) -> Iterable[ActionMeaning]:
    """The readings of what keys do: what they activate, or a meaning of their own."""
    for effect in effects:
        if effect.meaning:
            box = effect.element.box if effect.element is not None else None
            because, repeats = effect.because, effect.repeats
            yield ActionMeaning(effect.meaning, effect.subject, effect.element, box, because, repeats=repeats)
        elif effect.element is not None:
            yield from touch(effect.element, observation, effect.because)


def _texts(element: Element) -> tuple[str, ...]:
    attributes = element.attributes
    given = [element.name, element.value, element.description]
    given += [attributes.get(key, "") for key in ("title", "aria-label", "alt", "value")]
    given += "\n".join((element.does.get("said", ""), element.does.get("areas", ""))).split("\n")
    return tuple(dict.fromkeys(filter(None, given)))


def _known(meaning: str) -> str:
    return "submit-credentials" if meaning == "sign-in" else meaning


def _decides(name: str) -> bool:
    """Whether the word settles something, unlike Next or Done."""
    return not _DECIDING.isdisjoint(words.fold(name).split())
