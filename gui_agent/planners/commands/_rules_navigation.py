"""Parse rules for navigation, keys and time: go to, open, switch, close, press, hold, wait."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace

from gui_agent.core.actions import Back, Close, Hold, Navigate, Open, Press, Switch, Wait
from gui_agent.core.conditions import TextShown
from gui_agent.core.keys import ALIASES, MODIFIERS, NAMED
from gui_agent.core.observation import Words
from gui_agent.planners.commands._noun_phrases import articles, plain_name, read_words
from gui_agent.planners.commands._rules_assert import verify
from gui_agent.planners.commands._rules_pointer import Rule, click, menu_path, times_at_end, unfold_path
from gui_agent.planners.commands.commands import Command, Do, Invoke, Unfold, Verify
from gui_agent.planners.commands.lexer import Fault, Span, phrases
from gui_agent.planners.commands.unparse import SPELLED

_URL = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://\S+|about:\S+|file:\S+|data:\S+|localhost(?::\d+)?(?:/\S*)?"
    r"|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#]\S*)?|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/\S*)?)$",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"\.(?:txt|pdf|docx?|xlsx?|pptx?|od[tspg]|rtf|csv|png|jpe?g|gif|svg|mp[34]|md|json|ya?ml|toml|ini|zip|gz"
    r"|html?|py|log|xml)$",
    re.IGNORECASE,
)
_UNITS = {
    "ms millisecond milliseconds": 0.001,
    "s sec secs second seconds": 1,
    "m min mins minute minutes": 60,
}
_SECONDS = {unit: seconds for units, seconds in _UNITS.items() for unit in units.split()}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)$")
_SHOWN = phrases(
    "is shown, is visible, appears, is there, shows, shows up, comes up, is on the screen, is displayed, "
    "to appear, to be shown, to be visible, to show, to show up"
)
_IN_FRONT = phrases(
    "tab, window, the tab, the window, this tab, this window, the current tab, the current window, the page,"
    " this page, page"
)
_WINDOWS = ("window", "tab", "app", "application", "program")
LONGEST_WAIT = 3600.0
DEFAULT_WAIT = 10.0


def go_to(span: Span) -> tuple[Command, ...]:
    """Parse an address, `tab X`, `page 3`, or a name that leads there on the screen."""
    if span.begins(("tab", "the tab", "window", "the window")):
        return switch_to(span)
    bare = span.cut(articles(span))
    if page := _PAGES.get(bare.phrase):
        return (Invoke(page),)
    if len(bare) == 2 and bare[0].word == "page" and bare[1].text.isdecimal():
        return (Invoke("go to page", Words(bare[1].text)),)
    new_tab, span = _new_tab(span)
    url = _url(span.rest_after(("the page", "the address", "the site", "the url", "url")))
    if url:
        return (Do(Navigate(url, new_tab)),)
    if new_tab or not len(span):
        raise Fault(span.position, f"'{span.text}' is not an address", "as in: go to example.org")
    return (
        Invoke("go to", read_words(span.part_before(("page", "screen", "view")) if len(span) > 1 else span)),
    )


_PAGES = {"next page": "next page", "previous page": "previous page", "last page": "previous page"}


def open_(span: Span) -> tuple[Command, ...]:
    """Parse an address, an application or a file; `the File menu` and a menu path are clicked."""
    if not len(span.without_joints()):
        raise Fault(span.position, "the thing to open is missing", 'as in: open "Files"')
    new_tab, rest = _new_tab(span)
    url = _url(rest)
    if url and not _is_file(rest.text):
        return (Do(Navigate(url, new_tab)),)
    if rest.phrase in ("a new tab", "new tab", "a tab"):
        return (Do(Navigate("about:blank", new_tab=True)),)
    path = menu_path(span)
    if path:
        return unfold_path(path)
    words = read_words(span)
    if words.role or words.ordinal or words.near:
        return (Unfold(words),)
    kinds = ("app", "application", "program", "file", "document", "the app", "the application", "the file")
    name = span.rest_after(kinds).part_before(("app", "application", "program", "page")).without_joints()
    return (Do(Open(name[0].raw)),) if name.is_quoted else (Do(Open(plain_name(name))),)


def back(span: Span) -> tuple[Command, ...]:
    rest = span.rest_after(("to the previous page", "to the last page", "a page", "one page"))
    times, rest = times_at_end(rest)
    if len(rest):
        raise rest.left_over()
    return (Do(Back()),) * times


def forward(span: Span) -> tuple[Command, ...]:
    if len(span):
        raise span.left_over()
    return (Do(Press(("alt", "right"))),)


def reload(span: Span) -> tuple[Command, ...]:
    rest = span.rest_after(("the page", "page", "this page"))
    if len(rest):
        raise rest.left_over()
    return (Do(Press(("f5",))),)


def switch_to(span: Span) -> tuple[Command, ...]:
    rest = span.cut(articles(span))
    rest = rest.rest_after(("tab", "window", "application", "app")).part_before(
        ("tab", "window", "application", "app")
    )
    return (Do(Switch(plain_name(rest))),)


def close(span: Span) -> tuple[Command, ...]:
    """Parse `the tab`, `this window`, `the window "X"`; other objects have a button that closes them."""
    if span.phrase in _IN_FRONT:
        return (Do(Close()),)
    named = span.cut(articles(span))
    if named.begins(_WINDOWS) or named.part_before(_WINDOWS).stop != named.stop:
        return quit_(span)
    return (Invoke("close", read_words(span)),)


def quit_(span: Span) -> tuple[Command, ...]:
    """Parse a program by its name; `the program` is the one in front."""
    name = span.cut(articles(span)).rest_after(_WINDOWS).part_before(_WINDOWS)
    return (Do(Close()),) if not len(name) else (Do(Switch(plain_name(name))), Do(Close()))


def arrange(*keys: str) -> Rule:
    """The rule for making a window larger or smaller, by the window manager's keys."""

    def rule(span: Span) -> tuple[Command, ...]:
        named = span.cut(articles(span))
        name = named.rest_after((*_WINDOWS, "current window")).part_before(_WINDOWS)
        if not len(name):
            return (Do(Press(keys)),)
        return (Do(Switch(plain_name(name))), Do(Press(keys)))

    return rule


def press(span: Span) -> tuple[Command, ...]:
    """Parse keys, several chords in a list, or else an element to click."""
    times, rest = times_at_end(span)
    if chords := _chords(rest):
        return tuple(Do(Press(chord, times)) for chord in chords)
    keyed = rest.rest_after((*_KEY, "the")).part_before(("key", "keys"))
    if not len(keyed) or (keyed.stop == rest.stop and not rest.begins(_KEY)):
        return click()(span)
    if keys := read_keys(keyed.text):
        return (Do(Press(keys, times)),)
    raise Fault(keyed.position, f"'{keyed.text}' is not a key")


_KEY = ("the key", "key", "the keys", "keys")


def _chords(span: Span) -> list[tuple[str, ...]]:
    """The keys of each item of a list; empty if an item is not a key. `ctrl and s` are one chord."""
    chords = [() if item[0].kind == "quoted" else read_keys(item.text) for item in span.as_items()]
    if not all(chords):
        return []
    held = [chord for chord in chords[:-1] if len(chord) == 1 and chord[0] in MODIFIERS]
    return [sum(chords, ())] if held and held == chords[:-1] else chords


def hold(span: Span) -> tuple[Command, ...]:
    halves = span.split(("for",), last=True)
    keys = read_keys(halves[0].rest_after(("down",)).text) if halves else ()
    seconds = _seconds(halves[1].text) if halves else None
    if keys and seconds:
        return (Do(Hold(keys, seconds)),)
    raise Fault(span.position, "hold needs a key and a time", "as in: hold shift for 2 seconds")


def wait(span: Span) -> tuple[Command, ...]:
    """Parse `2 seconds`, `for "text" up to 5 seconds`, `until "text" appears`, `until` a condition."""
    if not len(span):
        return (Do(Wait(1.0)),)
    rest = span.rest_after(("for", "until", "till"))
    seconds = _seconds(rest.text) if not rest.is_quoted else None
    if seconds is not None:
        return (Do(Wait(seconds)),)
    limit = DEFAULT_WAIT
    halves = rest.split(("for up to", "up to", "at most", "for at most", "max", "within", "for"), last=True)
    if halves is not None and not halves[1].is_quoted:
        timed = _seconds(halves[1].text)
        if timed is None:
            raise Fault(halves[1].position, f"'{halves[1].text}' is not a time", "as in: up to 5 seconds")
        limit, rest = timed, halves[0]
    if span.begins(("until", "till")):
        with contextlib.suppress(Fault):
            (stated,) = verify(rest)
            if isinstance(stated, Verify) and not isinstance(stated.condition, TextShown):
                return (replace(stated, within=limit),)
    return (Do(Wait(limit, plain_name(rest.part_before(_SHOWN)))),)


def _new_tab(span: Span) -> tuple[bool, Span]:
    cut = span.part_before(("in a new tab", "in another tab", "in new tab"))
    return cut.stop != span.stop, cut


def as_address(command: Command) -> Command:
    """The same command; the thing to open becomes an address if its bound name is one."""
    match command:
        case Do(Open(name)) if (url := _address(name)) and not _is_file(name):
            return Do(Navigate(url))
    return command


def _is_file(name: str) -> bool:
    return _FILE.search(name) is not None and "/" not in name


def _url(span: Span) -> str:
    return _address(span.text) if len(span) == 1 else ""


def _address(text: str) -> str:
    text = text.strip("<>")
    if not _URL.match(text):
        return ""
    if re.match(r"[a-z][a-z0-9+.-]*:(?!\d)", text, re.IGNORECASE):
        return text
    local = text.startswith(("localhost", "127.", "192.168.", "10."))
    return f"{'http' if local else 'https'}://{text}"


def _seconds(text: str) -> float | None:
    plain = re.sub(r"^(?:an?|one) ", "1 ", text.casefold().strip())
    match = _DURATION.match(plain)
    if not match or (match.group(2) and match.group(2) not in _SECONDS):
        return None
    return min(float(match.group(1)) * _SECONDS.get(match.group(2), 1), LONGEST_WAIT)


_BUTTONS = {"apps", "back", "caps", "menu", "next", "opt", "pause", "prior"}
"""Key names that in a sentence are more likely the caption of a button."""
_NAMED = {
    **{name: name for name in NAMED if name not in _BUTTONS},
    **{spelling: name for spelling, name in ALIASES.items() if spelling not in _BUTTONS},
    **{name: mark for mark, name in SPELLED.items()},
    "dot": ".",
}
_JOINT = re.compile(r"(?<=[^\s+-])\s*[+-]\s*(?=\S)")


def read_keys(text: str) -> tuple[str, ...]:
    """The keys of one chord, modifiers first, under the project's names; empty if the text is not keys."""
    words = re.sub(r"^the | keys?$", "", text.strip(), flags=re.IGNORECASE)
    parts = _JOINT.split(words)
    if len(parts) == 1 and _special_name(words.split(" ", 1)[0]) in MODIFIERS:
        parts = words.split(" ", 1)
    *held, last = (part.strip() for part in parts)
    modifiers = [_special_name(part) for part in held]
    if not all(name in MODIFIERS for name in modifiers):
        return ()
    key = _key(last, alone=not held)
    return (*modifiers, key) if key else ()


def _special_name(text: str) -> str:
    return _NAMED.get(text.casefold().replace(" ", ""), "")


def _key(text: str, *, alone: bool) -> str:
    if len(text) == 1 and text.isprintable() and not text.isspace():
        return text if alone else text.casefold()
    return _special_name(text)
