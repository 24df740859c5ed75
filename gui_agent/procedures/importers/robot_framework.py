"""Imports Robot Framework tests for its Browser library or SeleniumLibrary without running them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from gui_agent.core.actions import Check, Choose, Click, Press, TypeText
from gui_agent.core.conditions import Shown
from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.core.observation import Fingerprint
from gui_agent.core.texts import table
from gui_agent.procedures.importers._selectors import (
    BY_VALUE,
    UNKNOWN,
    read_selector,
    weaknesses,
    with_attributes,
)
from gui_agent.procedures.importers._verbs import chord
from gui_agent.procedures.importers._vocabulary import ACTIONS, CONDITIONS, NAMES, PAGE_ACTIONS
from gui_agent.procedures.importers.imported import (
    NEEDLESS,
    DemonstrationDraft,
    Imported,
    Unsupported,
    refuse_variable,
)

DEEPEST = 8
"""Maximum depth of nested keywords of the file that the importer follows."""
_VARIABLE = re.compile(r"[$%&@]\{(?:[A-Z]+:)?([^{}]*)\}")
_STRATEGY = re.compile(
    r"(id|name|css|xpath|link|partial link|class|data|text|identifier|image|tag)\s*[:=]\s*"
)
_SETUP = re.compile(
    r"(?:new|close|switch|set|maximize|register|import|delete)(?:browser|context|allbrowsers|window|timeout"
    r"|viewportsize|selenium\w+|screenshotdirectory|library|resource|allcookies|browsertimeout|strictmode)\w*"
)
_NEEDLESS = re.compile(
    r"(?:log|logtoconsole|sleep|capture\w+|takescreenshot|wait\w*(?:load|network|navigation)\w*|focus|setfocus\w*"
    r"|scroll\w*|waitforcondition|comment|noop|nooperation|unselectframe|mouseout)"
)
_CLICKED = {"clickbutton": "button", "clicklink": "link", "clickimage": "img"}
_UNCALLED = frozenset(
    ["Documentation", "Tags", "Teardown", "Arguments", "ReturnSetting", "Timeout", "EmptyLine"]
)
"""Parts of a test's body that are not steps."""
_EQUAL = ("==", "=", "equal", "equals", "should be", "contains", "*=")


def import_robot(text: str, task: str, source: str = "tests.robot") -> Imported:
    """Import one test of a file: the one that the task names, else the first with an action.

    Keywords and variables that the file defines are expanded where they are used.
    """
    model = _parse(text, source)
    sections = {type(section).__name__: section for section in model.sections}
    tests = _blocks(sections.get("TestCaseSection"))
    if not tests:
        raise ConfigError(f"{source}: it has no test cases; give the file that holds the test")
    begins = [_setup(sections.get("SettingSection"), kind) for kind in ("SuiteSetup", "TestSetup")]
    named = [name for name in tests if _plain(name) == _plain(task)]
    for name in named or tests:
        reader = _Reader(task or name, _variables(sections), _blocks(sections.get("KeywordSection")))
        if len(tests) > 1:
            reader.draft.remark(1, f"{len(tests)} tests", f'only "{name}" is read; --task names another')
        for call in [*(call for call in begins if call is not None), *tests[name]]:
            reader.read(call, {}, 0)
        if reader.draft.steps:
            return reader.draft.as_imported(source)
    raise ConfigError(f"{source}: no supported action; only Browser and SeleniumLibrary are supported")


def _parse(text: str, source: str) -> Any:
    try:
        from robot.api.parsing import get_model
        from robot.errors import DataError
    except ImportError as error:
        raise MissingExtra("robot", "reading tests of Robot Framework") from error
    try:
        return get_model(text + "\n", data_only=True)
    except DataError as error:
        raise ConfigError(f"{source}: not a file of Robot Framework: {error}") from error


def _blocks(section: Any) -> dict[str, list[Any]]:
    return {block.name: list(block.body) for block in getattr(section, "body", ()) if hasattr(block, "body")}


def _setup(section: Any, kind: str) -> Any:
    return next((one for one in getattr(section, "body", ()) if type(one).__name__ == kind), None)


def _variables(sections: Mapping[str, Any]) -> dict[str, str]:
    given = {"space": " ", "empty": "", "true": "True", "false": "False", "none": "None"}
    for one in getattr(sections.get("VariableSection"), "body", ()):
        if type(one).__name__ == "Variable" and one.name.startswith("$"):
            given[_plain(one.name.strip("${}= "))] = " ".join(one.value)
    return given


def _plain(name: str) -> str:
    return re.sub(r"[\s_]", "", name).lower()


class _Reader:
    def __init__(self, task: str, variables: Mapping[str, str], keywords: Mapping[str, list[Any]]) -> None:
        self.draft = DemonstrationDraft(task)
        self._variables = dict(variables)
        self._keywords = {_plain(name): body for name, body in keywords.items()}
        self._frame = ""

    def read(self, call: Any, given: Mapping[str, str], depth: int) -> None:
        name = str(getattr(call, "keyword", None) or getattr(call, "name", "") or "")
        kind = type(call).__name__
        if kind in _UNCALLED:
            return
        values = [str(arg) for arg in getattr(call, "args", ()) or ()]
        shown = "    ".join([name or kind, *values[:1]])
        line = int(getattr(call, "lineno", 1) or 1)
        self.draft.take_over(line, shown, lambda: self._call(kind, name, values, given, depth))

    def _call(
        self, kind: str, name: str, values: Sequence[str], given: Mapping[str, str], depth: int
    ) -> list[str]:
        if kind not in ("KeywordCall", "Setup", "SuiteSetup", "TestSetup"):
            raise Unsupported("loops, conditions and the like are not supported")
        args = [self._fill_variables(arg, given) for arg in values]
        own = self._keywords.get(_plain(name))
        if own is None or depth >= DEEPEST:
            return self._understand(_plain(name.rpartition(".")[2]), name, args)
        self._follow(own, args, depth)
        return []

    def _follow(self, body: Sequence[Any], args: Sequence[str], depth: int) -> None:
        wanted = next((one.values for one in body if type(one).__name__ == "Arguments"), ())
        names = [str(name).partition("=") for name in wanted]
        inner = {_plain(name.strip("${}")): default for name, _, default in names}
        positional = [arg for arg in args if arg.partition("=")[0].lower() not in inner]
        inner |= dict(zip(inner, positional, strict=False))
        pairs = (arg.partition("=") for arg in args)
        inner |= {name.lower(): value for name, _, value in pairs if name.lower() in inner}
        for call in body:
            self.read(call, inner, depth + 1)

    def _fill_variables(self, text: str, given: Mapping[str, str]) -> str:
        def value(found: re.Match[str]) -> str:
            name = _plain(found[1])
            return given.get(name, self._variables.get(name, found[0]))

        return re.sub(r"\\(.)", r"\1", _VARIABLE.sub(value, _VARIABLE.sub(value, text)))

    def _understand(self, verb: str, name: str, args: list[str]) -> list[str]:
        if _NEEDLESS.fullmatch(verb):
            return [f"{NEEDLESS}: the agent does it by itself"]
        if verb in ("openbrowser", "newpage", "goto"):
            refuse_variable(args[0] if args else "")
            if args:
                self.draft.go(args[0].removeprefix("url="))
            return []
        if _SETUP.fullmatch(verb):
            return []
        kind = NAMES["robot"].get(verb, "")
        if kind != "secret":
            refuse_variable(" ".join(args))
        args = [arg for number, arg in enumerate(args) if not number or not re.match(r"[a-z_]+=", arg)]
        if not args and kind not in PAGE_ACTIONS and verb != "handlealert":
            raise Unsupported(f"{name} has no counterpart")
        if self._is_done_to_page(verb, kind, args):
            return []
        return self._on_element(verb, name, args)

    def _is_done_to_page(self, verb: str, kind: str, args: list[str]) -> bool:
        """Import a keyword that has no target element. Returns whether it was such a keyword."""
        if kind in PAGE_ACTIONS:
            self.draft.act(PAGE_ACTIONS[kind])
        elif verb == "selectframe":
            self._frame = args[0]
        elif verb == "handlealert":
            self.draft.act(Click(Fingerprint("button", "Cancel" if args[:1] == ["DISMISS"] else "OK")))
        elif verb == "keyboardkey":
            self.draft.act(Press(chord(args[-1])))
        elif verb == "keyboardinput":
            self.draft.act(TypeText(args[-1]))
        elif _OF_PAGE.search(verb):
            read = verb.startswith("get")
            part = "part of the " if read and args[0] in ("contains", "*=") else ""
            self.draft.expect(CONDITIONS[part + kind](UNKNOWN, _expected_text(args) if read else args[0]))
        else:
            return False
        return True

    def _on_element(self, verb: str, name: str, args: list[str]) -> list[str]:
        at = _element(args[0], _CLICKED.get(verb, ""))
        if self._frame:
            at = with_attributes(at, frame=self._frame)
        weak = weaknesses(at)
        rest = args[1:]
        first = rest[0] if rest else ""
        kind = NAMES["robot"].get(verb, "")
        if kind in ACTIONS:
            right = kind == "click" and first.lower() == "right"
            return weak + self.draft.act(ACTIONS["right click" if right else kind](at, first))
        if verb in ("presskeys", "presskey"):
            self.draft.act(Click(at))
            for keys in rest:
                self.draft.act(Press(chord(keys)) if _is_key(keys) else TypeText(keys))
        elif verb in _CHOOSING:
            weak += self._choose(verb, at, rest)
        elif verb == "selectradiobutton":
            self.draft.act(Check(with_attributes(UNKNOWN, "radio", value=first, **at.attributes)))
        elif verb == "waitforelementsstate":
            self.draft.expect(Shown(at, first.lower() not in ("hidden", "detached")))
        elif kind in CONDITIONS:
            self.draft.expect(CONDITIONS[kind](at, _expected_text(rest) if verb.startswith("get") else first))
        else:
            raise Unsupported(f"{name} has no counterpart")
        return weak

    def _choose(self, verb: str, at: Fingerprint, rest: list[str]) -> list[str]:
        how = rest.pop(0).lower() if verb == "selectoptionsby" and rest else verb
        if "index" in how or not rest:
            raise Unsupported("an option known by its index only")
        for option in rest:
            self.draft.act(Choose(at, option))
        return [BY_VALUE] if "value" in how else []


def _expected_text(args: Sequence[str]) -> str:
    """The text that an assertion compares a reading with."""
    if len(args) < 2 or args[0] not in _EQUAL:
        raise Unsupported("a reading that is not compared with anything")
    return args[1]


_OF_PAGE = re.compile(r"geturl|gettitle|title|location|page(?:should(?:not)?|doesnot)contain$|pagecontains$")
_CHOOSING = ("selectoptionsby", "selectfromlistbylabel", "selectfromlistbyvalue", "selectfromlist")


def _is_key(keys: str) -> bool:
    return "+" in keys[1:] or (len(keys) > 1 and keys == keys.upper()) or keys.istitle()


_ENGINES = table("link=linkText class=css tag=css identifier=id") | {"partial link": "linkText"}


def _element(locator: str, role: str) -> Fingerprint:
    if not locator:
        raise Unsupported("an empty locator")
    found = _STRATEGY.match(locator)
    if found is not None:
        rest = ("." if found[1] == "class" else "") + locator[found.end() :]
        return with_attributes(read_selector(f"{_ENGINES.get(found[1], found[1])}={rest}"), role)
    # Without a prefix: the id, the name, or the text of a button or link.
    by_default = role and not locator.startswith(("//", "(//"))
    if by_default and (locator[0].isupper() or " " in locator):
        return Fingerprint(role, locator)
    if by_default or re.fullmatch(r"[\w-]+", locator):
        return Fingerprint(role, "", attributes={"id": locator})
    return with_attributes(read_selector(locator), role)
