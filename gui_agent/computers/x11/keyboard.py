"""The keyboard of an X display: keys pressed by XTEST, and any unicode text, whatever the layout."""

from __future__ import annotations

from Xlib import X
from Xlib.ext import xtest

from gui_agent.computers.desktop.input import in_time
from gui_agent.computers.x11.connection import Connection
from gui_agent.computers.x11.keymap import Keymap, Stroke, symbol_of
from gui_agent.core.errors import ActionFailed
from gui_agent.core.keys import NAMED

CHUNK = 64
"""Characters typed at a time; between two the run may be over."""
GROUP_SHIFT = 13
"""Where in the state of the keyboard the number of the active layout begins."""


class Keyboard:
    """Presses keys and types text where the focus is."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        with connection.use():
            self._keymap = Keymap(connection)
        self._down: dict[str, list[int]] = {}
        """Codes that each held key keeps down."""

    def press(self, key: str) -> None:
        """Hold a key down; a character brings the modifiers that it needs.

        Raises:
            ActionFailed: the keyboard has no such key.
        """
        with self._connection.use():
            self._keymap.follow()
            codes = self._codes(key)
            self._down.setdefault(key, []).extend(codes)
            for code in codes:
                self._key(code, True)

    def release(self, key: str) -> None:
        """Let go of a key; one that is not held is left alone."""
        with self._connection.use():
            for code in reversed(self._down.pop(key, [])):
                self._key(code, False)

    def release_all(self) -> None:
        """Let go of everything that is held."""
        for key in reversed(list(self._down)):
            self.release(key)

    def type_text(self, text: str) -> None:
        """Type text where the focus is.

        Raises:
            ActionFailed: a character that no key can be lent to, or a control character, and nothing was
                typed; or the time of the run was over before all was.
        """
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
                    raise ActionFailed("this keyboard has no key to lend to characters that are not on it")
                for start in range(0, len(strokes), CHUNK):
                    in_time("type the text")
                    self._strike([stroke for stroke in strokes[start : start + CHUNK] if stroke])
                    self._connection.display.sync()

    def _strike(self, strokes: list[Stroke]) -> None:
        """Press and release keys one after the other, changing modifiers only where they change."""
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
        held = {code for codes in self._down.values() for code in codes}
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
