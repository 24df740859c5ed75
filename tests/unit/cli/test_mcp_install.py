"""`guiagent mcp install` adds our server to a client's settings and leaves the rest as it is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from gui_agent.cli import call


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_other_servers_and_settings_stay(home: Path) -> None:
    (home / ".claude.json").write_text('{"theme": "dark", "mcpServers": {"other": {"command": "x"}}}')
    assert call(["mcp", "install", "claude"]) == 0
    table = json.loads((home / ".claude.json").read_text())
    assert table["theme"] == "dark" and set(table["mcpServers"]) == {"other", "guiagent"}
    assert table["mcpServers"]["guiagent"]["args"] == ["mcp"]


def test_toml_is_added_to_once(home: Path) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('model = "m"  # mine\n')
    assert call(["mcp", "install", "codex"]) == call(["mcp", "install", "codex"]) == 0
    assert "# mine" in path.read_text()
    assert list(tomllib.loads(path.read_text())["mcp_servers"]) == ["guiagent"]


def test_a_file_that_is_not_understood_is_left_alone(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / ".claude.json").write_text("{ // a remark\n}")
    assert call(["mcp", "install", "claude"]) == 2
    assert (home / ".claude.json").read_text() == "{ // a remark\n}"
    assert "by hand" in capsys.readouterr().err
