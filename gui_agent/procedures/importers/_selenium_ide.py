"""Imports Selenium IDE projects (`.side`) as demonstrations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from gui_agent.core.actions import Choose, Close, Press, TypeText
from gui_agent.core.conditions import TextShown, TitleIs
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint
from gui_agent.procedures.importers._selectors import BY_VALUE, read_selectors, weaknesses, with_attributes
from gui_agent.procedures.importers._verbs import key
from gui_agent.procedures.importers._vocabulary import ACTIONS, NAMES, condition
from gui_agent.procedures.importers.imported import (
    NEEDLESS,
    DemonstrationDraft,
    Imported,
    Unsupported,
    plain_pattern,
    refuse_variable,
)

_KEY = re.compile(r"\$\{KEY_(\w+)\}")
_OPTION = re.compile(r"(label|value|id|index)=(?:exact:|regexp:|glob:)?(.*)", re.DOTALL)
_NEEDLESS = re.compile(
    r"setWindowSize|pause|echo|mouse(Out|Up|Move)(At)?|waitForPage\w*|setSpeed|close(Browser)?$|debugger"
    r"|deleteAllVisibleCookies|windowMaximize|waitForText"
)
_ANSWERS = re.compile(r"(?:webdriver)?(?P<how>choose(?P<which>Ok|Cancel)|answer)On(?P<when>Next|Visible)\w+")


def is_selenium_project(data: Any) -> bool:
    """Whether parsed JSON is a Selenium IDE project."""
    tests = data.get("tests") if isinstance(data, Mapping) else None
    return (
        isinstance(tests, list)
        and "steps" not in data
        and any(isinstance(one, Mapping) and "commands" in one for one in tests)
    )


def import_selenium_ide(data: Mapping[str, Any], task: str = "", source: str = "project.side") -> Imported:
    """Import one test of a project: the one that the task names, else the first with an action."""
    tests = [it for it in data["tests"] if isinstance(it, Mapping) and isinstance(it.get("commands"), list)]
    tests = [one for one in tests if one["commands"]]
    if not tests:
        raise ConfigError(f"{source}: its tests have no commands; record one, then export the project again")
    named = [one for one in tests if str(one.get("name")) == task]
    for test in named or tests:
        name = str(test.get("name", ""))
        reader = _Reader(task or name, str(data.get("url", "")))
        if len(tests) > 1:
            reader.draft.remark(1, f"{len(tests)} tests", f'only "{name}" is read; --task names another')
        for number, command in enumerate(test["commands"], start=1):
            reader.read(number, command)
        if reader.draft.steps:
            return reader.draft.as_imported(source)
    raise ConfigError(f"{source}: the recording contains no action")


class _Reader:
    def __init__(self, task: str, url: str) -> None:
        self.draft = DemonstrationDraft(task)
        self._url = url
        self._frame: list[str] = []

    def read(self, number: int, command: Any) -> None:
        if not isinstance(command, Mapping) or str(command.get("command", "")).startswith("//"):
            return  # a disabled command
        name, target, value = (str(command.get(part) or "") for part in ("command", "target", "value"))
        shown = " ".join((name, target))  # the value may be a secret
        self.draft.take_over(number, shown, lambda: self._understand(name, target, value, command))

    def _understand(self, name: str, target: str, value: str, command: Mapping[str, Any]) -> list[str]:
        if _NEEDLESS.match(name):
            raise Unsupported(f"{NEEDLESS}: the agent does it by itself")
        refuse_variable(target)
        refuse_variable(_KEY.sub("", value))
        answered = _ANSWERS.fullmatch(name)
        match name.removesuffix("At"):
            case "open":
                self.draft.go(urljoin(self._url, target))
            case "close":
                self.draft.act(Close())
            case "selectFrame":
                self._select_frame(target)
            case "selectWindow":
                return [f"the recording goes to the window {target} here, whose title is not in it"]
            case _ if answered is not None:
                return self._dialog(answered, value or target)
            case "assertTitle" | "verifyTitle":
                self.draft.expect(TitleIs(plain_pattern(target)))
            case "assertAlert" | "assertConfirmation" | "assertPrompt":
                self.draft.expect(TextShown(target))
            case bare:
                at = self._element(target, command.get("targets"))
                return [*weaknesses(at), *self._on_element(bare, at, value)]
        return []

    def _on_element(self, name: str, at: Fingerprint, value: str) -> list[str]:
        kind = NAMES["selenium"].get(name, "")
        if kind in ACTIONS:
            plain = re.sub(r"<[^>]*>", "", value) if name == "editContent" else value
            reasons = self.draft.act(ACTIONS[kind](at, plain))
            if "click" in kind:
                self.draft.answer_dialog()
            return reasons
        match name:
            case "sendKeys":
                return self._send(at, value)
            case "select" | "addSelection":
                return self._select(at, value)
            case "mouseDown":
                return []  # the end of a drag names its start again
        stated = re.fullmatch(r"(?:assert|verify|waitFor)(?:Element|)(Not|)(\w+)", name)
        if stated is None:
            raise Unsupported(f"the command {name} has no counterpart")
        positive = not stated[1]
        self.draft.expect(condition("selenium", stated[2], at, value, positive=positive))
        return []

    def _send(self, at: Fingerprint, value: str) -> list[str]:
        reasons: list[str] = []
        for number, part in enumerate(_KEY.split(value)):
            if part and number % 2:
                self.draft.act(Press((key(part.lower().replace("_", "")),)))
            elif part:
                reasons += self.draft.act(TypeText(part, at))
        return reasons

    def _select(self, at: Fingerprint, value: str) -> list[str]:
        option = _OPTION.fullmatch(value)
        how, text = (option[1], option[2]) if option else ("label", value)
        if how in ("index", "id"):
            raise Unsupported(f"an option known by its {how} only")
        self.draft.act(Choose(at, text))
        return [BY_VALUE] if how == "value" else []

    def _select_frame(self, target: str) -> None:
        if target in ("relative=top", "relative=parent"):
            self._frame = self._frame[:-1] if target.endswith("parent") else []
        else:
            self._frame.append(target)

    def _dialog(self, answer: Any, text: str) -> list[str]:
        if answer["how"] == "answer":
            raise Unsupported("a text typed into a dialog of the page")
        self.draft.answer = "Cancel" if answer["which"] == "Cancel" else "OK"
        if answer["when"] == "Visible":
            self.draft.answer_dialog()
        return []

    def _element(self, target: str, targets: Any) -> Fingerprint:
        listed = targets if isinstance(targets, list) else ()
        others = [one[0] for one in listed if isinstance(one, list) and one and isinstance(one[0], str)]
        if not target:
            raise Unsupported("a command without a target")
        found = read_selectors(dict.fromkeys([target, *others]))
        return with_attributes(found, frame="/".join(self._frame)) if self._frame else found
