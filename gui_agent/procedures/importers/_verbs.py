"""Parses recorded scripts into chains of calls, and translates Playwright's element calls to actions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from gui_agent.core.actions import Check, Choose, Click, Drag, Press, Recorded, Upload
from gui_agent.core.observation import Fingerprint
from gui_agent.elements.roles import FIELDS
from gui_agent.procedures.importers._selectors import (
    BY_VALUE,
    UNKNOWN,
    read_selector,
    weaknesses,
    with_attributes,
)
from gui_agent.procedures.importers._vocabulary import ACTIONS, NAMES
from gui_agent.procedures.importers.imported import DemonstrationDraft, Unsupported, text_of


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """One link of a chain: a method call or a property access."""

    name: str
    """The method or property in snake case."""
    args: tuple[Any, ...] = ()
    """Literals: texts, numbers, lists, dictionaries, `Pattern`, `Chain`; else `Computed`."""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def first(self) -> Any:
        return self.args[0] if self.args else None


@dataclass(frozen=True, slots=True)
class Chain:
    """`page.get_by_role("button").click()`: a root name and the calls on it."""

    root: str
    calls: tuple[ScriptCall, ...] = ()

    def then(self, method: str, /, *args: Any, **options: Any) -> Chain:
        """The same chain with one more call."""
        return Chain(self.root, (*self.calls, ScriptCall(method, args, options)))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression in a script."""

    source: str


@dataclass(frozen=True, slots=True)
class ScriptExpression:
    """An expression whose value is not in the script."""

    source: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script that has an effect."""

    line: int
    source: str
    chain: Chain | None = None
    gives: str = ""
    """Name of the variable that receives the value."""


def snake(name: str) -> str:
    """The name in snake case: `getByRole` becomes `get_by_role`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


_BY = frozenset(
    f"get_by_{what}" for what in ("role", "label", "placeholder", "text", "test_id", "title", "alt_text")
)
LOCATING = _BY | {"locator", "frame_locator", "content_frame", "filter", "nth", "first", "last"}
_META = re.compile(r"(?<!\\)[\[\](){}|*+?.]")


@dataclass(slots=True)
class Located:
    """A fingerprint, and the parts of the locator that it could not express."""

    fingerprint: Fingerprint
    weaknesses: list[str] = field(default_factory=list)


def locate(calls: tuple[ScriptCall, ...]) -> Located:
    """The fingerprint of the element that a chain of locators finds.

    Names of outer locators become neighbours of the inner element; frames become an attribute.
    """
    found = Located(UNKNOWN)
    frame = ""
    for call in calls:
        now = found.fingerprint
        match call.name:
            case "nth":
                number = call.first
                if not isinstance(number, int) or number < 0:
                    raise Unsupported("an index counted from the end, or computed")
                found.fingerprint = replace(now, rank=number + 1)
            case "first":
                found.fingerprint = replace(now, rank=1)
            case "last":
                found.fingerprint = with_attributes(now, position="last")
                found.weaknesses.append("the last of its kind; its index is unknown")
            case "filter":
                found.fingerprint = _filter(now, call)
            case "frame_locator" | "content_frame":
                inner = text_of(call.args[0]) if call.args else now.attributes.get("selector", "")
                frame = f"{frame} >> {inner}".removeprefix(" >> ")
                found.fingerprint = UNKNOWN
            case name if name in LOCATING:
                found.fingerprint = _inside(now, _one(call))
            case name:
                raise Unsupported(f"{name} is not a known locator")
    if frame:
        found.fingerprint = with_attributes(found.fingerprint, frame=frame)
    found.weaknesses += weaknesses(found.fingerprint)
    return found


def words(value: Any) -> str:
    """The name or text in a locator; a regular expression only if it is a plain text."""
    if isinstance(value, Pattern):
        plain = value.source.removeprefix("^").removesuffix("$")
        if _META.search(plain) or re.search(r"\\[a-zA-Z]", plain):
            raise Unsupported("a regular expression that is more than a plain text")
        return plain.replace("\\", "")
    if isinstance(value, ScriptExpression | Chain):
        raise Unsupported("a name that is computed")
    return text_of(value)


def _one(call: ScriptCall) -> Fingerprint:
    text = words(call.first)
    match call.name:
        case "get_by_role":
            name = call.options.get("name", "")
            return Fingerprint(text.lower(), words(name) if name else "")
        case "get_by_label" | "get_by_text":
            return Fingerprint("", text)
        case "get_by_placeholder":
            return Fingerprint("textbox", text, attributes={"placeholder": text})
        case "get_by_test_id":
            return Fingerprint("", "", attributes={"data-testid": text})
        case "get_by_title":
            return Fingerprint("", text, attributes={"title": text})
        case "get_by_alt_text":
            return Fingerprint("img", text, attributes={"alt": text})
    return _filter(read_selector(text), call)


def _filter(found: Fingerprint, call: ScriptCall) -> Fingerprint:
    texts: list[str] = []
    for option, value in call.options.items():
        if option == "has_text":
            texts.append(words(value))
        elif option == "has" and isinstance(value, Chain):
            inner = locate(value.calls).fingerprint
            texts.append(inner.name or inner.label)
        else:
            raise Unsupported(f"the filter {option}")
    return replace(found, neighbours=(*found.neighbours, *filter(None, texts)))


def _inside(outer: Fingerprint, inner: Fingerprint) -> Fingerprint:
    """The inner element, with what is known of the outer one as its neighbours."""
    return replace(inner, neighbours=tuple(filter(None, (*inner.neighbours, *outer.neighbours, outer.name))))


_KEYS = {
    "control": "ctrl",
    "controlormeta": "ctrl",
    "arrowup": "up",
    "arrowdown": "down",
    "arrowleft": "left",
    "arrowright": "right",
    "escape": "escape",
    " ": "space",
}
_JOINED = re.compile(r"\s+\S*[^\W\d_A-Z][A-Z].*$", re.DOTALL)
"""The joined option texts at the end of a label that wraps a list: `Size SmallMediumLarge`."""


def chord(keys: str) -> tuple[str, ...]:
    """The key names of a chord such as `Control+Shift+A`."""
    plus = keys == "+" or keys.endswith("++")
    return tuple(map(key, [*filter(None, keys.split("+")), *["+"] * plus]))


def key(name: str) -> str:
    """The canonical name of one key: `enter`, `ctrl`, `a`."""
    return _KEYS.get(name.lower(), name.lower())


def perform(
    draft: DemonstrationDraft, verb: ScriptCall, at: Fingerprint, last: Fingerprint | None
) -> list[str]:
    """Add the steps of a call on an element. Returns the reasons for remarks about changes."""
    if verb.name == "press":
        return _press(draft, verb, at, last)
    if verb.name == "select_option":
        return _select(draft, verb, at)
    reasons = ["the position inside the element is not kept"] if "position" in verb.options else []
    return reasons + draft.act(_action(verb, at))


def _action(verb: ScriptCall, at: Fingerprint) -> Recorded:
    first = verb.first
    kind = NAMES["playwright"].get(verb.name, "")
    match verb.name:
        case "click" | "dblclick" | "tap":
            return _click(verb, at, 2 if kind == "double click" else 1)
        case "set_checked":
            return Check(at, bool(first))
        case "set_input_files":
            files = first if isinstance(first, list) else [first]
            return Upload(at, tuple(text_of(file) for file in files))
        case "drag_to" if isinstance(first, Chain):
            return Drag(at, locate(first.calls).fingerprint)
    if kind not in ACTIONS:
        raise Unsupported(f"{verb.name} has no counterpart")
    is_typed = kind in ("fill", "type") and verb.name != "clear"
    return ACTIONS[kind](at, text_of(first) if is_typed else "")


def _click(verb: ScriptCall, at: Fingerprint, clicks: int) -> Recorded:
    clicks, held = verb.options.get("click_count", clicks), verb.options.get("modifiers", [])
    button = verb.options.get("button", "left")
    if not isinstance(clicks, int) or not isinstance(held, list):
        raise Unsupported("a click whose options are computed")
    if button not in ("left", "middle", "right"):
        raise Unsupported("an unknown mouse button")
    return Click(at, button, clicks, tuple(key(text_of(name)) for name in held))


def _press(
    draft: DemonstrationDraft, verb: ScriptCall, at: Fingerprint, last: Fingerprint | None
) -> list[str]:
    keys = chord(text_of(verb.first))
    if at == last:
        draft.act(Press(keys))
        return []
    if at.role not in FIELDS | {""}:
        raise Unsupported(f"a key pressed on a {at.role} that may not have focus")
    draft.act(Click(at))
    draft.act(Press(keys))
    return ["the field is clicked first to focus it"]


def _select(draft: DemonstrationDraft, verb: ScriptCall, at: Fingerprint) -> list[str]:
    """Choose options of a list by value, replacing those chosen in it just before."""
    chosen = verb.first
    if chosen is None:
        chosen = verb.options.get("label", verb.options.get("value"))
    labelled = "label" in verb.options
    if isinstance(chosen, dict):
        labelled, chosen = "label" in chosen, chosen.get("label", chosen.get("value"))
    options = [text_of(option) for option in (chosen if isinstance(chosen, list) else [chosen])]
    at = replace(at, name=_JOINED.sub("", at.name) or at.name)
    while draft.steps and isinstance(draft.steps[-1].action, Choose):
        last = draft.steps[-1].action.at
        if replace(last, role=at.role) != at:
            break
        draft.steps.pop()
    for option in options:
        draft.act(Choose(at, option))
    return [] if labelled else [BY_VALUE]
