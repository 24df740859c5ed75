"""The result of an import: the demonstration, its values, and a remark for each line not imported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from gui_agent.core.actions import Check, Choose, Click, Navigate, Press, Recorded, TypeText, Wait
from gui_agent.core.aiming import aim, places
from gui_agent.core.codec import plain
from gui_agent.core.conditions import Condition, ValueIs
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint
from gui_agent.core.texts import normal
from gui_agent.core.trajectory import Demonstration, DemoStep, Screen
from gui_agent.procedures.importers._selectors import SELECTOR

_SECRET = re.compile(
    r"passw|passphrase|passcode|kennwort|mot de passe|contraseñ|hasło|heslo|\bpin\b|\bcv[cv]\b|secret"
    r"|api.?key|token",
    re.IGNORECASE,
)
_TELLING = ("placeholder", "id", "name", SELECTOR)
NEEDLESS = "not needed"
"""Prefix of the reason for a line that the agent makes unnecessary."""
_TYPED = re.compile(r"((?:\b(?:fill|type|press_?sequentially|insert_?text)\(|\"value\": )).*", re.IGNORECASE)
_ROLES: dict[type, str] = {TypeText: "textbox", Choose: "combobox", Check: "checkbox"}


@dataclass(frozen=True, slots=True)
class Remark:
    """One line of the source that was dropped, or imported in a changed or weaker form."""

    line: int
    """1-based line of a script, or the number of a recorded step."""
    source: str
    reason: str
    dropped: bool = True

    @property
    def needless(self) -> bool:
        """Whether dropping the line loses nothing."""
        return self.reason.startswith(NEEDLESS)

    def __str__(self) -> str:
        return f"{self.line}: {'left out' if self.dropped else 'changed'}: {self.reason} ({self.source})"


@dataclass(frozen=True, slots=True)
class Imported:
    """A demonstration and the remarks of its import; without remarks, everything was imported."""

    demonstration: Demonstration
    remarks: tuple[Remark, ...] = ()
    inferred: tuple[str, ...] = ()
    """Values that the recording lacks and that were inferred from instructions."""

    @property
    def complete(self) -> bool:
        return not any(remark.dropped for remark in self.remarks)


class Failed(ConfigError):
    """The recorded run did not succeed at its task."""


class Incomplete(ConfigError):
    """A recording has a gap that only other recordings of the same task can fill."""

    def __init__(self, message: str, said: str, fill_in: Callable[[Sequence[str]], Imported]) -> None:
        """
        Args:
            said: the instruction of the recording.
            fill_in: builds the demonstration from the instructions of such recordings; raises ConfigError.
        """
        super().__init__(message)
        self.said = said
        self.fill_in = fill_in


class Unsupported(Exception):
    """A line without an equivalent action or condition; the importer turns it into a remark."""


class DemonstrationDraft:
    """A demonstration under construction."""

    def __init__(self, task: str = "") -> None:
        self.task = task
        self.start = ""
        self.steps: list[DemoStep] = []
        self.remarks: list[Remark] = []
        self.answer = ""
        """Name of the button that answers the next dialog of the page."""

    def act(self, action: Recorded, screen: Screen | None = None) -> list[str]:
        """Add a step; a target without a role gets the usual role for its action.

        The draft does not keep text typed into a password field, only a reference to a secret, unless the
        task contains the text. A click that only focused a field merges with the typing that follows.

        Returns:
            Reasons for remarks about changes.
        """
        if isinstance(action, Wait):
            self.steps.append(DemoStep(action))
            return []
        reasons: list[str] = []
        if isinstance(action, TypeText) and action.at is not None:
            self._drop_last_focusing(action.at)
        if isinstance(action, TypeText) and action.text and not action.text.startswith("${secret:"):
            field = action.at or self._focused_field()
            if field is not None and is_secret(field) and action.text not in self.task:
                name = secret_name(field)
                action = replace(action, text=f"${{secret:{name}}}")
                reasons.append(f"the secret is not stored; provide it as {name}")
        role = _ROLES.get(type(action), "")
        marks: dict[str, Fingerprint] = {
            name: replace(place, role=role) if role and not place.role else place
            for name, place in places(action).items()
        }
        self.steps.append(DemoStep(aim(action, marks), screen))
        return reasons

    def _drop_last_focusing(self, field: Fingerprint) -> None:
        while self.steps and not self.steps[-1].expect:
            match self.steps[-1].action:
                case Click(at, "left", 1, ()) if replace(at, role=field.role) == field or _same_id(at, field):
                    self.steps.pop()
                case Press(("tab",), 1):
                    self.steps.pop()
                case _:
                    return

    def go(self, address: str) -> None:
        """Add a navigation to an address; the first one is where the demonstration starts."""
        if not self.steps and not self.start:
            self.start = address
        else:
            self.act(Navigate(address))

    def answer_dialog(self) -> None:
        """Add the click that answers a dialog, if the script announced an answer."""
        if self.answer:
            self.act(Click(Fingerprint("button", self.answer)))
            self.answer = ""

    def expect(self, condition: Condition[Fingerprint]) -> None:
        """Add a post-condition to the last step."""
        if not self.steps:
            raise Unsupported("an expectation before the first action has no step to belong to")
        last = self.steps[-1]
        if condition not in last.expect:
            self.steps[-1] = replace(last, expect=(*last.expect, condition))

    def remark(self, line: int, source: str, reason: str, *, dropped: bool = True) -> None:
        """Record a remark about a line without the text typed in it, which may be a secret."""
        hidden = _SECRET.search(source) or _SECRET.search(reason)
        shown = "not shown" if hidden else _TYPED.sub(r"\1...", " ".join(source.split()))[:200]
        self.remarks.append(Remark(line, shown, reason, dropped))

    def take_over(self, line: int, source: str, understand: Callable[[], Sequence[str]]) -> None:
        """Import a line; record a remark if it has no equivalent or had to be changed."""
        try:
            reasons = understand()
        except Unsupported as error:
            self.remark(line, source, str(error))
            return
        for reason in reasons:
            self.remark(line, source, reason, dropped=False)

    def _focused_field(self) -> Fingerprint | None:
        return places(self.steps[-1].action).get("at") if self.steps else None

    def as_imported(self, origin: str, platform: str = "browser") -> Imported:
        """The demonstration with all steps; `origin` is the file that they come from."""
        done = Demonstration(
            task=self.task,
            steps=tuple(self.steps),
            start=self.start,
            platform=platform,
            origin=f"import {origin}",
        )
        return Imported(with_search_texts(done), tuple(self.remarks))


def _same_id(one: Fingerprint, other: Fingerprint) -> bool:
    return bool(one.attributes.get("id")) and one.attributes.get("id") == other.attributes.get("id")


def is_secret(at: Fingerprint) -> bool:
    """Whether the text typed into a field must not be stored."""
    told = (at.name, at.label, *(at.attributes.get(key, "") for key in _TELLING))
    return at.attributes.get("type") == "password" or any(map(_SECRET.search, told))


def secret_name(at: Fingerprint) -> str:
    """A name for a secret, derived from its field: letters, digits and underscores."""
    return re.sub(r"\W+", "_", at.name or at.label).strip("_").upper() or "PASSWORD"


def plain_pattern(text: str) -> str:
    """A pattern that matches exactly this address or title."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in text)


def refuse_variable(text: str) -> None:
    """Raise Unsupported for a text whose value is known only when the script runs."""
    if re.search(r"[$%&@]\{(?!secret:)", text):
        raise Unsupported("a variable whose value is not in the recording")


def text_of(value: Any) -> str:
    """The text that a literal stands for."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Unsupported("a value that is not written out as text")
    return str(value)


_NAMES = re.compile(r"(?<!^)(?<![.!?:] )\b[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*|(?<!\w)\d+(?:[.,:/-]\d+)*(?!\w)")
"""Numbers, and capitalized words that do not begin a sentence."""
_SECRET_TEXT = "${secret:"


def with_search_texts(demonstration: Demonstration) -> Demonstration:
    """Complete the search texts of which only the beginning was typed to find an option.

    If `Norw` was typed before the option `Norway` was clicked, the demonstration would not work for the next
    country. The search text becomes the value of the task that starts with `Norw` and occurs in the option.
    """
    steps = list(demonstration.steps)
    for number, (one, other) in enumerate(pairwise(steps)):
        match one.action, other.action:
            case TypeText(text=typed), (Click(at) | Choose(at)) if (
                typed.strip() and _SECRET_TEXT not in typed
            ):
                option = other.action.option if isinstance(other.action, Choose) else at.name
                meant = _meant_part(demonstration.task, typed.strip(), option)
                if meant and normal(meant) != normal(typed):
                    expect = tuple(c for c in one.expect if not (isinstance(c, ValueIs) and c.value in typed))
                    steps[number] = replace(one, action=replace(one.action, text=meant), expect=expect)
    return replace(demonstration, steps=tuple(steps))


def _meant_part(task: str, typed: str, option: str) -> str:
    """The longest part of the task that starts with the typed text and occurs in the option."""
    best = ""
    for begin in re.finditer(rf"(?<!\w){re.escape(typed)}", task, re.IGNORECASE):
        for end in re.finditer(r"(?<=\w)(?!\w)", task[begin.start() :]):
            part = task[begin.start() : begin.start() + end.start()]
            if normal(part) in normal(option) and len(typed) <= len(part) > len(best):
                best = part
    return best


def missing_values(demonstration: Demonstration) -> tuple[str, ...]:
    """Names and numbers of the task that occur nowhere in the recording, spelled as in the task."""
    recorded = plain(replace(demonstration, task="", slots={}, origin=""))
    shown = normal(json.dumps(recorded, ensure_ascii=False))
    return tuple(one for one in dict.fromkeys(_NAMES.findall(demonstration.task)) if normal(one) not in shown)


def typed_values(demonstration: Demonstration) -> tuple[str, ...]:
    """The typed and chosen values, without duplicates."""
    return tuple(dict.fromkeys(text for step in demonstration.steps if (text := _value(step))))


def in_place_of(demonstration: Demonstration, recorded: str, value: str) -> Demonstration:
    """The demonstration with a typed or chosen value replaced by another one."""

    def with_value(step: DemoStep) -> DemoStep:
        if _value(step) != recorded:
            return step
        named: Any = {_ENTERED[type(step.action)]: value}
        return replace(step, action=replace(step.action, **named))

    return replace(demonstration, steps=tuple(map(with_value, demonstration.steps)))


_ENTERED = {TypeText: "text", Choose: "option"}


def _value(step: DemoStep) -> str:
    text = str(getattr(step.action, _ENTERED.get(type(step.action), ""), ""))
    return "" if _SECRET_TEXT in text else text
