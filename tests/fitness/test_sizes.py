"""Files and functions stay short enough to be read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from syntax_trees import MODULES, ROOT, syntax_tree

SOURCES = sorted(
    path
    for folder in ("gui_agent", "platforms", "tests", "examples", "eval")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".js", ".css", ".j2"}
)


def test_no_file_is_longer_than_600_lines() -> None:
    long = {str(path.relative_to(ROOT)): lines for path in SOURCES if (lines := _lines(path)) > 600}
    assert long == {}


def test_no_function_is_longer_than_60_lines() -> None:
    long = {
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}": lines
        for path in SOURCES
        if path.suffix == ".py"
        for node in _functions(syntax_tree(path))
        if (lines := _body(node)) > 60
    }
    assert long == {}


def test_every_module_and_public_class_says_what_it_is() -> None:
    silent = []
    for path in MODULES:
        tree = syntax_tree(path)
        named = [(str(path.relative_to(ROOT)), tree)]
        named += [
            (f"{path.relative_to(ROOT)} {node.name}", node)
            for node in tree.body
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        ]
        silent += [name for name, node in named if not ast.get_docstring(node)]
    assert silent == []


def _functions(block: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions of a block, found by going through statements only."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(block, part, ()):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node
            yield from _functions(node)


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring, which may be as long as the contract is."""
    assert node.end_lineno is not None
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    spared = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
    return node.end_lineno - node.lineno + 1 - spared
