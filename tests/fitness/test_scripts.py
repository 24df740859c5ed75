"""Scripts that no other test runs take from the project only what is there."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = [
    path
    for folder in ("eval/bench", "eval/practice", "tests/starter")
    for path in (ROOT / folder).glob("*.py")
]
OWN = ("gui_agent", "guiagent_eval", "guiagent_platforms")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_a_script_imports_of_the_project_exists(script: Path) -> None:
    taken = [
        node for node in ast.walk(ast.parse(script.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)
    ]
    for node in taken:
        if (node.module or "").partition(".")[0] in OWN:
            module = importlib.import_module(str(node.module))
            for name in (one.name for one in node.names):
                submodule = hasattr(module, "__path__") and importlib.util.find_spec(f"{node.module}.{name}")
                assert hasattr(module, name) or submodule, f"{node.module} has no {name}"
