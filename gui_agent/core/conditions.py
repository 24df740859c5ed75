"""Typed statements about a screen: the expected effect of an action, or when a task is done.

Conditions are data like actions, generic in how an element is named. `holds` decides them in code.
"""

from __future__ import annotations

import fnmatch
import html
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeAlias, TypeVar

from gui_agent.core.observation import BY_KIND, Element, Observation, Strict
from gui_agent.core.os_errors import user_path
from gui_agent.core.texts import normal, without_spaces

_LETTER = "[a-z\u00df-\u0dff]"
"""A letter of a script with spaces between words, in normal text."""
P_co = TypeVar("P_co", covariant=True)
Q = TypeVar("Q")


@dataclass(frozen=True, slots=True)
class TextShown(Strict):
    """The text is on the screen (case and spacing do not matter)."""

    text: str
    kind: Literal["text_shown"] = field(default="text_shown", kw_only=True, repr=False)

    def __str__(self) -> str:
        return f'"{self.text}" is shown'


@dataclass(frozen=True, slots=True)
class TextGone(Strict):
    """The text is not on the screen."""

    text: str
    kind: Literal["text_gone"] = field(default="text_gone", kw_only=True, repr=False)

    def __str__(self) -> str:
        return f'"{self.text}" is no longer shown'


@dataclass(frozen=True, slots=True)
class Shown(Strict, Generic[P_co]):
    """The element is on the screen (`on` false: it is not)."""

    of: P_co
    on: bool = True
    kind: Literal["shown"] = field(default="shown", kw_only=True, repr=False)

    def __str__(self) -> str:
        return f"{self.of} is {'shown' if self.on else 'gone'}"


@dataclass(frozen=True, slots=True)
class ValueIs(Strict, Generic[P_co]):
    """The field holds this value."""

    of: P_co
    value: str
    kind: Literal["value_is"] = field(default="value_is", kw_only=True, repr=False)

    def __str__(self) -> str:
        return f'{self.of} holds "{self.value}"'


@dataclass(frozen=True, slots=True)
class StateIs(Strict, Generic[P_co]):
    """The element has this state, such as `checked` (`on` false: it has not)."""

    of: P_co
    state: str
    on: bool = True
    kind: Literal["state_is"] = field(default="state_is", kw_only=True, repr=False)

    def __str__(self) -> str:
        return f"{self.of} is {'' if self.on else 'not '}{self.state}"


@dataclass(frozen=True, slots=True)
class UrlIs(Strict):
    """The address fits the pattern; `*` stands for anything."""

    pattern: str
    kind: Literal["url_is"] = field(default="url_is", kw_only=True, repr=False)

    def __str__(self) -> str:
        return f"the address is {self.pattern}"


@dataclass(frozen=True, slots=True)
class TitleIs(Strict):
    """The title of the window or page fits the pattern."""

    pattern: str
    kind: Literal["title_is"] = field(default="title_is", kw_only=True, repr=False)

    def __str__(self) -> str:
        return f'the title is "{self.pattern}"'


@dataclass(frozen=True, slots=True)
class FileExists(Strict):
    """The file exists on this machine, and has `text` in it."""

    path: str
    text: str = ""
    kind: Literal["file_exists"] = field(default="file_exists", kw_only=True, repr=False)

    def __str__(self) -> str:
        return f'the file {self.path} holds "{self.text}"' if self.text else f"the file {self.path} exists"


Condition: TypeAlias = Annotated[
    Shown[P_co] | ValueIs[P_co] | StateIs[P_co] | TextShown | TextGone | UrlIs | TitleIs | FileExists, BY_KIND
]


def _has_words(text: str, wanted: str) -> bool:
    """Whether a text contains another (both normal), beginning at the start of a word, with numbers whole.

    `saved` is not in `unsaved`, nor `250` in `1,250` or `250.5`; scripts without spaces have no word borders.
    """
    if not wanted or wanted not in text:
        return not wanted
    before = r"(?<!\d[.,])(?<!\d)" if wanted[0].isdecimal() else ""
    before += f"(?<!{_LETTER})" if re.match(_LETTER, wanted) else ""
    after = r"(?![.,]?\d)" if wanted[-1].isdecimal() else ""
    return re.search(before + re.escape(wanted) + after, text) is not None


def text_on(observation: Observation, text: str) -> bool:
    """Whether the text is in a name, a value or the title of the screen, or runs over several elements."""
    wanted = normal(text)
    own = chain.from_iterable((one.name, one.value) for one in observation.elements)
    if any(_has_words(normal(part), wanted) for part in (*filter(None, own), observation.place.title)):
        return True
    whole = " ".join(filter(None, (normal(one.name or one.value) for one in observation.elements)))
    # Two elements may be a link and the punctuation after it, with or without a space.
    return _has_words(_BESIDE_A_MARK.sub("", whole), _BESIDE_A_MARK.sub("", wanted))


def holds(
    condition: Condition[Q], observation: Observation, find: Callable[[Q, Observation], Element | None]
) -> bool | None:
    """Decide a condition on a screen.

    Args:
        find: returns the condition's element, or None if it is not on the screen.

    Returns:
        True or False, or None if the screen cannot tell (the element whose value or state is needed
        is not there).
    """
    match condition:
        case TextShown(text):
            return text_on(observation, text)
        case TextGone(text):
            return not text_on(observation, text)
        case UrlIs(pattern):
            return fnmatch.fnmatchcase(observation.place.url, pattern)
        case TitleIs(pattern):
            return fnmatch.fnmatchcase(observation.place.title, pattern)
        case FileExists(path, words):
            file = user_path(path)
            return _has_words(normal(words_in(file)), normal(words)) if words else file.exists()
        case Shown(of, on):
            return (find(of, observation) is not None) == on
        case ValueIs(of, value):
            element = find(of, observation)
            return None if element is None else _has_value(element, value)
        case StateIs(of, state, on):
            element = find(of, observation)
            if element is None:  # what is gone is not busy
                return not on if state == "busy" else None
            return (state in element.states) == on


def _has_value(element: Element, value: str) -> bool:
    form = without_spaces if element.is_from_picture else normal
    return form(element.value) == form(value)


MOST = 20_000_000
"""How many bytes are read of a file, or of a part of it; an archive may unpack to any size."""
_PARTS = re.compile(
    r"content\.xml|word/document\.xml|xl/sharedStrings\.xml|xl/worksheets/[^/]+\.xml|ppt/slides/[^/]+\.xml"
    r"|.+\.x?html"
)
_TAG = re.compile(r"<[^<>]*>")
_BESIDE_A_MARK = re.compile(r"(?<=\W) | (?=\W)")


def words_in(path: Path) -> str:
    """The text of a file, without a document's markup; empty if the file is missing or damaged."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST)
        if data.startswith(b"PK"):
            with zipfile.ZipFile(path) as archive:
                parts = [name for name in archive.namelist() if _PARTS.fullmatch(name)]
                return "\n".join(_plain(archive.open(name).read(MOST)) for name in parts)
        return _plain(decompress(data))
    except (OSError, ValueError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        return ""


def decompress(data: bytes) -> bytes:
    """The contents of a gzip file; other data unchanged."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data, MOST)


def _plain(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    marked_up = text.lstrip("\ufeff \r\n\t").startswith(("<?xml", "<!DOCTYPE", "<html"))
    return html.unescape(_TAG.sub(" ", text)) if marked_up else text
