"""Measures of a syntax tree that layout does not change: nodes, complexity, nesting, use of geometry."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BRANCHES = (ast.If, ast.For, ast.While, ast.IfExp, ast.ExceptHandler, ast.match_case)
SIDES = {"left", "right", "top", "bottom"}
MOST_COMPLEX = 15
"""The cyclomatic complexity up to which a function is not counted as complex."""


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that layout and typing do not change: no docstring, annotation, Load or Store context."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "ctx"):
                continue
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, ast.AST) and not (name == "body" and _is_text(child)):
                    waiting.append(child)


def count_nodes(tree: ast.AST) -> int:
    """How many nodes a tree has, by `nodes`."""
    return sum(1 for _ in nodes(tree))


def complexity(function: Function) -> int:
    """1, branches, comprehensions with their conditions, and operands of `and`/`or`."""
    count = 1
    for node in nodes(function):
        if isinstance(node, BRANCHES):
            count += 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
    return count


def measure(tree: ast.Module) -> Counter[str]:
    """A file's `nodes`, `complex` functions, `nested` comprehensions; `geometry` is 1 if it reads sides."""
    total: Counter[str] = Counter()
    for node in nodes(tree):
        total["nodes"] += 1
        if isinstance(node, COMPREHENSIONS):
            total["nested"] += _is_nested(node)
        elif isinstance(node, Function):
            total["complex"] += complexity(node) > MOST_COMPLEX
        elif isinstance(node, ast.Attribute) and node.attr in SIDES:
            total["geometry"] = 1
    return total


def _is_text(node: ast.AST) -> bool:
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant and isinstance(node.value.value, str)  # type: ignore[attr-defined]


def _is_nested(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> bool:
    inner = (one for one in nodes(node) if one is not node)
    return len(node.generators) > 1 or any(isinstance(one, COMPREHENSIONS) for one in inner)
