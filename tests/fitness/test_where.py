"""docs/where.md names places that exist, and its two lists leave nothing out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from syntax_trees import HARNESS, MODULES, PACKAGE, PLATFORMS, ROOT, name_of, syntax_tree

WHERE = (ROOT / "docs/where.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`([\w./]+\.(?:py|js)):([\w.]+)`", WHERE)))
CHANGES = WHERE.partition("\n## ")[0]


def defined(tree: ast.AST, within: str = "") -> Iterator[str]:
    """Functions, classes, methods and constants, those of classes as `Class.name`."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield within + name
            case ast.ClassDef(name=name):
                yield within + name
                yield from defined(node, f"{within}{name}.")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield within + name


@cache
def names_in(path: Path) -> frozenset[str]:
    text = path.read_text("utf-8")
    if path.suffix == ".js":
        return frozenset(re.findall(r"^(?:function|const) (\w+)", text, re.MULTILINE))
    return frozenset(defined(ast.parse(text)))


ASKS = re.compile(r"\.complete$|model\.numbers$")
"""Methods of a model that send something."""


def calls_of_models() -> Iterator[str]:
    """The places that call a method of a model that sends something, as the document writes places."""

    def search(node: ast.AST, place: str) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            inner = place
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{place}.{child.name}" if place else child.name
            if isinstance(child, ast.Call) and ASKS.search(ast.unparse(child.func)):
                yield inner
            yield from search(child, inner)

    for path in MODULES:
        for place in search(syntax_tree(path), ""):
            yield f"{name_of(path)}:{place}"


@pytest.mark.parametrize(("file", "name"), NAMED, ids=str)
def test_places_that_are_named_exist(file: str, name: str) -> None:
    folder = next((one.parent for one in (HARNESS, PLATFORMS) if file.startswith(one.name)), PACKAGE)
    if (folder / file).exists() and name in names_in(folder / file):
        return
    now = [name_of(other) for other in (*MODULES, *sorted(PACKAGE.rglob("*.js"))) if name in names_in(other)]
    pytest.fail(f"{file}:{name} is not there; {name} is in: {', '.join(now) or 'no file'}")


def test_each_change_has_a_place_and_tests_that_exist() -> None:
    changes = CHANGES.split("\n### ")[1:]
    assert len(changes) > 24
    for change in changes:
        assert re.search(r"^- \*\*Start at\*\* .*`[\w./]+\.(py|js):\w", change, re.MULTILINE), change
        _, _, tests = change.partition("- Tests: ")
        named = re.findall(r"`(tests/[\w/]+\.py)`", tests)
        assert named, change
        assert all((ROOT / test).exists() for test in named), (change, named)


def test_all_that_asks_a_model_is_listed() -> None:
    listed = WHERE.partition("## Everything that calls a model")[2].partition("\n## ")[0]
    asking = set(calls_of_models())
    assert len(asking) > 6
    missing = [place for place in asking if f"`{place}`" not in listed]
    assert not missing, missing


def test_all_that_ends_a_run_is_listed() -> None:
    listed = WHERE.partition("## Everything that can hold or end a run")[2]
    ending = {
        f"agent/{path.relative_to(PACKAGE / 'agent').as_posix()}:{place}"
        for path in (PACKAGE / "agent").rglob("*.py")
        for place in makes_an_ending(syntax_tree(path))
    }
    assert len(ending) > 4
    missing = [place for place in ending if f"`{place}`" not in listed]
    assert not missing, missing


def makes_an_ending(tree: ast.Module) -> Iterator[str]:
    """The functions and constants of a module in which an `Ending` is made."""
    for node in tree.body:
        owner, parts = (f"{node.name}.", node.body) if isinstance(node, ast.ClassDef) else ("", [node])
        for part in parts:
            name = getattr(part, "name", "") or ast.unparse(getattr(part, "targets", [ast.Name("")])[0])
            calls = (each for each in ast.walk(part) if isinstance(each, ast.Call))
            if any(isinstance(call.func, ast.Name) and call.func.id == "Ending" for call in calls):
                yield owner + name
