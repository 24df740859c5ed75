"""Programs on a private display: where they keep their settings, and what makes them tell their elements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gui_agent.computers.virtual import private
from gui_agent.computers.virtual.private import KeptLauncher, Running, for_programs
from gui_agent.core.observation import Size
from gui_agent.core.protocols import Opening


def started(home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The command with which an office program is started there."""
    orders: list[dict[str, Any]] = []

    def ask(_: Path, order: dict[str, Any]) -> dict[str, Any]:
        orders.append(order)
        return {"pid": 7}

    monkeypatch.setattr(private, "ask", ask)
    monkeypatch.setattr(KeptLauncher, "opening", lambda *_: Opening("program", ("soffice", "--calc")))
    KeptLauncher(Running(":7", "", folder, home, Size(1, 1), 1)).launch("LibreOffice Calc")
    return " ".join(orders[0]["argv"])


def test_settings_are_kept_in_a_home_folder_that_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = tmp_path / "home", tmp_path / "display"
    told = started(home, folder, monkeypatch)
    assert (home / ".config" / "libreoffice" / "4").as_uri() in told
    assert folder.as_uri() not in told


def test_settings_beside_those_of_the_person_go_with_the_display(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tmp_path.as_uri() in started(Path.home(), tmp_path, monkeypatch)


def test_programs_in_java_tell_their_elements_where_the_bridge_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = tmp_path / "bridge.jar"
    monkeypatch.setattr(private, "JAVA_BRIDGE", bridge)
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx1g")
    assert for_programs(tmp_path)["JAVA_TOOL_OPTIONS"] == "-Xmx1g"
    bridge.touch()
    told = for_programs(tmp_path)["JAVA_TOOL_OPTIONS"]
    assert told.startswith("-Xmx1g ") and str(bridge) in told and "assistive_technologies" in told
