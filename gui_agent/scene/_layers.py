"""The layers of a screen: which dialog, menu or window is in front, and which elements are behind it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from gui_agent.core.observation import Element, Observation, Point, is_part_of, is_part_of_any, window_at
from gui_agent.elements import roles


class ScreenLayers:
    """The front and back elements of one screen."""

    def __init__(self, screen: Observation) -> None:
        self._screen = screen

    @cached_property
    def dialog(self) -> Element | None:
        """The dialog in front, or None; of two, the later one is on top."""
        for one in reversed(self._screen.elements):
            if one.role in roles.DIALOGS:
                return one
        return None

    @cached_property
    def entries(self) -> list[Element]:
        """The elements of an open menu, a popup or the front dialog; empty if none is open."""
        elements, items = self._screen.elements, self._in_open_menu
        for kinds in ({"popup"}, roles.DIALOGS):
            items = items or [one for one in elements if one.attributes.get("notice") in kinds]
        dialog = self.dialog
        if items or dialog is None:
            return items
        return [one for one in elements if one.id != dialog.id and not self.is_behind(one, dialog)]

    @cached_property
    def entry_ids(self) -> frozenset[int]:
        """The ids of `entries`."""
        return frozenset(one.id for one in self.entries)

    @property
    def _in_open_menu(self) -> list[Element]:
        """The elements of open menus; a window that shows only entries is a menu."""
        menus = [one for one in self._screen.elements if one.role == "menu" and one.box.area]
        items = self._entries_of(menus) if menus else []
        over = self.in_uppermost_window
        is_menu = all(one.role in roles.IN_MENUS or one.is_text for one in over)
        return over if is_menu and not items else items

    def _entries_of(self, menus: Sequence[Element]) -> list[Element]:
        entries = (one for one in self._screen.elements if one.role in roles.IN_MENUS)
        return [one for one in entries if is_part_of_any(one, menus)]

    @cached_property
    def in_active_window(self) -> list[Element]:
        """The elements of the window that has the keyboard focus, or of the uppermost one if that is
        unknown.
        """
        windows = self._screen.windows
        for one in self._screen.elements if windows else ():
            if "focused" in one.states:
                return self._in_window(window_at(windows, one.box.center))
        return self.in_uppermost_window

    @cached_property
    def in_uppermost_window(self) -> list[Element]:
        """The elements of the uppermost window; empty if the computer has no windows."""
        return self._in_window(None)

    def _in_window(self, number: int | None) -> list[Element]:
        windows, hints = self._screen.windows, self._screen.hints
        if not windows:
            return []
        number = number or next((one for one in reversed([*windows]) if one not in hints), None)
        return [one for one in self._screen.elements if window_at(windows, one.box.center) == number]

    def is_behind(self, element: Element, dialog: Element) -> bool:
        """Whether an element is behind a dialog; the dialog's popups are in front of it."""
        windows = self._screen.windows
        front = element.role in roles.POPPED_UP or dialog.box.contains(element.box.center)
        order = [window_at(windows, one.box.center) for one in (dialog, element)]
        if None not in order and order[0] != order[1]:
            front = [number for number in windows if number in order] == order  # lowest first
        return not front and not is_part_of(element, dialog)

    def notice_at(self, point: Point) -> Element | None:
        """The smallest dialog, alert or other notice around a point."""
        around = [
            one for one in self._screen.elements if one.role in roles.NOTICES and one.box.contains(point)
        ]
        return min(around, key=lambda one: one.box.area, default=None)
