"""Key bindings as toolkits write them."""

from __future__ import annotations

import pytest

from gui_agent.computers.atspi.tree import shortcut


@pytest.mark.parametrize(
    ("bindings", "expected"),
    [
        ("s;<Alt>f:s;<Control>s", "ctrl+s"),
        ("a;<Alt>f:a;<Primary><Shift>s", "ctrl+shift+s"),
        ("<Alt>f", "alt+f"),
        ("F5", "f5"),
        ("x;<Alt>f:x;", ""),
        ("", ""),
    ],
)
def test_the_binding_that_works_everywhere(bindings: str, expected: str) -> None:
    assert shortcut(bindings) == expected
