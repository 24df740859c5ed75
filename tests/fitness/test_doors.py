"""Each room has a door: its `__all__` offers what other rooms use of it, and nothing else."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from syntax_trees import syntax_tree, walk

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gui_agent"
OTHERS = (ROOT / "platforms", ROOT / "eval", ROOT / "examples")
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
FOR_PEOPLE = {"cli", "integrations", "testing"}
"""Rooms whose doors are for people: commands, servers, and the kit for tests of plug-ins."""


EXTENSION = defaultdict(
    set,
    models={"MeteredModel", "Price", "RemoteModel", "probe"},
    wiring={"has_model", "load_known", "make_planner", "make_recorder", "make_writer", "stages"},
)
"""Names that are for those who extend the agent, or that others read off the imported package."""


@cache
def names_used() -> dict[str, set[str]]:
    """By room the names that other rooms, platforms, the harness and the examples import from its modules."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    for folder in (PACKAGE, *OTHERS):
        for path in folder.rglob("*.py"):
            own = path.relative_to(PACKAGE).parts[0] if folder == PACKAGE else ""
            for node in walk(syntax_tree(path)):
                parts = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else []
                if parts[:1] == ["gui_agent"] and len(parts) > 1 and parts[1] != own:
                    used[parts[1]].update(_values(parts, node))  # type: ignore[arg-type]
    return used


def _values(parts: list[str], node: ast.ImportFrom) -> set[str]:
    """The imported names that no module of the room or of the package has."""
    modules = {path.stem for at in (ROOT.joinpath(*parts), PACKAGE / parts[1]) for path in at.glob("*.py")}
    return {one.name for one in node.names} - modules


@pytest.mark.parametrize("room", ROOMS)
def test_a_door_offers_what_others_use_and_nothing_else(room: str) -> None:
    if room in FOR_PEOPLE:
        pytest.skip("its door is for people")
    offered = set(import_module(f"gui_agent.{room}").__all__)
    assert names_used()[room] - offered == set(), "add these to the door of the room"
    assert offered - names_used()[room] - EXTENSION[room] == set(), (
        "no other room uses these; take them off the door"
    )


@pytest.mark.parametrize("room", ROOMS)
def test_all_that_a_door_offers_is_there(room: str) -> None:
    module = import_module(f"gui_agent.{room}")
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None


def test_no_room_reaches_into_the_private_modules_of_another() -> None:
    reaching = [
        f"{path.relative_to(ROOT)}: {node.module}"
        for folder in (PACKAGE, *OTHERS)
        for path in folder.rglob("*.py")
        for node in walk(syntax_tree(path))
        if isinstance(node, ast.ImportFrom) and _is_private_elsewhere(node.module or "", path)
    ]
    assert reaching == []


def _is_private_elsewhere(module: str, path: Path) -> bool:
    parts = module.split(".")
    if parts[0] != "gui_agent" or not any(part.startswith("_") for part in parts):
        return False
    return len(parts) < 2 or parts[1] not in path.relative_to(ROOT).parts


def test_modules_that_only_their_room_uses_are_private() -> None:
    used = _modules_named() | _modules_used_elsewhere()
    open_ones = [
        module
        for path in PACKAGE.glob("*/**/*.py")
        if not path.name.startswith("_") and path.relative_to(PACKAGE).parts[0] not in FOR_PEOPLE
        if (module := ".".join(path.relative_to(ROOT).with_suffix("").parts)) not in used
    ]
    assert open_ones == [], "put an underscore before these"


@cache
def _modules_used_elsewhere() -> set[str]:
    """Modules that another room, platforms, the harness, the examples or tests import."""
    used = set()
    for folder in (PACKAGE, *OTHERS, ROOT / "tests"):
        for path in folder.rglob("*.py"):
            own = path.relative_to(PACKAGE).parts[0] if folder == PACKAGE else ""
            for node in walk(syntax_tree(path)):
                if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[1:2] != [own]:
                    used |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
                elif isinstance(node, ast.Import):
                    used |= {one.name for one in node.names}
    return used


def _modules_named() -> set[str]:
    """Modules that entry points, settings or documents name, as `gui_agent.room.module:Part`."""
    folders = (PACKAGE, *OTHERS, ROOT / "docs", ROOT / "configs")
    files = [ROOT / "pyproject.toml", *(path for folder in folders for path in folder.rglob("*.*"))]
    texts = (path.read_text("utf-8") for path in files if path.suffix in (".py", ".toml", ".md"))
    return {found for text in texts for found in re.findall(r"(gui_agent(?:\.\w+)+):\w", text)}
