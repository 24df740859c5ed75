"""What a request shows, read back from its texts: the elements on the screen and the outcomes of steps."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from gui_agent.elements.roles import PASSIVE

_MARK = re.compile(r"(?:^|(?<= \| )|(?<=: ))\[(\d+)\](?!, \[)\*?\s")
_CONTROL = re.compile(r'([a-z]+)(?: "(.*?)")?(?: for "(.*?)")?(?= \(| = | at the point| options|: ?\[|$)')
_FAR = "\nOut of sight: "
_AGAIN = re.compile(r"\[(\d+)\] to \[(\d+)\] as(?: \[(\d+)\] to \[\d+\])? before")


@dataclass(frozen=True)
class ListedItem:
    """Something on the list of a request, and the line in which it stands."""

    mark: int
    """0 if it is out of sight, and has only words."""
    role: str
    name: str
    line: str

    @property
    def target(self) -> dict[str, Any]:
        """How an action points at it."""
        return {"mark": self.mark} if self.mark else {"text": self.name, "role": self.role}


def texts(body: Mapping[str, Any]) -> list[str]:
    """The texts of a request in the chat format, in order."""
    found: list[str] = []
    for message in body["messages"]:
        content = message.get("content") or ""
        parts = [{"text": content}] if isinstance(content, str) else content
        found += [str(part["text"]) for part in parts if "text" in part]
    return found


def items_on_screen(said: Sequence[str]) -> list[ListedItem]:
    """The elements on the last screen; lines that are `as before` are taken from the screens before.

    Those out of sight come last, with the mark 0.
    """
    known: dict[int, ListedItem] = {}
    now: dict[int, ListedItem] = {}
    far: list[tuple[str, str]] = []
    for text in said:
        for shown in text.split("⟦screen")[1:]:
            screen = shown.partition("/screen⟧")[0]
            now = _items_of(screen.splitlines(), now, known)
            known |= now
            far = re.findall(r'(\w+) "([^"]+)"', screen.partition(_FAR)[2])
    return [*now.values(), *(ListedItem(0, *words, "") for words in far)]


def _items_of(
    lines: Sequence[str], before: Mapping[int, ListedItem], known: Mapping[int, ListedItem]
) -> dict[int, ListedItem]:
    """The items in these lines in order; `as before` means the screen before, or a page that is back."""
    now: dict[int, ListedItem] = {}
    order = [*before]
    for line in lines:
        if again := _AGAIN.match(line):
            shift = int(again[1]) - int(again[3] or again[1])
            first, last = int(again[1]) - shift, int(again[2]) - shift
            marks = [mark for mark in known if first <= mark <= last]
            if first in before and last in before:
                marks = order[order.index(first) : order.index(last) + 1]
            now |= {mark + shift: replace(known[mark], mark=mark + shift) for mark in marks}
        elif line.startswith("["):
            starts = [(one.start(), one.end(), int(one[1])) for one in _MARK.finditer(line)]
            label = ""
            for (_, begin, mark), (end, *_) in pairwise([*starts, (len(line), 0, 0)]):
                one = _item(mark, line[begin:end], line)
                now[mark] = replace(one, name=label) if label and one.name in ("", one.role) else one
                label = one.name if line[begin:end].endswith(": ") else ""
    return now


def _item(mark: int, told: str, line: str) -> ListedItem:
    told = told.removesuffix(" | ").removesuffix(": ")
    control = _CONTROL.match(told)
    # The list shows a text without a role; one small word may be either.
    role, name = (control[1], control[2] or control[3] or "") if control else ("text", told)
    return ListedItem(mark, role, name.replace('\\"', '"') or (told if told == role else ""), line)


def find(listed: Sequence[ListedItem], words: str, roles: Collection[str] = ()) -> ListedItem | None:
    """The element that the words of a way mean; None if nothing that is listed fits."""
    words, _, row = words.partition(" @ ")
    if role := re.match(r"([a-z]+):(?=.)", words):
        roles, words = (role[1],), words[role.end() :]
    fits = [one for one in listed if (not roles or one.role in roles) and row in one.line]
    if re.fullmatch(r"#-?\d+", words):
        place = int(words[1:])
        return fits[place - (place > 0)] if fits and -len(fits) <= place <= len(fits) else None
    wanted = _plain(words)
    exact = [one for one in fits if _plain(one.name) == wanted]
    near = [one for one in fits if wanted and wanted in _plain(one.name)]
    return min(exact or near, key=lambda one: (not one.mark, one.role in PASSIVE), default=None)


def _plain(name: str) -> str:
    return " ".join(name.casefold().rstrip(" :*").split())


def outcomes(said: Sequence[str], of: str = "outcome") -> list[str]:
    """The lines on the last steps, or on those in the `history`."""
    told = next((text for text in reversed(said) if f"⟦{of}" in text), "")
    return re.findall(r"^\d+\. .*", told.rpartition(f"⟦{of}")[2].partition(f"/{of}⟧")[0], re.MULTILINE)


def is_refused(line: str) -> bool:
    """Whether a step has to be done again; keys may well show nothing."""
    return "FAILED" in line or "NOT as expected" in line
