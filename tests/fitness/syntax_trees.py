"""The package's files as syntax trees, read once by each worker for all rules."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gui_agent"
HARNESS = ROOT / "eval" / "src" / "guiagent_eval"
MODULES = sorted((*PACKAGE.rglob("*.py"), *HARNESS.rglob("*.py")))


def name_of(path: Path) -> str:
    """A module as the documents name it: `agent/loop.py`, or `guiagent_eval/runner.py` of the harness."""
    return path.relative_to(PACKAGE if path.is_relative_to(PACKAGE) else HARNESS.parent).as_posix()


def module_name(path: Path) -> str:
    """A module as Python imports it; a package by its own name."""
    root = PACKAGE.parent if path.is_relative_to(PACKAGE) else HARNESS.parent
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


@cache
def syntax_tree(path: Path) -> ast.Module:
    """The syntax tree of a Python file; nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def walk(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree, as `ast.walk` gives them; kept, as every rule goes through all files."""
    return tuple(ast.walk(tree))
