"""The script of the whole way: episodes, export, training of the answers alone, and a comparison."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
for library in ("torch", "transformers", "trl", "datasets"):
    pytest.importorskip(library, reason="the script trains with TRL, in an environment of its own")

SCRIPT = Path(__file__).parents[3] / "eval" / "practice" / "whole.py"
SMALL = ["--tasks", "click-test,click-test-2", "--gathered", "4", "--measured", "2", "--epochs", "1"]


def processes_that_name(folder: Path) -> list[bytes]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes())
    return [line for line in found if str(folder).encode() in line]


def test_it_trains_on_the_answers_alone_and_compares_before_with_after(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--out", str(tmp_path), *SMALL]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        # Ctrl+C during the first measure: the second call goes on from there.
        assert any("measure before" in line for line in first.stdout)
        first.send_signal(signal.SIGINT)
        assert first.wait(120) != 0
    assert not processes_that_name(tmp_path)
    gathered = (tmp_path / "gathered" / "episodes.jsonl").read_bytes()
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "gathered" / "episodes.jsonl").read_bytes() == gathered
    told = json.loads((tmp_path / "report.json").read_text())
    assert 0 < told["answers"] < told["tokens"]
    assert (told["episodes"], told["steps"], told["pairs"]) == (8, 1, 4)
    assert told["low"] <= told["value"] <= told["high"]
    assert "success 0.0% before, 0.0% after; difference +0.0% (95 %: +0.0% to +0.0%)" in done.stdout
