"""A new project runs as it is written, and a shell completes what it types."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from in_process import guiagent


def test_a_new_project_does_its_task_and_passes_its_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = guiagent("init", str(tmp_path / "shop"))
    assert made.returncode == 0 and "checks/test_contact.py" in made.stdout, made.stderr
    monkeypatch.chdir(tmp_path / "shop")
    ran = guiagent("run", "--file", "contact.txt", "--url", "page.html", "--strict")
    assert ran.returncode == 0, ran.stderr
    checks = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "checks")
    tested = subprocess.run(checks, capture_output=True, text=True, timeout=120, check=False)
    assert "1 passed" in tested.stdout, tested.stdout


def test_a_project_changes_no_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("mine")
    refused = guiagent("init", str(tmp_path))
    assert refused.returncode == 2 and "page.html already; name another folder" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_completions_are_installed_where_the_shell_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/usr/bin/bash")
    done = guiagent("completion", "--install")
    script = tmp_path / ".local/share/bash-completion/completions/guiagent"
    assert done.returncode == 0 and str(script) in done.stdout
    typed = (
        f'PATH="{Path(sys.executable).parent}:$PATH"; . "{script}"; COMP_WORDS=(guiagent comp) COMP_CWORD=1'
    )
    completed = subprocess.run(
        ["bash", "-c", f'{typed}; _guiagent_completion guiagent; echo "${{COMPREPLY[@]}}"'],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert completed.stdout.strip() == "completion", completed.stderr


def test_an_unknown_shell_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    refused = guiagent("completion")
    assert refused.returncode == 2 and "guiagent completion bash" in refused.stderr


def test_a_failed_run_is_annotated_on_github(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    failed = guiagent(
        "run", 'click "100% nowhere"', "--url", "examples/contact.html", "--set", "limits.seconds=60"
    )
    assert failed.returncode == 4
    (line,) = [line for line in failed.stderr.splitlines() if line.startswith("::")]
    assert line.startswith("::error title=guiagent::") and "100%25 nowhere" in line
