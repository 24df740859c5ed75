"""A hundred runs of each kind of computer leave no thread, process, handle or file, and the memory flat."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "eval/bench/bench_leaks.py"


@pytest.mark.parametrize("kind", ["fake", "shared", "browser", "phone", "virtual", "guest"])
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_nothing_is_left(kind: str) -> None:
    if kind in ("virtual", "guest") and shutil.which("Xvfb") is None:
        pytest.skip("no Xvfb is installed")
    if kind == "phone":
        pytest.importorskip("adbutils")
    ran = subprocess.run(
        [sys.executable, str(BENCH), "--kind", kind, "--runs", "100"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout or ran.stderr[-2000:]
    assert json.loads(ran.stdout)["runs"] == 100
