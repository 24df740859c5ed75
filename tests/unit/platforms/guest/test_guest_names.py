"""Names under which programs are called inside a guest."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from guiagent_platforms.guest.guests import make_surroundings
from guiagent_platforms.guest.keeper import OWN


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("python", "print(1)", "scoring"),
        ("python3", "import pyautogui", "scoring"),
        ("python3", "print('system')", "system"),
    ],
)
def test_python_finds_what_set_ups_of_tasks_import(name: str, code: str, told: str, tmp_path: Path) -> None:
    scoring = tmp_path / "evaluators" / "venv" / "bin" / "python"
    scoring.parent.mkdir(parents=True)
    scoring.write_text("#!/bin/sh\necho scoring\n")
    scoring.chmod(0o755)
    shim = make_surroundings(tmp_path) / name
    shim.write_text(shim.read_text().replace(str(OWN), str(tmp_path)))
    done = subprocess.run([shim, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == told
