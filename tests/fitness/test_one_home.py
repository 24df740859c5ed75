"""What all parts know about a screen stands in one place.

Each rule is tried on a planted violation too.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from syntax_trees import MODULES, name_of, syntax_tree, walk

from gui_agent.elements import roles
from gui_agent.elements.words import STOP_WORDS

GROUPS = {name: group for name, group in vars(roles).items() if isinstance(group, frozenset)}
ROLES = frozenset().union(*GROUPS.values(), roles.NOUNS.values())
EFFECTS = {"os", "io", "shutil", "socket", "subprocess", "tempfile", "threading", "asyncio", "logging", "PIL"}
Finder = Callable[[ast.AST], Iterator[str]]


@cache
def trees() -> dict[str, ast.Module]:
    """All modules by name; read by the worker that runs these tests, not by all that read this file."""
    return {name_of(path): syntax_tree(path) for path in MODULES}


def parts(node: ast.AST) -> list[str]:
    """The texts of a collection, or the words of a text that is a list of words."""
    if isinstance(node, ast.Set | ast.Tuple | ast.List):
        found = [item.value for item in node.elts if isinstance(item, ast.Constant)]
        return [text for text in found if isinstance(text, str)]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.split()
    return []


def role_groups(tree: ast.AST) -> Iterator[str]:
    """Groups of three roles and more, and of two with which a role is compared."""
    other = {  # what something else than a role is compared with, and the members of a `Literal`
        id(item)
        for node in walk(tree)
        for item in (
            node.comparators
            if isinstance(node, ast.Compare) and not is_role(node.left)
            else [node.slice]
            if isinstance(node, ast.Subscript)
            else []
        )
    }
    compared = {
        id(item)
        for node in walk(tree)
        if isinstance(node, ast.Compare) and is_role(node.left)
        for item in node.comparators
    }
    for node in walk(tree):
        texts = parts(node)
        known = [text for text in texts if text in ROLES]
        most = len(known) >= 3 and len(known) > 0.75 * len(texts)
        if id(node) not in other and (most or (id(node) in compared and len(known) >= 2)):
            yield f"{getattr(node, 'lineno', 0)}: {' '.join(texts)}"


def is_role(node: ast.AST) -> bool:
    return getattr(node, "attr", getattr(node, "id", "")) == "role"


def stop_words(tree: ast.AST) -> Iterator[str]:
    """Collections and lists of words with articles that hold little else; a sentence does."""
    for node in walk(tree):
        texts = parts(node)
        common = [word for word in texts if word in STOP_WORDS]
        if {"the", "a"} <= set(texts) and len(common) >= 0.7 * len(texts):
            yield f"{getattr(node, 'lineno', 0)}: {' '.join(texts)}"


def tokenisers(tree: ast.AST) -> Iterator[str]:
    """Patterns with which the words of any text are found, or between which it is split, and stemmers."""
    searched = {
        getattr(node.value, "id", "")
        for node in walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("findall", "finditer")
    }
    compiled = {
        id(node.value): node.targets[0].id in searched
        for node in walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef) and re.search(r"(^|_)(stem|singular|tokeni[sz]e)", node.name):
            yield f"{node.lineno}: {node.name}"
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Name("re"), attr=("compile" | "findall" | "finditer" | "split") as how
                ),
                args=[ast.Constant(value=str(pattern)), *_],
            ) if how != "compile" or compiled.get(id(node), True):
                cut = re.compile(pattern).split if how == "split" else re.compile(pattern).findall
                if cut("alpha, beta7 gamma") == ["alpha", "beta7", "gamma"]:
                    yield f"{node.lineno}: {pattern}"


def fuzzy(tree: ast.AST) -> Iterator[str]:
    for name in imported(tree):
        if name.split(".")[0] in ("difflib", "rapidfuzz", "Levenshtein", "jellyfish", "thefuzz"):
            yield name


def overlaps(tree: ast.AST) -> Iterator[str]:
    """Sums that say how far two boxes stand side by side."""
    for node in walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and isinstance(node.left, ast.Call):
            text = ast.unparse(node)
            if re.fullmatch(r"min\((\w|\.)+\.(bottom|right), .*\) - max\((\w|\.)+\.(top|left), .*\)", text):
                yield f"{node.lineno}: {text}"


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that a module imports; of `from x import y` both `x` and `x.y`."""
    for node in walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


IN_ROLES, IN_TEXT = {"elements/roles.py"}, {"elements/text.py", "elements/words.py"}
# The lexer cuts the language of plain commands, which has quotes, places and joints, not just words.
CUTTING = IN_TEXT | {"planners/commands/lexer.py", "agent/guard/_bodies.py"}  # which read languages
# Names that a person misspelled are found in core, where every layer can ask for them.
COMPARING = {*IN_TEXT, "core/texts.py"}
# How far a label above a field may stand aside is a rule of labels only.
BESIDE = {"core/observation.py", "scene/_labels.py"}
RULES: dict[str, tuple[Finder, set[str], str]] = {
    "groups of roles": (role_groups, IN_ROLES, 'X = frozenset(("checkbox", "radio", "switch"))'),
    "roles in a comparison": (role_groups, IN_ROLES, 'x = e.role in ("dialog", "alertdialog")'),
    "roles in a text": (role_groups, IN_ROLES, 'x = word_set("cell gridcell row")'),
    "stop words": (stop_words, IN_TEXT, 'x = {"the", "a", "of"}'),
    "stop words in a text": (stop_words, IN_TEXT, 'x = "a an the of to".split()'),
    "tokenisers": (tokenisers, CUTTING, '_W = re.compile(r"[^\\W_]+")\n_W.findall(x)'),
    "splitting into words": (tokenisers, CUTTING, 're.split(r"\\W+", x)'),
    "stems": (tokenisers, CUTTING, "def _stems(text): ..."),
    "fuzzy matching": (fuzzy, COMPARING, "from difflib import SequenceMatcher"),
    "boxes side by side": (overlaps, BESIDE, "x = min(a.bottom, b.bottom) - max(a.top, b.top)"),
}


@cache
def everywhere(find: Finder) -> dict[str, list[str]]:
    """What a finder finds in each module; rules share finders."""
    return {name: list(find(tree)) for name, tree in trees().items()}


@pytest.mark.parametrize("rule", RULES)
def test_each_is_defined_in_one_place(rule: str) -> None:
    find, homes, planted = RULES[rule]
    assert list(find(ast.parse(planted))), "the rule finds what it forbids"
    elsewhere = [
        f"{name}:{one}" for name, found in everywhere(find).items() if name not in homes for one in found
    ]
    assert not elsewhere, f"this belongs into {' or '.join(sorted(homes))}: {elsewhere}"


def test_no_two_groups_of_roles_are_the_same() -> None:
    same = [name for name, group in GROUPS.items() if Counter(GROUPS.values())[group] > 1]
    assert not same, f"one of these is enough: {same}"


def test_every_group_of_roles_is_used() -> None:
    loaded = {
        node.id if isinstance(node, ast.Name) else node.attr
        for tree in trees().values()
        for node in walk(tree)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    assert not [name for name in GROUPS if name not in loaded]


def test_no_public_class_name_stands_for_two_things() -> None:
    names = Counter(
        node.name
        for tree in trees().values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    twice = [name for name, count in names.items() if count > 1]
    assert not twice, [
        (name, file) for name in twice for file, tree in trees().items() if defines(tree, name)
    ]


def defines(tree: ast.Module, name: str) -> bool:
    return any(isinstance(node, ast.ClassDef) and node.name == name for node in tree.body)


def test_core_touches_nothing_outside_the_program() -> None:
    """It holds values, protocols and errors; one small module gives the files of the agent their rights."""
    touching = {
        name: found
        for name, tree in trees().items()
        if name.startswith("core/") and (found := EFFECTS & {one.split(".")[0] for one in imported(tree)})
    }
    assert touching == {"core/os_errors.py": {"os"}}
