"""Files of allowed folders and tools of MCP servers: real files, a real server process, the guard between."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from gui_agent.core.dialogue import GuardedTool
from gui_agent.core.errors import ActionFailed, ConfigError
from gui_agent.settings import Settings, override
from gui_agent.wiring.tools import make_tools

SERVER = """
from mcp.server import MCPServer
server = MCPServer("notes")
@server.tool()
def count(text: str) -> int:
    "How many words a text has."
    return len(text.split())
@server.tool()
def fail() -> str:
    "Fails."
    raise ValueError("no")
server.run("stdio")
"""


def tools(stack: ExitStack, **section: Any) -> dict[str, GuardedTool]:
    made = make_tools(override(Settings(), {"tools": section}), (), stack)
    return {tool.tool.name: tool for tool in made}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, GuardedTool]:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("name,price\ntea,3\n")
    (tmp_path / "secret.txt").write_text("no")
    (tmp_path / "in" / "link.txt").symlink_to(tmp_path / "secret.txt")
    with ExitStack() as stack:
        return tools(stack, folders=[str(tmp_path / "in")])


def test_files_are_listed_read_and_written(files: dict[str, GuardedTool], tmp_path: Path) -> None:
    assert "a.csv (17 bytes)" in files["list_files"].run({})
    files["write_file"].run({"path": "b.txt", "text": "hi"})
    assert (tmp_path / "in" / "b.txt").read_text() == "hi"
    assert files["read_file"].run({"path": "b.txt"}) == "hi"


def test_a_cell_is_set_and_the_others_stay(files: dict[str, GuardedTool], tmp_path: Path) -> None:
    files["set_cell"].run({"path": "a.csv", "cell": "B2", "value": "3,50"})
    assert (tmp_path / "in" / "a.csv").read_text() == 'name,price\ntea,"3,50"\n'
    assert files["read_cells"].run({"path": "a.csv"}) == "1: A=name, B=price\n2: A=tea, B=3,50"
    with pytest.raises(ActionFailed, match="beyond"):
        files["set_cell"].run({"path": "a.csv", "cell": "ZZ9", "value": "x"})


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "link.txt"])
def test_nothing_outside_the_folders_is_reached(files: dict[str, GuardedTool], path: str) -> None:
    with pytest.raises(ActionFailed, match="outside the allowed folders"):
        files["read_file"].run({"path": path})
    with pytest.raises(ActionFailed, match="outside the allowed folders"):
        files["write_file"].run({"path": path, "text": "x"})


def test_writing_means_something_to_the_guard_and_more_where_a_file_is_lost(
    files: dict[str, GuardedTool],
) -> None:
    assert files["read_file"].meaning({"path": "a.csv"}) == ""
    assert files["write_file"].meaning({"path": "new.txt"}) == "write"
    assert files["write_file"].meaning({"path": "a.csv"}) == "delete"


def test_tools_of_a_server_are_called_and_judged_unless_they_are_said_to_read(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    command = f"{sys.executable} {tmp_path / 'server.py'}"
    with ExitStack() as stack:
        found = tools(stack, mcp={"notes": command}, reading=["notes_count"])
        assert found["notes_count"].run({"text": "a b c"}) == "3"
        assert found["notes_count"].meaning({}) == ""
        assert found["notes_fail"].meaning({}) == "unclear"
        assert found["notes_count"].tool.parameters["required"] == ["text"]
        with pytest.raises(ActionFailed):
            found["notes_fail"].run({})


@pytest.mark.parametrize("section", [{"folders": ["/no/such"]}, {"mcp": {"x": "no-such-program"}}])
def test_what_is_not_there_is_told_before_the_run(section: dict[str, Any]) -> None:
    with ExitStack() as stack, pytest.raises(ConfigError, match=r"no/such|tools\.mcp\.x"):
        tools(stack, **section)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[GuardedTool]:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.csv").write_text("tea,3\nmilk,2\n")
    (tmp_path / "secret.txt").write_text("hidden")
    with ExitStack() as stack:
        yield tools(stack, terminal=[str(tmp_path / "work")])["run_command"]


def test_a_command_reads_and_writes_the_allowed_folder(terminal: GuardedTool, tmp_path: Path) -> None:
    said = terminal.run({"command": "cut -d, -f2 a.csv | paste -sd+ | tee sum.txt"})
    assert said == "3+2"
    assert (tmp_path / "work" / "sum.txt").read_text() == "3+2\n"


@pytest.mark.parametrize(
    "command",
    ["cat ../secret.txt", "cat /etc/shadow", "touch /usr/x", "exec 3<>/dev/tcp/127.0.0.1/80", "ls /root"],
)
def test_a_command_reaches_nothing_else(terminal: GuardedTool, command: str, tmp_path: Path) -> None:
    with pytest.raises(ActionFailed, match="ended with code"):
        terminal.run({"command": f"bash -c {shlex.quote(command)}"})


def test_a_command_does_not_see_the_environment_or_the_network(terminal: GuardedTool) -> None:
    assert "PYTEST" not in terminal.run({"command": "env"})
    assert terminal.run({"command": "tail -n +3 /proc/net/dev | cut -d: -f1"}) == "lo"


def test_a_command_ends_with_its_processes_and_its_limits(
    terminal: GuardedTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ActionFailed, match="when it had printed 200000 bytes"):
        terminal.run({"command": "yes"})
    monkeypatch.setattr("gui_agent.wiring._terminal.SECONDS", 0.5)
    with pytest.raises(ActionFailed, match=r"when 0\.5 s were over"):
        terminal.run({"command": "sleep 33.25 & sleep 33.25"})
    assert not subprocess.run(["pgrep", "-f", "sleep 33.25"], capture_output=True, check=False).stdout


def test_a_command_that_deletes_is_judged_so(terminal: GuardedTool) -> None:
    assert terminal.meaning({"command": "ls"}) == "write"
    assert terminal.meaning({"command": "ls; rm -r x"}) == "delete"
