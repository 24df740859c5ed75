"""Scripts written by Playwright's code generator, in Python or JavaScript, as demonstrations."""

from __future__ import annotations

import re
from typing import Any

from gui_agent.core.actions import Back, Click, Close, Press, TypeText
from gui_agent.core.errors import ConfigError
from gui_agent.core.targets import Fingerprint
from gui_agent.procedures.importers.expectations import expectation
from gui_agent.procedures.importers.imported import (
    NEEDLESS,
    DemonstrationDraft,
    Imported,
    Unsupported,
    text_of,
)
from gui_agent.procedures.importers.javascript_script import read_javascript
from gui_agent.procedures.importers.locators import LOCATING, locate
from gui_agent.procedures.importers.python_script import read_python
from gui_agent.procedures.importers.script import Chain, ScriptCall, Statement
from gui_agent.procedures.importers.verbs import chord, perform

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

    The script is parsed and never run. What sets up and closes the browser is passed over; every other
    statement becomes a step, a post-condition, or a remark.

    Args:
        source: name of the file, for messages and for the origin.

    Raises:
        ConfigError: the script cannot be parsed, or nothing in it was understood.
    """
    javascript = not _PYTHON.search(text)
    statements = read_javascript(text) if javascript else read_python(text, source)
    reader = _Reader(task)
    for statement in statements:
        reader.read(statement)
    if not reader.draft.steps and not reader.draft.start:
        raise ConfigError(
            f"{source}: no recorded action was found: give a script of Playwright's code generator"
        )
    return reader.draft.finished(f"import {source}")


class _Reader:
    """Goes through the statements and keeps track of pages and of the last field."""

    def __init__(self, task: str) -> None:
        self.draft = DemonstrationDraft(task)
        self._pages = {"page"}
        self._current = ""
        self._locators: dict[str, tuple[ScriptCall, ...]] = {}
        self._last: Fingerprint | None = None
        self._answer = ""
        """What the next dialog is answered with."""

    def read(self, statement: Statement) -> None:
        """Take one statement in; what cannot be understood becomes a remark."""
        try:
            reason = self._understand(statement)
        except Unsupported as error:
            self.draft.remark(statement.line, statement.source, str(error))
            return
        if reason:
            self.draft.remark(statement.line, statement.source, reason, dropped=False)

    def _understand(self, statement: Statement) -> str:
        """Reason of a remark on what was changed, empty for none."""
        chain = statement.chain
        if chain is None:
            raise Unsupported("not a statement that a recorder writes")
        names = [call.name for call in chain.calls]
        if names and names[0] == "expect" and not chain.root:
            self.draft.expect(expectation(self._resolved(chain)))
            return ""
        if _SETUP & {*names, chain.root} and not set(names) & {"goto"}:
            if "new_page" in names and statement.gives:
                self._pages.add(statement.gives)
                self._current = self._current or statement.gives
            return ""
        if names == ["close"] and chain.root not in self._pages:
            return ""
        if names and names[0] in ("expect_popup", "wait_for_event", "expect_page", "expect_event"):
            return self._opened(statement, chain)
        if names == ["value"] and statement.gives:
            self._new_tab(statement.gives)
            return ""
        if chain.root in self._locators or chain.root in self._pages:
            return self._on_page(statement, self._resolved(chain))
        if chain.root.endswith(("_promise", "Promise", "_info")) and not names:
            self._new_tab(statement.gives)
            return ""
        raise Unsupported(f"{chain.root or names[0]} is not a page of this script")

    def _opened(self, statement: Statement, chain: Chain) -> str:
        event = chain.calls[0]
        kind = text_of(event.args[0]) if event.args else "popup"
        if event.name in ("wait_for_event", "expect_event") and kind not in ("popup", "page"):
            raise Unsupported(f"waiting for the event {kind}")
        return ""

    def _new_tab(self, name: str) -> None:
        """A page that opened by itself; it is in front from now on."""
        if name:
            self._pages.add(name)
            self._current = name

    def _resolved(self, chain: Chain) -> Chain:
        """With variables for locators replaced by what they stand for."""
        calls = (*self._locators.get(chain.root, ()), *chain.calls)
        resolved: list[ScriptCall] = []
        for call in calls:
            args = tuple(self._resolved(arg) if isinstance(arg, Chain) else arg for arg in call.args)
            resolved.append(ScriptCall(call.name, args, call.options))
        return Chain("page" if chain.root in self._locators else chain.root, tuple(resolved))

    def _on_page(self, statement: Statement, chain: Chain) -> str:
        calls = chain.calls
        if calls and all(call.name in LOCATING for call in calls):
            if not statement.gives:
                raise Unsupported("a locator that nothing is done with")
            self._locators[statement.gives] = calls
            return ""
        if not calls:
            raise Unsupported("a statement that does nothing")
        verb = calls[-1]
        if verb.name in _NEEDLESS:
            return f"{NEEDLESS}: the agent waits and scrolls by itself"
        if len(calls) > 1 and calls[0].name not in ("keyboard", "mouse", "touchscreen"):
            tab = self._tab(chain.root)
            located = locate(calls[:-1])
            self._last, more = perform(self.draft, verb, located.fingerprint, self._last)
            if self._answer:
                self.draft.act(Click(Fingerprint("button", self._answer)))
                self._answer = ""
            return "; ".join([*tab, *located.weaknesses, *more])
        return "; ".join([*self._tab(chain.root), *self._page_verb(chain.root, calls, statement)])

    def _tab(self, page: str) -> list[str]:
        before, self._current = self._current, page
        if before in ("", page):
            return []
        return [f"the recording goes to the tab {page} here, whose title is not in the script"]

    def _page_verb(self, page: str, calls: tuple[ScriptCall, ...], statement: Statement) -> list[str]:
        first = calls[0]
        match [call.name for call in calls]:
            case ["goto"]:
                self.draft.go(text_of(first.first))
            case ["go_back"]:
                self.draft.act(Back())
            case ["reload"]:
                self.draft.act(Press(("f5",)))
            case ["once" | "on"] if first.first == "dialog":
                self._answer = "OK" if "accept" in statement.source else "Cancel"
            case ["close"]:
                if len(self._pages) > 1 and page != "page":
                    self.draft.act(Close())
                    self._pages.discard(page)
                    self._current = "page"
            case ["keyboard", "press"]:
                self.draft.act(Press(chord(text_of(calls[1].first))))
            case ["keyboard", ("type" | "insert_text")]:
                return self.draft.act(TypeText(text_of(calls[1].first)))
            case ["wait_for_url"]:
                self.draft.expect(expectation(_url_expectation(first.args)))
            case [name] if first.args and isinstance(first.args[0], str) and name not in ("once", "on"):
                # The older style, page.click("selector", ...): the same as a locator's verb.
                located = locate((ScriptCall("locator", first.args[:1]),))
                verb = ScriptCall(name, first.args[1:], first.options)
                self._last, more = perform(self.draft, verb, located.fingerprint, self._last)
                return [*located.weaknesses, *more]
            case names:
                raise Unsupported(f"{'.'.join(names)} has no counterpart")
        return []


def _url_expectation(args: tuple[Any, ...]) -> Chain:
    return Chain("", (ScriptCall("expect", (Chain("page"),)), ScriptCall("to_have_url", args)))
