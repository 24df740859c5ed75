"""The README, the build server, make and the scripts call the same two commands."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from gui_agent.core.errors import (
    BenchmarkError,
    ConfigError,
    ExitCode,
    GuiAgentError,
    MissingExtra,
    MissingKey,
    StepFailed,
    Unavailable,
)
from gui_agent.core.trajectory import EXIT_CODES

ROOT = Path(__file__).parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def readme_commands() -> list[str]:
    """The commands of the first code block under "Set up"."""
    block = re.search(r"## Set up.*?```sh\n(.*?)```", read("README.md"), re.DOTALL)
    assert block, 'README.md has no code block under "Set up"'
    return [line.partition("#")[0].strip() for line in block[1].splitlines() if line.strip()]


def test_the_readme_gives_two_commands_that_exist() -> None:
    commands = readme_commands()
    assert commands == ["scripts/demo", "scripts/test"]
    for command in commands:
        assert os.access(ROOT / command, os.X_OK)


def test_the_build_server_runs_the_test_command_of_the_readme_and_nothing_else() -> None:
    lines = [
        line.strip() for line in read(".ci/run").splitlines() if line.strip() and not line.startswith("#")
    ]
    assert lines[:3] == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "export CI=true"]
    assert lines[3:] == [f"{readme_commands()[1]} </dev/null"]


def test_the_test_command_says_what_else_there_is() -> None:
    text = read("scripts/test")
    quick = text[text.index("\nquick)") : text.index("\nall)")]
    assert "scripts/check\n" in quick and 'pytest -n "$workers"' in quick and "scripts/test all" in quick
    assert not re.search(r"last-failed|--lf\b|reruns", text), "what failed by chance would be hidden"
    assert all(f"`scripts/test {part}`" in text for part in ("all", "windows", "wayland"))


def test_make_knows_the_promised_targets() -> None:
    targets = set(re.findall(r"^(\w+):", read("Makefile"), re.MULTILINE))
    assert targets == {"setup", "demo", "check", "test", "bench", "docs"}


@pytest.mark.parametrize("script", sorted((ROOT / "scripts").iterdir()), ids=lambda path: path.name)
def test_every_script_can_be_run_from_anywhere(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.startswith("#!/bin/sh\n# ")
    assert "set -eu\n" in text
    assert 'cd "$(dirname "$0")/.."' in text
    assert os.access(script, os.X_OK)


def test_exit_codes_are_what_the_help_says() -> None:
    codes = {code.name: code.value for code in ExitCode}
    expected = {
        "DONE": 0,
        "BUG": 1,
        "CONFIG": 2,
        "UNAVAILABLE": 3,
        "NOT_DONE": 4,
        "REFUSED": 5,
        "INTERRUPTED": 130,
    }
    assert codes == expected
    assert GuiAgentError("x").exit_code == 1
    assert [kind.exit_code for kind in (ConfigError, MissingExtra, MissingKey)] == [2, 2, 2]
    assert [kind.exit_code for kind in (Unavailable, BenchmarkError)] == [3, 3]
    assert StepFailed("x").exit_code == 1, "a failed step is told to the planner and never leaves the loop"
    endings = {"done": 0, "not_done": 4, "limit": 4, "refused": 5, "stopped": 130, "lost": 3, "crashed": 1}
    assert {kind: int(code) for kind, code in EXIT_CODES.items()} == endings
