"""Every module and public class says what it is."""

from __future__ import annotations

import ast

from syntax_trees import MODULES, ROOT, syntax_tree


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
