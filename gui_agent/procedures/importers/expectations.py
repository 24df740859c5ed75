"""Playwright's assertions as typed post-conditions."""

from __future__ import annotations

import re
from typing import Any

from gui_agent.core.conditions import Condition, Shown, StateIs, TextGone, TextShown, TitleIs, UrlIs, ValueIs
from gui_agent.core.targets import Fingerprint
from gui_agent.procedures.importers.imported import Unsupported
from gui_agent.procedures.importers.locators import locate, words
from gui_agent.procedures.importers.script import Chain, Pattern

_STATES = {
    "to_be_checked": ("checked", True),
    "to_be_disabled": ("disabled", True),
    "to_be_enabled": ("disabled", False),
    "to_be_focused": ("focused", True),
}


def expectation(chain: Chain) -> Condition[Fingerprint]:
    """The condition that `expect(subject).to_...(...)` states.

    Raises:
        Unsupported: it has no counterpart.
    """
    subject = chain.calls[0].first
    names = [call.name for call in chain.calls[1:]]
    positive = True
    if names and names[0] == "not":
        positive, names = False, names[1:]
    if names and names[0].startswith("not_"):
        positive, names = False, [names[0].removeprefix("not_")]
    if len(names) != 1 or not isinstance(subject, Chain):
        raise Unsupported("an expectation of an unknown form")
    args = chain.calls[-1].args
    if not subject.calls:
        return _of_page(names[0], args, positive)
    return _of_element(names[0], args, locate(subject.calls).fingerprint, positive)


def _of_page(name: str, args: tuple[Any, ...], positive: bool) -> Condition[Fingerprint]:
    if positive and args and name == "to_have_url":
        return UrlIs(_glob(args[0]))
    if positive and args and name == "to_have_title":
        return TitleIs(_glob(args[0]))
    raise Unsupported(f"the expectation {'' if positive else 'not '}{name} on a page")


def _of_element(
    name: str, args: tuple[Any, ...], element: Fingerprint, positive: bool
) -> Condition[Fingerprint]:
    if name in ("to_be_visible", "to_be_hidden", "to_be_attached"):
        return Shown(element, positive != (name == "to_be_hidden"))
    if name in _STATES:
        state, on = _STATES[name]
        return StateIs(element, state, on == positive)
    if args and name in ("to_have_text", "to_contain_text") and not isinstance(args[0], list):
        return TextShown(words(args[0])) if positive else TextGone(words(args[0]))
    if args and name == "to_have_value" and positive:
        return ValueIs(element, words(args[0]))
    raise Unsupported(f"the expectation {'' if positive else 'not '}{name}")


def _glob(value: Any) -> str:
    """An address or title as a pattern in which `*` stands for anything."""
    if not isinstance(value, Pattern):
        # The signs that mean something in a pattern stand for themselves in an address.
        plain = words(value).replace("**", "*")
        return re.sub(r"[\[?]", lambda sign: f"[{sign[0]}]", plain)
    source = value.source
    begins, ends = source.startswith("^"), source.endswith("$")
    middle = source.removeprefix("^").removesuffix("$").replace(".*", "\0")
    if re.search(r"(?<!\\)[\[\](){}|*+?]|\\[a-zA-Z]", middle):
        raise Unsupported("a regular expression that is more than a text with gaps")
    plain = re.sub(r"\\(.)", r"\1", middle).replace("\0", "*")
    return ("" if begins else "*") + plain + ("" if ends else "*")
