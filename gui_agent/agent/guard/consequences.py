"""What a control and the form or dialog around it say that it does: words, icons, identifiers, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlsplit

from gui_agent.agent.guard import addresses, context, words
from gui_agent.agent.guard.context import PLAIN, ActionMeaning
from gui_agent.agent.guard.lexicon import fold, identifier_words
from gui_agent.core.observation import Element, Observation
from gui_agent.core.texts import shorten
from gui_agent.elements.fingerprints import label_for
from gui_agent.elements.roles import ALONE, ASKED, BOXES, INERT, LATCHING, PRESSED, ROWS, WORDY
from gui_agent.elements.text import CLAUSE_WORD, mixes_alphabets, names_a_sum, turns_direction

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
_SPEAKS = re.compile(
    r"/(?:help|docs?|articles?|blog|wiki|support|faq|news|guides?|kb|learn|questions?|manual)(?:/|$)"
)
"""Addresses of pages that speak of doing something."""
GENERAL = frozenset({"submit", "submit-credentials"})
"""Meanings that the form or dialog around may make graver."""
AT_ONCE = frozenset({"pay", "transfer", "delete", "publish", "share", "format", "unsubscribe", "sign"})
"""What a tick alone may do where no form keeps it for later."""
_FINAL = frozenset({"delete", "format", "unsubscribe"})
"""Meanings of a heading that also a word such as Continue below it settles."""
# fmt: off
_DECIDING = frozenset({
    "ok", "okay", "yes", "confirm", "proceed", "ja", "oui", "si", "sim", "tak", "да", "bestatigen",
    "bevestigen", "bevestig", "confirmer", "valider", "confirmar", "conferma", "procedi", "はい", "确定",
    "accept", "agree", "akzeptieren", "accepter", "aceptar", "aceitar", "accetta", "accepteren",
})
# fmt: on
"""Words of agreement that settle something, so that the text beside them counts."""


def touch(
    element: Element, observation: Observation, because: str = "", *, sliding: bool = False
) -> tuple[ActionMeaning, ...]:
    """What activating an element means."""
    if not element.name and element.role in LATCHING and element.source != "dom":
        element = replace(element, name=label_for(element, observation))
    said = tuple(spoken(element, observation, sliding))
    if GENERAL.issuperset(meaning for meaning, _ in said):
        said = tuple(dict.fromkeys((*said, *surrounded(element, observation))))
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
    foreign = next(
        (url for url in leads if addresses.scheme_of(url) not in (*addresses.SHOWN, *COMPOSES)), ""
    )
    if foreign:
        because = "a program of this machine takes its address"
        readings.append(ActionMeaning("unclear", str(element), element, element.box, because, url=foreign))
    if _RUNS.search(element.does.get("download", "")):
        readings.append(ActionMeaning("install", str(element), element, element.box, "its file can be run"))
    shown = (url for url in leads if addresses.scheme_of(url) in ("file", "view-source"))
    readings += [one for url in shown for one in addresses.visited(url) if one.file]
    if any(addresses.carries_code(url) for url in leads):
        code = ActionMeaning("script-address", str(element), element, element.box, url="javascript:")
        readings.append(code)
    return tuple(readings)


def spoken(element: Element, observation: Observation, sliding: bool = False) -> Iterable[tuple[str, str]]:
    """Meanings that the element itself tells: by its words, and by its icon."""
    if context.editable(element) or (
        element.role in INERT and not (sliding or context.acts_at_once(element))
    ):
        return
    if _ASKS_PERMISSION.search(element.attributes.get("package", "")) and not element.is_text:
        if not words.refuses(element.name) and not _DENIES.search(element.attributes.get("id", "")):
            yield "permission", "the phone asks whether an app may do this"
        return
    yield from _seen(element)
    yield from _grouped(element)
    if words.decides_alone(element.name) and element.role in ALONE and not _of_banner(element, observation):
        yield "sign", "it decides what somebody asked for"
    if element.role == "button" and not any(letter.isalpha() for letter in element.name):
        yield from ((known(one), "its description says so") for one in words.mentions(element.description))
    meanings = _worded(element)
    if element.role in BOXES:
        yield from ((meaning, "it acts at once") for meaning in at_once(element))
    if any(turns_direction(text) or mixes_alphabets(text) for text in _texts(element)):
        yield "unclear", "its text is not what it looks like"
    if sliding:
        yield from ((known(meaning), "it is slid") for meaning in words.mentions(element.name))
    for meaning in meanings:
        yield from _in_form(known(meaning), element, observation)
    if {"submit", "sign-in"}.issuperset(meanings) and not words.refuses(element.name):
        for meaning in context.icon_meanings(element):
            yield meaning, "its icon says so"
        yield from _programmed(element)


def _grouped(element: Element) -> Iterable[tuple[str, str]]:
    """What the group of options, entries or buttons is called that it is in."""
    group, name = element.does.get("group", ""), element.name
    leads = element.role == "button" and (words.refuses(name) or words.leads_on(name))
    if not (leads or words.is_topic(group)):
        for meaning in (*words.commands(group), *words.heading_means(group)):
            if meaning in AT_ONCE:
                yield meaning, f'it stands below "{shorten(group)}"'


def _of_banner(element: Element, observation: Observation) -> bool:
    """Whether what a button turns down or lets pass is a notice of the page, such as one about cookies."""
    said = element.does.get("question", "") or context.container_text(element, observation)
    return words.speaks_of_page(said or context.texts_around(element.box.center, observation, None, 160))


FEW_DRAWN = 9
"""Words on a canvas that stands for a control or a picture; one with more is a part of the program."""


def _seen(element: Element) -> Iterable[tuple[str, str]]:
    """What is painted over an element, or shines through it."""
    drawn = context.drawn(element) if "drawn" in element.does else ()
    shown_ = (*element.does.get("seen", "").split("\n"), *(drawn if len(drawn) <= FEW_DRAWN else ()))
    for text in filter(None, shown_):
        shown = words.leading(text) if words.word_count(text) > LINK_WORDS else words.commands(text)
        for meaning in (*shown, *words.icon_meanings(text if " " not in text else "")):
            yield known(meaning), f'"{shorten(text)}" is seen there'


def _programmed(element: Element) -> Iterable[tuple[str, str]]:
    """What the page's own program calls it: its identifiers, method and address."""
    does, name = element.does, element.name
    if does.get("method") == "delete":
        yield "delete", "the page sends a deletion"
    for meaning in words.mentions(does.get("confirm", "")):
        yield known(meaning), f'it asks "{shorten(does["confirm"])}"'
    link = does.get("link", "")
    acts = _path_acts(link)
    pressed = element.role in PRESSED or context.submits(element)
    if pressed and not (words.is_topic(name, leads="link" in does) or (link and "handles" not in does)):
        acts += tuple(does.get("acts", "").split("\n"))
    for act in acts:
        for meaning in words.leading(identifier_words(act)):
            if meaning in AT_ONCE:
                yield meaning, f'the page calls it "{shorten(act)}"'
    if element.role == "button" and not words.leads_on(name):
        if does.get("look") == "danger":
            yield "unclear", "it looks like what cannot be undone"
        if names_a_sum(name) and not _COMPARES.search(name):
            yield "pay", "it names a price"


def _path_acts(link: str) -> tuple[str, ...]:
    """The last part of an address that does something when it is followed, such as `/users/7/delete`."""
    path = urlsplit(link).path.rstrip("/").casefold()
    return () if not path or _SPEAKS.search(path) else (path.rpartition("/")[2],)


def by_itself(element: Element) -> bool:
    """Whether a list of a page acts as soon as it changes, with no form that keeps what is chosen."""
    return element.source == "dom" and "form" not in element.does and "handles" in element.does


def at_once(element: Element) -> Iterable[str]:
    """What the form or dialog around says of a box or list that acts as soon as it changes."""
    if "handles" in element.does:
        said = (*element.does.get("form", "").split("\n"), element.does.get("question", ""))
        asked = (text for text in said if not words.is_topic(text))
        found = [known(meaning) for text in asked for meaning in words.commands(text)]
        yield from (meaning for meaning in dict.fromkeys(found) if meaning in AT_ONCE)


def _worded(element: Element) -> tuple[str, ...]:
    """What the words on an element say that it does."""
    does, page = element.does, element.source == "dom"
    wordy = element.role in WORDY or element.role in INERT
    limit = _ROW_WORDS if element.role in ROWS else LINK_WORDS
    meanings: list[str] = []
    for text in _texts(element):
        if words.is_topic(text, leads=element.attributes.get("tag") == "a" or "haspopup" in element.states):
            continue
        if _is_title(element, text):
            continue
        if wordy and words.word_count(text) > limit:
            if page and (element.role not in ROWS or element.role == "option" or "handles" in does):
                meanings += words.commands(text) if words.insists(text) else words.leading(text)
            continue
        meanings += words.commands(text)
        if element.role in ALONE:
            meanings += filter(None, [words.alone(text)])
    if element.role in BOXES:
        meanings = [one for one in meanings if one in AT_ONCE]
    return tuple(dict.fromkeys(meanings))


def _is_title(element: Element, text: str) -> bool:
    """Whether a link is named by what its page is about: "Remove dead code from the parser"."""
    link = element.does.get("link", "")
    plain = element.role == "link" and link and "handles" not in element.does and "?" not in link
    return bool(plain and words.word_count(text) > 3 and not words.insists(text)) and not any(
        words.leading(identifier_words(act)) for act in _path_acts(link)
    )


def surrounded(element: Element, observation: Observation) -> Iterable[tuple[str, str]]:
    """Meanings that come from the dialog or form in which a word of agreement or a submit button stands."""
    waits = element.role in INERT and "submits" not in element.does
    if waits or context.editable(element) or element.role in ROWS:
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
    native = element.source != "dom"
    yield from (
        (meaning, f'it answers "{shorten(asked)}"') for meaning in _answered(asked, decides and native)
    )
    if agrees:
        yield from () if asked else _headed(element, observation)
        described = "\n".join((element.description, element.does.get("described", "")))
        yield from ((known(meaning), "its description says so") for meaning in words.mentions(described))
    yield from _sent_off(element, observation, sends, bool(asked))
    if not asked and decides and not context.has_container(element):
        beside = context.texts_around(element.box.center, observation, None, 160)
        paid = ("pay",) if names_a_sum(beside) else ()
        for meaning in (*words.mentions(beside), *paid) if not words.speaks_of_page(beside) else ():
            yield known(meaning), "the text beside it says so"


def _answered(asked: str, decides: bool) -> Iterable[str]:
    """What agreeing to a question means."""
    meanings, banner = words.mentions(asked), words.speaks_of_page(asked)
    yield from (known(one) for one in meanings if not (banner and one in ("share", "send", "publish")))
    if decides and not meanings and _QUESTION_MARK.search(asked) and not words.leads_on(asked):
        yield "unclear"
    if names_a_sum(asked) and not banner:
        yield "pay"


def _headed(element: Element, observation: Observation) -> Iterable[tuple[str, str]]:
    """What the headings of a page say that its last button settles, above all the next one above it."""
    headings = [one for one in observation.elements if one.role == "heading"]
    for heading in headings:
        for meaning in words.heading_means(heading.name):
            yield meaning, f'it stands below "{shorten(heading.name)}"'
    above = [one for one in headings if one.box.bottom <= element.box.top]
    title = above[-1].name if above and element.role == "button" else ""
    if title and not words.is_topic(title) and words.word_count(title) <= LINK_WORDS:
        lasting = AT_ONCE if _decides(element.name) else _FINAL
        for meaning in words.leading(title):
            if meaning in lasting:
                yield meaning, f'it stands below "{shorten(title)}"'


def _sent_off(
    element: Element, observation: Observation, sends: bool, asked: bool
) -> Iterable[tuple[str, str]]:
    """What the fields, the heading and the address of a form say that its button does."""
    fields = context.fields_with(element, observation)
    for field in fields.all:
        for meaning in words.commands(field.value) if field.role == "combobox" else ():
            yield known(meaning), f'"{field.value}" is chosen beside it'
    method, _, address = element.does.get("sends", "").partition(" ")
    named = _form_means(element, address) if method and "search" not in fields.kinds else ()
    if "card" in fields.kinds:
        yield "pay", "its form holds payment details"
    elif "password" in fields.kinds and (sends or not asked or element.source != "dom"):
        yield "submit-credentials", "its form holds a password"
    elif {"amount", "payee"} <= set(element.does.get("fields", "").split()):
        yield "transfer", "its form holds an amount and an account"
    elif named and (method == "post" or not words.leads_on(element.name)):
        for meaning in named:
            yield meaning, "its form says so"
    elif sends and "message" in fields.kinds and context.has_recipient(element, observation):
        yield "send", "its form holds a message"
    elif sends and (fields.all or "submits" in element.does) and "search" not in fields.kinds:
        yield "submit", "it sends its form off"


def _form_means(element: Element, address: str) -> tuple[str, ...]:
    """What the heading and the address of a form say that it does."""
    path = urlsplit(address).path.rstrip("/").split("/")
    texts = [*element.does.get("form", "").split("\n"), identifier_words(" ".join(path[-2:]))]
    found = [known(meaning) for text in texts if not words.is_topic(text) for meaning in words.commands(text)]
    found += [meaning for text in texts for meaning in words.heading_means(text)]
    sent = ("submit", "submit-credentials")
    return tuple(meaning for meaning in dict.fromkeys(found) if meaning not in sent)


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


def _texts(element: Element) -> tuple[str, ...]:
    attributes = element.attributes
    given = [element.name, element.value, element.description]
    given += [attributes.get(key, "") for key in ("title", "aria-label", "alt", "value")]
    given += "\n".join((element.does.get("said", ""), element.does.get("areas", ""))).split("\n")
    return tuple(dict.fromkeys(filter(None, given)))


def _decides(name: str) -> bool:
    """Whether the word settles something, unlike Next or Done."""
    return not _DECIDING.isdisjoint(CLAUSE_WORD.findall(fold(name)))


def known(meaning: str) -> str:
    return "submit-credentials" if meaning == "sign-in" else meaning
