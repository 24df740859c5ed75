"""What the windows of an X display are taken for."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest
from Xlib import X

from gui_agent.computers.x11.windows import Connection, Windows


class Display:
    """A display with one window that no manager frames."""

    def __init__(self, kind: str) -> None:
        shown = SimpleNamespace(override_redirect=1, map_state=X.IsViewable, win_class=X.InputOutput)
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

    def use(self) -> Any:
        return nullcontext()

    def atom(self, name: str) -> int:
        return hash(name)

    def numbers(self, window: Any, name: str) -> list[int]:
        return [hash(self._kind)] if window is not self.root and name == "_NET_WM_WINDOW_TYPE" else []

    def text(self, window: Any, name: str) -> str:
        return "notes\0Notes" if name == "WM_CLASS" else ""


@pytest.mark.parametrize(("kind", "hint"), [("TOOLTIP", True), ("POPUP_MENU", False)])
def test_a_hint_is_told_from_a_menu(kind: str, hint: bool) -> None:
    (popup,) = Windows(cast(Connection, Display(f"_NET_WM_WINDOW_TYPE_{kind}"))).list()
    assert popup.popup and popup.hint is hint
