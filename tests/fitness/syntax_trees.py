"""The package's files as syntax trees, read once by each worker for all rules."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gui_agent"
HARNESS = ROOT / "eval" / "src" / "guiagent_eval"
PLATFORMS = ROOT / "platforms" / "src" / "guiagent_platforms"
MODULES = sorted(path for package in (PACKAGE, HARNESS, PLATFORMS) for path in package.rglob("*.py"))


def name_of(path: Path) -> str:
    """A module as the documents name it: `agent/loop.py`, or `guiagent_eval/runner.py` of another package."""
    return path.relative_to(PACKAGE if path.is_relative_to(PACKAGE) else source_of(path)).as_posix()


def module_name(path: Path) -> str:
    """A module as Python imports it; a package by its own name."""
    return ".".join(path.relative_to(source_of(path)).with_suffix("").parts).removesuffix(".__init__")


def source_of(path: Path) -> Path:
    """The folder in which Python finds the package of a module."""
    return next(package.parent for package in (PACKAGE, HARNESS, PLATFORMS) if path.is_relative_to(package))


@cache
def syntax_tree(path: Path) -> ast.Module:
    """The syntax tree of a Python file; nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def walk(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree, as `ast.walk` gives them; kept, as every rule goes through all files."""
    return tuple(ast.walk(tree))
