"""Counts words of the old style in the tracked files, and fails if a folder has more than its maximum.

`scripts/words` runs it; `scripts/words FOLDER` also prints the lines of a folder: docs, gui_agent, tests ...
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = ROOT / "tests/fitness/old_words.toml"
OLD = tomllib.loads(LIST.read_text("utf-8"))
PHRASES = re.compile(rf"\b(?:{'|'.join(OLD['phrases'])})\b", re.IGNORECASE)
ENDINGS = {".py", ".js", ".toml", ".j2", ".html", ".sql", ".md"}
PRODUCT = ("gui_agent", "platforms", "eval")
MARKS = re.compile(r"\s+(?:(?:#|//|\*|\|)\s+)?")
"""White space, and the mark of a comment at the beginning of its next line."""


@cache
def files() -> dict[Path, str]:
    """The text of every tracked file that people write, without the list of old words."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    written = [path for path in paths if path.suffix in ENDINGS and path.is_file() and path != LIST]
    return {path: path.read_text("utf-8", errors="replace") for path in written}


def room_of(path: Path) -> str:
    first = path.relative_to(ROOT).parts[0]
    return "docs" if path.suffix == ".md" else first if first in OLD["most"] else "other"


def phrase_lines() -> dict[str, list[str]]:
    """The lines that contain an old phrase, as `path:number text`, by folder."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, text in files().items():
        for number, line in enumerate(text.splitlines(), 1):
            if PHRASES.search(line):
                found[room_of(path)].append(f"{path.relative_to(ROOT)}:{number} {line.strip()[:110]}")
    return found


def old_sentences() -> dict[str, list[str]]:
    """The files that contain each old sentence, also one that is broken over lines."""
    joined = {path: MARKS.sub(" ", text) for path, text in files().items()}
    return {
        sentence: places
        for sentence in OLD["old"]["sentences"]
        if (places := [str(path.relative_to(ROOT)) for path, text in joined.items() if sentence in text])
    }


@cache
def definitions() -> tuple[tuple[Path, str], ...]:
    """The functions and classes of product, platforms and eval, each with its file."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    sources = [path for path in files() if path.suffix == ".py" and room_of(path) in PRODUCT]
    return tuple(
        (path, node.name)
        for path in sources
        for node in ast.walk(ast.parse(files()[path]))
        if isinstance(node, kinds)
    )


def old_names() -> dict[str, list[str]]:
    """The files that define each old name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, defined in definitions():
        for name in (defined, f"{path.name}:{defined}"):
            if name in OLD["old"]["names"]:
                found[name].append(str(path.relative_to(ROOT)))
    return found


def bare_functions() -> list[str]:
    """Functions named by a preposition alone, as `path name`."""
    bare = set(OLD["old"]["prepositions"].split())
    return [f"{path.relative_to(ROOT)} {name}" for path, name in definitions() if name.strip("_") in bare]


def main() -> int:
    counts = {room: len(lines) for room, lines in phrase_lines().items()}
    for room, most in OLD["most"].items():
        print(f"{room:10}{counts.get(room, 0):6} lines of the old style, at most {most}")
    for room in sys.argv[1:]:
        print(*phrase_lines()[room], sep="\n")
    return int(any(counts.get(room, 0) > most for room, most in OLD["most"].items()))


if __name__ == "__main__":
    sys.exit(main())
