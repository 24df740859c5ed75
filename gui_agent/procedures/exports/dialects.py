"""Writes a script for pytest, for Playwright Test or for Robot Framework."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gui_agent.procedures.exports.script import Inexpressible, ScriptStep, Statement, Text, WrittenScript
from gui_agent.procedures.importers._verbs import Chain, Pattern, ScriptCall, ScriptExpression

_ABOUT = "Written by `guiagent export`; runs without it."


class _Python:
    """Writes tests for pytest with the plugin pytest-playwright, which provides `page`."""

    properties: tuple[str, ...] = ("first", "last", "keyboard")
    mark, indent = "#", "    "

    def file(self, scripts: Sequence[WrittenScript]) -> str:
        body = "\n".join(line for script in scripts for line in self._test(script))
        head = [
            f'"""{_ABOUT} Needs pytest and pytest-playwright."""', "", "import os",
            *(["import re"] if "re.compile" in body else []), "from contextlib import suppress", "",
            *(["import pytest"] if "@pytest." in body else []),
            "from playwright.sync_api import Error, Page, expect", "",
            f'START = os.environ.get("START", {self.literal(scripts[0].start)})',
            '"""Where the application is."""',
        ]  # fmt: skip
        return "\n".join([*head, body]) + "\n"

    def _test(self, script: WrittenScript) -> Iterator[str]:
        values = script.parameters
        yield from ("", "")
        if values:
            names, row = (", ".join(map(self.literal, one)) for one in (values, values.values()))
            both = f"({names}), [({row})]" if len(values) > 1 else f"{names}, [{row}]"
            yield f"@pytest.mark.parametrize({both})"
        kinds = ("str" if isinstance(value, str) else "list[str]" for value in values.values())
        taken = "".join(f", {name}: {kind}" for name, kind in zip(values, kinds, strict=True))
        yield f"def test_{_slug(script.name)}(page: Page{taken}) -> None:"
        yield f'    """{_line(script.task)}{" " if script.task.endswith(chr(34)) else ""}"""'
        rest = '    with suppress(Error):\n        page.wait_for_load_state("networkidle", timeout=5000)'
        yield from ("    page.goto(START)", *rest.split("\n"), *self.lines(script.body, self.indent))

    def lines(self, body: Sequence[Statement], indent: str) -> Iterator[str]:
        for one in body:
            if isinstance(one, ScriptStep):
                if one.comment:
                    yield f"{indent}{self.mark} {_line(one.comment)}"
                yield indent + self.statement(one)
            else:
                head, *ends = self.block(self.literal(one.items) if one.items else "", one.shown)
                yield from (indent + head, *self.lines(one.body, indent + self.indent))
                yield from (indent + end for end in ends)

    def block(self, items: str, shown: Chain) -> list[str]:
        return [f"for item in {items}:" if items else f"if {self.chain(shown)}.is_visible():"]

    def statement(self, one: ScriptStep) -> str:
        if one.chain.calls and one.chain.calls[-1].name == "once":
            return f'page.once("dialog", lambda dialog: dialog.{one.chain.calls[-1].first}())'
        if one.check is not None:
            return f"expect({self.chain(one.chain)}){self.call(one.check)}"
        return (f"{one.gives} = " if one.gives else "") + self.chain(one.chain)

    def chain(self, chain: Chain) -> str:
        return chain.root + "".join(self.call(one) for one in chain.calls)

    def call(self, one: ScriptCall) -> str:
        if one.name in self.properties:
            return f".{one.name}"
        options = [f"{key}={self.literal(value)}" for key, value in one.options.items()]
        return f".{one.name}({', '.join([*map(self.literal, one.args), *options])})"

    def literal(self, value: Any) -> str:
        match value:
            case Pattern(source):
                return f"re.compile({_raw(source)}, re.I)"
            case Chain():
                return self.chain(value)
            case list() | tuple():
                return f"[{', '.join(map(self.literal, value))}]"
            case Text(parts):
                return " + ".join(map(self.literal, parts)) or '""'
            case ScriptExpression(source):
                return f'os.environ["{source[4:]}"]' if source.startswith("env:") else source
            case str():
                return json.dumps(value, ensure_ascii=False)
        return repr(value)


class _TypeScript(_Python):
    properties = ("keyboard",)
    mark, indent = "//", "  "

    def file(self, scripts: Sequence[WrittenScript]) -> str:
        start = f"const START = process.env.START ?? {self.literal(scripts[0].start)};"
        lines = [f"// {_ABOUT} Needs @playwright/test.", "import { expect, test } from '@playwright/test';"]
        lines += ["", start, "// Where the application is."]
        for script in scripts:
            lines += ["", f"test({self.literal(script.task)}, async ({{ page }}) => {{"]
            lines += [f"  const {name} = {self.literal(one)};" for name, one in script.parameters.items()]
            rest = "  await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => {});"
            lines += ["  await page.goto(START);", rest, *self.lines(script.body, "  "), "});"]
        return "\n".join(lines) + "\n"

    def block(self, items: str, shown: Chain) -> list[str]:
        head = f"for (const item of {items})" if items else f"if (await {self.chain(shown)}.isVisible())"
        return [f"{head} {{", "}"]

    def statement(self, one: ScriptStep) -> str:
        text = super().statement(one).replace("lambda dialog: ", "dialog => ")
        if one.gives:
            return f"const {one.gives} = await {self.chain(one.chain)};"
        return f"{text};" if text.startswith("page.once") else f"await {text};"

    def call(self, one: ScriptCall) -> str:
        name = f"not.{_camel(one.name[4:])}" if one.name.startswith("not_") else _camel(one.name)
        if one.name in self.properties:
            return f".{name}"
        options = ", ".join(f"{_camel(key)}: {self.literal(value)}" for key, value in one.options.items())
        given = [*map(self.literal, one.args), *([f"{{ {options} }}"] if options else [])]
        return f".{name}({', '.join(given)})"

    def literal(self, value: Any) -> str:
        match value:
            case Pattern(source):
                return f"/{source.replace('/', chr(92) + '/')}/i"
            case bool():
                return str(value).lower()
            case ScriptExpression(source) if source.startswith("env:"):
                return f"process.env.{source[4:]}!"
        return super().literal(value)


_NAMING = ("name", "exact")
_KEYWORDS = {
    "goto": "Go To    {0}", "go_back": "Go Back", "click": "Click    {at}", "hover": "Hover    {at}",
    "dblclick": "Click With Options    {at}    clickCount=2", "fill": "Fill Text    {at}    {0}",
    "clear": "Clear Text    {at}", "press_sequentially": "Type Text    {at}    {0}",
    "type": "Keyboard Input    insertText    {0}", "press": "Keyboard Key    press    {0}",
    "drag_to": "Drag And Drop    {at}    {0}", "set_input_files": "Upload File By Selector    {at}    {0}",
    "once": "Handle Future Dialogs    action={0}", "wait_for_timeout": "Sleep    {0} ms",
    "inner_text": "Get Text    {at}", "select_option": "Select Options By    {at}    label    {label}",
    "to_have_url": "Get Url    matches    {0}", "to_have_title": "Get Title    matches    {0}",
    "to_contain_text": "Get Text    {at}    contains    {0}",
    "not_to_contain_text": "Get Text    {at}    not contains    {0}",
    "to_be_visible": "Get Element States    {at}    contains    visible",
    "to_be_checked": "Get Checkbox State    {at}    ==    checked",
    "not_to_be_checked": "Get Checkbox State    {at}    ==    unchecked",
}  # fmt: skip


class _Robot(_Python):
    """Writes tests for Robot Framework's Browser library, which wraps Playwright and locates by selectors."""

    def file(self, scripts: Sequence[WrittenScript]) -> str:
        lines = [
            "*** Settings ***", f"Documentation    {_ABOUT} Needs robotframework-browser.",
            "Library    Browser    timeout=10s    retry_assertions_for=5s", "", "*** Variables ***",
            f"${{START}}    {_robot_cell(scripts[0].start)}",
        ]  # fmt: skip
        for name, value in (pair for script in scripts for pair in script.parameters.items()):
            cells = [value] if isinstance(value, str) else value
            sign = "$" if isinstance(value, str) else "@"
            lines.append("    ".join([f"{sign}{{{name}}}", *map(_robot_cell, cells)]))
        lines += ["", "*** Test Cases ***"]
        for script in scripts:
            lines += [
                _line(script.task)[:120],
                "    New Page    ${START}",
                "    Run Keyword And Ignore Error    Wait For Load State    networkidle    5s",
                *self.lines(script.body, "    "),
                "",
            ]
        return "\n".join(lines)

    def block(self, items: str, shown: Chain) -> list[str]:
        if items:
            return [f"FOR    ${{item}}    IN    @{items[1:]}", "END"]
        raise Inexpressible("Robot Framework has no short form for a step done only if something is shown")

    def statement(self, one: ScriptStep) -> str:
        calls = one.chain.calls if one.check is None else (*one.chain.calls, one.check)
        call = calls[-1]
        known = call.name in (*_KEYWORDS, "set_checked") and not (call.name == "click" and call.options)
        if not known:
            raise Inexpressible(f"it needs {call.name} with options, for which there is no keyword")
        keyword = _KEYWORDS.get(call.name, f"{'Check' if call.first else 'Uncheck'} Checkbox    {{at}}")
        places = [self.call(part) for part in calls[:-1] if part.name != "keyboard"]
        several = call.options.get("label", ())
        labels = "    ".join(map(self.literal, several if isinstance(several, list) else [several]))
        text = keyword.format(*map(self.literal, call.args), at=_join(places), label=labels)
        return (f"${{{one.gives}}} =    " if one.gives else "") + text

    def chain(self, chain: Chain) -> str:
        return _join([self.call(one) for one in chain.calls])

    def call(self, one: ScriptCall) -> str:
        name = one.first if one.name == "get_by_text" else one.options.get("name")
        exact = one.options.get("exact")
        match one.name:
            case "get_by_role":
                states = [f"[{k}={str(on).lower()}]" for k, on in one.options.items() if k not in _NAMING]
                test = name and self._quote(name, ("=", "") if exact else ("*=", "i"))
                return f"role={one.first}{f'[name{test}]' if name else ''}{''.join(states)}"
            case "get_by_text":
                return f"text{self._quote(name, ('=', '')) if exact else '=' + self.literal(name)}"
            case "locator":
                return str(one.first) if str(one.first).startswith("xpath") else f"css={one.first}"
            case "frame_locator":
                return f"{one.first} >>>"
        return f"nth={({'first': 0, 'last': -1} | {'nth': one.first})[one.name]}"

    def _quote(self, name: Any, signs: tuple[str, str]) -> str:
        if isinstance(name, Pattern):
            return f"=/{_robot_cell(name.source)}/i"
        quoted = self.literal(name).replace('"', '\\\\"')
        return f'{signs[0]}"{quoted}"{signs[1]}'

    def literal(self, value: Any) -> str:
        match value:
            case Pattern(source):
                return _robot_cell(source)
            case Text(parts):
                return "".join(map(self.literal, parts)) or "${EMPTY}"
            case ScriptExpression(source):
                return f"%{{{source[4:]}}}" if source.startswith("env:") else f"${{{source}}}"
        return self.chain(value) if isinstance(value, Chain) else _robot_cell(str(value))


DIALECTS: Mapping[str, tuple[Callable[[Sequence[WrittenScript]], str], str]] = {
    "pytest": (_Python().file, "test_{}.py"),
    "playwright": (_TypeScript().file, "{}.spec.ts"),
    "robot": (_Robot().file, "{}.robot"),
}


def file_name(form: str, name: str) -> str:
    return DIALECTS[form][1].format(_slug(name))


def _slug(name: str) -> str:
    return re.sub(r"\W+", "_", name.lower()).strip("_") or "procedure"


def _line(text: str) -> str:
    return " ".join(text.split()).replace("\\", "/").replace('"""', "'")


def _raw(source: str) -> str:
    return f'r"{source}"' if '"' not in source else repr(source)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join({"url": "URL"}.get(word, word.capitalize()) for word in rest)


def _join(places: Sequence[str]) -> str:
    return " >> ".join(places).replace(">>> >> ", ">>> ")


def _robot_cell(text: str) -> str:
    """A text as one cell: any two blanks, or a tab, would begin another one."""
    escaped = re.sub(r"[\\$@&%#=]", r"\\\g<0>", text)
    plain = re.sub(r"[^\S ]", lambda blank: f"\\u{ord(blank[0]):04x}", escaped)
    return re.sub(r" (?= )", r" \\", plain) or "${EMPTY}"
