"""Imports recordings of the Chrome DevTools Recorder panel (its JSON export) as demonstrations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gui_agent.core.actions import Check, Choose, Click, Close, Move, Press, Scroll, TypeText, Upload
from gui_agent.core.conditions import Shown, TextShown, TitleIs, UrlIs
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint
from gui_agent.core.parsing import parse_json
from gui_agent.elements.roles import BOXES, DROPDOWNS
from gui_agent.procedures.importers._selectors import (
    BY_VALUE,
    UNKNOWN,
    read_selectors,
    telling,
    weaknesses,
    with_attributes,
)
from gui_agent.procedures.importers._verbs import key
from gui_agent.procedures.importers.imported import DemonstrationDraft, Imported, Unsupported, plain_pattern

_ORDER = ("aria/", "text/", "#", "pierce/", "xpath/")
_MODIFIERS = ("ctrl", "shift", "alt", "meta")
_CHECKS = {"on": True, "true": True, "off": False, "false": False}


def import_devtools(text: str, task: str = "", source: str = "recording") -> Imported:
    """A recording as a demonstration; by default its title is the task."""
    try:
        recording = parse_json(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{source} line {error.lineno}: not JSON: {error.msg}") from error
    if not isinstance(recording, dict) or not isinstance(recording.get("steps"), list):
        raise ConfigError(f'{source}: it has no "steps"; give the JSON export of the Recorder panel')
    reader = _Reader(task or str(recording.get("title", "")))
    for number, step in enumerate(recording["steps"], start=1):
        reader.read(number, step)
    reader.finish(len(recording["steps"]))
    if not reader.draft.steps and not reader.draft.start:
        raise ConfigError(f"{source}: the recording contains no action")
    return reader.draft.as_imported(source)


class _Reader:
    def __init__(self, task: str) -> None:
        self.draft = DemonstrationDraft(task)
        self._held: list[str] = []
        self._pressed = False

    def read(self, number: int, step: Any) -> None:
        if not isinstance(step, Mapping):
            self.draft.remark(number, json.dumps(step), "not a step")
            return
        shown = json.dumps({name: step[name] for name in step if name not in ("selectors", "assertedEvents")})
        self.draft.take_over(number, shown, lambda: self._read_step(step))

    def _read_step(self, step: Mapping[str, Any]) -> list[str]:
        try:
            reasons = self._understand(step)
            for event in step.get("assertedEvents", ()):
                self._expect_navigation(event)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise Unsupported(f"not the format of a recording ({error!r})") from error
        return reasons

    def finish(self, number: int) -> None:
        if self._held:
            self.draft.remark(number, "+".join(self._held), "keys that were never released", dropped=False)

    def _understand(self, step: Mapping[str, Any]) -> list[str]:
        match step["type"]:
            case "setViewport":
                return []
            case "navigate":
                self.draft.go(str(step["url"]))
                return []
            case "click" | "doubleClick" | "hover" | "change":
                return self._on_element(step)
            case "keyDown":
                self._key_down(key(str(step["key"])))
            case "keyUp":
                self._key_up(key(str(step["key"])))
            case "scroll":
                return self._scroll(step)
            case "waitForElement":
                return self._expect_element(step)
            case "close":
                self.draft.act(Close())
            case kind:
                raise Unsupported(f"the step {kind} has no counterpart")
        return []

    def _on_element(self, step: Mapping[str, Any]) -> list[str]:
        at = element(step)
        reasons = weaknesses(at)
        if step.get("target", "main") != "main":
            reasons.append(f"recorded in another tab or frame: {step['target']}")
        match step["type"]:
            case "hover":
                self.draft.act(Move(at))
            case "change":
                reasons += self._change(at, str(step["value"]))
            case kind:
                button = {"secondary": "right", "auxiliary": "middle"}.get(step.get("button", ""), "left")
                clicks = 2 if kind == "doubleClick" else 1
                self.draft.act(Click(at, button, clicks, tuple(self._held)))  # type: ignore[arg-type]
                self._pressed = self._pressed or bool(self._held)
        return reasons

    def _change(self, at: Fingerprint, value: str) -> list[str]:
        kind = at.attributes.get("type", "")
        if at.role in BOXES and value.lower() in _CHECKS:
            self.draft.act(Check(at, _CHECKS[value.lower()]))
        elif at.role in DROPDOWNS and at.attributes.get("tag") == "select":
            self.draft.act(Choose(at, value))
            return [BY_VALUE]
        elif kind == "file":
            self.draft.act(Upload(at, (value,)))
        else:
            return self.draft.act(TypeText(value, at, replace=True))
        return []

    def _key_down(self, name: str) -> None:
        if name in _MODIFIERS:
            self._held.append(name)
            self._pressed = False
            return
        self.draft.act(Press((*self._held, name)))
        self._pressed = True

    def _key_up(self, name: str) -> None:
        if name in self._held:
            self._held.remove(name)
            if not self._pressed:
                self.draft.act(Press((name,)))
                self._pressed = True

    def _scroll(self, step: Mapping[str, Any]) -> list[str]:
        at = element(step) if step.get("selectors") else UNKNOWN
        self.draft.act(Scroll(at, int(step.get("y", 0)), int(step.get("x", 0))))
        return ["the position scrolled to is used as the distance to scroll"]

    def _expect_element(self, step: Mapping[str, Any]) -> list[str]:
        if step.get("count", 1) != 1 or step.get("operator", ">=") not in (">=", "=="):
            raise Unsupported("waiting for a number of elements")
        at = element(step)
        plain = at.name and not at.role and not telling(Fingerprint("", "", attributes=at.attributes))
        on = step.get("visible", True)
        self.draft.expect(TextShown(at.name) if plain and on else Shown(at, on))
        return []

    def _expect_navigation(self, event: Mapping[str, Any]) -> None:
        if event.get("type") != "navigation":
            raise Unsupported(f"the asserted event {event.get('type')}")
        if not self.draft.steps:
            return  # the page on which the demonstration starts
        if event.get("url"):
            self.draft.expect(UrlIs(plain_pattern(str(event["url"]))))
        if event.get("title"):
            self.draft.expect(TitleIs(plain_pattern(str(event["title"]))))


def element(step: Mapping[str, Any]) -> Fingerprint:
    """The fingerprint merged from all selectors recorded for one element, the most informative first."""
    selectors = [_one(item) for item in step.get("selectors", ())]
    if not selectors:
        raise Unsupported("a step without selectors")
    selectors.sort(key=lambda selector: next((n for n, p in enumerate(_ORDER) if selector.startswith(p)), 2))
    found = read_selectors(selectors)
    frame = "/".join(map(str, step.get("frame") or ()))
    return with_attributes(found, frame=frame) if frame else found


def _one(selector: str | Sequence[str]) -> str:
    """One selector; of a list, where each is inside the previous one, the innermost with a name."""
    if isinstance(selector, str):
        return selector
    return next((one for one in reversed(selector) if not one.startswith("aria/[role=")), selector[-1])
