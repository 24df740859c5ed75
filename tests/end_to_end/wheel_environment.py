"""Environments that hold nothing but the wheels of this checkout and what they ask for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHONS = ("python3.11", "python3.12", "python3.13")
OFFLINE = re.compile(r"Temporary failure in name resolution|NewConnectionError|Network is unreachable")


def done(*command: str, within: Path, env: dict[str, str] | None = None) -> str:
    """What a command that has to succeed says; skips where no package index can be reached."""
    ran = subprocess.run(
        command, cwd=within, env=env, capture_output=True, text=True, timeout=400, check=False
    )
    if ran.returncode and OFFLINE.search(ran.stderr):
        pytest.skip("no package index can be reached")
    assert ran.returncode == 0, (command, ran.stdout[-2000:], ran.stderr[-2000:])
    return ran.stdout


def made_wheel(folder: Path) -> Path:
    """The product's wheel of this checkout, in a folder beside those of the platforms and the benchmarks."""
    build = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation")
    for part in ("", "platforms", "eval"):
        done(*build, "-w", str(folder), str(ROOT / part), within=folder)
    (made,) = folder.glob("guiagent-*.whl")
    return made


def interpreter(name: str) -> str:
    """One of this version, also where a version manager keeps it beside the others."""
    kept = Path(os.environ["XDG_CACHE_HOME"]).parent / ".pyenv" / "versions"
    for found in (shutil.which(name), *map(str, kept.glob(f"*/bin/{name}"))):
        if (
            found
            and subprocess.run([found, "-c", "import venv"], capture_output=True, check=False).returncode == 0
        ):
            return found
    pytest.skip(f"there is no {name}")


def environment(name: str, wheel: Path, folder: Path, extra: str = "") -> dict[str, str]:
    """The variables of a new environment with the wheel and an extra, and a home that is empty."""
    done(interpreter(name), "-m", "venv", "venv", within=folder)
    bin_ = folder / "venv" / "bin"
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    beside = ("-f", str(wheel.parent), "-c", str(ROOT / "constraints.txt"))
    done(str(bin_ / "pip"), "install", "-q", *beside, wanted, within=folder)
    lean = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "XDG_", "GUIAGENT"))
    }
    return lean | {"HOME": str(folder / "home"), "PATH": f"{bin_}:{lean['PATH']}"}
