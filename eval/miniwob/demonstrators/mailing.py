"""An inbox: find the mail of a person, then mark, delete, answer or forward it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from demonstrators.script import NotSeen, Script
from demonstrators.seeing import click, fill, like, named, nth, of_class, only_list, quoted, scroll, those
from gui_agent.core.observation import Element, Observation
from gui_agent.core.trajectory import Trajectory

NAME = r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
_ORDINARY = """
    Can Could Would Will Please Find Locate Look Search Open Forward Foward Send Resend Give Make
    Remind Delete Remove Trash Get Put Star Mark Save Reply Respond Answer Tell Write Email Message Inbox
    In My The There This To I Take Let Use Go
    """
ORDINARY = frozenset(_ORDINARY.split())
"""Capitalised words that are no names."""
SENDERS = (
    rf"\b(?:by|from|of)\s+({NAME})",
    rf"({NAME}) (?:wrote|sent|has sent|wants his or her)",
    rf"({NAME})(?:'s)? (?:last |latest )?(?:e-?mail|message|mail)",
)
RECIPIENTS = (
    rf"\b(?:[Tt]o|for)\s+({NAME})",
    rf"({NAME}) (?:wants|is waiting|needs)",
    rf"^(?:Please )?(?:[Gg]ive|[Ss]end|[Ff]orward|[Ee]mail)\s+({NAME})\b(?!'s)",
)
WHOLE = 30
"""Minimum height in pixels of a row that is wholly in sight."""


@dataclass(frozen=True, slots=True)
class Errand:
    """The wanted action, and whose mail it is about."""

    kind: str
    """star, trash, reply or forward."""
    sender: str
    recipient: str = ""
    text: str = ""


def understood(task: str) -> Errand:
    """The errand in an instruction in everyday words.

    Raises:
        NotSeen: the instruction names no person.
    """
    text = (quoted(task) or [""])[0]
    words = re.sub(r'".*"', "", task)
    names = [name for name in re.findall(rf"\b{NAME}", words) if name not in ORDINARY]
    kind = _kind(words, text)
    if kind != "forward":
        return Errand(kind, _first(SENDERS, words, names) or _other(names), text=text)
    sender, recipient = _first(SENDERS, words, names), _first(RECIPIENTS, words, names)
    if sender == recipient:
        sender = ""
    others = [name for name in names if name not in (sender, recipient)]
    return Errand(kind, sender or _other(others), recipient or _other(others))


def errand(task: str, screen: Observation) -> Script:
    """Find the mail, scrolling as far as needed, and do the errand."""
    asked = understood(task)
    row = _row(screen, asked.sender)
    while row is None:
        screen = yield scroll(only_list(screen), 100)
        row = _row(screen, asked.sender)
    if asked.kind in ("star", "trash"):
        icons = of_class(screen, asked.kind)
        yield click(like(screen, lambda one: one in icons and row.box.encloses(one.box), asked.kind))
        return
    screen = yield click(named(screen, _sender(screen, row), "text"))
    screen = yield click(named(screen, asked.kind.title(), "text"))
    if asked.kind == "reply":
        screen = yield fill(nth(those(screen, "textbox"), 1), asked.text)
    else:
        screen = yield fill(nth(those(screen, "textbox"), 1), asked.recipient)
    yield click(nth(_icons(screen, "send"), 1, "send"))


def errand_kind(shown: Trajectory) -> str:
    """The kind of errand."""
    return understood(shown.task.text).kind


def _sender(screen: Observation, row: Element) -> str:
    """The sender of the mail in this row."""
    return next(text.name for text in those(screen, "text") if row.box.encloses(text.box))


def _row(screen: Observation, sender: str) -> Element | None:
    """The row of a sender, if it is wholly in sight."""
    for row in of_class(screen, "email-thread"):
        if row.box.height >= WHOLE and _sender(screen, row) in (sender, sender.removesuffix("s")):
            return row
    return None


def _icons(screen: Observation, word: str) -> list[Element]:
    return [
        element
        for element in screen.elements
        if word
        in f"{element.attributes.get('class', '')} {element.attributes.get('id', '')} {element.name}".lower()
    ]


def _kind(words: str, text: str) -> str:
    if text:
        return "reply"
    if re.search(r"delete|trash|\brid\b|recycl|\bbin\b|remove|garbage|erase", words, re.I):
        return "trash"
    if re.search(r"star\b|important|starred", words, re.I):
        return "star"
    return "forward"


def _other(names: list[str]) -> str:
    if not names:
        raise NotSeen("the instruction names no person")
    return names[0]


def _first(patterns: tuple[str, ...], words: str, names: list[str]) -> str:
    """The first of the names that the patterns match; empty if there is none."""
    for pattern in patterns:
        for found in re.findall(pattern, words):
            if found in names:
                return str(found)
    return ""
