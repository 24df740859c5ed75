"""Playwright locators as fingerprints."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from gui_agent.core.targets import Fingerprint
from gui_agent.procedures.importers.imported import Unsupported, text_of
from gui_agent.procedures.importers.script import Chain, Pattern, ScriptCall, ScriptExpression
from gui_agent.procedures.importers.selectors import UNKNOWN, read_selector, telling

_BY = frozenset(
    f"get_by_{what}" for what in ("role", "label", "placeholder", "text", "test_id", "title", "alt_text")
)
LOCATING = _BY | {"locator", "frame_locator", "content_frame", "filter", "nth", "first", "last"}
_BY_ATTRIBUTE = {"get_by_test_id": "data-testid", "get_by_title": "title", "get_by_alt_text": "alt"}
_META = re.compile(r"(?<!\\)[\[\](){}|*+?.]")


@dataclass(slots=True)
class Located:
    """A fingerprint, and what of the locator it could not hold."""

    fingerprint: Fingerprint
    weaknesses: list[str] = field(default_factory=list)


def locate(calls: tuple[ScriptCall, ...]) -> Located:
    """The fingerprint of the element that a chain of locators means.

    Names of outer locators become neighbours of the inner element; frames are kept as an attribute.

    Raises:
        Unsupported: a part is computed or unknown.
    """
    found = Located(UNKNOWN)
    frame = ""
    for call in calls:
        now = found.fingerprint
        match call.name:
            case "nth":
                number = call.first
                if not isinstance(number, int) or number < 0:
                    raise Unsupported("a place counted from the end, or computed")
                found.fingerprint = replace(now, rank=number + 1)
            case "first":
                found.fingerprint = replace(now, rank=1)
            case "last":
                found.fingerprint = replace(now, attributes={**now.attributes, "position": "last"})
                found.weaknesses.append("the last of its kind: no rank is known")
            case "filter":
                found.fingerprint = _filtered(now, call)
            case "frame_locator" | "content_frame":
                inner = text_of(call.args[0]) if call.args else now.attributes.get("selector", "")
                frame = f"{frame} >> {inner}".removeprefix(" >> ")
                found.fingerprint = UNKNOWN
            case name if name in LOCATING:
                found.fingerprint = _inside(now, _one(call))
            case name:
                raise Unsupported(f"{name} is not a known locator")
    if frame:
        attributes = {**found.fingerprint.attributes, "frame": frame}
        found.fingerprint = replace(found.fingerprint, attributes=attributes)
    if not telling(found.fingerprint):
        found.weaknesses.append("only a selector is known of the element, no name")
    return found


def words(value: Any) -> str:
    """A name or text in a locator; of a regular expression, its text when it is no more than that.

    Raises:
        Unsupported: it is a real pattern, or computed.
    """
    if isinstance(value, Pattern):
        plain = value.source.removeprefix("^").removesuffix("$")
        if _META.search(plain) or re.search(r"\\[a-zA-Z]", plain):
            raise Unsupported("a regular expression that is more than a text")
        return plain.replace("\\", "")
    if isinstance(value, ScriptExpression | Chain):
        raise Unsupported("a name that is computed")
    return text_of(value)


def _one(call: ScriptCall) -> Fingerprint:
    first = call.first
    if call.name == "get_by_role":
        name = call.options.get("name", "")
        return Fingerprint(words(first).lower(), words(name) if name else "")
    text = words(first)
    match call.name:
        case "get_by_label" | "get_by_text":
            return replace(UNKNOWN, name=text)
        case "get_by_placeholder":
            return Fingerprint("textbox", text, attributes={"placeholder": text})
        case "get_by_test_id":
            return replace(UNKNOWN, attributes={"data-testid": text})
        case "get_by_title" | "get_by_alt_text":
            role = "img" if call.name == "get_by_alt_text" else ""
            return Fingerprint(role, text, attributes={_BY_ATTRIBUTE[call.name]: text})
    return _filtered(read_selector(text), call)


def _filtered(found: Fingerprint, call: ScriptCall) -> Fingerprint:
    """With the texts that `filter` or `locator` demands inside the element."""
    texts: list[str] = []
    for option, value in call.options.items():
        if option == "has_text":
            texts.append(words(value))
        elif option == "has" and isinstance(value, Chain):
            inner = locate(value.calls).fingerprint
            texts.append(inner.name or inner.label)
        else:
            raise Unsupported(f"the filter {option}")
    return replace(found, neighbours=(*found.neighbours, *(text for text in texts if text)))


def _inside(outer: Fingerprint, inner: Fingerprint) -> Fingerprint:
    """An element inside another: what is known of the outer one is near the inner one."""
    near = tuple(text for text in (*outer.neighbours, outer.name) if text)
    return replace(inner, neighbours=(*inner.neighbours, *near))
