"""The way from the text of a task to its first action is short, and is the one that is documented."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from measures import Function, count_nodes
from syntax_trees import PACKAGE, syntax_tree, walk

ROOT = Path(__file__).parents[2]
PAGE = (
    """<!doctype html><title>Form</title><button onclick="document.body.append('Thank you')">Next</button>"""
)
MOST = {"fake": (483, 23_941), "browser": (729, 37_400)}
"""Functions entered before the first action, and their nodes, on a slow machine, where the trace is synced;
the aim is 380 and 19,500 for `fake`.
"""
LONGEST_SPINE = 9


@pytest.fixture(scope="module", params=["fake", "browser"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What one run entered before its first action: `entered`, its `spine`, and the `kind` of computer."""
    kind, folder = request.param, tmp_path_factory.mktemp("path")
    (folder / "page.html").write_text(PAGE)
    command = [
        sys.executable,
        str(Path(__file__).with_name("path_probe.py")),
        kind,
        str(folder / "page.html"),
    ]
    # A model's key would put another planner behind the commands; a person's own files may say anything.
    keyless = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    home = {"HOME": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=keyless | home, capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout.splitlines()[-1]), "kind": [kind]}


def test_few_functions_are_entered_before_the_first_action(path: dict[str, list[Any]]) -> None:
    functions, nodes = MOST[path["kind"][0]]
    assert len(path["entered"]) <= functions
    assert sum(_nodes(file, line) for file, line in path["entered"]) <= nodes


def test_the_documented_spine_is_the_way_that_a_task_takes(path: dict[str, list[Any]]) -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.partition("## The path of a task")[2].partition("\n## ")[0]
    documented = re.findall(r"^\| `gui_agent/([^`]+)`", section, re.MULTILINE)
    assert path["spine"] == [
        file for file in documented if path["kind"] == ["browser"] or "computers" not in file
    ]
    assert len(documented) <= LONGEST_SPINE


def test_what_the_run_does_not_need_is_not_entered(path: dict[str, list[Any]]) -> None:
    unneeded = ("planners/llm/", "models/", "memory/", "skills/", "procedures/", "server/", "demos/")
    assert [file for file, _ in path["entered"] if file.startswith((*unneeded, "wiring/models.py"))] == []


def _nodes(file: str, line: int) -> int:
    """The nodes of the function that begins on a line or with a decorator on it; 0 for a lambda."""
    for node in walk(syntax_tree(PACKAGE / file)):
        if (
            isinstance(node, Function)
            and min([node.lineno, *(d.lineno for d in node.decorator_list)]) == line
        ):
            return count_nodes(node)
    return 0
