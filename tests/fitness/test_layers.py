"""Each rule on who may import whom is enforced: a planted violation is found."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from syntax_trees import MODULES, module_name, syntax_tree

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = {contract["id"]: contract for contract in CONFIG["tool"]["importlinter"]["contracts"]}


def layers() -> list[list[str]]:
    """The layers, top down, each with those of its members that exist."""
    rows = [re.findall(r"\w+", row) for row in CONTRACTS["layers"]["layers"]]
    return [kept for row in rows if (kept := [name for name in row if exists(name)])]


def exists(name: str) -> bool:
    return any((ROOT / "gui_agent" / found).exists() for found in (f"{name}.py", f"{name}/__init__.py"))


def violations() -> list[tuple[str, str]]:
    """Pairs (importer, imported) that are not allowed: upwards by one layer or more, and sideways."""
    rows = layers()
    upwards = [(low, high) for above, below in pairwise(rows) for low in below for high in above]
    to_the_top = [(low, "cli") for row in rows[2:] for low in row]
    sideways = [
        pair for row in rows for one, other in combinations(row, 2) for pair in ((one, other), (other, one))
    ]
    return upwards + to_the_top + sideways


VIOLATIONS = violations()
OUTSIDE = CONTRACTS["packages"]["layers"][:-1]
ROOMS = [re.findall(r"\w+", row) for row in CONTRACTS["procedures"]["layers"]]
UPWARDS = [
    (f"procedures.{low}", f"procedures.{high}")
    for above, below in pairwise(ROOMS)
    for low in below
    for high in above
]
VENDORS = [
    (layer, vendor)
    for layer in CONTRACTS["no-vendors"]["source_modules"]
    for vendor in CONTRACTS["no-vendors"]["forbidden_modules"]
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What lint-imports says about a skeleton of the package with every violation planted in it."""
    root = tmp_path_factory.mktemp("skeleton")
    package = root / "gui_agent"
    package.mkdir()
    (package / "__init__.py").touch()
    names = [name for row in layers() for name in row]
    names += [f"procedures.{room}" for row in ROOMS for room in row]
    imports: dict[str, list[str]] = {name: [] for name in names}
    for low, high in [*VIOLATIONS, *UPWARDS]:
        imports[low].append(f"gui_agent.{high}")
    for layer, vendor in VENDORS:
        imports[layer.removeprefix("gui_agent.")].append(vendor)
    for name in names:
        folder = package / name.replace(".", "/")
        folder.mkdir()
        (folder / "__init__.py").touch()
        for number, imported in enumerate(imports[name]):
            (folder / f"planted{number}.py").write_text(f"import {imported}\n")
    (package / "stranger.py").touch()
    for name in OUTSIDE:
        (root / name).mkdir()
        (root / name / "__init__.py").touch()
    planted = "".join(f"import {name}\n" for name in OUTSIDE)
    (package / "core" / "worldly.py").write_text(planted)
    shutil.copy(ROOT / "pyproject.toml", root)
    done = lint(root)
    assert done.returncode == 1, done.stdout
    return done.stdout


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    command: list[Any] = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    # The layer of a planted import is what matters, so the skeleton must win over the installed package.
    places = (root, root / "eval" / "src", root / "platforms" / "src")
    environment = {"PYTHONPATH": os.pathsep.join(map(str, places))}
    return subprocess.run(command, cwd=root, capture_output=True, text=True, env=environment, check=False)


def named(report: str, importer: str, imported: str) -> bool:
    text = " ".join(report.split())
    return re.search(rf"gui_agent\.{importer}\.planted\d+ -> {re.escape(imported)}\b", text) is not None


@pytest.mark.parametrize(("importer", "imported"), [*VIOLATIONS, *UPWARDS])
def test_an_import_against_the_layers_is_found(report: str, importer: str, imported: str) -> None:
    assert named(report, importer, f"gui_agent.{imported}")


@pytest.mark.parametrize(("layer", "vendor"), VENDORS)
def test_a_vendor_library_in_core_or_agent_is_found(report: str, layer: str, vendor: str) -> None:
    assert named(report, layer.removeprefix("gui_agent."), vendor)


@pytest.mark.parametrize("outside", OUTSIDE)
def test_a_product_that_knows_a_platform_or_a_test_world_is_found(report: str, outside: str) -> None:
    assert f"gui_agent.core.worldly -> {outside}" in " ".join(report.split())


def test_a_module_that_belongs_to_no_layer_is_found(report: str) -> None:
    assert "stranger" in report


def test_no_modules_import_each_other_in_a_circle() -> None:
    """When they are loaded; what only the type checker or a function imports makes no circle."""
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]
    assert circles(loaded_imports()) == []


def loaded_imports() -> dict[str, set[str]]:
    """The modules that each module loads with itself."""
    names = {module_name(path) for path in MODULES}
    return {
        module_name(path): {
            name
            for node in syntax_tree(path).body
            if isinstance(node, ast.ImportFrom) and node.module
            for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
            # A module in a package is meant, and not the package, where both are written the same way.
            if name in names and (name != node.module or not below(node, names))
        }
        for path in MODULES
    }


def below(node: ast.ImportFrom, names: set[str]) -> bool:
    """Whether all that is imported are modules themselves."""
    return all(f"{node.module}.{alias.name}" in names for alias in node.names)


def circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """What is left when all that leads nowhere, or that nothing leads to, is taken away again and again."""
    left = {name: set(found) for name, found in imports.items()}
    while True:
        reached = {found for names in left.values() for found in names}
        kept = {
            name: found & left.keys()
            for name, found in left.items()
            if found & left.keys() and name in reached
        }
        if kept == left:
            return [set(left)] if left else []
        left = kept


def test_the_code_as_it_is_breaks_no_rule() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout
