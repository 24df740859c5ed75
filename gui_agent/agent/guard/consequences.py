"""What a control and the form or dialog around it say that it does: words, icons, identifiers, addresses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from gui_agent.agent.guard import addresses, context, words
from gui_agent.agent.guard.fields import field_kind
from gui_agent.agent.guard.lexicon import editable, fold
from gui_agent.agent.guard.vocabulary import PLAIN, UNKNOWN, ActionMeaning
from gui_agent.core.actions import Choose
from gui_agent.core.observation import Box, Element, Observation, Point
from gui_agent.core.texts import shorten
from gui_agent.core.trajectory import Found
from gui_agent.elements import roles
from gui_agent.elements.roles import ALONE, ASKED, BOXES, INERT, LATCHING, ROWS, WORDY, word_set
from gui_agent.elements.text import CLAUSE_WORD, names_a_sum, turns_direction
from gui_agent.scene import Scene

COMPOSES = ("mailto", "webcal", "geo")
"""Schemes of addresses that only open something to write or look at; a call is made at once."""
_RUNS = re.compile(
    r"\.(?:exe|msi|msix|bat|cmd|com|scr|ps1|vbs|jar|appimage|deb|rpm|dmg|pkg|apk|sh|run|desktop|hta|cpl|lnk|iso|xpi|crx)$",
    re.IGNORECASE,
)
"""Files that can be run or installed."""
_ASKS_PERMISSION = re.compile(r"\.(permissioncontroller|packageinstaller)$")
"""Packages of the parts of Android that ask whether an app may do something, or be installed."""
_DENIES = re.compile(r":id/permission_(deny|no_)")
LINK_WORDS, _ROW_WORDS = 5, 3
_QUESTION = 700
"""Letters of a dialog that asks something; one with more is a part of the program."""
_QUESTION_MARK = re.compile(r"[?？;؟]\s*$", re.MULTILINE)
_COMPARES = re.compile(
    r"\b(?:under|over|from|to|up|below|above|between|than|save|unter|über|ab|bis|moins|plus)\b|[-–<>~+]",
    re.IGNORECASE,
)
"""What makes a price on a button one to filter by."""
GENERAL = frozenset({"submit", "submit-credentials"})
"""Meanings that the form or dialog around may make graver."""
AT_ONCE = frozenset({"pay", "transfer", "delete", "publish", "share", "format", "unsubscribe", "sign"})
"""What a tick alone may do where no form keeps it for later."""
_FINAL = frozenset({"delete", "format", "unsubscribe"})
"""Meanings of a heading that also a word such as Continue below it settles."""
_DECIDING = word_set(
    "ok okay yes confirm proceed ja oui si sim tak да bestatigen bevestigen bevestig confirmer valider "
    "confirmar conferma procedi はい 确定 accept agree akzeptieren accepter aceptar aceitar accetta "
    "accepteren"
)
"""Words of agreement that settle something, so that the text beside them counts."""


def touch(
    element: Element, observation: Observation, because: str = "", *, sliding: bool = False
) -> tuple[ActionMeaning, ...]:
    if not element.name and element.role in LATCHING and element.source != "dom":
        element = replace(element, name=Scene.of(observation).label_of(element))
    said = [*meanings_of_label(element, sliding)]
    if GENERAL.issuperset(general := {meaning for meaning, _ in said}):
        said = [*meanings_of_surroundings(element, observation, general)]
    does = element.does
    leads = [does.link or element.attributes.get("href", "")]
    leads += [does.form.sends] if context.submits(element) else []
    leads = [url for url in leads if url]

    def reading(meaning: str, why: str = "", url: str = "") -> ActionMeaning:
        return ActionMeaning(meaning, str(element), element, element.box, why, url=url)

    readings = [
        reading(meaning, why or because, url)
        for meaning, why in said or [(PLAIN, "")]
        for url in leads or [""]
    ]
    for url in leads:
        scheme = addresses.scheme_of(url)
        if scheme not in (*addresses.SHOWN, *COMPOSES):
            readings.append(reading("unclear", "a program of this machine takes its address", url))
        if scheme in ("file", "view-source"):
            readings += (one for one in addresses.meanings_of_visit(url) if one.file)
        if addresses.carries_code(url):
            readings.append(reading("script-address", url="javascript:"))
    if _RUNS.search(does.download):
        readings.append(reading("install", "its file can be run"))
    return tuple(readings)


def meanings_of_label(element: Element, sliding: bool = False) -> Iterable[tuple[str, str]]:
    """Meanings that the element itself tells: by its words, and by its icon."""
    # A page sends at once what is ticked in it; only where no gate holds that, the label has to tell.
    sends = element.source == "webview" and element.role in BOXES and not element.does.form.words
    if editable(element) or (element.role in INERT and not (sliding or sends)):
        return
    if _ASKS_PERMISSION.search(element.attributes.get("package", "")) and not element.is_text:
        if not words.refuses(element.name) and not _DENIES.search(element.attributes.get("id", "")):
            yield "permission", "the phone asks whether an app may do this"
        return
    native = element.source != "dom"  # what a page does to others is judged where it leaves the browser
    if native and words.decides_alone(element.name) and element.role in ALONE:
        yield "sign", "it decides what somebody asked for"
    if element.role == "button" and not any(letter.isalpha() for letter in element.name):
        yield from ((one, "its description says so") for one in words.mentions(element.description))
    meanings = _meanings_of_words(element)
    if any(turns_direction(text) for text in _texts(element)):
        yield "unclear", "its text is not what it looks like"
    if sliding:
        yield from ((meaning, "it is slid") for meaning in words.mentions(element.name))
    yield from ((meaning, "") for meaning in meanings)
    if GENERAL.issuperset(meanings) and not words.refuses(element.name):
        for meaning in context.icon_meanings(element):
            yield meaning, "its icon says so"
        named = "" if _COMPARES.search(element.name) or words.leads_on(element.name) else element.name
        if element.role == "button" and names_a_sum(named):
            yield "pay", "it names a price"


def _meanings_of_words(element: Element) -> tuple[str, ...]:
    wordy = element.role in WORDY or element.role in INERT
    link = element.does.link
    titled = element.role == "link" and link and "?" not in link
    limit = _ROW_WORDS if element.role in ROWS or titled else LINK_WORDS
    meanings: list[str] = []
    for text in _texts(element):
        if words.is_topic(text, leads=element.attributes.get("tag") == "a" or "haspopup" in element.states):
            continue
        if wordy and words.word_count(text) > limit:
            # A request for a page may change something that its address does not tell.
            meanings += words.leading(text) if link and not titled else ()
            continue
        meanings += words.commands(text)
        if element.role in ALONE:
            meanings += filter(None, [words.alone(text)])
    if element.role in BOXES:
        meanings = [one for one in meanings if one in AT_ONCE]
    return tuple(dict.fromkeys(meanings))


def meanings_of_surroundings(
    element: Element, observation: Observation, general: Collection[str] = ()
) -> Iterable[tuple[str, str]]:
    """Meanings of the dialog or form in which a word of agreement or a submit button stands."""
    waits = element.role in INERT and not element.does.form.submits
    if not general and (waits or editable(element) or element.role in ROWS):
        return
    if words.refuses(element.name) or words.refuses(element.value):
        return
    agrees = words.agrees(element.name) or words.agrees(element.value)
    sends = context.submits(element)
    question = element.does.question or context.asks(element, observation)
    if question and not agrees and not sends:
        # A dialog that asks is answered by whatever does not just lead on, in any words.
        agrees = (
            len(question) <= _QUESTION
            and element.role in ASKED
            and not (element.does.link or words.leads_on(element.name) or "haspopup" in element.states)
        )
    if not (agrees or sends or general):
        return
    asked = context.dialog_text(element, observation) if agrees else ""
    decides = agrees and _decides(element.name)
    if not asked and decides:
        asked = context.container_text(element, observation)
    native = element.source != "dom"
    yield from (
        (meaning, f'it answers "{shorten(asked)}"')
        for meaning in _meanings_of_agreeing(asked, decides, native)
    )
    if agrees:
        yield from () if asked else _meanings_of_headings(element, observation)
    yield from _sent_off(element, observation, sends, "submit" in general)
    if not asked and decides and not context.has_container(element):
        beside = context.texts_around(element.box.center, observation, None, 160)
        paid = ("pay",) if names_a_sum(beside) else ()
        for meaning in (*words.mentions(beside), *paid):
            yield meaning, "the text beside it says so"


def _meanings_of_agreeing(asked: str, decides: bool, native: bool) -> Iterable[str]:
    meanings, asks = words.mentions(asked), native and len(asked) <= _QUESTION
    yield from (one for one in meanings if asks or one not in ("share", "send", "publish"))
    if native and decides and not meanings and _QUESTION_MARK.search(asked) and not words.leads_on(asked):
        yield "unclear"
    if names_a_sum(asked):
        yield "pay"


def _meanings_of_headings(element: Element, observation: Observation) -> Iterable[tuple[str, str]]:
    """What the headings of a page say that its last button settles, above all the next one above it."""
    headings = [one for one in observation.elements if one.role == "heading"]
    for heading in headings:
        for meaning in words.heading_means(heading.name):
            yield meaning, f'it stands below "{shorten(heading.name)}"'
    above = [one for one in headings if one.box.is_above(element.box)]
    title = above[-1].name if above and element.role == "button" else ""
    if title and not words.is_topic(title) and words.word_count(title) <= LINK_WORDS:
        lasting = AT_ONCE if _decides(element.name) else _FINAL
        for meaning in words.leading(title):
            if meaning in lasting:
                yield meaning, f'it stands below "{shorten(title)}"'


def _sent_off(
    element: Element, observation: Observation, sends: bool, submits: bool
) -> Iterable[tuple[str, str]]:
    """What the fields sent together with a control make of it, whether its form or its label says so."""
    fields = context.fields_with(element, observation)
    for field in fields.all:
        for meaning in words.commands(field.value) if field.role == "combobox" else ():
            yield meaning, f'"{field.value}" is chosen beside it'
    if "card" in fields.kinds:
        yield "pay", "its form holds payment details"
    elif "password" in fields.kinds:
        yield "submit-credentials", "its form holds a password"
    elif (sends or submits) and "message" in fields.kinds and context.has_recipient(element, observation):
        yield "send", "its form holds a message"
    elif submits:
        yield "submit", ""
    elif sends and (fields.all or element.does.form.submits) and "search" not in fields.kinds:
        yield "submit", "it sends its form off"


def _texts(element: Element) -> tuple[str, ...]:
    given = (element.name, element.value, element.description, *element.does.said, *element.does.areas)
    return tuple(dict.fromkeys(filter(None, given)))


def _decides(name: str) -> bool:
    return not _DECIDING.isdisjoint(CLAUSE_WORD.findall(fold(name)))


def meanings_of_drag(at: Found | None, to: Found | None, observation: Observation) -> Iterable[ActionMeaning]:
    source = at and (at.element or context.at_point(at.point, observation))
    if source:
        yield from meanings_of_sliding(source, observation)
    yield from _meanings_of_drop(to, observation)


def meanings_of_sliding(source: Element, observation: Observation) -> Iterable[ActionMeaning]:
    for one in context.elements_slid(source, observation):
        yield from touch(one, observation, "it is slid")
    if source.role in roles.SLID:
        yield from touch(source, observation, sliding=True)


def meanings_at_place(point: Point, at: Found | None, observation: Observation) -> Iterable[ActionMeaning]:
    meant = at.element if at is not None else None
    there = context.at_point(point, observation)
    for element in dict.fromkeys(filter(None, (meant, there))):
        if not context.holds_others(element) or element.does.areas or words.commands(element.name):
            yield from touch(element, observation)
    if there is None or (context.holds_others(there) and meant in (None, there)):
        yield from _unknown(point, there, observation)


def _unknown(point: Point, there: Element | None, observation: Observation) -> Iterable[ActionMeaning]:
    subject, box = f"the place ({point.x}, {point.y})", Box(point.x - 20, point.y - 20, 40, 40)
    within = there.box if there is not None else None
    for line in context.texts_around(point, observation, within).split("\n"):
        for meaning in words.commands(line) if words.word_count(line) <= LINK_WORDS else ():
            yield ActionMeaning(meaning, subject, None, box, f'"{line}" stands there')
    yield ActionMeaning(UNKNOWN, subject, None, box, "no known element lies there")


def _meanings_of_drop(to: Found | None, observation: Observation) -> Iterable[ActionMeaning]:
    target = to and (to.element or context.at_point(to.point, observation))
    if not target or editable(target):
        return
    for meaning, _ in meanings_of_label(replace(target, role="button")):
        yield ActionMeaning(meaning, str(target), target, target.box, "it is dropped there")


def meanings_of_choice(
    action: Choose[Point], at: Found | None, observation: Observation
) -> Iterable[ActionMeaning]:
    element = at.element if at is not None else None
    box = element.box if element is not None else None
    if element is not None and not (editable(element) or element.role in roles.UNFOLDS):
        yield from touch(element, observation)
    if element is not None and field_kind(element, observation) == "password":
        yield ActionMeaning("password", str(element), element, box)
    for meaning in words.leading(action.option):
        yield ActionMeaning(meaning, f'option "{action.option}"', element, box)
