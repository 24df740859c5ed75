"""The keyboard of an X display: keys pressed by XTEST, and any unicode text in any layout."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from Xlib import XK, X
from Xlib.ext import xtest

from gui_agent.computers.desktop.parts import in_time
from gui_agent.computers.x11.windows import Connection, Pings
from gui_agent.core.errors import ActionFailed
from gui_agent.core.keys import NAMED
from gui_agent.core.texts import table

CHUNK = 64
"""Characters typed at a time; the run's deadline is checked in between."""
GROUP_SHIFT = 13
"""Bit position of the active layout's number in the keyboard state."""


class Keyboard:
    """Presses keys and types text at the focus."""

    def __init__(self, connection: Connection, pings: Pings, layout: Connection | None = None) -> None:
        """
        Args:
            layout: whose keyboard has the layout that programs read; that of `connection` by default.
        """
        self._connection = connection
        with (layout or connection).use():
            self._keymap = Keymap(layout or connection, pings)
        self._down: dict[str, list[int]] = {}
        """Codes that each held key keeps down."""

    def press(self, key: str) -> None:
        """Hold a key down; a character includes the modifiers that it needs."""
        with self._connection.use():
            self._keymap.follow()
            codes = self._codes(key)
            self._down.setdefault(key, []).extend(codes)
            for code in codes:
                self._key(code, True)

    def release(self, key: str) -> None:
        """Release a key; do nothing if it is not held."""
        with self._connection.use():
            for code in reversed(self._down.pop(key, [])):
                self._key(code, False)

    def release_all(self) -> None:
        """Release all held keys."""
        for key in reversed(list(self._down)):
            self.release(key)

    def type_text(self, text: str) -> None:
        for character in text:
            if not character.isprintable() and character not in "\n\r\t":
                raise ActionFailed(f"the character {character!r} cannot be typed; leave it out")
        with self._connection.use():
            self._keymap.follow()
            state = self._connection.root.query_pointer().mask
            self._without_capslock(state)
            group = self._group(state)
            symbols = [symbol_of(character) for character in text.replace("\r\n", "\n")]
            for portion in self._keymap.portions(symbols, group):
                strokes = [self._keymap.stroke(symbol, group) for symbol in portion]
                if None in strokes:
                    raise ActionFailed("this keyboard has no spare key for characters that are not on it")
                for start in range(0, len(strokes), CHUNK):
                    in_time("type the text")
                    self._strike([stroke for stroke in strokes[start : start + CHUNK] if stroke])
                    self._connection.display.sync()

    def _strike(self, strokes: list[Stroke]) -> None:
        shift, altgr = self._keymap.code("shift"), self._keymap.code("altgr")
        shifted = third = False
        for stroke in strokes:
            if stroke.shift != shifted:
                shifted = stroke.shift
                self._key(shift, shifted)
            if stroke.altgr != third:
                third = stroke.altgr
                self._key(altgr, third)
            self._key(stroke.code, True)
            self._key(stroke.code, False)
        if shifted:
            self._key(shift, False)
        if third:
            self._key(altgr, False)

    def _codes(self, key: str) -> list[int]:
        if key in NAMED:
            code = self._keymap.code(key)
            if not code:
                raise ActionFailed(f"this keyboard has no key {key}")
            return [code]
        group = self._group(self._connection.root.query_pointer().mask)
        symbol = symbol_of(key)
        for _ in self._keymap.portions([symbol], group):
            pass
        stroke = self._keymap.stroke(symbol, group)
        if stroke is None:
            raise ActionFailed(f"this keyboard has no key for {key!r}")
        held = set(chain.from_iterable(self._down.values()))
        needed = [("shift", stroke.shift), ("altgr", stroke.altgr)]
        modifiers = [self._keymap.code(name) for name, needs in needed if needs]
        return [*(code for code in modifiers if code not in held), stroke.code]

    def _without_capslock(self, state: int) -> None:
        if state & X.LockMask:
            for pressed in (True, False):
                self._key(self._keymap.code("capslock"), pressed)

    def _key(self, code: int, pressed: bool) -> None:
        kind = X.KeyPress if pressed else X.KeyRelease
        xtest.fake_input(self._connection.display, kind, code)

    def _group(self, state: int) -> int:
        return state >> GROUP_SHIFT & 3


X_NAMES: dict[str, str] = table(
    "ctrl=Control_L alt=Alt_L shift=Shift_L meta=Super_L altgr=ISO_Level3_Shift enter=Return"
    " escape=Escape tab=Tab space=space backspace=BackSpace delete=Delete insert=Insert home=Home"
    " end=End pageup=Prior pagedown=Next up=Up down=Down left=Left right=Right capslock=Caps_Lock"
    " printscreen=Print menu=Menu pause=Pause"
) | {f"f{number}": f"F{number}" for number in range(1, 13)}
"""Canonical names of keys (`gui_agent.core.keys`) to those of X."""
CONTROL = {"\n": "Return", "\r": "Return", "\t": "Tab", "\b": "BackSpace", "\x1b": "Escape", " ": "space"}
UNICODE = 0x01000000
LEVEL3 = 0xFE03
"""ISO_Level3_Shift, the AltGr key."""
SPARE = "_GUIAGENT_SPARE_KEYS"
"""Property of the root window: unused keys that any process has assigned to characters.

Once such a key is assigned, the display no longer shows that it was free.
"""
CATCH_UP = 5.0
"""Seconds for a busy program to process typed keys before a key changes its meaning."""
UNASKED = 0.1
"""Seconds to wait for a program that does not report which keys it has processed."""
# The groups and levels of a row of the core keymap, by the active group.
PLACES: dict[int, tuple[tuple[int, bool, bool], ...]] = {
    0: ((0, False, False), (1, True, False), (4, False, True), (5, True, True)),
    1: ((2, False, False), (3, True, False), (6, False, True), (7, True, True)),
}


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key to press, and the modifiers that it needs."""

    code: int
    shift: bool = False
    altgr: bool = False


class Keymap:
    """The layout of one display, with spare keys for characters that are not on it."""

    def __init__(self, connection: Connection, pings: Pings) -> None:
        self._connection = connection
        self._pings = pings
        self._strokes: dict[int, dict[int, Stroke]] = {}
        self._per_code = 1
        self._first = 8
        self._spare: list[int] = []
        """Spare keys, those that one request can write together first."""
        self._stretches: list[list[int]] = []
        self._lent: dict[int, int] = {}
        """The spare key of each assigned keysym."""
        self.refresh()

    def refresh(self) -> None:
        """Read the layout again; necessary after another program changed it."""
        server = self._connection.display
        self._first = server.display.info.min_keycode
        rows: Sequence[Sequence[int]] = server.get_keyboard_mapping(
            self._first, server.display.info.max_keycode - self._first + 1
        )
        self._per_code = len(rows[0])
        known = set(self._connection.numbers(self._connection.root, SPARE))
        free = [self._first + place for place, row in enumerate(rows) if not any(row)]
        # An assigned key with another symbol was taken by a new layout.
        lent = [code for code in sorted(known) if _is_lent(rows[code - self._first])]
        self._stretches = _stretches(sorted({*free, *lent}), rows, self._first)
        self._spare = list(chain.from_iterable(self._stretches))
        self._lent = {rows[code - self._first][0]: code for code in lent}
        self._strokes = {group: self._by_symbol(rows, places) for group, places in PLACES.items()}

    def follow(self) -> None:
        """Process the layout changes that the display has reported since the last call."""
        server = self._connection.display
        changed = False
        while server.pending_events():
            event = server.next_event()
            if event.type == X.MappingNotify and event.request == X.MappingKeyboard:
                changed = True
        if changed:
            self.refresh()

    def stroke(self, symbol: int, group: int) -> Stroke | None:
        """The stroke for a keysym; None if no key has it."""
        found = self._strokes[min(group, 1)].get(symbol)
        return Stroke(self._lent[symbol]) if found is None and symbol in self._lent else found

    def code(self, name: str) -> int:
        """The code of a canonical key name; 0 if the keyboard has none."""
        symbol = LEVEL3 if name == "altgr" else XK.string_to_keysym(X_NAMES[name])
        return int(self._connection.display.keysym_to_keycode(symbol))

    def portions(self, symbols: Sequence[int], group: int) -> Iterable[Sequence[int]]:
        """Split symbols into portions whose missing keys fit the spare ones, and assign these before each.

        All keys of a portion are assigned in one request, because each request makes every program read the
        whole keymap again.
        """
        start = 0
        while start < len(symbols):
            missing: dict[int, None] = {}
            end = start
            while end < len(symbols):
                symbol = symbols[end]
                if self._strokes[min(group, 1)].get(symbol) is None and symbol not in missing:
                    if len(missing) == len(self._spare):
                        break
                    missing[symbol] = None
                end += 1
            if end == start:  # no spare key at all: the symbol cannot be typed
                end += 1
            elif any(symbol not in self._lent for symbol in missing):
                self._lend(list(missing))
            yield symbols[start:end]
            start = end

    def _lend(self, symbols: Sequence[int]) -> None:
        """Assign symbols to spare keys after the program has processed their old meaning; let it notice."""
        kept = {symbol: code for symbol, code in self._lent.items() if symbol in symbols}
        # Unassigned keys are used first: they need no wait.
        free = [code for code in self._spare if code not in self._lent.values()]
        reused = [code for symbol, code in self._lent.items() if symbol not in kept]
        fresh = [symbol for symbol in symbols if symbol not in kept]
        if len(fresh) > len(free):
            self._wait_for_reader()
        lent = dict(zip(fresh, [*free, *reused], strict=False))
        gone = set(lent.values())
        self._lent = {symbol: code for symbol, code in self._lent.items() if code not in gone} | lent
        self._write(lent)
        self._wait_for_reader()

    def _wait_for_reader(self) -> None:
        """Wait until the front program has processed every key and every keymap change so far.

        Programs look a key up when they process it, which can be long after it was pressed.
        """
        front = self._connection.numbers(self._connection.root, "_NET_ACTIVE_WINDOW")
        if not front or not front[0] or not self._pings.has_answered(front[0], CATCH_UP):
            time.sleep(UNASKED)

    def _write(self, lent: Mapping[int, int]) -> None:
        connection = self._connection
        root, symbols = connection.root, {code: symbol for symbol, code in lent.items()}
        known = set(connection.numbers(root, SPARE)) | symbols.keys()
        root.change_property(connection.atom(SPARE), connection.atom("CARDINAL"), 32, sorted(known))
        server = connection.display
        for stretch in self._stretches:
            codes = [code for code in stretch if code in symbols]
            if codes:
                low = codes[0]
                rows = [list(row) for row in server.get_keyboard_mapping(low, codes[-1] - low + 1)]
                for code in codes:
                    rows[code - low] = [symbols[code]] * max(2, len(rows[0]))
                server.change_keyboard_mapping(low, rows)
        server.sync()
        while server.pending_events():  # our own change needs no reading again
            server.next_event()

    def _by_symbol(
        self, rows: Sequence[Sequence[int]], places: Sequence[tuple[int, bool, bool]]
    ) -> dict[int, Stroke]:
        """The key of each symbol: without AltGr if possible, and the first such key, as people press it."""
        found: dict[int, Stroke] = {}
        spare = set(self._spare)
        for wanted in (False, True) if self.code("altgr") else (False,):
            for place, row in enumerate(rows):
                code = self._first + place
                for index, shift, altgr in places:
                    if altgr == wanted and index < self._per_code and row[index] and code not in spare:
                        found.setdefault(row[index], Stroke(code, shift, altgr))
        return found


def symbol_of(character: str) -> int:
    if character in CONTROL:
        return int(XK.string_to_keysym(CONTROL[character]))
    code = ord(character)
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else UNICODE | code


def key_symbol(key: str) -> int:
    """The keysym of a key name or of one character."""
    if key in NAMED and key not in X_NAMES:
        raise ActionFailed(f"this keyboard has no key {key}")
    return int(XK.string_to_keysym(X_NAMES[key])) if key in NAMED else symbol_of(key)


def _is_lent(row: Sequence[int]) -> bool:
    """Whether a row has one character on all levels, as only assigned keys do, or nothing."""
    symbols = {symbol for symbol in row if symbol}
    return len(symbols) <= 1


def _stretches(spare: Sequence[int], rows: Sequence[Sequence[int]], first: int) -> list[list[int]]:
    """Groups of spare keys that one request can write, the largest group first.

    A request writes all keys of a range. Written back unchanged, keys with one symbol stay the same, but
    those with several levels would lose their type and get groups that the layout does not have.
    """
    found: list[list[int]] = []
    for code in spare:
        between = rows[found[-1][-1] + 1 - first : code - first] if found else ()
        if found and all(_is_lent(row) for row in between):
            found[-1].append(code)
        else:
            found.append([code])
    return sorted(found, key=len, reverse=True)
