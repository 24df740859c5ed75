"""The package's files as syntax trees, read once by each worker for all rules."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def syntax_tree(path: Path) -> ast.Module:
    """The syntax tree of a Python file; nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"))
