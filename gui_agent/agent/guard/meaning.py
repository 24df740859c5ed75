"""Classifies what an action would mean, from its target and the context around it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from gui_agent.agent.guard import addresses, context, keyboard, words
from gui_agent.core.actions import Action, Hold, Open, Press, TypeText, Upload
from gui_agent.core.geometry import Box, Point
from gui_agent.core.observation import Element, Observation
from gui_agent.core.opening import Opening
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Found
from gui_agent.elements.roles import INERT, ROWS, WORDY

PLAIN, UNKNOWN = "plain", "unknown"
MEANINGS: Mapping[str, str] = {
    "script-address": "follow an address that carries code",
    "secret-file": "hand over a file that holds secrets",
    "destructive-command": "run a destructive command",
    "format": "wipe a disk or device",
    "pay": "order or pay",
    "transfer": "move money",
    "sign": "sign something",
    "delete": "delete something",
    "unsubscribe": "end a subscription or account",
    "publish": "publish something",
    "send": "send something",
    "share": "share something",
    "install": "install or run a program",
    "permission": "give an app a permission",
    "card": "type payment details",
    "password": "type into a password field",
    "secret": "type a secret into a field that shows it",
    "terminal": "run a command",
    "upload": "hand over a file",
    "unclear": "do something with an unknown effect",
    "settings": "open the browser's own pages",
    "submit-credentials": "sign in",
    "submit": "submit a form",
    UNKNOWN: "touch something unknown",
    PLAIN: "act",
}
"""What an action can mean, gravest first, and how a person would say it."""

HARMLESS = frozenset({"move", "scroll", "swipe", "back", "switch", "wait"})
"""Kinds of actions that only look around."""
_ASKS_PERMISSION = re.compile(r"\.(permissioncontroller|packageinstaller)$")
"""Packages of the parts of Android that ask whether an app may do something, or be installed."""
_DENIES = re.compile(r":id/permission_(deny|no_)")
_CARD_DIGITS = re.compile(r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)")
_SECRET = re.compile(r"\$\{secret:")
_LINK_WORDS, _ROW_WORDS = 5, 3
_DECIDING = frozenset(
    (
        *("ok", "okay", "yes", "confirm", "proceed", "ja", "oui", "si", "sim", "tak", "да", "bestatigen"),
        *(
            "bevestigen",
            "bevestig",
            "confirmer",
            "valider",
            "confirmar",
            "conferma",
            "procedi",
            "はい",
            "确定",
        ),
    )
)
"""Words of agreement that settle something, so that the text beside them counts."""


@dataclass(frozen=True, slots=True)
class ActionMeaning:
    """One thing an action would mean."""

    meaning: str
    subject: str
    """What is touched, in words."""
    element: Element | None = None
    box: Box | None = None
    because: str = ""
    """Why it means that, when the subject does not say it itself."""
    file: str = ""
    """The file, for uploads."""
    url: str = ""
    """The address, for what leads somewhere."""
    repeats: bool = False
    """Whether it does once more what was done already."""


def classify(
    action: Action,
    found: Mapping[str, Found],
    observation: Observation,
    opening: Callable[[str], Opening] | None = None,
) -> tuple[ActionMeaning, ...]:
    """Everything the action would mean, gravest first; never empty.

    Nothing is taken from the verb alone: a click means what its target does, Enter means what the
    default button does.

    Args:
        opening: tells what the device would do to open something; without it nobody knows.

    Raises:
        ActionFailed: there is no such key, or nothing to open.
    """
    if isinstance(action, Open):
        told = opening is not None and not addresses.carries_code(action.name)
        readings = [*_opened(action.name, opening(action.name) if opening and told else Opening("unknown"))]
    else:
        readings = [*_readings(action, found, observation)]
    readings = readings or [ActionMeaning(PLAIN, action.kind)]
    if any(reading.meaning != PLAIN for reading in readings):
        readings = [reading for reading in readings if reading.meaning != PLAIN or reading.url]
    order = list(MEANINGS)
    return tuple(sorted(dict.fromkeys(readings), key=lambda reading: order.index(reading.meaning)))


def _readings(
    action: Action, found: Mapping[str, Found], observation: Observation
) -> Iterable[ActionMeaning]:
    at = found.get("at")
    match action.kind:
        case "click" if action.button != "right":
            yield from _at_place(action.at, at, observation)
        case "check" if at is not None and at.element is not None and at.element.role == "switch":
            yield from touch(at.element, observation)
        case "drag":
            yield from _dropped(found.get("to"), observation)
        case "type":
            yield from _typed(action, at.element if at else None, observation)
        case "upload":
            yield from _uploaded(action)
        case "press" | "hold":
            yield from _pressed(action, observation)
        case "navigate":
            yield from _visited(action.url)
        case _:
            pass


def touch(element: Element, observation: Observation, because: str = "") -> tuple[ActionMeaning, ...]:
    """What activating an element means."""
    said = tuple(_spoken(element, observation)) or tuple(_surrounded(element, observation))
    url = element.attributes.get("href", "")
    return tuple(
        ActionMeaning(meaning, str(element), element, element.box, reason or because, url=url)
        for meaning, reason in said or ((PLAIN, ""),)
    )


def _at_place(point: Point, at: Found | None, observation: Observation) -> Iterable[ActionMeaning]:
    """What a click at a point means: the element that was meant, and what really lies there."""
    meant = at.element if at is not None else None
    there = context.at_point(point, observation)
    for element in dict.fromkeys(filter(None, (meant, there))):
        if not context.holds_others(element) or words.commands(element.name):
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


def _spoken(element: Element, observation: Observation) -> Iterable[tuple[str, str]]:
    """Meanings that the element itself tells, by its words or, when it has none, by its icon."""
    if element.role in INERT or context.editable(element):
        return
    if _ASKS_PERMISSION.search(element.attributes.get("package", "")) and not element.is_text:
        if not words.refuses(element.name) and not _DENIES.search(element.attributes.get("id", "")):
            yield "permission", "the phone asks whether an app may do this"
        return
    limit = _ROW_WORDS if element.role in ROWS else _LINK_WORDS
    wordy = element.role in WORDY
    meanings = [
        meaning
        for text in _texts(element)
        if not wordy or words.word_count(text) <= limit
        for meaning in words.commands(text)
    ]
    for meaning in meanings:
        yield from _in_form(_known(meaning), element, observation)
    if not meanings and not any(letter.isalpha() for letter in element.name):
        attributes = element.attributes
        names = [attributes.get(key, "") for key in ("class", "id", "icon", "src", "title", "alt", "href")]
        for meaning in words.icon_meanings(element.name, element.description, *names):
            yield meaning, "its icon says so"


def _surrounded(element: Element, observation: Observation) -> Iterable[tuple[str, str]]:
    """Meanings that come from the dialog or form in which a word of agreement or a submit button stands."""
    if element.role in INERT or context.editable(element) or element.role in ROWS:
        return
    agrees = words.agrees(element.name) or words.agrees(element.value)
    sends = context.submits(element) and not words.refuses(element.name)
    if not (agrees or sends):
        return
    asked = context.dialog_text(element, observation) if agrees else ""
    if not asked and agrees and _decides(element.name):
        asked = context.container_text(element, observation)
    for meaning in words.mentions(asked):
        yield _known(meaning), f'it answers "{shorten(asked)}"'
    fields = context.fields_with(element, observation)
    for field in fields.all:
        for meaning in words.commands(field.value) if field.role == "combobox" else ():
            yield _known(meaning), f'"{field.value}" is chosen beside it'
    if "card" in fields.kinds:
        yield "pay", "its form holds payment details"
    elif "password" in fields.kinds:
        yield "submit-credentials", "its form holds a password"
    elif sends and fields.all and "search" not in fields.kinds:
        yield "submit", "it sends its form off"
    if not asked and agrees and _decides(element.name) and not context.has_container(element):
        for meaning in words.mentions(context.texts_around(element.box.center, observation, None, 160)):
            yield _known(meaning), "the text beside it says so"


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
    elif meaning == "submit" and "message" in kinds and _has_recipient(element, observation):
        yield "send", "its form holds a message"
    elif meaning == "submit":
        yield "submit", ""


def _has_recipient(element: Element, observation: Observation) -> bool:
    fields = context.fields_with(element, observation).all
    return any(
        "email" in words.fold(f"{field.name} {field.attributes.get('type', '')}")
        or "recipient" in words.field_kinds(field.name)
        for field in fields
    )


def _dropped(to: Found | None, observation: Observation) -> Iterable[ActionMeaning]:
    """What dropping something on a place means, such as on the bin."""
    target = to and (to.element or context.at_point(to.point, observation))
    if not target:
        return
    names = (target.name, target.attributes.get("class", ""), target.attributes.get("id", ""))
    if "delete" in (*words.commands(target.name), *words.icon_meanings(*names)):
        yield ActionMeaning("delete", str(target), target, target.box, "it is dropped there")


def _typed(
    action: TypeText[Point], element: Element | None, observation: Observation
) -> Iterable[ActionMeaning]:
    """What typing means: the kind of the field, what the text is, and an Enter at its end."""
    target = element
    if target is None and action.at is not None:
        target = context.at_point(action.at, observation)
    target = target or context.focused(observation)
    subject, box = str(target) if target else "where the focus is", target.box if target else None
    kind = context.field_kind(target, observation) if target else ""

    def reading(meaning: str, because: str = "") -> ActionMeaning:
        return ActionMeaning(meaning, subject, target, box, because)

    if kind in ("password", "card"):
        yield reading(kind)
    elif _SECRET.search(action.text):
        yield reading("secret")
    if kind != "card" and any(_is_card(match.group()) for match in _CARD_DIGITS.finditer(action.text)):
        yield reading("card", "the text is a card number")
    if kind == "address" or (target is None and addresses.carries_code(action.text)):
        yield from (replace(found, element=target, box=box) for found in _visited(action.text))
    if context.is_terminal(target, observation.place):
        yield reading("terminal")
        if words.destroys(action.text):
            yield reading("destructive-command")
    elif target is not None and re.search(r"[\r\n]", action.text) and "multiline" not in target.states:
        yield from keyboard_readings(keyboard.on_enter(target, observation), observation)


def _uploaded(action: Upload[Point]) -> Iterable[ActionMeaning]:
    for file in action.files:
        yield ActionMeaning("upload", f"the file {file}", file=file)
        if addresses.holds_secret(file):
            yield ActionMeaning("secret-file", f"the file {file}", file=file)


def _pressed(action: Press | Hold, observation: Observation) -> Iterable[ActionMeaning]:
    """What a key means: it is judged as the click it stands for."""
    yield from keyboard_readings(keyboard.effects(action.keys, observation), observation)


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


def _visited(url: str) -> Iterable[ActionMeaning]:
    if addresses.carries_code(url):
        yield ActionMeaning("script-address", "the address", url=url)
    elif addresses.scheme_of(url) in addresses.INTERNAL:
        yield ActionMeaning("settings", f"the address {url}", url=url)
    else:
        yield ActionMeaning(PLAIN, f"the address {url}", url=url)


def _opened(name: str, opening: Opening) -> Iterable[ActionMeaning]:
    """What opening something means: what the device would start for it, or the address it would go to."""
    url = opening.url or (name if "://" in name or addresses.carries_code(name) else "")
    command = shlex.join(opening.command)
    if url:
        yield from _visited(url)
        if addresses.scheme_of(url) not in (*addresses.SHOWN, *addresses.INTERNAL):
            yield ActionMeaning("unclear", f"the address {url}", because="a program of this machine takes it")
    if opening.kind == "executable":
        yield ActionMeaning("install", f"the program {command or name}")
    elif opening.kind == "command":
        yield ActionMeaning("terminal", f"the command {command}")
    elif opening.kind == "unknown" and not url:
        yield ActionMeaning("unclear", name, because="nobody can tell what it would start")
    if opening.kind in ("executable", "command") and words.destroys(" ".join(opening.command)):
        yield ActionMeaning("destructive-command", f"the command {command}")


def _texts(element: Element) -> tuple[str, ...]:
    attributes = element.attributes
    given = [element.name, element.value, element.description]
    given += [attributes.get(key, "") for key in ("title", "aria-label", "alt", "value")]
    return tuple(dict.fromkeys(filter(None, given)))


def _known(meaning: str) -> str:
    return "submit-credentials" if meaning == "sign-in" else meaning


def _decides(name: str) -> bool:
    """Whether the word settles something, unlike Next or Done."""
    return not _DECIDING.isdisjoint(words.fold(name).split())


def _is_card(text: str) -> bool:
    """Whether the digits pass the check of payment card numbers (Luhn, ISO/IEC 7812-1)."""
    digits = [int(letter) for letter in reversed(text) if letter.isdigit()]
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return len(set(digits)) > 1 and (sum(digits[::2]) + doubled) % 10 == 0
