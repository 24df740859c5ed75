"""With the plain package alone every command works, or says in a line which extra it needs; that exists."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from syntax_trees import MODULES, ROOT, syntax_tree, walk

PROBE = Path(__file__).with_name("plain_probe.py")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = set(PROJECT["optional-dependencies"])
EXTRA = re.compile(r"guiagent\[([\w,-]+)\]")
DOORS = [
    "parts", "view", "teach", "doctor",
    *(["run", "click Next", "--on", on, "--quiet"] for on in ("desktop", "virtual", "android", "wayland")),
    *(["run", "click Next", "--on", f"{on}:h:9", "--quiet"] for on in ("guest", "remote", "vnc", "rdp")),
    ["run", "click Next", "--set", "trace.spans=true", "--dry-run"],
    ["run", "Find it", "--model", "openai/x", "--explain"],
    ["run-list", 'type "{a}" into "b"', "rows.xlsx"],
    ["serve", "--port", "0"], ["mcp"], ["doctor", "--screen"],
    ["teach", "x", "--on", "desktop"],
    ["learn", "x.robot", "--task", "x"], ["learn", "x.yaml", "--task", "x"],
    ["memory", "list"], ["memory", "why", "x"], ["skills", "list"], ["models"], ["schedules"], ["profiles"],
    ["desktop", "list"], ["guest", "list"], ["guest", "start", "a"], ["guest", "serve"], ["devices"],
    ["eval", "miniwob", "--list"], ["eval", "miniwob", "--episodes", "1", "--planner", "random"],
    ["eval", "osworld", "--list"], ["eval", "osworld"], ["eval", "prove", "osworld"],
    ["eval", "apps", "--list"], ["eval", "serve", "--benchmark", "miniwob"], ["eval", "run", "miniwob"],
    ["redteam", "--help"], ["practice", "--help"],
]  # fmt: skip


def other_modules() -> set[str]:
    """The installed modules of packages that the plain one does not require, itself or through another."""
    waiting, found = [Requirement(one).name for one in PROJECT["dependencies"]], {"guiagent"}
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name not in found:
            found.add(name)
            needed = (Requirement(one) for one in requires(name) or ())
            always = (one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""}))
            waiting += [one.name for one in always]
    return {
        module
        for module, owners in packages_distributions().items()
        if found.isdisjoint(re.sub(r"[-_.]+", "-", one).lower() for one in owners)
    }


def test_every_command_works_or_names_the_extra_that_it_needs(tmp_path: Path) -> None:
    (tmp_path / "x.robot").write_text("*** Test Cases ***\n")
    (tmp_path / "x.yaml").write_text("appId: x\n---\n- tapOn: x\n")
    (tmp_path / "rows.xlsx").write_bytes(b"PK")
    command = [sys.executable, str(PROBE), json.dumps(sorted(other_modules())), json.dumps(DOORS)]
    home = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    given: dict[str, Any] = {"cwd": tmp_path, "env": home, "stdin": subprocess.DEVNULL}
    done = subprocess.run(command, **given, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for door, code, said in json.loads(done.stdout.splitlines()[-1]):
        named = {extra for found in EXTRA.finditer(said) for extra in found[1].split(",")}
        assert code != 1 and "No module named" not in said, (door, said)
        assert named <= EXTRAS, (door, said)
        assert not code or isinstance(door, str) or len(said.strip().splitlines()) <= 4, (door, said)


def test_every_extra_that_the_code_names_exists() -> None:
    calls = (node for path in MODULES for node in walk(syntax_tree(path)) if isinstance(node, ast.Call))
    first = [one.args[0] for one in calls if ast.unparse(one.func) == "MissingExtra"]
    named = {extra for one in first if isinstance(one, ast.Constant) for extra in str(one.value).split(",")}
    assert named and named <= EXTRAS
