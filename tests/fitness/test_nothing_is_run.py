"""No text of a model can reach anything that runs code: such calls are not in the package at all."""

from __future__ import annotations

import ast

import pytest
from syntax_trees import MODULES as SOURCES
from syntax_trees import PACKAGE, name_of, syntax_tree, walk

CALLS = {"eval", "exec", "compile", "__import__", "execfile"}
ATTRIBUTES = {("os", "system"), ("os", "popen"), ("ast", "literal_eval"), ("subprocess", "getoutput")}
MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "code", "codeop", "commands"}


def faults(tree: ast.AST) -> list[str]:
    found = []
    for node in walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [n.name for n in node.names]
            level = getattr(node, "level", 0)
            found += [
                f"{node.lineno}: import {name}"
                for name in names
                if name.split(".")[0] in MODULES and not level
            ]
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and function.id in CALLS:
                found.append(f"{node.lineno}: {function.id}()")
            if isinstance(function, ast.Attribute) and (_owner(function), function.attr) in ATTRIBUTES:
                found.append(f"{node.lineno}: {_owner(function)}.{function.attr}()")
            if any(word.arg == "shell" and not _is_false(word.value) for word in node.keywords):
                found.append(f"{node.lineno}: shell=")
    return found


def _owner(node: ast.Attribute) -> str:
    return node.value.id if isinstance(node.value, ast.Name) else ""


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def test_the_package_has_no_way_to_run_text() -> None:
    wrong = {name_of(path): found for path in SOURCES if (found := faults(syntax_tree(path)))}
    assert wrong == {}


def test_the_model_layer_starts_no_programs() -> None:
    for path in sorted((PACKAGE / "models").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "subprocess" not in text and "import os" not in text, path


@pytest.mark.parametrize(
    "line",
    [
        "eval('1')",
        "exec(x)",
        "import pickle",
        "from pickle import loads",
        "run(x, shell=True)",
        "os.system(x)",
    ],
)
def test_each_way_is_noticed(line: str) -> None:
    assert faults(ast.parse(line))
