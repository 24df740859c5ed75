"""Functions are named for what they give, `is_` or `has_`, or by a verb: never by a bare participle."""

from __future__ import annotations

import ast
import re

from syntax_trees import MODULES, name_of, syntax_tree, walk

IRREGULAR = re.compile(
    r"begun|bound|broken|brought|built|chosen|done|drawn|driven|felt|forgotten|found|given|gone|grown"
    r"|heard|held|hidden|hung|kept|known|led|lent|lost|made|meant|met|overwritten|paid|proven|redrawn|said"
    r"|seen|sent|shown|slept|slid|sought|spent|spoken|stood|struck|stuck|swept|taken|thought|told|torn"
    r"|undone|withheld|woken|won|worn|written"
)
"""Without the ending; those that look like their verb (`read`, `put`, `set`) can be meant as it."""
VERBS = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed", "succeed"}
EVENTS = {"asked", "decided", "ended", "started", "stepped"}
"""What an observer is told, named by what has happened."""
KEPT = {"mobileworld.py done", "row_list.py failed", "scripted.py done", "trajectory.py verified"}
"""What users or other programs call by these names."""


def test_no_function_is_named_by_a_bare_participle() -> None:
    found = [
        f"{name_of(path)}:{node.lineno} {node.name}"
        for path in MODULES
        for node in walk(syntax_tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_participle(node.name.strip("_"))
        if f"{path.name} {node.name}" not in KEPT
    ]
    assert found == []


def _is_participle(name: str) -> bool:
    regular = re.fullmatch(r"[a-z]{3,}ed", name) is not None and name not in VERBS | EVENTS
    return regular or IRREGULAR.fullmatch(name) is not None
