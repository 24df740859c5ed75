"""What activating a control would do, by the words, icons, identifiers and addresses on and around it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import product, repeat

from gui_agent.agent.guard import _context as context
from gui_agent.agent.guard import addresses, words
from gui_agent.agent.guard._lexicon import editable, fold
from gui_agent.agent.guard.fields import field_kind
from gui_agent.agent.guard.vocabulary import PLAIN, UNKNOWN, ActionMeaning, meaning_of_element
from gui_agent.core.actions import Choose
from gui_agent.core.observation import Box, Element, Observation, Point
from gui_agent.core.texts import ELLIPSES, shorten
from gui_agent.core.trajectory import Found
from gui_agent.elements import roles
from gui_agent.elements.roles import (
    BOXES,
    DIALOG_ANSWERS,
    INERT,
    LATCHING,
    ONE_WORD_COMMANDS,
    ROWS,
    SENTENCE_NAMED,
    word_set,
)
from gui_agent.elements.text import CLAUSE_WORD, names_a_sum, turns_direction
from gui_agent.scene import Scene

COMPOSES = ("mailto", "webcal", "geo")
"""Schemes of addresses that only open a draft or a view; `tel:` is missing because it dials at once."""
_RUNS = re.compile(
    r"\.(?:exe|msi|msix|bat|cmd|com|scr|ps1|vbs|jar|appimage|deb|rpm|dmg|pkg|apk|sh|run|desktop|hta|cpl|lnk|iso|xpi|crx)$",
    re.IGNORECASE,
)
"""Files that can be run or installed."""
_ASKS_PERMISSION = re.compile(r"\.(permissioncontroller|packageinstaller)$")
"""Android packages that ask whether an app may do something, or may be installed."""
_DENIES = re.compile(r":id/permission_(deny|no_)")
LINK_WORDS, _ROW_WORDS = 5, 3
"""Most words of a link, and of a row, that are read as a command; a longer text is a title."""
_BESIDE, _SPOT = 160, 20
"""How far (px) a text that a button confirms may be from it; and a text from a click on an unknown target."""
_QUESTION = 700
"""Longest question of a dialog, in characters; a longer text is part of the program."""
_QUESTION_MARK = re.compile(r"[?？;؟]\s*$", re.MULTILINE)
_COMPARES = re.compile(
    r"\b(?:under|over|from|to|up|below|above|between|than|save|unter|über|ab|bis|moins|plus)\b|[-–<>~+]",
    re.IGNORECASE,
)
"""A price on a button with one of these is a filter, not a payment."""
GENERAL = frozenset({"submit", "submit-credentials"})
"""Meanings that the surrounding form or dialog may make graver."""
AT_ONCE = frozenset({"pay", "transfer", "delete", "publish", "share", "format", "unsubscribe", "sign"})
"""What ticking a box alone may do, if no form keeps the tick for later."""
_KEEPING = word_set("save saved speichern gespeichert enregistrer guardar salvar salvare salva opslaan")
"""Words of a question whether to save something."""
_DECIDING = word_set(
    "ok okay yes confirm proceed ja oui si sim tak да bestatigen bevestigen bevestig confirmer valider "
    "confirmar conferma procedi はい 确定 accept agree akzeptieren accepter aceptar aceitar accetta "
    "accepteren"
)
"""Words of agreement that confirm something, so that the text beside them counts."""


def meanings_of_activating(
    element: Element, observation: Observation, because: str = "", *, sliding: bool = False
) -> Iterator[ActionMeaning]:
    """What activating an element would mean: by its words and icons, its surroundings, its addresses."""
    if not element.name and element.role in LATCHING and element.source != "dom":
        element = replace(element, name=Scene.from_screen(observation).label_of(element))
    said = [*meanings_of_label(element, sliding)]
    if GENERAL.issuperset(general := {meaning for meaning, _ in said}):
        said = [*meanings_of_surroundings(element, observation, general)]
    does = element.does
    sends = does.form.sends if context.submits(element) else ""
    addressed = [*filter(None, (does.link or element.attributes.get("href", ""), sends))]
    for (meaning, why), url in product(said or [(PLAIN, "")], addressed or [""]):
        yield meaning_of_element(meaning, element, why or because, url)
    for url in addressed:
        yield from _meanings_of_address(url, element)
    if _RUNS.search(does.download):
        yield meaning_of_element("install", element, "its file can be run")


def _meanings_of_address(url: str, element: Element) -> Iterator[ActionMeaning]:
    scheme = addresses.scheme_of(url)
    if scheme not in (*addresses.SHOWN, *COMPOSES):
        yield meaning_of_element("unclear", element, "another program handles its address", url)
    if scheme in ("file", "view-source"):
        yield from (one for one in addresses.meanings_of_visit(url) if one.file)


def meanings_of_label(element: Element, sliding: bool = False) -> Iterator[tuple[str, str]]:
    """Meanings that the element itself has, by its words and its icon."""
    if _only_takes_value(element, sliding):
        return
    if _ASKS_PERMISSION.search(element.attributes.get("package", "")) and not element.is_text:
        yield from _meanings_of_permission(element)
        return
    native = element.source != "dom"  # what a page does to other people is judged by its requests
    if native and words.decides_alone(element.name) and element.role in ONE_WORD_COMMANDS:
        yield "sign", "it decides about another person's request"
    if any(map(turns_direction, _texts(element))):
        yield "unclear", "its text is written to look like something else"
    if element.role == "button" and not words.has_letters(element.name):
        yield from zip(words.mentions(element.description), repeat("its description says so"))
    if sliding:
        yield from zip(words.mentions(element.name), repeat("it is dragged"))
    meanings = _meanings_of_words(element)
    if meanings and _opens_dialog(element):
        return
    yield from zip(meanings, repeat(""))
    if GENERAL.issuperset(meanings) and not words.refuses(element.name):
        yield from _meanings_of_signs(element)


def _only_takes_value(element: Element, sliding: bool) -> bool:
    """Whether an element only takes a value, which is judged when it is sent.

    A web page may send a tick at once. Inside an app's web view its request cannot be held, so its label
    counts.
    """
    sends = element.source == "webview" and element.role in BOXES and not element.does.form.words
    return editable(element) or (element.role in INERT and not (sliding or sends))


def _opens_dialog(element: Element) -> bool:
    """Whether an entry of a menu only opens a dialog, whose button then acts."""
    return element.role in roles.MENU_ITEMS and element.name.endswith(ELLIPSES)


def _meanings_of_permission(element: Element) -> Iterator[tuple[str, str]]:
    if not words.refuses(element.name) and not _DENIES.search(element.attributes.get("id", "")):
        yield "permission", "the phone asks whether an app may do this"


def _meanings_of_signs(element: Element) -> Iterator[tuple[str, str]]:
    """Meanings of a control's icon, or of a price on it (unless the price is a filter)."""
    for meaning in context.icon_meanings(element):
        yield meaning, "its icon says so"
    filters = _COMPARES.search(element.name) or words.leads_on(element.name)
    if element.role == "button" and names_a_sum(element.name) and not filters:
        yield "pay", "it names a price"


def _meanings_of_words(element: Element) -> dict[str, None]:
    leads = element.attributes.get("tag") == "a" or "haspopup" in element.states
    limit = _ROW_WORDS if element.role in ROWS else LINK_WORDS
    meanings: list[str] = []
    for text in _texts(element):
        is_title = element.role in SENTENCE_NAMED | INERT and words.word_count(text) > limit
        if is_title or words.is_topic(text, leads):
            continue
        meanings += words.commands(text)
        if element.role in ONE_WORD_COMMANDS and (meaning := words.one_word_meaning(text)):
            meanings.append(meaning)
    return dict.fromkeys(AT_ONCE.intersection(meanings) if element.role in BOXES else meanings)


def meanings_of_surroundings(
    element: Element, observation: Observation, general: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Meanings of the question or the fields around a word of agreement or a submit button."""
    if words.refuses(element.name) or words.refuses(element.value):
        return
    submits = context.submits(element)
    sends, fields = submits or "submit" in general, context.fields_with(element, observation)
    agrees, acts = False, bool(general) or not (editable(element) or element.role in INERT | ROWS)
    if acts:
        asked = "" if words.leads_on(element.name) else context.question_around(element, observation)
        agrees = _is_answer(element, asked, submits)
        yield from _meanings_of_agreeing(element, asked, observation) if agrees else ()
    if element.source == "dom":  # the requests that a press sends say what else it does
        yield from _meanings_of_submitting(sends, fields)
    elif acts and (agrees or general or sends):
        yield from _meanings_of_fields(element, fields, observation, sends)


def _is_answer(element: Element, asked: str, submits: bool) -> bool:
    """Whether a control agrees to the question around it, by its words or as one of its answers."""
    if words.agrees(element.name) or words.agrees(element.value):
        return True
    own = element.does.question if element.source == "dom" else asked
    return not submits and element.role in DIALOG_ANSWERS and 0 < len(own) <= _QUESTION


def _meanings_of_submitting(sends: bool, fields: context.FieldGroup) -> Iterator[tuple[str, str]]:
    if sends and "search" not in fields.kinds:
        yield "submit", "it sends its form"


def _meanings_of_agreeing(
    element: Element, asked: str, observation: Observation
) -> Iterator[tuple[str, str]]:
    """What an agreement confirms, by the question around it; in a picture alone, by the text beside it."""
    decides = not _DECIDING.isdisjoint(CLAUSE_WORD.findall(fold(element.name)))
    if not asked and decides and not element.path:
        asked = context.texts_around(element.box.center, observation, None, _BESIDE)
    meanings, asks = words.mentions(asked), len(asked) <= _QUESTION
    found = [one for one in meanings if asks or one not in ("share", "send", "publish")]
    if decides and not meanings and any(map(_is_open_question, asked.split("\n"))):
        found.append("unclear")
    found += ["pay"] if names_a_sum(asked) else []
    yield from ((meaning, f'it answers "{shorten(asked)}"') for meaning in found)


def _is_open_question(line: str) -> bool:
    """Whether a text asks something else than which view is meant, or whether to save."""
    saves = not _KEEPING.isdisjoint(CLAUSE_WORD.findall(fold(line)))
    return bool(_QUESTION_MARK.search(line)) and not saves and not words.leads_on(line)


def _meanings_of_fields(
    element: Element, fields: context.FieldGroup, observation: Observation, sends: bool
) -> Iterator[tuple[str, str]]:
    """Meanings of the fields that are sent together with a control."""
    for field in fields.all:
        for meaning in words.commands(field.value) if field.role == "combobox" else ():
            yield meaning, f'"{field.value}" is selected beside it'
    if "card" in fields.kinds:
        yield "pay", "its form holds payment details"
    elif "password" in fields.kinds:
        yield "submit-credentials", "its form holds a password"
    elif sends and "message" in fields.kinds and context.has_recipient(element, observation):
        yield "send", "its form holds a message"
    else:
        yield from _meanings_of_submitting(sends, fields)


def _texts(element: Element) -> dict[str, None]:
    return dict.fromkeys(filter(None, (*element.texts, *element.does.said, *element.does.areas)))


def meanings_of_drag(at: Found | None, to: Found | None, observation: Observation) -> Iterator[ActionMeaning]:
    """What dragging one thing onto another would mean."""
    source, target = (
        spot and (spot.element or context.at_point(spot.point, observation)) for spot in (at, to)
    )
    if source:
        yield from meanings_of_sliding(source, observation)
    if target and not editable(target):
        for meaning, _ in meanings_of_label(replace(target, role="button")):
            yield meaning_of_element(meaning, target, "it is dropped there")


def meanings_of_sliding(source: Element, observation: Observation) -> Iterator[ActionMeaning]:
    for one in context.elements_slid(source, observation):
        yield from meanings_of_activating(one, observation, "it is dragged")
    if source.role in roles.DRAG_ACTIVATED:
        yield from meanings_of_activating(source, observation, sliding=True)


def meanings_at_place(
    point: Point, meant: Element | None, observation: Observation
) -> Iterator[ActionMeaning]:
    """What a click at a point would mean, by the intended element and by what lies at the point."""
    there = context.at_point(point, observation)
    for element in dict.fromkeys(filter(None, (meant, there))):
        if not context.holds_others(element) or element.does.areas or words.commands(element.name):
            yield from meanings_of_activating(element, observation)
    if there is None or (context.holds_others(there) and meant in (None, there)):
        yield from _meanings_at_unknown_place(point, there, observation)


def _meanings_at_unknown_place(
    point: Point, there: Element | None, observation: Observation
) -> Iterator[ActionMeaning]:
    subject, spot = f"the place ({point.x}, {point.y})", Box(point.x, point.y, 0, 0).grow(_SPOT)
    within = there.box if there is not None else None
    for line in context.texts_around(point, observation, within).split("\n"):
        for meaning in words.commands(line) if words.word_count(line) <= LINK_WORDS else ():
            yield ActionMeaning(meaning, subject, because=f'the text there is "{line}"', spot=spot)
    yield ActionMeaning(UNKNOWN, subject, because="no known element is there", spot=spot)


def meanings_of_choice(
    action: Choose[Point], element: Element | None, observation: Observation
) -> Iterator[ActionMeaning]:
    if element is not None and not (editable(element) or element.role in roles.UNFOLDS):
        yield from meanings_of_activating(element, observation)
    if element is not None and field_kind(element, observation) == "password":
        yield meaning_of_element("password", element)
    for meaning in words.leading_commands(action.option):
        yield ActionMeaning(meaning, f'option "{action.option}"', element)
