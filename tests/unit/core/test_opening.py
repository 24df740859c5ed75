"""Which files are programs by their names."""

from __future__ import annotations

import pytest

from gui_agent.core.protocols import is_program


@pytest.mark.parametrize(
    ("name", "program"), [("a.EXE", True), ("fix.sh ", True), ("a.pdf", False), ("gedit", False)]
)
def test_programs(name: str, program: bool) -> None:
    assert is_program(name) is program
