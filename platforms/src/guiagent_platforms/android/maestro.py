"""Imports Maestro flows (YAML) as demonstrations on a phone, without running their scripts and conditions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gui_agent.core.actions import Back, Click, LongPress, Navigate, Open, Press, TypeText
from gui_agent.core.conditions import TextGone, TextShown
from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.core.observation import Fingerprint
from gui_agent.procedures.importers.imported import (
    NEEDLESS,
    DemonstrationDraft,
    Imported,
    Unsupported,
    refuse_variable,
)

DEEPEST = 8
"""Maximum depth of nested flows."""
LARGEST = 1024 * 1024
_NEEDLESS = re.compile(
    r"waitForAnimationToEnd|scroll|scrollUntilVisible|takeScreenshot|hideKeyboard|stopApp|killApp"
)
_RELATIONS = ("below", "above", "leftOf", "rightOf", "containsChild", "childOf", "containsDescendants")
_PATTERN = re.compile(r"\.[*+]|\\[dwsbn]|\[[^\]]+\][*+]|\w\|\w")
KEYS = {"enter": "enter", "backspace": "backspace", "home": "home", "tab": "tab"}


class MaestroFlows:
    """The importer of Maestro flows."""

    suffixes = (".yaml", ".yml")

    def read_file(self, text: str, task: str, path: Path, source: str) -> Imported:
        """A flow as a demonstration; flows that it runs are read from the same folder."""
        head, commands = _parts(text, source)
        reader = _Reader(
            DemonstrationDraft(task or str(head.get("name") or "")),
            path.parent.resolve(),
            str(head.get("appId", "")),
        )
        reader.values = {str(key): str(value) for key, value in dict(head.get("env") or {}).items()}
        reader.read(commands, path.parent, 0)
        if not reader.draft.steps:
            raise ConfigError(f"{source}: no step of this flow is supported")
        return reader.draft.as_imported(source, platform="android")


def _parts(text: str, source: str) -> tuple[Mapping[str, Any], Sequence[Any]]:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtra("android", "reading flows of Maestro") from error
    try:
        documents = [one for one in yaml.safe_load_all(text) if one is not None]
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{source}: not YAML: {' '.join(str(error).split())[:160]}") from error
    head = documents[0] if documents and isinstance(documents[0], Mapping) else {}
    commands = documents[-1] if documents and isinstance(documents[-1], list) else None
    if commands is None:
        raise ConfigError(f"{source}: not a Maestro flow: it has no list of commands after its header")
    return head, commands


class _Reader:
    def __init__(self, draft: DemonstrationDraft, root: Path, app: str) -> None:
        self.draft, self.values = draft, dict[str, str]()
        self._root, self._app, self._line = root, app, 0

    def read(self, commands: Sequence[Any], folder: Path, depth: int) -> None:
        for command in commands:
            self._line += 1
            name, given = (
                next(iter(command.items())) if isinstance(command, Mapping) and command else (command, None)
            )
            try:
                if name == "runFlow" and depth < DEEPEST:
                    self._follow_flow(given, folder, depth)
                    continue
                for reason in self._understand(str(name), given):
                    self.draft.remark(self._line, str(name), reason, dropped=False)
            except Unsupported as error:
                self.draft.remark(
                    self._line, f"{name}: {given}" if given is not None else str(name), str(error)
                )

    def _follow_flow(self, given: Any, folder: Path, depth: int) -> None:
        table = given if isinstance(given, Mapping) else {"file": given}
        if "when" in table:
            raise Unsupported("conditions are not supported")
        if "commands" in table:
            self.read(list(table["commands"] or ()), folder, depth + 1)
            return
        path = (folder / str(table.get("file", ""))).resolve()
        if not path.is_relative_to(self._root) or not path.is_file() or path.stat().st_size > LARGEST:
            raise Unsupported("this flow is not in the folder of the recording")
        self.values |= {str(key): str(value) for key, value in dict(table.get("env") or {}).items()}
        try:
            self.read(_parts(path.read_text("utf-8"), path.name)[1], path.parent, depth + 1)
        except (ConfigError, UnicodeDecodeError, OSError) as error:
            raise Unsupported(f"this flow is cannot be read: {error}") from error

    def _understand(self, name: str, given: Any) -> list[str]:
        if _NEEDLESS.fullmatch(name):
            return [f"{NEEDLESS}: the agent does it by itself"]
        if name in COMMANDS:
            return COMMANDS[name](self, given)
        raise Unsupported("this command has no equivalent")

    def text(self, given: Any, key: str = "text") -> str:
        found = given.get(key, "") if isinstance(given, Mapping) else given
        filled = re.sub(r"\$\{(\w+)\}", lambda one: self.values.get(one[1], one[0]), str(found or ""))
        refuse_variable(filled)
        return filled

    def target(self, given: Any) -> tuple[Fingerprint, list[str]]:
        table = given if isinstance(given, Mapping) else {"text": given}
        if table.get("optional"):
            raise Unsupported("it is optional, so it is not learned")
        name = self.text(table)
        if _PATTERN.search(name):
            raise Unsupported("a pattern, which may mean several things")
        id = self.text(table, "id")
        if not name and not id:
            place = "the recording has only coordinates, which do not fit other screens"
            raise Unsupported(place if "point" in table else "no text")
        lost = [key for key in _RELATIONS if key in table]
        rank = int(table["index"]) + 1 if str(table.get("index", "")).isdecimal() else 0
        words = id.rpartition("/")[2].replace("_", " ")
        found = Fingerprint("", name or words, attributes={"id": id} if id else {}, rank=rank)
        return found, [f"{key} is not kept" for key in lost]

    def launch(self, given: Any) -> list[str]:
        app = self.text(given, "appId") if isinstance(given, Mapping) else self.text(given)
        if not app and not self._app:
            raise Unsupported("the app is missing")
        if self.draft.steps or self.draft.start:
            self.draft.act(Open(app or self._app))
        else:
            self.draft.start = app or self._app
        clears = isinstance(given, Mapping) and (given.get("clearState") or given.get("permissions"))
        return ["the app is not reset to its initial state"] if clears else []

    def touch(self, kind: Callable[[Fingerprint], Any], given: Any) -> list[str]:
        at, lost = self.target(given)
        return lost + self.draft.act(kind(at))

    def type(self, given: Any) -> list[str]:
        text = self.text(given)
        last = self.draft.steps[-1].action if self.draft.steps else None
        return self.draft.act(TypeText(text, last.at if isinstance(last, Click) else None))

    def check_visible(self, given: Any, gone: bool) -> list[str]:
        at, lost = self.target(given)
        self.draft.expect(TextGone(at.name) if gone else TextShown(at.name))
        return lost

    def press(self, given: Any) -> list[str]:
        name = self.text(given, "key").lower()
        if name not in KEYS and name != "back":
            raise Unsupported("phones have no such key here")
        return self.draft.act(Back() if name == "back" else Press((KEYS[name],)))

    def wait(self, given: Any) -> list[str]:
        table = given if isinstance(given, Mapping) else {}
        gone = "notVisible" in table
        return self.check_visible(table.get("notVisible" if gone else "visible", ""), gone)


COMMANDS: dict[str, Callable[[_Reader, Any], list[str]]] = {
    "launchApp": _Reader.launch,
    "tapOn": lambda reader, given: reader.touch(Click, given),
    "doubleTapOn": lambda reader, given: reader.touch(lambda at: Click(at, clicks=2), given),
    "longPressOn": lambda reader, given: reader.touch(LongPress, given),
    "inputText": _Reader.type,
    "pressKey": _Reader.press,
    "back": lambda reader, _given: reader.draft.act(Back()),
    "openLink": lambda reader, given: reader.draft.act(Navigate(reader.text(given, "link"))),
    "assertVisible": lambda reader, given: reader.check_visible(given, gone=False),
    "assertNotVisible": lambda reader, given: reader.check_visible(given, gone=True),
    "extendedWaitUntil": _Reader.wait,
}
