"""What the windows of an X display are taken for."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest
from Xlib import X

from gui_agent.computers.x11.windows import Connection, Windows


class Display:
    """A display with one window, which has the keyboard if a manager frames it."""

    def __init__(self, kind: str, *, managed: bool = False) -> None:
        self._managed = managed
        shown = SimpleNamespace(
            override_redirect=not managed, map_state=X.IsViewable, win_class=X.InputOutput
        )
        sides = SimpleNamespace(width=90, height=24)
        popup = SimpleNamespace(
            id=7,
            get_attributes=lambda: shown,
            get_geometry=lambda: sides,
            translate_coords=lambda root, x, y: SimpleNamespace(x=-10, y=-40),
        )
        whole = SimpleNamespace(width=800, height=600)
        self.root = SimpleNamespace(
            query_tree=lambda: SimpleNamespace(children=[popup]), get_geometry=lambda: whole
        )
        self._kind = kind
        self.display = SimpleNamespace(create_resource_object=lambda kind, number: popup)

    def use(self) -> Any:
        return nullcontext()

    def atom(self, name: str) -> int:
        return hash(name)

    def numbers(self, window: Any, name: str) -> list[int]:
        if window is self.root:
            return (
                [7] if self._managed and name in ("_NET_CLIENT_LIST_STACKING", "_NET_ACTIVE_WINDOW") else []
            )
        return [hash(self._kind)] if name == "_NET_WM_WINDOW_TYPE" else []

    def text(self, window: Any, name: str) -> str:
        return "notes\0Notes" if name == "WM_CLASS" else ""


@pytest.mark.parametrize(("kind", "hint"), [("TOOLTIP", True), ("POPUP_MENU", False)])
def test_a_hint_is_told_from_a_menu(kind: str, hint: bool) -> None:
    (popup,) = Windows(cast(Connection, Display(f"_NET_WM_WINDOW_TYPE_{kind}"))).list()
    assert popup.popup and popup.hint is hint


def test_a_splash_is_no_window_that_has_the_keyboard() -> None:
    (splash,) = Windows(cast(Connection, Display("_NET_WM_WINDOW_TYPE_SPLASH", managed=True))).list()
    assert (splash.active, splash.popup, splash.hint) == (False, True, True)
    (own,) = Windows(cast(Connection, Display("_NET_WM_WINDOW_TYPE_NORMAL", managed=True))).list()
    assert (own.active, own.popup, own.hint) == (True, False, False)
