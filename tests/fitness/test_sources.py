"""Rules on what may stand in the files of the project."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from syntax_trees import MODULES, PACKAGE, ROOT, name_of, syntax_tree, walk

VENDORS = {
    "adbutils",
    "anthropic",
    "faiss",
    "mss",
    "openai",
    "playwright",
    "pyautogui",
    "sentence_transformers",
}

DOWNLOADS = (
    *("pypi.org", "pythonhosted", "files.python", "index-url", "find-links", "npmjs", "cdn.", "unpkg"),
    *("jsdelivr", "fonts.google", "storage.google", "ajax.google", "dl.google", "github.com"),
    *("huggingface.co", "deb.debian", "ubuntu.com"),
    *("git+http:", "git+https:"),
)
"""Where packages, fonts, scripts and models are fetched from."""


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


HANDED_ON = {
    PACKAGE / "computers/environment.py",
    PACKAGE / "computers/virtual/supervisor.py",
}
"""Parts that hand the environment on to programs that they start, and read no setting from it."""


def test_the_environment_is_read_in_one_file_only() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for path in MODULES
        if path not in {PACKAGE / "settings.py", *HANDED_ON}
        and any(
            isinstance(node, ast.Attribute) and node.attr in {"environ", "environb", "getenv"}
            for node in walk(syntax_tree(path))
        )
    ]
    assert readers == []


def test_no_file_names_an_address_to_download_from() -> None:
    this = Path(__file__)
    found = []
    for path in tracked():
        if path == this or path.suffix in {".png", ".jpg", ".webp"}:
            continue
        text = path.read_text(encoding="utf-8", errors="replace").lower()
        for at in filter(lambda at: at >= 0, map(text.find, DOWNLOADS)):
            line = text.count("\n", 0, at) + 1
            found.append(f"{path.relative_to(ROOT)}:{line}: {text[at : at + 80]}")
    assert found == []


def test_pinned_versions_are_names_and_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert pins
    assert [line for line in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line)] == []


def test_no_path_of_a_single_machine_is_in_a_file() -> None:
    found = [
        str(path.relative_to(ROOT))
        for path in tracked()
        if path != Path(__file__) and re.search(rb"(?<![\w.])/(work|root)/\w", path.read_bytes())
    ]
    assert found == []


def test_a_vendor_library_is_imported_when_needed_and_in_one_package() -> None:
    at_import: list[str] = []
    homes: dict[str, set[str]] = defaultdict(set)
    for path in MODULES:
        tree = syntax_tree(path)
        home = "/".join(name_of(path).split("/")[:-1][:2])
        for node in _running(tree):
            for vendor in VENDORS & set(_imported(node)):
                homes[vendor].add(home)
        for node in tree.body:
            at_import += [f"{path.relative_to(ROOT)}: {name}" for name in _imported(node) if name in VENDORS]
    assert at_import == []
    assert {vendor: places for vendor, places in homes.items() if len(places) > 1} == {}


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only the type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"):
            yield node
            yield from _running(node)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module.partition(".")[0]]
    return []
