"""Each room has a budget of AST nodes, complex functions, nested comprehensions and files with geometry.

A change that needs more than its room has takes it from another room in the same change: the sums bound
all rooms. What shrank is taken off the table at once, so that it stays away. Lines and files are free
(decision 031).
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from functools import cache

import pytest
from measures import complexity, count_nodes, measure
from syntax_trees import HARNESS, MODULES, PLATFORMS, name_of, syntax_tree

MEASURES = ("nodes", "complex", "nested", "geometry")
ROOMS = {
    "": (2_411, 0, 1, 0),
    "agent": (50_806, 5, 4, 1),
    "api": (9_362, 0, 0, 1),
    "cli": (21_168, 0, 0, 1),
    "computers": (71_457, 0, 1, 5),
    "core": (11_915, 0, 0, 1),
    "elements": (6_087, 0, 0, 0),
    "guiagent_eval": (99_753, 26, 61, 5),
    "guiagent_platforms": (49_524, 0, 2, 1),
    "integrations": (17_899, 3, 1, 0),
    "memory": (7_773, 0, 0, 0),
    "models": (17_121, 0, 0, 1),
    "planners": (38_811, 0, 12, 1),
    "procedures": (71_410, 1, 2, 0),
    "scene": (5_613, 2, 1, 0),
    "server": (2_057, 0, 0, 0),
    "skills": (2_483, 0, 0, 0),
    "testing": (5_680, 0, 0, 2),
    "trace": (10_898, 0, 0, 1),
    "wiring": (10_150, 0, 0, 0),
}
"""What each room may have, in the order of MEASURES; the nameless one is the modules beside the rooms."""
PRODUCT = {"nodes": 412_625, "complex": 11, "nested": 24, "geometry": 15}
"""What `gui_agent` and `guiagent_platforms` may have together."""
SLACK = 400
"""Nodes by which a room may be below its budget before the budget is to be lowered."""


@cache
def totals() -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for path in MODULES:
        name = name_of(path)
        found[name.partition("/")[0] if "/" in name else ""] += measure(syntax_tree(path))
    return found


def test_every_room_has_a_budget() -> None:
    assert set(ROOMS) == set(totals())


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_keeps_within_its_budget(room: str) -> None:
    for measured, most in zip(MEASURES, ROOMS[room], strict=True):
        has = totals()[room][measured]
        assert has <= most, f"take {has - most} {measured} from this room, or give it another one's"


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_room_gave_up_stays_away(room: str) -> None:
    for measured, most in zip(MEASURES, ROOMS[room], strict=True):
        has = totals()[room][measured]
        slack = SLACK if measured == "nodes" else 0
        assert most - has <= slack, f"lower its budget of {measured} to {has}"


def test_the_product_stays_below_its_sums() -> None:
    rooms = [budget for room, budget in ROOMS.items() if room != HARNESS.name]
    assert PLATFORMS.name in ROOMS
    for place, (measured, most) in enumerate(PRODUCT.items()):
        assert sum(budget[place] for budget in rooms) <= most, measured


def test_layout_and_typing_change_no_measure() -> None:
    packed = "def f(x): return [a for a in x if a and x.left]"
    loose = '''
def f(x: list[int]) -> list[int]:
    """Text."""

    return [
        a
        for a in x
        if a and x.left
    ]
'''
    assert measure(ast.parse(packed)) == measure(ast.parse(loose))
    assert measure(ast.parse(packed)) == Counter(nodes=count_nodes(ast.parse(packed)), geometry=1)


def test_each_branch_and_operand_adds_to_the_complexity() -> None:
    code = "def f(x):\n  if x and x: pass\n  return [y for y in x if y] if x else [[z for z in y] for y in x]"
    function = ast.parse(code).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert complexity(function) == 8
    assert measure(ast.parse(code))["nested"] == 1
