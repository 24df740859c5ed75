"""The six everyday jobs of the examples do what they say, in no more lines than the best of the others."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gui_agent.content import content

pytestmark = pytest.mark.nightly

FILE = Path(str(content("examples/six_jobs.py")))
BEST = {"task": 1, "structured_data": 1, "hook": 1, "own_tool": 3, "new_values": 2, "benchmark": 12}
"""Lines of the best other framework, by its own documents; imports and set-up of a page are not counted."""


def test_they_take_no_more_lines_than_the_best_of_the_others() -> None:
    tree = ast.parse(FILE.read_text(encoding="utf-8"))
    bodies = {one.name: one.body for one in tree.body if isinstance(one, ast.FunctionDef)}
    lines = {name: bodies[name][-1].end_lineno - bodies[name][0].lineno + 1 for name in BEST}  # type: ignore[operator]
    tasks = FILE.with_name("tasks.toml").read_text(encoding="utf-8").splitlines()
    lines["benchmark"] = sum(1 for line in tasks if line and not line.startswith("#"))
    assert {name: (count, BEST[name]) for name, count in lines.items() if count > BEST[name]} == {}


def test_they_run(tmp_path: Path) -> None:
    keyless = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    env = keyless | {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    command = [sys.executable, str(FILE)]
    ran = subprocess.run(
        command, capture_output=True, text=True, env=env, cwd=tmp_path, timeout=110, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "Person(name='Ada', email='ada@example.org')" in ran.stdout
    assert "done done ADA" in ran.stdout
    assert ran.stdout.count("Step(") == 1


def test_a_file_of_tasks_is_a_benchmark(tmp_path: Path) -> None:
    command = ["eval", "run", "guiagent_eval.task_list:TaskList", "--quiet", "--json"]
    listed = [sys.executable, "-m", "gui_agent", *command]
    good = [*listed, "--option", f"file={FILE.with_name('tasks.toml')}"]
    done = subprocess.run(good, capture_output=True, text=True, cwd=tmp_path, timeout=110, check=False)
    assert json.loads(done.stdout)["overall"]["successes"] == 3, done.stderr
    (tmp_path / "bad.toml").write_text('[one]\ntask = "click X"\ncheck = "it is fine"\n')
    bad = [*listed, "--option", "file=bad.toml"]
    told = subprocess.run(bad, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)
    assert (told.returncode, "the check of one is not understood" in told.stderr) == (2, True)
