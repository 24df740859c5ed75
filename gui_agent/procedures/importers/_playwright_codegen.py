"""Imports scripts of Playwright's code generator, in Python or JavaScript, as demonstrations."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from gui_agent.core.actions import Back, Close, Press, TypeText
from gui_agent.core.conditions import Condition, TitleIs, UrlIs
from gui_agent.core.errors import ConfigError
from gui_agent.core.observation import Fingerprint
from gui_agent.procedures.importers._verbs import (
    LOCATING,
    Chain,
    Pattern,
    ScriptCall,
    ScriptExpression,
    Statement,
    chord,
    locate,
    perform,
    snake,
    words,
)
from gui_agent.procedures.importers._vocabulary import condition
from gui_agent.procedures.importers.imported import (
    NEEDLESS,
    DemonstrationDraft,
    Imported,
    Unsupported,
    text_of,
)

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<text>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`)"
    r"|(?P<number>-?\d+(?:\.\d+)?)"
    r"|(?P<regex>/(?![/*\s])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<mark>=>|.)",
    re.DOTALL,
)
_DIALOG = re.compile(
    r"\b(\w+)\.on(?:ce)?\(\s*(['\"])dialog\2.{0,200}?\.(accept|dismiss)\(.{0,80}?\n\s*\}\);?", re.DOTALL
)
"""The handler that answers a dialog, as the code generator writes it."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_OPENING = re.compile(
    r"^(?:import\b|(?:const|let|var)\s*\{.*require\(|test\.use\(|test(?:\.describe|\.only)?\(|\(async\b"
    r"|describe\(|[})\];]+\s*(?:\(\))?$|export\b)",
    re.DOTALL,
)


def read_javascript(text: str) -> list[Statement]:
    """The statements of a script in order, including those inside the test function, without its wrappers."""
    found: list[Statement] = []
    text = _DIALOG.sub(lambda one: f"{one[1]}.once('dialog', '{one[3]}');" + "\n" * one[0].count("\n"), text)
    for line, source in _split(text):
        if _OPENING.match(source):
            continue
        body = re.sub(r"^(?:const|let|var)\s+", "", source)
        given = re.match(r"(?P<name>[\w$]+)\s*=\s*(?!=)", body)
        gives = given["name"] if given else ""
        expression = body[given.end() :] if given else body
        found.append(Statement(line, source, _read_expression(expression), gives))
    return found


_BRACKETS = ("([{", ")]}")


def _split(text: str) -> list[tuple[int, str]]:
    """Statements with their first line number, split at `;` outside brackets and at the `{` of a function."""
    pieces: list[tuple[int, str]] = []
    start, depth = 0, 0
    arrow = False
    for token in _TOKEN.finditer(text):
        mark = token["mark"]
        opens_function = mark == "{" and arrow
        if opens_function or (mark in (";", "}") and depth <= 0):
            pieces.append((start, text[start : token.end()]))
            start, depth = token.end(), 0
        elif mark:
            depth += (mark in _BRACKETS[0]) - (mark in _BRACKETS[1])
        if not token["space"]:
            arrow = mark == "=>"
    pieces.append((start, text[start:]))
    breaks = [found.start() for found in re.finditer("\n", text)]
    return [_place_statement(breaks, offset, piece) for offset, piece in pieces if piece.strip(" \t\r\n;")]


def _place_statement(breaks: list[int], offset: int, piece: str) -> tuple[int, str]:
    bare = re.sub(r"^(?:\s+|//[^\n]*\n|/\*.*?\*/)+", "", piece, flags=re.DOTALL)
    offset += len(piece) - len(bare)
    return bisect_left(breaks, offset) + 1, bare.strip().rstrip(";").strip()


_LITERALS = {"true": "True", "false": "False", "null": "None", "undefined": "None"}


def _read_expression(text: str) -> Chain | None:
    """A chain of calls in JavaScript; None for any other expression."""
    try:
        tree = ast.parse(_as_python(text), mode="eval")
    except (SyntaxError, ValueError, MemoryError):
        return None
    chain = _chain(tree.body)
    return None if chain is None else _in_snake_case(chain)


def _as_python(text: str) -> str:
    """The expression in Python syntax: quoted keys, compiled patterns, templates as sums."""
    tokens = [token for token in _TOKEN.finditer(text) if not token["space"]]
    following = [token[0] for token in tokens[1:]]
    written: list[str] = []
    for token, then in zip(tokens, [*following, ""], strict=True):
        said = token[0]
        if token["text"]:
            computed = said.startswith("`") and "${" in said
            written.append(f"('' + {said!r})" if computed else repr(_unescape(said[1:-1])))
        elif token["regex"]:
            written.append(f"re.compile({said[1 : said.rindex('/')]!r})")
        elif token["name"] and then == ":":
            written.append(repr(said))
        else:
            written.append(f"{said}_" if said in ("not", "is", "in", "from") else _LITERALS.get(said, said))
    return " ".join(written)


def _in_snake_case(value: Any) -> Any:
    """A JavaScript value with names in snake case; an object at the end of a call becomes its options."""
    match value:
        case Chain(root, calls):
            return Chain(root, tuple(map(_in_snake_case, calls)))
        case ScriptCall(name, args):
            given = list(map(_in_snake_case, args))
            options = given.pop() if given and isinstance(given[-1], dict) else {}
            return ScriptCall(snake(name.rstrip("_")), tuple(given), options)
        case list():
            return list(map(_in_snake_case, value))
        case dict():
            return {snake(key): _in_snake_case(one) for key, one in value.items()}
    return value


def _unescape(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "ux" and len(code) > 1:
            return chr(int(code[1:].strip("{}"), 16))
        return "" if code == "\n" else _ESCAPES.get(code, code)

    return re.sub(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", one, text, flags=re.DOTALL)


def expectation(chain: Chain) -> Condition[Fingerprint]:
    """The condition that `expect(subject).to_...(...)` states."""
    subject = chain.calls[0].first
    names = [call.name for call in chain.calls[1:]]
    positive = True
    if names and names[0] == "not":
        positive, names = False, names[1:]
    if names and names[0].startswith("not_"):
        positive, names = False, [names[0].removeprefix("not_")]
    if len(names) != 1 or not isinstance(subject, Chain):
        raise Unsupported("an unknown form of expectation")
    args = chain.calls[-1].args
    if not subject.calls:
        return _of_page(names[0], args, positive)
    wanted = args[0] if args and not isinstance(args[0], list) else ""
    at = locate(subject.calls).fingerprint
    return condition("playwright", names[0], at, words(wanted), positive=positive)


def _of_page(name: str, args: tuple[Any, ...], positive: bool) -> Condition[Fingerprint]:
    if positive and args and name == "to_have_url":
        return UrlIs(_glob(args[0]))
    if positive and args and name == "to_have_title":
        return TitleIs(_glob(args[0]))
    raise Unsupported(f"the expectation {'' if positive else 'not '}{name} on a page")


def _glob(value: Any) -> str:
    if not isinstance(value, Pattern):
        # Characters that are special in a pattern are literal in an address.
        plain = words(value).replace("**", "*")
        return re.sub(r"[\[?]", lambda sign: f"[{sign[0]}]", plain)
    source = value.source
    begins, ends = source.startswith("^"), source.endswith("$")
    middle = source.removeprefix("^").removesuffix("$").replace(".*", "\0")
    if re.search(r"(?<!\\)[\[\](){}|*+?]|\\[a-zA-Z]", middle):
        raise Unsupported("a regular expression that is more than a text with wildcards")
    plain = re.sub(r"\\(.)", r"\1", middle).replace("\0", "*")
    return ("" if begins else "*") + plain + ("" if ends else "*")


def read_python(text: str, source: str) -> list[Statement]:
    """The statements of a script in order, including those inside functions and with-blocks."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise ConfigError(f"{source} line {error.lineno}: not a Python script: {error.msg}") from error
    except (ValueError, MemoryError) as error:
        raise ConfigError(f"{source}: not a Python script: {error or 'nested too deeply'}") from error
    return list(_statements(tree.body, text))


def _statements(body: list[ast.stmt], text: str) -> Iterator[Statement]:
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Return(value=None):
                continue
            case ast.Expr(value=ast.Constant()):
                continue  # a docstring
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _statements(node.body, text)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    name = item.optional_vars.id if isinstance(item.optional_vars, ast.Name) else ""
                    yield _statement(node, item.context_expr, text, name)
                yield from _statements(node.body, text)
            case ast.Expr():
                yield _statement(node, node.value, text)
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield _statement(node, node.value, text, name)
            case ast.If() if "__name__" in ast.unparse(node.test):
                yield from _statements(node.body, text)
            case _:
                yield Statement(node.lineno, ast.unparse(node).splitlines()[0])


def _statement(node: ast.stmt, value: ast.expr, text: str, gives: str = "") -> Statement:
    chain = _chain(value)
    return Statement(value.lineno, ast.get_source_segment(text, value) or ast.unparse(node), chain, gives)


def _chain(node: ast.expr) -> Chain | None:
    calls: list[ScriptCall] = []
    while True:
        match node:
            case ast.Await(value):
                node = value
            case ast.Call(ast.Attribute(inner, name), args, keywords):
                options = {item.arg: _literal(item.value) for item in keywords if item.arg}
                calls.append(ScriptCall(name, tuple(_literal(arg) for arg in args), options))
                node = inner
            case ast.Attribute(inner, name):
                calls.append(ScriptCall(name))
                node = inner
            case ast.Call(ast.Name(name), args):
                calls.append(ScriptCall(name, tuple(_literal(arg) for arg in args)))
                return Chain("", tuple(reversed(calls)))
            case ast.Name(name):
                return Chain(name, tuple(reversed(calls)))
            case _:
                return None


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Constant(value):
            return value
        case ast.List(items) | ast.Tuple(items):
            return [_literal(item) for item in items]
        case ast.Dict(keys, values):
            return {
                key.value: _literal(value)
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant)
            }
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
        case ast.Call(ast.Attribute(ast.Name("re"), "compile"), [ast.Constant(str() as source), *_]):
            return Pattern(source)
    chain = _chain(node)
    return chain if chain is not None else ScriptExpression(ast.unparse(node))


_SETUP = frozenset(
    {"chromium", "firefox", "webkit", "launch", "new_context", "new_page", "sync_playwright"}
    | {"async_playwright", "run", "main", "asyncio", "set_default_timeout", "set_viewport_size"}
)
_NEEDLESS = frozenset(
    {"wait_for_timeout", "wait_for_load_state", "wait_for_selector", "wait_for", "bring_to_front"}
    | {"focus", "scroll_into_view_if_needed", "screenshot", "pause"}
)
_PYTHON = re.compile(
    r"^\s*(?:from|import)\s+[\w.]+(?:\s+import\b|\s*$)|^\s*(?:async\s+)?def\s|\.get_by_", re.MULTILINE
)


def import_playwright(text: str, task: str, source: str = "script") -> Imported:
    """A recorded script as a demonstration of the task.

    The script is parsed and never run. Browser setup and teardown are skipped; every other
    statement becomes a step, a post-condition, or a remark.
    """
    javascript = not _PYTHON.search(text)
    statements = read_javascript(text) if javascript else read_python(text, source)
    reader = _Reader(task)
    for statement in statements:
        reader.read(statement)
    if not reader.draft.steps and not reader.draft.start:
        raise ConfigError(f"{source}: it contains no action; give a script of Playwright's code generator")
    return reader.draft.as_imported(source)


class _Reader:
    def __init__(self, task: str) -> None:
        self.draft = DemonstrationDraft(task)
        self._pages = {"page"}
        self._current = ""
        self._locators: dict[str, tuple[ScriptCall, ...]] = {}
        self._last: Fingerprint | None = None

    def read(self, statement: Statement) -> None:
        def understand() -> list[str]:
            return list(filter(None, ["; ".join(self._understand(statement))]))

        self.draft.take_over(statement.line, statement.source, understand)

    def _understand(self, statement: Statement) -> list[str]:
        """Import one statement and return the reasons for remarks about changes."""
        chain = statement.chain
        if chain is None:
            raise Unsupported("not a statement that the code generator writes")
        names = [call.name for call in chain.calls]
        match names:
            case ["expect", *_] if not chain.root:
                self.draft.expect(expectation(self._resolve(chain)))
            case _ if _SETUP & {*names, chain.root} and "goto" not in names:
                if "new_page" in names:
                    self._new_tab(statement.gives, self._current)
            case [("expect_popup" | "wait_for_event" | "expect_page" | "expect_event"), *_]:
                self._demand_page(chain.calls[0])
            case ["value"]:
                self._new_tab(statement.gives)
            case _ if chain.root in self._locators or chain.root in self._pages:
                return self._on_page(statement, self._resolve(chain))
            case [] if chain.root.endswith(("_promise", "Promise", "_info")):
                self._new_tab(statement.gives)
            case _ if names != ["close"]:
                raise Unsupported(f"{chain.root or '.'.join(names)} is not a page of this script")
        return []

    def _demand_page(self, event: ScriptCall) -> None:
        kind = text_of(event.args[0]) if event.args else "popup"
        if event.name in ("wait_for_event", "expect_event") and kind not in ("popup", "page"):
            raise Unsupported(f"a wait for the event {kind}")

    def _new_tab(self, name: str, current: str = "") -> None:
        if name:
            self._pages.add(name)
            self._current = current or name

    def _resolve(self, chain: Chain) -> Chain:
        found = Chain("page" if chain.root in self._locators else chain.root)
        for call in (*self._locators.get(chain.root, ()), *chain.calls):
            args = (self._resolve(arg) if isinstance(arg, Chain) else arg for arg in call.args)
            found = found.then(call.name, *args, **call.options)
        return found

    def _on_page(self, statement: Statement, chain: Chain) -> list[str]:
        calls = chain.calls
        if calls and all(call.name in LOCATING for call in calls):
            if not statement.gives:
                raise Unsupported("a locator that is never used")
            self._locators[statement.gives] = calls
            return []
        if not calls:
            raise Unsupported("a statement without an effect")
        if calls[-1].name in _NEEDLESS:
            return [f"{NEEDLESS}: the agent waits and scrolls by itself"]
        tab = self._tab(chain.root)
        if len(calls) > 1 and calls[0].name not in ("keyboard", "mouse", "touchscreen"):
            return [*tab, *self._on_element(calls[:-1], calls[-1])]
        return [*tab, *self._page_verb(chain.root, calls, statement)]

    def _on_element(self, place: tuple[ScriptCall, ...], verb: ScriptCall) -> list[str]:
        located = locate(place)
        reasons = [*located.weaknesses, *perform(self.draft, verb, located.fingerprint, self._last)]
        self._last = located.fingerprint
        self.draft.answer_dialog()
        return reasons

    def _tab(self, page: str) -> list[str]:
        before, self._current = self._current, page
        if before in ("", page):
            return []
        return [f"the recording goes to the tab {page} here, whose title is not in the script"]

    def _page_verb(self, page: str, calls: tuple[ScriptCall, ...], statement: Statement) -> list[str]:
        first = calls[0]
        names = [call.name for call in calls]
        match names:
            case ["goto"]:
                self.draft.go(text_of(first.first))
            case ["go_back"]:
                self.draft.act(Back())
            case ["reload"]:
                self.draft.act(Press(("f5",)))
            case ["once" | "on"] if first.first == "dialog":
                self.draft.answer = "OK" if "accept" in statement.source else "Cancel"
            case ["close"]:
                self._close(page)
            case ["keyboard", "press"]:
                self.draft.act(Press(chord(text_of(calls[1].first))))
            case ["keyboard", ("type" | "insert_text")]:
                return self.draft.act(TypeText(text_of(calls[1].first)))
            case ["wait_for_url"]:
                asserted = (ScriptCall("expect", (Chain("page"),)), ScriptCall("to_have_url", first.args))
                self.draft.expect(expectation(Chain("", asserted)))
            case [name] if name not in ("once", "on") and isinstance(first.first, str):
                # The older style, page.click("selector", ...), is the same as the locator's method.
                place = ScriptCall("locator", first.args[:1])
                return self._on_element((place,), ScriptCall(name, first.args[1:], first.options))
            case _:
                raise Unsupported(f"{'.'.join(names)} has no counterpart")
        return []

    def _close(self, page: str) -> None:
        if len(self._pages) > 1 and page != "page":
            self.draft.act(Close())
            self._pages.discard(page)
            self._current = "page"
