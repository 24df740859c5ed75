"""`guiagent serve --install`: the workbench starts at each login, at one address.

No session of systemd can be had in a container, so a stand-in on the path answers as `systemctl --user` does
and keeps what it was asked; the unit itself is judged by systemd's own checker.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from in_process import guiagent

UNIT = "systemd/user/guiagent-serve.service"


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with what systemctl was asked, one call a line."""
    said, program = tmp_path / "asked", tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {said}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return said


def test_it_is_started_now_and_at_each_login_with_its_options(asked: Path, tmp_path: Path) -> None:
    done = guiagent("serve", "--install", "--port", "8801", "--on", "virtual")
    assert done.returncode == 0, done.stderr
    unit = (tmp_path / "config" / UNIT).read_text()
    assert re.search(r"ExecStart=.* -m gui_agent serve --port 8801 --on virtual --same-token\n", unit)
    assert asked.read_text().splitlines()[-1] == "--user enable --now guiagent-serve.service"
    token = (tmp_path / "state/guiagent/serve/token").read_text()
    assert done.stdout.strip() == f"open http://127.0.0.1:8801/?token={token}"
    assert guiagent("serve", "--install").stdout.strip().endswith(token), "the address stays"


def test_systemd_takes_the_unit(asked: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze")
    assert guiagent("serve", "--install", "--set", "limits.steps=50").returncode == 0
    command = ["systemd-analyze", "--user", "verify", str(tmp_path / "config" / UNIT)]
    judged = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "guiagent-serve" not in judged.stderr, judged.stderr


def test_it_is_stopped_and_started_no_more(asked: Path, tmp_path: Path) -> None:
    guiagent("serve", "--install")
    assert "no longer" in guiagent("serve", "--uninstall").stdout
    assert asked.read_text().splitlines()[-1] == "--user disable --now guiagent-serve.service"
    assert not (tmp_path / "config" / UNIT).exists()
    assert "was not started" in guiagent("serve", "--uninstall").stdout


def test_where_nothing_starts_it_the_command_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    refused = guiagent("serve", "--install")
    assert refused.returncode == 2
    assert "let your session start this command" in refused.stderr and "serve --port 8765" in refused.stderr
