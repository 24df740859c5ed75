"""Tests of Robot Framework for its Browser library or SeleniumLibrary as demonstrations; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gui_agent.core.actions import (
    Back,
    Check,
    Choose,
    Click,
    Close,
    Drag,
    Move,
    Press,
    Recorded,
    TypeText,
    Upload,
)
from gui_agent.core.conditions import Condition, Shown, StateIs, TextGone, TextShown, TitleIs, UrlIs, ValueIs
from gui_agent.core.errors import ConfigError, MissingExtra
from gui_agent.core.observation import Fingerprint
from gui_agent.procedures.importers.imported import (
    NEEDLESS,
    DemonstrationDraft,
    Imported,
    Unsupported,
    plain_pattern,
    refuse_variable,
)
from gui_agent.procedures.importers.selectors import UNKNOWN, read_selector, telling, with_attributes
from gui_agent.procedures.importers.verbs import chord

DEEPEST = 8
"""Levels of keywords of the file that are followed."""
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
_CLICKED = {
    "clickbutton": "button",
    "clicklink": "link",
    "clickimage": "img",
    "clickelement": "",
    "click": "",
}
_STATED = re.compile(
    r"(?:(?P<page>page)|element|checkbox|radiobutton|waituntil(?:element|page)?)"
    r"(?P<how>should(?:not)?|is(?:not)?|contains|doesnotcontain|\w*?shouldbe(?:not)?)(?P<what>\w*)"
)
_EQUAL = ("==", "=", "equal", "equals", "should be", "contains", "*=")


def import_robot(text: str, task: str, source: str = "tests.robot") -> Imported:
    """One test of a file as a demonstration: the one that the task names, else the first that acts.

    Keywords and variables that the file defines itself are put in where they are used.
    """
    try:
        from robot.api.parsing import get_model
        from robot.errors import DataError
    except ImportError as error:
        raise MissingExtra("robot", "reading tests of Robot Framework") from error
    try:
        model = get_model(text + "\n", data_only=True)
    except DataError as error:
        raise ConfigError(f"{source}: not a file of Robot Framework: {error}") from error
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
            return reader.draft.as_imported(f"import {source}")
    raise ConfigError(f"{source}: no action was understood: is it for Browser or SeleniumLibrary?")


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
        if kind in (
            "Documentation",
            "Tags",
            "Teardown",
            "Arguments",
            "ReturnSetting",
            "Timeout",
            "EmptyLine",
        ):
            return
        values = [str(arg) for arg in getattr(call, "args", ()) or ()]
        shown = "    ".join([name or kind, *values[:1]])
        line = int(getattr(call, "lineno", 1) or 1)
        try:
            if kind not in ("KeywordCall", "Setup", "SuiteSetup", "TestSetup"):
                raise Unsupported("loops, conditions and the like are not followed")
            args = [self._fill_variables(arg, given) for arg in values]
            own = self._keywords.get(_plain(name))
            if own is not None and depth < DEEPEST:
                self._follow(own, args, depth)
                return
            reason = self._understand(_plain(name.rpartition(".")[2]), name, args)
        except Unsupported as error:
            self.draft.remark(line, shown, str(error))
            return
        for one in reason:
            self.draft.remark(line, shown, one, dropped=False)

    def _follow(self, body: Sequence[Any], args: Sequence[str], depth: int) -> None:
        wanted = next((one.values for one in body if type(one).__name__ == "Arguments"), ())
        names = [str(name).partition("=") for name in wanted]
        inner = {_plain(name.strip("${}")): default for name, _, default in names}
        positional = [arg for arg in args if arg.partition("=")[0].lower() not in inner]
        for name, value in zip(inner, positional, strict=False):
            inner[name] = value
        for arg in args:
            name, _, value = arg.partition("=")
            inner.update({name.lower(): value} if name.lower() in inner else {})
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
        if verb not in ("fillsecret", "typesecret", "inputpassword"):
            for arg in args:
                refuse_variable(arg)
        args = [arg for number, arg in enumerate(args) if not number or not re.match(r"[a-z_]+=", arg)]
        if not args and verb not in ("goback", "reload", "reloadpage", "handlealert", "closepage"):
            raise Unsupported(f"{name} has no counterpart")
        of_page = verb == "selectframe" or verb in _ON_PAGE or verb in _OF_PAGE
        return self._page_verb(verb, args) if of_page else self._on_element(verb, name, args)

    def _page_verb(self, verb: str, args: list[str]) -> list[str]:
        if verb == "selectframe":
            self._frame = args[0]
            return []
        if verb in _ON_PAGE:
            return self.draft.act(_ON_PAGE[verb](args))
        self.draft.expect(_OF_PAGE[verb](args))
        return []

    def _on_element(self, verb: str, name: str, args: list[str]) -> list[str]:
        at = _element(args[0], _CLICKED.get(verb, ""))
        if self._frame:
            at = with_attributes(at, frame=self._frame)
        weak = [] if telling(at) else ["only a selector is known of the element, no name"]
        rest = args[1:]
        if verb in _ON_ELEMENT:
            return weak + self.draft.act(_ON_ELEMENT[verb](at, rest or [""]))
        if verb in ("presskeys", "presskey"):
            self.draft.act(Click(at))
            for keys in rest:
                self.draft.act(Press(chord(keys)) if _is_key(keys) else TypeText(keys))
        elif verb in _CHOOSING:
            weak += self._choose(verb, at, rest)
        else:
            self.draft.expect(_element_state(verb, name, at, rest))
        return weak

    def _choose(self, verb: str, at: Fingerprint, rest: list[str]) -> list[str]:
        how = rest.pop(0).lower() if verb == "selectoptionsby" and rest else verb
        if "index" in how or not rest:
            raise Unsupported("an option known by its place only")
        for option in rest:
            self.draft.act(Choose(at, option))
        return ["the option is known by its value only, its text may be another"] if "value" in how else []


def _page_state(verb: str, args: list[str]) -> Condition[Fingerprint]:
    if len(args) < 2 or args[0] not in _EQUAL:
        raise Unsupported("a reading that is not compared")
    pattern = plain_pattern(args[1])
    pattern = f"*{pattern}*" if args[0] in ("contains", "*=") else pattern
    return UrlIs(pattern) if verb == "geturl" else TitleIs(pattern)


def _element_state(verb: str, name: str, at: Fingerprint, rest: list[str]) -> Condition[Fingerprint]:
    first = rest[0] if rest else ""
    if verb in ("gettext", "getproperty") and len(rest) == 2 and first in _EQUAL:
        return TextShown(rest[1])
    if verb == "waitforelementsstate":
        return Shown(at, first.lower() not in ("hidden", "detached"))
    if verb in ("elementshouldcontain", "elementtextshouldbe", "waituntilelementcontains"):
        return TextShown(first)
    if verb in ("textfieldvalueshouldbe", "listselectionshouldbe", "textfieldshouldcontain"):
        return ValueIs(at, first)
    stated = _STATED.fullmatch(verb)
    if stated is None:
        raise Unsupported(f"{name} has no counterpart")
    on = "not" not in verb
    if "selected" in verb:
        return StateIs(at, "checked", on)
    if "abled" in verb:
        return StateIs(at, "disabled", ("disabled" in verb) == on)
    if "visible" in verb or "contain" in verb:
        return Shown(at, on)
    raise Unsupported(f"{name} has no counterpart")


def _type_text(at: Fingerprint, rest: list[str]) -> Recorded:
    return TypeText(rest[0], at, replace=True)


def _secret(at: Fingerprint, rest: list[str]) -> Recorded:
    return TypeText(rest[0], with_attributes(at, type="password"), replace=True)


def _click(at: Fingerprint, rest: list[str]) -> Recorded:
    return Click(at, "right" if rest[0].lower() == "right" else "left")


_ON_ELEMENT: dict[str, Callable[[Fingerprint, list[str]], Recorded]] = {
    **dict.fromkeys((*_CLICKED, "clickwithoptions"), _click),
    **dict.fromkeys(("filltext", "inputtext", "typetext", "clearelementtext", "cleartext"), _type_text),
    **dict.fromkeys(("fillsecret", "typesecret", "inputpassword"), _secret),
    **dict.fromkeys(("checkcheckbox", "selectcheckbox"), lambda at, rest: Check(at)),
    **dict.fromkeys(("uncheckcheckbox", "unselectcheckbox"), lambda at, rest: Check(at, False)),
    **dict.fromkeys(("hover", "mouseover"), lambda at, rest: Move(at)),
    **dict.fromkeys(("uploadfilebyselector", "choosefile"), lambda at, rest: Upload(at, (rest[0],))),
    "doubleclickelement": lambda at, rest: Click(at, clicks=2),
    "opencontextmenu": lambda at, rest: Click(at, "right"),
    "draganddrop": lambda at, rest: Drag(at, _element(rest[0], "")),
    "selectradiobutton": lambda at, rest: Check(
        with_attributes(UNKNOWN, "radio", value=rest[0], **at.attributes)
    ),
}
_ON_PAGE: dict[str, Callable[[list[str]], Recorded]] = {
    "goback": lambda args: Back(),
    **dict.fromkeys(("reload", "reloadpage"), lambda args: Press(("f5",))),
    **dict.fromkeys(("closepage", "closewindow"), lambda args: Close()),
    "handlealert": lambda args: Click(
        Fingerprint("button", "Cancel" if args and args[0].upper() == "DISMISS" else "OK")
    ),
    "keyboardkey": lambda args: Press(chord(args[-1])),
    "keyboardinput": lambda args: TypeText(args[-1]),
}
_OF_PAGE: dict[str, Callable[[list[str]], Condition[Fingerprint]]] = {
    **dict.fromkeys(("pageshouldcontain", "waituntilpagecontains"), lambda args: TextShown(args[0])),
    **dict.fromkeys(("pageshouldnotcontain", "waituntilpagedoesnotcontain"), lambda args: TextGone(args[0])),
    "titleshouldbe": lambda args: TitleIs(plain_pattern(args[0])),
    "locationshouldbe": lambda args: UrlIs(plain_pattern(args[0])),
    "locationshouldcontain": lambda args: UrlIs(f"*{plain_pattern(args[0])}*"),
    "geturl": lambda args: _page_state("geturl", args),
    "gettitle": lambda args: _page_state("gettitle", args),
}
_CHOOSING = ("selectoptionsby", "selectfromlistbylabel", "selectfromlistbyvalue", "selectfromlist")


def _is_key(keys: str) -> bool:
    return "+" in keys[1:] or (len(keys) > 1 and keys == keys.upper()) or keys.istitle()


def _element(locator: str, role: str) -> Fingerprint:
    if not locator:
        raise Unsupported("an empty locator")
    found = _STRATEGY.match(locator)
    if found is None and role:  # The default: the id, the name, or the text of a button or link.
        worded = locator[0].isupper() or " " in locator
        if not locator.startswith(("//", "(//")):
            return Fingerprint(role, locator) if worded else Fingerprint(role, "", attributes={"id": locator})
    plain = re.fullmatch(r"[\w-]+", locator) if found is None else None
    if plain:
        return Fingerprint(role, "", attributes={"id": locator})
    engine = {
        "link": "linkText",
        "partial link": "linkText",
        "class": "css",
        "tag": "css",
        "identifier": "id",
    }
    if found is None:
        read = read_selector(locator)
    else:
        rest = ("." if found[1] == "class" else "") + locator[found.end() :]
        read = read_selector(f"{engine.get(found[1], found[1])}={rest}")
    return with_attributes(read, role)
