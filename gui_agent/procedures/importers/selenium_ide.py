"""Projects of Selenium IDE (`.side`) as demonstrations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from gui_agent.core.actions import Check, Choose, Click, Close, Drag, Move, Press, TypeText
from gui_agent.core.conditions import Shown, StateIs, TextGone, TextShown, TitleIs, ValueIs
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint
from gui_agent.procedures.importers.imported import (
    NEEDLESS,
    DemonstrationDraft,
    Imported,
    Unsupported,
    plain_pattern,
    refuse_variable,
)
from gui_agent.procedures.importers.selectors import UNKNOWN, merge, read_selector, telling, with_attributes
from gui_agent.procedures.importers.verbs import key

_KEY = re.compile(r"\$\{KEY_(\w+)\}")
_OPTION = re.compile(r"(label|value|id|index)=(?:exact:|regexp:|glob:)?(.*)", re.DOTALL)
_NEEDLESS = re.compile(
    r"setWindowSize|pause|echo|mouse(Out|Up|Move)(At)?|waitForPage\w*|setSpeed|close(Browser)?$|debugger"
    r"|deleteAllVisibleCookies|windowMaximize|waitForText"
)
_ANSWERS = re.compile(r"(?:webdriver)?(?P<how>choose(?P<which>Ok|Cancel)|answer)On(?P<when>Next|Visible)\w+")


def is_selenium_project(data: Any) -> bool:
    """Whether parsed JSON is a project of Selenium IDE."""
    tests = data.get("tests") if isinstance(data, Mapping) else None
    return (
        isinstance(tests, list)
        and "steps" not in data
        and any(isinstance(one, Mapping) and "commands" in one for one in tests)
    )


def import_selenium_ide(data: Mapping[str, Any], task: str = "", source: str = "project.side") -> Imported:
    """One test of a project as a demonstration: the one that the task names, else the first that acts."""
    tests = [it for it in data["tests"] if isinstance(it, Mapping) and isinstance(it.get("commands"), list)]
    tests = [one for one in tests if one["commands"]]
    if not tests:
        raise ConfigError(f"{source}: no test in it has commands; record one, then export the project again")
    named = [one for one in tests if str(one.get("name")) == task]
    for test in named or tests:
        name = str(test.get("name", ""))
        reader = _Reader(task or name, str(data.get("url", "")))
        if len(tests) > 1:
            reader.draft.remark(1, f"{len(tests)} tests", f'only "{name}" is read; --task names another')
        for number, command in enumerate(test["commands"], start=1):
            reader.read(number, command)
        if reader.draft.steps:
            return reader.draft.as_imported(f"import {source}")
    raise ConfigError(f"{source}: no recorded action was found in it")


class _Reader:
    def __init__(self, task: str, url: str) -> None:
        self.draft = DemonstrationDraft(task)
        self._url = url
        self._frame: list[str] = []
        self._answer = ""

    def read(self, number: int, command: Any) -> None:
        if not isinstance(command, Mapping) or str(command.get("command", "")).startswith("//"):
            return  # a command that was switched off
        name, target, value = (str(command.get(part) or "") for part in ("command", "target", "value"))
        shown = " ".join((name, target))  # the value may be a secret
        try:
            if _NEEDLESS.match(name):
                self.draft.remark(number, shown, f"{NEEDLESS}: the agent does it by itself")
                return
            refuse_variable(target)
            refuse_variable(_KEY.sub("", value))
            reasons = self._understand(name, target, value, command.get("targets"))
        except Unsupported as error:
            self.draft.remark(number, shown, str(error))
            return
        for reason in reasons:
            self.draft.remark(number, shown, reason, dropped=False)

    def _understand(self, name: str, target: str, value: str, targets: Any) -> list[str]:
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
                at = self._element(target, targets)
                reasons = self._on_element(bare, at, value) if at is not None else []
                return reasons if at is None or telling(at) else ["only a selector is known of it", *reasons]
        return []

    def _on_element(self, name: str, at: Fingerprint, value: str) -> list[str]:
        draft = self.draft
        match name:
            case "click" | "doubleClick":
                draft.act(Click(at, clicks=2 if name == "doubleClick" else 1))
                self._answer_dialog()
            case "type":
                return draft.act(TypeText(value, at, replace=True))
            case "sendKeys":
                return self._send(at, value)
            case "editContent":
                return draft.act(TypeText(re.sub(r"<[^>]*>", "", value), at, replace=True))
            case "select" | "addSelection":
                return self._select(at, value)
            case "check" | "uncheck":
                draft.act(Check(at, name == "check"))
            case "mouseOver":
                draft.act(Move(at))
            case "mouseDown":
                pass  # where a drag begins, its end says once more
            case "dragAndDropToObject":
                draft.act(Drag(at, read_selector(value)))
            case _:
                self._expect(name, at, value)
        return []

    def _expect(self, name: str, at: Fingerprint, value: str) -> None:
        about = re.fullmatch(r"(?:assert|verify|waitFor)(Element|)(Not|)(\w+)", name)
        if about is None:
            raise Unsupported(f"the command {name} has no counterpart")
        on = not about[2] and not about[3].startswith("Not")
        match about[3].removeprefix("Not"):
            case "Present" | "Visible" | "Editable":
                self.draft.expect(Shown(at, on))
            case "Text":
                self.draft.expect(TextShown(value) if on else TextGone(value))
            case "Value" | "SelectedLabel" if on:
                self.draft.expect(ValueIs(at, value))
            case "Checked":
                self.draft.expect(StateIs(at, "checked", on))
            case _:
                raise Unsupported(f"the command {name} has no counterpart")

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
        return ["the option is known by its value only, its text may be another"] if how == "value" else []

    def _select_frame(self, target: str) -> None:
        if target in ("relative=top", "relative=parent"):
            self._frame = self._frame[:-1] if target.endswith("parent") else []
        else:
            self._frame.append(target)

    def _dialog(self, answer: Any, text: str) -> list[str]:
        if answer["how"] == "answer":
            raise Unsupported("a text given to a dialog of the page")
        self._answer = "Cancel" if answer["which"] == "Cancel" else "OK"
        if answer["when"] == "Visible":
            self._answer_dialog()
        return []

    def _answer_dialog(self) -> None:
        if self._answer:
            self.draft.act(Click(Fingerprint("button", self._answer)))
            self._answer = ""

    def _element(self, target: str, targets: Any) -> Fingerprint | None:
        listed = targets if isinstance(targets, list) else ()
        others = [one[0] for one in listed if isinstance(one, list) and one and isinstance(one[0], str)]
        found = UNKNOWN
        for selector in [target, *(other for other in others if other != target)]:
            found = merge(found, read_selector(selector))
        if not target:
            raise Unsupported("a command without a target")
        return with_attributes(found, frame="/".join(self._frame)) if self._frame else found
