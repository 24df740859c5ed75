"""Sends key strokes: text as a stream of real key events, chords, and held keys."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from gui_agent.computers.browser.cdp.sender import Sender, errors, value_of
from gui_agent.core.actions import Action, Hold, Press, TypeText
from gui_agent.core.errors import ActionFailed, Stale
from gui_agent.core.keys import PHONE_KEYS, chord, web_name

if TYPE_CHECKING:
    from playwright.async_api import Page

    from gui_agent.computers.browser._tab import Tab

ACTIVATING = frozenset({"enter", "space", "delete", "backspace"})
"""Keys that may activate or remove the focused element."""
SHIFT = 8
"""The bit of Shift in the protocol's modifier mask."""
MARKS = {
    "`~": ("Backquote", 192),
    **{one + up: (f"Digit{one}", ord(one)) for one, up in zip("1234567890", "!@#$%^&*()", strict=True)},
    "-_": ("Minus", 189),
    "=+": ("Equal", 187),
    "[{": ("BracketLeft", 219),
    "]}": ("BracketRight", 221),
    "\\|": ("Backslash", 220),
    ";:": ("Semicolon", 186),
    "'\"": ("Quote", 222),
    ",<": ("Comma", 188),
    ".>": ("Period", 190),
    "/?": ("Slash", 191),
}
"""Non-letter keys of a US keyboard: their characters, plain and with Shift, and their codes."""
BATCH = 100
"""Events to send before waiting for the page to process them."""
TESTED = 30
"""Maximum blanks of a text before each of which the focus is verified."""
HEARD = 'window[Symbol.for("gui_agent.stillness")]?.heard(%f, %f, getEventListeners) ?? true'
REPEAT_AFTER, REPEAT_EVERY = 0.5, 0.033
"""Seconds before a held key repeats, and between its repeats."""


def stroke(character: str) -> dict[str, Any] | None:
    """The protocol's description of the US keyboard's key for this character; None if there is none."""
    if character.isascii() and character.isalpha():
        upper = character.upper()
        return _key(character, f"Key{upper}", ord(upper), shifted=character.isupper())
    if character == " ":
        return _key(" ", "Space", 32)
    for pair, (code, virtual) in MARKS.items():
        if character in pair:
            return _key(character, code, virtual, shifted=character == pair[1])
    if character == "\n":
        return {**_key("Enter", "Enter", 13), "text": "\r"}
    return {**_key("Tab", "Tab", 9), "text": ""} if character == "\t" else None


async def type_text(line: Sender, text: str, still: Callable[[], Awaitable[None]] | None = None) -> None:
    """Type the text: key down and up for every character, sent without waiting for each one.

    Characters that no US keyboard has are inserted as by an input method. A newline is Enter, a tab is Tab.

    Args:
        still: verifies the focus before a key that could press a button. In a long text, most blanks are
            inserted without key events instead, which press nothing.
    """
    text = text.replace("\r\n", "\n")
    if still is None:
        return await _send(line, text)
    blanks = 0
    for part in re.split(r"(?=[ \n])", text):
        if part[:1] in (" ", "\n"):
            blanks += part[0] == " "
            if part[0] == "\n" or blanks <= TESTED or blanks % TESTED == 0:
                await still()
            else:
                await line.send("Input.insertText", {"text": " "})
                await _send(line, part[1:])
                continue
        await _send(line, part)


def at_field(ask: Callable[[], Awaitable[tuple[bool, str]]], field: bool) -> Callable[[], Awaitable[None]]:
    """A check before a typed key that may press a button: the focus is still on a text field."""
    first: list[str] = []

    async def test() -> None:
        takes, words = await ask()
        first.append(words)
        if not takes and (field or words != first[0]):
            raise Stale(f"the focus moved to {words} during typing; look at the screen again")

    return test


async def walk(line: Sender, steps: int) -> None:
    """Move down (or up) this many entries in an open list with the arrow keys, and choose that entry."""
    name, virtual = ("ArrowDown", 40) if steps > 0 else ("ArrowUp", 38)
    arrow = {"key": name, "code": name, "windowsVirtualKeyCode": virtual}
    one = [{"type": "rawKeyDown", **arrow}, {"type": "keyUp", **arrow}]
    arrows = (line.send("Input.dispatchKeyEvent", key) for key in one * abs(steps))
    await _wait_for(chain(arrows, _events(line, "\n")))


async def _send(line: Sender, text: str) -> None:
    await _wait_for(chain.from_iterable(_events(line, character) for character in text))


async def _wait_for(events: Iterable[Awaitable[object]]) -> None:
    """Send events without waiting for each one, but no more at once than a page answers in time."""
    rest = iter(events)
    while some := list(islice(rest, BATCH)):
        await asyncio.gather(*some)


async def is_heard(tab: Tab, at: tuple[float, float]) -> bool:
    """Whether the page listens to clicks, keys or text at a point; if not, it cannot tell how text came."""
    try:
        return bool(await value_of(tab.line, HEARD % at, console=True))
    except errors():
        return True


def acting(action: Action) -> bool:
    """Whether the keys of an action may activate the focused element."""
    match action:
        case Press(keys=keys) | Hold(keys=keys):
            return not ACTIVATING.isdisjoint(chord(keys))
        case TypeText(at=None, text=text):
            return not {" ", "\n", "\t"}.isdisjoint(text)
    return False


async def press(
    page: Page, keys: Sequence[str], times: int, again: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Press the keys together, `times` times; `again` verifies the focus before each repetition."""
    names = chord(keys)
    if len(names) == 1 and len(names[0]) == 1 and stroke(names[0]) is None:
        for _ in range(times):
            await page.keyboard.insert_text(names[0])
        return
    combination = "+".join(_reachable(name) for name in names)
    for count in range(times):
        if count and again is not None:
            await again()
        await page.keyboard.press(combination)


async def select_all(page: Page) -> None:
    await page.keyboard.press("ControlOrMeta+a")


async def replace_text(tab: Tab, text: str) -> None:
    """Replace the whole text of the focused field by typing."""
    await select_all(tab.page)
    await type_text(tab.line, text)


LISTEN = """(key) => {
  const held = (window[Symbol.for(key)] = { hear: (event) => (held.event = event) });
  addEventListener("keydown", held.hear, true);
}"""
KEPT = """(key) => {
  const held = window[Symbol.for(key)];
  if (!held) return true; // the keys led to another document
  removeEventListener("keydown", held.hear, true);
  delete window[Symbol.for(key)];
  return Boolean(held.event && held.event.defaultPrevented);
}"""
PRESSED = "gui_agent.pressed"


async def press_and_offer(page: Page, keys: Sequence[str]) -> bool:
    """Press a chord that browsers handle. Returns whether the page leaves it to the browser."""
    await page.evaluate(LISTEN, PRESSED)
    await press(page, keys, 1)
    try:
        return not await page.evaluate(KEPT, PRESSED)
    except errors():
        return False  # the page is already navigating


async def hold(page: Page, keys: Sequence[str], seconds: float) -> None:
    """Hold the keys down, repeating the last one as a keyboard does."""
    names = [_reachable(name) for name in chord(keys)]
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    down: list[str] = []
    try:
        for name in names:
            await page.keyboard.down(name)
            down.append(name)
        await asyncio.sleep(min(seconds, REPEAT_AFTER))
        while loop.time() < end:
            await page.keyboard.down(names[-1])
            await asyncio.sleep(min(REPEAT_EVERY, max(0.0, end - loop.time())))
    finally:
        for name in reversed(down):
            await page.keyboard.up(name)


def _reachable(name: str) -> str:
    if name in PHONE_KEYS:
        raise ActionFailed(f"only phones have the key {name}; press another one")
    if len(name) == 1 and stroke(name) is None:
        raise ActionFailed(f"no key gives {name!r} in a chord; use type for text")
    return web_name(name)


def _key(key: str, code: str, virtual: int, *, shifted: bool = False) -> dict[str, Any]:
    event: dict[str, Any] = {"key": key, "code": code, "windowsVirtualKeyCode": virtual, "text": key}
    return {**event, "modifiers": SHIFT} if shifted else event


def _events(line: Sender, character: str) -> list[Any]:
    event = stroke(character)
    if event is None:
        return [line.send("Input.insertText", {"text": character})]
    up = {name: value for name, value in event.items() if name != "text"}
    down = {"type": "keyDown" if event["text"] else "rawKeyDown", **event}
    return [
        line.send("Input.dispatchKeyEvent", down),
        line.send("Input.dispatchKeyEvent", {"type": "keyUp", **up}),
    ]
