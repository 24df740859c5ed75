"""The set-up script on machines that lack something: it says what, and goes on where it can."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("sh", "dirname", "cat", "cksum", "grep", "id", "mkdir", "cp", "chmod")
PYTHON = """#!/bin/sh
case "$*" in
  *"-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
  *"-m playwright install chromium"*) exit {playwright} ;;
  *print*) echo python3.11-venv ;;
  *"-m pip install"*) echo "$*" >> pip-called ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A checkout with the set-up script, on a machine with a few tools and nothing else."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/setup", tmp_path / "scripts/setup")
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_text("")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found
        (tools / tool).symlink_to(found)
    return tmp_path


def install(machine: Path, name: str, script: str = "#!/bin/sh\nexit 0\n") -> None:
    path = machine / "tools" / name
    path.write_text(script)
    path.chmod(0o755)


def setup(machine: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(machine / "tools"), "HOME": str(machine)}
    script = machine / "scripts/setup"
    return subprocess.run([script], env=environment, capture_output=True, text=True, check=False)


def test_without_python_it_says_which_is_needed(machine: Path) -> None:
    done = setup(machine)
    assert done.returncode == 2
    assert done.stderr.startswith("setup: Python 3.11 or newer is needed")


def test_an_old_python_does_not_count(machine: Path) -> None:
    install(machine, "python3", '#!/bin/sh\ncase "$*" in *version_info*) exit 1;; esac\n')
    assert "Python 3.11 or newer is needed" in setup(machine).stderr


def test_on_other_systems_it_goes_on_when_there_is_a_browser(machine: Path) -> None:
    install(machine, "python3.11", PYTHON.format(playwright=1))
    install(machine, "chromium")
    done = setup(machine)
    assert done.returncode == 0, done.stderr
    assert (
        "this is not Debian or Ubuntu: install with your package manager what stands for: xvfb" in done.stderr
    )
    assert "-c constraints.txt -e .[dev]" in (machine / "pip-called").read_text()


def test_a_second_time_nothing_is_installed_again(machine: Path) -> None:
    install(machine, "python3.11", PYTHON.format(playwright=1))
    install(machine, "chromium")
    setup(machine)
    (machine / "pip-called").unlink()
    assert setup(machine).returncode == 0
    assert not (machine / "pip-called").exists()
    (machine / "pyproject.toml").write_text("changed")
    assert setup(machine).returncode == 0
    assert (machine / "pip-called").exists()


@pytest.mark.parametrize(("playwright", "code"), [(0, 0), (1, 2)])
def test_without_any_browser_playwright_is_asked_for_one(machine: Path, playwright: int, code: int) -> None:
    install(machine, "python3.11", PYTHON.format(playwright=playwright))
    install(machine, "chromium", "#!/bin/sh\nexit 1\n")
    done = setup(machine)
    assert done.returncode == code
    assert "no browser on this machine; installing the one that Playwright brings" in done.stderr
    assert ("install Chromium, Chrome or Edge" in done.stderr) == (code == 2)


def test_apt_is_used_where_it_is_and_its_failure_is_told(machine: Path) -> None:
    install(machine, "python3.11", PYTHON.format(playwright=1))
    install(machine, "chromium")
    install(machine, "apt-get", "#!/bin/sh\nexit 100\n")
    done = setup(machine)
    assert done.returncode == 0, done.stderr
    assert "could not; run as root: apt-get install" in done.stderr


def test_what_xvfb_run_needs_is_installed_with_it(machine: Path) -> None:
    install(machine, "python3.11", PYTHON.format(playwright=1))
    install(machine, "chromium")
    install(machine, "Xvfb")
    told = setup(machine).stderr
    assert " xauth" in told
    assert " xvfb" not in told
